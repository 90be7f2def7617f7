"""A parser that remembers what it parsed last: methods that share seeds and mutants share their parses."""

from __future__ import annotations

from collections.abc import Sequence

from polyglitch.language.recent import Recent
from polyglitch.protocols import Parse, Parser

REMEMBERED = 2000  # parses: the seeds at hand with their mutants and outputs, some 20 MB


class RememberingParser:
    """Fits `protocols.Parser`; asks the parser it wraps only for texts it has not seen lately."""

    def __init__(self, parser: Parser) -> None:
        self._parser, self.signature = parser, parser.signature
        self._whole: Recent[str, Parse] = Recent(REMEMBERED)
        self._skimmed: Recent[str, Parse] = Recent(REMEMBERED)

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse each text, batched, each distinct text once."""
        return self._whole.get(texts, self._parser.parse)

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """Tags and dependencies of each text, without the rest where that is cheaper."""
        return self._skimmed.get(texts, self._parser.skim)
