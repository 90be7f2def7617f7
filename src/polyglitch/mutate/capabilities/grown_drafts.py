"""A grown sentence before it is checked: which of many are parsed, and whether their parse is what was meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyglitch.mutate.capabilities.places import ASIDE
from polyglitch.nlp.parsers.constituents import productions, tree_of
from polyglitch.records import Parse


@dataclass(frozen=True)
class GrownDraft:
    """A grown sentence before it is checked."""

    text: str
    at: int
    index: int
    words: tuple[str, ...]
    tags: tuple[str, ...]
    production: str = ""  # of a phrase whose wordings are given
    view: bool = False


def one_of_each(drafts: Sequence[GrownDraft]) -> list[GrownDraft]:
    """Of every production the first draft whose words no other has: clauses first, then phrases."""
    chosen: dict[str, GrownDraft] = {}
    used: set[tuple[str, ...]] = set()
    for draft in drafts:
        if draft.production not in chosen and draft.words not in used:
            chosen[draft.production] = draft
            used.add(draft.words)
    return list(chosen.values())


def diverse(drafts: Sequence[GrownDraft], most: int) -> list[GrownDraft]:
    """Taking turns over the places, or the productions, words not used yet first."""
    by_place: dict[tuple[int | str, tuple[str, ...]], list[GrownDraft]] = {}
    for draft in drafts:
        by_place.setdefault((draft.production or draft.index, draft.tags), []).append(draft)
    chosen: list[GrownDraft] = []
    used: set[str] = set()
    while by_place and len(chosen) < most:
        for key in list(by_place):
            row = by_place[key]
            fresh = next((draft for draft in row if not used & set(draft.words)), row[0])
            row.remove(fresh)
            used |= set(fresh.words)
            chosen.append(fresh)
            if not row:
                del by_place[key]
    return chosen[:most]


def has_grown(before: Parse, after: Parse, draft: GrownDraft) -> bool:
    """Whether all that was there is read as before, and what was added as the phrase that the production adds."""
    longer = len(after.text) - len(before.text)
    inside = range(draft.at, draft.at + longer)
    rest = [place for place, token in enumerate(after.tokens) if token.start not in inside]
    if len(rest) != len(before.tokens):
        return False
    old = {new: place for place, new in enumerate(rest)}
    for place, new in enumerate(rest):
        one, two = before.tokens[place], after.tokens[new]
        if one.tag != two.tag or (two.head in old and old[two.head] != one.head):
            return False
    added = [place for place, token in enumerate(after.tokens) if token.start in inside]
    words = [place for place in added if after.tokens[place].text not in (",", "and")]
    tree = tree_of(after)
    return tree is not None and any(
        node.label == draft.tags[0]
        and node.start == words[0]
        and node.end in (words[-1] + 1, words[-1] + 2)
        for _, _, node in productions(tree)
    )


def reads_the_same(before: Parse, after: Parse, draft: GrownDraft) -> bool:
    """Whether the words were read with their tags, and all others, and who governs whom, as before."""
    count, index = len(draft.words), draft.index
    if len(after.tokens) != len(before.tokens) + count:
        return False
    added = after.tokens[index : index + count]
    if draft.tags != ASIDE and any(
        token.tag != tag for token, tag in zip(added, draft.tags, strict=True)
    ):
        return False
    rest = after.tokens[:index] + after.tokens[index + count :]

    def old_place(place: int) -> int:
        return place if place < index else place - count

    return all(
        one.tag == two.tag
        and (index <= two.head < index + count or one.head == old_place(two.head))
        for one, two in zip(before.tokens, rest, strict=True)
    )
