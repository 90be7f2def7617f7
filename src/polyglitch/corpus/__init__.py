"""Seeds from files: sentences, questions with their passages, labelled texts."""

from polyglitch.corpus.read import Corpus, Skipped, open_corpus
from polyglitch.corpus.source import ReadLimits

__all__ = ["Corpus", "ReadLimits", "Skipped", "open_corpus"]
