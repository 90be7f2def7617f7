"""Generative rules: what a sentence becomes. Products of choices are walked, never held.

The same sentence about other people: a pronoun or an identity term becomes each of a list of groups.

Templates with slots (CheckList's editor): distinct sentences in random order, without holding them.

`{positive adjective}`, `{name female}`, `{identity plural}` name word lists; `{a:positive adjective}` puts the right
article before the word; a number tells slots of one list apart (`{name female 2}`); `{mask:JJ}` is for a proposer.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from polyglitch.mutate.capabilities.predicates import SIDES, pattern
from polyglitch.mutate.capabilities.spec import Replace, Rule, listed
from polyglitch.nlp.lexicons.terms import SentimentLexicon, terms
from polyglitch.nlp.proposers.slot_words import ARTICLE, match_article
from polyglitch.protocols import Proposer
from polyglitch.records import Parse, Slot, Token

BY_SEX = ("male", "female")
SEXED = re.compile(r" (?:man|men|woman|women|boys?|girls?)\b", re.IGNORECASE)
PATTERN_SLOT = re.compile(r"\{(seed|other)(?::(\w+))?\}")
OPINION = re.compile(
    r"(?:i|we) (?:\w+ )?(?:think|believe|feel|guess|suppose|say)\b|in my (?:opinion|view)\b"
)
FINAL = re.compile(r"[\s.!?…,;:]+$")
OPEN_MARK = re.compile(r"(?<!\s)\s+([,.;:?!])")
# Words that keep their capital when a sentence becomes a clause.
KEEP_CAPITAL = re.compile(
    r"^(?:I\b|I'|[A-Z]{2}|[A-Z]\.|(?!It|That|This|There|He|She|What|Who|Here|Let|To(?:day|night|morrow)|Yesterday"
    r"|Every(?:one|body|thing)|Some(?:one|body|thing)|Nobody|No one)\w+'s\b|\W)"
)
TEMPLATE_SLOT = re.compile(r"\{(a:)?([^{}]+?)\}")
MASK = re.compile(r"\{mask:(\w+)\}")
PIECE = re.compile(r"\{mask:\w+\}|[\w'’-]+|[^\w\s]")


@dataclass(frozen=True)
class Made:
    """A text made by a rule, which choices it took (so that an expansion finds its parent), and its label."""

    text: str
    choice: str
    expected: tuple[str, ...]


def apply(
    rule: Rule,
    number: int,
    text: str,
    label: str | None,
    others: Sequence[str],
    name_first: bool,
    key: str = "",
) -> Iterator[Made]:
    """The texts that a rule makes of a sentence; `name_first` says that it starts with a name.

    `key` names the sentence that it grew from, so that expansions draw the same choices of a bounded rule.
    """
    expected = labels(rule.expected, label)
    if rule.replace:
        new = replaced(text, rule.replace)
        if new is not None:
            yield Made(new, str(number), expected)
        return
    companions = list(others[: rule.others]) if rule.other else [""]
    parts = [listed(part) for part in rule.concat]
    for place, other in enumerate(companions):
        for indices in choices([len(part) for part in parts], rule.most, f"{key}:{number}:{place}"):
            chosen = " ".join(part[index] for part, index in zip(parts, indices, strict=True))
            if piles_up(chosen, text):
                continue
            made = fill(chosen, text, other, name_first)
            choice = f"{number}:{place}:{'.'.join(map(str, indices))}"
            yield Made(made, choice, expected)


def piles_up(chosen: str, text: str) -> bool:
    """Whether a sentence begins with the opening already that a pattern would set before it, or with one like it."""
    opening = chosen.partition("{seed")[0].strip(" \"'").lower()
    begins = text.lower().lstrip(" \"'")
    return bool(opening) and (
        begins.startswith(opening) or bool(OPINION.match(opening) and OPINION.match(begins))
    )


def choices(sizes: Sequence[int], most: int | None, key: str) -> Iterator[tuple[int, ...]]:
    """The product of some choices in order, or so many of it, drawn by a key."""
    total = math.prod(sizes)
    if most is None or most >= total:
        yield from product(*map(range, sizes))
        return
    for number in random.Random(key).sample(range(total), most):  # noqa: S311 - no secret
        indices: list[int] = []
        for size in reversed(sizes):
            number, index = divmod(number, size)
            indices.insert(0, index)
        yield tuple(indices)


def labels(expected: str | tuple[str, ...], label: str | None) -> tuple[str, ...]:
    """The labels to expect; `same` is the sentence's own."""
    return tuple(label or "" if each == "same" else each for each in listed(expected))


