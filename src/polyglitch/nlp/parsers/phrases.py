"""Noun phrases: the noun with what stands before it, what follows it, and its conjuncts.

Clauses: a verb with its auxiliaries as nested VPs, under S, under SBAR where something introduces it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from polyglitch.nlp.parsers.trees import SUBJECTS, join
from polyglitch.records import Tree

if TYPE_CHECKING:
    from polyglitch.nlp.parsers.constituents import Builder

# What follows a noun without starting a new phrase: the possessive ending, "29" in "Nov. 29", names.
TIGHT = {"case", "nummod", "compound", "quantmod", "neg", "det", "amod", "expl:pv"}


def nominal(builder: Builder, index: int) -> Tree:
    """The noun phrase of a word, coordinated where it has conjuncts."""
    members, links = noun_conjuncts(builder, index)
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


def noun_conjuncts(builder: Builder, index: int) -> tuple[list[int], list[int]]:
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
        return (
            join("NP", [*core, *map(builder.phrase, loose)]) if loose else _wrap_noun(builder, core)
        )
    # A mark that opens or closes goes with the phrase; only real modifiers make a second level.
    inner = _wrap_noun(builder, core)
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


def _wrap_noun(builder: Builder, parts: list[Tree]) -> Tree:
    return builder.asking(join("NP", parts))


AUXILIARIES = {"aux", "auxpass"}
FINITE = {"VBD", "VBZ", "VBP", "MD"}
QUESTION_PHRASES = {"WHNP", "WHADVP", "WHPP", "WHADJP"}


def clause(builder: Builder, index: int) -> Tree:
    """The clause of a verb, with the brackets that its relation asks for."""
    members, links = conjuncts(builder, index)
    if not members:
        return introduced(builder, index, set())
    # What follows the conjuncts, such as the full stop, belongs to all of them.
    after = [c for c in builder.arcs.right(index) if c > members[0] and c not in members + links]
    skipped = {*members, *links, *after}
    whole = [introduced(builder, index, skipped, coordinated=True)]
    whole += [introduced(builder, member, {*links}, coordinated=True) for member in members]
    label = "VP" if all(part.label == "VP" for part in whole) else "S"
    opening = [
        builder.leaf(link) if _lone(builder, link) else builder.phrase(link) for link in links
    ]
    closing = [builder.phrase(child) for child in after]
    return _wrap_coordination(builder, index, join(label, whole + opening + closing))


def _wrap_coordination(builder: Builder, index: int, tree: Tree) -> Tree:
    """Coordinated clauses under the introduction of the first of them."""
    if builder.relation(index) == "relcl" and tree.label != "SBAR":
        return join("SBAR", [tree])
    return tree


def conjuncts(builder: Builder, index: int) -> tuple[list[int], list[int]]:
    """The verbs coordinated with this one that start a clause of their own, and what links them."""
    right = builder.arcs.right(index)
    found = [
        child
        for child in right
        if builder.relation(child) == "conj"
        and builder.kind(child) == "V"
        and has_subject(builder, child)
    ]
    if not found or not has_subject(builder, index):
        return [], []
    return found, builder.links_before(index, found)


def has_subject(builder: Builder, index: int) -> bool:
    """Whether a verb has a subject of its own."""
    return any(builder.relation(child) in SUBJECTS for child in builder.arcs.children[index])


def introduced(builder: Builder, index: int, skipped: set[int], coordinated: bool = False) -> Tree:
    """The clause with the words that introduce it: SBAR over S over VP, as far as there is reason."""
    left = [child for child in builder.arcs.left(index) if child not in skipped]
    right = [child for child in builder.arcs.right(index) if child not in skipped]
    opening = [place for place, child in enumerate(left) if opens(builder, child)]
    cut = opening[-1] + 1 if opening else 0
    inner = sentence(builder, index, left[cut:], right)
    if cut:
        if inner.label == "VP":
            inner = join("S", [inner])
        return join("SBAR", [*map(builder.phrase, left[:cut]), inner])
    return bracketed(builder, index, inner, coordinated)


def opens(builder: Builder, child: int) -> bool:
    """Whether a dependent introduces its clause: a conjunction or a question phrase."""
    if builder.relation(child) == "mark":
        return True
    return builder.phrase(child).label in QUESTION_PHRASES if _asks(builder, child) else False


def _asks(builder: Builder, child: int) -> bool:
    return any(builder.tokens[i].tag.startswith("W") for i in builder.arcs.below(child)[:2])


def bracketed(builder: Builder, index: int, inner: Tree, coordinated: bool) -> Tree:
    """The label that a clause without introduction gets by its relation."""
    relation = builder.relation(index)
    finite = has_subject(builder, index) and is_finite(builder, index)
    if coordinated or relation == "conj":
        return inner
    if relation == "relcl" or (
        relation == "ccomp" and finite and index > builder.arcs.heads[index]
    ):
        return join("SBAR", [_as_sentence(inner)])
    if relation == "parataxis":
        return join("PRN", [_as_sentence(inner)])
    if relation == "acl" and builder.tokens[inner.start].tag != "TO":
        return inner
    return _as_sentence(inner)


def is_finite(builder: Builder, index: int) -> bool:
    """Whether the first verb of the group is finite; a tag set without tenses gives no."""
    group = [c for c in builder.arcs.left(index) if builder.relation(c) in AUXILIARIES]
    return builder.tokens[min([*group, index])].tag in FINITE


def sentence(builder: Builder, index: int, left: list[int], right: list[int]) -> Tree:
    """Subject and the like, then the verb phrase; only the latter where there is no subject."""
    helpers = [child for child in left if builder.relation(child) in AUXILIARIES]
    start = helpers[0] if helpers else index
    outside = [child for child in left if child < start]
    inside = [child for child in left if child >= start]
    asked = [child for child in inside if builder.relation(child) in SUBJECTS]
    behind = [child for child in right if builder.relation(child) in SUBJECTS]
    last = _closing(builder, right) if builder.relation(index) == "ROOT" else []
    right = [child for child in right if child not in last]
    if asked:  # did he go
        cut = asked[-1]
        verb = verb_phrase(builder, index, [c for c in inside if c > cut], right)
        rest = [*outside, *(c for c in inside if c <= cut), *last]
        return join("SQ", [*map(builder.phrase, rest), verb])
    if behind and not helpers and not _fronted_subject(builder, outside):  # said he
        cut = behind[0]
        verb = verb_phrase(builder, index, inside, [c for c in right if c < cut])
        rest = [*outside, *(c for c in right if c >= cut), *last]
        return join("SINV", [*map(builder.phrase, rest), verb])
    if not _fronted_subject(builder, outside):
        split = _adverbs(builder, outside)
        inside, outside = outside[split:] + inside, outside[:split]
    verb = verb_phrase(builder, index, inside, right)
    if not outside and not last:
        return verb
    return join("S", [*map(builder.phrase, [*outside, *last]), verb])


def _fronted_subject(builder: Builder, outside: list[int]) -> bool:
    return any(builder.relation(child) in SUBJECTS for child in outside)


def _adverbs(builder: Builder, outside: list[int]) -> int:
    """Where the plain adverbs right before a verb without subject start: they go into its VP."""
    place = len(outside)
    while place and builder.relation(outside[place - 1]) in ("advmod", "neg", "cc", "preconj"):
        place -= 1
    return place


def _closing(builder: Builder, right: list[int]) -> list[int]:
    """The punctuation that ends the sentence."""
    place = len(right)
    while place and builder.relation(right[place - 1]) == "punct":
        place -= 1
    return right[place:]


def verb_phrase(builder: Builder, index: int, inside: list[int], right: list[int]) -> Tree:
    """The verb with its complements, and a VP around it for every auxiliary."""
    helpers = [child for child in inside if builder.relation(child) in AUXILIARIES]
    own = [child for child in inside if not helpers]
    verbs = [c for c in right if builder.relation(c) == "conj" and builder.kind(c) == "V"]
    outer = [verb for verb in verbs if helpers and _independent(builder, verb, index)]
    inner = [verb for verb in verbs if verb not in outer]
    cut = outer[0] if outer else len(builder.tokens)
    links = [
        c for c in right if builder.links(c) and outer and _last_before(inner, right, cut) < c < cut
    ]
    tree = coordinated(builder, index, own, [c for c in right if c < cut and c not in links], inner)
    for place in range(len(helpers) - 1, -1, -1):
        end = helpers[place + 1] if place + 1 < len(helpers) else index
        between = [child for child in inside if helpers[place] < child < end]
        before = [child for child in inside if place == 0 and child < helpers[0]]
        parts = [*builder.leaves(helpers[place]), *map(builder.phrase, before + between)]
        tree = join("VP", [*parts, tree])
    if outer:
        rest = [c for c in right if c >= cut]
        tree = join("VP", [tree, *map(builder.phrase, [*links, *rest])])
    return tree


def _last_before(inner: list[int], right: list[int], cut: int) -> int:
    plain = [child for child in right if child < cut]
    return max([*inner, plain[0] - 1 if plain else cut - 1])


def _independent(builder: Builder, verb: int, index: int) -> bool:
    """Whether a coordinated verb does not share the auxiliaries: other form, or some of its own."""
    own = any(builder.relation(child) in AUXILIARIES for child in builder.arcs.left(verb))
    return own or builder.tokens[verb].tag != builder.tokens[index].tag


def coordinated(
    builder: Builder, index: int, own: list[int], right: list[int], verbs: list[int]
) -> Tree:
    """The innermost verb phrase, or several of them joined."""
    if not verbs:
        return join("VP", [builder.leaf(index), *map(builder.phrase, [*own, *right])])
    after = [child for child in right if child > verbs[-1] and not builder.links(child)]
    if after and all(_lone(builder, verb) for verb in verbs):  # buy and sell shares
        parts = [builder.phrase(c) for c in [*own, *right] if c not in verbs]
        return join("VP", [builder.leaf(index), *parts, *map(builder.leaf, verbs)])
    plain = [child for child in right if child < verbs[0]]
    while plain and builder.links(plain[-1]):
        plain.pop()
    first = join("VP", [builder.leaf(index), *map(builder.phrase, [*own, *plain])])
    rest = [child for child in right if child not in plain]
    return join("VP", [first, *map(builder.phrase, rest)])


def _lone(builder: Builder, index: int) -> bool:
    return not builder.arcs.children[index]


def _as_sentence(tree: Tree) -> Tree:
    return join("S", [tree]) if tree.label == "VP" else tree
