"""What the last parts of a spaCy pipeline say of a word, looked up by its kind: rules that give parts of speech, and
the lemmatizer. Asking them anew for every word of every mutant of a sentence takes a fifth of its time.

Both tell a word by its letters, tag and relation alone, but for a few rules that read several words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from cachetools import LRUCache

from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.records import Parse, Token

DISPENSABLE = ("attribute_ruler", "lemmatizer")  # where a tagger gives the tags
# No others write what a rule reads.
PLAIN_PARTS = {"tok2vec", "tagger", "parser", "senter", *DISPENSABLE}
PLAIN_LEMMATIZERS = ("spacy.pipeline.lemmatizer", "spacy.lang.en.lemmatizer")  # read one word only
MODES = ("rule", "lookup")
READ_BY_RULES = frozenset({"TAG", "LOWER", "DEP", "IS_SPACE"})  # that a word's kind is told by
WORDS = "lemma_index"  # the table of the words of each part of speech
KINDS_OF_WORDS = 50_000  # met lately, some 10 MB
LISTS = ("IN", "NOT_IN")
OTHER = -1
BEGINS, LATER = "begins ", -1  # a word that a rule for several words may begin with


def remember_rules(pipeline: Any) -> None:
    """Look the rules for single words up by the kind of word: matching them anew takes a third of a sentence's time."""
    from spacy.pipeline.attributeruler import AttributeRuler

    if "attribute_ruler" not in pipeline.pipe_names:
        return
    ruler = pipeline.get_pipe("attribute_ruler")
    patterns = [pattern for rule in ruler.patterns for pattern in rule["patterns"]]
    if type(ruler) is AttributeRuler and all(
        word.keys() <= READ_BY_RULES for pattern in patterns for word in pattern
    ):
        ruler.match = RememberedRules(ruler).match  # type: ignore[method-assign]


def find_words_at_once(pipeline: Any) -> None:
    """Keep the lemmatizer's words in sets: it only asks whether one is among them, and reads whole lists for that."""
    lookups = getattr(dict(pipeline.components).get("lemmatizer"), "lookups", None)
    if lookups is not None and lookups.has_table(WORDS):
        table = lookups.get_table(WORDS)
        for part, words in list(table.items()):
            if isinstance(words, list):
                table[part] = frozenset(words)


class RememberedRules:
    """What the rules of a spaCy attribute ruler match; those for one word depend on its tag, letters and relation."""

    def __init__(self, ruler: Any) -> None:
        from spacy.attrs import DEP, LOWER, TAG
        from spacy.matcher import Matcher

        self._columns, self._strings = [TAG, LOWER, DEP], ruler.vocab.strings
        patterns = [pattern for rule in ruler.patterns for pattern in rule["patterns"]]
        self._letters, self.relations = (NamedValues(patterns, name) for name in ("LOWER", "DEP"))
        self._single, self._longer = Matcher(ruler.vocab), Matcher(ruler.vocab)
        for number, rule in enumerate(ruler.patterns):
            short = [one for one in rule["patterns"] if len(one) == 1]
            longer = [one for one in rule["patterns"] if len(one) > 1]
            if short:
                self._single.add(str(number), short)
            if longer:
                self._longer.add(str(number), longer)
                self._single.add(f"{BEGINS}{number}", [one[:1] for one in longer])
        self._known: LRUCache[tuple[int, int, int], list[tuple[int, int]]] = LRUCache(
            KINDS_OF_WORDS
        )

    def match(self, doc: Any) -> list[tuple[int, int, int, int]]:
        """Number of the rule, its name, first word, end: in the order of the rules, as the ruler's own."""
        found = [
            (number, name, at, at + 1)
            for at, rules in enumerate(self._of_words(doc))
            for number, name in rules
        ]
        if any(one[0] == LATER for one in found):
            found = [one for one in found if one[0] != LATER]
            found += (
                (self._number(name), name, start, end)
                for name, start, end in self._longer(doc, allow_missing=True)
            )
        return sorted(found)

    def _of_words(self, doc: Any) -> Iterator[list[tuple[int, int]]]:
        """Numbers and names of the rules for each word, and of those that may begin there."""
        for at, (tag, letters, relation) in enumerate(doc.to_array(self._columns).tolist()):
            kind = (
                tag,
                self._letters(letters, self._strings),
                self.relations(relation, self._strings),
            )
            rules = self._known.get(kind)  # held here: what is kept next may push it out
            if rules is None:
                names = (one[0] for one in self._single(doc[at : at + 1], allow_missing=True))
                rules = self._known[kind] = [(self._number(name), name) for name in names]
            yield rules

    def begins_longer(self, doc: Any) -> bool:
        """Whether a rule for several words may begin at some word."""
        return any(number == LATER for rules in self._of_words(doc) for number, _ in rules)

    def matches_longer(self, doc: Any) -> bool:
        """Whether a rule for several words fits somewhere."""
        return bool(self._longer(doc, allow_missing=True))

    def _number(self, name: int) -> int:
        """Which rule a match is of, by the name that the matcher gives it."""
        text = self._strings[name]
        return LATER if text.startswith(BEGINS) else int(text)