def fill(pattern: str, seed: str, other: str, name_first: bool = False) -> str:
    """A pattern with its sentences: as they are, `bare` of the final mark, or as a `clause`."""

    def put(match: re.Match[str]) -> str:
        text = seed if match[1] == "seed" else other
        form = match[2] or ""
        if form in ("bare", "clause", "quote"):
            text = FINAL.sub("", text)
        if form == "clause" and not KEEP_CAPITAL.match(text) and not name_first:
            text = text[:1].lower() + text[1:]
        if form == "quote":
            text = text.strip("\"' ").replace('"', "'")
        return text

    made = OPEN_MARK.sub(r"\1", PATTERN_SLOT.sub(put, pattern)).strip()
    return made[:1].upper() + made[1:]


def replaced(text: str, rule: Replace) -> str | None:
    """The text with a phrase replaced, keeping its capital; nothing where no phrase stands."""
    for old, new in rule.old.items():
        anchor = r"^" if rule.at_start else r"(?<!\w)"
        found = re.compile(anchor + re.escape(old) + r"(?!\w)", re.IGNORECASE)
        if not found.search(text):
            continue

        def put(match: re.Match[str], new: str = new) -> str:
            return new[:1].upper() + new[1:] if match[0][:1].isupper() else new

        return found.sub(put, text, count=0 if rule.every else 1)
    return None


FAMILIES = {  # pronoun: which list of substitutes keeps the verb in agreement
    **dict.fromkeys(("he", "him", "his", "she", "her", "hers"), "singular"),
    **dict.fromkeys(("they", "them", "their", "theirs", "you", "your", "yours"), "plural"),
}
ADDRESSED = ("you", "your", "yours")
TOLD = ("are", "'re", "’re", "were", "will", "'ll", "’ll")
GENERIC = re.compile(
    r"^ ?(?:will|['’]ll) (?:not|never|hardly) "
)  # "you will not find a better one"
SUBJECT, NAMED = ("nsubj", "nsubjpass", "nsubj:pass"), ("NOUN", "PROPN")
REFLEXIVE = re.compile(r"\b(?:him|her|your|them)sel(?:f|ves)\b", re.IGNORECASE)
FULL = {"'re": " are", "'ll": " will", "'ve": " have", "'s": " is", "’re": " are", "’ll": " will"}
HAS = re.compile(r"(?: \w+)? (?:been|got|had)\b")  # after 's
POSSESSIVE = ("PRP$", "WP$")
# An adjective names people only before a word for them: `black comedy` is about nobody.
PERSON = re.compile(
    r"(?<!\s)\s+(?:people|person|men|man|women|woman|girls?|boys?|kids?|child(?:ren)?|actors?|actress(?:es)?|characters?"
    r"|couples?|famil(?:y|ies)|students?|friends?|directors?|writers?|artists?|audiences?|community|heroes|hero)\b",
    re.IGNORECASE,
)
KINDS = ("plural", "singular", "adjective")


def variants(parse: Parse, most: int) -> list[str]:
    """The sentence about each of the groups; none where grammar would break."""
    found = _identity_variants(parse.text, parse.language) or _pronoun_variants(parse)
    return [text for text in dict.fromkeys(found) if text != parse.text][:most]


def _pronoun_variants(parse: Parse) -> list[str]:
    places = [
        (number, token)
        for number, token in enumerate(parse.tokens)
        if token.text.lower() in FAMILIES and token.tag.startswith("PRP")
    ]
    # A second pronoun would have to agree with the new noun, so only sentences with one are taken.
    if len(places) != 1 or REFLEXIVE.search(parse.text):
        return []
    number, token = places[0]
    # Someone named earlier is who the pronoun stands for: a group in its place would be a stranger.
    # So is who is named as a subject later: "When she arrived, the doctor left".
    word = token.text.lower()
    earlier = any(each.pos in ("NOUN", "PROPN") for each in parse.tokens[:number])
    later = any(
        each.relation in SUBJECT and each.pos in NAMED for each in parse.tokens[number + 1 :]
    )
    following = parse.tokens[number + 1] if number + 1 < len(parse.tokens) else None
    if word in ADDRESSED:
        # Mostly anybody is meant by "you" and "your", but for "you are ..."; and people are not "a driver".
        told = following is not None and following.text.lower() in TOLD
        told &= not GENERIC.search(parse.text[token.end :])
        main = token.relation in SUBJECT and parse.tokens[token.head].head == token.head
        one = any(  # "you are the best teacher"
            each.relation == "attr" and each.tag == "NN" and each.head == token.head
            for each in parse.tokens
        )
        if not told or not main or one:
            return []
    elif earlier or later:
        return []
    rows = terms(f"substitute {FAMILIES[token.text.lower()]}", parse.language)
    return [_with_person(parse.text, token, following, person) for person in rows]


def _with_person(text: str, token: Token, following: Token | None, person: str) -> str:
    rest = text[token.end :]
    if token.tag in POSSESSIVE or token.text.lower() in ("hers", "theirs", "yours"):
        person += "'" if person.endswith("s") else "'s"
    elif following and following.start == token.end and following.text.lower() in FULL:
        rest = text[following.end :]
        rest = (" has" if HAS.match(rest) else FULL[following.text.lower()]) + rest
    if not text[: token.start].strip(" \"'“("):
        person = person[:1].upper() + person[1:]
    return text[: token.start] + person + rest


