"""Templates with slots (CheckList's editor): distinct sentences in random order, without holding them.

`{positive adjective}`, `{name female}`, `{identity plural}` name word lists; `{a:positive adjective}` puts the right
article before the word; a number tells slots of one list apart (`{name female 2}`); `{mask:JJ}` is for a proposer.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator

from polyglitch.mutate.capabilities.predicates import SIDES
from polyglitch.nlp.lexicons.terms import SentimentLexicon, terms
from polyglitch.nlp.proposers.slot_words import match_article
from polyglitch.protocols import Parse, Proposer, Slot, Token

SLOT = re.compile(r"\{(a:)?([^{}]+?)\}")
MASK = re.compile(r"\{mask:(\w+)\}")
PIECE = re.compile(r"\{mask:\w+\}|[\w'’-]+|[^\w\s]")


def fill_template(
    text: str, lexicon: SentimentLexicon, language: str, seed: int = 0
) -> Iterator[str]:
    """Every sentence of a template once, in an order that the seed decides."""
    found = (match[2] for match in SLOT.finditer(text))
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
    for match in SLOT.finditer(text):
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
