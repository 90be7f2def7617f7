"""Words to concepts: a description as the tokens that the grammar works on.

The phrases of descriptions and what they mean, from the data file; misspelt words included.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from rapidfuzz.distance import OSA

from polyglitch.represent.regex.parse import names

WORD = re.compile(r"<lit\d+>|[a-z]+(?:[-'][a-z]+)*-?|\d+|>=|[^\sa-z\d]")
LONGEST = 10  # words in a phrase
QUOTED = re.compile(r"(?<![A-Za-z])['\"“‘`](?P<inside>[^'\"”’“‘`]+)['\"”’](?![A-Za-z])")
NAMED = re.compile(r"(?:(?<!['\"“‘`])['\"“‘`]+\s*|(?<!\s)\s+|)<\s*(?P<name>[A-Z]\d)\s*>\s*['\"”’]*")


class DescriptionToken(NamedTuple):
    """A concept with its value: a term or literal, bounds of a quantifier, or nothing."""

    kind: str
    value: Any = None
    plural: bool = False
    comma: bool = False  # a comma stood before it


@cache
def lexicon() -> dict[str, Any]:
    """The data file."""
    table = files("polyglitch").joinpath("resources", "descriptions", "lexicon.toml")
    return tomllib.loads(table.read_text("utf-8"))


@cache
def phrases() -> dict[tuple[str, ...], DescriptionToken]:
    """Every phrase as a tuple of words, `#` and `##` for numbers, with what it means."""
    data = lexicon()
    found: dict[tuple[str, ...], DescriptionToken] = {}
    for word in data["fillers"]["words"]:
        found[(word,)] = DescriptionToken("FILLER")
    for plural, table in ((False, "terms"), (True, "plurals")):
        for term, forms in data[table].items():
            for form in forms:
                found[tuple(WORD.findall(form))] = DescriptionToken("TERM", term, plural)
    for kind, forms in data["concepts"].items():
        for form in forms:
            found[tuple(WORD.findall(form))] = DescriptionToken(kind)
    for bounds, forms in data["quantifiers"].items():
        for form in forms:
            found[tuple(re.findall(r"#+|\S+", form))] = DescriptionToken("QUANTITY", bounds)
    return found


@cache
def vocabulary() -> frozenset[str]:
    """Every word that a phrase uses."""
    return frozenset(word for phrase in phrases() for word in phrase) | frozenset(
        lexicon()["numbers"]
    )


@cache
def beginnings() -> frozenset[str]:
    """The first words of phrases, numbers aside."""
    return frozenset(phrase[0] for phrase in phrases())


@cache
def nearest(word: str) -> str:
    """The word of the vocabulary that was probably meant: one slip, two in long words."""
    slips = 0 if len(word) < 4 else 1 if len(word) < 7 else 2
    best, least = word, slips + 1
    for known in sorted(vocabulary()):  # two may be as near: always the same one is meant
        if abs(len(known) - len(word)) < least and len(known) > 2:
            distance = OSA.distance(word, known, score_cutoff=least)
            if distance < least:
                best, least = known, distance
    return best


def longest(
    words: list[str], at: int, numbers: dict[str, int]
) -> tuple[DescriptionToken | None, int]:
    """The token of the longest phrase that starts here, and how many words it takes."""
    table = phrases()
    if words[at] not in beginnings() and not words[at].isdecimal() and words[at] not in numbers:
        return None, 1  # most words begin nothing
    for size in range(min(LONGEST, len(words) - at), 0, -1):
        window = words[at : at + size]
        exact = table.get(tuple(window))
        if exact is not None:
            return exact, size
        values: list[int] = []
        pattern = []
        for word in window:
            value = int(word) if word.isdecimal() and len(word) < 5 else numbers.get(word)
            if value is None or len(values) == 2:
                pattern.append(word)
            else:
                values.append(value)
                pattern.append("#" * len(values))
        for shape in (
            pattern,
            [*pattern, "times"] if words[at + size - 1] in ("once", "twice", "thrice") else None,
        ):
            found = table.get(tuple(shape)) if shape else None
            if values and found is not None and found.kind == "QUANTITY":
                return DescriptionToken("QUANTITY", bounds(found.value, values)), size
    return None, 1


def bounds(shape: str, values: list[int]) -> tuple[int, int | None, str]:
    """Low, high and kind (`least`, `exact`, `bare`, `over`, `most`, `under`, `range`) of a quantity."""
    first = values[0]
    kinds: dict[str, tuple[int, int | None, str]] = {
        "#,": (first, None, "least"),
        "#,#": (first, first, "exact"),
        "#": (first, first, "bare"),
        "#r": (first, first, "run"),
        "#%,": (first, None, "over"),
        ",#": (0, first, "most"),
        ",#%": (0, first - 1, "under"),
        "#,##": (first, values[-1], "range"),
    }
    return kinds.get(shape, (first, None, "least"))


@cache
def bare() -> re.Pattern[str]:
    """A literal that stands without quotes: the texts that have names in `names.toml`."""
    texts = "|".join(re.escape(text) for kind, text in names().values() if kind == "text")
    return re.compile(rf"(?:(?<![A-Za-z'\"`-])['\"`]+|(?<![A-Za-z-]))(?P<bare>{texts})\b['\"`]*")


class Reading(NamedTuple):
    """The tokens of a description and the words that meant nothing to us."""

    tokens: tuple[DescriptionToken, ...]
    unknown: tuple[str, ...]
    words: int
    formal: bool = False  # every term with its article, as a formula would spell it out


def split_words(text: str) -> tuple[list[str], list[str]]:
    """Lower-case words, literals replaced by `<lit0>`, ...; and the literals."""
    literals: list[str] = []

    def keep(match: re.Match[str]) -> str:
        found = match.groupdict()
        value = names()[found["name"]][1] if found.get("name") in names() else None
        quoted = found.get("inside")
        inside = quoted and (quoted.strip() or " ")  # a blank in quotes is meant
        literals.append(value or inside or found.get("bare") or match[0])
        return f" \u0001{len(literals) - 1}\u0002 "

    marked = NAMED.sub(keep, text)
    marked = re.sub(r"\b(strings?|word|words)(['\"])", r"\1 \2", marked)
    marked = bare().sub(keep, QUOTED.sub(keep, marked))
    lowered = re.sub("\u0001(\\d+)\u0002", r"<lit\1>", marked.lower())
    for pattern, new in lexicon()["rewritten"]["patterns"]:
        lowered = re.sub(pattern, new, lowered)
    return WORD.findall(lowered), literals


def read_words(text: str, subjects: bool = False, bare_literals: bool = False) -> Reading:
    """The concepts of a description, longest phrases first; unknown words are passed over.

    With `subjects`, what is described ("lines") and how it is tied to the rest are concepts too; with
    `bare_literals`, an unknown word of one or two letters stands for itself, as in "only one b".
    """
    words, literals = split_words(text)
    numbers = lexicon()["numbers"]
    known = vocabulary()
    words = [
        word if word in known or word.startswith("<lit") or word.isdigit() else nearest(word)
        for word in words
    ]
    tokens: list[DescriptionToken] = []
    unknown: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word.startswith("<lit"):
            value = literals[int(word[4:-1])]
            tokens.append(DescriptionToken("LITERAL", value))
            at += 1
            continue
        token, used = longest(words, at, numbers)
        if (
            token is not None
            and token.plural
            and words[at + used - 1] == "words"
            and counted(tokens)
        ):
            tokens += [token._replace(plural=False), DescriptionToken("WORDS")]  # "5 letter words"
        elif token is not None and token.kind != "FILLER":
            tokens.append(token._replace(plural=token.plural or word == "words"))
        elif token is None:
            if bare_literals and len(word) < 3 and word.isalpha():
                tokens.append(DescriptionToken("LITERAL", word))
            else:
                unknown.append(word)
        elif subjects and word in lexicon()["subjects"]["words"] and not names_literal(words, at):
            tokens.append(DescriptionToken("SUBJECT"))
        elif subjects and word in ("of", "is") and tokens and tokens[-1].kind == "SUBJECT":
            tokens.append(DescriptionToken(word.upper()))
        elif word in ("string", "strings", "word", "text", "phrase", "name"):
            tokens.append(DescriptionToken("NAME", word))
        at += used
    return Reading(tuple(join(tokens)), tuple(unknown), max(1, len(words)), is_formal(words))


@cache
def formal() -> re.Pattern[str]:
    """The wording of descriptions that were written by a grammar, not by a person."""
    return re.compile(lexicon()["formal"]["pattern"])


def is_formal(words: list[str]) -> bool:
    """Whether a description is worded by the formula of NL-RX-Synth, every term with its article."""
    return formal().fullmatch(" ".join(words)) is not None


def counted(tokens: list[DescriptionToken]) -> bool:
    """Whether a plain number stands last."""
    return bool(tokens) and tokens[-1].kind == "QUANTITY" and tokens[-1].value[2] == "bare"


def names_literal(words: list[str], at: int) -> bool:
    """Whether "string" at this place is only the name of the literal after it."""
    return any(word.startswith("<lit") for word in words[at + 1 : at + 3]) and not {
        "with",
        "of",
        "is",
    } & set(words[at + 1 : at + 2])


NEGATIONS = ("NOT", "NOR", "ANDNOT", "ORNOT")


def join(tokens: list[DescriptionToken]) -> list[DescriptionToken]:
    """Commas drawn into what follows them, names into their literals, digits that are literals."""
    out: list[DescriptionToken] = []
    neither = False
    listed = 0  # where in a list of words that were named together: "the words 'a' and 'lot'"
    for token in tokens:
        if token.kind == "QUANTITY" and isinstance(token.value, str):
            low = {"0,": 0, "2,": 2}.get(token.value, 1)
            token = DescriptionToken("QUANTITY", (low, None, "least"))
        last = out[-1].kind if out else ""
        if token.kind == "NEITHER":
            neither, token = True, DescriptionToken("NOT")
        elif token.kind == "NOR" and neither:
            token = DescriptionToken("NEITHER_NOR")
        elif token.kind == "NOR" and not any(item.kind in NEGATIONS for item in out):
            token = DescriptionToken("ANDNOT")  # ", without x" where nothing is denied before
        if token.kind in ("BEFORE", "FOLLOWED", "AFTER") and last in ("NOT", "ANDNOT"):
            out.pop()
            token = DescriptionToken(f"NOT_{token.kind}")
        if token.kind in ("OR_MORE", "OR_LESS"):
            widen(out, token.kind)
            continue
        if token.kind == "LITERAL":
            if last == "NAME" or last == "TERM":
                out.pop()
            elif last == "WORDS":
                listed = len(out) if out.pop().plural else 0
                token = token._replace(kind="WORD")
            elif listed and len(out) == listed + 2 and last in ("AND", "OR", "COMMA"):
                listed += 2
                token = token._replace(kind="WORD")
        elif token.kind in ("QUANTITY", "FOLLOWED", "BEFORE") and last == "COMMA":
            out.pop()
            token = token._replace(comma=True)
        elif last == "NAME":
            out.pop()
        if token.kind in ("TERM", "LITERAL", "WORD") and len(out) > 0 and out[-1].kind == "NAME":
            out.pop()
        if token.kind == "COMMA" and (not out or last == "COMMA"):
            continue
        out.append(token)
    while out and out[-1].kind in ("COMMA", "NAME"):
        out.pop()
    return out


def widen(tokens: list[DescriptionToken], kind: str) -> None:
    """Make the last plain number a bound: "20 characters or less"."""
    for place in range(len(tokens) - 1, max(-1, len(tokens) - 4), -1):
        token = tokens[place]
        if token.kind == "QUANTITY" and token.value[2] == "bare":
            low = token.value[0]
            value = (low, None, "least") if kind == "OR_MORE" else (0, low, "most")
            tokens[place] = token._replace(value=value)
            return
