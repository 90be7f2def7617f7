"""The server: what it shows and keeps, and whom it refuses."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment
from starlette.testclient import TestClient

from polyglitch.errors import Missing, UsageError
from polyglitch.review import app as application
from polyglitch.review.access import (
    Hosts,
    Sessions,
    name_from_cookie,
    name_to_cookie,
    reviewer_name,
)
from polyglitch.review.app import make_app
from polyglitch.review.evidence import Trees
from polyglitch.review.pages import environment, static_folder
from polyglitch.review.queue_view import QueueView
from polyglitch.review.serve import needs_password, open_port, serve
from polyglitch.store.store import Store

from .samples import HOSTILE, RUN, fill

BASE = "http://127.0.0.1:8765"
FROM_US = {"origin": BASE}


class Text(HTMLParser):
    """The words of a page and the elements in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words, self.tags, self.attributes = "", [], set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("review") / "runs.sqlite"
    fill(path, 120).close()
    return path


@pytest.fixture
def store(path: Path) -> Store:
    return Store(str(path))


def no_parser(language: str | None) -> None:
    raise Missing(f"a parser for {language}", "trees", "pip install one")


def client_for(
    store: Store, password: str = "", host: str = "127.0.0.1", run: str | None = None
) -> TestClient:
    desk = QueueView(store, run)
    for _ in desk.make_searchable():
        pass
    app = make_app(desk, Trees(no_parser), Hosts(host, 8765), Sessions(8765, password))  # type: ignore[arg-type]
    return TestClient(app, base_url=BASE, follow_redirects=False)


@pytest.fixture
def client(store: Store) -> TestClient:
    return client_for(store)


def token_of(client: TestClient, page: str = "/name") -> str:
    found = re.search(r'name="token" value="([^"]+)"', client.get(page).text)
    assert found
    return found[1]


def come_in(client: TestClient, name: str) -> str:
    """Say who is there; the token of the session."""
    token = token_of(client)
    client.post("/name", data={"name": name, "token": token}, headers=FROM_US)
    return token


def label(client: TestClient, token: str, issue: str, **fields: str):
    headers = FROM_US | {"x-polyglitch-token": token, "accept": "application/json"}
    return client.post("/label", data={"issue": issue, **fields}, headers=headers)


def test_the_name_is_asked_once_and_kept(client: TestClient) -> None:
    assert client.get("/").headers["location"] == "/name"
    token = token_of(client)
    bad = client.post("/name", data={"name": " \n ", "token": token}, headers=FROM_US)
    assert bad.status_code == 400 and "write yours" in bad.text
    answer = client.post("/name", data={"name": "Ann Ö; <b>", "token": token}, headers=FROM_US)
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    page = client.get("/")
    assert page.status_code == 200
    assert "Ann Ö; <b>" in Text(page.text).words


