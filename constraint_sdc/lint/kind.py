"""What a kind of finding is, and all kinds by code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.plugins import Registry
from constraint_sdc.schematron.schema import Severity


@dataclass(frozen=True, slots=True)
class LintKind:
    """A kind of finding: its code as its name, the usual severity of its findings, and the function that finds them.

    With `needs_data` it says nothing without data.
    """

    name: str
    severity: Severity
    find: Callable[[LintSubject], Iterable[LintFinding]]
    needs_data: bool = False


KINDS = Registry[LintKind](
    kind="lint code",
    folders=("constraint_sdc.lint.kinds",),
    group="constraint_sdc.lint",
    protocol=LintKind,
)
"""Every kind under its code."""
