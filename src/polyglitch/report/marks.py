"""Marks what differs between two texts, word by word, where an oracle finds fault, and how a model reads a text: how
much each word matters, and the least that keeps the answer.

Hostile text becomes safe HTML: escaped, marked, hidden characters shown as chips.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import msgspec
from markupsafe import Markup, escape
from msgspec.structs import replace
from rapidfuzz.distance import Indel

from polyglitch.files.foreign import code_point, spelled_out, split_hidden
from polyglitch.records import Case, Verdict

Range = tuple[int, int]


class Piece(msgspec.Struct, frozen=True):
    """A run of a text: whether the other text lacks it, and why an oracle blames it, if it does."""

    text: str
    changed: bool = False
    fault: str | None = None  # the oracle's reason, perhaps empty; None where it found no fault
    note: int = 0  # the number of that reason in the list beside it
    named: bool = False  # shown by its name as well: it looks like what stands in its place


class FaultRange(msgspec.Struct, frozen=True):
    """A place in a text that an oracle blames."""

    start: int
    end: int
    reason: str = ""
    note: int = 0


@lru_cache(maxsize=8192)
def char_class(char: str) -> str:
    """`space`, `word` (joins with its like), `mark` (joins with what precedes) or `single`."""
    if char.isspace():
        return "space"
    category = unicodedata.category(char)
    if category[0] == "M" or char in "\u200c\u200d":
        return "mark"
    # Scripts that write without spaces: a whole sentence would be one word.
    if category == "Lo" and unicodedata.name(char, "").startswith(
        ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
    ):
        return "single"
    return "word" if category[0] in "LN" or char == "_" else "single"


def word_ranges(text: str) -> list[Range]:
    """Where the words of a text are; punctuation and characters of unspaced scripts stand alone."""
    ranges: list[Range] = []
    before = "space"
    for place, char in enumerate(text):
        now = char_class(char)
        if now == "single" and char in "'’" and before == "word":
            following = text[place + 1 : place + 2]
            now = "word" if following and char_class(following) == "word" else now
        if now != "space":
            joined = before != "space" and (now == "mark" or now == before == "word")
            if joined:
                ranges[-1] = (ranges[-1][0], place + 1)
            else:
                ranges.append((place, place + 1))
        if now != "mark" or before == "space":
            before = now if now != "mark" else "word"
    return ranges


def differing_ranges(
    first: str, second: str, *, by_case: bool = True
) -> tuple[list[Range], list[Range]]:
    """What each text has that the other lacks, as ranges of whole words in each; capitals may be left out of it."""
    ours, theirs = word_ranges(first), word_ranges(second)
    first_words = [first[start:end] for start, end in ours]
    second_words = [second[start:end] for start, end in theirs]
    if not by_case:
        first_words, second_words = ([w.casefold() for w in s] for s in (first_words, second_words))
    marks: tuple[list[Range], list[Range]] = ([], [])
    free = 0  # words before the block that both texts have
    for step in Indel.opcodes(first_words, second_words):
        if step.tag == "equal":
            free = step.src_end - step.src_start
            continue
        alone = step.src_end == step.src_start or step.dest_end == step.dest_start
        for side, words, ranges, (start, end) in (
            (0, first_words, ours, (step.src_start, step.src_end)),
            (1, second_words, theirs, (step.dest_start, step.dest_end)),
        ):
            if end > start:
                moved = whole_sentence(words, start, end, free) if alone else 0
                marks[side].append((ranges[start - moved][0], ranges[end - moved - 1][1]))
        free = 0
    return marks


SENTENCE_ENDS = frozenset(".!?…。！？")


def whole_sentence(words: Sequence[str], start: int, end: int, free: int) -> int:
    """By how many words to move an added block back, so that it is a sentence: `[The bus was late.] The shop`.

    A diff may as well call `bus was late. The` the block; nothing is moved where no sentence comes of it.
    """
    for moved in range(free + 1):
        if moved and words[start - moved] != words[end - moved]:
            return 0
        if start == moved or words[start - moved - 1] in SENTENCE_ENDS:
            return moved
    return 0


def mark(
    text: str, changed: Sequence[Range] = (), faults: Sequence[FaultRange] = ()
) -> list[Piece]:
    """The text in pieces, each with its marks; ranges that lie outside of it are cut to fit."""
    size = len(text)
    blamed = [without_blanks(fault, text) for fault in faults]
    blamed = [fault for fault in blamed if 0 <= fault.start < min(fault.end, size)]
    cuts = {0, size}
    for start, end in [*changed, *((fault.start, fault.end) for fault in blamed)]:
        cuts |= {min(max(start, 0), size), min(max(end, 0), size)}
    places = sorted(cuts)
    pieces = []
    for start, end in pairwise(places):
        inside = any(a <= start and end <= b for a, b in changed)
        around = [f for f in blamed if f.start <= start and end <= f.end]
        fault = min(around, key=lambda f: f.end - f.start, default=None)  # the one that says most
        reason, note = (fault.reason, fault.note) if fault else (None, 0)
        pieces.append(Piece(text[start:end], inside, reason, note))
    return pieces


def without_blanks(fault: FaultRange, text: str) -> FaultRange:
    """A range without the blanks at its ends, which would be drawn as an empty box where a line breaks."""
    inside = text[max(fault.start, 0) : fault.end]
    lead, end = len(inside) - len(inside.lstrip()), fault.end - (len(inside) - len(inside.rstrip()))
    return replace(fault, start=fault.start + lead, end=end) if inside.strip() else fault


LONGEST_NAMED = 2000  # characters: beyond it one letter at a time would take too long


def looks_alike(first: str, second: str) -> bool:
    """Whether two texts differ and a reader could not tell: by accents, blanks or letters of another script."""
    if first == second or not first:
        return False
    if first.isascii() and second.isascii():  # most pairs: only blanks can hide there
        return first.split() == second.split()
    return skeleton(first) == skeleton(second)


def skeleton(text: str) -> str:
    """A text as the eye sees it: without blanks, accents and hidden signs, look-alike letters as Latin ones."""
    flat = unicodedata.normalize("NFKD", text)
    seen = "".join(c for c in flat if unicodedata.category(c)[0] not in "MZC")
    return seen.translate(look_alikes())


@cache
def look_alikes() -> dict[int, str]:
    """Letters of other scripts, each with the Latin letter that it is taken for."""
    text = files("polyglitch").joinpath("resources", "look_alikes.txt").read_text("utf-8")
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {ord(other): latin for latin, other in rows}


def name_differences(first: str, second: str) -> tuple[list[Piece], list[Piece]]:
    """Two texts that look alike, every character that differs marked and named."""
    sides: tuple[list[Piece], list[Piece]] = ([], [])
    for step in Indel.opcodes(first, second):
        one = first[step.src_start : step.src_end]
        other = second[step.dest_start : step.dest_end]
        for text, pieces in ((one, sides[0]), (other, sides[1])):
            if text:
                apart = step.tag != "equal"
                pieces.append(Piece(text, changed=apart, named=apart))
    return sides


CHIP = Markup('<span class="chip" dir="ltr" title="{name}">{code}</span>')
MARK = Markup('<{tag} class="{kind}"{title}>{body}</{tag}>')
TITLE = Markup(' title="{}"')
NOTE = Markup('<sup class="note-number" aria-label="reason {0}">{0}</sup>')


def visible(text: str) -> Markup:
    """The text escaped, with a chip for every hidden character."""
    return visible_lately(text) if len(text) <= SHORT else made_visible(text)


def made_visible(text: str) -> Markup:
    """The same, whatever was shown before."""
    if text.isascii() and text.isprintable():  # most texts: a page has hundreds of them
        return escape(text)
    runs = (
        CHIP.format(name=name_of(run), code=code_point(run)) if hidden else escape(run)
        for run, hidden in split_hidden(text)
    )
    return Markup("").join(runs)


SHORT, LATELY = 60, 512  # characters, texts: labels, kinds and names come again with every finding
visible_lately = lru_cache(LATELY)(made_visible)


def marked(pieces: Sequence[Piece], tag: str) -> Markup:
    """Pieces of a text, the changed ones in `tag`, the faulty ones in an emphasised `mark`."""
    kind = Markup(tag)  # noqa: S704
    # Each is safe already: joined as plain strings none is looked at again.
    return Markup("".join(marked_piece(piece, kind) for piece in pieces))  # noqa: S704


def marked_piece(piece: Piece, tag: Markup) -> Markup:
    """One piece, in one element or none."""
    inside = piece.text.strip()
    if piece.changed and inside and inside != piece.text and not piece.named:
        # A blank at an end would be drawn as an empty box where a line breaks.
        lead, _, trail = piece.text.partition(inside)
        return escape(lead) + marked_piece(replace(piece, text=inside), tag) + escape(trail)
    body = Markup("").join(map(named_char, piece.text)) if piece.named else visible(piece.text)
    if piece.changed:
        body = MARK.format(tag=tag, kind="changed", title="", body=body)
    if piece.fault is not None:
        title = TITLE.format(spelled_out(piece.fault)) if piece.fault else ""
        body = MARK.format(tag=Markup("mark"), kind="fault", title=title, body=body)
        if piece.note:
            body += NOTE.format(piece.note)
    return body


def named_char(char: str) -> Markup:
    """A character with its name, for a place where the eye sees no difference."""
    shown = escape("␣" if char.isspace() else char)
    if char.isascii() and char.isprintable() and char != " ":
        return shown  # what was expected there
    name = "blank" if char == " " else f"{code_point(char).strip('⟨⟩')} {name_of(char)}"
    return shown + CHIP.format(name=name, code=name)


def name_of(char: str) -> str:
    """What Unicode calls a character."""
    return unicodedata.name(char, unicodedata.category(char) + " character").lower()


LEVELS = 6  # steps of colour
HEAT_TITLE = "What the model looks at"
MOST_SHOWN = 400  # tokens: an explanation is for sentences


class Heat(msgspec.Struct, frozen=True):
    """Tokens with how much each matters to the model, from 0 to `LEVELS`; below 0 a weight speaks against."""

    tokens: list[tuple[str, int, float]]
    title: str = HEAT_TITLE


class Least(msgspec.Struct, frozen=True):
    """The template that keeps a prediction: its words, nothing where any word would do."""

    label: str
    words: list[str | None]
    kept: float  # the share of random fillings that kept the prediction


class Explanations(msgspec.Struct, frozen=True):
    """All of it, for one violation."""

    heat: list[Heat]
    least: list[Least]


def explanations_of(case: Case, verdict: Verdict | None = None) -> Explanations:
    """What a case and its verdict hold; entries of another shape than expected are passed over."""
    data = case.data | (verdict.drawn if verdict else {})
    heat = [heat_of(entry) for entry in as_list(data.get("heat"))]
    least = [least_of(entry) for entry in as_list(data.get("template"))]
    return Explanations([each for each in heat if each], [each for each in least if each])


def as_list(value: Any) -> list[Any]:
    """One entry or several, as several."""
    return value if isinstance(value, list) else [] if value is None else [value]


def heat_of(entry: Any) -> Heat | None:
    """`{"tokens": [...], "weights": [...], "title": "..."}` in steps of colour."""
    if not isinstance(entry, dict):
        return None
    tokens, weights = entry.get("tokens"), entry.get("weights")
    if not isinstance(tokens, list) or not isinstance(weights, list) or len(tokens) != len(weights):
        return None
    if not all(isinstance(weight, int | float) and math.isfinite(weight) for weight in weights):
        return None
    most = max((abs(weight) for weight in weights), default=0) or 1.0
    steps = [
        (str(token), round(abs(weight) / most * LEVELS), float(weight))
        for token, weight in zip(tokens, weights, strict=True)
    ]
    return Heat(steps[:MOST_SHOWN], str(entry.get("title") or HEAT_TITLE))


def least_of(entry: Any) -> Least | None:
    """`{"label": "...", "words": ["...", null], "kept": 0.97}`."""
    try:
        return msgspec.convert(entry, Least)
    except msgspec.ValidationError:
        return None
