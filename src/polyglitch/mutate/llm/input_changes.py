"""Changes of an input as a whole: the turns of a chat, the parts of its prompt, a premise and what follows from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import cast

from msgspec.structs import replace

from polyglitch.mutate.llm.changes import FeatureRow, holds, wording
from polyglitch.nlp.sentences import split_sentences
from polyglitch.records import Input, Part, Turn

InputChange = Callable[..., Iterator[Input]]


def again(item: Input, row: FeatureRow) -> Iterator[Input]:
    """The same question once more."""
    yield replace(item, again=item.again + 1)


def reverse_part(item: Input, row: FeatureRow, part: str) -> Iterator[Input]:
    """A part of the prompt in reverse order."""
    yield replace(item, reversed=(*item.reversed, cast(Part, part)))


def swap_values(item: Input, row: FeatureRow, first: str, second: str) -> Iterator[Input]:
    """Two variables of the prompt trade places."""
    values = item.values
    if first in values and second in values:
        yield replace(item, values=values | {first: values[second], second: values[first]})


def remark_turn(item: Input, row: FeatureRow) -> Iterator[Input]:
    """A remark on something else, and a polite reply, before the question."""
    words = wording(row.language)
    said = Turn("user", row.dice.choice(words["irrelevant"]))
    yield replace(item, turns=(*item.turns, said, Turn("assistant", words["acknowledged"])))


def doubted(item: Input, row: FeatureRow) -> Iterator[Input]:
    """The question was answered, and the user asks whether that is so."""
    yield from _answered(item, row, row.dice.choice(wording(row.language)["doubt"]))


def contradicted(item: Input, row: FeatureRow) -> Iterator[Input]:
    """The question was answered, and the user thinks that it is another's answer."""
    wrong = row.other_label
    if wrong and row.label and not holds(row.label, wrong):
        said = row.dice.choice(wording(row.language)["contradiction"])
        yield from _answered(item, row, said.replace("{wrong}", wrong))


def turns_split(item: Input, row: FeatureRow) -> Iterator[Input]:
    """What stands before the last sentence of a message is sent on its own."""
    parts = split_sentences(item.text, row.language)
    if len(parts) > 1:
        before = Turn("user", " ".join(parts[:-1]))
        reply = Turn("assistant", wording(row.language)["acknowledged"])
        yield replace(item, text=parts[-1].strip(), turns=(*item.turns, before, reply))


def turns_merged(item: Input, row: FeatureRow) -> Iterator[Input]:
    """All that the user said, in one message; not where the answer stands in a reply."""
    mine = [turn.text for turn in item.turns if turn.role == "user"]
    replies = " ".join(turn.text for turn in item.turns if turn.role == "assistant")
    if mine and row.label and row.label.lower() not in replies.lower():
        kept = tuple(turn for turn in item.turns if turn.role == "system")
        yield replace(item, text=" ".join([*mine, item.text]), turns=kept)


def turn_twice(item: Input, row: FeatureRow) -> Iterator[Input]:
    """The first message of the user and its reply are there twice."""
    place = next((n for n, turn in enumerate(item.turns) if turn.role == "user"), None)
    if place is not None:
        pair = item.turns[place : place + 2]
        yield replace(
            item, turns=(*item.turns[: place + len(pair)], *pair, *item.turns[place + 2 :])
        )


def turn_removed(item: Input, row: FeatureRow) -> Iterator[Input]:
    """Without the turns that hold the answer."""
    held = re.compile(rf"(?<!\w){re.escape(row.label or '')}(?!\w)", re.IGNORECASE)
    kept = tuple(turn for turn in item.turns if not held.search(turn.text))
    elsewhere = held.search(f"{item.text} {item.context or ''}")
    if row.label and len(kept) < len(item.turns) and not elsewhere:
        yield replace(item, turns=kept)


def premise_restated(item: Input, row: FeatureRow) -> Iterator[Input]:
    """The premise goes on with its own first sentence."""
    first = split_sentences(item.context or "", row.language)[:1]
    if first:
        again_said = wording(row.language)["restated"].replace("{statement}", first[0].strip())
        yield replace(item, context=f"{item.context} {again_said}")


def premise_with_hypothesis(item: Input, row: FeatureRow) -> Iterator[Input]:
    """What the premise implies is said with it."""
    if (row.label or "").lower() in wording(row.language)["implied"]:
        yield replace(item, context=f"{item.context} {item.text}")


def hypothesis_with_premise(item: Input, row: FeatureRow) -> Iterator[Input]:
    """The hypothesis goes on with what the premise says."""
    first = split_sentences(item.context or "", row.language)[:1]
    if first:
        yield replace(item, text=f"{item.text.rstrip()} {first[0].strip()}")


def hypothesis_restated(item: Input, row: FeatureRow) -> Iterator[Input]:
    """The hypothesis is said twice."""
    said = wording(row.language)["restated"].replace("{statement}", item.text.strip())
    yield replace(item, text=f"{item.text.rstrip()} {said}")


def _answered(item: Input, row: FeatureRow, then: str) -> Iterator[Input]:
    """The chat in which the question was answered rightly, and the user asks again after a word of doubt."""
    if row.label:  # asked again, since "Yes, I am sure" says too little to be compared
        said = (Turn("user", item.text), Turn("assistant", row.label))
        yield replace(item, text=f"{then} {item.text}", turns=(*item.turns, *said))


INPUT_CHANGES: dict[str, InputChange] = {
    change.__name__: change
    for change in (
        *(again, reverse_part, swap_values, remark_turn, doubted, contradicted, turns_split),
        *(turns_merged, turn_twice, turn_removed, premise_restated, premise_with_hypothesis),
        *(hypothesis_with_premise, hypothesis_restated),
    )
}
