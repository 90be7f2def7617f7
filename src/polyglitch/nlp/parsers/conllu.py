"""Universal Dependencies as sentences of surface tokens, the way raw text has them.

A contraction such as "no" is two syntactic words in the file, em + o, and one token in a text. It is kept as one:
its tag joins those of its parts (`ADP+DET`), and it hangs where its first part with a way to the root that avoids the
others does (em is a `case` of the noun). Whatever hung on a part hangs on the whole.

The package `conllu` splits lines as these few do; that joining, and errors with file and line, it has not.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from polyglitch.errors import UsageError
from polyglitch.files.foreign import read_whole_text
from polyglitch.records import Parse, Token

COLUMNS = 10


class TreebankWord(NamedTuple):
    """A surface token; `head` is an index into its sentence, its own for the root."""

    text: str
    tag: str
    lemma: str
    head: int
    relation: str
    space: bool
    fine: str = ""  # the language's own tag, where the file has one


def read_sentences(path: Path) -> Iterator[list[TreebankWord]]:
    """The sentences of a CoNLL-U file, gzipped or not."""
    rows: list[list[str]] = []
    for number, line in enumerate((*read_whole_text(path).split("\n"), ""), 1):
        if not line.strip():
            if rows:
                yield sentence(rows, f"{path}:{number - 1}")
            rows = []
        elif not line.startswith("#"):
            rows.append(line.rstrip("\r").split("\t"))
            if len(rows[-1]) != COLUMNS:
                raise UsageError(
                    f"{path}:{number}: {len(rows[-1])} columns; a line of CoNLL-U has {COLUMNS}, with tabs between"
                )


def sentence(rows: list[list[str]], place: str) -> list[TreebankWord]:
    """The rows of a sentence as tokens, or an error that says where it ends."""
    try:
        return merge(rows)
    except (KeyError, ValueError, StopIteration):
        raise UsageError(
            f"{place}: the sentence that ends here has a head or a range of words that is not in it"
        ) from None


def read_parses(path: Path, own_tags: bool = False) -> Iterator[Parse]:
    """The sentences as parses; `own_tags` takes the language's own tags where there are some."""
    for words in read_sentences(path):
        tokens, place = [], 0
        for index, word in enumerate(words):
            tag = word.fine if own_tags and word.fine else word.tag
            pos = word.tag.partition("+")[0]
            relation = "ROOT" if word.head == index else word.relation
            end = place + len(word.text)
            tokens.append(Token(word.text, place, end, tag, pos, word.lemma, word.head, relation))
            place = end + word.space
        text = "".join(word.text + " " * word.space for word in words).rstrip()
        yield Parse(text, tuple(tokens), universal=True)


def merge(rows: list[list[str]]) -> list[TreebankWord]:
    """The rows of a sentence as surface tokens."""
    words = {row[0]: row for row in rows if row[0].isdigit()}
    groups: list[tuple[str, list[str], str]] = []  # surface form, ids of its words, the last column
    taken: set[str] = set()
    for row in rows:
        if "-" in row[0]:
            first, last = map(int, row[0].split("-"))
            ids = [str(number) for number in range(first, last + 1)]
            groups.append((row[1], ids, row[9]))
            taken.update(ids)
        elif row[0].isdigit() and row[0] not in taken:
            groups.append((row[1], [row[0]], row[9]))
    place = {"0": -1} | {word: index for index, group in enumerate(groups) for word in group[1]}
    return [token(groups[index], index, words, place) for index in range(len(groups))]


def token(
    group: tuple[str, list[str], str],
    index: int,
    words: dict[str, list[str]],
    place: dict[str, int],
) -> TreebankWord:
    """One surface token out of its syntactic words."""
    form, ids, misc = group
    rows = [words[number] for number in ids]
    top = next(row for row in rows if leads_out(row, ids, words))
    head = index if top[6] == "0" else place[top[6]]
    lemma = rows[0][2] if len(rows) == 1 and rows[0][2] != "_" else ""
    tag = "+".join(row[3] for row in rows)
    fine = rows[0][4] if len(rows) == 1 and rows[0][4] != "_" else ""
    space = "SpaceAfter=No" not in misc
    return TreebankWord(form.replace(" ", ""), tag, lemma, head, top[7], space, fine)


def leads_out(row: list[str], ids: list[str], words: dict[str, list[str]]) -> bool:
    """Whether the way from a word to the root meets no word of its own group again."""
    head = row[6]
    while head != "0":
        if head in ids:
            return False
        head = words[head][6]
    return True
