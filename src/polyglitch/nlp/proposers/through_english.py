"""Words of a language without a model of its own, by its English: translators there and back bring words home.

The sentence is translated to English, the English proposer puts other words into it, and each English sentence is
translated back. Where the way back differs in one word only, that word stands for the other in the sentence itself:
a change of gender or number would have changed an article or an adjective too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property

from polyglitch.errors import Missing, PolyglitchError, UsageError
from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.languages.record import differ_by_ending
from polyglitch.nlp.lexicons.words import frequencies
from polyglitch.nlp.proposers.slot_words import with_word
from polyglitch.protocols import Proposer, Tools
from polyglitch.records import Candidate, Parse, Slot

ENGLISH = DEFAULT  # the language whose proposers judge
CHANGED = frozenset(("NOUN", "ADJ", "VERB", "ADV"))
AGREEING = frozenset(("DET", "ADJ", "ADP", "NUM"))  # also of prepositions that took up an article
MARKS = ".,;:!?¡¿«»“”„\"'()[]…"
OTHER = 8  # words a place of the English sentence that are brought back
LEAST_FREQUENT = 3.0  # on the scale of Zipf: translators misread what is rarer, old word or new
UNKNOWN = "*@#"  # what Apertium sets before a word that it does not know
# The English probability is raised to this: the way there or back may have misread the word.
DOUBT = 1.4
Put = tuple[int, str, Candidate]  # place in the sentence, new word, as the English proposer saw it


class ThroughEnglish:
    """Fits `Proposer`; `by` is the English proposer."""

    def __init__(self, language: str, by: str, route: tuple[str, str], tools: Tools) -> None:
        self._language, self._by, self._tools = language_of(language), by, tools
        self._there, self._back = route
        self._least = self._language.english.least if self._language.english else 0.0

    @cached_property
    def signature(self) -> str:
        """The way and the English proposer."""
        way = f"{self._there}+{self._back}+{self._least}"
        return f"through-english/2:{way}+{self._english.signature}"

    @cached_property
    def _english(self) -> Proposer:
        return self._tools.proposer(self._by, ENGLISH)

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, the most natural in English first.

        None for a part of speech of which the language lists words: these give way to their like alone.
        """
        some = [slot for slot in slots if slot.token.pos not in self._language.more_parts]
        parses = list({slot.parse.text: slot.parse for slot in some}.values())
        wanted = {(slot.parse.text, slot.index) for slot in some}
        kinds = frozenset(slot.token.pos for slot in some)
        found: dict[tuple[str, int], dict[str, Candidate]] = {}
        for parse, puts in zip(parses, self._brought_back(parses, kinds), strict=True):
            for place, word, seen in puts:
                if (parse.text, place) in wanted:
                    words = found.setdefault((parse.text, place), {})
                    one = Candidate(word, seen.score, round(seen.accepted**DOUBT, 4))
                    if word not in words or words[word].accepted < one.accepted:
                        words[word] = one
        return [
            sorted(
                found.get((slot.parse.text, slot.index), {}).values(),
                key=lambda one: (-one.accepted, -one.score, one.word),
            )[:top]
            for slot in slots
        ]

    def _brought_back(self, parses: Sequence[Parse], kinds: frozenset[str]) -> list[list[Put]]:
        """For each sentence the words that came back one for one."""
        english = self._tools.ask_all(self._there, [parse.text for parse in parses])
        read = self._tools.parser(ENGLISH).parse([text or "" for text in english])
        places = [
            (number, Slot(parse, index))
            for number, parse in enumerate(read)
            for index in open_places(parse, kinds)
        ]
        offered = self._english.propose([slot for _, slot in places], OTHER) if places else []
        drafts = [
            (number, with_word(slot, one.word)[0], one)
            for (number, slot), some in zip(places, offered, strict=True)
            for one in some
            if one.accepted >= self._least
        ]
        told = self._tools.ask_all(
            self._back, [*(text or "" for text in english), *(text for _, text, _ in drafts)]
        )
        puts: list[tuple[int, Put]] = []
        for (number, _, one), answer in zip(drafts, told[len(parses) :], strict=True):
            home = told[number]
            put = one_word_changed(parses[number], home, answer) if home and answer else None
            if put and self._fits(parses[number], *put):
                puts.append((number, (*put, one)))
        return self._understood(parses, puts)

    def _understood(
        self, parses: Sequence[Parse], puts: Sequence[tuple[int, Put]]
    ) -> list[list[Put]]:
        """Those of the words that are understood in the sentence itself as they were meant."""
        texts = [with_word(Slot(parses[n], put[0]), put[1])[0] for n, put in puts]
        again = self._tools.ask_all(self._there, texts) if texts else []
        read = self._tools.parser(self._language.code).skim(texts) if texts else []
        found: list[list[Put]] = [[] for _ in parses]
        for (number, put), answer, parse in zip(puts, again, read, strict=True):
            meant = answer and put[2].word.lower() in words_of(answer.lower())
            if meant and same_part(parses[number], parse, put[0]):
                found[number].append(put)
        return found

    def _fits(self, parse: Parse, place: int, word: str) -> bool:
        """Whether both words are common ones of the language, and the new one agrees as far as endings tell."""
        frequency, old = frequencies(self._language.code), parse.tokens[place]
        if frequency and min(frequency(word), frequency(old.text.lower())) < LEAST_FREQUENT:
            return False
        forms = self._language.agreement.forms
        noun = described(parse, place).lower() if old.pos == "ADJ" else ""
        own, of_noun, new = (ending_of(each, forms) for each in (old.text.lower(), noun, word))
        agrees = old.pos != "ADJ" or not new or new == (own or of_noun or new)
        return agrees and not differ_by_ending(word, old.text.lower())


