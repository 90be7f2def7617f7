"""Changes of whole sentences: order, voice, and sentences added that do not matter, or that do."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.terms import open_lexicon, wording
from polyglitch.nlp.proposers.slot_words import begins_with_name
from polyglitch.records import Parse, Token

END = re.compile(r"(?<=[a-z][a-z][a-z\")][.!?])\s+(?=[A-Z\"“])")
POINTS_BACK = re.compile(
    r"^(?:but|and|or|so|yet|also|too|then|however|therefore|still|instead|otherwise|besides|moreover|thus|why|plus"
    r"|unfortunately|fortunately|luckily|sadly|nevertheless|nonetheless|anyway|afterwards|overall|finally"
    r"|in short|in addition)\b"
    r"|\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|this|that|these|those|such|both|one|ones|another"
    r"|other|others|same|too|though|either|neither|answered|replied)\b",
    re.IGNORECASE,
)
FEWEST = 2  # words of a sentence that can come first; one alone mostly ends a letter: "Regards."
# Phrases that open a sentence without saying anything: a second would pile up.
OPENED = re.compile(
    r"^(?:(?:i|we|you) (?:really |do |just )?(?:think|believe|feel|guess|suppose|know|hear|heard|must say)\b"
    r"|thank|in my (?:opinion|view)\b|as (?:far as|everyone|you)\b|by the way\b|to be honest\b|honestly\b|frankly\b)",
    re.IGNORECASE,
)
SUBJECT_FORM = {
    "him": "he",
    "her": "she",
    "them": "they",
    "me": "I",
    "us": "we",
    "it": "it",
    "you": "you",
}
STATIVE = (
    "include",
    "contain",
    "hold",
    "have",
    "be",
    "do",
    "lack",
    "mean",
    "resemble",
    "become",
    "cost",
    "make",
    "want",
    "need",
)
LONGEST = 6  # words of an object that can still come first
OBJECT_FORM = {"he": "him", "she": "her", "they": "them"}
AUTHORS = ("i", "we")


def other_order(parse: Parse, dice: random.Random) -> Iterator[str]:
    """The last of several sentences comes first."""
    parts = END.split(parse.text.strip())
    if len(parts) < 2 or parts[-2].endswith("?") or _torn(parts[-1]):
        return
    whole = parts[-1].rstrip("\"'”’)").endswith((".", "!", "?"))
    enough = len(parts[-1].split()) >= FEWEST
    # What points back to a sentence cannot come before it, nor can the first be parted from what it announces.
    back = POINTS_BACK.search(parts[-1]) or _goes_on(parse, parts[-1])
    if whole and enough and not back:
        yield " ".join([parts[-1], *parts[:-1]])


def _torn(text: str) -> bool:
    """Whether a quotation or a bracket of the text began before it."""
    return (
        text.count('"') % 2 == 1
        or text.count("”") > text.count("“")
        or text.count(")") > text.count("(")
    )


def _goes_on(parse: Parse, text: str) -> bool:
    """Whether a sentence of the text begins with a word that goes on from others, asks or calls: "and", "okay"."""
    start = parse.text.rfind(text)
    first = next((token for token in parse.tokens if token.start >= start), None)
    return first is not None and (first.tag in ("CC", "UH") or first.tag[:1] == "W")


def irrelevant_after(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A sentence about something else at the end."""
    yield f"{_closed(parse.text)} {dice.choice(wording('sentences', parse.language)['irrelevant'])}"


