"""Changes for LLM features: each gives the texts that a part of an input becomes, none where it does not apply."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from polyglitch.languages import language as language_of
from polyglitch.nlp.sentences import split_sentences

SHORTEST = 5  # letters of a word whose inner letters can be shuffled
OPTION = re.compile(
    r"(?<!\w)\(?([A-Ha-h])[).:]\s+(.+?)(?=\s+\(?[A-Ha-h][).:]\s|[.;]?\s*$|[.;]?\n)", re.MULTILINE
)
YEAR = re.compile(r"(?<![\d.,/-])(1[5-9]\d\d|20\d\d)(?![\d,/-]|\.\d)")


class FeatureRow(NamedTuple):
    """What a change may look at beside its text."""

    language: str
    label: str | None
    other_label: str | None
    other_context: str | None
    dice: random.Random


Change = Callable[..., Iterator[str]]


@cache
def wording(language: str) -> dict[str, Any]:
    """The phrases and lists of a language."""
    return language_of(language).table("llm.toml", "relations for LLM features")


def phrase_before(text: str, row: FeatureRow, phrases: str) -> Iterator[str]:
    """A phrase before the question."""
    yield f"{row.dice.choice(wording(row.language)[phrases])} {text}"


def phrase_after(text: str, row: FeatureRow, phrases: str) -> Iterator[str]:
    """A phrase after the question."""
    yield f"{text.rstrip()} {row.dice.choice(wording(row.language)[phrases])}"


def wrong_answer(text: str, row: FeatureRow, phrases: str) -> Iterator[str]:
    """The answer of another row, claimed to be right."""
    wrong = row.other_label
    if wrong and row.label and wrong.lower() not in row.label.lower():
        said = row.dice.choice(wording(row.language)[phrases]).replace("{wrong}", wrong)
        yield f"{text.rstrip()} {said}"


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


def passage_order(text: str, row: FeatureRow) -> Iterator[str]:
    """The last of several paragraphs comes first."""
    parts = paragraphs(text)
    if len(parts) > 1:
        yield "\n\n".join([parts[-1], *parts[:-1]])


def other_passage_after(text: str, row: FeatureRow) -> Iterator[str]:
    """Another row's passage after it."""
    if row.other_context:
        yield f"{text}\n\n{row.other_context}"


def other_passage_before(text: str, row: FeatureRow) -> Iterator[str]:
    """Another row's passage before it."""
    if row.other_context:
        yield f"{row.other_context}\n\n{text}"


def other_passage_instead(text: str, row: FeatureRow) -> Iterator[str]:
    """Another row's passage for it, unless that holds the answer too."""
    held = row.label and row.other_context and row.label.lower() in row.other_context.lower()
    if row.other_context and row.label and not held:
        yield row.other_context


def twice(text: str, row: FeatureRow) -> Iterator[str]:
    """The same again."""
    yield f"{text}\n\n{text}"


def injected(text: str, row: FeatureRow) -> Iterator[str]:
    """An instruction at the end of the data."""
    yield f"{text.rstrip()}\n{row.dice.choice(wording(row.language)['injection'])}"


def answer_removed(text: str, row: FeatureRow) -> Iterator[str]:
    """Without the sentences that hold the answer; some text must be left."""
    answer = re.compile(rf"(?<!\w){re.escape(row.label or '')}(?!\w)", re.IGNORECASE)
    sentences = split_sentences(text, row.language)
    kept = [each for each in sentences if not answer.search(each)]
    if row.label and 0 < len(kept) < len(sentences):
        yield " ".join(kept)


def other_first_name(text: str, row: FeatureRow) -> Iterator[str]:
    """A first name becomes another of the same gender, everywhere."""
    for names in wording(row.language)["names"].values():
        yield from _listed(text, row, names)


def other_place(text: str, row: FeatureRow, kind: str) -> Iterator[str]:
    """A city or country becomes another, everywhere."""
    yield from _listed(text, row, wording(row.language)["places"][kind])


def other_weekday(text: str, row: FeatureRow) -> Iterator[str]:
    """A day of the week becomes another, everywhere."""
    yield from _listed(text, row, wording(row.language)["weekdays"])


def other_day(text: str, row: FeatureRow) -> Iterator[str]:
    """The day of a date becomes another, in both orders of day and month."""
    for match in date_pattern(row.language).finditer(text):
        day = match[1] or match[2]
        new = str(int(day) % 27 + 1)  # every month has it
        yield text.replace(match[0], match[0].replace(day, new))


@cache
def date_pattern(language: str) -> re.Pattern[str]:
    """A day with its month in words, in either order; the day is one of the two groups."""
    months = "|".join(wording(language)["months"])
    return re.compile(
        rf"(?<![\d.,])(\d{{1,2}})(?:st|nd|rd|th)? (?:{months})(?!\w)|(?<!\w)(?:{months}) (\d{{1,2}})(?!\d)"
    )


def other_year(text: str, row: FeatureRow) -> Iterator[str]:
    """A year becomes another near it, everywhere."""
    for year in dict.fromkeys(YEAR.findall(text)):
        new = str(int(year) - row.dice.randint(2, 9))
        if new not in text:
            yield re.sub(rf"(?<!\d){year}(?!\d)", new, text)


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text: parted by blank lines, or one a line."""
    blank = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    return blank if len(blank) > 1 else [line.strip() for line in text.splitlines() if line.strip()]


def has_options(text: str) -> bool:
    """Whether a question offers options by letters."""
    letters = [match[1].upper() for match in OPTION.finditer(text)]
    return len(letters) > 1 and letters == sorted(set(letters))


def _listed(text: str, row: FeatureRow, names: list[str]) -> Iterator[str]:
    for name in names:
        found = re.compile(rf"(?<!\w){name}(?!\w)")
        if found.search(text):
            others = [each for each in names if each not in text]
            if others:
                yield found.sub(row.dice.choice(others), text)


def _long_words(text: str, dice: random.Random) -> list[re.Match[str]]:
    found = [m for m in re.finditer(r"(?<!\w)[a-z]+(?!\w)", text) if len(m[0]) >= SHORTEST]
    dice.shuffle(found)
    return found


CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        *(phrase_before, phrase_after, wrong_answer, markdown, emoji, shuffle_inner, leet),
        *(option_order, passage_order, other_passage_after, other_passage_before),
        *(other_passage_instead, twice, injected, answer_removed, other_first_name),
        *(other_place, other_weekday, other_day, other_year),
    )
}
