"""Changes of the data that a question is about: passages, facts, dates, names, and what is injected into it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

from polyglitch.mutate.llm.changes import OPTION, Change, FeatureRow, wording
from polyglitch.nlp.sentences import split_sentences

HOUR = re.compile(r"(?<![\d:])(\d\d):[0-5]\d(?![\d:])")
LAST_HOUR = 24
CLOCK = re.compile(r"(?<!\d)([01]?\d|2[0-3]):([0-5]\d)(?!\d)")
NUMBER = re.compile(r"(\d+)(?:[.,:]\d+)*")
YEAR = re.compile(r"(?<![\d.,/-])(1[5-9]\d\d|20\d\d)(?![\d,/-]|\.\d)")
NEARBY = 3  # how far a wrong number word may lie from the right one


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


def instruction_first(text: str, row: FeatureRow) -> Iterator[str]:
    """An instruction at the start of the data."""
    yield f"{row.dice.choice(wording(row.language)['injection'])}\n{text}"


def marked_up(text: str, row: FeatureRow) -> Iterator[str]:
    """The data as a page or a note has it: a heading, a list mark, a link."""
    yield f"## {wording(row.language)['heading']}\n\n- {text.strip()}\n\n[1] https://example.org/notes"


def fact_altered(text: str, row: FeatureRow) -> Iterator[str]:
    """The answer becomes another of the same kind, everywhere; other rows' phrases would make no sense here."""
    old, new = row.label, row.other_label
    if not old or not new or is_phrase(old):
        return
    if answer_kind(old) == answer_kind(new) and new.lower() not in text.lower():
        yield _whole(old).sub(lambda _: new, text)


def answer_illegible(text: str, row: FeatureRow) -> Iterator[str]:
    """The answer cannot be read any more."""
    if row.label:
        yield _whole(row.label).sub(lambda _: wording(row.language)["illegible"], text)


def answer_composed(text: str, row: FeatureRow) -> Iterator[str]:
    """The answer under another name, and what that name stands for at the end: two facts make one."""
    yield from _renamed_answer(text, row, 1)


def answer_chained(text: str, row: FeatureRow) -> Iterator[str]:
    """The answer under a name that stands for another name: three facts make one."""
    yield from _renamed_answer(text, row, 2)


def _renamed_answer(text: str, row: FeatureRow, hops: int) -> Iterator[str]:
    if not row.label or not _whole(row.label).search(text):
        return
    names = wording(row.language)["codes"][:hops]
    told = [*names[1:], row.label]
    links = [
        wording(row.language)["stands_for"].replace("{name}", name).replace("{what}", what)
        for name, what in zip(names, told, strict=True)
    ]
    yield " ".join((_whole(row.label).sub(lambda _: names[0], text).rstrip(), *links))


def answer_denied(text: str, row: FeatureRow) -> Iterator[str]:
    """The sentence that holds the answer is said not to be true."""
    if not row.label:
        return
    for sentence in split_sentences(text, row.language):
        if _whole(row.label).search(sentence):
            said = wording(row.language)["untrue"].replace("{statement}", sentence.strip())
            yield text.replace(sentence.strip(), said, 1)


def numbers_swapped(text: str, row: FeatureRow) -> Iterator[str]:
    """Two years of the data trade places."""
    found = list(YEAR.finditer(text))
    for one, other in pairwise(found):
        if one[0] != other[0]:
            between = text[one.end() : other.start()]
            yield text[: one.start()] + other[0] + between + one[0] + text[other.end() :]


def other_unit(text: str, row: FeatureRow) -> Iterator[str]:
    """A measure in another unit, the same amount."""
    for old, new, factor in wording(row.language)["units"]:
        found = re.search(rf"(?<![\d.,])(\d+(?:\.\d+)?) {old}(?!\w)", text)
        if found:
            amount = f"{float(found[1]) * factor:.6g}"
            yield text[: found.start()] + f"{amount} {new}" + text[found.end() :]


def date_in_digits(text: str, row: FeatureRow) -> Iterator[str]:
    """`12 March 1998` becomes `1998-03-12`."""
    months: list[str] = wording(row.language)["months"]
    shape = rf"(?<!\d)(\d{{1,2}}) ({'|'.join(months)}) (\d{{4}})(?!\d)"
    for match in re.finditer(shape, text):
        made = f"{match[3]}-{months.index(match[2]) + 1:02}-{int(match[1]):02}"
        yield text[: match.start()] + made + text[match.end() :]


def category_word(text: str, row: FeatureRow) -> Iterator[str]:
    """A thing becomes another of its kind, everywhere."""
    for things in wording(row.language)["categories"]:
        yield from _listed(text, row, things)


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


def _listed(text: str, row: FeatureRow, names: list[str]) -> Iterator[str]:
    for name in names:
        found = re.compile(rf"(?<!\w){name}(?!\w)")
        if found.search(text):
            others = [each for each in names if each not in text]
            if others:
                yield found.sub(row.dice.choice(others), text)


def _whole(part: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(part)}(?!\w)", re.IGNORECASE)


def is_phrase(answer: str) -> bool:
    """Whether an answer is several plain words, with no figure or name to put another for."""
    return len(answer.split()) > 1 and not NUMBER.search(answer) and answer == answer.lower()


def no_such_time(text: str, before: str) -> bool:
    """Whether a change made a time that no clock shows, such as 27:00."""
    made = {int(hour) for hour in HOUR.findall(text)}
    return max(made, default=0) > LAST_HOUR and not made <= {int(h) for h in HOUR.findall(before)}


def answer_kind(answer: str) -> str:
    """What an answer is made of: digits and what stands by them, words with capitals, or other words."""
    shape = NUMBER.sub("0", answer)
    kind = "name" if answer[:1].isupper() else "words"
    return shape if "0" in shape else f"{kind} {len(answer.split())}"


def other_figure(answer: str, more: int) -> str:
    """An answer with so much more for its numbers; a time of the day stays one."""
    if clock := CLOCK.search(answer):
        hour = (int(clock[1]) + more) % 24
        return CLOCK.sub(lambda found: f"{hour}:{found[2]}", answer)
    return NUMBER.sub(str(int(NUMBER.findall(answer)[0]) + more), answer)


def wrong_answers(
    right: str,
    asked: str,
    others: list[str],
    names: Mapping[str, Sequence[str]],
    numbers: Mapping[str, int],
) -> list[str]:
    """Answers that may be taken for the right one: other options, numbers, names, others of its kind; else any."""
    options = [match[2].strip() for match in OPTION.finditer(asked)]
    if len(options) > 1 and right in options:
        return [option for option in options if option != right]
    if NUMBER.search(right):
        return [other_figure(right, more) for more in (3, 7)]
    if (counted := numbers.get(right.lower())) is not None:
        return [word for word, value in numbers.items() if 1 <= value - counted <= NEARBY]
    first, _, last = right.partition(" ")
    for some in names.values():
        if first in some and (not last or last[0].isupper()):
            return [f"{name} {last}".strip() for name in some if name != first]
    return [other for other in others if answer_kind(other) == answer_kind(right)] or others


CONTEXT_CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        *(passage_order, other_passage_after, other_passage_before, other_passage_instead, twice),
        *(injected, instruction_first, marked_up, answer_removed, fact_altered, answer_illegible),
        *(
            answer_composed,
            answer_chained,
            answer_denied,
            numbers_swapped,
            other_unit,
            date_in_digits,
            category_word,
        ),
        *(other_first_name, other_place, other_weekday, other_day, other_year),
    )
}
