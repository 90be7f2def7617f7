"""The reasons of a verdict in words, and the words at fault as spans of both outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from polyglitch.compare.aligned.text import Sentence, Word
from polyglitch.records import Span


class Suspect(NamedTuple):
    """A changed word: its place, how likely it is at fault, its partner in the other output, whether it is marked."""

    place: int
    chance: float
    partner: int | None
    marked: bool


def explain(
    outputs: tuple[Sentence, Sentence], suspects: list[list[Suspect]]
) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """The marked words, joined where they stand together, worst first."""
    found: list[tuple[float, str, Span]] = []
    for number in (0, 1):
        chosen = [item for item in suspects[number] if item.marked]
        words = outputs[number].words
        changed = {item.place for item in suspects[number]}
        for run in join(chosen):
            reason = word_reason(outputs, run, number, led_in(words, run[0].place, changed))
            span = Span(number, words[run[0].place].start, words[run[-1].place].end, reason)
            found.append((max(item.chance for item in run), reason, span))
    found.sort(key=lambda item: (-item[0], item[2].output, item[2].start))
    reasons = tuple(dict.fromkeys(reason for _, reason, _ in found))
    return reasons, tuple(span for _, _, span in found)


def join(items: list[Suspect]) -> list[list[Suspect]]:
    """Neighbours together."""
    runs: list[list[Suspect]] = []
    for item in items:
        if runs and item.place == runs[-1][-1].place + 1:
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def led_in(words: Sequence[Word], place: int, changed: set[int]) -> int:
    """Where a phrase begins: 'directors' reads better with the 'of' that went with it."""
    while place - 1 in changed and words[place - 1].kind == "function":
        place -= 1
    return place


def word_reason(
    outputs: tuple[Sentence, Sentence], run: list[Suspect], number: int, begin: int
) -> str:
    """What happened to a run of words, told from where the phrase begins."""
    words = [outputs[number].words[item.place] for item in run]
    whole = outputs[number].text[outputs[number].words[begin].start : words[-1].end]
    phrase = outputs[number].text[words[0].start : words[-1].end]
    kinds = {word.kind for word in words}
    if "negation" in kinds:
        negation = next(word.text for word in words if word.kind == "negation")
        return f"negation {'lost' if number == 0 else 'added'}: '{negation}'"
    places = sorted(item.partner for item in run if item.partner is not None)
    label = next((f"{kind} " for kind in ("number", "name") if kind in kinds), "")
    if places:
        facing = outputs[1 - number].words
        other = outputs[1 - number].text[facing[places[0]].start : facing[places[-1]].end]
        old, new = (phrase, other) if number == 0 else (other, phrase)
        return f"{label}'{old}' became '{new}'"
    if number == 0:
        return f"{label}'{whole}' is missing in the second"
    return f"{label}'{whole}' was added in the second"
