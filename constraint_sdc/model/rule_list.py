"""The typed rule list as it is shown: every rule in words, and the blocks of variables that rules tie together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from constraint_sdc.model.schema import Origin, Severity


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule with everything already in words.

    `kind` is the value of `Kind`, `normal_form` the constraint as text, `reason` why the kind was chosen (above all
    why a rule is opaque or cross-record), `engine` who will judge it.
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


@dataclass(frozen=True, slots=True)
class RuleList:
    """The rules of one phase of a schema; `blocks` are sets of variables connected by rules, in order of first use."""

    rows: tuple[RuleRow, ...]
    blocks: tuple[tuple[str, ...], ...]
    title: str
    binding: str
    phase: str
    file: str
