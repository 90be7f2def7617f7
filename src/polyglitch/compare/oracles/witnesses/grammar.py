"""The grammar witness: two words of one output that do not go together, whatever the edit was.

"os soldados acendeu" (a verb that does not have the number of its subject), "as camas eram bons" and "a rua
barulhento" (what is said of a noun in another gender or number), "quatrocentas empregos", "o hotel não tomar animais"
(an infinitive where the sentence needs a verb). Only what a changed word takes part in counts, and only where the other
output has nothing of the kind: an error that both share tells nothing of the pair.

Subjects and adjectives are found by the language's parser, gender and number by determiners, closed lists and endings
(`[agreement]` and `[concord]` in languages/*/language.toml). Each rule is silent wherever the words leave a doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from polyglitch.compare.oracles.aligned.resources import at_hand
from polyglitch.compare.oracles.witnesses.agreement import (
    GENDERS,
    NOUN_REACH,
    adjective_gender,
    forms_before,
    forms_of,
    genders,
)
from polyglitch.compare.oracles.witnesses.changed_words import (
    ORDINALS,
    Pair,
    Statement,
    changed_pair,
)
from polyglitch.compare.oracles.witnesses.verb_forms import (
    GRAMMAR,
    NUMBERS,
    SUBJECTS,
    other_form,
    other_order,
    verb_plural,
)
from polyglitch.languages import language as language_of
from polyglitch.languages import two_letters
from polyglitch.nlp.lexicons.words import frequencies, lists_at_hand
from polyglitch.protocols import Tools
from polyglitch.records import Parse, Token, Trial

LIGHT = frozenset({"ADV", "PRON", "PART"})  # may stand between a subject and its infinitive
STATES = frozenset({"ADJ", "VERB"})  # what a linking verb may say of its subject
OPENING = frozenset({"PUNCT", "CCONJ"})  # what a clause begins behind
KNOWN = 1.5  # on the scale of Zipf frequencies: once in thirty million words
BEFORE_NOUNS = frozenset({"DET", "ADP", "ADJ", "NUM"})
SHORTEST_TOLD = 4  # letters of a verb whose ending tells its mood
CLAUSE_REACH = 6  # words in which the verb of a clause is looked for
STATE_REACH = 2  # words after a linking verb in which its adjective is looked for: "é muito caro"


class Form(NamedTuple):
    """What is known of a noun: its gender (nothing where only its number is told) and whether it is plural."""

    gender: int | None
    plural: bool


class Clash(NamedTuple):
    """Two words that do not go together: their places among the tokens, the second at fault, and why."""

    kind: str
    first: int
    second: int
    reason: str


class GrammarWitness:
    """Looks for words of one output that do not agree with each other, where the other output has none such."""

    name = GRAMMAR
    signature = f"grammar(5,lists={lists_at_hand()})"  # they tell adjectives that a parser does not

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """The first clash that a changed word takes part in; nothing without a parser of the language."""
        target = two_letters(tools.languages[1]) or ""
        if not language_of(target).concord.plural_verbs:
            return [None] * len(trials)
        pairs = [changed_pair(trial, target) for trial in trials]
        asked = list(dict.fromkeys(text for pair in pairs if pair for text in pair.outputs))
        parser = at_hand(lambda: tools.parser(target)) if asked else None
        if parser is None:
            return [None] * len(trials)
        parses = dict(zip(asked, parser.parse(asked), strict=True))
        told = {text: clashes(parse, target) for text, parse in parses.items()}
        return [pair and clash_of(pair, parses, told, target) for pair in pairs]


def clash_of(
    pair: Pair, parses: dict[str, Parse], told: dict[str, list[Clash]], language: str
) -> Statement | None:
    """What is to be said of the first clash of one output alone."""
    found = [told[text] for text in pair.outputs]
    for number, some in enumerate(found):
        tokens = parses[pair.outputs[number]].tokens
        others = {one.kind for one in found[1 - number]}
        for one in some:
            place = tokens[one.second]
            if one.kind == "unowned" and faces_masculine(pair, number, place, language):
                continue
            if one.kind not in others and any(
                touched(pair, number, tokens[at]) for at in (one.first, one.second)
            ):
                words = f"{one.reason} (in the {ORDINALS[number]})"
                return Statement(GrammarWitness.name, 1.0, words, number, (place.start, place.end))
    return other_form(pair, parses, language) or other_order(pair, parses, language)


def faces_masculine(pair: Pair, number: int, state: Token, language: str) -> bool:
    """Whether the other output has another masculine word there, which is as wrong: "chegou sujo"."""
    block = next(
        (w.block for w in pair.words if (w.output, w.start) == (number, state.start)), None
    )
    return any(
        adjective_gender(pair.text(word).lower(), language) == 0
        for word in pair.words
        if (word.block, word.output, word.early) == (block, 1 - number, False)
    )


def touched(pair: Pair, number: int, token: Token) -> bool:
    """Whether a token is one of the words that the other output has not."""
    return any(
        word.output == number
        and not word.early
        and word.start < token.end
        and word.end > token.start
        for word in pair.words
    )


@cache
def articles(language: str) -> dict[str, Form]:
    """What the words before a noun tell of it: articles, possessives, numbers."""
    known = language_of(language)
    pairs = {**known.agreement.determiners, **known.concord.counting}
    told = [(word, gender) for both in pairs.items() for gender, word in enumerate(both)]
    plural = frozenset(known.concord.counting) | frozenset(known.concord.counting.values())
    return {word: Form(gender, word.endswith("s") or word in plural) for word, gender in told}


def clashes(parse: Parse, language: str) -> list[Clash]:
    """All pairs of words of a text that do not go together, in the order of the rules."""
    tokens = parse.tokens
    return [
        *counted(tokens, language),
        *verbs(tokens, language),
        *infinitives(tokens, language),
        *participles_alone(tokens, language),
        *adjectives(tokens, language),
        *states(tokens, language),
        *unowned_states(tokens, language),
        *misjoined(tokens, language),
        *indicatives(tokens, language),
    ]


def misjoined(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A verb with its pronoun in a form that the language never has: "esmagar-as" for "esmagá-las"."""
    endings = language_of(language).concord.misjoined
    for at, token in enumerate(tokens):
        if endings and token.text.lower().endswith(endings):
            words = f"'{token.text}' joins a verb and its pronoun in a form that there is none of"
            yield Clash("joined", at, at, words)


