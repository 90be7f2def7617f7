"""Polyglitch from Python: run a campaign on a function, an object or a URI, and look at what it found."""
