"""The agreement witness: the edit put a noun of the other gender, and a word that agreed with the first did not follow;
or a pronoun is left without a noun to stand for, or has another gender than in the other output.

No parser is asked for the first: the determiner before the changed noun tells its gender, closed lists tell the
pronouns and the verbs that link a noun with what is said of it (`[agreement]` in languages/*/language.toml).

"as cebolas em óleo antes de colocá-los" has no masculine plural before "los". A masculine singular may stand for a
whole clause ("fazê-lo") and is never suspected. Nouns are told by a parser of the language; their gender and number by
the determiner before them, else by their ending, else they may be either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

from polyglitch.compare.metrics.units import Units, cut
from polyglitch.compare.oracles.aligned.resources import at_hand
from polyglitch.compare.oracles.witnesses.changed_words import (
    ORDINALS,
    Pair,
    Statement,
    changed_pair,
)
from polyglitch.languages import language as language_of
from polyglitch.languages import two_letters
from polyglitch.protocols import Tools
from polyglitch.records import Parse, Token, Trial

GENDERS = ("masculine", "feminine")
ENDINGS = {"o": 0, "os": 0, "a": 1, "as": 1}
NOUNS = frozenset({"NOUN", "PROPN"})
VERBS = frozenset({"VERB", "AUX"})
BETWEEN = frozenset(
    {"ADJ", "NUM", "DET", "PRON"}
)  # what may stand between a determiner and its noun
SHORTEST_VERB = 5  # letters of a verb that a pronoun is joined to: "charla" and "perla" are none
NOUN_REACH = 3  # words before a noun in which its determiner is looked for
FREE = (0, False)  # masculine singular: may stand for anything that was said
PEOPLE = (0, True)  # masculine plural: may stand for people of whom nothing was said
Form = tuple[int, bool]  # gender, and whether it is plural


class Genders(NamedTuple):
    """The gender of determiners and pronouns, the verbs that link, and where an article's form is a pronoun."""

    determiners: dict[str, int]
    pronouns: dict[str, int]
    linking: frozenset[str]
    proclitics: frozenset[str]
    draws_clitics: frozenset[str]
    relatives: frozenset[str]
    feminine: frozenset[str]
    masculine_in_a: frozenset[str]
    people_in_a: tuple[str, ...]
    joins_clitics: tuple[str, ...]
    prepositions: frozenset[str]
    refers: frozenset[str]
    neuters: frozenset[str]
    genderless: frozenset[str]

    def joined_clitic(self, low: str) -> tuple[str, int] | None:
        """A pronoun written together with its verb, and its gender: "reemplazarlo"."""
        if not self.joins_clitics:  # the language writes none so
            return None
        for form, gender in self.pronouns.items():
            ending = form.removeprefix("-")
            verb = low.removesuffix(ending)
            if form != ending and verb != low and verb.endswith(self.joins_clitics):
                return (ending, gender) if len(verb) >= SHORTEST_VERB else None
        return None


@cache
def genders(language: str) -> Genders:
    """What the language's lists say; empty for a language without them."""
    known = language_of(language).agreement
    tables = [
        dict.fromkeys(table, 0) | dict.fromkeys(table.values(), 1)
        for table in (known.determiners, known.pronouns)
    ]
    return Genders(
        tables[0],
        tables[1],
        frozenset(known.linking),
        frozenset(known.proclitics),
        frozenset(known.draws_clitics),
        frozenset(known.relatives),
        frozenset(known.feminine_in_o),
        frozenset(known.masculine_in_a),
        known.people_in_a,
        known.joins_clitics,
        frozenset(known.prepositions),
        frozenset(known.refers),
        frozenset(known.neuters),
        frozenset(known.genderless),
    )


class Orphan(NamedTuple):
    """A pronoun that no noun before it has the form of."""

    text: str
    span: tuple[int, int]
    form: Form

    @property
    def named(self) -> str:
        """Its gender and number in words."""
        return f"{GENDERS[self.form[0]]} {'plural' if self.form[1] else 'singular'}"


def pronoun_at_hand(text: str, known: Genders) -> bool:
    """Whether a text may have such a pronoun, by its letters alone: what has none need not be parsed."""
    words = text.lower().replace("-", " -").split()
    bare = [word.strip(",.;:!?\"'()") for word in words]
    drawn = any(
        before in known.draws_clitics and word in known.proclitics
        for before, word in pairwise(bare)
    )
    return drawn or any(word in known.pronouns or known.joined_clitic(word) for word in bare)


