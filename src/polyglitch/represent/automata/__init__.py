"""Automata that count: regexes as DFAs over symbol classes, and how alike their languages are."""
