"""Phrases and clauses that a richer production of the grammar has and a sentence lacks, with the places that bear them.

A frame names its production (`NP -> NP SBAR`), what that adds (SBAR), where it goes (behind a noun, between commas
before the verb phrase, behind a conjunction, at the end of a statement, before a noun), beside which words, and its own
words, some of them to be chosen: "that it (tells|unfolds)". Frames are data of the language: they take no side and
report nobody else's view.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import msgspec

from polyglitch.languages import DEFAULT
from polyglitch.mutate.capabilities.places import (
    BREAKS,
    FEW,
    FINITE,
    NOUNS,
    abusive,
    asks,
    asserted,
    bears_commas,
    expansion_table,
    left_alone,
    like_participle,
    said,
    sure_of,
)
from polyglitch.nlp.parsers.constituents import Grammar, Symbols, productions, tree_of
from polyglitch.records import Parse, Token, digest

CHOICE = re.compile(r"\(([^()]*)\)")
PER_FRAME = 10  # wordings of a frame that a model looks at: each costs it some six tokens
SHORTEST, LONGEST = 4, 18  # tokens of a statement that takes a phrase at its end
SUBJECT = ("nsubj", "nsubjpass")
ROLES = frozenset({*SUBJECT, "dobj", "pobj", "attr"})
PREDICATES = frozenset({"acomp", "attr", "ccomp"})
BEFORE_NOUN = frozenset({"det", "amod", "compound", "nmod"})
# What shows that a statement has a second clause, which a phrase at the end would hang on.
SECOND_CLAUSE = frozenset(
    {"advcl", "relcl", "acl", "ccomp", "csubj", "parataxis", "mark", "pcomp", "xcomp", "dep"}
)
REST = "..."  # in a production: what the sentence has there
WITHIN_NOUN = frozenset({"pobj", "prep", "compound", "conj", "nmod"})
TAIL = 6  # tokens at the end, none of which sets something off
MOST_WITHOUT_COMMA = 13  # tokens: behind more a phrase hangs on the last of them


class PhraseFrame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may be added, by which production, where, and beside what."""

    production: str
    adds: str
    place: str
    words: tuple[str, ...]
    commas: bool = False
    view: bool = False  # it tells how the writer sees it: no rule quotes that
    nouns: str = ""  # where it goes beside a noun: which ones
    articles: str = ""  # and which words may stand before these; "-" for none
    subject: bool = False  # only where the noun is one
    best: bool = False  # only where one is called the best, the first, the only one
    verb: str = ""  # "be", or the tag of the main verb
    verbs_out: str = ""  # lemmas that it must not be
    judges: bool = False  # only beside a verb of a judgement
    sure: bool = False  # it tells certainty, which the text must not tell already
    subjects: str = ""  # of the main verb; any where none is named

    @property
    def phrase(self) -> str:
        """What the production makes."""
        return self.production.partition(" -> ")[0]

    @property
    def parts(self) -> Symbols:
        """What it is made of."""
        return tuple(self.production.partition(" -> ")[2].split())


class PhraseGap(msgspec.Struct, frozen=True):
    """A place for a frame: before which token; and its wordings there."""

    index: int
    frame: PhraseFrame
    wordings: tuple[str, ...]


@cache
def frames(language: str) -> tuple[PhraseFrame, ...]:
    """Those of a language; none where its data has none."""
    return msgspec.convert(
        tuple(expansion_table(language).get("frames", ())), tuple[PhraseFrame, ...]
    )


@cache
def wordings(frame: PhraseFrame) -> tuple[str, ...]:
    """All that a frame may say: one of every choice."""
    found = []
    for words in frame.words:
        parts = CHOICE.split(words)
        choices = [part.split("|") if at % 2 else [part] for at, part in enumerate(parts)]
        found += [" ".join("".join(row).split()) for row in product(*choices)]
    return tuple(found)


