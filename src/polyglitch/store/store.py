"""What a campaign knows, kept safe. Every write is a transaction; safe from several threads."""

from __future__ import annotations

from polyglitch.store.cases import Cases
from polyglitch.store.database import Database
from polyglitch.store.labels import Labels
from polyglitch.store.leases import Leases
from polyglitch.store.outputs import Outputs
from polyglitch.store.queue import Queue
from polyglitch.store.runs import Runs
from polyglitch.store.verdicts import Verdicts


class Store:
    """A store by file or URL. Each attribute holds what belongs together: `store.cases.pending(...)`."""

    def __init__(self, where: str) -> None:
        self.database = Database(where)
        self.where = self.database.where  # as it may be shown
        self.runs = Runs(self.database)
        self.cases = Cases(self.database)  # and the seeds they were made of
        self.outputs = Outputs(self.database)  # and whatever else is dear to compute
        self.leases = Leases(self.database)  # who asks what, and what was spent on it
        self.verdicts = Verdicts(self.database)  # and the issues made of them
        self.labels = Labels(self.database)
        self.queue = Queue(self.database)  # pages of issues for a reviewer

    def close(self) -> None:
        """Let go of all connections."""
        self.database.engine.dispose()
