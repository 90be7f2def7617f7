"""An answer that names an option by its letter, read as the option it stands for."""

from __future__ import annotations

import re

OPTION = re.compile(r"(?:^|\n|\s)\(?([A-Ha-h])[).:]\s+(.+?)(?=\s+\(?[A-Ha-h][).:]\s|\n|$)")
PICK = re.compile(
    r"\A\W*(?:the (?:correct |right |best )?(?:answer|option|choice) is\W*|(?:answer|option)\W*)?"
    r"\(?([A-Ha-h])\)?(?:[).:]|\Z)\s*(.*)\Z",
    re.IGNORECASE | re.DOTALL,
)


def chosen_option(answer: str, asked: str) -> str:
    """The answer with the text of its option for the letter, where the input has options by letters."""
    known = {letter.upper(): text.strip() for letter, text in OPTION.findall(asked)}
    picked = PICK.match(answer.strip())
    if len(known) < 2 or not picked or picked[1].upper() not in known:
        return answer
    rest = picked[2].strip()
    text = known[picked[1].upper()]
    return rest if rest and text.lower().rstrip(".") in rest.lower() else f"{text} {rest}".strip()
