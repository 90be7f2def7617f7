"""Each translation against its own source: negation, numbers, units, dates, names, and words that are none."""