def _title(term: str) -> bool:
    """Whether a term has a capital that only a title would give it."""
    return term[:1].isupper() and term.lower() in (
        "women",
        "men",
        "woman",
        "man",
        "female",
        "gay",
        "black",
        "white",
    )


def _identity_variants(text: str, language: str) -> list[str]:
    """The first identity term replaced by every other that fits its place."""
    for kind in KINDS:
        match = pattern(terms(f"identity {kind}", language)).search(text)
        if match is None or (match.start() and _title(match[0])):
            continue
        after = text[match.end() :]
        if after.startswith("-") or text[: match.start()].endswith("-"):
            continue
        if kind == "adjective" and not PERSON.match(after):
            continue
        rows = terms(f"substitute {kind}", language)
        made = []
        for row in rows:
            word = row.removeprefix("the ") if kind == "singular" else row
            before = text[: match.start()]
            if found := ARTICLE.search(before):
                before = before[: found.start()] + match_article(found[1], word) + found[2]
            if match[0][:1].isupper() and not before.strip(" \"'“("):
                word = word[:1].upper() + word[1:]
            # "A male man" says it twice, "a male woman" both.
            twice = word.lower() in BY_SEX and SEXED.match(after)
            if word.lower() != match[0].lower() and not twice:
                made.append(before + word + text[match.end() :])
        return made
    return []


def fill_template(
    text: str, lexicon: SentimentLexicon, language: str, seed: int = 0
) -> Iterator[str]:
    """Every sentence of a template once, in an order that the seed decides."""
    found = (match[2] for match in TEMPLATE_SLOT.finditer(text))
    names = list(dict.fromkeys(name for name in found if not name.startswith("mask:")))
    lists = [_words(name, lexicon, language) for name in names]
    apart = [(i, j) for i in range(len(names)) for j in range(i) if lists[i] == lists[j]]
    texts, slots = _parts(text, names, lists)
    for number in scattered(math.prod(map(len, lists)), seed):
        chosen = []
        for words in lists:
            number, place = divmod(number, len(words))
            chosen.append(place)
        if not apart or all(chosen[i] != chosen[j] for i, j in apart):
            texts[1::2] = [words[chosen[slot]] for slot, words in slots]
            made = "".join(texts)
            yield made[:1].upper() + made[1:]


def _parts(
    text: str, names: list[str], lists: list[tuple[str, ...]]
) -> tuple[list[str], list[tuple[int, tuple[str, ...]]]]:
    """The text between slots, with room for them, and the words of each slot, articles before them."""
    texts: list[str] = []
    slots: list[tuple[int, tuple[str, ...]]] = []
    end = 0
    for match in TEMPLATE_SLOT.finditer(text):
        if match[2] not in names:
            continue
        slot = names.index(match[2])
        words = lists[slot]
        if match[1]:
            words = tuple(f"{match_article('a', word)} {word}" for word in words)
        texts += [text[end : match.start()], ""]
        slots.append((slot, words))
        end = match.end()
    return [*texts, text[end:]], slots


def scattered(count: int, seed: int) -> Iterator[int]:
    """The numbers below `count`, each once, in an order without a pattern that shows."""
    if not count:
        return
    dice = random.Random(seed)  # noqa: S311 - no secret
    start, step = dice.randrange(count), max(1, round(count * 0.6180339887))
    while math.gcd(step, count) != 1:
        step += 1
    for number in range(count):
        yield (start + number * step) % count


def fill_masks(
    text: str, proposer: Proposer, lexicon: SentimentLexicon, top: int = 10, neutral: bool = True
) -> Iterator[str]:
    """The sentence with its first mask filled by each word proposed, then its other masks."""
    match = MASK.search(text)
    if match is None:
        yield text
        return
    tokens: list[Token] = []
    index = 0
    for piece in PIECE.finditer(text):
        tag = match[1] if piece.start() == match.start() else ""
        if tag:
            index = len(tokens)
        tokens.append(Token(piece[0], piece.start(), piece.end(), tag, "", piece[0], 0, ""))
    slot = Slot(Parse(text, tuple(tokens)), index)
    for candidate in proposer.propose([slot], top):
        for each in candidate:
            if not neutral or lexicon.neutral_for(each.word, each.word, True):
                whole = text[: match.start()] + each.word + text[match.end() :]
                yield from fill_masks(whole, proposer, lexicon, top, neutral)


def _words(name: str, lexicon: SentimentLexicon, language: str) -> tuple[str, ...]:
    plain = re.sub(r"(?:(?<!\s)\s+|(?<![\s\d]))\d+$", "", name)
    side, _, kind = plain.partition(" ")
    return lexicon.words(side, kind) if side in SIDES else terms(plain, language)
