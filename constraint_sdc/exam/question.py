"""What an exam consists of: questions, each with what is tried, and how it says that an object failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.errors import UsageError
from constraint_sdc.settings.parameters import parameters_of, with_parameters


@dataclass(frozen=True, slots=True)
class ExamOptions:
    """How long an exam is and which cases it draws.

    `cases` is the number of files that are masked, and the claims and pairs of files that are tried grow with it.
    `seed` is that of the first case. The files of a counterexample are kept in `keep`.
    """

    cases: int = 30
    seed: int = 0
    keep: Path | None = None


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of an exam. `ask` returns what was tried, or raises ExamFailedError with the counterexample."""

    text: str
    ask: Callable[[], str]


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


PARAMETERS_ASKED = "every parameter can be given, as text too"
"""The question to an object that declares parameters."""


def takes_parameters(owner: object, name: str) -> str:
    """Fail the exam unless every parameter takes its own default, written as text."""
    declared = parameters_of(owner)
    for one in declared:
        try:
            told = with_parameters(owner, name, {one.name: str(one.default)})
        except UsageError as refusal:
            raise ExamFailedError(f"{one.name} refuses its own default: {refusal.what}") from None
        found = getattr(told, one.name)
        is_same = type(found) is type(one.default) and found == one.default
        require(is_same, f"{one.name} becomes {found!r} where {one.default!r} is given")
    return f"{len(declared)} of them"
