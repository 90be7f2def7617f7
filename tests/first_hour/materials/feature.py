def feature(text: str) -> str:
    return text.split(".")[0] + "."
