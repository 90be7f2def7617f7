"""Templates with slots (CheckList's editor): distinct sentences in random order, without holding them.

`{positive adjective}`, `{name female}`, `{identity plural}` name word lists; `{a:positive adjective}` puts the right
article before the word; a number tells slots of one list apart (`{name female 2}`); `{mask:JJ}` is for a proposer.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator

from polyglitch.language.lexicon import SentimentLexicon
from polyglitch.language.terms import terms
from polyglitch.mutate.capabilities.predicates import SIDES
from polyglitch.mutate.surface import match_article
from polyglitch.protocols import Parse, Proposer, Slot, Token

SLOT = re.compile(r"\{(a:)?([^{}]+?)\}")
MASK = re.compile(r"\{mask:(\w+)\}")
PIECE = re.compile(r"\{mask:\w+\}|[\w'’-]+|[^\w\s]")


def fill_template(
    text: str, lexicon: SentimentLexicon, language: str = "en", seed: int = 0
) -> Iterator[str]:
    """Every sentence of a template once, in an order that the seed decides."""
    names = list(
        dict.fromkeys(match[2] for match in SLOT.finditer(text) if match[2][:5] != "mask:")
    )
    lists = [_words(name, lexicon, language) for name in names]
    apart = [(i, j) for i in range(len(names)) for j in range(i) if lists[i] == lists[j]]
    pieces = SLOT.split(text)  # text, article or nothing, name, text, ...
    for number in scattered(math.prod(map(len, lists)), seed):
        chosen = []
        for words in lists:
            number, place = divmod(number, len(words))
            chosen.append(words[place])
        if all(chosen[i] != chosen[j] for i, j in apart):
            yield _filled(pieces, dict(zip(names, chosen, strict=True)))


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
    plain = re.sub(r"\s*\d+$", "", name)
    side, _, kind = plain.partition(" ")
    return lexicon.words(side, kind) if side in SIDES else terms(plain, language)


def _filled(pieces: list[str | None], words: dict[str, str]) -> str:
    made: list[str] = []
    for place in range(0, len(pieces) - 1, 3):
        name = pieces[place + 2] or ""
        word = words.get(name, f"{{{name}}}")
        article = f"{match_article('a', word)} " if pieces[place + 1] else ""
        made += [pieces[place] or "", article, word]
    text = "".join(made) + (pieces[-1] or "")
    return text[:1].upper() + text[1:]
