"""Changes of words: the same in other words, the contrary, more or less of it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.terms import open_lexicon, pairs
from polyglitch.nlp.lexicons.terms import wording as section
from polyglitch.nlp.proposers.slot_words import ARTICLE, idiom_words, match_article, match_case
from polyglitch.records import Parse, Token

CLASS = {"ADJ": "adjective", "NOUN": "noun", "VERB": "verb", "ADV": "adverb"}
FLIPPED = ("ADJ", "VERB")
# Where a sentence has two halves, or denies already, the contrary of one word is not that of the whole.
CONTRAST = re.compile(
    r"\b(?:not|never|no|nothing|nobody|neither|without|but|though|although|despite|instead|if|as|than|while|when"
    r"|would|could|should|may|might)\b|n't|,",
    re.IGNORECASE,
)
# What `not` would turn into something else: "not just awful", "not mediocre at best".
TURNS = re.compile(
    r"^ (?:just|only|even|always|all|both|by far|certainly|surely|definitely|still|already|so|such)\b"
    r"|\bat (?:best|least|most|worst)\b",
    re.IGNORECASE,
)
HALVES = frozenset(("conj", "advcl", "parataxis", "ccomp"))
COMPLEMENTS = frozenset(("acomp", "attr", "ROOT"))
EVERYBODY = re.compile(r"every|all|each|both", re.IGNORECASE)  # "Everyone was not angry": who was?
BEEN = re.compile(r"\b(\w+)'s((?: \w+)? (?:been|had|got)\b)")  # 's is `has` there, and not `is`
BE_DO = re.compile(
    r"^(?:is|are|was|were|am|can|could|will|would|should|must|may|might)$", re.IGNORECASE
)


def synonym(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A word becomes another that means the same."""
    for token in parse.tokens:
        kind = CLASS.get(token.pos)
        new = pairs("synonyms", kind, parse.language).get(token.text.lower()) if kind else None
        if new and not _superlative(token):
            yield _put(parse, token, new)