def orphans(parse: Parse, known: Genders) -> list[Orphan]:
    """The pronouns of a text that stand for none of the nouns before them."""
    found = []
    for at, orphan in pronouns(parse.tokens, known):
        if orphan.form != FREE:
            before = forms_before(parse.tokens, at, known)
            # "Quando a lâmpada saiu, eles ouviram": people who were not named are "eles"
            unnamed = orphan.form == PEOPLE and not any(plural for _, plural in before)
            if orphan.form not in before and not unnamed:
                found.append(orphan)
    return found


def pronouns(tokens: Sequence[Token], known: Genders) -> Iterator[tuple[int, Orphan]]:
    """Pronouns of the third person with their places: alone, leaning on a verb, or before one."""
    for at, token in enumerate(tokens):
        low = token.text.lower()
        ending = low.rpartition("-")[2]
        after_hyphen = at > 1 and tokens[at - 1].text == "-"
        gender: int | None
        if joined := known.joined_clitic(low):
            ending, gender = joined
        elif "-" in low[1:-1] or after_hyphen:
            gender = known.pronouns.get("-" + ending)
        elif low in known.proclitics:
            gender = known.determiners.get(low) if before_verb(tokens, at, known) else None
        else:
            gender = known.pronouns.get(low)
        if gender is not None:
            span = (token.end - len(ending), token.end)
            yield at, Orphan(ending, span, (gender, ending.endswith("s")))


def before_verb(tokens: Sequence[Token], at: int, known: Genders) -> bool:
    """Whether what looks like an article is a pronoun: drawn before its verb by the word before it."""
    return (
        0 < at < len(tokens) - 1
        and tokens[at - 1].text.lower() in known.draws_clitics
        and tokens[at + 1].pos in VERBS
        # "e não a cair": a preposition before an infinitive
        and not (
            tokens[at].text.lower() in known.prepositions
            and tokens[at + 1].lemma == tokens[at + 1].text.lower()
        )
        # "mais velhos do que a lava": what is compared is no verb, whatever the parser says
        and not (at > 1 and tokens[at - 2].text.lower() in known.determiners)
    )


def forms_before(tokens: Sequence[Token], end: int, known: Genders) -> set[Form]:
    """The forms of a pronoun that would fit some noun before a place, or two that are joined."""
    found: set[Form] = set()
    nouns = [at for at in range(end) if tokens[at].pos in NOUNS]
    for at in nouns:
        found |= forms_of(tokens, at, known)
    for one, other in pairwise(nouns):
        if any(token.pos == "CCONJ" for token in tokens[one:other]) and other - one <= NOUN_REACH:
            found |= {(0, True), (1, True)}
    return found


def forms_of(tokens: Sequence[Token], at: int, known: Genders) -> set[Form]:
    """Gender and number of a noun, or all that it may have."""
    low = tokens[at].text.lower()
    for place in range(at - 1, max(-1, at - 1 - NOUN_REACH), -1):
        before = tokens[place].text.lower()
        if before in known.determiners:
            return {(known.determiners[before], before.endswith("s"))}
        if tokens[place].pos not in BETWEEN:
            break
    gender = ENDINGS.get(low[-2:] if low.endswith("s") else low[-1:])
    doubtful = low in known.masculine_in_a or low.endswith(known.people_in_a)
    either = (0, 1) if gender is None or doubtful else (gender,)
    return set(product(either, (low.endswith("s"),)))


REACH = (
    4  # words after a linking verb that may still tell its subject's state: "is steep and slippery"
)
SHORTEST = 4  # letters of a word whose ending tells a gender
# Adverbs and gerunds agree with nothing, "ão" and "ãos" are of either gender: "a mão", "as mãos".
STIFF = ("mente", "ndo", "ão", "ãos")
FEMININE = 1  # the second of `GENDERS`
PLAIN, DOUBTFUL = (
    1.0,
    0.5,
)  # the noun is the only one it can speak of; another noun stands between them


