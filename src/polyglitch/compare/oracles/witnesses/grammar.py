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

from polyglitch.compare.oracles.aligned.resources import at_hand
from polyglitch.compare.oracles.witnesses.agreement import (
    adjective_gender,
    genders,
)
from polyglitch.compare.oracles.witnesses.changed_words import (
    ORDINALS,
    Pair,
    Statement,
    changed_pair,
)
from polyglitch.compare.oracles.witnesses.noun_concord import (
    adjectives,
    counted,
    states,
    unowned_states,
)
from polyglitch.compare.oracles.witnesses.subjects import (
    Clash,
    alone,
    beside,
    determiner,
    finite,
    noun_form,
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
from polyglitch.nlp.lexicons.words import lists_at_hand
from polyglitch.protocols import Tools
from polyglitch.records import Parse, Token, Trial

LIGHT = frozenset({"ADV", "PRON", "PART"})  # may stand between a subject and its infinitive
OPENING = frozenset({"PUNCT", "CCONJ"})  # what a clause begins behind
BEFORE_NOUNS = frozenset({"DET", "ADP", "ADJ", "NUM"})
SHORTEST_TOLD = 4  # letters of a verb whose ending tells its mood
CLAUSE_REACH = 6  # words in which the verb of a clause is looked for


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


def subject_plural(tokens: Sequence[Token], at: int, language: str) -> bool | None:
    """Whether a subject is plural, where its words leave no doubt."""
    known, low = language_of(language).concord, tokens[at].text.lower()
    if low in known.subjects:
        return known.subjects[low] == "plural" if alone(tokens, at, at, language) else None
    form = noun_form(tokens, at, language)
    return form.plural if form else None


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
