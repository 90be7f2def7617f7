"""Metrics over two texts, and the oracles that compare the outputs of a trial."""