def test_nobody_waits_for_a_template_of_the_first_page(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.cache_clear()
    client = client_for(store)
    come_in(client, "Ann")
    compiled: list[str] = []
    own = Environment.compile

    def compile_template(self: Environment, source: str, name: str, *more: Any) -> Any:
        compiled.append(name)
        return own(self, source, name, *more)

    monkeypatch.setattr(Environment, "compile", compile_template)
    assert client.get("/").status_code == 200
    assert not compiled


def test_labels_are_kept_counted_and_undone(client: TestClient, store: Store) -> None:
    token = come_in(client, "counter")
    answer = label(client, token, "issue-0", verdict="bug", note="gender")
    assert 'data-verdict="bug"' in (kept := answer.json()).pop("piece")
    assert kept == {
        "said": "Issue 1: bug", "issue": "issue-0", "verdict": "bug", "done": 1, "total": 120,
    }  # fmt: skip
    assert label(client, token, "issue-1", kind="negation").json()["verdict"] == "bug"
    kept = {one.issue_id: one for one in store.labels.of_run(RUN) if one.who == "counter"}
    assert (kept["issue-0"].note, kept["issue-1"].kind) == ("gender", "negation")
    headers = FROM_US | {"x-polyglitch-token": token, "accept": "application/json"}
    assert client.post("/undo", headers=headers).json()["issue"] == "issue-1"
    assert client.post("/undo", headers=headers).json()["issue"] == "issue-0"
    assert client.post("/undo", headers=headers).json()["said"] == "Nothing to undo"
    assert not [one for one in store.labels.of_run(RUN) if one.who == "counter"]


def test_without_a_script_a_label_leads_to_the_next_issue(client: TestClient) -> None:
    token = come_in(client, "plain")
    fields = {"issue": "issue-3", "verdict": "unsure", "token": token}
    answer = client.post("/label?method=transrepair", data=fields, headers=FROM_US)
    assert (answer.status_code, answer.headers["location"]) == (303, "/?method=transrepair&at=5")
    page = client.get(answer.headers["location"]).text
    assert 'data-id="issue-5" data-position="6"' in page.split("<article")[1]


@pytest.mark.parametrize(
    "fields", [{"verdict": "maybe"}, {"verdict": ""}, {"verdict": "bug", "kind": "<b>"}]
)
def test_only_known_words_are_labels(client: TestClient, fields: dict[str, str]) -> None:
    token = come_in(client, "odd")
    assert label(client, token, "issue-0", **fields).status_code == 400
    assert label(client, token, "issue-999", verdict="bug").status_code == 404


def test_the_list_goes_on_where_the_page_ends(client: TestClient) -> None:
    come_in(client, "reader")
    seen = re.findall(r'<li data-id="([^"]+)" data-position="(\d+)"', client.get("/").text)
    while more := re.findall(
        r'<li data-id="([^"]+)" data-position="(\d+)"',
        client.get(f"/rows?after={seen[-1][1]}").text,
    ):
        seen += more
    assert [place for _, place in seen] == [str(n) for n in range(1, 121)]
    before = client.get(f"/rows?before={seen[60][1]}").text
    assert before.count("<li") == 50 and 'data-position="60"' in before


def test_filters_and_search_narrow_the_list(client: TestClient) -> None:
    come_in(client, "seeker")

    def count(query: str) -> str:
        return re.findall(r'<output id="count">(\d+)', client.get(f"/?{query}").text)[0]

    assert count("method=sit") == "60"
    assert count("kind=negation") == "24"
    assert count("least=8") == "18"
    assert count("search=LINHA+7+n%C3%83o") == "1"
    assert count("search=window.hacked") == "1"
    assert count("shelf=undecided") == "3"
    assert count("shelf=undecided&search=timeout") == "3"
    assert count("search=nowhere") == "0"
    assert "passes these filters" in client.get("/?search=nowhere").text
    assert count("least=rubbish&label=rubbish&at=rubbish&shelf=rubbish") == "120"


def test_others_are_heard_only_after_ones_own_word(client: TestClient, store: Store) -> None:
    ann, bo = client, client_for(store)
    label(ann, come_in(ann, "first"), "issue-40", verdict="bug", note="a secret until then")
    token = come_in(bo, "second")
    assert "a secret until then" not in bo.get("/issue/issue-40").text
    label(bo, token, "issue-40", verdict="not a bug")
    assert "a secret until then" in bo.get("/issue/issue-40").text
    assert 'data-id="issue-40"' in bo.get("/?label=disagreement").text
    panel = Text(bo.get("/reviewers").text).words
    assert "first, second" in panel and "Cohen’s κ" in panel


def test_undecided_cases_can_be_judged_too(client: TestClient) -> None:
    token = come_in(client, "patient")
    case = re.findall(r'<li data-id="([^"]+)"', client.get("/?shelf=undecided").text)[0]
    assert label(client, token, case, verdict="bug").json()["done"] == 0, "issues are counted"
    assert "timeout after 60 s" in client.get(f"/issue/{case}").text
    assert client.get("/?shelf=undecided&label=bug").text.count("<li data-id") == 1


def test_hostile_answers_are_words_and_never_markup(client: TestClient) -> None:
    come_in(client, '"><script>alert(1)</script>')
    page = client.get("/?at=2").text
    text = Text(page)
    assert HOSTILE in re.sub(r"\s+", " ", text.words)
    assert '"><img src=x onerror="window.hacked = 2">' in text.words
    assert "⟨U+202E⟩" in text.words and "⟨U+200B⟩" in text.words
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b]", page)
    assert text.tags.count("script") == 1 and "img" not in text.tags
    assert not {name for name in text.attributes if name.startswith("on") or name == "style"}
    assert "no tree. a parser for en" in Text(client.get("/trees/issue-1").text).words
    shown = client.get("/issue/issue-2").text
    assert "&lt;b&gt;" in shown and "<svg" in shown and "[a-z]+&lt;i&gt;" in shown


