"""The plan: what masking does to every block of variables, why each rule still holds, and the price.

A plan is a frozen value made from data, rules and recipe; the same inputs make the same plan. Everything in it is
printable: the text is shown before anything is masked, the JSON form is saved and compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import ClassVar

from constraint_sdc.data.series import Grid
from constraint_sdc.operators.operator import OperatorTraits
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.settings.masker import MaskerTraits, default_masker
from constraint_sdc.settings.protect import Protect
from constraint_sdc.settings.reason import Reason
from constraint_sdc.settings.recipe import Division
from constraint_sdc.settings.words import OnBroken, Role, Scale, Totals, Treatment, Undecided
from constraint_sdc.shown import Shown, Tabled


class ExactStep(Enum):
    """What made a group's representative satisfy every rule exactly, cheapest first."""

    ROUNDED = "rounded"  # the operator's value on the grid
    DERIVED = "derived"  # dependents computed by the rules' own expressions
    NUDGED = "nudged"  # a neighbour on the grid
    REPAIRED = "repaired"  # the nearest point by integer programme
    ANCHORED = "anchored"  # the variables of rules that still fail come from one actual record
    DRAWN_IN = "drawn in"  # moved towards the representative of its cluster, as far as needed
    SHARED = "shared"  # the representative of its whole cluster replaces a record
    MEDOID = "medoid"  # an actual record
    MOVED_OFF = "moved off"  # from an actual record towards the group's mean, until it is nobody's record
    SWAPPED = "swapped"  # a value exchanged with another record, after which every rule holds for both
    KEPT = "kept"  # the record's own value, where values are swapped and this one was not


class Why(Enum):
    """What guarantees a rule."""

    UNTOUCHED = "untouched"  # no variable of the rule is masked
    PRESERVED = "preserved"  # by the operator alone
    EXACT = "exact"  # by the operator in real arithmetic, by the exact step on the grid
    CHECKED = "checked"  # by evaluating every representative, repairing or replacing those that fail
    MEDOID = "medoid"  # because the rule's variables come from one actual record
    COMPUTED = "computed"  # a total is computed for every record, and the rule is evaluated on every record
    JUDGED = "judged"  # only by the judge after masking (cross-record rules)


@dataclass(frozen=True, slots=True)
class Promise:
    """Something that masking keeps besides the rules: exactly, up to a largest relative difference, or not at all.

    `difference` is measured on the values that are written.
    """

    what: Reason
    difference: float
    is_exact: bool


@dataclass(frozen=True, slots=True)
class SignalValue:
    """One value of a goal's parameter: vital records before, as wished, as the nearest whole numbers, and after.

    `base` counts the records that can be vital there; the signal is what the goal changes.
    """

    value: str
    base: int
    before: int
    wished: float
    whole: int
    after: int
    signal_before: float
    signal_wished: float
    signal_after: float


@dataclass(frozen=True, slots=True)
class GoalReport:
    """The result of one goal of group anonymity, the `number`-th of the recipe.

    `distortion` is the influential metric summed over all pairs of records that were swapped; it is the least possible
    if `is_least`. `missed` says why the goal is not reached; `notes` are other results.
    """

    number: int
    parameter: str
    vital: str
    base: str | None
    signal: str
    against: str | None
    values: tuple[SignalValue, ...]
    swaps: int
    distortion: float
    is_least: bool
    missed: tuple[Reason, ...] = ()
    notes: tuple[Reason, ...] = ()

    @property
    def is_reached(self) -> bool:
        """Tell whether the signal is as wished, up to whole numbers of records."""
        return not self.missed


@dataclass(frozen=True, slots=True, repr=False)
class RulePlan(Shown):
    """Why one rule still holds. `rule` is the Schematron's id, `says` its normal form."""

    rule: str
    kind: str
    says: str
    variables: tuple[str, ...]
    why: Why
    because: Reason


