"""Rows of question corpora: the one-line layout of UnifiedQA and QAQA, and SQuAD's JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from polyglitch.corpus.rows import Bad, Row
from polyglitch.corpus.source import Line
from polyglitch.errors import UsageError

BREAK = " \\n "  # a backslash and an n: the layout writes line breaks this way
TITLED = re.compile(r"\((?P<title>[^()]*(?:\([^()]*\)[^()]*)*)\)\s+(?P<context>.+)", re.DOTALL)
NO_ANSWER = ("<no answer>", "no answer>", "no answer", "unanswerable")
YES_NO = ("yes", "no")


def is_question_line(line: Line | None) -> bool:
    """Whether a line reads `question \\n (title) context <tab> answer`."""
    return line is not None and not line.problem and BREAK in line.text.split("\t")[0]


def question_rows(lines: Iterable[Line]) -> Iterator[Row | Bad]:
    """A row a line of `question \\n (title) context <tab> answer`; title and answer may be absent."""
    for line in lines:
        if line.problem:
            yield Bad(line.number, line.problem, line.detail)
        elif not line.text.strip():
            yield Bad(line.number, "empty")
        else:
            yield _question_row(line)


def _question_row(line: Line) -> Row | Bad:
    asked, tab, answer = line.text.rpartition("\t")
    if not tab:
        asked, answer = line.text, ""
    question, found, passage = asked.partition(BREAK)
    if not found or not passage.strip():
        return Bad(line.number, "no context", f"{BREAK.strip()!r} and a passage are not in the row")
    titled = TITLED.fullmatch(passage.strip())
    title, context = (titled["title"], titled["context"]) if titled else (None, passage.strip())
    answer = answer.strip()
    data = {"kind": kind_of(answer)} if answer else {}
    return Row(line.number, question.strip(), context, answer or None, title, data=data)


def kind_of(answer: str) -> str:
    """The kind of question an answer belongs to, as far as the answer tells."""
    if answer.lower() in YES_NO:
        return "yes/no"
    return "no answer" if answer.lower() in NO_ANSWER else "extractive"


class _Answer(msgspec.Struct):
    text: str


class _Question(msgspec.Struct):
    question: str
    id: str | None = None
    answers: list[_Answer] = []
    is_impossible: bool = False


class _Paragraph(msgspec.Struct):
    context: str
    qas: list[_Question]


class _Article(msgspec.Struct):
    paragraphs: list[_Paragraph]
    title: str | None = None


class _Squad(msgspec.Struct):
    data: list[_Article]


def is_squad(whole: object) -> bool:
    """Whether some JSON has the shape of SQuAD: data, each with paragraphs."""
    data = whole.get("data") if isinstance(whole, dict) else None
    first = data[0] if isinstance(data, list) and data else None
    return isinstance(first, dict) and "paragraphs" in first


def squad_rows(raw: bytes, name: str) -> Iterator[Row | Bad]:
    """A row a question of SQuAD 1.1 or 2.0; all accepted answers are kept as aliases."""
    try:
        articles = msgspec.json.decode(raw, type=_Squad).data
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(
            f"{name}: not a SQuAD file: {error}; it is an object with data, "
            "paragraphs, qas; other questions go into .jsonl, a line each"
        ) from None
    number = 0
    for article in articles:
        for paragraph in article.paragraphs:
            for asked in paragraph.qas:
                number += 1
                yield _squad_row(number, article.title, paragraph.context, asked)


def _squad_row(number: int, title: str | None, context: str, asked: _Question) -> Row | Bad:
    texts = list(dict.fromkeys(answer.text for answer in asked.answers if answer.text.strip()))
    if not texts and not asked.is_impossible:
        return Bad(number, "no accepted answer", f"question {asked.question[:60]!r}")
    impossible = asked.is_impossible or not texts
    data = {"kind": "no answer" if impossible else "extractive", "aliases": texts[1:]}
    label = "no answer" if impossible else texts[0]
    readable = title.replace("_", " ") if title else None
    return Row(number, asked.question.strip(), context, label, readable, asked.id, data)
