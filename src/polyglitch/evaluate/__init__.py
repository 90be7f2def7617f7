"""Figures about tests and oracles: agreement, diversity, coverage."""
