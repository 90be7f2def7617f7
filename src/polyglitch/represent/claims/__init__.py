"""An answer as the claims it makes: its kind, its facts with their places, its sentences, its structure."""

from polyglitch.represent.claims.answer import Answer, read_answer

__all__ = ["Answer", "read_answer"]
