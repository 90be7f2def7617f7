"""The grammar witness: two words of one output that do not go together, whatever the edit was.

Rules on verbs and their clause (`clause_verbs.py`): "os soldados acendeu", "o hotel não tomar animais", "até que a luz
pisca"; on nouns and the words around them (`noun_concord.py`): "quatrocentas empregos", "meu alfaces", "a rua
barulhento"; on what a verb says of a noun (`states.py`): "as camas eram bons", "está limpa e secos". Only what a
changed word takes part in counts, and only where the other output has nothing of the kind: an error that both share
tells nothing of the pair. The other output may tell as well that one is wrong: a "não" before a noun
(`negated_nouns.py`) and, where no two words clash, a verb in another form (`verb_forms.py`).

Subjects and adjectives are found by the language's parser, gender and number by determiners, closed lists and endings
(`[agreement]` and `[concord]` in languages/*/language.toml). Each rule is silent wherever the words leave a doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyglitch.compare.oracles.aligned.resources import at_hand
from polyglitch.compare.oracles.witnesses.agreement import adjective_gender
from polyglitch.compare.oracles.witnesses.changed_words import (
    ORDINALS,
    Pair,
    Statement,
    changed_pair,
)
from polyglitch.compare.oracles.witnesses.clause_verbs import (
    indicatives,
    infinitives,
    joined_persons,
    participles_alone,
    presents,
    verbless,
    verbs,
)
from polyglitch.compare.oracles.witnesses.negated_nouns import negated_noun
from polyglitch.compare.oracles.witnesses.noun_concord import (
    adjectives,
    counted,
    double_nouns,
    miscounted,
)
from polyglitch.compare.oracles.witnesses.states import (
    joined_participles,
    joined_states,
    joined_subjects,
    linked_numbers,
    phrase_states,
    states,
    trailing_states,
    unowned_states,
)
from polyglitch.compare.oracles.witnesses.subjects import Clash
from polyglitch.compare.oracles.witnesses.verb_forms import (
    GRAMMAR,
    other_form,
    other_order,
)
from polyglitch.languages import language as language_of
from polyglitch.languages import two_letters
from polyglitch.nlp.lexicons.words import lists_at_hand
from polyglitch.protocols import Tools
from polyglitch.records import Parse, Token, Trial


class GrammarWitness:
    """Looks for words of one output that do not agree with each other, where the other output has none such."""

    name = GRAMMAR
    signature = (
        f"grammar(11,lists={lists_at_hand()})"  # they tell adjectives that a parser does not
    )

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
        source = two_letters(tools.languages[0]) or ""
        return [pair and clash_of(pair, parses, told, target, source) for pair in pairs]


def clash_of(
    pair: Pair,
    parses: dict[str, Parse],
    told: dict[str, list[Clash]],
    language: str,
    source: str = "",
) -> Statement | None:
    """What is to be said of the first clash of one output alone."""
    # Parsers take the noun for a verb or an adjective, of which other rules would say what is not so.
    if denied := negated_noun(pair, parses, language, source):
        return denied
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


def misgoverned(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A verb with a preposition that it never takes: "cheira de cola"."""
    known = language_of(language).concord
    for at in range(len(tokens) - 2):
        verb, preposition = tokens[at].text.lower(), tokens[at + 1].text.lower()
        wrong = known.misgoverned.get(verb) == preposition
        if wrong and tokens[at + 2].text.lower() not in known.ways:
            words = f"'{tokens[at].text}' does not go with '{tokens[at + 1].text}'"
            yield Clash("government", at, at + 1, words)


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
        *phrase_states(tokens, language),
        *misjoined(tokens, language),
        *misgoverned(tokens, language),
        *indicatives(tokens, language),
        *presents(tokens, language),
        *joined_persons(tokens, language),
        *verbless(tokens, language),
        *miscounted(tokens, language),
        *linked_numbers(tokens, language),
        *joined_states(tokens, language),
        *joined_subjects(tokens, language),
        *trailing_states(tokens, language),
        *double_nouns(tokens, language),
        *joined_participles(tokens, language),
    ]


def misjoined(tokens: Sequence[Token], language: str) -> Iterator[Clash]:
    """A verb with its pronoun in a form that the language never has: "esmagar-as" for "esmagá-las"."""
    endings = language_of(language).concord.misjoined
    for at, token in enumerate(tokens):
        if endings and token.text.lower().endswith(endings):
            words = f"'{token.text}' joins a verb and its pronoun in a form that there is none of"
            yield Clash("joined", at, at, words)
