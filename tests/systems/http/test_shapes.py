"""Each service is asked as it documents: path, query, headers and body, and its answer is read from where it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from polyglitch.errors import SystemFailed, UsageError
from polyglitch.protocols import Remote
from polyglitch.records import Input, Output
from polyglitch.tools import open_system
from tests.systems.http.recorder import Asked, Reply, recorder

SECRET = "sk-quite-secret-123"
TEXTS = ["The old bridge.", "A river & a \u201ctown\u201d, 100%?"]


def ask(uri: str, texts: list[str] | None = None, **more: Any) -> list[Output]:
    system = open_system(uri, 10)
    assert isinstance(system, Remote)
    assert SECRET not in system.signature
    try:
        return list(system.ask([Input(text, **more) for text in texts or TEXTS]))
    finally:
        system.close()


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TEST_KEY", SECRET)
    return "key=TEST_KEY"


def texts_of(outputs: list[Output]) -> list[str]:
    assert [output.error for output in outputs] == [""] * len(outputs)
    return [output.text for output in outputs]


def test_libretranslate(key: str) -> None:
    def reply(asked: Asked) -> Reply:
        return 200, {"translatedText": [text.upper() for text in asked.json["q"]]}

    with recorder(reply) as server:
        found = ask(f"libretranslate:en-es@{server.base}?{key}")
    assert texts_of(found) == [text.upper() for text in TEXTS]
    (asked,) = server.asked
    assert (asked.method, asked.path, asked.query) == ("POST", "/translate", {})
    assert asked.headers["content-type"] == "application/json"
    assert asked.json == {
        "q": TEXTS,
        "source": "en",
        "target": "es",
        "format": "text",
        "api_key": SECRET,
    }


def test_deepl(key: str) -> None:
    def reply(asked: Asked) -> Reply:
        rows = [{"detected_source_language": "EN", "text": t.upper()} for t in asked.json["text"]]
        return 200, {"translations": rows}

    with recorder(reply) as server:
        found = ask(f"deepl:en-pt_BR@{server.base}?{key}")
    assert texts_of(found) == [text.upper() for text in TEXTS]
    (asked,) = server.asked
    assert (asked.method, asked.path, asked.query) == ("POST", "/v2/translate", {})
    assert asked.headers["authorization"] == f"DeepL-Auth-Key {SECRET}"
    assert asked.json == {"text": TEXTS, "source_lang": "EN", "target_lang": "PT-BR"}


def test_google(key: str) -> None:
    def reply(asked: Asked) -> Reply:
        rows = [{"translatedText": text.upper()} for text in asked.json["q"]]
        return 200, {"data": {"translations": rows}}

    with recorder(reply) as server:
        found = ask(f"google:en-de@{server.base}?{key}")
    assert texts_of(found) == [text.upper() for text in TEXTS]
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/language/translate/v2")
    assert asked.query == {}  # the key is not in the address
    assert asked.headers["x-goog-api-key"] == SECRET
    assert asked.json == {"q": TEXTS, "source": "en", "target": "de", "format": "text"}


def test_azure(key: str) -> None:
    def reply(asked: Asked) -> Reply:
        return 200, [
            {"translations": [{"text": r["Text"].upper(), "to": "de"}]} for r in asked.json
        ]

    with recorder(reply) as server:
        found = ask(f"azure:en-de@{server.base}?{key}&region=westeurope")
    assert texts_of(found) == [text.upper() for text in TEXTS]
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/translate")
    assert asked.query == {
        "api-version": ["3.0"],
        "from": ["en"],
        "to": ["de"],
        "textType": ["plain"],
    }
    assert asked.headers["ocp-apim-subscription-key"] == SECRET
    assert asked.headers["ocp-apim-subscription-region"] == "westeurope"
    assert asked.json == [{"Text": text} for text in TEXTS]


def test_apy_gets_one_text_a_request() -> None:
    def reply(asked: Asked) -> Reply:
        text = parse_qs(asked.raw.decode())["q"][0]
        return 200, {"responseData": {"translatedText": text.upper()}, "responseStatus": 200}

    with recorder(reply) as server:
        found = ask(f"apy:eng-spa@{server.base}")
    assert texts_of(found) == [text.upper() for text in TEXTS]
    assert len(server.asked) == 2
    form = parse_qs(server.asked[0].raw.decode())
    assert (server.asked[0].path, form["langpair"]) == ("/translate", ["eng|spa"])
    assert form["markUnknown"] == ["no"]


def chat(text: str, **more: Any) -> Reply:
    return 200, {"choices": [{"message": {"role": "assistant", "content": text}, **more}]}


def test_chat_with_a_prompt(key: str) -> None:
    with recorder(lambda _: chat(" A velha ponte. ")) as server:
        uri = f"openai:org/model:free@{server.base}/v1?prompt=translate-en-pt&{key}"
        (found,) = ask(uri, ["The old bridge."])
    assert found.text == "A velha ponte."
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert asked.json == {
        "model": "org/model:free",
        "temperature": 0,
        "max_tokens": 96,
        "messages": [
            {"role": "system", "content": "You are a translator."},
            {"role": "user", "content": "Translate into Portuguese: The old bridge."},
        ],
    }


def test_completions() -> None:
    with recorder(lambda _: (200, {"choices": [{"text": "Paris\n"}]})) as server:
        (found,) = ask(
            f"openai:m@{server.base}?api=completions&prompt=qa", ["Where?"], context="In Paris."
        )
    assert found.text == "Paris"
    assert server.asked[0].path == "/completions"
    assert server.asked[0].json["prompt"] == "In Paris.\nQuestion: Where?\nAnswer:"


@pytest.mark.parametrize(
    ("said", "label"), [("Yes.", "yes"), ("**No**, it is not", "no"), ("Yesterday", None)]
)
def test_labels_are_read_from_the_start_of_the_answer(said: str, label: str | None) -> None:
    with recorder(lambda _: chat(said)) as server:
        (found,) = ask(f"openai:m@{server.base}?prompt=yes-no", ["Is it?"], context="It is.")
    assert found.label == label
    assert found.ok == (label is not None)


def test_json_answers_and_more_keys(tmp_path: Path) -> None:
    prompt = tmp_path / "p.toml"
    prompt.write_text(
        'user = "Translate {text}. Answer as JSON."\njson = "result.text"\n'
        "[body]\nmax_completion_tokens = 99\nseed = 1\n"
    )
    answers = iter(['{"result": {"text": "oi"}}', '```json\n{"result": {"text": "oi"}}\n```'])
    with recorder(lambda _: chat(next(answers))) as server:
        for _ in range(2):
            assert ask(f"openai:m@{server.base}?prompt={prompt}", ["hi"])[0].text == "oi"
    body = server.asked[0].json
    assert body["response_format"] == {"type": "json_object"}
    assert (body["max_completion_tokens"], body["seed"]) == (99, 1)
    assert "max_tokens" not in body


def test_a_refusal_is_no_answer() -> None:
    with recorder(lambda _: chat("", finish_reason="content_filter")) as server:
        (found,) = ask(f"openai:m@{server.base}", ["hi"])
    assert found.status == "refused"


@pytest.mark.slow
def test_an_answer_that_was_cut_off_is_none_unless_its_label_is_whole() -> None:
    with recorder(lambda _: chat("Well, if one", finish_reason="length")) as server:
        (found,) = ask(f"openai:m@{server.base}", ["hi"])
        assert (found.status, found.text) == ("cut off", "Well, if one")
        assert "finish_reason: length" in found.error
        (unclear,) = ask(f"openai:m@{server.base}?prompt=yes-no", ["Is it?"], context="It is.")
        assert unclear.status == "cut off"
    with recorder(lambda _: chat("Yes, since it", finish_reason="length")) as server:
        (whole,) = ask(f"openai:m@{server.base}?prompt=yes-no", ["Is it?"], context="It is.")
    assert (whole.status, whole.label) == ("ok", "yes")
    with recorder(lambda _: chat("Perhaps")) as server:
        (outside,) = ask(f"openai:m@{server.base}?prompt=yes-no", ["Is it?"], context="It is.")
    assert outside.status == "no label"


def test_a_template_of_ones_own(tmp_path: Path, key: str) -> None:
    file = tmp_path / "request.toml"
    with recorder(lambda _: (200, {"out": [{"best": "hallo"}]})) as server:
        file.write_text(
            f'url = "{server.base}/v9/mt"\nanswer = "out[0].best"\nkey = "TEST_KEY"\n'
            'languages = ["en", "de"]\n[headers]\nX-Key = "k {key}"\n'
            '[body]\nitems = [{ said = "<{text}>", about = "{context}" }]\nn = 3\n'
        )
        hostile = 'a "quote", a \\ and {key} {context}'
        assert ask(f"http:{file}", [hostile], context="c")[0].text == "hallo"
    (asked,) = server.asked
    assert asked.path == "/v9/mt"
    assert asked.headers["x-key"] == f"k {SECRET}"
    assert asked.json == {"items": [{"said": f"<{hostile}>", "about": "c"}], "n": 3}


def test_a_template_for_a_classifier_by_get(tmp_path: Path) -> None:
    file = tmp_path / "request.toml"
    with recorder(lambda _: (200, {"s": {"pos": 0.9, "neg": 0.1}})) as server:
        file.write_text(
            f'url = "{server.base}/c?v=1"\nmethod = "GET"\nscores = "$.s"\nquery = {{ q = "{{text}}" }}\n'
        )
        (found,) = ask(f"http:{file}", ["so good & nice"])
    assert (found.label, found.scores) == ("pos", {"pos": 0.9, "neg": 0.1})
    assert server.asked[0].query == {"v": ["1"], "q": ["so good & nice"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('answer = "a"', "required field `url`"),
        ('url = "ftp://x"\nanswer = "a"', "starts with http"),
        ('url = "https://u:p@x/"\nanswer = "a"', "user name or password"),
        ('url = "https://x/"\nbody = "{text}"', "where the answer is"),
        ('url = "https://x/"\nanswer = "a"', "must say where"),
        ('url = "https://x/"\nanswer = "a["\nbody = "{text}"', "no path into JSON"),
        ('url = "https://x/"\nanswer = "a"\nbody = "{text}{key}"', "does not name its variable"),
        ('url = "https://x/"\nanswer = "a"\nkey="K"\nquery={a="{text}{key}"}', "written into logs"),
        ('url = "https://x/"\nanswer = "a"\nanwser = "a"', "unknown field `anwser`"),
        ("url = ", "Invalid value"),
    ],
)
def test_a_bad_template_is_refused_with_its_file_and_reason(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "request.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=said) as error:
        open_system(f"http:{file}")
    assert str(file) in str(error.value)


def test_a_key_goes_only_to_its_own_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with recorder(lambda _: chat("hello")) as server:
        ask(f"openai:m@{server.base}", ["hi"])
    assert "authorization" not in server.asked[0].headers
    assert SECRET not in str(server.asked)


@pytest.mark.parametrize(
    ("uri", "kind", "said"),
    [
        ("deepl:en-de", SystemFailed, "DEEPL_API_KEY"),
        ("google:en-de", SystemFailed, "GOOGLE_API_KEY"),
        ("azure:en-de", SystemFailed, "AZURE_TRANSLATOR_KEY"),
        ("openai:m", SystemFailed, "OPENAI_API_KEY"),
        ("deepl:english", UsageError, "no pair of languages"),
        ("apy:eng-spa", UsageError, "names no address"),
        ("openai:m@http://x?promt=qa", UsageError, "did you mean 'prompt'"),
        ("openai:m@http://10.1.2.3/v1?key=TEST_KEY", UsageError, "unencrypted"),
        ("openai:m@http://x:99999999", UsageError, "no address"),
        ("google:en-de@http://localhost?together=0", UsageError, "from 1 to 128"),
        ("http://localhost/translate", UsageError, "http:request.toml"),
    ],
)
def test_what_cannot_be_asked_is_said_before_the_run(
    uri: str, kind: type[Exception], said: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DEEPL_API_KEY", "GOOGLE_API_KEY", "AZURE_TRANSLATOR_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(kind, match=said) as error:
        open_system(uri)
    assert SECRET not in str(error.value)


def test_a_key_with_a_line_break_is_refused_without_being_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TEST_KEY", "abc\ndef")
    with pytest.raises(UsageError, match="TEST_KEY holds characters") as error:
        open_system("deepl:en-de@https://example.org?key=TEST_KEY")
    assert "abc" not in str(error.value)
