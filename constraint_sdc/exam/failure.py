"""How an exam says that an object failed."""

from __future__ import annotations

from pathlib import Path


class ExamFailedError(AssertionError):
    """The object did not do what it promises; the message is the counterexample, `kept` where its files are.

    An `assert` would not do: Python leaves assertions out when it optimises.
    """

    def __init__(self, counterexample: str, kept: Path | None = None) -> None:
        super().__init__(counterexample)
        self.kept = kept


def require(holds: bool, counterexample: str) -> None:
    """Fail the exam unless the promise holds."""
    if not holds:
        raise ExamFailedError(counterexample)
