"""The files that people have: the same sentences come back from each, and what cannot be read says what would work."""

from __future__ import annotations

import gzip
import io
import json
import logging
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import Cli

from polyglitch.corpus import open_corpus
from polyglitch.errors import UsageError

ROWS = [
    ("a1", "The bridge was closed.", "O ponte foi fechado.", "bad"),
    ("a2", 'She said: "Not <today> & not here".', "Ela disse que não.", "good"),
    ("a3", "Two lines,\none text.", "Duas linhas.", "good"),
]


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    out = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows), out)
    return out.getvalue()


def as_excel(rows: list[dict[str, Any]]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active.title = "empty"
    sheet = book.create_sheet("texts")
    for cells in [list(rows[0]) if rows else ["text"], *(list(row.values()) for row in rows)]:
        sheet.append(cells)
    book.save(out)
    return out.getvalue()


def as_tmx(rows: list[dict[str, Any]]) -> bytes:
    units = "".join(
        f'<tu tuid="{row["id"]}"><tuv xml:lang="pt-BR"><seg>{escape(row["target"])}</seg></tuv>'
        f'<tuv xml:lang="EN-us"><seg><bpt i="1">{{\\b</bpt>{escape(row["text"])}<ept i="1">}}</ept></seg></tuv></tu>'
        for row in rows
    )
    return f"""<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>""".encode()


def as_xliff(rows: list[dict[str, Any]]) -> bytes:
    units = "".join(
        f'<trans-unit id="{row["id"]}"><source><g id="1">{escape(row["text"])}</g><x id="2"/></source>'
        f"<target>{escape(row['target'])}</target>"
        "<alt-trans><source>Other.</source><target>Outro.</target></alt-trans></trans-unit>"
        for row in rows
    )
    return (
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en">'
        f"<body><group>{units}</group></body></file></xliff>"
    ).encode()


def as_xliff2(rows: list[dict[str, Any]]) -> bytes:
    units = "".join(
        f'<unit id="{row["id"]}"><segment><source>{escape(row["text"])}</source>'
        f"<target>{escape(row['target'])}</target></segment></unit>"
        for row in rows
    )
    return (
        '<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en">'
        f'<file id="f">{units}</file></x:xliff>'
    ).encode()


def as_po(rows: list[dict[str, Any]]) -> bytes:
    def quoted(text: str) -> str:
        safe = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", '\\n"\n"')
        return f'"{safe}"'

    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    return (
        head
        + "".join(
            f"#. a remark\n#, fuzzy\nmsgid {quoted(row['text'])}\nmsgstr {quoted(row['target'])}\n\n"
            for row in rows
        )
    ).encode()


WRITERS = {
    "a.json": lambda rows: json.dumps(rows).encode(),
    "data.json": lambda rows: json.dumps({"version": 1, "data": rows}).encode(),
    "strings.json": lambda rows: json.dumps([row["text"] for row in rows]).encode(),
    "columns.json": lambda rows: json.dumps({"text": [row["text"] for row in rows]}).encode(),
    "a.jsonl": lambda rows: "\n".join(map(json.dumps, rows)).encode(),
    "a.parquet": as_parquet,
    "a.xlsx": as_excel,
    "a.tmx": as_tmx,
    "a.xlf": as_xliff,
    "b.xliff": as_xliff2,
    "a.po": as_po,
}


def rows_of(texts: list[tuple[str, str, str, str]]) -> list[dict[str, Any]]:
    return [dict(zip(("id", "text", "target", "label"), row, strict=True)) for row in texts]


@pytest.mark.slow
@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("name", WRITERS)
def test_the_same_sentences_from_every_format(name: str, zipped: bool, tmp_path: Path) -> None:
    raw = WRITERS[name](rows_of(ROWS))
    path = tmp_path / (name + ".gz" * zipped)
    path.write_bytes(gzip.compress(raw) if zipped else raw)
    corpus = open_corpus(str(path))
    seeds = list(corpus)
    assert [seed.input.text for seed in seeds] == [text for _, text, _, _ in ROWS]
    assert corpus.skipped == ()
    assert len(corpus.digest()) == 16
    if name not in ("strings.json", "columns.json", "a.po"):
        assert [seed.id for seed in seeds] == ["a1", "a2", "a3"]


sentence = st.text(
    st.characters(
        exclude_categories=("Cc", "Cs", "Cn", "Co"), exclude_characters="\ufeff\ufffe\uffff"
    ),
    min_size=1,
    max_size=40,
).filter(lambda text: any(c.isalpha() for c in text))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.json", "a.tmx", "a.xlf", "b.xliff", "a.po"])
@given(texts=st.lists(sentence, unique=True, min_size=1, max_size=8))
@settings(max_examples=40, deadline=None)
def test_whatever_is_written_is_read(
    name: str, texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(
        WRITERS[name](rows_of([(f"n{n}", text, "x", "y") for n, text in enumerate(texts)]))
    )
    assert [seed.input.text for seed in open_corpus(str(path))] == texts


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["a.json", "a.jsonl", "a.tmx", "a.xlf", "a.po", "a.conllu", "a.xlsx", "a.parquet"]
)
@given(raw=st.binary(max_size=200), cut=st.integers(0, 400))
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_seeds_or_a_refusal(
    name: str, raw: bytes, cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = WRITERS[name](rows_of(ROWS)) if name in WRITERS else b"# text = One.\n\n"
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(whole[:cut] + raw + whole[cut:])
    try:
        list(open_corpus(str(path)))
    except UsageError as error:
        assert str(path) in str(error)


def test_each_language_of_a_memory_can_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.tmx"
    path.write_bytes(as_tmx(rows_of(ROWS)))
    assert next(iter(open_corpus(str(path), language="pt"))).input.text == "O ponte foi fechado."
    (seed, *_) = open_corpus(str(path), fields={"text": "pt-br", "context": "en-us"})
    assert (seed.input.text, seed.input.context) == ("O ponte foi fechado.", ROWS[0][1])


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ('<!DOCTYPE tmx [<!ENTITY a "b">]><tmx/>', "declares the entity 'a'"),
        ('<!DOCTYPE tmx [<!ENTITY a SYSTEM "/etc/passwd">]><tmx/>', "declares the entity 'a'"),
        ("<tmx>&a;</tmx>", "not well-formed XML: undefined entity"),
        ("<tmx><tu>", "not well-formed XML: no element found"),
        ("<html/>", "the XML of <html>; TMX and XLIFF can be read"),
        ("<tmx>" + "<a>" * 300, "nested more than 200 deep"),
    ],
)
def test_xml_that_does_harm_or_is_none_is_refused(xml: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.tmx"
    path.write_text(xml)
    with pytest.raises(UsageError, match=message):
        open_corpus(str(path))


def test_messages_of_gettext(tmp_path: Path) -> None:
    path = tmp_path / "app.po"
    path.write_text(
        'msgid ""\nmsgstr "Language: pt\\n"\n\n'
        '#: main.c:3\nmsgctxt "menu"\nmsgid "Open"\nmsgstr "Abrir"\n'
        'msgid "One file"\nmsgid_plural "%d files"\nmsgstr[0] "Um"\nmsgstr[1] "%d"\n\n'
        'nonsense\n#~ msgid "Old"\n#~ msgstr "Velho"\n'
    )
    corpus = open_corpus(str(path))
    first, second = corpus
    assert (first.input.text, first.data) == ("Open", {"msgctxt": "menu", "msgstr": "Abrir"})
    assert (second.input.text, second.data["msgid_plural"]) == ("One file", "%d files")
    assert {s.reason: s.count for s in corpus.skipped} == {
        "obsolete message": 2,
        "no line of a PO file": 1,
    }
    assert [s.input.text for s in open_corpus(str(path), text="msgstr")] == ["Abrir"]


def test_sentences_of_a_treebank(tmp_path: Path) -> None:
    def row(number: str, form: str, misc: str = "_") -> str:
        return "\t".join([number, form, *"_______", misc])

    path = tmp_path / "pt.conllu"
    path.write_text(
        "# sent_id = s1\n# text = Mora no Rio.\n" + row("1", "Mora") + "\n\n"
        "# sent_id = s2\n"
        + "\n".join([row("1", "Vai"), row("2-3", "ao"), row("2", "a"), row("3", "o")])
        + "\n"
        + "\n".join([row("4", "mar", "SpaceAfter=No"), row("4.1", "x"), row("5", "."), "broken"])
        + "\n"
    )
    corpus = open_corpus(str(path))
    assert [(s.id, s.input.text) for s in corpus] == [("s1", "Mora no Rio."), ("s2", "Vai ao mar.")]
    assert [s.reason for s in corpus.skipped] == ["no row of CoNLL-U"]


def test_a_dataset_of_hugging_face_in_its_folder(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    features = {"label": {"names": ["neg", "pos"], "_type": "ClassLabel"}}
    schema = pyarrow.schema(
        [("text", pyarrow.string()), ("label", pyarrow.int64())],
        metadata={"huggingface": json.dumps({"info": {"features": features}})},
    )
    for split in ("test", "train"):
        folder = tmp_path / "set" / split
        folder.mkdir(parents=True)
        (folder / "state.json").write_text("{}")
        for part, (text, label) in enumerate([("Good film.", 1), ("Bad film.", 0)]):
            path = str(folder / f"data-{part}.arrow")
            with pyarrow.OSFile(path, "wb") as file, pyarrow.ipc.new_stream(file, schema) as writer:
                writer.write(pyarrow.record_batch([[text], [label]], schema=schema))
    with pytest.raises(UsageError, match=r"the splits test, train; give one of them.*set/train"):
        open_corpus(str(tmp_path / "set"))
    corpus = open_corpus(str(tmp_path / "set" / "train"))
    assert [(s.input.text, s.label) for s in corpus] == [
        ("Good film.", "pos"),
        ("Bad film.", "neg"),
    ]


def test_a_field_inside_another(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"translation": {"en": "The sea.", "pt": "O mar."}}\n')
    with pytest.raises(UsageError, match=r"which column holds the text\? there are 'translation'"):
        open_corpus(str(path))
    (seed,) = open_corpus(str(path), fields={"text": "translation.en"})
    assert seed.input.text == "The sea."


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"txt": "review"}, "'txt': a text has no such field; did you mean 'text'"),
        ({"text": "reviw"}, r"no column is called 'reviw' \(text\); there are 'review', 'mood'"),
        ({"text": ""}, "'text' is given no column; write text=COLUMN"),
    ],
)
def test_fields_that_are_not_there_are_refused(
    fields: dict[str, str], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("review,mood\nGood.,glad\n")
    with pytest.raises(UsageError, match=message):
        open_corpus(str(path), fields=fields)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.xls", r"'\.xls', which is not read: save it as \.xlsx or \.csv"),
        ("a.pkl", "a pickle can run anything"),
        ("a.dat", r"does not tell its format; .*\.xlsx, \.tmx.*--format txt"),
    ],
)
def test_other_files_say_what_would_work(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(UsageError, match=message):
        open_corpus(str(tmp_path / name))


def test_a_text_in_another_encoding(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("text,label\nUm café.,bom\nPlain.,bad\n".encode("latin-1"))
    corpus = open_corpus(str(path))
    with caplog.at_level(logging.WARNING):
        assert [s.input.text for s in corpus] == ["Plain."]
        list(corpus)
    (said,) = caplog.messages
    assert "a.csv:2 is not UTF-8 and is left out" in said and "--encoding cp1252 it would" in said
    assert "'Um café.,bom'" in said
    for encoding in ("latin-1", "cp1252", "ISO-8859-15"):
        assert [s.input.text for s in open_corpus(str(path), encoding=encoding)] == [
            "Um café.",
            "Plain.",
        ]
    path.write_bytes("text\nUm café.\nŽižek\n".encode("utf-16"))
    with pytest.raises(UsageError, match="--encoding utf-16"):
        open_corpus(str(path))
    assert [s.input.text for s in open_corpus(str(path), encoding="utf-16")] == [
        "Um café.",
        "Žižek",
    ]
    with pytest.raises(UsageError, match=r"encoding 'klingon': no such encoding of text.*cp1252"):
        open_corpus(str(path), encoding="klingon")
    path.write_bytes(b"text\ncaf\x81.\nFine.\n")
    corpus = open_corpus(str(path), encoding="cp1252")
    assert [s.input.text for s in corpus] == ["Fine."]
    assert corpus.skipped[0].reason == "not cp1252"


def test_a_column_that_looks_like_a_label_is_pointed_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "text,mood\n" + "".join(f"Text {n}.,{'glad' if n % 2 else 'sad'}\n" for n in range(6))
    )
    open_corpus(str(path))
    assert "'mood' looks like one: if it is, name it with --field label=mood" in caplog.text
    caplog.clear()
    open_corpus(str(path), label="mood")
    assert caplog.text == ""


@pytest.mark.slow
def test_a_table_on_standard_input(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def stars(text): return 5 if 'works' in text else 1\n")
    run = [
        "run",
        "--system",
        "python:mine.py:stars",
        "--corpus",
        "-",
        "--method",
        "suite",
        "--json",
    ]
    table = 'opinion,stars\n"It works,\nand well.",5\nIt broke.,1\nIt works not.,1\n'
    fields = ["--field", "text=opinion,label=stars"]
    done = cli(*run, "--format", "csv", *fields, stdin=table)
    figures = json.loads(done.stdout)
    assert (figures["cases"], figures["violations"], figures["skipped"]) == (3, 1, {})
    refused = cli(*run, "--format", "csv", code=2, stdin=table)
    assert "which column holds the text? there are 'opinion', 'stars'" in refused.stderr
    refused = cli(*run, code=2, stdin='{"text": "It works."}\n')
    assert "looks like JSON; say --format jsonl" in refused.stderr
    refused = cli(*run, code=2, stdin="text,label\nIt works.,5\n")
    assert "looks like a table" in refused.stderr and "--format csv" in refused.stderr
    refused = cli(*run, "--field", "review", code=2, stdin=table)
    assert "write FIELD=COLUMN" in refused.stderr
