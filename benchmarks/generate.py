"""How fast tests are made, in seconds of processor time: from sentences by rules, and from a template.

    python -m benchmarks.generate [CORPUS]

`benchmarks.peers` has the same template beside CheckList's editor.
"""

from __future__ import annotations

import sys
import time
from itertools import islice

from benchmarks.results import record
from polyglitch.corpus.read import open_corpus
from polyglitch.language.lexicon import open_lexicon
from polyglitch.mutate.capabilities import rules
from polyglitch.mutate.capabilities.cases import capability_cases
from polyglitch.mutate.capabilities.spec import load_suite
from polyglitch.mutate.capabilities.templates import fill_template
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


def rule_speed(count: int = 500_000) -> dict[str, float]:
    """As many cases as the paper's largest capability has, by a rule, one at a time."""
    rule = load_suite("sentiment", ("08-author-over-others",))[0].make[0]
    start = time.process_time()
    made = 0
    while made < count:
        others = [f"The film number {made} is dull."] * 3
        for _ in rules.apply(rule, 0, f"Scene {made} is lovely.", "positive", others, False):
            made += 1
    seconds = time.process_time() - start
    return {"rule_cases": made, "rule_cases_a_second": made / seconds}


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
    figures = template_speed() | rule_speed()
    if len(sys.argv) > 1:
        figures |= corpus_speed(sys.argv[1])
    record("generate", figures)


if __name__ == "__main__":
    main()
