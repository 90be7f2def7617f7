"""Witnesses of a pair of outputs: each says what it finds suspicious, or nothing; an oracle joins what they say."""
