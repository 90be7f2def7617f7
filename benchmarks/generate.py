"""How fast tests are made, in seconds of processor time: from sentences by rules, and from a template.

    python -m benchmarks.generate [CORPUS]

CheckList's editor makes 10,000 strings of such a template in about 0.1 s, 17% of them repeats; ours are distinct.
"""

from __future__ import annotations

import sys
import time
from itertools import islice

from polyglitch.corpus.read import open_corpus
from polyglitch.language.lexicon import open_lexicon
from polyglitch.mutate.capabilities import rules
from polyglitch.mutate.capabilities.cases import capability_cases
from polyglitch.mutate.capabilities.spec import load_suite
from polyglitch.mutate.capabilities.templates import fill_template
from polyglitch.tools import Toolbox

TEMPLATE = "{name female} is not {a:positive adjective} {neutral noun}."
STRINGS = 10_000


def template_speed() -> None:
    """Distinct strings of one template."""
    lexicon = open_lexicon("en", ("bundled",))
    start = time.process_time()
    texts = list(islice(fill_template(TEMPLATE, lexicon), STRINGS))
    seconds = time.process_time() - start
    print(f"template: {len(texts):,} strings in {seconds:.3f} s, {len(set(texts)):,} distinct")


def rule_speed(count: int = 500_000) -> None:
    """As many cases as the paper's largest capability has, by a rule, one at a time."""
    rule = load_suite("sentiment", ("08-author-over-others",))[0].make[0]
    start = time.process_time()
    made = 0
    while made < count:
        others = [f"The film number {made} is dull."] * 3
        for _ in rules.apply(rule, 0, f"Scene {made} is lovely.", "positive", others, False):
            made += 1
    seconds = time.process_time() - start
    print(f"rules: {made:,} cases in {seconds:.1f} s, {made / seconds:,.0f} a second")


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
    template_speed()
    rule_speed()
    if len(sys.argv) > 1:
        corpus_speed(sys.argv[1])
