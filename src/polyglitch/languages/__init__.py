"""One folder a language, data first; no code elsewhere names a language."""

from polyglitch.languages.load import (
    DEFAULT,
    all_languages,
    known_languages,
    language,
    serving,
    two_letters,
)
from polyglitch.languages.record import Language, having

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
