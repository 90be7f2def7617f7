"""A feature on a language model, as a stranger has one: it answers from the passage it is given."""


def answer(question, context=""):
    wanted = {word.strip("?.,").lower() for word in question.split() if len(word) > 3}
    sentences = [part.strip() for part in context.replace("\n", " ").split(". ") if part.strip()]
    scored = [(len(wanted & set(part.lower().strip(".").split())), part) for part in sentences]
    best = max(scored, default=(0, ""))
    return best[1] if best[0] else "The text does not say."
