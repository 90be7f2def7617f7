"""From question to statement by rules on the parse: `does it snow in May?` to `it snows in May`.

Where the subject ends is the only hard part. The parse of the question proposes an end, every other place is tried
too, and what comes out must parse as a statement whose subject is exactly the words before the verb; a question for
which no place passes gives no statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polyglitch.mutate.qa.wording import auxiliaries, bare, conjugate, small, subtree, words
from polyglitch.protocols import Parser
from polyglitch.records import Parse, Token

SUBJECTS = ("nsubj", "nsubjpass", "expl", "csubj")
NEGATIONS = ("n't", "not")
# A subject of more words than this is nearly always a wrong parse of a typed question.
LONGEST_SUBJECT = 12


@dataclass(frozen=True)
class QuestionParts:
    """A question taken apart: words before the auxiliary (wh-phrase), auxiliary, negation, and the rest."""

    parse: Parse
    opening: tuple[Token, ...]
    auxiliary: str
    negation: str
    rest: tuple[Token, ...]


@dataclass(frozen=True)
class Attempt:
    """A statement to be checked: its text, and how many letters of it are the subject."""

    text: str
    width: int


def take_apart(parse: Parse) -> QuestionParts | None:
    """The parts of a question with an auxiliary, or nothing for one that has another shape."""
    tokens = tuple(token for token in parse.tokens if token.text not in ("?", "."))
    place = next((i for i, t in enumerate(tokens) if t.text.lower() in auxiliaries()), None)
    if place is None or place + 1 >= len(tokens):
        return None
    opening, rest = tokens[:place], tokens[place + 1 :]
    if opening and not is_question_phrase(opening):
        return None
    negation = ""
    if rest[0].text.lower() in NEGATIONS and len(rest) > 1:
        negation, rest = rest[0].text.lower(), rest[1:]
    return QuestionParts(parse, opening, tokens[place].text.lower(), negation, rest)


def is_question_phrase(tokens: Sequence[Token]) -> bool:
    """Whether a phrase asks: it starts with a question word, perhaps after a preposition."""
    first = tokens[1] if tokens[0].pos == "ADP" and len(tokens) > 1 else tokens[0]
    return first.text.lower() in words("question_words")


def is_yes_no(question: str) -> bool:
    """Whether a question can be answered by yes or no, by its first word."""
    first = bare(question).split(" ")[0].lower()
    return (
        first.removesuffix("n't").replace("wo", "will") in auxiliaries() or first in auxiliaries()
    )


def attempts(asked: QuestionParts) -> list[Attempt]:
    """Statements for every place where the subject may end, the likeliest first."""
    if asked.rest[0].text.lower() in words("lone_subjects"):
        ends = [1]
    else:
        likely = subject_end(asked)
        most = min(len(asked.rest), LONGEST_SUBJECT)
        ends = [end for end in range(1, most + 1) if may_end(asked, end)]
        ends.sort(key=lambda end: (end != likely, start_class(asked, end), -end))
    made = [arrange(asked, end) for end in ends]
    return [attempt for attempt in made if attempt is not None]


def may_end(asked: QuestionParts, end: int) -> bool:
    """Whether a subject can end before this word: after a noun, and not inside a phrase."""
    last = asked.rest[end - 1]
    if last.pos not in ("NOUN", "PROPN", "PRON", "NUM") and not (last.tag == "VBG" and end == 1):
        return last.pos == "ADJ" and end == subject_end(asked)
    if end == len(asked.rest):
        return bool(asked.opening) and asked.auxiliary in words("be")
    after = asked.rest[end]
    if asked.auxiliary in words("do"):
        return True  # the verb that must follow is the better sign
    return start_class(asked, end) < UNLIKELY and after.text.lower() not in ("of", "to", "'s")


UNLIKELY = 9


def start_class(asked: QuestionParts, end: int) -> int:
    """How well the word at `end` starts a predicate: verbs and articles best, nouns hardly."""
    if end >= len(asked.rest):
        return 2
    before, after = asked.rest[end - 1], asked.rest[end]
    if after.pos in ("VERB", "AUX", "ADV", "PART") or after.tag in ("VBN", "VBG"):
        return 0
    if after.pos in ("DET", "ADJ", "PRON"):
        return 0
    if after.pos == "ADP":
        return 1
    if after.pos == "NUM" and before.pos != "PROPN":
        return 2
    return UNLIKELY


def subject_end(asked: QuestionParts) -> int | None:
    """How many words of the rest the parse takes for the subject."""
    offsets = {token.start: place for place, token in enumerate(asked.rest)}
    for index, token in enumerate(asked.parse.tokens):
        if token.relation in SUBJECTS and token.start in offsets:
            places = [
                offsets.get(asked.parse.tokens[i].start, -1) for i in subtree(asked.parse, index)
            ]
            if min(places) == 0:
                return max(places) + 1
    return None


def arrange(asked: QuestionParts, end: int) -> Attempt | None:
    """The statement whose subject is the first `end` words of the rest."""
    rest = list(asked.rest[end:])
    subject = span(asked.parse, asked.rest[:end])
    if asked.auxiliary not in words("do"):
        verb = asked.auxiliary + {"": "", "n't": "n't", "not": " not"}[asked.negation]
        return Attempt(joined(subject, verb, span(asked.parse, rest)), len(subject))
    if asked.negation:
        parts = (subject, f"{asked.auxiliary}n't", span(asked.parse, rest))
        return Attempt(joined(*parts), len(subject))
    adverbs = 0
    while adverbs < len(rest) and rest[adverbs].pos == "ADV":
        adverbs += 1
    bases = ("VB", "VBP") if any(t.tag in ("VB", "VBP") for t in asked.rest) else ("NN", "JJ")
    if adverbs == len(rest) or rest[adverbs].tag not in bases:
        return None
    if rest[adverbs].text.lower() in words("be"):
        return None  # no base form: the question is not well formed, or the split is wrong
    form = conjugate(rest[adverbs].text.lower(), asked.auxiliary)
    before, after = span(asked.parse, rest[:adverbs]), span(asked.parse, rest[adverbs + 1 :])
    return Attempt(joined(subject, before, form, after), len(subject))


def span(parse: Parse, tokens: Sequence[Token]) -> str:
    """The text from the first to the last of some tokens, as it stands."""
    return parse.text[tokens[0].start : tokens[-1].end] if tokens else ""


def joined(*parts: str) -> str:
    """The parts that are not empty, with blanks between them."""
    return " ".join(part for part in parts if part)


def reads_well(attempt: Attempt, parse: Parse) -> bool:
    """Whether the parse of a statement has the intended words as the subject of its root."""
    after = [i for i, token in enumerate(parse.tokens) if token.start > attempt.width]
    verb = next((i for i in after if parse.tokens[i].pos != "ADV"), None)
    if verb is None:
        return False
    root = parse.tokens[verb].head
    if parse.tokens[root].head != root:
        return False
    for index, token in enumerate(parse.tokens):
        if token.relation in SUBJECTS and token.head == root:
            places = subtree(parse, index)
            whole = parse.tokens[places[0]].start == 0
            return whole and parse.tokens[places[-1]].end == attempt.width
    return False


def to_statements(
    parses: Sequence[Parse],
    parser: Parser,
    wanted: Callable[[QuestionParts], bool] = lambda _: True,
) -> list[str | None]:
    """The statement of each question, or nothing; parsed in one batch."""
    tried: list[list[Attempt]] = []
    for parse in parses:
        asked = take_apart(parse)
        tried.append(attempts(asked) if asked is not None and wanted(asked) else [])
    checked = iter(parser.parse([attempt.text + "." for made in tried for attempt in made]))
    found: list[str | None] = []
    for made in tried:
        good = [attempt.text for attempt in made if reads_well(attempt, next(checked))]
        found.append(good[0] if good else None)
    return found


def yes_no_statements(parses: Sequence[Parse], parser: Parser) -> list[str | None]:
    """Statements of yes/no questions only."""
    return to_statements(parses, parser, lambda asked: not asked.opening)


def embedded(parses: Sequence[Parse], parser: Parser) -> list[str | None]:
    """Each question as a clause: `whether it snows in May`, `where the witch lives`."""
    statements = to_statements(parses, parser)
    found: list[str | None] = []
    for parse, statement in zip(parses, statements, strict=True):
        asked = take_apart(parse)
        if asked is None or asks_for_subject(asked):
            first = parse.tokens[0].text.lower() if parse.tokens else ""
            asks = first in words("question_words")
            found.append(small(bare(parse.text), is_name=False) if asks else None)
        elif statement is None:
            found.append(None)
        else:
            phrase = small(span(parse, asked.opening), is_name=False)
            found.append(f"{phrase} {statement}" if phrase else f"whether {statement}")
    return found


def asks_for_subject(asked: QuestionParts) -> bool:
    """Whether the question phrase is the subject itself: `who has won`, `which team was first`."""
    if not asked.opening or asked.auxiliary in words("do"):
        return False
    if asked.opening[0].text.lower() in ("why", "how", "when", "where") and len(asked.opening) == 1:
        return False
    return asked.rest[0].pos not in ("DET", "NOUN", "PROPN", "PRON") and subject_end(asked) is None
