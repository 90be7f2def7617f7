"""Polyglitch finds where language software breaks, without labelled references."""

__version__ = "0.1.0"
