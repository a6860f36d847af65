"""A rule that is proposed: what it says, on how many records it was tested, and how surprising it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.evaluate.expression import Expression
from constraint_sdc.shown import Shown, Tabled

ProposalKind: TypeAlias = OneOf[
    "sum",
    "ratio",
    "product",
    "order",
    "if-then",
    "code table",
    "dependency",
    "key",
    "not negative",
    "whole numbers",
    "interval",
    "set",
    "value domain",
]
ALONE: frozenset[ProposalKind] = frozenset({"not negative", "whole numbers", "interval", "set", "key"})
"""Kinds that speak of one variable: every permutation of its values satisfies them too."""


@dataclass(frozen=True, slots=True)
class RuleCandidate:
    """A rule that every searched record satisfies, except for so few as the search allows.

    `expression` is true where a record satisfies it; None for a rule across records, which has `across` instead: the
    variable that groups records and, for a dependency, the one that must agree within a group; for a value domain, the
    variable and the one among whose values it occurs. `bits` is the surprise:
    the binary logarithm of how unlikely such a rule is if values are dealt out at random, the number of rules tried
    taken into account; None for rules about one variable. `pattern` and `parameters` are the abstract pattern of
    `constraints.sch` that says it, with expressions as parameters.
    """

    kind: ProposalKind
    variables: tuple[str, ...]
    bits: float | None
    expression: Expression | None = None
    across: tuple[str, ...] = ()
    pattern: str | None = None
    parameters: Mapping[str, Expression] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class Proposal(Shown):
    """A candidate that holds on the part kept aside, under the id of its rule.

    `searched` and `kept` count the records of either part that test it: no value is missing that it reads, and its
    condition holds. It does not speak of records in which a variable of `guarded` is missing. `states_values` if it
    contains values of records, or numbers near them: extremes, thresholds or lists. `exceptions` counts the records of
    the whole file that break it.
    """

    id: str
    candidate: RuleCandidate
    searched: int
    kept: int
    guarded: tuple[str, ...] = ()
    states_values: bool = False
    exceptions: int = 0

    @property
    def kind(self) -> ProposalKind:
        """Return what the rule is like."""
        return self.candidate.kind

    @property
    def tested(self) -> int:
        """Count the records that test the rule."""
        return self.searched + self.kept


@dataclass(frozen=True, slots=True, repr=False)
class Discovery(Tabled):
    """The rules that are proposed for a file, the most surprising first.

    `refuted` counts candidates that fail on the part kept aside, `unsurprising` those that a permuted file satisfies
    too, `implied` those that follow from the others. `schema` is the Schematron text. `allowed` is the share of
    exceptions that a rule may have. `unwritten` are the rules, with the reason, that the language of the output cannot
    say.
    """

    data: str
    records: int
    searched: int
    kept: int
    seed: int
    proposals: tuple[Proposal, ...]
    refuted: int
    unsurprising: int
    implied: int
    schema: str = ""
    allowed: float = 0.0
    unwritten: tuple[tuple[str, str], ...] = ()