def test_every_answer_carries_the_policy(client: TestClient) -> None:
    for page in (
        "/name",
        f"{static_folder()}/review.js",
        "/nothing",
        "/issue/x",
        "/static/..%2fapp.py",
    ):
        headers = client.get(page).headers
        assert headers["content-security-policy"].startswith(
            "default-src 'none'; script-src 'self'"
        )
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert client.get("/name").headers["cache-control"] == "no-store"
    assert "immutable" in client.get(f"{static_folder()}/review.css").headers["cache-control"]
    assert client.get("/static/other/review.css").headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "name",
    [
        "../app.py",
        "..%2fapp.py",
        "%2e%2e/app.py",
        "....//x",
        "/etc/passwd",
        "review.js%00",
        "REVIEW.JS",
    ],
)
def test_only_our_own_files_are_served(client: TestClient, name: str) -> None:
    assert client.get(f"{static_folder()}/{name}").status_code == 404


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1:80", "127.0.0.1.evil.example:8765", "", "10.0.0.7:8765"]
)
def test_another_host_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/name", headers={"host": host})
    assert answer.status_code == 421
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("host", ["localhost:8765", "[::1]:8765", "127.0.0.1:8765"])
def test_the_names_of_this_machine_are_known(client: TestClient, host: str) -> None:
    assert client.get("/name", headers={"host": host}).status_code == 200


def test_where_all_addresses_listen_only_addresses_and_known_names_count() -> None:
    hosts = Hosts("0.0.0.0", 8765, ["review.lan"])
    assert (
        hosts.know("192.168.1.5:8765") and hosts.know("[fe80::1]:8765") and hosts.know("review.lan")
    )
    assert not hosts.know("evil.example:8765") and not hosts.know("192.168.1.5:9999")


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "http://127.0.0.1:9999", "http://localhost:8765"],
)
def test_a_write_from_elsewhere_is_refused(
    client: TestClient, store: Store, origin: str | None
) -> None:
    token = come_in(client, "victim")
    headers = {"x-polyglitch-token": token} | ({"origin": origin} if origin else {})
    answer = client.post("/label", data={"issue": "issue-0", "verdict": "bug"}, headers=headers)
    assert answer.status_code == 403
    assert not [one for one in store.labels.of_issue("issue-0") if one.who == "victim"]


@pytest.mark.parametrize("address", ["/label", "/undo", "/name"])
def test_a_write_without_the_sessions_token_is_refused(client: TestClient, address: str) -> None:
    own = come_in(client, "careful")
    fields = {"issue": "issue-0", "verdict": "bug", "name": "x"}
    for token in ("", "x" * 32, own[::-1], own[:-1], "Ärger"):
        answer = client.post(address, data={**fields, "token": token}, headers=FROM_US)
        assert answer.status_code == 403
    assert client.put(address, headers=FROM_US).status_code == 405


def test_the_token_of_another_session_is_worth_nothing(client: TestClient, store: Store) -> None:
    come_in(client, "one")
    other = TestClient(client.app, base_url=BASE, follow_redirects=False)
    token = come_in(other, "two")
    assert label(client, token, "issue-0", verdict="bug").status_code == 403
    assert label(other, token, "issue-0", verdict="bug").status_code == 200


def test_a_long_body_is_refused(client: TestClient) -> None:
    token = come_in(client, "long")
    assert label(client, token, "issue-0", verdict="bug", note="x" * 70_000).status_code == 413


def test_a_password_stands_before_everything(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application, "WRONG_PASSWORD_PAUSE", 0.0)
    client = client_for(store, "open sesame")
    client.cookies.set("polyglitch_reviewer", "ann")
    for page in ("/", "/issue/issue-0", "/rows", "/reviewers", "/trees/issue-0", "/name"):
        assert client.get(page).headers["location"] == "/login"
    assert client.get(f"{static_folder()}/review.css").status_code == 200
    assert "polyglitch_session_8765" not in client.cookies, "a stranger has no session"
    assert label(client, "x", "issue-0", verdict="bug").headers["location"] == "/login"
    wrong = client.post("/login", data={"password": "x"}, headers=FROM_US)
    assert wrong.status_code == 403 and "not the password" in wrong.text
    elsewhere = client.post(
        "/login", data={"password": "open sesame"}, headers={"origin": "http://e"}
    )
    assert elsewhere.status_code == 403, "another site's form signs nobody in"
    right = client.post("/login", data={"password": "open sesame"}, headers=FROM_US)
    assert right.status_code == 303
    assert client.get("/").status_code == 200


