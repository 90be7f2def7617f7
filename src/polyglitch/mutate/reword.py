"""The same thing in other words: synonyms, numbers as words or digits, relational adverbs. SemMT's mutants.

Every rewording keeps the meaning, so a mutant asks the same of a round trip as its seed does. Rules are tried in a
fixed order and the first that fit are taken, from different groups first: the same campaign makes the same mutants.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache

from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.nlp.proposers.slot_words import ARTICLE, match_article, match_case
from polyglitch.protocols import Mutation, Tools
from polyglitch.records import Case, Edit, Input, Seed, new_case
from polyglitch.registry import component

NUMBER = r"(?P<number>\d+|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
Rule = tuple[str, re.Pattern[str], str]  # kind, what stands there, what may stand there instead


@cache
def rules(language: str) -> tuple[tuple[Rule, ...], ...]:
    """The rules in groups: adverbs first, since they are what the method is about; none where there is no file."""
    table = language_of(language).file("reword.toml")
    if table is None:
        return ()
    data = tomllib.loads(table.read_text("utf-8"))
    groups = []
    for kind in ("adverbs", "synonyms"):
        found = []
        for members in data[kind]["sets"]:
            for old in members:
                shape = re.escape(old).replace(r"\#", NUMBER)
                # Shares and measures are not counted: nobody says "3 or fewer percent".
                after = rf"(?!\s*(?:{data['measures']}))" if "#" in old else ""
                pattern = re.compile(rf"(?<![\w-]){shape}(?![\w-]){after}", re.IGNORECASE)
                found += [(kind[:-1], pattern, new) for new in members if new != old]
        groups.append(tuple(found))
    words = data["numbers"]["words"]
    digits = [("number", re.compile(rf"(?<![\w.,]){n}(?![\w.,%])"), w) for n, w in enumerate(words)]
    spelt = [
        ("number", re.compile(rf"(?<![\w-]){w}(?![\w-])"), str(n))
        for n, w in enumerate(words)
        if n > 1
    ]
    return (groups[0], tuple(digits + spelt), groups[1])


def rewordings(text: str, language: str) -> Iterator[tuple[str, Edit]]:
    """Texts that say the same, with the edit; the groups take turns."""
    groups = [[edit for rule in group for edit in apply(rule, text)] for group in rules(language)]
    for turn in range(max(map(len, groups), default=0)):
        for group in groups:
            if turn < len(group):
                yield group[turn]


def apply(rule: Rule, text: str) -> Iterator[tuple[str, Edit]]:
    """A rule at the first place where it fits."""
    kind, pattern, new = rule
    found = pattern.search(text)
    if found is None:
        return
    if "number" in found.re.groupindex:
        new = new.replace("#", found["number"])
    new = match_case(new, found[0])
    start, end = found.span()
    if article := ARTICLE.search(text[:start]):
        start = article.start()
        new = match_article(article[1], new) + article[2] + new
    yield text[:start] + new + text[end:], Edit(kind, start, end, text[start:end], new)


@component
def reword(per_seed: int = 2, relation: str = "same meaning") -> Mutation:
    """The seed itself and at most `per_seed` rewordings, one input a case."""

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        for seed in seeds:
            yield new_case(seed, relation, (seed.input,))
            seen = {seed.input.text}
            for text, edit in rewordings(seed.input.text, seed.input.language or DEFAULT):
                if len(seen) > per_seed:
                    break
                if text not in seen:
                    seen.add(text)
                    yield new_case(
                        seed, relation, (Input(text, language=seed.input.language),), edit
                    )

    return mutate