def phrase_gaps(parse: Parse, grammar: Grammar) -> list[PhraseGap]:
    """Where a sentence bears a phrase that it lacks and the grammar knows; wordings in an order of its own."""
    language = parse.language or DEFAULT
    tree, personal, told = tree_of(parse), first_person(parse), said(parse)
    if tree is None or asks(parse) or quotes(parse):
        return []
    has = {(label, parts) for label, parts, _ in productions(tree)}
    found: list[PhraseGap] = []
    for frame in frames(language):
        if not lacked(frame, has, grammar) or (frame.view and personal) or (frame.sure and told):
            continue
        fresh = [words for words in wordings(frame) if says_something_new(words, parse, language)]
        fresh.sort(key=lambda words: digest([parse.text, words]))
        found += [
            PhraseGap(index, frame, tuple(fresh[:PER_FRAME]))
            for index in PLACES[frame.place](parse, frame)
            if fresh
        ]
    return found


def first_person(parse: Parse) -> bool:
    """Whether a clause is about the writer, who then needs not say whose view it is: "As I see it, I love it"."""
    words = left_alone("first_person")
    return any(t.text.lower() in words and t.relation in SUBJECT for t in parse.tokens)


def lacked(frame: PhraseFrame, has: set[tuple[str, Symbols]], grammar: Grammar) -> bool:
    """Whether the grammar knows the frame's production and the sentence has none of it."""
    if frame.parts[0] != REST:
        known = grammar.probability(frame.phrase, frame.parts) > 0
        return known and (frame.phrase, frame.parts) not in has
    grown = [(label, (*parts, *frame.parts[1:])) for label, parts in has if label == frame.phrase]
    return any(grammar.probability(*each) > 0 and each not in has for each in grown)


def quotes(parse: Parse) -> bool:
    """Whether a text quotes or has an aside in brackets, which a phrase might come into."""
    return any(mark in parse.text for mark in '"`“”()[]') or " '" in parse.text


def says_something_new(words: str, parse: Parse, language: str) -> bool:
    """Whether no word of weight is in the text already, nor a thing of its kind beside which it would name another."""
    own = {form for t in parse.tokens for form in (t.text.lower(), t.lemma.lower())}
    alike = [set(some.split()) for some in expansion_table(language).get("alike", {}).values()]
    said_before = any(len(word) > 3 and word in own - LIGHT for word in words.split())
    return not said_before and not any(
        word in some and some & (own - {word}) for word in words.split() for some in alike
    )


LIGHT = frozenset({"that", "which", "with", "have", "from", "when", "what", "this", "into", "does"})


def behind_nouns(parse: Parse, frame: PhraseFrame) -> Iterator[int]:
    """Behind each of the frame's nouns that has nothing behind it yet."""
    for place, noun in enumerate(parse.tokens[:-1]):
        right = parse.tokens[place + 1]
        roles = SUBJECT if frame.subject else ROLES
        if not named(noun, frame) or noun.relation not in roles:
            continue
        own = [t for t in parse.tokens if t.head == place and t is not noun]
        if any(t.start > noun.start and t.pos != "PUNCT" for t in own):
            continue
        before = [t for t in own if t.start < noun.start]
        if not {t.relation for t in before} <= BEFORE_NOUN or not introduced(before, frame):
            continue
        if follows_well(parse, place, right, frame.commas):
            yield place + 1


def named(noun: Token, frame: PhraseFrame) -> bool:
    """Whether a token is one of the frame's nouns."""
    return noun.text.lower() in frame.nouns.split() and noun.tag in ("NN", "NNS")


def introduced(before: list[Token], frame: PhraseFrame) -> bool:
    """Whether a noun has the article that the frame asks for, and is the best where it asks for that."""
    article = next((t.text.lower() for t in before if t.relation == "det"), "-")
    best = any(t.tag in ("JJS", "RBS") or t.lemma in ("first", "only") for t in before)
    return article in frame.articles.split() and best == frame.best


