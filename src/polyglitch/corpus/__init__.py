"""Seeds from files: sentences, questions with their passages, labelled texts."""

from polyglitch.corpus.read import Corpus, Skipped, open_corpus
from polyglitch.corpus.source import Limits

__all__ = ["Corpus", "Limits", "Skipped", "open_corpus"]
