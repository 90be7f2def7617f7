"""Sentences that describe texts, read as regexes."""
