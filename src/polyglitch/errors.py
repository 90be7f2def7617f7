"""Errors that reach the user: each names argument, value, cause and remedy, and carries an exit code."""

from __future__ import annotations


class PolyglitchError(Exception):
    """Base of every error meant for a person; anything else that escapes is a bug of ours."""

    exit_code = 70  # never 1, which gates read as "under the limit"


class UsageError(PolyglitchError):
    """Bad option, configuration, corpus or name."""

    exit_code = 2


class SystemFailed(PolyglitchError):
    """The system under test, or a resource that is needed, does not work."""

    exit_code = 3


class LimitReached(PolyglitchError):
    """The run has used what it may of characters or money; what is left to ask can go on later."""

    exit_code = 4


class NothingToTest(PolyglitchError):
    """No seed, or no case came of them."""

    exit_code = 5


class Missing(UsageError):
    """A package or resource that is not installed; the message says what installs it."""

    def __init__(self, what: str, needed_for: str, install: str) -> None:
        super().__init__(f"{what} is not installed, and {needed_for} needs it: {install}")
        self.what, self.needed_for, self.install = what, needed_for, install
