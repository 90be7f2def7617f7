"""A translation server that fails on purpose, for tests and benchmarks: `python -m benchmarks.fault_server --help`.

It answers in the shapes of LibreTranslate and of OpenAI's chat, and instead of an answer gives, for a share of the
requests, each of `FAULTS` in turn of a seeded dice. Every request is a line in its log: what was asked, and how it
was answered. It listens on a port that is free, which it prints, and on a second one, where redirects lead.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FAULTS = (
    "429 with Retry-After",
    "500",
    "half a body",
    "wrong JSON",
    "wrong count",
    "slow bytes",
    "closed connection",
    "redirect elsewhere",
    "10 MB of text",
)
REASONS = {200: "OK", 302: "Found", 429: "Too Many Requests", 500: "Internal Server Error"}


REPLAYED: dict[str, str] = {}  # what another translator said, where the server is to say the same


def translate(text: str) -> str:
    """What is replayed, else upper case; of a long sentence about a river only the start, for something to find."""
    if text in REPLAYED:
        return REPLAYED[text]
    words = text.upper().split()
    return " ".join(words[:4] if "RIVER" in words and len(words) > 10 else words)


def answer(path: str, body: dict[str, Any], more: int = 0) -> bytes:
    """The answer in the shape that the path asks for, with so many answers too many."""
    texts = questions(path, body)
    found = [translate(text) for text in texts] + ["ONE TOO MANY"] * more
    if path.endswith("/chat/completions"):
        choices = [{"index": n, "message": {"content": text}} for n, text in enumerate(found)]
        return json.dumps({"choices": choices[more:] if more else choices}).encode()
    return json.dumps({"translatedText": found}).encode()


def questions(path: str, body: dict[str, Any]) -> list[str]:
    """The texts of a request."""
    if path.endswith("/chat/completions"):
        return [body["messages"][-1]["content"]]
    return list(body["q"])


@dataclass
class FaultServer:
    """The state of the server: its dice, its share of faults and its log."""

    share: float
    log: Path | None
    chance: random.Random
    elsewhere: int = 0
    drip: float = 0.2  # seconds between slow bytes
    only: str = ""  # always this fault
    wait: float = 0.0  # seconds before each answer

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, request after request."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                path, body = await read_request(reader)
                fault = self.roll()
                texts = questions(path, body)
                self.write_log(texts, fault or "asked")
                await asyncio.sleep(self.wait)
                open_still = await self.reply(writer, path, body, fault)
                await writer.drain()
                self.write_log(texts, fault or "answered", after=True)
                if not open_still:
                    break
        writer.close()

    def roll(self) -> str:
        """Which fault is due, if any."""
        if self.only:
            return self.only
        return self.chance.choice(FAULTS) if self.chance.random() < self.share else ""

    async def reply(
        self, writer: asyncio.StreamWriter, path: str, body: dict[str, Any], fault: str
    ) -> bool:
        """Answer, or fail as told; whether the connection goes on."""
        good = answer(path, body)
        if not fault:
            writer.write(response(200, good))
        elif fault.startswith("429"):
            writer.write(response(429, b'{"error": "slow down"}', {"Retry-After": "1"}))
        elif fault == "500":
            writer.write(response(500, b'{"error": "out of memory"}'))
        elif fault == "half a body":
            writer.write(response(200, good)[: -len(good) // 2])
            return False
        elif fault == "wrong JSON":
            writer.write(response(200, b'{"translatedText": ["'))
        elif fault == "wrong count":
            writer.write(response(200, answer(path, body, more=1)))
        elif fault == "slow bytes":
            for byte in response(200, good):
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(self.drip)
        elif fault == "redirect elsewhere":
            where = f"http://localhost:{self.elsewhere}{path}"
            writer.write(response(302, b"", {"Location": where}))
        elif fault == "10 MB of text":
            writer.write(response(200, b'{"translatedText": ["' + b"x" * 10_000_000 + b'"]}'))
        return fault != "closed connection"

    def write_log(self, texts: list[str], how: str, after: bool = False) -> None:
        """A line a text, when it is asked and when its answer is out."""
        if self.log is not None and (not after or how == "answered"):
            with self.log.open("a") as file:
                file.writelines(json.dumps({"text": text, "how": how}) + "\n" for text in texts)

    async def trap(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Where redirects lead: whatever arrives is written down, for nothing should."""
        raw = await reader.read(65536)
        self.write_log([raw.decode("latin-1")], "redirected")
        writer.close()


async def read_request(reader: asyncio.StreamReader) -> tuple[str, dict[str, Any]]:
    """Path and JSON body of the next request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    path = head.split(" ", 2)[1]
    fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
    return path, json.loads(await reader.readexactly(int(fields.get("content-length", 0))))


def response(status: int, body: bytes, headers: dict[str, str] | None = None) -> bytes:
    """A whole response."""
    lines = [f"HTTP/1.1 {status} {REASONS[status]}", f"Content-Length: {len(body)}"]
    lines += ["Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def run(server: FaultServer, port: int) -> None:
    """Listen until killed."""
    trap = await asyncio.start_server(server.trap, "127.0.0.1", 0)
    server.elsewhere = trap.sockets[0].getsockname()[1]
    main = await asyncio.start_server(server.serve, "127.0.0.1", port, limit=1 << 20)
    print(main.sockets[0].getsockname()[1], flush=True)
    await main.serve_forever()


@contextmanager
def fault_server(*arguments: str) -> Iterator[str]:
    """The server in a process of its own; its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.fault_server", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
    )
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.wait()


def main() -> None:
    """Start from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=0.0, help="of requests that fail")
    parser.add_argument("--only", default="", choices=["", *FAULTS], help="fail always like this")
    parser.add_argument("--log", type=Path, help="a line for each text asked and answered")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--drip", type=float, default=0.2, help="seconds between slow bytes")
    parser.add_argument("--wait", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--replay", type=Path, help="a JSON object of texts and their translations")
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    server = FaultServer(given.share, given.log, random.Random(given.seed))
    server.drip, server.only, server.wait = given.drip, given.only, given.wait
    REPLAYED.update(json.loads(given.replay.read_text()) if given.replay else {})
    with suppress(KeyboardInterrupt):
        asyncio.run(run(server, given.port))


if __name__ == "__main__":
    main()
