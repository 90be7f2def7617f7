"""A classifier as a stranger has one."""

GOOD, BAD = {"good", "great", "fresh", "clean"}, {"bad", "broken", "dirty", "late"}


def classify(text):
    words = set(text.lower().strip(".").split())
    return "positive" if words & GOOD else "negative" if words & BAD else "neutral"