def open_places(parse: Parse, kinds: frozenset[str]) -> Iterator[int]:
    """The words of an English sentence that another may stand for: no names, no function words."""
    held = language_of(ENGLISH).function_words | language_of(ENGLISH).words("never_replaced")
    for index, token in enumerate(
        parse.tokens[:-1]
    ):  # what ends a text is judged by nothing after it
        plain = token.text.isalpha() and len(token.text) > 1 and token.text.lower() not in held
        small = not index or token.text.islower()
        if plain and small and token.pos in kinds & CHANGED:
            yield index


def one_word_changed(parse: Parse, home: str, other: str) -> tuple[int, str] | None:
    """The place of the one word by which two ways back differ, and the new word; nothing where there are more.

    A word before it that may agree with it must be that of the sentence, so that it agrees there too.
    """
    old, new = words_of(home), words_of(other)
    blocks = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    changes = [block for block in blocks if block[0] != "equal"]
    if (
        len(changes) != 1
        or changes[0][2] - changes[0][1] != 1
        or changes[0][4] - changes[0][3] != 1
    ):
        return None
    at, put = changes[0][1], changes[0][3]
    gone, word = old[at].lower(), new[put].lower()
    places = [n for n, token in enumerate(parse.tokens) if token.text.lower() == gone]
    if len(places) != 1 or not word.isalpha() or new[put][:1] in UNKNOWN:
        return None
    before = parse.tokens[places[0] - 1] if places[0] else None
    if before and before.pos in AGREEING and (not at or before.text.lower() != old[at - 1].lower()):
        return None
    return places[0], word


def same_part(old: Parse, new: Parse, place: int) -> bool:
    """Whether the word at a place has the part of speech of the one that stood there, and no other word more or less.

    Asked here, as methods do not ask it of a language whose tags waver: its word sets tell it, translators do not.
    """
    alike = len(old.tokens) == len(new.tokens)
    return alike and old.tokens[place].tag == new.tokens[place].tag  # a skimmed parse has no more


def described(parse: Parse, place: int) -> str:
    """The word that an adjective is said of: its head, or its subject where it is the predicate."""
    subjects = (t.text for t in parse.tokens if t.head == place and t.relation.startswith("nsubj"))
    return next(subjects, parse.tokens[parse.tokens[place].head].text)


def ending_of(word: str, forms: Sequence[str]) -> str:
    """The ending by which an adjective agrees, or nothing where it shows none."""
    return next((form for form in sorted(forms, key=len, reverse=True) if word.endswith(form)), "")


def words_of(text: str) -> list[str]:
    """The words of a translation, without the marks around them."""
    return [bare for word in text.split() if (bare := word.strip(MARKS))]


def route_of(language: str, tools: Tools) -> tuple[str, str] | None:
    """The translators to English and back that serve a language and are installed here."""
    known = language_of(language).english
    if known is None:
        return None
    try:
        answers = [*tools.ask_all(known.there, ["1"]), *tools.ask_all(known.back, ["1"])]
    except PolyglitchError:
        return None
    return (known.there, known.back) if all(answers) else None


def open_through_english(
    language: str, argument: str = "smollm", *, tools: Tools
) -> ThroughEnglish:
    """The proposer by an English one: `through-english:in-context:smollm`; the language says by which translators."""
    if language_of(language).code == ENGLISH:
        raise UsageError("the proposer 'through-english' is for other languages than English")
    route = route_of(language, tools)
    if route is None:
        known = language_of(language).english
        raise Missing(
            f"a translator from {language!r} to English and back",
            "the proposer 'through-english'",
            known.install if known else "none is known for it; name `corpus` or causal:FILE.gguf",
        )
    return ThroughEnglish(language, argument, route, tools)


open_through_english.wants_tools = True  # type: ignore[attr-defined]  # the registry gives it the campaign's
