"""Speed and memory, as ratios measured in one run: `python -m benchmarks`, or one of them by name."""