def hypernym(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A noun becomes the kind of thing it is."""
    for token in parse.tokens:
        new = pairs("hypernyms", "noun", parse.language, False).get(token.text.lower())
        if new and token.tag == "NN" and _stands_alone(parse, token):
            yield _put(parse, token, new)


def _stands_alone(parse: Parse, token: Token) -> bool:
    """Whether a noun has an article and is no part of a compound or of a word with a hyphen."""
    place = parse.tokens.index(token)
    around = [one for one in parse.tokens if one.head == place]
    glued = "-" in (
        parse.text[token.start - 1 : token.start],
        parse.text[token.end : token.end + 1],
    )
    return (
        not glued
        and token.relation != "compound"
        and any(one.relation == "det" for one in around)  # nobody speaks of "my animal"
        and not any(one.relation == "compound" for one in around)
    )


def antonym(parse: Parse, dice: random.Random) -> Iterator[str]:
    """The one laden word of a sentence becomes its contrary."""
    laden = _laden(parse)
    if len(laden) != 1 or "?" in parse.text or CONTRAST.search(parse.text) or _two_halves(parse):
        return  # nobody asks for a bad plumber
    token = parse.tokens[laden[0]]
    following = parse.tokens[laden[0] + 1].text if laden[0] + 1 < len(parse.tokens) else ""
    new = (
        pairs("antonyms", CLASS[token.pos], parse.language).get(token.text.lower())
        if token.pos in FLIPPED
        else None
    )
    fixed = laden[0] in idiom_words(parse) or token.relation == "compound"
    if new and following != "enough" and not fixed and _said_of_subject(parse, token):
        yield _put(parse, token, new)


def _said_of_subject(parse: Parse, token: Token) -> bool:
    """Whether a word says what something is or does: "it is good", "a good film", and not "in good condition"."""
    if token.relation == "amod":
        return parse.tokens[token.head].relation in ("attr", "dobj")
    return token.relation in ("acomp", "attr", "ROOT")


def negate(parse: Parse, dice: random.Random) -> Iterator[str]:
    """The main verb gets `not` where all that is laden comes after it; other sentences are left alone."""
    laden = _laden(parse)
    if not laden or "?" in parse.text or CONTRAST.search(parse.text) or _two_halves(parse):
        return  # of a question, who is asked is asked the same: "Will not this coat be warm?"
    root = next((i for i, token in enumerate(parse.tokens) if token.head == i), -1)
    verb = next(
        (
            (i, token)
            for i, token in enumerate(parse.tokens)
            if BE_DO.match(token.text)
            and (i == root or (token.head == root and token.relation in ("aux", "auxpass", "cop")))
        ),
        None,
    )
    if verb is not None and verb[0] < min(laden):
        end = verb[1].end
        subject = any(
            token.relation.startswith("nsubj")
            and token.head == root
            and i < verb[0]
            and not EVERYBODY.match(token.text)
            for i, token in enumerate(parse.tokens)
        )
        if not subject or TURNS.search(parse.text[end:]) or _joined(parse, verb[0]):
            return  # "There are several", "Attached is", "Holy cow was that", "not friendly and always on time"
        joined = "not" if verb[1].text.lower() == "can" else " not"
        yield parse.text[:end] + joined + parse.text[end:]


def _joined(parse: Parse, after: int) -> bool:
    """Whether two things are said of the subject after a place, of which `not` would deny one or both."""
    return any(
        token.relation == "conj" and parse.tokens[token.head].relation in COMPLEMENTS
        for token in parse.tokens[after + 1 :]
    )


def _two_halves(parse: Parse) -> bool:
    """Whether a text says two things: several sentences, or a second clause beside the first."""
    roots = [i for i, token in enumerate(parse.tokens) if token.head == i and token.pos != "PUNCT"]
    clauses = [
        token for token in parse.tokens if token.relation in HALVES and token.pos in ("VERB", "AUX")
    ]
    # "A kind woman who listens to everyone": what is said of her goes with her being kind.
    clauses += [
        token
        for token in parse.tokens
        if token.relation.startswith("nsubj")
        and parse.tokens[token.head].relation == "relcl"
        and token.tag in ("WP", "WDT")
    ]
    return len(roots) > 1 or bool(clauses) or ";" in parse.text or ":" in parse.text


def _laden(parse: Parse) -> list[int]:
    lexicon = open_lexicon(parse.language, ("bundled",))
    return [
        index
        for index, token in enumerate(parse.tokens)
        if lexicon.polarity(token.text, token.lemma) in ("positive", "negative")
    ]


def _short_forms(language: str) -> dict[str, str]:
    """The short form of what can be drawn together."""
    return {full: short for short, full in language_of(language).contractions.items()}


def contract(parse: Parse, dice: random.Random) -> Iterator[str]:
    """`is not` becomes `isn't`, wherever it stands."""
    text = parse.text
    for full, short in _short_forms(parse.language).items():
        text = _everywhere(text, full, short, ending=" ")
    yield text


def write_out(parse: Parse, dice: random.Random) -> Iterator[str]:
    """`isn't` becomes `is not`, wherever it stands; 's of possession stays."""
    text = BEEN.sub(r"\1 has\2", parse.text.replace("’", "'"))
    for full, short in _short_forms(parse.language).items():
        text = _everywhere(text, short, full)
    yield text


def homophone(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A word as someone spells it who only heard it."""
    table = dict(pair.split() for pair in section("homophones", parse.language)["pairs"])
    for token in parse.tokens:
        if token.text.lower() in table:
            yield _put(parse, token, table[token.text.lower()])


def slang(parse: Parse, dice: random.Random) -> Iterator[str]:
    """Words as people shorten them in messages."""
    text = parse.text
    for full, short in section("slang_before_verbs", parse.language).items():
        verbs = "|".join({re.escape(token.text) for token in parse.tokens if token.tag == "VB"})
        text = re.sub(rf"\b{full}(?= (?:{verbs})\b)", short, text) if verbs else text
    for full, short in section("slang", parse.language).items():
        text = _everywhere(text, full, short)
    yield text


def other_spelling(parse: Parse, dice: random.Random) -> Iterator[str]:
    """British spelling for American, or the reverse."""
    pairs_of = section("spelling", parse.language)
    for table in (pairs_of, {british: american for american, british in pairs_of.items()}):
        text = parse.text
        for old, new in table.items():
            text = _everywhere(text, old, new)
        if text != parse.text:
            yield text
            return


def intensify(parse: Parse, dice: random.Random) -> Iterator[str]:
    """What is said of the subject, more so."""
    yield from _by_degree(parse, dice, "stronger")


def weaken(parse: Parse, dice: random.Random) -> Iterator[str]:
    """What is said of the subject, less so."""
    yield from _by_degree(parse, dice, "weaker")


def _by_degree(parse: Parse, dice: random.Random, kind: str) -> Iterator[str]:
    lexicon = open_lexicon(parse.language, ("bundled",))
    degrees = section("degree", parse.language)
    for index, token in enumerate(parse.tokens):
        laden = lexicon.polarity(token.text, token.lemma) in ("positive", "negative")
        before = parse.tokens[index - 1] if index else None
        if token.tag != "JJ" or token.relation != "acomp" or not laden or before is None:
            continue
        if token.text.lower() in degrees.get("ungraded", ()):
            continue
        if before.tag in ("RB", "RBR", "RBS", "DT", "JJ", "NN") or before.end == token.start:
            continue
        if index + 1 < len(parse.tokens) and parse.tokens[index + 1].text == "enough":
            continue
        if re.search(r"\b(?:not|never|no|too)\b|n't", parse.text, re.IGNORECASE):
            continue
        if before.text.lower() == "how":
            continue
        utmost = token.text.lower() in degrees.get("utmost", ())
        good = lexicon.polarity(token.text, token.lemma) == "positive"
        plain = degrees.get(f"{kind}_of_good", degrees[kind]) if good else degrees[kind]
        if words := degrees.get(f"{kind}_utmost", ()) if utmost else plain:
            yield f"{parse.text[: token.start]}{dice.choice(words)} {parse.text[token.start :]}"


def _superlative(token: Token) -> bool:
    return token.tag in ("JJR", "JJS", "RBR", "RBS")


def _everywhere(text: str, old: str, new: str, ending: str = "") -> str:
    after = r"(?=\s)" if ending else r"(?![\w'])"
    # What ends a comparison is stressed: `than he is` has no short form.
    found = re.compile(rf"(?<!than )(?<!as )(?<![\w'’]){re.escape(old)}{after}", re.IGNORECASE)
    return found.sub(lambda match: match_case(new, match[0][:1]), text)


def _put(parse: Parse, token: Token, word: str) -> str:
    before = parse.text[: token.start]
    word = match_case(word, token.text)
    if found := ARTICLE.search(before):
        before = before[: found.start()] + match_article(found[1], word) + found[2]
    return before + word + parse.text[token.end :]