@dataclass(frozen=True, slots=True)
class VariablePlan:
    """One masked variable: how its groups' values become one, on which grid, and how much it counts in distances.

    Where the treatment is not aggregation, the operator serves groups that still need one value. `order` has the values
    of an ordinal variable as the recipe lists them, lowest first.
    """

    name: str
    role: Role
    scale: Scale
    grid: Grid
    operator: str
    weight: float = 1.0
    treatment: Treatment = Treatment.AGGREGATED
    order: tuple[str, ...] = ()

    @property
    def traits(self) -> OperatorTraits:
        """Return the traits of its operator."""
        return OPERATORS[self.operator].traits


class Formation(Enum):
    """How a stratum came to have at least k records."""

    WHOLE = "whole"  # its own records were enough
    JOINED = "joined"  # records of a smaller stratum that satisfy its conditions too were added
    TOPPED_UP = "topped up"  # with the nearest records of other strata that satisfy its conditions too
    MERGED = "merged"  # with the nearest records of other strata; representatives are checked, repaired or medoids


@dataclass(frozen=True, slots=True)
class StratumPlan:
    """Records that are treated separately: the conditions they share, and which of their variables are computed."""

    conditions: tuple[Reason, ...]
    size: int
    formation: Formation
    derivations: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Price:
    """Information loss (100 * SSE / SST over the block's numeric variables) with the rules, and by plain MDAV without.

    `plain_loss` is None for a file too large to be masked twice. `steps` counts groups by exact step, or records where
    every record has values of its own. `promises` are what is kept besides the rules, `notes` are other results.
    `goals` are those whose signals were changed by swapping the block's values.
    """

    loss: float
    plain_loss: float | None
    groups: int
    smallest: int
    steps: Mapping[ExactStep, int]
    promises: tuple[Promise, ...] = ()
    notes: tuple[Reason, ...] = ()
    goals: tuple[GoalReport, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Variables masked together, in the order of the file, and why they are together.

    A block goes through three stages, and each contains the one before: `BlockPlan` is decided, printed and saved,
    `BlockDesign` adds the records and rules that masking needs, `MaskedBlock` has the new values.
    """

    number: int
    names: tuple[str, ...]
    because: Reason


@dataclass(frozen=True, slots=True, repr=False)
class BlockPlan(Tabled):
    """A block as decided: what is done to its variables, the strata of the records, and why its rules still hold.

    `partition` is how the records are divided: what `auto` chose, and why. `shares` is true if at least k records share
    the block's values; otherwise groups have at least k records with different values. The price is known after the
    block is masked.
    """

    block: Block
    variables: tuple[VariablePlan, ...]
    strategy: Reason
    partition: Reason
    strata: tuple[StratumPlan, ...]
    rules: tuple[RulePlan, ...]
    price: Price | None = None
    shares: bool = True

    @property
    def number(self) -> int:
        """Return the block's place in the plan, from 1."""
        return self.block.number

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the block's variables."""
        return self.block.names


@dataclass(frozen=True, slots=True)
class Recoded:
    """A category of the key that is published on a coarser level of its hierarchy, or with emptied cells.

    `level` 0 are the values themselves, of `levels` in all. `loss` is 0 to 100: the share of other values that a
    published one stands for, 100 for an emptied cell.
    """

    name: str
    level: int
    levels: int
    emptied: int
    loss: float


@dataclass(frozen=True, slots=True)
class Kept:
    """A variable that is not masked, and why; `is_removed` if it is removed from the file."""

    name: str
    role: Role
    because: Reason
    is_removed: bool = False


class Fate(Enum):
    """What becomes of something in the file."""

    MASKED = "masked"
    COMPUTED = "computed"  # from masked variables
    KEPT = "kept"
    REMOVED = "removed"
    UNDECIDED = "undecided"  # nobody said; it is guessed what to do with it, and nothing is promised


VARIABLE = "variable"
"""The kind of an entry of the inventory that is a variable; the other kinds are those of surroundings."""


@dataclass(frozen=True, slots=True)
class InventoryEntry:
    """One thing in the file: a variable by its name or something around the variables by its path, and its fate.

    `count` is how often something around the variables occurs, None for a variable.
    """

    what: str
    kind: str
    fate: Fate
    because: Reason
    count: int | None = None

    @property
    def is_variable(self) -> bool:
        """Tell whether it is a variable."""
        return self.kind == VARIABLE


@dataclass(frozen=True, slots=True)
class ComputedTotal:
    """A variable that is computed for every record by `rule` from `parts`, which are masked in `blocks`, or not at all.

    It discloses nothing that its parts do not, and no number of records is promised to share it. `loss` is known after
    masking.
    """

    name: str
    role: Role
    grid: Grid
    rule: str
    parts: tuple[str, ...]
    blocks: tuple[int, ...]
    loss: float | None = None

    scale: ClassVar[Scale] = Scale.NUMERIC
    order: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class UndoneTotal:
    """A variable that `rule` determines and that is masked with its parts all the same, and why."""

    name: str
    rule: str
    because: Reason


@dataclass(frozen=True, slots=True)
class TotalsPlan:
    """What was asked for totals, which are computed and which are not.

    `loss` is that of the whole file, and `together_loss` that of the file with all totals masked with their parts; None
    if that was not computed.
    """

    asked: Totals
    computed: tuple[ComputedTotal, ...]
    undone: tuple[UndoneTotal, ...]
    loss: float | None = None
    together_loss: float | None = None

    def without_prices(self) -> TotalsPlan:
        """Return the decisions alone."""
        computed = tuple(replace(total, loss=None) for total in self.computed)
        return replace(self, computed=computed, loss=None, together_loss=None)


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Tabled):
    """All blocks, the variables that are not masked, what was assumed, and the rules that no block decides.

    `broken` counts, per rule, the records that break it before masking. `inputs` are SHA-256 digests by role ("data",
    "rules", "recipe"; further files of the rules under "rules: NAME"). `warnings` are risks that a user must see.
    `totals` is None if totals are masked with their parts. `protect` is what is promised about people, defaults filled
    in; `not_promised` says why something is not. `recoded` are categories of the key that are made coarser.
    `inventory` has what becomes of everything in the file, and `undecided` what becomes of what nobody decided on.
    """

    k: int
    division: Division
    seed: int
    on_broken: OnBroken
    records: int
    blocks: tuple[BlockPlan, ...]
    kept: tuple[Kept, ...]
    assumptions: tuple[Reason, ...]
    rules: tuple[RulePlan, ...]
    broken: Mapping[str, int] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    masker: MaskerTraits = field(default_factory=default_masker)
    warnings: tuple[Reason, ...] = ()
    totals: TotalsPlan | None = None
    protect: Protect = field(default_factory=Protect)
    not_promised: tuple[Reason, ...] = ()
    recoded: tuple[Recoded, ...] = ()
    undecided: Undecided = "refuse"
    inventory: tuple[InventoryEntry, ...] = ()

    @property
    def computed(self) -> tuple[ComputedTotal, ...]:
        """Return the variables that are computed for every record."""
        return () if self.totals is None else self.totals.computed

    def masked_names(self) -> tuple[str, ...]:
        """Return every variable whose values change: of the blocks, then the computed ones, then those made coarser."""
        names = (name for block in self.blocks for name in block.names)
        return (*names, *(total.name for total in self.computed), *(one.name for one in self.recoded))

    @property
    def partition(self) -> str | None:
        """Return the partition method, as for `--partition`; None for a masker that divides records itself."""
        return None if self.masker.divides_itself else self.division.partition

    def all_goals(self) -> tuple[GoalReport, ...]:
        """Return the result of every goal, in the order of the recipe."""
        found = [goal for block in self.blocks if block.price for goal in block.price.goals]
        return tuple(sorted(found, key=lambda goal: goal.number))

    def all_rules(self) -> tuple[RulePlan, ...]:
        """Return every rule's plan: those of the blocks, then those that no block decides."""
        return tuple(rule for block in self.blocks for rule in block.rules) + self.rules
