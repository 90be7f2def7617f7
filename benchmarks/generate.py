"""How fast tests are made, in seconds of processor time, and what memory half a million of them take.

    python -m benchmarks.generate [CORPUS]

`benchmarks.peers` has the same template beside CheckList's editor.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice

from benchmarks.results import record
from polyglitch.corpus.read import open_corpus
from polyglitch.mutate.capabilities.cases import capability_cases
from polyglitch.mutate.capabilities.rules import fill_template
from polyglitch.nlp.lexicons.terms import open_lexicon
from polyglitch.records import Input, Parse, Seed, Token, encode
from polyglitch.tools import Toolbox

TEMPLATE = "{name female} is not {a:positive adjective} {neutral noun}."
STRINGS = 10_000


def template_speed() -> dict[str, float]:
    """Distinct strings of one template."""
    lexicon = open_lexicon("en", ("bundled",))
    start = time.process_time()
    texts = list(islice(fill_template(TEMPLATE, lexicon), STRINGS))
    seconds = time.process_time() - start
    return {"template_strings_a_second": len(texts) / seconds, "distinct": len(set(texts))}


class Plain:
    """Reads `Scene 12 is lovely.` and nothing else: what is measured here is not the parser."""

    signature = "plain"

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Five tokens each."""
        kinds = (
            ("NN", "NOUN", "nsubj", 2),
            ("CD", "NUM", "nummod", 0),
            ("VBZ", "AUX", "ROOT", 2),
            ("JJ", "ADJ", "acomp", 2),
            (".", "PUNCT", "punct", 2),
        )
        found = []
        for text in texts:
            tokens, place = [], 0
            for word, (tag, pos, relation, head) in zip(
                [*text[:-1].split(), "."], kinds, strict=True
            ):
                place = text.index(word, place)
                end = place + len(word)
                tokens.append(Token(word, place, end, tag, pos, word.lower(), head, relation))
            found.append(Parse(text, tuple(tokens)))
        return found

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """The same."""
        return self.parse(texts)


class PlainTools(Toolbox):
    """The usual tools with that parser."""

    def parser(self, language: str | None) -> Plain:
        """The same for all languages."""
        return Plain()


def many_seeds() -> Iterator[Seed]:
    """Sentences without end, praise and blame by turns."""
    number = 0
    while True:
        number += 1
        side = "positive" if number % 2 else "negative"
        word = "lovely" if number % 2 else "awful"
        yield Seed(str(number), Input(f"Scene {number} is {word}.", language="en"), side)


def stream_speed(count: int = 500_000) -> dict[str, float]:
    """As many cases as the paper's largest capability has, made and written as lines, one at a time."""
    mutate = capability_cases("sentiment", ("08-author-over-others",), expansions=0)
    tools, seeds, made, start = PlainTools(), many_seeds(), 0, time.process_time()
    early = 0.0
    with open("/dev/null", "w", encoding="utf-8") as out:
        while made < count:
            for case in mutate(list(islice(seeds, 32)), tools):
                out.write(encode(case) + "\n")
                made += 1
            if not early and made >= count / 10:
                early = peak_memory()
    seconds = time.process_time() - start
    return {
        "streamed_cases": made,
        "streamed_cases_a_second": made / seconds,
        "mb_after_a_tenth": early,
        "mb_at_the_end": peak_memory(),
    }


def peak_memory() -> float:
    """The most that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def corpus_speed(path: str, seeds: int = 256) -> dict[str, float]:
    """Everything: parsing, predicates, rules, with and without expansion."""
    chosen = list(islice(open_corpus(path, language="en"), seeds))
    tools = Toolbox()
    tools.parser("en").parse(["Warm up."])
    told = {}
    for expansions in (0, 3):
        mutate = capability_cases("sentiment", labels="sst5", expansions=expansions)
        start = time.process_time()
        made = sum(1 for at in range(0, seeds, 32) for _ in mutate(chosen[at : at + 32], tools))
        seconds = time.process_time() - start
        told[f"cases_a_second_with_{expansions}_expansions"] = made / seconds
    return told


def main() -> None:
    """Print and record all; a corpus of labelled sentences is optional."""
    figures = template_speed() | stream_speed()
    if len(sys.argv) > 1:
        figures |= corpus_speed(sys.argv[1])
    record("generate", figures)


if __name__ == "__main__":
    main()