def follows_well(parse: Parse, place: int, right: Token, commas: bool) -> bool:
    """Whether what stands behind a noun may stand behind a phrase of it: its verb, a full stop, or a comma."""
    noun = parse.tokens[place]
    verb = right.tag in FINITE and (right.head == noun.head or noun.head == place + 1)
    if noun.relation in SUBJECT and verb:
        after = parse.tokens[place + 2 :]  # nothing more is said in "even when the movie doesn't."
        stands_for_another = right.tag == "MD" or right.lemma in ("be", "do", "have")
        more = not stands_for_another or any(t.pos not in ("PART", "PUNCT") for t in after)
        return more and not like_participle(parse, place + 1)
    ended = right.text == "." and place + 2 == len(parse.tokens)
    if commas:  # "..., which I saw last week": of what the text is about
        return ended and parse.tokens[place - 1].text.lower() in ("the", "this")
    return ended or (right.text in (",", ";") and noun.relation not in SUBJECT)


def before_nouns(parse: Parse, frame: PhraseFrame) -> Iterator[int]:
    """Between an article and one of the frame's nouns."""
    for place, noun in enumerate(parse.tokens):
        if not place or not named(noun, frame) or noun.relation not in ROLES:
            continue
        following = parse.tokens[place + 1 : place + 2]
        if any(t.tag in ("POS", "HYPH") or t.pos == "NOUN" for t in following):
            continue
        if parse.tokens[place - 1].text.lower() in frame.articles.split():
            yield place


def between_commas(parse: Parse, frame: PhraseFrame) -> Iterator[int]:
    """Before the verb of a clause or behind its copula, far from other commas."""
    for index in range(1, len(parse.tokens)):
        if not bears_commas(parse, index) or "'" in parse.tokens[index - 1].text:
            continue
        if frame.phrase == "VP":
            left = parse.tokens[index - 1]
            fits = left.tag == frame.parts[0] and left.pos == "AUX" and sure_of(parse, index)
        elif frame.parts[0] == "NP":
            fits = parts_subject(parse, index, frame.judges)
        else:
            fits = parts_relative(parse, index)
        if fits:
            yield index


def parts_subject(parse: Parse, index: int, judges: bool) -> bool:
    """Whether a token begins the verb phrase of the main clause, the subject, a noun, right before it."""
    left, right = parse.tokens[index - 1], parse.tokens[index]
    if left.tag not in NOUNS or right.tag not in FINITE or not right.text[:1].islower():
        return False
    verb = right.head if right.relation in ("aux", "auxpass") else index
    subject = verb_subject(parse, verb)
    ends = subject is not None and left.relation != "appos" and below(parse, index - 1, subject)
    main = parse.tokens[verb]
    root = (
        main.relation == "ROOT" and asserted(parse, verb) and (not judges or judging(parse, verb))
    )
    return ends and root and not like_participle(parse, index)


def judging(parse: Parse, place: int) -> bool:
    """Whether a verb tells a judgement, which may be somebody's own; *is* alone tells where something is."""
    verb = parse.tokens[place]
    said = {t.relation for t in parse.tokens if t.head == place}
    return verb.lemma in left_alone("judging") and (verb.lemma != "be" or bool(said & PREDICATES))


def behind_conjunctions(parse: Parse, frame: PhraseFrame) -> Iterator[int]:
    """Before the subject of a statement that a conjunction joins to another, or begins."""
    first = frame.parts[0] == "CC"
    for index in range(1, len(parse.tokens)):
        left = parse.tokens[index - 1]
        if left.text.lower() not in ("but", "and", "yet") or first != (index == 1):
            continue
        if any(t.text in BREAKS for t in parse.tokens[index : index + 2 * FEW]):
            continue
        verb = clause_begun(parse, index, "ROOT" if first else "conj")
        if verb is not None and (not frame.judges or judging(parse, verb)):
            yield index


def clause_begun(parse: Parse, index: int, relation: str) -> int | None:
    """The verb of a clause whose subject begins with a token."""
    for verb, token in enumerate(parse.tokens):
        if token.relation != relation or token.pos not in ("VERB", "AUX"):
            continue
        subject = verb_subject(parse, verb)
        if subject is not None and begins_at(parse, subject) == index:
            finite = token.tag in FINITE or any(
                t.head == verb and t.tag in FINITE for t in parse.tokens
            )
            return verb if finite else None
    return None


