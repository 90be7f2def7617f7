"""What can be left out of a sentence so that a sentence remains: the clauses around one, optional phrases, words.
Whether what is left still reads as a sentence is told by a parse of it; whether a smaller pair fails as the larger one
did, by the words that changed in the outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain, combinations
from typing import NamedTuple

from polyglitch.issues.groups import is_negation, words
from polyglitch.languages.record import share_most
from polyglitch.records import Parse, Token, Trial, Verdict
from polyglitch.repair.pair import InputPair

LONG = (
    4  # letters: shorter words are mostly articles and prepositions, which change for many reasons
)
KEPT = 0.6  # so much of a changed stretch is there still; at one half, a new fault can pass for the old

Judged = tuple[Trial, Verdict]


class Change(NamedTuple):
    """A place where two outputs differ: the words of the one and of the other."""

    first: frozenset[str]
    second: frozenset[str]

    def without(self, excused: Sequence[str]) -> Change:
        """The change without words that are forms of excused ones."""
        return Change(*(frozenset(w for w in side if not like_any(w, excused)) for side in self))

    def inflected(self) -> bool:
        """Whether each word is a form of one on the other side: a new noun asks for other endings."""
        return all(like_any(w, self.second) for w in self.first) and all(
            like_any(w, self.first) for w in self.second
        )


def same_bug(before: Judged, after: Judged, glosses: Sequence[str]) -> bool:
    """Whether a telling change of the one pair is in the other, and little else has come up."""
    if any(output.label is not None for output in before[0].outputs):
        return [o.label for o in before[0].outputs] == [o.label for o in after[0].outputs]
    excused = [word for gloss in glosses for word in words(gloss)]
    old, new = changes(before, excused), changes(after, excused)
    wanted = telling(old)
    if not wanted:  # nothing but the edit's own words: they must be at fault again
        wanted, new = changes(before, ()), changes(after, ())
    kept = [change for change in wanted if any(persists(change, later) for later in new)]
    known = {word for change in changes(before, ()) for side in change for word in side}
    fresh = {w for change in new for side in change for w in side if len(w) >= LONG} - known
    return bool(kept) and len(fresh) <= 1 + sum(len(a | b) for a, b in kept)


def changes(judged: Judged, excused: Sequence[str]) -> list[Change]:
    """What the oracle marked, change by change, without the words that translate the edit."""
    trial, verdict = judged
    sides: dict[str, list[list[str]]] = {}
    for span in verdict.spans:
        text = trial.outputs[span.output].text[span.start : span.end].lower()
        sides.setdefault(span.reason, [[], []])[min(span.output, 1)] += words(text)
    made = [
        Change(frozenset(one), frozenset(other)).without(excused) for one, other in sides.values()
    ]
    return [change for change in made if any(change)]


def telling(found: Sequence[Change]) -> list[Change]:
    """The changes that come of a negation if any does, else those that are more than other endings."""
    negating = [change for change in found if negations(change.first) != negations(change.second)]
    return negating or [change for change in found if not change.inflected()]


def negations(side: frozenset[str]) -> set[str]:
    """The negating words; two letters are too few to tell, since languages share them."""
    return {word for word in side if len(word) > 2 and is_negation(word)}


def persists(change: Change, later: Change) -> bool:
    """Whether most words of a change, and all its negations, are in another."""
    return all(
        not was or (len(was & now) >= KEPT * len(was) and negations(was) <= now)
        for was, now in zip(change, later, strict=True)
    )


def like_any(word: str, others: Sequence[str] | frozenset[str]) -> bool:
    """Whether a word is a form of one of the others."""
    return any(share_most(word, other) for other in others)


SUBJECTS = {"nsubj", "nsubjpass", "nsubj:pass", "expl", "csubj", "csubjpass"}
NOMINAL = {"NOUN", "PROPN", "PRON", "NUM", "ADJ"}
HEADS = {"IN", "VBG", "VB"}  # tags of words that make a phrase without being nouns


def still_a_sentence(parse: Parse, before: Parse) -> bool:
    """Whether a shortened text reads as its words did before: the same tags, a verb with its subject or a phrase."""
    if not (is_clause(parse) or is_phrase(parse)) and is_clause(before):
        return False
    if len(dangling(parse)) > len(dangling(before)):
        return False
    old = {(token.text.lower(), token.tag) for token in before.tokens}
    changed = [token for token in parse.tokens if (token.text.lower(), token.tag) not in old]
    return len(changed) <= 1  # one slip of the tagger, or the word at the new beginning


def root_of(parse: Parse) -> int | None:
    """The word that everything hangs on."""
    return next((n for n, token in enumerate(parse.tokens) if token.head == n), None)


def is_clause(parse: Parse) -> bool:
    """Whether the root has a subject."""
    root = root_of(parse)
    return any(token.head == root and token.relation in SUBJECTS for token in parse.tokens)


def is_phrase(parse: Parse) -> bool:
    """Whether the text is a phrase of two words or more and claims to be no sentence."""
    root = root_of(parse)
    if root is None or len(parse.tokens) < 2 or parse.tokens[-1].text in (".", "?", "!"):
        return False
    return parse.tokens[root].pos in NOMINAL or parse.tokens[root].tag in HEADS


def dangling(parse: Parse) -> list[Token]:
    """Words that have lost what they belong to: a preposition its noun, "and" its second half, "least" its "at"."""
    heads = {token.head for number, token in enumerate(parse.tokens) if token.head != number}
    found = []
    for number, token in enumerate(parse.tokens):
        after = parse.tokens[number + 1] if number + 1 < len(parse.tokens) else None
        word, last = token.text.lower(), parse.tokens[number - 1].text.lower() if number else ""
        alone = token.relation == "prep" and token.tag == "IN" and number not in heads
        ends = token.tag == "CC" and (after is None or after.relation == "punct")
        bare = word == "than" and last in NOTHING
        least = word == "least" and last not in ("at", "the")
        if alone or ends or bare or least:
            found.append(token)
    return found


NOTHING = {"no", "not", "never"}  # "no than forty": the comparative between them is gone


# Dependents that a sentence can do without, by spaCy's English names and those of Universal Dependencies.
OPTIONAL = {
    *(
        "prep",
        "advmod",
        "amod",
        "relcl",
        "advcl",
        "appos",
        "npadvmod",
        "conj",
        "acl",
        "parataxis",
        "intj",
    ),
    *("meta", "dep", "agent", "nummod", "predet", "preconj", "nmod", "dative", "compound"),
    *(
        "obl",
        "acl:relcl",
        "obl:tmod",
        "obl:npmod",
        "nmod:tmod",
        "discourse",
        "vocative",
        "obl:agent",
    ),
}
CLAUSES = {"ccomp", "conj", "advcl", "parataxis", "relcl", "acl:relcl", "xcomp"}
LINKS = {"cc", "punct", "mark", "preconj"}
PHRASES = {*SUBJECTS, "dobj", "pobj", "attr", "appos", "obj", "obl", "nmod", "conj", "npadvmod"}
DETERMINERS = {"det", "poss", "det:poss", "nmod:poss"}
FINITE = {"VBD", "VBP", "VBZ", "MD"}
RELATIVE = {"relcl", "acl:relcl"}
COMPARING = {"JJR", "RBR"}
# Right after their verb these mostly belong to it: "turned into a stay", "agreed to the plan".
BOUND = {"into", "to", "of", "upon", "onto"}
DENYING = {
    "hardly",
    "barely",
    "scarcely",
    "never",
    "not",
    "n't",
    "no",
    "only",
}  # what hangs on them is said otherwise


class ShrinkableSentence:
    """A parse whose tokens can be left out a subtree at a time."""

    def __init__(self, parse: Parse, pair: InputPair) -> None:
        self.parse, self.pair, self.tokens = parse, pair, parse.tokens
        self.below: list[set[int]] = [{number} for number in range(len(self.tokens))]
        for number in range(len(self.tokens)):
            head, seen = number, {number}
            while self.tokens[head].head != head and self.tokens[head].head not in seen:
                head = self.tokens[head].head
                seen.add(head)
                self.below[head].add(number)

    def smaller(self, kept: Set[int]) -> Iterator[frozenset[int]]:
        """Sets of units to keep instead, each smaller than what is kept now: sentences, phrases, two phrases less."""
        whole = chain(
            self.clauses(), self.relative_clauses(), self.parts_of(), self.without_optional(kept)
        )
        yield from self.smallest_first(whole, kept)
        yield from self.smallest_first(self.phrases(), kept)
        two = combinations(list(self.without_optional(kept)), 2)
        yield from self.smallest_first((one & other for one, other in two), kept)

    def smallest_first(self, ways: Iterable[set[int]], kept: Set[int]) -> list[frozenset[int]]:
        """The sets of tokens as sets of units, where they have the edit and are less than what is kept."""
        found: dict[frozenset[int], None] = {}
        for tokens in ways:
            units = frozenset(self.pair.places[number] for number in tokens) & kept
            gone = kept - units
            if self.pair.edited <= units and any(map(self.pair.is_word, gone)):
                found[frozenset(units)] = None
        return sorted(found, key=lambda units: (len(units), sorted(units)))

    def children(self, number: int, relations: Set[str]) -> list[int]:
        """The dependents of a token by those relations."""
        return [
            n
            for n in sorted(self.below[number])
            if n != number
            and self.tokens[n].head == number
            and self.tokens[n].relation in relations
        ]

    def clauses(self) -> Iterator[set[int]]:
        """A clause with a subject of its own in place of the sentence around it, with its last mark."""
        for number, token in enumerate(self.tokens):
            subjects = self.children(number, SUBJECTS)
            if token.relation not in CLAUSES or not subjects or not self.finite(number):
                continue
            if any(
                self.tokens[n].tag.startswith("W") for each in subjects for n in self.below[each]
            ):
                continue  # "who paid", "whose level": a question without its answer
            links = {n for n in self.children(number, LINKS) if n < min(subjects)}
            links |= {n for n in self.children(number, {"advmod"}) if self.tokens[n].tag == "WRB"}
            yield (self.below[number] - links) | self.last_mark()

    def relative_clauses(self) -> Iterator[set[int]]:
        """A relative clause with its antecedent as the subject: "the van that was stolen" was stolen."""
        for number, token in enumerate(self.tokens):
            if token.relation not in RELATIVE or not self.finite(number):
                continue
            subjects = self.children(number, SUBJECTS)
            if len(subjects) == 1 and self.tokens[subjects[0]].tag in ("WDT", "WP"):
                noun = token.head
                phrase = {n for n in self.below[noun] if n < min(self.below[number])}
                while phrase and self.tokens[max(phrase)].relation == "punct":
                    phrase.remove(max(phrase))
                yield phrase | (self.below[number] - self.below[subjects[0]]) | self.last_mark()

    def parts_of(self) -> Iterator[set[int]]:
        """What something is a part of in place of the part: "most of the shops" becomes "the shops"."""
        everything = set(range(len(self.tokens)))
        for number, token in enumerate(self.tokens):
            if token.text.lower() != "of" or token.relation not in ("prep", "case"):
                continue
            for inner in self.children(number, {"pobj"}):
                outer = self.below[token.head]
                yield (everything - outer) | self.below[inner]

    def phrases(self) -> Iterator[set[int]]:
        """A phrase of a noun, a preposition or a verb without subject, without the sentence around it."""
        for number, token in enumerate(self.tokens):
            heads = token.tag in HEADS and not self.children(number, SUBJECTS)
            if heads or (token.pos in NOMINAL and token.relation in PHRASES):
                inside = self.below[number] - set(self.children(number, {"mark", "aux", "cc"}))
                last = max(inside)
                yield inside - {last} if self.tokens[last].relation == "punct" else inside

    def finite(self, number: int) -> bool:
        """Whether a verb, or its auxiliary, is finite; taken for granted outside of the Penn tags."""
        tags = {self.tokens[n].tag for n in (number, *self.children(number, {"aux", "auxpass"}))}
        return bool(tags & FINITE) or not any(tag.startswith("V") for tag in tags)

    def last_mark(self) -> set[int]:
        """The mark that ends the sentence."""
        last = len(self.tokens) - 1
        return {last} if self.tokens[last].relation == "punct" else set()

    def without_optional(self, kept: Set[int]) -> Iterator[set[int]]:
        """The sentence without one dependent and all below it."""
        everything = set(range(len(self.tokens)))
        for number, token in enumerate(self.tokens):
            if self.pair.places[number] not in kept or not self.optional(number):
                continue
            gone = set(self.below[number])
            if token.relation == "conj":
                gone |= self.links_to(number)
            gone |= self.commas_around(gone)
            yield everything - gone

    def optional(self, number: int) -> bool:
        """Whether the sentence reads well without a token and what hangs on it."""
        token, head = self.tokens[number], self.tokens[self.tokens[number].head]
        word = token.text.lower()
        if token.relation not in OPTIONAL or word in DENYING or self.hyphenated(number):
            return False
        if token.tag == "WRB":
            return False  # "when" holds its clause
        if head.pos == "NUM" or (head.text.lower() == "those" and number > token.head):
            return False  # "one million", "those who drive"
        if token.tag in COMPARING and self.compares(number):
            return False  # "no more than forty"
        if word == "as" or (token.relation == "prep" and self.below[number] == {number}):
            return False  # "as long as"; a preposition whose noun the parser hangs elsewhere
        if token.relation in ("compound", "nmod") and token.pos == "PROPN":
            return False  # half of a name is another name
        if token.relation == "nummod" or (
            token.relation == "amod" and head.text.lower() in ("one", "ones")
        ):
            return bool(self.children(token.head, DETERMINERS)) and token.relation == "nummod"
        bound = word in BOUND and number == token.head + 1 and head.pos in ("VERB", "AUX")
        return not bound

    def compares(self, number: int) -> bool:
        """Whether "than" follows a word."""
        return any(token.text.lower() == "than" for token in self.tokens[number + 1 : number + 2])

    def hyphenated(self, number: int) -> bool:
        """Whether a token is glued to a hyphen."""
        token, text = self.tokens[number], self.parse.text
        return text[max(token.start - 1, 0)] == "-" or text[token.end : token.end + 1] == "-"

    def links_to(self, conjunct: int) -> set[int]:
        """The conjunction and the comma before a conjunct."""
        head, found = self.tokens[conjunct].head, set[int]()
        start = min(self.below[conjunct])
        while start - 1 > head and self.tokens[start - 1].relation in ("cc", "punct"):
            start -= 1
            found.add(start)
        return found

    def commas_around(self, gone: Set[int]) -> set[int]:
        """The comma before a phrase that one follows too: the two set it off."""
        first, last = min(gone), max(gone)
        before, after = self.sets_off(first - 1), self.sets_off(last + 1)
        if before and (after or last + 2 >= len(self.tokens)):
            return {first - 1} | ({last + 1} if after else set())
        listed = self.tokens[last].relation == "amod"  # "other, smaller brands"
        return {last + 1} if after and (first == 0 or listed) else set()

    def sets_off(self, number: int) -> bool:
        """Whether a token is a comma, or a dash between blanks."""
        if not 0 <= number < len(self.tokens):
            return False
        token = self.tokens[number]
        spaced = self.parse.text[max(token.start - 1, 0)].isspace()
        return token.text == "," or (token.text in ("–", "—", "-") and spaced)


def words_less(pair: InputPair, kept: Set[int]) -> Iterator[frozenset[int]]:
    """Where no parser is: runs of units left out, half of them at first, then a quarter, and so on."""
    free = [unit for unit in sorted(kept) if unit not in pair.edited]
    size = (len(free) + 1) // 2
    while size:
        for start in range(0, len(free), size):
            yield frozenset(kept) - frozenset(free[start : start + size])
        size //= 2
