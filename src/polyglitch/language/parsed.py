"""A parser that remembers what it parsed last: methods that share seeds and mutants share their parses."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

from polyglitch.protocols import Parse, Parser

REMEMBERED = 2000  # parses: the seeds at hand with their mutants and outputs, some 20 MB


class RememberingParser:
    """Fits `protocols.Parser`; asks the parser it wraps only for texts it has not seen lately."""

    def __init__(self, parser: Parser) -> None:
        self._parser, self.signature = parser, parser.signature
        self._whole, self._skimmed = Recent(), Recent()

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse each text, batched, each distinct text once."""
        return self._whole.get(texts, self._parser.parse)

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """Tags and dependencies of each text, without the rest where that is cheaper."""
        return self._skimmed.get(texts, getattr(self._parser, "skim", self._parser.parse))


class Recent:
    """The parses made last, by text."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, Parse] = OrderedDict()

    def get(
        self, texts: Sequence[str], parse: Callable[[Sequence[str]], list[Parse]]
    ) -> list[Parse]:
        """The parse of each text, made now where it was not made lately."""
        new = [text for text in dict.fromkeys(texts) if text not in self._seen]
        found = dict(zip(new, parse(new), strict=True)) if new else {}
        for text in texts:
            if text not in found:
                found[text] = self._seen[text]
        for text, parsed in found.items():
            self._seen[text] = parsed
            self._seen.move_to_end(text)
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return [found[text] for text in texts]