def begins_at(parse: Parse, place: int) -> int:
    """Where the words that hang on one begin."""
    below = [at for at, token in enumerate(parse.tokens) if token.head == place and at != place]
    return min([place, *(begins_at(parse, at) for at in below)])


def verb_subject(parse: Parse, verb: int) -> int | None:
    """The place of a verb's subject, where it has one before it."""
    return next(
        (
            place
            for place, token in enumerate(parse.tokens[:verb])
            if token.head == verb and token.relation in SUBJECT
        ),
        None,
    )


def below(parse: Parse, place: int, above: int) -> bool:
    """Whether a token is another or hangs on it by nouns and prepositions alone."""
    while place != above:
        token = parse.tokens[place]
        if token.head == place or token.relation not in WITHIN_NOUN:
            return False
        place = token.head
    return True


def parts_relative(parse: Parse, index: int) -> bool:
    """Whether a token is the verb of a relative clause right behind its pronoun."""
    left, right = parse.tokens[index - 1], parse.tokens[index]
    pronoun = left.tag == "WDT" and left.relation in SUBJECT
    return pronoun and right.tag in FINITE and parse.tokens[left.head].relation == "relcl"


def at_end(parse: Parse, frame: PhraseFrame) -> Iterator[int]:
    """Before the full stop of a statement of one clause, or of a noun phrase that stands for one."""
    tokens = parse.tokens
    if not (SHORTEST <= len(tokens) <= LONGEST) or tokens[-1].text != ".":
        return
    roots = [place for place, token in enumerate(tokens) if token.head == place]
    words = {t.text.lower() for t in tokens}
    if len(roots) != 1 or not tokens[-2].text.isalpha() or words & abusive():
        return
    if (
        tokens[-2].tag in ("IN", "RP", "RB", "RBR", "CC", "PRP", "MD", "TO")
        or not parse.text[:1].isupper()
    ):
        return
    root = tokens[roots[0]]
    joined = any(t.relation == "conj" and t.pos in ("VERB", "AUX") for t in tokens)
    if joined or any(t.relation in SECOND_CLAUSE for t in tokens):
        return
    if any(t.text in BREAKS for t in tokens[-TAIL:-1]):
        return
    if not frame.commas and len(tokens) > MOST_WITHOUT_COMMA:
        return
    yes = fragment_fits if frame.phrase == "NP" else statement_fits
    if yes(parse, roots[0], root, frame):
        yield len(tokens) - 1


def statement_fits(parse: Parse, place: int, root: Token, frame: PhraseFrame) -> bool:
    """Whether the main verb is the frame's and has a subject of its own before it."""
    below = [t for t in parse.tokens if t.head == place and t is not root]
    subject = next((t for t in below if t.relation in SUBJECT and t.start < root.start), None)
    if subject is None or any(t.relation in ("neg", "expl") for t in below):
        return False
    if root.tag not in FINITE and not any(t.tag in FINITE for t in below):
        return False
    if frame.subjects and subject.text.lower() not in frame.subjects.split():
        return False
    if frame.judges and not judging(parse, place):
        return False
    if frame.verb == "be":
        last = parse.tokens[-2]
        said = last.relation in ("acomp", "attr") and last.head == place
        return root.lemma == "be" and root.tag in ("VBZ", "VBP", "VBD") and said
    agrees = (root.tag == "VBZ") == root.text.endswith("s")  # taggers take "flails" for a plural
    fits = root.tag in frame.verb.split() and agrees
    return not frame.verb or (fits and root.lemma not in frame.verbs_out.split())


def fragment_fits(parse: Parse, place: int, root: Token, frame: PhraseFrame) -> bool:
    """Whether the text is a noun phrase about one of the frame's nouns, which is its last word."""
    if root.text.lower() not in frame.nouns.split() or place != len(parse.tokens) - 2:
        return False
    return not any(t.pos in ("VERB", "AUX") and t.tag in FINITE for t in parse.tokens)


PLACES = {
    "behind noun": behind_nouns,
    "before noun": before_nouns,
    "between commas": between_commas,
    "behind conjunction": behind_conjunctions,
    "end": at_end,
}
