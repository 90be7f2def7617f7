"""What parts two inputs: found by comparing them, as facts, names and words that were replaced, taken out or put in."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations, permutations
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from polyglitch.represent.claims.answer import Name, inner_capitals, read_answer
from polyglitch.represent.claims.facts import Fact, facts, same_fact
from polyglitch.represent.claims.words import lists, little_words, opposites, root, tokens

SHORT_WORD = 3  # letters of a word in which a slip makes another word
MOST_NUMBERS = 8  # of an input, among which a sum or product is looked for


class InputPiece(NamedTuple):
    """A fact, a name or a word of an input."""

    key: str
    text: str
    item: Fact | Name | None = None


class InputDifference(NamedTuple):
    """What one input has and the other has not."""

    pairs: tuple[tuple[InputPiece, InputPiece], ...]  # replaced one for one
    removed: tuple[InputPiece, ...]
    added: tuple[InputPiece, ...]

    @property
    def only_removes(self) -> bool:
        """Whether something was taken out and nothing of meaning put in."""
        new = [piece for piece in self.added if piece.key not in lists()["blanks"]]
        put_in = any(telling(piece) or piece.key in opposites() for piece in new)
        return bool(self.removed) and not put_in

    @property
    def misspelt(self) -> InputDifference:
        """The part of it that only spells words otherwise."""
        whole = ((old, new.text.replace(" ", "")) for old, new in self.pairs)  # "fl 4 t"
        slips = tuple((old, InputPiece(n.lower(), n)) for old, n in whole if is_slip(old.text, n))
        return InputDifference(slips, tuple(o for o, _ in slips), tuple(n for _, n in slips))


def is_slip(old: str, new: str) -> bool:
    """Whether a word is another one misspelt: a letter off, letters in another order, or digits for letters."""
    one, other = old.lower(), new.lower()
    if len(one) <= SHORT_WORD or not one.isalpha() or one == other:
        return False
    digits = not other.isalpha() and one[0] == other[0] and len(one) == len(other)
    near = Levenshtein.distance(one, other) <= 1 or sorted(one) == sorted(other)
    return (digits and other.isalnum()) or (near and other.isalpha() and root(one) != root(other))


def telling(piece: InputPiece) -> bool:
    """Whether a piece carries meaning of its own."""
    return piece.item is not None or (piece.key[:1].isalpha() and piece.key not in little_words())


@lru_cache(maxsize=2048)
def find_edit(source: str, followup: str) -> InputDifference:
    """The edit between two inputs."""
    known = inner_capitals(source) | inner_capitals(followup)
    one, other = pieces(source, known), pieces(followup, known)
    matcher = SequenceMatcher(None, [p.key for p in one], [p.key for p in other], autojunk=False)
    pairs: list[tuple[InputPiece, InputPiece]] = []
    removed: list[InputPiece] = []
    added: list[InputPiece] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        old, new = one[a:b], other[c:d]
        removed += old
        added += new
        pairs += paired(old, new)
    return InputDifference(tuple(pairs), tuple(removed), tuple(added))


def switched(
    source: str, followup: str, edit: InputDifference
) -> tuple[tuple[Fact, ...], tuple[Fact, ...]] | None:
    """Facts that the input tells of the old and of the new value, where one edit points from one to the other."""
    if len(edit.pairs) != 1 or len(edit.removed) != 1 or len(edit.added) != 1:
        return None
    old, new = edit.pairs[0]
    if old.item is not None and isinstance(old.item, Fact):
        return None
    if not whole_word(new.text, source) or not whole_word(old.text, followup):
        return None
    shared = [c for c in re.split(r"[,;.\n]", followup) if c in re.split(r"[,;.\n]", source)]
    beside = [
        tuple(f for c in shared if whole_word(value.text, c) for f in facts(c))
        for value in (old, new)
    ]
    apart = [f for f in beside[1] if not any(same_fact(f, g) for g in beside[0])]
    return (beside[0], tuple(apart)) if beside[0] and apart else None


def paired(old: list[InputPiece], new: list[InputPiece]) -> list[tuple[InputPiece, InputPiece]]:
    """Which piece became which: in order where there are as many, else the whole for the whole."""
    if not old or not new:
        return []
    if len(old) == len(new):
        return list(zip(old, new, strict=True))
    solid = [p for p in old if telling(p)], [p for p in new if telling(p)]
    if len(solid[0]) == len(solid[1]):
        return list(zip(*solid, strict=True))
    whole = [" ".join(p.text for p in some) for some in (old, new)]
    return [(InputPiece(whole[0].lower(), whole[0]), InputPiece(whole[1].lower(), whole[1]))]


def pieces(text: str, known: frozenset[str]) -> list[InputPiece]:
    """An input as facts, names and words, marks left out."""
    read = read_answer(text, known)
    marked: list[tuple[int, int, InputPiece]] = [
        (f.start, f.end, InputPiece(f"{f.kind}:{f.value}", f.text, f)) for f in read.facts
    ]
    marked += [
        (n.start, n.end, InputPiece("name:" + " ".join(n.parts), n.text, n)) for n in read.names
    ]
    taken = {place for start, end, _ in marked for place in range(start, end)}
    marked += [
        (start, end, InputPiece(word, text[start:end]))
        for word, start, end in tokens(text)
        if start not in taken and word[0].isalnum()
    ]
    return [piece for _, _, piece in sorted(marked, key=lambda item: item[:2])]


def expected_answer(text: str, edit: InputDifference, source: str, followup: str) -> str:
    """An answer with the substitution carried out in it, whatever way the fact is written there."""
    swaps: list[tuple[int, int, str]] = []
    for old, new in edit.pairs:
        if isinstance(old.item, Fact) and isinstance(new.item, Fact):
            swaps += [
                (f.start, f.end, written_like(f, new.item))
                for f in facts(text)
                if same_fact(f, old.item)
            ]
        elif isinstance(old.item, Name) or isinstance(new.item, Name):
            swaps += name_swaps(text, old, new)
        else:
            swaps += word_swaps(text, old, new)
    swaps += derived_swaps(text, edit, source, followup)
    return carried_out(text, swaps)


def expected_once(text: str, edit: InputDifference) -> list[str]:
    """An answer with the substitution of a number carried out in one place at a time."""
    found = []
    for old, new in edit.pairs:
        if isinstance(old.item, Fact) and isinstance(new.item, Fact):
            places = [f for f in facts(text) if same_fact(f, old.item)]
            found += [
                carried_out(text, [(f.start, f.end, written_like(f, new.item))]) for f in places
            ]
    return found


def carried_out(text: str, swaps: list[tuple[int, int, str]]) -> str:
    """A text with some places replaced, the longest first where two overlap."""
    kept: list[tuple[int, int, str]] = []
    for swap in sorted(swaps, key=lambda s: (s[0], -s[1])):
        if not kept or swap[0] >= kept[-1][1]:
            kept.append(swap)
    for start, end, new in reversed(kept):
        text = text[:start] + new + text[end:]
    return text


def written_like(fact: Fact, new: Fact) -> str:
    """A fact for another: bare digits stay bare, as a number in JSON must."""
    digits = re.search(r"\d+(?:,\d{3})*(?:\.\d+)?", new.text)
    if re.fullmatch(r"\d+(?:\.\d+)?", fact.text) and digits:
        return digits[0].replace(",", "")
    return new.text


def name_swaps(text: str, old: InputPiece, new: InputPiece) -> list[tuple[int, int, str]]:
    """Where a name stands in an answer, whole or in part, and what must stand there."""
    before = list(old.item.parts) if isinstance(old.item, Name) else old.key.split()
    after = re.findall(r"(?<![\w.'’&-])[.'’&-]*\w(?:[\w.'’&-]*\w)?", new.text)
    titles = {w for w in after if w.lower().strip(".") in ("mr", "mrs", "ms", "dr", "prof")}
    after = [w for w in after if w not in titles] or after
    swaps = [(m.start(), m.end(), new.text) for m in whole_word(old.text, text)]
    for place, part in enumerate(before):
        last = place == len(before) - 1
        put = (
            after[-1]
            if last and len(after) > 1 and len(before) > 1
            else after[min(place, len(after) - 1)]
        )
        if len(part) > 1 and part not in little_words():
            swaps += [(m.start(), m.end(), put) for m in whole_word(part, text)]
    return swaps


def word_swaps(text: str, old: InputPiece, new: InputPiece) -> list[tuple[int, int, str]]:
    """Where a word or phrase stands in an answer, in any form of it."""
    swaps = [(m.start(), m.end(), new.text) for m in whole_word(old.text, text)]
    if " " not in old.key and telling(old):
        wanted = root(old.key)
        swaps += [(s, e, new.text) for word, s, e in tokens(text) if root(word) == wanted]
    return swaps


def whole_word(part: str, text: str) -> list[re.Match[str]]:
    """Where a word stands in a text, whatever its case."""
    return list(re.finditer(rf"(?<!\w){re.escape(part)}(?!\w)", text, re.IGNORECASE))


def derived_swaps(
    text: str, edit: InputDifference, source: str, followup: str
) -> list[tuple[int, int, str]]:
    """Numbers of an answer that are reckoned from those of the input, reckoned anew."""
    changed = [(o.item, n.item) for o, n in edit.pairs if both_numbers(o, n)]
    given = [f for f in facts(source) if f.kind == "number"][:MOST_NUMBERS]
    if not changed or len(given) < 2:
        return []
    before = [amount(f) for f in given]
    after = [next((amount(n) for o, n in changed if o.value == f.value), amount(f)) for f in given]  # type: ignore[union-attr]
    table = list(zip(reckoned(before), reckoned(after), strict=True))
    swaps = []
    for fact in facts(text):
        if fact.kind != "number" or any(same_fact(fact, f) for f in given):
            continue
        new = next((b for a, b in table if a != b and abs(a - amount(fact)) < 1e-6), None)
        if new is not None:
            plain = re.sub(r"\d+(?:,\d{3})*(?:\.\d+)?", f"{new:g}", fact.text, count=1)
            swaps.append((fact.start, fact.end, plain))
    return swaps


def both_numbers(old: InputPiece, new: InputPiece) -> bool:
    """Whether a number became a number."""
    items = old.item, new.item
    return all(isinstance(item, Fact) and item.kind == "number" for item in items)


def amount(fact: Fact | Name | None) -> float:
    """The number as it is written, its unit aside."""
    digits = re.search(r"\d+(?:,\d{3})*(?:\.\d+)?", fact.text) if fact else None
    if digits:
        return float(digits[0].replace(",", ""))
    return float(fact.value[0]) if isinstance(fact, Fact) else 0.0  # type: ignore[arg-type]


def reckoned(numbers: list[float]) -> list[float]:
    """Sums, differences, products, ratios and percentages of some numbers, always in the same order."""
    found = [sum(numbers)]
    for a, b in permutations(numbers, 2):
        found += [a + b, a - b, a * b, a / b if b else 0.0, a * b / 100]
        found += [a * (1 - b / 100), a * (1 + b / 100)]
    for a, b, c in combinations(numbers, 3):
        found += [a * b * c, a * b + c, a + b + c, a * b - c, a + b * c]
    for a, b, c, d in combinations(numbers, 4):
        found += [a * b + c * d]
    return found


def changes_denial(edit: InputDifference) -> bool:
    """Whether the edit puts in or takes out a negation."""
    return any(p.key in lists()["denies"] for p in (*edit.removed, *edit.added))
