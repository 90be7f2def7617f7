"""Changes of what is asked: each gives the texts that a question becomes, none where it does not apply.

Changes of an input as a whole: the turns of a chat, the parts of its prompt, a premise and what follows from it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from polyglitch.languages import language as language_of
from polyglitch.mutate.reword import rewordings
from polyglitch.nlp.sentences import split_sentences
from polyglitch.records import Input, Part, Turn

SHORTEST = 5  # letters of a word whose inner letters can be shuffled
OPTION = re.compile(
    r"(?<!\w)\(?([A-Ha-h])[).:]\s+(.+?)(?=\s+\(?[A-Ha-h][).:]\s|[.;]?\s*$|[.;]?\n)", re.MULTILINE
)
STATED = re.compile(r"(?<!\w)(?:is|are|was|were|can|will|should|must)(?!\w)")
DENIED = re.compile(
    r"(?<!\w)(?:not|never|no|nobody|nothing|neither|without)(?!\w)|n't", re.IGNORECASE
)
InputChange = Callable[..., Iterator[Input]]


class FeatureRow(NamedTuple):
    """What a change may look at beside its text."""

    language: str
    label: str | None
    other_label: str | None
    other_context: str | None
    dice: random.Random
    ask: Callable[[str, str], str | None] = lambda kind, text: None  # of a model, by what it is for


Change = Callable[..., Iterator[str]]


class Lacking(KeyError):
    """A language has no phrases for a change, which then does not apply."""


class Phrases(dict[str, Any]):
    """The phrases and lists of a language; what it does not have is told apart from a mistake."""

    def __missing__(self, key: str) -> Any:
        raise Lacking(key)


@cache
def wording(language: str) -> Phrases:
    """The phrases and lists of a language."""
    return Phrases(language_of(language).table("llm.toml", "relations for LLM features"))


def phrase_before(text: str, row: FeatureRow, phrases: str) -> Iterator[str]:
    """A phrase before the question."""
    yield f"{row.dice.choice(wording(row.language)[phrases])} {text}"


def phrase_after(text: str, row: FeatureRow, phrases: str) -> Iterator[str]:
    """A phrase after the question."""
    yield f"{text.rstrip()} {row.dice.choice(wording(row.language)[phrases])}"


def wrong_answer(text: str, row: FeatureRow, phrases: str) -> Iterator[str]:
    """The answer of another row, claimed to be right."""
    wrong = row.other_label
    if wrong and row.label and not holds(row.label, wrong):
        said = row.dice.choice(wording(row.language)[phrases]).replace("{wrong}", wrong)
        yield f"{text.rstrip()} {said}"


def asked_for_no(text: str, row: FeatureRow) -> Iterator[str]:
    """Whether no would be the answer: a yes becomes a no, and a no a yes."""
    if (row.label or "").lower() in wording(row.language)["contrary"]:
        yield wording(row.language)["whether_no"].replace("{question}", text.strip())


def inverse_question(text: str, row: FeatureRow) -> Iterator[str]:
    """A comparison the other way round: "Is Ida older than Max?" as "Is Max younger than Ida?"."""
    name = r"([A-Z]\w*(?: [A-Z]\w*)*)"
    for one, other in wording(row.language)["converse"]:
        for word, new in ((one, other), (other, one)):
            # the first word of a question is its verb
            found = re.search(rf"(?<=\s){name} {word} {name}", text)
            if found:
                turned = f"{found[2]} {new} {found[1]}"
                yield text[: found.start()] + turned + text[found.end() :]
                return


def holds(text: str, part: str) -> bool:
    """Whether a text has a part as whole words."""
    return bool(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text, re.IGNORECASE))


def markdown(text: str, row: FeatureRow) -> Iterator[str]:
    """In bold."""
    yield f"**{text.strip()}**"


def emoji(text: str, row: FeatureRow) -> Iterator[str]:
    """An emoji at the end."""
    yield f"{text.rstrip()} {row.dice.choice(wording(row.language)['emoji'])}"


def shuffle_inner(text: str, row: FeatureRow) -> Iterator[str]:
    """The inner letters of a long word in another order; names are left as they are."""
    for word in _long_words(text, row.dice):
        inner = list(word[0][1:-1])
        row.dice.shuffle(inner)
        made = word[0][0] + "".join(inner) + word[0][-1]
        if made != word[0]:
            yield text[: word.start()] + made + text[word.end() :]


def leet(text: str, row: FeatureRow) -> Iterator[str]:
    """A long word with digits for letters."""
    table = str.maketrans(wording(row.language)["leet"])
    for word in _long_words(text, row.dice):
        yield text[: word.start()] + word[0].translate(table) + text[word.end() :]


def option_order(text: str, row: FeatureRow) -> Iterator[str]:
    """The options moved on by one, the letters where they were."""
    found = list(OPTION.finditer(text))
    if len(found) < 2:
        return
    texts = [match[2] for match in found]
    texts = texts[1:] + texts[:1]
    for match, new in reversed(list(zip(found, texts, strict=True))):
        text = text[: match.start(2)] + new + text[match.end(2) :]
    yield text


def replaced_letter(text: str, row: FeatureRow) -> Iterator[str]:
    """An inner letter of a long word becomes any other."""
    for word in _long_words(text, row.dice):
        at = row.dice.randrange(1, len(word[0]) - 1)
        letters = [each for each in "abcdefghijklmnopqrstuvwxyz" if each != word[0][at]]
        made = word[0][:at] + row.dice.choice(letters) + word[0][at + 1 :]
        yield text[: word.start()] + made + text[word.end() :]


def capital_word(text: str, row: FeatureRow) -> Iterator[str]:
    """A long word in capitals."""
    for word in _long_words(text, row.dice):
        yield text[: word.start()] + word[0].upper() + text[word.end() :]


def exclaimed(text: str, row: FeatureRow) -> Iterator[str]:
    """A full stop at the end becomes an exclamation mark."""
    if text.rstrip().endswith("."):
        yield text.rstrip()[:-1] + "!"


def asked_twice(text: str, row: FeatureRow) -> Iterator[str]:
    """The question again."""
    yield f"{text.rstrip()}\n{text.strip()}"


def paraphrased(text: str, row: FeatureRow) -> Iterator[str]:
    """The question opened in other words."""
    for old, new in wording(row.language)["paraphrases"]:
        found = re.match(old, text)
        if found:
            yield found.expand(new)


def format_again(text: str, row: FeatureRow, keys: str) -> Iterator[str]:
    """The form of the answer asked for once more."""
    listed = ", ".join(keys.split("/"))
    yield f"{text.rstrip()} {wording(row.language)['as_json'].replace('{keys}', listed)}"


def reworded(text: str, row: FeatureRow) -> Iterator[str]:
    """A word or number in other words."""
    for made, _ in rewordings(text, row.language):
        yield made


def rewritten(text: str, row: FeatureRow, kind: str) -> Iterator[str]:
    """As a model says it: in other words, or in another language."""
    made = row.ask(kind, text)
    if made and made.strip():
        after = wording(row.language)["answer_in"] if kind == "translate" else ""
        yield f"{made.strip()} {after}".strip()


def opposite_word(text: str, row: FeatureRow) -> Iterator[str]:
    """A word becomes its opposite, once."""
    for pair in wording(row.language)["opposites"]:
        for old, new in (pair, pair[::-1]):
            found = list(re.finditer(rf"(?<!\w){re.escape(old)}(?!\w)", text))
            if len(found) == 1:
                yield text[: found[0].start()] + new + text[found[0].end() :]


def denied(text: str, row: FeatureRow) -> Iterator[str]:
    """A statement with `not` after its verb."""
    yield from _after_verb(text, wording(row.language)["not"])


def emphasised(text: str, row: FeatureRow) -> Iterator[str]:
    """A statement with a stronger word after its verb."""
    yield from _after_verb(text, row.dice.choice(wording(row.language)["emphasis"]))


def other_tense(text: str, row: FeatureRow) -> Iterator[str]:
    """The verb of a question in another tense."""
    for old, new in wording(row.language)["tenses"]:
        found = re.search(rf"(?<!\w){old}(?!\w)", text)
        if found:
            yield text[: found.start()] + new + text[found.end() :]


def plural(text: str, row: FeatureRow) -> Iterator[str]:
    """`a bike` at the end of a clause becomes `bikes`."""
    for match in re.finditer(r"(?<!\w)an? ([a-z]{3,})(?=[?.!,;]|$)", text):
        noun = match[1]
        endings: list[list[str]] = wording(row.language)["plurals"]
        old, new = next((e for e in endings if noun.endswith(e[0])), ["", "s"])
        yield text[: match.start()] + noun[: len(noun) - len(old)] + new + text[match.end() :]


def passive(text: str, row: FeatureRow) -> Iterator[str]:
    """`Who planned the bridge?` becomes `By whom was the bridge planned?`."""
    found = re.fullmatch(r"Who (\w+ed) (the [^?]+)\?", text.strip())
    if found:
        yield f"By whom was {found[2]} {found[1]}?"


def as_question(text: str, row: FeatureRow) -> Iterator[str]:
    """A statement as a question whether it is so."""
    bare = text.strip()
    if re.fullmatch(r"[A-Z][^.!?\n]+\.", bare):
        first = bare.split(None, 1)[0].lower()
        little = language_of(row.language).function_words
        rest = bare[0].lower() + bare[1:-1] if first in little else bare[:-1]
        yield wording(row.language)["whether"].replace("{statement}", rest)


def stop_words_dropped(text: str, row: FeatureRow) -> Iterator[str]:
    """Without articles, as people type to a search box."""
    articles = "|".join(language_of(row.language).articles)
    if articles:
        yield re.sub(rf"(?<!\w)(?:{articles}) ", "", text)


def names_order(text: str, row: FeatureRow) -> Iterator[str]:
    """`Anna and Tom` becomes `Tom and Anna`, everywhere."""
    joined = wording(row.language)["and"]
    for match in re.finditer(rf"([A-Z]\w+) {joined} ([A-Z]\w+)(?! [A-Z])", text):
        before = text[: match.start()].rstrip()[-1:]
        if not before.isupper():
            yield text.replace(match[0], f"{match[2]} {joined} {match[1]}")


def function_renamed(text: str, row: FeatureRow) -> Iterator[str]:
    """A function of some code has another name, everywhere."""
    for name in dict.fromkeys(re.findall(r"(?<!\w)def ([a-z]\w+)", text)):
        new = next(n for n in ("process", "handle", "compute") if n not in text)
        yield re.sub(rf"(?<!\w){name}(?!\w)", new, text)


def _after_verb(text: str, word: str) -> Iterator[str]:
    """A statement with a word after its only verb of being."""
    found = STATED.search(text)
    if found and not text.rstrip().endswith("?") and not DENIED.search(text):
        yield f"{text[: found.end()]} {word}{text[found.end() :]}"


def has_options(text: str) -> bool:
    """Whether a question offers options by letters."""
    letters = [match[1].upper() for match in OPTION.finditer(text)]
    return len(letters) > 1 and letters == sorted(set(letters))


def _long_words(text: str, dice: random.Random) -> list[re.Match[str]]:
    found = [m for m in re.finditer(r"(?<!\w)[a-z]+(?!\w)", text) if len(m[0]) >= SHORTEST]
    dice.shuffle(found)
    return found


CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        *(phrase_before, phrase_after, wrong_answer, markdown, emoji, shuffle_inner, leet),
        *(replaced_letter, capital_word, exclaimed, asked_twice, paraphrased, reworded, rewritten),
        *(opposite_word, denied, emphasised, other_tense, plural, passive, as_question),
        *(stop_words_dropped, names_order, function_renamed, option_order, format_again),
        *(asked_for_no, inverse_question),
    )
}


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
