def mood(text: str) -> str:
    return "positive" if "good" in text else "negative"