@pytest.mark.slow
def test_strangers_at_the_login_throw_nobody_out(store: Store) -> None:
    client = client_for(store, "open sesame")
    client.cookies.set("polyglitch_reviewer", "ann")
    client.post("/login", data={"password": "open sesame"}, headers=FROM_US)
    stranger = TestClient(client.app, base_url=BASE, follow_redirects=False)
    for _ in range(2050):
        stranger.get("/login")
    assert client.get("/").status_code == 200


@pytest.mark.slow
def test_one_address_pushes_out_only_its_own_sessions() -> None:
    sessions = Sessions(8765)
    mine = sessions.start("10.0.0.1")
    neighbour = sessions.start("10.0.0.2")
    assert sessions.find(neighbour.id) is neighbour
    for _ in range(5000):
        sessions.start("10.0.0.2")
    assert sessions.find(mine.id) is mine
    assert sessions.find(neighbour.id) is neighbour, (
        "one that is in use outlives those that never were"
    )
    for number in range(5000):
        sessions.start(f"10.1.{number // 250}.{number % 250}")
    assert len(sessions._open) <= 2000


def test_wrong_logins_hold_up_only_their_own_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application, "WRONG_PASSWORD_PAUSE", 0.1)

    async def story() -> tuple[float, float, int]:
        attempts = application.Attempts()
        refused = 0

        async def guess(client: str) -> float:
            nonlocal refused
            start = time.monotonic()
            async with attempts.turn(client) as free:
                refused += not free
                if free and client == "guesser":
                    await asyncio.sleep(application.WRONG_PASSWORD_PAUSE)
            return time.monotonic() - start

        guesses = [asyncio.create_task(guess("guesser")) for _ in range(25)]
        await asyncio.sleep(0.01)
        honest = await guess("honest")
        longest = max(await asyncio.gather(*guesses))
        assert not attempts._turns and not attempts._waiting
        return honest, longest, refused

    honest, longest, refused = asyncio.run(story())
    assert honest < 0.05
    assert longest < 1.0 and refused == 21


@pytest.mark.slow
def test_a_connection_that_stops_halfway_is_hung_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    import uvicorn

    from polyglitch.review import serve

    monkeypatch.setattr(serve, "WHOLE_REQUEST", 0.4)
    app = client_for(store).app
    listening = open_port("127.0.0.1", 0)
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        app,
        http=serve.ImpatientProtocol,
        log_level="warning",
        lifespan="off",
        timeout_keep_alive=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    whole = b"GET /login HTTP/1.1\r\nhost: nobody\r\n\r\n"
    post = b"POST /login HTTP/1.1\r\nhost: nobody\r\ncontent-length: 9\r\n\r\nhalf"
    try:
        for said in (b"", whole[:20], whole + whole[:20], post):
            with socket.create_connection(("127.0.0.1", port), 5) as visitor:
                visitor.sendall(said)
                visitor.settimeout(5)
                while visitor.recv(4096):
                    pass  # what ends this is the server's hanging up
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "review.lan"])
def test_other_machines_need_a_password(store: Store, host: str) -> None:
    assert needs_password(host)
    with pytest.raises(UsageError, match="POLYGLITCH_PASSWORD"):
        serve(store, None, host=host, port=0)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_this_machine_needs_none(host: str) -> None:
    assert not needs_password(host)


def test_names_survive_the_cookie_and_lose_what_hides() -> None:
    assert reviewer_name("  Ann\u202e\n  B\x00 ") == "Ann B"
    assert len(reviewer_name("x" * 500)) == 60
    for name in ("Änne; =,", "李 雷", '"><b>'):
        assert name_from_cookie(name_to_cookie(name)) == name
    assert name_from_cookie("%ff%00%0a") == "�"