class NamedValues:
    """Which values of an attribute the rules tell apart: all others are the same to them."""

    def __init__(self, patterns: list[list[dict[str, Any]]], attribute: str) -> None:
        asked = [word[attribute] for pattern in patterns for word in pattern if attribute in word]
        plain: list[dict[str, Any]]
        plain = [one if isinstance(one, dict) else {"IN": [one]} for one in asked]
        self._values = {v for one in plain for how in LISTS for v in one.get(how, ())}
        self._patterns = [re.compile(one["REGEX"]) for one in plain if "REGEX" in one]
        self._all = any(one.keys() - {"REGEX", *LISTS} for one in plain)
        self._known: LRUCache[int, int] = LRUCache(KINDS_OF_WORDS)

    def __call__(self, value: int, strings: Any) -> int:
        """A value that the rules know, or the one that stands for all others."""
        found = self._known.get(value)
        if found is None:
            text = strings[value]
            told = self._all or text in self._values or text.isspace()
            told = told or any(pattern.search(text) for pattern in self._patterns)
            found = self._known[value] = value if told else OTHER
        return found


class Kind(NamedTuple):
    """All that a token has of its kind."""

    text: str
    tag: str
    pos: str
    lemma: str
    alone: bool  # no rule for several words may begin with it


class WordKinds:
    """What rules and lemmatizer say of each kind of word, asked about the word by itself."""

    def __init__(self, pipeline: Any, rules: RememberedRules) -> None:
        from spacy.attrs import DEP, HEAD, ORTH, SPACY, TAG

        self._vocab, self._rules = pipeline.vocab, rules
        self._parts = [pipeline.get_pipe(name) for name in DISPENSABLE]
        self._columns = [ORTH, TAG, DEP, HEAD, SPACY]
        self._known: LRUCache[tuple[int, int, int], Kind] = LRUCache(KINDS_OF_WORDS)

    def parse(self, doc: Any) -> Parse | None:
        """The parse of a document that rules and lemmatizer have not seen; nothing where they must see all of it."""
        rows = doc.to_array(self._columns)
        kinds = [self._kind(*key) for key in rows[:, :3].tolist()]
        if any(kind.text.isspace() for kind in kinds):
            return None
        if not all(kind.alone for kind in kinds) and self._rules.matches_longer(doc):
            return None
        heads, spaces = rows[:, 3].astype(np.int64).tolist(), rows[:, 4].tolist()
        relations = [self._vocab.strings[one] for one in rows[:, 2].tolist()]
        tokens, start = [], 0
        for at, (text, tag, pos, lemma, _) in enumerate(kinds):
            end = start + len(text)
            tokens.append(Token(text, start, end, tag, pos, lemma, at + heads[at], relations[at]))
            start = end + spaces[at]
        return whole(doc, tuple(tokens))

    def _kind(self, word: int, tag: int, relation: int) -> Kind:
        """What is said of a word with these letters, tag and relation."""
        strings = self._vocab.strings
        key = word, tag, self._rules.relations(relation, strings)
        found = self._known.get(key)
        if found is None:
            from spacy.tokens import Doc

            text, named, role = (strings[one] for one in (word, tag, relation))
            doc = Doc(self._vocab, [text], tags=[named], deps=[role], heads=[0])
            alone = not self._rules.begins_longer(doc)
            for part in self._parts:
                doc = part(doc)
            found = Kind(text, named, doc[0].pos_, doc[0].lemma_, alone)
            self._known[key] = found
        return found


def known_kinds(pipeline: Any) -> WordKinds | None:
    """The kinds of words of a pipeline, where its rules and its lemmatizer tell them by nothing else."""
    if not {"tagger", *DISPENSABLE} <= set(pipeline.pipe_names) <= PLAIN_PARTS:
        return None
    ruler, lemmatizer = (pipeline.get_pipe(name) for name in DISPENSABLE)
    rules = getattr(vars(ruler).get("match"), "__self__", None)
    plain = type(lemmatizer).__module__ in PLAIN_LEMMATIZERS and lemmatizer.mode in MODES
    return WordKinds(pipeline, rules) if isinstance(rules, RememberedRules) and plain else None


def parse_of(doc: Any) -> Parse:
    """A spaCy document as our record; white space tokens are dropped and heads renumbered."""
    words = [token for token in doc if not token.is_space]
    place = {token.i: index for index, token in enumerate(words)}
    return whole(
        doc,
        tuple(
            Token(
                text=token.text,
                start=token.idx,
                end=token.idx + len(token.text),
                tag=token.tag_,
                pos=token.pos_,
                lemma=token.lemma_,
                head=place.get(token.head.i, index),
                relation=token.dep_,
            )
            for index, token in enumerate(words)
        ),
    )


def whole(doc: Any, tokens: tuple[Token, ...]) -> Parse:
    """The parse of a document, by its tokens."""
    universal = language_of(doc.lang_).universal_relations
    return Parse(doc.text, tokens, universal=universal, language=doc.lang_)
