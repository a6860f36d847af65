"""The typed rule list for display: every rule in words, and the blocks of variables that rules connect."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal as OneOf

from constraint_sdc.constraints.constraint import EditRule, Kind
from constraint_sdc.data.union import Union
from constraint_sdc.schematron.schema import Origin, Severity
from constraint_sdc.shown import Shown, Tabled


@dataclass(frozen=True, slots=True, repr=False)
class RuleRow(Shown):
    """One rule in words.

    `kind` is the value of `Kind`, `normal_form` the constraint as text, `reason` why the kind was chosen (above all
    why a rule is opaque or cross-record), `engine` what judges it.
    """

    id: str
    kind: str
    paper_name: str
    variables: tuple[str, ...]
    normal_form: str
    severity: Severity
    origin: Origin
    reason: str
    context: str
    test: str
    is_record_local: bool
    engine: OneOf["vectorised", "saxon"]

    @property
    def is_understood(self) -> bool:
        """Tell whether the rule is one of the typed kinds."""
        return self.kind not in ("opaque", "cross-record")


@dataclass(frozen=True, slots=True, repr=False)
class RuleList(Tabled):
    """The rules of one phase of a schema; `blocks` are sets of variables connected by rules, in order of first use."""

    rows: tuple[RuleRow, ...]
    blocks: tuple[tuple[str, ...], ...]
    title: str
    binding: str
    phase: str
    file: str


# Blocks: variables that rules connect and that must therefore be masked together.


def blocks(rules: Iterable[EditRule]) -> tuple[tuple[str, ...], ...]:
    """Return the blocks, each in order of first use, ordered by their first variable.

    An opaque rule connects its variables like any other: only a real record is known to satisfy it. A cross-record rule
    connects nothing, because no choice within one record can satisfy it.
    """
    ties = [rule.constraint.variables for rule in rules if rule.constraint.kind is not Kind.CROSS_RECORD]
    tied = Union(name for names in ties for name in names)
    for names in ties:
        tied.join(names)
    return tied.parts()
