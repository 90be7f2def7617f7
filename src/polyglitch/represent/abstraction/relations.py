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
from msgspec.structs import replace

WORD = re.compile(r"\d[\d,]*(?:\.\d+)?|n't|[a-z]+(?=n't)|[a-z]+|[%/-]", re.IGNORECASE)
# "once" is a number after a bound, and may be "as soon as" elsewhere; "twice as many" is a factor.
TIMES = re.compile(
    r"\b((?<=least )once|(?<=most )once|(?<=than )once|twice(?! as))\b", re.IGNORECASE
)
# "But" after a word for all is an exception; elsewhere it joins.
ALL_BUT = re.compile(
    r"\b(everyone|everybody|everything|nobody|anyone|anybody|all the world) but\b", re.IGNORECASE
)
COUNTS = {"once": "one time", "twice": "two times"}
LONGEST = 6
MOST_COUNTED = 1000  # "more than a million" is no count of one more
NEAR = 3  # words between a negation and the bound that it denies: "cannot carry at least 5"
Side = Literal["over", "under"]


class WordRelation(msgspec.Struct, frozen=True):
    """A quantifier (`kind` is "count") with its bounds, or a logical relation; and its object."""

    kind: str
    object: str = ""
    low: float | None = None
    high: float | None = None
    shape: str = ""  # how a count is said: "exact", "about", "only", "all but", "every", ...
    vague: bool = False
    inner: bool = False  # said within what somebody says, knows or hopes
    opens: bool = False  # "only" as the first word: it is said of the subject
    outside: tuple[str, ...] = ()  # the words before an "only" that it is not said of


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
    plain = ALL_BUT.sub(r"\1 except", plain)
    raw = [word.lower() for word in WORD.findall(plain)]
    out: list[str] = []
    at = 0
    while at < len(raw):
        value, used = number_at(raw, at)
        if raw[at] in ("a", "an") and out[-1:] in (["than"], ["that"]):
            compared = out[-2:-1] and out[-2] in ("more", "less", "fewer")
            value = 1.0 if compared else None  # "no more than a bag"
        out.append(raw[at] if value is None else f"{value:.6g}" if value < 1e6 else f"{value:.0f}")
        at += used
    return shares(out)


def shares(words: list[str]) -> list[str]:
    """Shares as numbers of their own: half, two thirds, 3/4 and 50 percent; "half past nine" is none."""
    out: list[str] = []
    at = 0
    while at < len(words):
        value, used = share_at(words, at)
        out.append(words[at] if value is None else f"{value:.4g}")
        at += used
    return out


def share_at(words: list[str], at: int) -> tuple[float | None, int]:
    """The share that starts here, if one does, and how many words it takes."""
    after = words[at + 1 : at + 3]
    if words[at][0].isdigit():
        for sign in (["%"], ["percent"], ["per", "cent"]):
            if after[: len(sign)] == sign:
                return float(words[at]) / 100, 1 + len(sign)
    if words[at] == "half" and after[:1] != ["past"]:
        return 0.5, 1
    fraction = fraction_at(words, at)
    return fraction if fraction is not None else (None, 1)


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
    reported = first_report(words)
    at = 0
    while at < len(words):
        match, used = longest(words, at)
        if match is None:
            at += 1
            continue
        section, meaning, values = match
        after = at + used
        rest = words[after : after + 4]
        thing = next((w for w in rest if w.isalpha() and w not in ignored), "")
        made = make(section, meaning, values, thing, side)
        if made.kind == "NOT" and reported is not None and at > reported:
            made = replace(made, inner=True)
        if made.kind == "ONLY":
            made = replace(made, opens=at == 0, outside=said_before(words, at))
        found.append(Placed(whole(made, rest), at, after))
        at = after
    kept = [one for one in found if one.relation.kind != "SKIP"]
    return tuple(one.relation for one in composed(kept))


def said_before(words: list[str], at: int) -> tuple[str, ...]:
    """The words that an "only" leaves out; none where it may belong to them: "John alone", "the only one"."""
    articles = table()["ignored"]["articles"]
    bound = words[at] in ("alone", *articles) or at == 0 or words[at - 1] in articles
    return () if bound else tuple(words[: at - 1])


class Placed(msgspec.Struct, frozen=True):
    """A relation and the words that say it, from where to where."""

    relation: WordRelation
    start: int
    end: int


def first_report(words: list[str]) -> int | None:
    """Where the first verb is that reports what another clause says; to think and to seem let a negation through."""
    verbs = table()["reports"]["words"]
    return next((place for place, word in enumerate(words) if word in verbs), None)


def whole(relation: WordRelation, after: list[str]) -> WordRelation:
    """A strict bound on things that are counted as the whole number next to it: more than 5 dogs are at least 6."""
    if relation.shape not in ("above", "below"):
        return relation
    bound = relation.low if relation.shape == "above" else relation.high
    measured = set(after[:2]) & set(table()["measures"]["words"])
    if bound is None or bound % 1 or bound > MOST_COUNTED or measured:
        return relation
    if relation.shape == "above":
        return replace(relation, low=bound + 1, shape="exact")
    return replace(relation, high=bound - 1, shape="exact")


def composed(found: list[Placed]) -> list[Placed]:
    """Relations drawn into the one that they stand before: "not more than 5", "not any", "not containing only"."""
    out: list[Placed] = []
    for one in found:
        while out and (made := drawn_together(out[-1], one)) is not None:
            out.pop()
            one = made
        out.append(one)
    return out


def drawn_together(first: Placed, second: Placed) -> Placed | None:
    """The relation that two of them are together, or nothing where they are two."""
    a, b = first.relation, second.relation
    close = second.start - first.end <= 1
    if (
        a.kind == "NOT"
        and b.kind == "count"
        and b.shape == "exact"
        and (b.low is None) != (b.high is None)
        and second.start - first.end <= NEAR
    ):
        return Placed(opposite(b), first.start, second.end)
    if a.kind == "NOT" and b.shape in ("above", "below"):
        low, high = b.high, b.low  # the opposite side is what remains
        return Placed(WordRelation("count", b.object, low, high, "exact"), first.start, second.end)
    if a.kind == "NOT" and b.kind == "ANY":
        return Placed(a, first.start, second.end)
    if not close:
        return None
    if a.kind == "INCLUDE" and b.kind == "ONLY":
        return Placed(b, first.start, second.end)
    if a.kind == "ONLY" and b.kind == "INCLUDE":
        return Placed(replace(b, kind="ONLY"), first.start, second.end)
    if a.kind == "NOT" and b.kind in ("ONLY", "ALL"):
        return Placed(replace(b, kind=f"NOT {b.kind}"), first.start, second.end)
    if a.kind == "NOT" and b.kind == "INCLUDE":
        return Placed(replace(b, kind="NOT INCLUDE"), first.start, second.end)
    if a.kind == "NOT INCLUDE" and b.kind == "ONLY":
        return Placed(replace(b, kind="NOT ONLY"), first.start, second.end)
    return None


def opposite(count: WordRelation) -> WordRelation:
    """What is left when an open bound is denied: not at least 5 is at most 4."""
    if count.low is not None:
        return replace(count, low=None, high=count.low - 1)
    return replace(count, low=(count.high or 0.0) + 1, high=None)


def longest(words: list[str], at: int) -> tuple[tuple[str, str, list[float]] | None, int]:
    """The longest phrase that starts here, with its numbers."""
    known = phrases()
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
        if meaning == "TWICE":
            return WordRelation("count", thing, 2.0, 2.0, "times more")
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