def irrelevant_before(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A sentence about something else at the start."""
    yield f"{dice.choice(wording('sentences', parse.language)['irrelevant'])} {parse.text}"


def opening_phrase(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A phrase that only opens the sentence."""
    first = parse.tokens[0] if parse.tokens else None
    if first is not None and parse.text[:1].isalpha():
        asks = "?" in parse.text or not any(
            token.relation.startswith("nsubj")
            and index < token.head == parse.tokens[token.head].head
            for index, token in enumerate(parse.tokens)
        )
        if asks or OPENED.match(parse.text) or _goes_on(parse, parse.text):
            return  # questions and orders are not known by anybody, and one opening is enough
        keep = begins_with_name(parse) or first.text == "I" or first.text[1:].isupper()
        rest = parse.text if keep else parse.text[:1].lower() + parse.text[1:]
        said = wording("sentences", parse.language)
        # What an author did, has or feels is no hearsay to that author: "As far as I know, my bike is broken".
        own = any(token.text.lower() in said["authors"] for token in parse.tokens)
        # Nor is an opinion: "As far as I know, the soup was awful".
        lexicon = open_lexicon(parse.language, ("bundled",))
        own |= any(
            lexicon.polarity(token.text, token.lemma) in ("positive", "negative")
            for token in parse.tokens
        )
        yield f"{dice.choice(said['hedges_of_own' if own else 'hedges'])} {rest}"


def praise_after(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A sentence of praise at the end; a question has nothing to praise."""
    if not parse.text.rstrip().endswith("?"):
        yield f"{_closed(parse.text)} {dice.choice(wording('sentences', parse.language)['praise'])}"


def blame_after(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A sentence of blame at the end; a question has nothing to blame."""
    if not parse.text.rstrip().endswith("?"):
        yield f"{_closed(parse.text)} {dice.choice(wording('sentences', parse.language)['blame'])}"


def said_twice(parse: Parse, dice: random.Random) -> Iterator[str]:
    """The same text again."""
    known = language_of(parse.language)
    ended = parse.text.rstrip().endswith(known.sentence_marks)
    said = parse.text.rstrip() if ended else f"{parse.text.rstrip()}{known.full_stop}"
    yield f"{said}{' ' * known.spaced}{parse.text}"


def link_after(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A link at the end, as in a post."""
    yield f"{parse.text} https://example.org/{dice.randrange(16**6):06x}"


def handle_before(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A mention at the start, as in a post."""
    yield f"@reader{dice.randrange(1000)} {parse.text}"


def reported(parse: Parse, dice: random.Random) -> Iterator[str]:
    """The author's own words, said to be so; a question is no opinion."""
    if not parse.text.rstrip().endswith("?"):
        yield f'Here is what I think: "{parse.text.replace(chr(34), chr(39))}"'


def passive(parse: Parse, dice: random.Random) -> Iterator[str]:
    """`The dog chased the cat` becomes `The cat was chased by the dog`."""
    roots = [i for i, token in enumerate(parse.tokens) if token.head == i]
    root = roots[0] if len(roots) == 1 else None
    if root is None or parse.tokens[root].tag not in ("VBD", "VBZ"):
        return
    verb = parse.tokens[root]
    children = [i for i, token in enumerate(parse.tokens) if token.head == root and i != root]
    relations = {parse.tokens[i].relation: i for i in children}
    allowed = {"nsubj", "dobj", "punct"}
    if not {"nsubj", "dobj"} <= set(relations) <= allowed or verb.lemma in STATIVE:
        return
    subject, thing = (_span(parse, relations[name]) for name in ("nsubj", "dobj"))
    participle = _participle(verb, parse.language)
    parts = parse.tokens[thing[0] : thing[1]]
    # "Held her breath", "stores every message in a table", "includes meals but no drinks"; "nobody", "spat and cursed".
    loose = any(
        token.tag in ("PRP$", "CC") or (token.relation == "prep" and token.lemma != "of")
        for token in parts
    ) or any(
        token.tag == "CC"
        or (token.pos in ("VERB", "AUX", "PRON") and token.lemma.lower() not in OBJECT_FORM)
        for token in parse.tokens[subject[0] : subject[1]]
    )
    if (
        participle is None
        or loose
        or subject[1] > root
        or thing[0] < root
        or thing[0] != root + 1
        or thing[1] - thing[0] > LONGEST
    ):
        return
    plural = parse.tokens[relations["dobj"]].tag in ("NNS", "NNPS") or _text(
        parse, thing
    ).lower() in ("them", "us", "you")
    be = ("were" if plural else "was") if verb.tag == "VBD" else ("are" if plural else "is")
    new_subject = SUBJECT_FORM.get(_text(parse, thing).lower(), _text(parse, thing))
    agent = _text(parse, subject)
    first = parse.tokens[subject[0]]
    if not (first.pos == "PROPN" and (subject[0] or begins_with_name(parse))) and first.text != "I":
        agent = agent[:1].lower() + agent[1:]
    if agent.lower() in AUTHORS:
        return  # "The bus was missed by me"
    agent = OBJECT_FORM.get(agent.lower(), agent)
    mark = parse.text.rstrip()[-1:] if parse.text.rstrip()[-1:] in ".!" else ""
    yield f"{new_subject[:1].upper()}{new_subject[1:]} {be} {participle} by {agent}{mark}"


def _text(parse: Parse, span: tuple[int, int]) -> str:
    """The words of a span."""
    return parse.text[parse.tokens[span[0]].start : parse.tokens[span[1] - 1].end]


def _span(parse: Parse, index: int) -> tuple[int, int]:
    below = {index}
    for _ in parse.tokens:
        more = {i for i, token in enumerate(parse.tokens) if token.head in below} - below
        if not more:
            break
        below |= more
    return min(below), max(below) + 1


def _participle(verb: Token, language: str) -> str | None:
    """The regular participle; irregular verbs are left alone, save those that tell it by their past."""
    lemma = verb.lemma.lower()
    known: dict[str, str] = wording("participles", language)
    if lemma in known:
        return known[lemma]
    if verb.tag == "VBD" and verb.text.lower().endswith("ed"):
        return verb.text.lower()
    if verb.tag == "VBZ" and lemma.endswith("e"):
        return lemma + "d"
    return None


def _closed(text: str) -> str:
    text = text.rstrip()
    return text if text[-1:] in ".!?" else text + "."
