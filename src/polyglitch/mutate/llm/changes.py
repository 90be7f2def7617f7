"""Changes of what is asked: each gives the texts that a question becomes, none where it does not apply."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from polyglitch.languages import language as language_of
from polyglitch.mutate.reword import rewordings

SHORTEST = 5  # letters of a word whose inner letters can be shuffled
OPTION = re.compile(
    r"(?<!\w)\(?([A-Ha-h])[).:]\s+(.+?)(?=\s+\(?[A-Ha-h][).:]\s|[.;]?\s*$|[.;]?\n)", re.MULTILINE
)
STATED = re.compile(r"(?<!\w)(?:is|are|was|were|can|will|should|must)(?!\w)")
DENIED = re.compile(
    r"(?<!\w)(?:not|never|no|nobody|nothing|neither|without)(?!\w)|n't", re.IGNORECASE
)


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
