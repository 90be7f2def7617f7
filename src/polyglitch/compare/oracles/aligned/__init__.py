"""The oracle that links all four sentences of a pair and weighs what changed without cause."""

from polyglitch.compare.oracles.aligned.oracle import aligned

__all__ = ["aligned"]
