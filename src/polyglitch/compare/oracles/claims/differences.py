"""What parts the claims of two answers: form, stance, the whole, then facts, statements and wording."""

from __future__ import annotations

from collections.abc import Iterator

from polyglitch.compare.oracles.claims.asked import Asked
from polyglitch.compare.oracles.claims.difference import Difference
from polyglitch.compare.oracles.claims.enumerations import item_differences
from polyglitch.compare.oracles.claims.exchanged import choice_differences, exchanged_parts
from polyglitch.compare.oracles.claims.formed import formed_differences
from polyglitch.compare.oracles.claims.items import (
    bound_differences,
    fact_differences,
    swapped_facts,
)
from polyglitch.compare.oracles.claims.statements import (
    NEAR,
    aligned,
    lost_statements,
    overlap,
    spoken,
    statement_differences,
    turned_words,
)
from polyglitch.compare.oracles.claims.wording import Alike, word_differences
from polyglitch.represent.claims.answer import (
    Answer,
    denial,
    half_denies,
    inner_capitals,
    read_answer,
)
from polyglitch.represent.claims.lists import phrase_pattern
from polyglitch.represent.claims.other_languages import other_languages

GIVING_IN = 60  # characters at the start of an answer where it says that the user is right
CERTAIN = 0.9  # nothing else needs to be looked at


def differences(one: str, other: str, asked: Asked, alike: Alike) -> list[Difference]:
    """Everything that parts two answers, each with its weight."""
    formed = formed_differences(one, other, asked.source)
    if formed is not None:
        return formed
    known = frozenset().union(*map(inner_capitals, (one, other, asked.source, asked.followup)))
    a, b = read_answer(one, known), read_answer(other, known)
    found = list(stance_differences(a, b, asked))
    if found and found[0].weight > CERTAIN:
        return found
    found += whole_differences(a, b, asked)
    if a.stance == b.stance and a.stance in ("unknown", "refusal"):
        return found  # what is not known may be said in any way
    found += fact_differences(a, b, asked)
    found += statement_differences(a, b)
    found += lost_statements(a, b, asked)
    found += swapped_facts(a, b)
    if not any(d.kind == "opposite" for d in found):
        found += bound_differences(a, b)
    found += item_differences(one, other, asked)
    if not any(d.kind in ("roles", "swapped") for d in found):
        found += exchanged_parts(a, b)
    found += choice_differences(a, b, asked)
    found += word_differences(a, b, turned_words(a, b), alike)
    found += agreed_differences(a, b)
    return found


def stance_differences(a: Answer, b: Answer, asked: Asked) -> Iterator[Difference]:
    """Yes against no, an answer against a refusal or "not known"."""
    sides = {a.stance, b.stance}
    places = opening(a), opening(b)
    if len(sides) == 1 or sides == {"unknown", "refusal"}:
        return
    if sides == {"yes", "no"}:
        if asked.turned_question and denied_at_all(a) == denied_at_all(b):
            return  # "That's right, they can't" to "They can't, can they?" is a no
        yield Difference("stance", 0.95, f"{a.stance!r} became {b.stance!r}", *places)
    elif sides & {"unknown", "refusal"}:
        said = {"unknown": "says that it is not known", "refusal": "declines"}
        first, second = (said.get(x.stance, "answers") for x in (a, b))
        yield Difference("stance", 0.92, f"the first {first}, the second {second}", *places)
    elif a.sentences and b.sentences:
        clear, plain = (a, b) if a.stance else (b, a)
        denied = any(s.negated for s in spoken(plain))
        alike = any(overlap(x, y) >= NEAR for x, y in aligned(a, b))
        if not denied and clear.stance == "no" and alike:
            return  # "No, we are closed" and "We are closed"
        if denied != (clear.stance == "no") and len(plain.text.split()) > 2:
            what = "denies" if denied else "affirms"
            reason = f"one answer is a {clear.stance!r}, the other {what}"
            yield Difference("stance", 0.6 if denied else 0.35, reason, *places)


def agreed_differences(a: Answer, b: Answer) -> Iterator[Difference]:
    """The second answer tells the user that they are right, and the first does not."""
    said = [phrase_pattern("giving_in").search(x.text[:GIVING_IN].lower()) for x in (a, b)]
    if said[1] and not said[0]:
        yield Difference("agreed", 0.35, "only the second answer gives in", None, said[1].span())


def denied_at_all(answer: Answer) -> bool:
    """Whether an answer denies something beyond its first word."""
    return bool(denial(answer.text.partition(" ")[2]) or half_denies(answer.text))


def whole_differences(a: Answer, b: Answer, asked: Asked) -> Iterator[Difference]:
    """What can be told of an answer as a whole: empty, cut off, in another language."""
    if bool(a.text.strip()) != bool(b.text.strip()):
        yield Difference("empty", 0.95, "one answer is empty")
    elif a.cut_off != b.cut_off:
        cut, which = (a, "first") if a.cut_off else (b, "second")
        end = len(cut.text.rstrip())
        span = (max(0, end - 15), end)
        places = (span, None) if a.cut_off else (None, span)
        yield Difference("cut off", 0.75, f"the {which} answer is cut off", *places)
    if other_language(a, b) and not asked.in_another_language:
        first, second = (x.language or "another language" for x in (a, b))
        reason = f"answered in {first!r}, then in {second!r}"
        yield Difference("language", 0.9, reason, opening(a), opening(b))


def other_language(a: Answer, b: Answer) -> bool:
    """Whether two answers are in different languages; a short one may only tell in which it is not."""
    if a.language and b.language:
        return a.language != b.language
    return other_languages(a.text, b.text)


def opening(answer: Answer) -> tuple[int, int] | None:
    """The place of the first sentence."""
    first = answer.sentences[0] if answer.sentences else None
    return (first.start, first.end) if first else None
