"""What it costs to look inside: gradients and attention against translating, with the same torch model.

    python -m benchmarks.whitebox [FILE] [--count 100]

Prints the seconds of both and their ratio; the sentences are those of a file, or the bundled sample.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import islice

from benchmarks.results import record
from polyglitch.corpus.read import open_corpus
from polyglitch.systems.bergamot.system import model_folder, open_translator


def seconds(work: Callable[[], object], repeat: int) -> float:
    """The least time of some calls: what it takes when nothing else is in the way."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Measure and print."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default="sample")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    translator = open_translator(model_folder("en-pt"))
    seeds = islice(open_corpus(options.file, language="en"), options.count)
    texts = [seed.input.text for seed in seeds]
    outputs = translator.translate(texts)
    translating = seconds(lambda: translator.translate(texts), options.repeat)
    looking = seconds(lambda: translator.inspect(texts, outputs), options.repeat)
    print(f"{len(texts)} sentences, CPU seconds on one thread, best of {options.repeat}")
    print(f"translate {translating:.2f}  inspect {looking:.2f}  ratio {looking / translating:.2f}")
    record("whitebox", {"sentences": len(texts), "inspect_over_translate": looking / translating})


if __name__ == "__main__":
    main()
