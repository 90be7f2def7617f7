"""Whatever a service does, an answer is right or an error that says why; keys stay where they belong."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.fault_server import FAULTS, fault_server

from polyglitch.campaign import make_campaign
from polyglitch.cli.run import run_campaign
from polyglitch.errors import SystemFailed
from polyglitch.records import Input, Output
from polyglitch.systems.http import exchange
from polyglitch.systems.http import system as engine
from polyglitch.systems.spending import Limits, Meter
from polyglitch.tools import open_system
from tests.systems.http.recorder import Asked, Reply, recorder

pytestmark = pytest.mark.slow

SAID = {
    "500": "HTTP 500 from 127.0.0.1: out of memory",
    "half a body": "the connection broke",
    "wrong JSON": "not JSON",
    "wrong count": "2 answers to 1 questions",
    "slow bytes": "no answer in 0.3 s",
    "closed connection": "the connection broke",
    "redirect elsewhere": "redirects to localhost, which is not followed",
    "10 MB of text": "larger than 1,000,000 bytes",
}


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FIRST_PAUSE", 0.01)


def ask(uri: str, *texts: str, retries: int = 2, timeout: float = 10, **more: Any) -> list[Output]:
    system: Any = open_system(uri, timeout)
    limits = Limits(retries=retries, **more)
    system.limit(limits, Meter(limits))
    try:
        return list(system.ask([Input(text) for text in texts]))
    finally:
        system.close()


@pytest.mark.parametrize("fault", sorted(SAID))
def test_every_fault_that_stays_is_an_error_that_names_it(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-secret-to-all")
    log = tmp_path / "log.jsonl"
    with fault_server("--only", fault, "--log", str(log)) as base:
        uri = f"libretranslate:en-es@{base}?key=TEST_KEY"
        (found,) = ask(uri, "hello", timeout=0.3 if fault == "slow bytes" else 10)
    assert SAID[fault] in found.error
    assert found.status == ("timeout" if fault == "slow bytes" else "error")
    asked = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["how"] for line in asked] == [fault] * 3  # nothing arrived where it redirects to
    assert "sk-secret" not in found.error


def test_all_faults_are_in_the_table() -> None:
    assert {*SAID, "429 with Retry-After"} == set(FAULTS)


def test_an_answer_after_faults_is_the_answer() -> None:
    with fault_server("--share", "0.4", "--seed", "8") as base:
        texts = [f"text {number}" for number in range(60)]
        uri = f"libretranslate:en-es@{base}?together=3"
        found = ask(uri, *texts, retries=30, timeout=0.5)
    assert [output.text for output in found] == [text.upper() for text in texts]


def flaky(*first: Reply) -> Callable[[Asked], Reply]:
    """Give these replies, then good ones."""
    left = list(first)

    def reply(asked: Asked) -> Reply:
        good = {"translatedText": [text.upper() for text in asked.json["q"]]}
        return left.pop(0) if left else (200, good)

    return reply


@pytest.mark.parametrize("header", ["0.5", "date"])
def test_retry_after_is_kept(header: str) -> None:
    from email.utils import formatdate

    value = formatdate(time.time() + 2, usegmt=True) if header == "date" else header
    with recorder(flaky((429, {}, {"Retry-After": value}))) as server:
        started = time.monotonic()
        (found,) = ask(f"libretranslate:en-es@{server.base}", "hello")
    assert found.text == "HELLO"
    assert 0.5 <= time.monotonic() - started < 5
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ((401, {"error": {"message": "bad key sk-secret-echoed"}}), "check the key in TEST_KEY"),
        ((404, {"error": "no such model"}), "no such model"),
        ((456, {"message": "Quota exceeded"}), "Quota exceeded"),
        ((429, {}, {"Retry-After": "86400"}), "asks to wait 86,400 s"),
    ],
)
def test_what_no_retry_can_help_ends_the_run_at_once(
    reply: Reply, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-secret-echoed")
    with (
        recorder(lambda _: reply) as server,
        pytest.raises(SystemFailed, match=said) as error,
    ):
        ask(f"libretranslate:en-es@{server.base}?key=TEST_KEY", *map(str, range(200)))
    assert len(server.asked) <= 8  # those under way, not all two hundred
    assert "sk-secret" not in str(error.value)


def test_a_service_that_only_puts_off_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyglitch.systems.http.system.PATIENCE", 0.3)
    monkeypatch.setattr("polyglitch.systems.http.system.LONGEST_PAUSE", 0.1)
    with (
        recorder(lambda _: (429, {"message": "slow down"})) as server,
        pytest.raises(SystemFailed, match=r"put off every request for 0 s: HTTP 429 .*slow down"),
    ):
        ask(f"libretranslate:en-es@{server.base}", *map(str, range(400)))


def test_a_key_that_the_service_repeats_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-secret-echoed")
    with recorder(lambda asked: (200, {"translatedText": [asked.json["api_key"]]})) as server:
        (found,) = ask(f"libretranslate:en-es@{server.base}?key=TEST_KEY", "hello")
    assert found.text == "***"


SECRET = "sk-Secret-echoed"
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in SECRET)


def spelled(body: str) -> bytes:
    """A body as it goes over the wire, escapes and all."""
    return body.replace("KEY", ESCAPED).encode()


@pytest.mark.parametrize(
    "reply",
    [
        (200, spelled('{"translatedText": ["your key is KEY."]}')),
        (200, spelled('{"translatedText": ["nested: ' + ESCAPED.replace("\\", "\\\\") + '"]}')),
        (200, spelled('{"translatedText": [{"KEY": 1}]}')),
        (400, spelled('{"error": {"message": "bad KEY"}}')),
        (400, spelled('{"other": ["bad KEY"]}')),
        (400, spelled("no JSON at all: KEY")),
        (400, b"x" * 190 + SECRET.encode()),
        (302, b"", {"Location": f"http://{SECRET}.example/"}),
        (302, b"", {"Location": "http://" + SECRET.replace("-", "%2D") + ".example/"}),
    ],
)
def test_a_key_in_any_spelling_reaches_no_sink(
    reply: Reply, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", SECRET)
    with recorder(lambda _: reply) as server:
        (found,) = ask(f"libretranslate:en-es@{server.base}?key=TEST_KEY", "hello", retries=0)
    kept = f"{found.text} {found.error}"
    assert "***" in kept or "error" in found.status
    for trace in ("sk-secret", ESCAPED[6:24], "cret-echo", "sk%2d"):
        assert trace not in kept.lower()


@pytest.mark.needs("spacy")
def test_a_key_that_comes_back_escaped_is_in_no_store_and_no_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", SECRET)
    (tmp_path / "seeds.txt").write_text("The old man with the dog sold the big house by the sea.\n")
    names = [f"report.{kind}" for kind in ("html", "jsonl", "csv", "md", "xml", "sarif")]

    def reply(asked: Asked) -> Reply:
        rows = ", ".join(f'"{len(text)} {ESCAPED} {text[:5]}"' for text in asked.json["q"])
        return 200, f'{{"translatedText": [{rows}]}}'.encode()

    with recorder(reply) as server:
        options = {
            "system": f"libretranslate:en-es@{server.base}?key=TEST_KEY",
            "corpus": str(tmp_path / "seeds.txt"),
            "methods": ["rti"],
            "parameters": {"rti": {"oracle": "published"}},
            "store": str(tmp_path / "runs.sqlite"),
            "output": [str(tmp_path / name) for name in names],
        }
        run_campaign(make_campaign(options), quiet=True)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(names) < set(written)
    assert b"***" in written["report.jsonl"], "the service was asked and its answers are shown"
    for name, raw in written.items():
        assert SECRET.encode() not in raw and ESCAPED[:12].encode() not in raw, name


def test_one_bad_text_costs_only_itself() -> None:
    def reply(asked: Asked) -> Reply:
        if "bad" in asked.json["q"]:
            return 400, {"error": "cannot be translated"}
        return flaky()(asked)

    with recorder(reply) as server:
        found = ask(f"libretranslate:en-es@{server.base}", "a", "bad", "c")
    assert [output.text for output in found] == ["A", "", "C"]
    assert "HTTP 400 from 127.0.0.1: cannot be translated" in found[1].error
    assert len(server.asked) == 4  # together, then each alone: a bad text is not asked again


def test_a_compressed_answer_is_not_unpacked() -> None:
    reply = (200, b"\x1f\x8b", {"Content-Encoding": "gzip"})
    with recorder(lambda _: reply) as server:
        (found,) = ask(f"libretranslate:en-es@{server.base}", "hello", retries=0)
    assert "compressed" in found.error
    assert server.asked[0].headers["accept-encoding"] == "identity"


def test_a_service_that_is_gone_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "OPENINGS", 2)
    monkeypatch.setattr(exchange, "LONGEST_PAUSE", 0.05)
    with recorder(flaky()) as server:
        base = server.base
    with pytest.raises(SystemFailed, match=r"no answer to 1\d requests in a row.*cannot connect"):
        ask(f"libretranslate:en-es@{base}?together=1", *map(str, range(50)), retries=50)


def test_where_nobody_ever_listened_the_address_is_doubted_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exchange, "LONGEST_PAUSE", 0.05)
    with pytest.raises(SystemFailed, match=r"1\d requests.*is the address right, and does"):
        ask("libretranslate:en-es@http://127.0.0.1:9?together=1", *map(str, range(50)), retries=50)


def test_the_meter_counts_what_may_be_billed() -> None:
    limits = Limits(price="20", retries=5)
    meter = Meter(limits)
    with recorder(flaky((500, {}), (200, {"wrong": 1}))) as server:
        system: Any = open_system(f"libretranslate:en-es@{server.base}")
        system.limit(limits, meter)
        system.ask([Input("ten chars.")])
        system.close()
    # The 500 was not billed; the answer that could not be read may have been.
    assert (meter.now.requests, meter.now.characters) == (3, 20)
    assert meter.now.cost == pytest.approx(20 * 20 / 1_000_000)


def test_tokens_are_counted_as_the_answer_says() -> None:
    reply = {"choices": [{"message": {"content": "hi"}}]}
    reply["usage"] = {"prompt_tokens": 1000, "completion_tokens": 500}  # type: ignore[assignment]
    limits = Limits(price="2/10")
    meter = Meter(limits)
    with recorder(lambda _: (200, reply)) as server:
        system: Any = open_system(f"openai:m@{server.base}")
        system.limit(limits, meter)
        system.ask([Input("hello")])
        system.close()
    assert meter.now.cost == pytest.approx((2 * 1000 + 10 * 500) / 1_000_000)
