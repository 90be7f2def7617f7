"""One folder a language, data first; no code elsewhere names a language."""

from polyglitch.languages.record import (
    DEFAULT,
    Language,
    all_languages,
    having,
    known_languages,
    language,
    serving,
    two_letters,
)

__all__ = [
    "DEFAULT",
    "Language",
    "all_languages",
    "having",
    "known_languages",
    "language",
    "serving",
    "two_letters",
]
