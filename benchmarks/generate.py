"""How fast tests are made, in seconds of processor time, and what memory half a million of them take.

    python -m benchmarks.generate [CORPUS] [--checklist PYTHON]

PYTHON is an interpreter that has CheckList installed: its editor then fills a template of the same shape with the same
words in a process of its own, beside ours.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import time
from collections.abc import Iterator, Sequence
from itertools import islice

from polyglitch.corpus.read import open_corpus
from polyglitch.language.lexicon import open_lexicon
from polyglitch.language.terms import terms
from polyglitch.mutate.capabilities.cases import capability_cases
from polyglitch.mutate.capabilities.templates import fill_template
from polyglitch.protocols import Parse, Token
from polyglitch.records import Input, Seed, encode
from polyglitch.tools import Toolbox

TEMPLATE = "{name female} is not {a:positive adjective} {neutral noun}."
THEIRS = "{name} is not {a:adjective} {noun}."
STRINGS = 10_000
# Runs where CheckList is; it draws with repetition, as its editor does by default.
EDITOR = """
import json, sys, time
from checklist.editor import Editor
given = json.load(sys.stdin)
editor = Editor()
start = time.process_time()
texts = editor.template(given["template"], nsamples=given["count"], **given["words"]).data
print(json.dumps([time.process_time() - start, len(texts), len(set(texts))]))
"""


def template_speed(checklist: str | None) -> None:
    """Distinct strings of one template, ours and CheckList's."""
    lexicon = open_lexicon("en", ("bundled",))
    start = time.process_time()
    texts = list(islice(fill_template(TEMPLATE, lexicon), STRINGS))
    ours = time.process_time() - start
    print(f"template: {len(texts):,} strings in {ours:.3f} s, {len(set(texts)):,} distinct")
    if checklist is None:
        print("CheckList's editor: not asked; name a Python that has it with --checklist")
        return
    words = {
        "name": terms("name female"),
        "adjective": lexicon.words("positive", "adjective"),
        "noun": lexicon.words("neutral", "noun"),
    }
    given = json.dumps({"template": THEIRS, "count": STRINGS, "words": words})
    done = subprocess.run(
        [checklist, "-c", EDITOR], input=given, capture_output=True, text=True, check=True
    )
    theirs, made, distinct = json.loads(done.stdout.splitlines()[-1])
    print(
        f"CheckList's editor: {made:,} strings in {theirs:.3f} s, {distinct:,} distinct; "
        f"ours is {theirs / ours:.1f} times as fast"
    )


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


def stream_speed(count: int = 500_000) -> None:
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
    print(
        f"stream (LC8): {made:,} cases in {seconds:.1f} s, {made / seconds:,.0f} a second; the process took at most "
        f"{early:.0f} MB up to the first tenth, {peak_memory():.0f} MB up to the end"
    )


def peak_memory() -> float:
    """The most that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def corpus_speed(path: str, seeds: int = 256) -> None:
    """Everything: parsing, predicates, rules, with and without expansion."""
    chosen = list(islice(open_corpus(path, language="en"), seeds))
    tools = Toolbox()
    tools.parser("en").parse(["Warm up."])
    for expansions in (0, 3):
        mutate = capability_cases("sentiment", labels="sst5", expansions=expansions)
        start = time.process_time()
        made = sum(1 for at in range(0, seeds, 32) for _ in mutate(chosen[at : at + 32], tools))
        seconds = time.process_time() - start
        print(
            f"{seeds} sentences, {expansions} expansions: {made:,} cases, {made / seconds:,.0f} a second"
        )


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("corpus", nargs="?")
    options.add_argument("--checklist", metavar="PYTHON")
    asked = options.parse_args()
    template_speed(asked.checklist)
    stream_speed()
    if asked.corpus:
        corpus_speed(asked.corpus)