class AgreementWitness:
    """Looks at what follows a noun whose gender changed with the edit, and for pronouns that lost their noun."""

    name = "agreement"
    signature = "agreement(11)"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """The first word that kept the gender of the other output's noun, else a pronoun that has no noun at all."""
        source, target = (two_letters(code) or "" for code in tools.languages)
        if not genders(target).determiners:
            return [None] * len(trials)
        pairs = [
            changed_pair(trial, target) if trial.case.relation == "similar" else None
            for trial in trials
        ]
        said = [
            pair and (misplaced_article(pair, target) or disagreeing(pair, target))
            for pair in pairs
        ]
        rest = [
            pair if pair and one is None else None for pair, one in zip(pairs, said, strict=True)
        ]
        parses = with_pronouns(rest, target, tools)
        found = [
            one or (pair and without_noun(pair, parses, target))
            for pair, one in zip(rest, said, strict=True)
        ]
        sure = [
            one if one and pair and not told_by_source(pair, one, source, target) else None
            for pair, one in zip(pairs, found, strict=True)
        ]
        return [
            one or (pair and parted(pair, parses, target))
            for pair, one in zip(rest, sure, strict=True)
        ]


class Noun(NamedTuple):
    """A noun behind a determiner: its place, its gender, and whether it opens a clause as a subject does."""

    at: int
    gender: int
    leads: bool


def told_by_source(pair: Pair, one: Statement, source: str, target: str) -> bool:
    """Whether the gender of a word may be that of a pronoun of the sources: "the boy ... as she had been taught".

    Those are singular: "he wore them" says nothing of the gender of "them". "You" may be of either gender, and is
    meant where the sources have no other pronoun that could be: "for somebody to drive you home".
    """
    known, told = language_of(source).agreement, genders(source).pronouns
    start, end = one.span or (0, 0)
    word = pair.outputs[one.output or 0][start:end].lower()
    found = {unit.lower() for text in pair.inputs for unit in cut(text, source).units}
    addressed = bool(found & set(known.addressees)) and not found & set(known.things)
    meant = bool(found & told.keys()) or (addressed and is_pronoun(word, target))
    return meant and not word.endswith("s")


def is_pronoun(low: str, language: str) -> bool:
    """Whether a word is a pronoun of the third person, or a verb and one that leans on it."""
    known = genders(language)
    ending = "-" + low.rpartition("-")[2]
    return low in known.pronouns or ending in known.pronouns or bool(known.joined_clitic(low))


def with_pronouns(pairs: Sequence[Pair | None], language: str, tools: Tools) -> dict[str, Parse]:
    """The outputs that may have a pronoun, parsed; none without a parser of the language."""
    known = genders(language)
    texts = [text for pair in pairs if pair for text in pair.outputs]
    asked = [text for text in dict.fromkeys(texts) if pronoun_at_hand(text, known)]
    parser = at_hand(lambda: tools.parser(language)) if asked else None
    return dict(zip(asked, parser.parse(asked), strict=True)) if parser else {}


def without_noun(pair: Pair, parses: dict[str, Parse], language: str) -> Statement | None:
    """A pronoun that stands for no noun before it, where only one output has such; what both have tells nothing."""
    known = genders(language)
    sides = [
        orphans(parses[text], known) if text in parses else list[Orphan]() for text in pair.outputs
    ]
    shared = {one.text for one in sides[0]} & {one.text for one in sides[1]}
    alone = [[one for one in side if one.text not in shared] for side in sides]
    if bool(alone[0]) == bool(alone[1]):
        return None
    number = 0 if alone[0] else 1
    one = alone[number][0]
    words = f"'{one.text}' is {one.named}, and no noun before it is (in the {ORDINALS[number]})"
    return Statement(AgreementWitness.name, PLAIN, words, number, one.span)


def parted(pair: Pair, parses: dict[str, Parse], language: str) -> Statement | None:
    """Two pronouns in each other's place whose genders differ, though no noun before them changed its own.

    Whatever they stand for, one of them is wrong: the one that no noun before it fits, or the masculine where none
    fits either, into which a translator slips. Where both have a noun nobody knows which is meant.
    """
    known = genders(language)
    tokens = [parses[text].tokens if text in parses else () for text in pair.outputs]
    both = [list(pronouns(some, known)) for some in tokens]
    if len(both[0]) != len(both[1]):
        return None
    differ = [sides for sides in zip(*both, strict=True) if sides[0][1].form != sides[1][1].form]
    if len(differ) != 1 or differ[0][0][1].form[1] != differ[0][1][1].form[1]:
        return None
    ends, found = zip(*differ[0], strict=True)
    told = [
        {
            gender
            for place in changed_before(pair, number, tokens[number], ends[number])
            for gender, _ in forms_of(tokens[number], place, known)
        }
        for number in (0, 1)
    ]
    if told[0] != told[1] or len(told[0]) > 1:
        return None
    fits = [found[at].form in forms_before(tokens[at], ends[at], known) for at in (0, 1)]
    if all(fits):
        return None
    number = fits.index(False) if fits[0] != fits[1] else [one.form[0] for one in found].index(0)
    one = found[number]
    words = (
        f"'{one.text}' is {one.named} where the {ORDINALS[1 - number]} has '{found[1 - number].text}', though no noun "
        f"before it changed its gender (in the {ORDINALS[number]})"
    )
    return Statement(AgreementWitness.name, PLAIN, words, number, one.span)


