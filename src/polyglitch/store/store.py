"""What a campaign knows, kept safe. Every write is a transaction; safe from several threads."""

from __future__ import annotations

from polyglitch.store.cases import Cases
from polyglitch.store.labels import Labels
from polyglitch.store.leases import Claims
from polyglitch.store.outputs import Outputs
from polyglitch.store.queue import Queue
from polyglitch.store.runs import Runs
from polyglitch.store.verdicts import Verdicts


class Store(Runs, Cases, Outputs, Claims, Verdicts, Labels, Queue):
    """A store by file or URL: runs, cases, outputs, verdicts, issues and labels."""
