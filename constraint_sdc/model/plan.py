"""The plan: what masking will do to every block of variables, why each rule survives it, and the price.

A plan is a frozen value made from data, rules and recipe; the same inputs make the same plan. Everything in it is
printable: the text is shown before anything is masked, the JSON form is saved and compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from constraint_sdc.model.division import Division
from constraint_sdc.model.grid import Grid
from constraint_sdc.model.policy import OnBroken, OperatorName, Role, Scale


class Step(Enum):
    """What made a group's representative satisfy every rule exactly, cheapest first."""

    ROUNDED = "rounded"  # the operator's value on the grid
    DERIVED = "derived"  # dependents computed by the rules' own expressions
    NUDGED = "nudged"  # a neighbour on the grid
    REPAIRED = "repaired"  # the nearest point by integer programme
    ANCHORED = "anchored"  # the variables of rules that still fail come from one actual record
    MEDOID = "medoid"  # an actual record


class Why(Enum):
    """On what a rule's survival rests."""

    UNTOUCHED = "untouched"  # no variable of the rule is masked
    PRESERVED = "preserved"  # by the operator alone
    EXACT = "exact"  # by the operator in real arithmetic, by the exact step on the grid
    CHECKED = "checked"  # by evaluating every representative, repairing or replacing those that fail
    MEDOID = "medoid"  # because the rule's variables come from one actual record
    JUDGED = "judged"  # by nothing but the judge after masking (cross-record rules)


@dataclass(frozen=True, slots=True)
class RulePlan:
    """Why one rule will hold. `rule` is the Schematron's id, `says` its normal form, `because` one sentence."""

    rule: str
    kind: str
    says: str
    variables: tuple[str, ...]
    why: Why
    because: str


@dataclass(frozen=True, slots=True)
class VariablePlan:
    """One masked variable: how its groups' values become one, on which grid, and how much it counts in distances."""

    name: str
    role: Role
    scale: Scale
    grid: Grid
    operator: OperatorName
    weight: float = 1.0


class Formation(Enum):
    """How a stratum came to have at least k records."""

    WHOLE = "whole"  # its own records were enough
    JOINED = "joined"  # records of a smaller stratum that satisfy its conditions too were added
    TOPPED_UP = "topped up"  # with the nearest records of other strata that satisfy its conditions too
    MERGED = "merged"  # with the nearest records of other strata; representatives are checked, repaired or medoids


@dataclass(frozen=True, slots=True)
class StratumPlan:
    """Records treated apart: the conditions they share, in words, and how their representatives are computed."""

    conditions: tuple[str, ...]
    size: int
    formation: Formation
    derivations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Price:
    """Information loss (100 * SSE / SST over the block's numeric variables) with the rules, and by plain MDAV without.

    `plain_loss` is None for a file too large to be masked twice. `steps` counts groups by the exact step they took.
    """

    loss: float
    plain_loss: float | None
    groups: int
    smallest: int
    steps: Mapping[Step, int]


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """Variables masked together, the strata of the records, and why the block's rules survive.

    `partition` tells in words how the records are divided: what `auto` chose, and why.
    """

    number: int
    variables: tuple[VariablePlan, ...]
    because: str
    strategy: str
    partition: str
    strata: tuple[StratumPlan, ...]
    rules: tuple[RulePlan, ...]
    price: Price | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the block's variables."""
        return tuple(variable.name for variable in self.variables)


@dataclass(frozen=True, slots=True)
class Kept:
    """A variable that is not masked, and why; `is_removed` when it is taken out of the file."""

    name: str
    role: Role
    because: str
    is_removed: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """All blocks, what stays as it is, what was assumed, and the rules that no block decides.

    `broken` counts, per rule, the records that break it before masking. `inputs` are SHA-256 digests by role ("data",
    "rules", "recipe"; further files of the rules under "rules: NAME").
    """

    k: int
    division: Division
    seed: int
    on_broken: OnBroken
    records: int
    blocks: tuple[BlockPlan, ...]
    kept: tuple[Kept, ...]
    assumptions: tuple[str, ...]
    rules: tuple[RulePlan, ...]
    broken: Mapping[str, int] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)

    def all_rules(self) -> tuple[RulePlan, ...]:
        """Return every rule's plan: those of the blocks, then those that no block decides."""
        return tuple(rule for block in self.blocks for rule in block.rules) + self.rules