def changed_before(pair: Pair, number: int, tokens: Sequence[Token], end: int) -> list[int]:
    """The nouns before a place that the other output has not."""
    spans = [(w.start, w.end) for w in pair.words if w.output == number and not w.early]
    return [
        at
        for at in range(end)
        if tokens[at].pos in NOUNS
        and any(start < tokens[at].end and last > tokens[at].start for start, last in spans)
    ]


def misplaced_article(pair: Pair, language: str) -> Statement | None:
    """A feminine determiner right before a changed word in "o": "la muro"; few words in "o" are feminine."""
    known = genders(language)
    for number, text in enumerate(pair.outputs):
        side = cut(text, language)
        changed = {word.start for word in pair.words if word.output == number and not word.early}
        for noun in changed_nouns(side, changed, known):
            low, before = side.units[noun.at].lower(), side.units[noun.at - 1].lower()
            ending = adjective_gender(low, language)
            odd = noun.gender == 1 and ending == 0 and low.removesuffix("s") not in known.feminine
            if odd and before not in known.proclitics and low not in language_of(language).numbers:
                return said(side, noun._replace(gender=0), noun.at - 1, PLAIN, number)
    return None


def disagreeing(pair: Pair, language: str) -> Statement | None:
    """What is to be said of the first word that does not agree, where exactly one noun changed its gender."""
    known = genders(language)
    sides = [cut(text, language) for text in pair.outputs]
    changed = [{word.start for word in pair.words if word.output == number} for number in (0, 1)]
    nouns = [
        changed_nouns(side, places, known) for side, places in zip(sides, changed, strict=True)
    ]
    turned = [(a, b) for a, b in product(*nouns) if a.gender != b.gender]
    if len(turned) != 1 or len(nouns[0]) != 1 or len(nouns[1]) != 1:
        return None
    for number, noun in enumerate(turned[0]):
        found = first_disagreeing(sides[number], noun, changed[number], language)
        if found is not None:
            return said(sides[number], noun, *found, number)
    return None


def changed_nouns(side: Units, changed: set[int], known: Genders) -> list[Noun]:
    """The changed words behind a determiner that tells their gender."""
    low = [unit.lower() for unit in side.units]
    return [
        Noun(at, known.determiners[low[at - 1]], leads(low, at, known))
        for at in range(1, len(low))
        if side.spans[at][0] in changed
        and low[at - 1] in known.determiners
        and low[at] not in known.determiners
    ]


def leads(low: Sequence[str], at: int, known: Genders) -> bool:
    """Whether a noun opens its clause: first in it, or behind one word such as "if"."""
    opening = at == 2 and low[0] not in known.prepositions and low[0] not in known.linking
    return at == 1 or opening or not low[at - 2].isalpha()


