"""The quantifiers and logical relations of a sentence, each with the word it is said of.

Section 3.3.1 of the SemMT paper: words that quantify or relate are kept, what they group becomes a symbol. The
phrases are data (`resources/abstraction/relations.toml`), so another domain can bring its own.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

WORD = re.compile(r"\d[\d,]*(?:\.\d+)?|n't|[a-z]+(?=n't)|[a-z]+|[%/-]", re.IGNORECASE)
# "once" is a number after a bound, and may be "as soon as" elsewhere; "twice as many" is a factor.
TIMES = re.compile(
    r"\b((?<=least )once|(?<=most )once|(?<=than )once|twice(?! as))\b", re.IGNORECASE
)
COUNTS = {"once": "one time", "twice": "two times"}
LONGEST = 6
Side = Literal["over", "under"]


class WordRelation(msgspec.Struct, frozen=True):
    """A quantifier (`kind` is "count") with its bounds, or a logical relation; and its object."""

    kind: str
    object: str = ""
    low: float | None = None
    high: float | None = None
    shape: str = ""  # how a count is said: "exact", "about", "only", "all but", "every", ...
    vague: bool = False


@cache
def table() -> dict[str, Any]:
    """The data file."""
    found = files("polyglitch").joinpath("resources", "abstraction", "relations.toml")
    return tomllib.loads(found.read_text("utf-8"))


@cache
def phrases() -> dict[tuple[str, ...], tuple[str, str]]:
    """Every phrase with its section and meaning."""
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for section in ("logic", "bounds"):
        for meaning, forms in table()[section].items():
            for form in forms:
                words = form.split() if section == "bounds" else words_of(form)
                found[tuple(words)] = (section, meaning)
    for form in table()["vague"]:
        found[tuple(words_of(form))] = ("vague", form)
    return found


@cache
def beginnings() -> frozenset[str]:
    """The first words of phrases, and of "every tenth"."""
    return frozenset(phrase[0] for phrase in phrases()) | {"every", "each"}


def words_of(text: str) -> list[str]:
    """Lower-case words and numbers; "two hundred", "3.5 million" and "21st" are one number each."""
    plain = TIMES.sub(lambda found: COUNTS[found[1].lower()], text.replace("’", "'"))
    raw = [word.lower() for word in WORD.findall(plain)]
    out: list[str] = []
    at = 0
    while at < len(raw):
        value, used = number_at(raw, at)
        if raw[at] in ("a", "an") and out[-1:] == ["than"]:
            value = 1.0  # "no more than a bag"
        out.append(raw[at] if value is None else f"{value:.6g}" if value < 1e6 else f"{value:.0f}")
        at += used
    return out


def number_at(words: list[str], at: int) -> tuple[float | None, int]:
    """The number that starts here, if one does, and how many words it takes."""
    known, total, current, used = table()["numbers"], 0.0, None, 0
    for word in words[at:]:
        if word[0].isdigit():
            if current is not None:
                break
            current = float(word.replace(",", ""))
        elif word in known:
            value = known[word]
            if value >= 100 or word == "dozen":
                current = (1.0 if current is None else current) * value
                if value >= 1000:
                    total, current = total + current, 0.0
            elif current is not None and not fits_after(current, value):
                break
            else:
                current = (current or 0.0) + value
        elif word in ("and", "-") and used and words[at + used - 1] in known:
            nearest = words[at + used + 1 : at + used + 2]
            joins = word == "-" or words[at + used - 1] in ("hundred", "thousand", "million")
            if not joins or not nearest or nearest[0] not in known:
                break
        else:
            break
        used += 1
    return (None, 1) if current is None else (total + current, used)


def fits_after(current: float, value: float) -> bool:
    """Whether a small number word goes on a number: twenty one, two hundred fifty."""
    if current >= 100:
        return current % 100 == 0
    return current >= 20 and value < 10 and current % 10 == 0


@lru_cache(maxsize=4096)  # a sentence is compared with several
def relations(text: str, side: Side = "over") -> tuple[WordRelation, ...]:
    """What a sentence quantifies and relates, in its order."""
    words, found = words_of(text), []
    ignored = set(table()["ignored"]["words"])
    at = 0
    while at < len(words):
        match, used = longest(words, at)
        if match is None:
            at += 1
            continue
        section, meaning, values = match
        after = at + used
        thing = next((w for w in words[after : after + 4] if w.isalpha() and w not in ignored), "")
        found.append(make(section, meaning, values, thing, side))
        at = after
    return tuple(settle([relation for relation in found if relation.kind != "SKIP"]))


def settle(found: list[WordRelation]) -> list[WordRelation]:
    """Negations drawn into what they negate: "not more than 5" is a bound, "not any" is none."""
    out: list[WordRelation] = []
    for relation in found:
        last = out[-1] if out else None
        if last is not None and last.kind == "NOT":
            if relation.shape in ("above", "below"):
                out.pop()
                low, high = relation.high, relation.low  # the opposite side is what remains
                relation = WordRelation("count", relation.object, low, high, "exact")
            elif relation.kind == "ANY":
                continue
        out.append(relation)
    return out


def longest(words: list[str], at: int) -> tuple[tuple[str, str, list[float]] | None, int]:
    """The longest phrase that starts here, with its numbers."""
    known = phrases()
    fraction = fraction_at(words, at)
    if fraction is not None:
        return ("bounds", "fraction", [fraction[0]]), fraction[1]
    if words[at] not in beginnings() and not words[at][0].isdigit():
        return None, 1  # most words begin nothing
    for size in range(min(LONGEST, len(words) - at), 0, -1):
        window = words[at : at + size]
        values: list[float] = []
        pattern = []
        for word in window:
            if word[0].isdigit() and len(values) < 2:
                values.append(float(word))
                pattern.append("#" * len(values))
            else:
                pattern.append(word)
        entry = (
            known.get(tuple(window))
            or known.get(tuple(pattern))
            or known.get(tuple(ordinal(window, values)))
        )
        if entry is not None:
            return (*entry, values), size
    return None, 1


def ordinal(window: list[str], values: list[float]) -> list[str]:
    """A window with "tenth" read as "# th", its number added to the values."""
    ranks = table()["ordinals"]
    if window[0] in ("every", "each") and len(window) == 2 and window[1] in ranks and not values:
        values.append(float(ranks[window[1]]))
        return [window[0], "#", "th"]
    return window


def fraction_at(words: list[str], at: int) -> tuple[float, int] | None:
    """Two thirds, a quarter, 3/4: its value and how many words it takes."""
    parts = table()["fractions"]
    window = words[at : at + 3]
    if len(window) == 3 and window[1] == "/" and window[0][0].isdigit() and window[2][0].isdigit():
        return (float(window[0]) / max(1.0, float(window[2])), 3)
    rest = [word for word in window if word != "-"]
    if len(rest) > 1 and rest[1] in parts and (rest[0] in ("a", "one") or rest[0][0].isdigit()):
        count = 1.0 if rest[0] in ("a", "one") else float(rest[0])
        if count < 10:
            return (count * parts[rest[1]], 3 if "-" in window else 2)
    return None


def make(section: str, meaning: str, values: list[float], thing: str, side: Side) -> WordRelation:
    """A relation from what was matched."""
    if section == "vague":
        low, high = table()["vague"][meaning][0 if side == "over" else 1]
        return WordRelation("count", thing, low, None if high < 0 else high, "exact", True)
    if section == "logic":
        fixed = {"TWICE": (2.0, "times more"), "HALF": (0.5, "fraction")}
        if meaning in fixed:
            value, shape = fixed[meaning]
            return WordRelation("count", thing, value, value, shape)
        return WordRelation("NOT" if meaning == "NONE" else meaning, thing)
    first = values[0]
    bounds: dict[str, tuple[float | None, float | None, str]] = {
        "#,": (first, None, "exact"),
        "#+1,": (first, None, "above"),
        ",#": (None, first, "exact"),
        ",#-1": (None, first, "below"),
        "#,#": (first, first, "exact"),
        "#~": (first, first, "about"),
        "#,##": (first, values[-1], "exact"),
        "#/##": (first, values[-1], "fraction"),
    }
    low, high, shape = bounds.get(meaning, (first, first, meaning.replace("#", "").strip()))
    return WordRelation("count", thing, low, high, shape)
