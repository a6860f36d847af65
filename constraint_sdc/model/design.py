"""The plan's working drawing: the same decisions as in the printed plan, in the form in which masking executes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.constraint import Atom, EditRule
from constraint_sdc.model.expression import Expression
from constraint_sdc.model.groups import Rows
from constraint_sdc.model.plan import BlockPlan, Plan
from constraint_sdc.model.series import Series


@dataclass(frozen=True, slots=True)
class Derivation:
    """`variable` is computed by `expression` from variables that are known by then, so that `rule` holds."""

    variable: str
    rule: str
    expression: Expression
    text: str


@dataclass(frozen=True, slots=True)
class Stratum:
    """Records treated apart. `conjunction` are the atoms, each with its rule, that all of them satisfy.

    `shares_conditions` is false for a merged stratum: its records may satisfy different sides of a rule.
    """

    rows: Rows
    conjunction: tuple[tuple[str, Atom], ...]
    derivations: tuple[Derivation, ...]
    shares_conditions: bool


@dataclass(frozen=True, slots=True)
class BlockDesign:
    """One block. `terms` are the disjunctive normal forms of its rules, by rule, as far as they are small enough.

    `anchors` are variables of rules that cannot be evaluated here: they are copied together from one actual record.
    `others` are unmasked variables that the block's rules read. `cloud` are the records as points, for distances.
    `given` are unmasked variables whose covariances with the block's are to be kept. `reads` has, where values are
    swapped, all variables on which the verdict of each rule may hang, and `unevaluated` the rules not evaluated here.
    """

    plan: BlockPlan
    series: tuple[Series, ...]
    cloud: Cloud
    rules: tuple[EditRule, ...]
    terms: dict[str, tuple[tuple[Atom, ...], ...]]
    strata: tuple[Stratum, ...]
    anchors: tuple[str, ...]
    others: tuple[str, ...]
    given: tuple[Series, ...] = ()

    def of(self, rows: Rows) -> BlockDesign:
        """Return the block for some records only, repeated ones repeatedly; strata are left out."""
        series = tuple(one.of(rows) for one in self.series)
        return replace(self, series=series, cloud=self.cloud.of(rows), strata=())

    reads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unevaluated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Design:
    """The plan and the working drawing of every block."""

    plan: Plan
    blocks: tuple[BlockDesign, ...]
