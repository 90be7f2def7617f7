"""Changes after which something must hold of the output: the same, flipped, stronger, weaker, contained.

Each change is a function from a parsed sentence to the texts it becomes, none where it does not apply. Which of them
make a relation, and what must hold, is said in `resources/capabilities/general/*.toml`. Another package adds its own
with an entry point in the group `polyglitch.changes`.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from polyglitch.errors import UsageError
from polyglitch.languages import language as language_of
from polyglitch.mutate.relations import letters, people, sentences, wording
from polyglitch.nlp.lexicons.terms import WORDING, letter_table
from polyglitch.protocols import Tools
from polyglitch.records import Parse, digest
from polyglitch.registry import entries, load, suggest

Change = Callable[..., Iterable[str]]
CHANGES: dict[str, Change] = {
    name: function
    for module in (letters, people, sentences, wording)
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__ and name[0] != "_"
}


# These read tags or dependencies; the others read words and marks, and need no parser.
GRAMMATICAL = frozenset(
    {"antonym", "hypernym", "intensify", "negate", "opening_phrase", "other_gender", "passive"}
    | {"pronoun_to_group", "synonym", "weaken"}
)


# These read characters, marks and figures alone, and so any script.
ANY_SCRIPT = frozenset(
    {
        "add_final_mark",
        "double_letter",
        "drop_accents",
        "drop_commas",
        "drop_final_mark",
        "drop_letter",
    }
    | {"exclaim", "extra_spaces", "handle_before", "link_after", "lower_case", "other_number"}
    | {"outer_spaces", "said_twice", "straight_quotes", "swap_letters", "title_case", "upper_case"}
)
BY_SCRIPT = frozenset({"keyboard_slip", "lookalike", "scanned"})  # letters of one script for others
BY_LISTS = frozenset({"other_city", "other_country", "other_group", "other_name"})


def speaks(name: str, language: str) -> bool:
    """Whether a language has the words that a change needs; one from another package must know itself."""
    known = language_of(language)
    if name in ANY_SCRIPT or name not in CHANGES:
        return True
    if name in BY_SCRIPT:
        return bool(letter_table(language))
    if name in BY_LISTS:
        return known.file("groups.toml") is not None
    if name == people.digits_for_words.__name__:
        return bool(known.numbers)
    return known.file(WORDING) is not None


def reads_grammar(name: str) -> bool:
    """Whether a change needs a parser; of one from another package it must be assumed."""
    return name in GRAMMATICAL or name not in CHANGES


def find_change(name: str) -> Change:
    """A change by its name, of this package or of another."""
    if name in CHANGES:
        return CHANGES[name]
    others = entries("changes")
    if name not in others:
        raise UsageError(f"no change is called {name!r}{suggest(name, (*CHANGES, *others))}")
    found: Change = load("changes", name)
    return found


def change(name: str, parse: Parse, tools: Tools, arguments: dict[str, Any]) -> Iterator[str]:
    """The texts a change makes of a sentence, each once; random choices follow text and seed."""
    made_by = find_change(name)
    dice = random.Random(digest([name, parse.text, str(tools.seed)]))  # noqa: S311 - no secret
    given = {key: value for key, value in arguments.items() if key not in ("toward", "most")}
    most = int(arguments.get("most", 1))
    made = 0
    for text in dict.fromkeys(made_by(parse, dice, **given)):
        if text != parse.text and text.strip():
            yield text
            made += 1
            if made == most:
                return
