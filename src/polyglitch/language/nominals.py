"""Noun phrases: the noun with what stands before it, what follows it, and its conjuncts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from polyglitch.language.brackets import join
from polyglitch.protocols import Tree

if TYPE_CHECKING:
    from polyglitch.language.projection import Builder

# What follows a noun without starting a new phrase: the possessive ending, "29" in "Nov. 29", names.
TIGHT = {"case", "nummod", "compound", "quantmod", "neg", "det", "amod", "expl:pv"}


def nominal(builder: Builder, index: int) -> Tree:
    """The noun phrase of a word, coordinated where it has conjuncts."""
    members, links = conjuncts(builder, index)
    if len(members) == 1:
        return simple(builder, index, set())
    after = following(builder, members, links)
    skipped = {*members, *links}
    later = [builder.arcs.children[member] for member in members[1:]]
    bare = all(set(children) <= skipped for children in later)
    first = [c for c in builder.arcs.children[index] if c not in skipped and c not in after]
    flat = bare and all(child < index for child in first) and not named(builder, index, first)
    if flat:
        parts = before(builder, index, first) + [builder.leaf(i) for i in skipped | {index}]
        whole = join("NP", parts)
        return join("NP", [whole, *map(builder.phrase, after)]) if after else whole
    parts = [simple(builder, member, {*skipped, *after}) for member in members]
    return join("NP", parts + [builder.phrase(link) for link in [*links, *after]])


def following(builder: Builder, members: list[int], links: list[int]) -> list[int]:
    """The dependents of a conjunct that stand after the next one: they belong to all."""
    return [
        child
        for member, following_member in pairwise(members)
        for child in builder.arcs.right(member)
        if child > following_member and child not in members and child not in links
    ]


def named(builder: Builder, index: int, modifiers: list[int]) -> bool:
    """Whether this is a name of several words, which is always a phrase of its own."""
    return builder.tokens[index].pos == "PROPN" and bool(modifiers)


def conjuncts(builder: Builder, index: int) -> tuple[list[int], list[int]]:
    """The coordinated nouns in order, from a chain or a star of `conj` arcs, and what links them."""
    members, links, queue = [index], [], [index]
    while queue:
        member = queue.pop(0)
        children = builder.arcs.right(member)
        joined = [child for child in children if builder.relation(child) == "conj"]
        nouns = [child for child in joined if builder.kind(child) == "N"]
        if not nouns:
            continue
        links += builder.links_before(member, nouns)
        members += nouns
        queue += nouns
    return sorted(members), links


def simple(builder: Builder, index: int, skipped: set[int]) -> Tree:
    """A noun phrase without its conjuncts: a base, and a level more if something follows it."""
    children = [child for child in builder.arcs.children[index] if child not in skipped]
    tight: list[int] = []
    loose: list[int] = []
    for child in children:
        bound = builder.relation(child) in TIGHT and len(builder.arcs.below(child)) <= 2
        (tight if child < index or (bound and not loose) else loose).append(child)
    core = base(builder, index, tight)
    after = [child for child in loose if builder.relation(child) != "punct"]
    if not after:
        return join("NP", [*core, *map(builder.phrase, loose)]) if loose else _wrap(builder, core)
    # A mark that opens or closes goes with the phrase; only real modifiers make a second level.
    inner = _wrap(builder, core)
    return join("NP", [inner, *map(builder.phrase, loose)])


def base(builder: Builder, index: int, tight: list[int]) -> list[Tree]:
    """The words of the innermost noun phrase, a number of several words bracketed as QP."""
    parts = [*before(builder, index, tight), builder.leaf(index)]
    if builder.tokens[index].tag == "CD" or builder.tokens[index].pos == "NUM":
        signs = all(
            builder.tokens[part.start].tag in ("$", "#") for part in parts if part.end <= index
        )
        if len(parts) > 1 and not signs and not any(part.start > index for part in parts):
            return [join("QP", parts)]
    return parts


def before(builder: Builder, index: int, modifiers: list[int]) -> list[Tree]:
    """The modifiers inside a base phrase; nouns before nouns are flat, as the treebank has them."""
    parts: list[Tree] = []
    for child in modifiers:
        relation = builder.relation(child)
        grandchildren = builder.arcs.children[child]
        if relation == "nummod" and grandchildren:
            parts.append(join("QP", builder.leaves(child)))
        elif flat(builder, child):
            parts += builder.leaves(child)
        elif relation == "advmod" and not grandchildren:
            parts.append(builder.leaf(child))
        else:
            parts.append(builder.phrase(child))
    return parts


def flat(builder: Builder, child: int) -> bool:
    """Whether a modifier before the noun has no bracket of its own, however many words it has."""
    if builder.relation(child) == "amod":
        return builder.kind(child) == "N"
    return builder.relation(child) in ("compound", "nmod", "quantmod") and not owned(builder, child)


def owned(builder: Builder, index: int) -> bool:
    """Whether a possessor is somewhere below, which must stay a phrase."""
    return any(builder.relation(i) in ("poss", "prep") for i in builder.arcs.below(index))


def _wrap(builder: Builder, parts: list[Tree]) -> Tree:
    return builder.asking(join("NP", parts))