def first_disagreeing(
    side: Units, noun: Noun, changed: set[int], language: str
) -> tuple[int, float] | None:
    """The first shared word after the noun that has the other gender and may speak of it, and how surely it does."""
    known = genders(language)
    units = [unit.lower() for unit in side.units]
    told = known.determiners | known.pronouns  # an earlier pronoun may be meant as well as a noun
    before = {told[low] for low in units[: noun.at - 1] if low in told}
    between: set[int] = (
        set()
    )  # genders of the nouns after it, which a pronoun may stand for as well
    rival = False  # one of them may be the subject of what follows
    unknown = False  # one of them does not tell its gender
    linked = 0
    for at in range(noun.at + 1, len(side.units)):
        low = units[at]
        linked = max(0, linked - 1)
        # "could whistle any tune after hearing it": a noun of unknown gender may be meant
        unknown = unknown or low in known.genderless
        if low in known.neuters:
            rival = True  # "the lantern went out, and something was spilled"
        elif low in known.linking:
            linked = REACH
            # "refused the offer, saying that it was": a verb without a subject may speak of the later noun
            alone = units[at - 1] in known.refers and not low.endswith("r")  # no infinitive
            rival = rival or (alone and bool(between))
        elif low in language_of(language).numbers and low not in known.determiners:
            linked = (
                0  # "was delivered two weeks later": what follows is counted, not told of the noun
            )
        elif low in known.determiners and not leans(side, at) and not relates(side, at, known):
            between.add(known.determiners[low])
            rival = rival or not {low, units[at - 1]} & known.prepositions
            linked = 0
        elif low in known.prepositions:
            linked = 0
        elif low in known.refers and follows_noun(units, at, known):
            rival = True  # "leads to the lake, which is dry"
        else:
            gender = pronoun_gender(side, at, known)
            if gender is not None and unknown:
                return None
            if gender is not None and low.endswith("s") != units[noun.at - 1].endswith("s"):
                continue  # "gave the men land, but not to sell it": it stands for another noun
            if gender is None and linked and noun.leads and not rival:
                gender = state_gender(units, noun, at, language)
            if gender == noun.gender and side.spans[at][0] in changed:
                linked = 0  # it followed the noun, and something else may not have
            elif gender is not None:
                # "the zip broke and the shop refused to replace it": an earlier noun is likelier meant
                meant = gender not in before and side.spans[at][0] not in changed
                # A translator slips into the masculine; a feminine word mostly has a noun that it speaks of.
                if gender == FEMININE and (
                    gender in between or feminine_named(units[:at], language)
                ):
                    return None
                sure = DOUBTFUL if between else PLAIN
                return (at, sure) if meant and gender != noun.gender else None
    return None


def follows_noun(units: Sequence[str], at: int, known: Genders) -> bool:
    """Whether a noun stands right before a word, or a mark does."""
    return not units[at - 1].isalpha() or (at > 1 and units[at - 2] in known.determiners)


def state_gender(units: Sequence[str], noun: Noun, at: int, language: str) -> int | None:
    """The gender of a word that may tell the state of a noun, which must be of its number."""
    plural = [units[place].endswith("s") for place in (noun.at - 1, at)]
    gender = adjective_gender(units[at], language) if plural[0] == plural[1] else None
    told = language_of(language).concord.feminine_adjectives
    # verbs and nouns end in "a" as well: "está agora", "é uma lenda"
    doubtful = gender == FEMININE and told and not units[at].removesuffix("s").endswith(told)
    return None if doubtful else gender


def feminine_named(units: Sequence[str], language: str) -> bool:
    """Whether a word may be a feminine noun without a determiner, by its ending."""
    endings = language_of(language).concord.feminine_endings
    return any(
        low.endswith(endings) or adjective_gender(low, language) == FEMININE for low in units
    )


def leans(side: Units, at: int) -> bool:
    """Whether a word leans on the verb before it by a hyphen."""
    return at > 1 and side.units[at - 1] == "-"


def relates(side: Units, at: int, known: Genders) -> bool:
    """Whether a determiner is part of a relative pronoun that follows its noun: "la huelga, el cual"."""
    return (
        1 < at < len(side.units) - 1
        and side.units[at].lower() in known.determiners
        and side.units[at + 1].lower() in known.relatives
        and not side.units[at - 1].isalpha()
    )


def pronoun_gender(side: Units, at: int, known: Genders) -> int | None:
    """The gender of a pronoun, alone or leaning on a verb; nothing for other words."""
    low = side.units[at].lower()
    if leans(side, at):
        return known.pronouns.get("-" + low)
    if relates(side, at, known):
        return known.determiners[low]
    if joined := known.joined_clitic(low):
        return None if side.units[at - 1].lower() in known.determiners else joined[1]
    if "-" in low:
        return known.pronouns.get("-" + low.rpartition("-")[2])
    return known.pronouns.get(low)


def adjective_gender(low: str, language: str) -> int | None:
    """The gender that the ending of a word tells; nothing for adverbs, short words and those of the closed classes."""
    known = language_of(language)
    stiff = (
        low.endswith(STIFF) or low in known.comparison
    )  # "demasiado vaga" agrees in its last word
    if len(low) < SHORTEST or stiff or low in known.function_words:
        return None
    return ENDINGS.get(low[-2:] if low.endswith("s") else low[-1:])


def said(side: Units, noun: Noun, at: int, sure: float, number: int) -> Statement:
    """The statement on one word."""
    words = (
        f"'{side.units[noun.at]}' is {GENDERS[noun.gender]}, and '{side.units[at]}' is "
        f"{GENDERS[1 - noun.gender]} (in the {ORDINALS[number]})"
    )
    return Statement(AgreementWitness.name, sure, words, number, side.spans[at])