def indicatives(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A verb that tells what is where the word that opens its clause asks for what may be: "embora parecia"."""
    known = language_of(language).concord
    for opener, token in enumerate(tokens):
        if token.text.lower() not in known.conceding:
            continue
        for at in range(opener + 1, min(len(tokens), opener + 1 + CLAUSE_REACH)):
            low = tokens[at].text.lower()
            if tokens[at].pos == "PUNCT" or low in genders(language).refers:
                break
            # Parsers take a verb in such a place for a noun: "a casa parecia"; "a família" has its determiner.
            named = tokens[at].text[0].isupper() or tokens[at - 1].pos in BEFORE_NOUNS
            told = len(low) >= SHORTEST_TOLD and low.endswith(known.telling)
            if not named and (told or low in known.telling_forms):
                words = f"'{tokens[at].text}' is no form that '{token.text}' goes with"
                yield Clash("mood", opener, at, words)
                break
            if tokens[at].pos in ("VERB", "AUX"):
                break


def counted(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A determiner or number and the noun right behind it, whose ending is of the other gender."""
    told, known = articles(language), language_of(language)
    for at in range(1, len(tokens)):
        before, low = tokens[at - 1].text.lower(), tokens[at].text.lower()
        form = None if before in known.concord.uncertain else told.get(before)
        if form is None or tokens[at].pos != "NOUN" or not low.isalpha():
            continue
        gender = noun_gender(low, language)
        if gender is not None and gender != form.gender:
            # "as" and "à" may be a pronoun or a preposition: only a plural noun tells that they are articles.
            loose = before in known.agreement.proclitics
            if not loose or (form.plural and low.endswith("s")):
                yield Clash("article", at, at - 1, gender_reason(tokens, at, at - 1, gender))


def noun_gender(low: str, language: str) -> int | None:
    """The gender that a noun's ending tells almost without exception."""
    known = language_of(language)
    if low.endswith(known.concord.feminine_endings):
        return None if low in known.concord.masculine_nouns else 1
    bare = low.removesuffix("s")
    masculine = adjective_gender(low, language) == 0 and bare not in known.agreement.feminine_in_o
    return 0 if masculine and not bare.endswith(known.concord.either_endings) else None


def verbs(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A verb that has not the number of its subject."""
    for at in range(len(tokens)):
        if tokens[at].relation not in SUBJECTS:
            continue
        plural, verb = subject_plural(tokens, at, language), finite(tokens, at)
        if plural is None or verb is None or not beside(tokens, at, verb, language):
            continue
        # "a perda não verão": a "não" too much makes a verb of a noun
        denied = tokens[verb - 1].text.lower() in language_of(language).negation.words
        if denied or names_thing(tokens, verb, language):
            continue
        number = verb_plural(tokens[verb].text.lower(), language)
        if number is not None and number != plural:
            words = (
                f"'{tokens[at].text}' is {NUMBERS[plural]}, and '{tokens[verb].text}' is "
                f"{NUMBERS[number]}"
            )
            yield Clash("verb", at, verb, words)


def finite(tokens: Sequence[Token], subject: int) -> int | None:
    """The verb that has the number of a subject: the first auxiliary of its head, else the head."""
    head = tokens[subject].head
    helping = [
        at
        for at, token in enumerate(tokens)
        if token.head == head and token.relation.startswith(("aux", "cop")) and at != head
    ]
    verb = min(helping, default=head)
    return verb if verb > subject and tokens[verb].pos in ("VERB", "AUX") else None


def subject_plural(tokens: Sequence[Token], at: int, language: str) -> bool | None:
    """Whether a subject is plural, where its words leave no doubt."""
    known, low = language_of(language).concord, tokens[at].text.lower()
    if low in known.subjects:
        return known.subjects[low] == "plural" if alone(tokens, at, at, language) else None
    form = noun_form(tokens, at, language)
    return form.plural if form else None


def noun_form(tokens: Sequence[Token], at: int, language: str) -> Form | None:
    """Gender and number of a noun that may be a subject: behind no preposition, joined with nothing, no quantity."""
    low = tokens[at].text.lower()
    place = determiner(tokens, at, language)
    if place is None or tokens[at].pos != "NOUN" or low in language_of(language).concord.quantities:
        return None
    form = articles(language)[tokens[place].text.lower()]
    sure = form.plural == low.endswith("s") and alone(tokens, at, place, language)
    return form if sure else None


def alone(tokens: Sequence[Token], at: int, start: int, language: str) -> bool:
    """Whether the words from `start` to a noun follow no preposition, and no other noun is joined with it."""
    told, known = articles(language), genders(language)
    while start > 0 and (tokens[start - 1].text.lower() in told or tokens[start - 1].pos == "DET"):
        start -= 1  # "em vários outros países"; "a este prazo" begins with a preposition
    start += start < at and tokens[start].text.lower() == "a" and tokens[start + 1].pos == "DET"
    before = tokens[start - 1] if start else None
    behind = before is not None and (
        before.pos in ("ADP", "CCONJ") or before.text.lower() in known.prepositions
    )
    contracted = any(
        one.text.lower() in known.prepositions - {"a"} for one in tokens[max(0, start - 1) : at]
    )
    joined = any(token.head == at and token.relation in ("conj", "appos") for token in tokens)
    # "Quem maltrata os animais demonstra": the clause is the subject
    whole = any(
        one.text.lower() in language_of(language).concord.clause_subjects for one in tokens[:start]
    )
    return not (behind or contracted or joined or whole)


def determiner(tokens: Sequence[Token], at: int, language: str) -> int | None:
    """Where the word stands that tells of a noun; nothing where a preposition or another noun is between."""
    told = articles(language)
    for place in range(at - 1, max(-1, at - 1 - NOUN_REACH), -1):
        low = tokens[place].text.lower()
        if low in told:
            # "a preço fixo": a preposition that has the form of an article
            ending = noun_gender(tokens[at].text.lower(), language)
            return place if ending in (None, told[low].gender) else None
        # "a cada ano": what stands before such a determiner is none
        if tokens[place].pos not in ("ADJ", "NUM", "DET") or low in genders(language).genderless:
            break
    return None


def beside(tokens: Sequence[Token], subject: int, verb: int, language: str) -> bool:
    """Whether nothing between a subject and its verb makes their tie doubtful."""
    refers, between = genders(language).refers, tokens[subject + 1 : verb]
    doubtful = any(
        token.pos in ("VERB", "AUX", "PUNCT", "CCONJ", "SCONJ") or token.text.lower() in refers
        for token in between
    )
    # "a maneira como os movimentos são": another noun with a determiner and no preposition
    rival = any(
        token.pos in ("DET", "NUM") and tokens[subject + at].pos != "ADP"
        for at, token in enumerate(between)
    )
    return not doubtful and not rival


def names_thing(tokens: Sequence[Token], verb: int, language: str) -> bool:
    """Whether a linking verb puts a noun beside its subject, whose number it may have: "o problema são as pessoas"."""
    linked = tokens[verb].text.lower() in genders(language).linking
    after = tokens[verb + 1].pos if verb + 1 < len(tokens) else ""
    return linked and after in ("DET", "NOUN", "PROPN", "NUM", "PRON")


def infinitives(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """An infinitive with a subject of its own in a clause that nothing opens which would ask for one."""
    known = language_of(language).concord
    for at, token in enumerate(tokens):
        low = token.text.lower()
        if token.pos != "VERB" or not low.endswith(known.infinitives) or token.lemma != low:
            continue
        own = [place for place, one in enumerate(tokens) if one.head == at and place != at]
        subjects = [place for place in own if place < at and tokens[place].relation in SUBJECTS]
        helped = any(tokens[place].relation.startswith(("aux", "mark", "cop")) for place in own)
        if len(subjects) == 1 and not helped and opens(tokens, subjects[0], at, language):
            name = tokens[subjects[0]].text
            words = f"'{token.text}' is an infinitive, and its subject '{name}' needs a verb"
            yield Clash("infinitive", subjects[0], at, words)


def participles_alone(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A participle right behind a pronoun that opens a clause: "nós rasgado o tapete"."""
    known = language_of(language).concord
    for at in range(len(tokens) - 1):
        first = at == 0 or tokens[at - 1].pos in OPENING
        if not first or tokens[at].text.lower() not in (*known.subjects, *known.speakers):
            continue
        low = tokens[at + 1].text.lower()
        if tokens[at + 1].pos == "VERB" and low.endswith(known.participles):
            words = f"'{low}' is a participle, and its subject '{tokens[at].text}' needs a verb"
            yield Clash("participle", at, at + 1, words)


def opens(tokens: Sequence[Token], subject: int, verb: int, language: str) -> bool:
    """Whether a subject opens a clause of its own, right before its verb."""
    known = language_of(language).concord
    named = tokens[subject].text.lower() in known.subjects
    start = subject if named else determiner(tokens, subject, language)
    if start is None or any(one.pos not in LIGHT for one in tokens[subject + 1 : verb]):
        return False
    if start > 0 and tokens[start - 1].text.lower() in known.statements:
        return True
    first = start == 0 or tokens[start - 1].pos in OPENING
    return first and not any(one.text.lower() in known.openers for one in tokens[:subject])


def adjectives(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """An adjective right behind its noun, in another gender or number than the noun's determiner."""
    known = language_of(language).concord
    participles, of = known.participles, frozenset(known.of)
    for at in range(1, len(tokens) - 1):
        after = tokens[at + 1]
        taken = after.pos == "NOUN" and has_all_forms(after.text.lower(), language)
        if tokens[at].pos != "NOUN" or after.head != at or not (after.pos == "ADJ" or taken):
            continue
        place = determiner(tokens, at, language)
        # "espécie do cerrado ameaçada": behind "de" an adjective may speak of the noun before
        if (
            place is None
            or {one.text.lower() for one in tokens[max(0, place - 1) : place + 1]} & of
        ):
            continue
        form = articles(language)[tokens[place].text.lower()]
        # "passou a semana gripado", "deixaram o jogo juntos": behind an object it may speak of the subject
        low = after.text.lower()
        alike = form.plural == low.endswith("s") and not low.endswith(participles)
        own = tokens[at].relation in SUBJECTS or alike
        if own and form.plural == tokens[at].text.lower().endswith("s"):
            yield from compared_forms(tokens, at, at + 1, form, "adjective", language)


def states(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """What a linking verb says of its subject, in another gender or number than the subject's determiner."""
    for at in range(len(tokens)):
        if tokens[at].relation not in SUBJECTS:
            continue
        form, verb = noun_form(tokens, at, language), finite(tokens, at)
        if form is None or verb is None or not beside(tokens, at, verb, language):
            continue
        if not links(tokens, verb, language):
            continue
        place = state_behind(tokens, verb, language)
        if place is not None and (
            tokens[place].head in (verb, tokens[at].head) or place == tokens[at].head
        ):
            yield from compared_forms(tokens, at, place, form, "state", language)


def unowned_states(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A masculine participle where no noun before it is masculine: "a jaqueta que eu pedi chegou rasgado".

    Farther from its noun than `states` looks, so only where nothing else before it may be meant.
    """
    known, concord = genders(language), language_of(language).concord
    others = {*concord.subjects, *concord.clause_subjects, *known.neuters, *known.genderless}
    for verb in range(1, len(tokens)):
        linked = links(tokens, verb, language) or tokens[verb].text.lower() in concord.linking_too
        place = state_behind(tokens, verb, language) if linked else None
        low = tokens[place].text.lower() if place is not None else ""
        if place is None or not low.endswith(concord.participles):
            continue
        spoken = tokens[verb - 1].text.lower() in concord.speakers
        if told_gender(low, language) != 0 or spoken or clause_follows(tokens, place, language):
            continue
        plural, before = low.endswith("s"), forms_before(tokens, verb, known)
        if (0, plural) in before or any(one.text.lower() in others for one in tokens[:verb]):
            continue
        nouns = [at for at in range(verb) if tokens[at].pos == "NOUN"]
        own = [at for at in nouns if forms_of(tokens, at, known) == {(1, plural)}]
        if own:
            yield Clash("unowned", own[-1], place, gender_reason(tokens, own[-1], place, 1))


def clause_follows(tokens: Sequence[Token], state: int, language: str) -> bool:
    """Whether what is said may be said of what follows: "é claro que", "é proibido fumar", "foi dado o sinal"."""
    if state + 1 == len(tokens):
        return False
    after = tokens[state + 1]
    low, infinitives = after.text.lower(), language_of(language).concord.infinitives
    return (
        low in genders(language).refers
        or after.pos in ("DET", "NOUN", "PROPN", "NUM")
        or (after.pos in ("VERB", "AUX") and low.endswith(infinitives))
    )


def links(tokens: Sequence[Token], at: int, language: str) -> bool:
    """Whether a verb tells the state of its subject: by itself, or with a pronoun that leads back to it."""
    low, known = tokens[at].text.lower(), language_of(language).concord
    if low in genders(language).linking:
        return True
    led_back = at > 0 and tokens[at - 1].text.lower() in known.reflexives
    return led_back and low in known.reflexive_linking


def state_behind(tokens: Sequence[Token], verb: int, language: str) -> int | None:
    """The adjective or participle behind a linking verb, past adverbs and other linking verbs."""
    linking = genders(language).linking
    for place in range(verb + 1, min(len(tokens), verb + 1 + STATE_REACH)):
        token = tokens[place]
        if token.text.lower() in linking or token.pos == "ADV":
            continue
        taken = token.pos == "NOUN" and has_all_forms(token.text.lower(), language)
        return place if token.pos in STATES or taken else None
    return None


@cache
def has_all_forms(low: str, language: str) -> bool:
    """Whether a word that a parser takes for a noun has the four forms of an adjective: "fofo", "fofa", "fofos".

    So has a noun beside its verb ("motivo", "motiva", "motivas"): where there is such a verb, nobody knows.
    """
    frequency, known = frequencies(language), language_of(language)
    if frequency is None or told_gender(low, language) is None:
        return False
    stem = low.removesuffix("s")[:-1]
    verb = any(frequency(stem + ending) >= KNOWN for ending in known.concord.infinitives)
    return not verb and all(frequency(stem + ending) >= KNOWN for ending in known.agreement.forms)


def compared_forms(
    tokens: Sequence[Token], noun: int, at: int, form: Form, kind: str, language: str
) -> Iterator[Clash]:
    """The clash of a noun and a word that is said of it, if its ending tells of one."""
    low = tokens[at].text.lower()
    # "custa caro" agrees with nothing, "é caro" does
    held = kind == "state" and low in language_of(language).concord.adverbs_too
    gender = adjective_gender(low, language) if held else told_gender(low, language)
    if gender is None:
        return
    if gender != form.gender and form.gender is not None:
        yield Clash(kind, noun, at, gender_reason(tokens, noun, at, form.gender))
    elif low.endswith("s") != form.plural:
        words = (
            f"'{tokens[noun].text}' is {NUMBERS[form.plural]}, and '{tokens[at].text}' is "
            f"{NUMBERS[low.endswith('s')]}"
        )
        yield Clash(kind, noun, at, words)


def told_gender(low: str, language: str) -> int | None:
    """The gender of an adjective or participle: by "o" always, by "a" where its ending has a masculine beside it."""
    known = language_of(language).concord
    if low in known.masculine_forms:
        return 0
    if low in known.invariable or low in language_of(language).numbers or not low.isalpha():
        return None
    gender = adjective_gender(low, language)
    if gender == 1 and not low.removesuffix("s").endswith(known.feminine_adjectives):
        return None
    return gender


def gender_reason(tokens: Sequence[Token], noun: int, at: int, gender: int) -> str:
    """The reason in words."""
    return (
        f"'{tokens[noun].text}' is {GENDERS[gender]}, and '{tokens[at].text}' is "
        f"{GENDERS[1 - gender]}"
    )
