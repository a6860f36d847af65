"""The design of a plan: the decisions of the printed plan in the form in which masking executes them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from constraint_sdc.arrays import Rows, Weights
from constraint_sdc.constraints.constraint import Atom, EditRule
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.series import Series
from constraint_sdc.data.surroundings import DocumentSurroundings
from constraint_sdc.data.table import Column, Table
from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Expression, Outside
from constraint_sdc.partition.demands.demand import GroupDemand
from constraint_sdc.plan.demands import GroupPromises
from constraint_sdc.plan.plan import BlockPlan, Kept, Plan
from constraint_sdc.plan.promised import Promised
from constraint_sdc.plan.rule_facts import RuleFacts, Term
from constraint_sdc.settings.masker import MaskerTraits, default_masker
from constraint_sdc.settings.protect import Protect
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Division, Recipe
from constraint_sdc.settings.words import OnBroken, Undecided


@dataclass(frozen=True, slots=True)
class Derivation:
    """`variable` is computed by `expression` from variables that are already known, so that `rules` hold.

    `is_own` is true if one rule gives the expression; otherwise it is the solution of several rules together.
    """

    variable: str
    rules: tuple[str, ...]
    expression: Expression
    is_own: bool

    @property
    def reason(self) -> Reason:
        """Return what is computed by what."""
        if self.is_own:
            return because("computed-by", variable=self.variable, rules=self.rules)
        return because("solved-from", variable=self.variable, rules=self.rules)


@dataclass(frozen=True, slots=True)
class Stratum:
    """Records that are treated separately. `conjunction` are the atoms, each with its rule, that all of them satisfy.

    `shares_conditions` is false for a merged stratum: its records may satisfy different sides of a rule.
    """

    rows: Rows
    conjunction: tuple[tuple[str, Atom], ...]
    derivations: tuple[Derivation, ...]
    shares_conditions: bool


@dataclass(frozen=True, slots=True)
class BlockDesign:
    """A planned block with everything that masking needs. `rules` are those that read one of its variables.

    `cloud` are the records as points, for distances. `given` are unmasked variables whose covariances with the block's
    are to be kept. `repaired` are, by rule, the records that break it and must satisfy it after masking.
    `promises` are about its groups.
    """

    plan: BlockPlan
    rules: tuple[RuleFacts, ...]
    series: tuple[Series, ...]
    cloud: Cloud
    strata: tuple[Stratum, ...]
    given: tuple[Series, ...] = ()
    repaired: Mapping[str, Rows] = field(default_factory=dict)
    promises: GroupPromises = field(default_factory=GroupPromises)

    def demands(self, written: Mapping[str, Column]) -> tuple[GroupDemand, ...]:
        """Return what promises demand of its groups; `written` are sensitive variables that are masked already."""
        averaged = {variable.name for variable in self.plan.variables if variable.traits.is_average}
        return self.promises.demands(self.series, averaged, self.cloud.weights, written)

    @property
    def terms(self) -> dict[str, tuple[Term, ...]]:
        """Return the disjunctive normal forms of the rules, by rule, where they are small enough."""
        return {rule.id: rule.terms for rule in self.rules if rule.terms is not None}

    @property
    def reads(self) -> dict[str, tuple[str, ...]]:
        """Return all variables on which the verdict of each rule may depend."""
        return {rule.id: rule.variables for rule in self.rules}

    @property
    def others(self) -> tuple[str, ...]:
        """Return the variables outside the block that its rules read."""
        inside = frozenset(self.plan.names)
        return tuple(dict.fromkeys(n for rule in self.rules for n in rule.variables if n not in inside))

    @property
    def unevaluated(self) -> tuple[str, ...]:
        """Return the rules that only Saxon can evaluate."""
        return tuple(rule.id for rule in self.rules if not rule.is_evaluable)

    @property
    def asking_saxon(self) -> tuple[RuleFacts, ...]:
        """Return the rules by which Saxon judges candidates."""
        return tuple(rule for rule in self.rules if rule.asks_saxon)

    @property
    def seen_by_saxon(self) -> frozenset[str]:
        """Return the variables outside the block that these rules read."""
        return frozenset(n for rule in self.asking_saxon for n in rule.variables) & frozenset(self.others)

    def of(self, rows: Rows) -> BlockDesign:
        """Return the block for some records, which may be repeated; strata and repairs are left out."""
        series = tuple(one.of(rows) for one in self.series)
        return replace(self, series=series, cloud=self.cloud.of(rows), strata=(), repaired={})

    def part(self, rows: Rows) -> BlockDesign:
        """Return the block for some of its records, measured as in the whole file; of the strata without the rows."""
        series, given = (tuple(one.part(rows) for one in some) for some in (self.series, self.given))
        strata = tuple(replace(stratum, rows=rows[:0]) for stratum in self.strata)
        return replace(self, series=series, given=given, cloud=self.cloud.of(rows), strata=strata, repaired={})


@dataclass(frozen=True, slots=True)
class Total:
    """A variable that is computed for every record by `expression` from `parts`, so that `rule` holds.

    `is_own` is true if the expression is one side of the rule's own comparison. `codes` are the missing codes of the
    variable and its parts.
    """

    series: Series
    rule: str
    expression: Expression
    is_own: bool
    parts: tuple[str, ...]
    codes: Mapping[str, tuple[str, ...]]

    @property
    def name(self) -> str:
        """Return the variable."""
        return self.series.name


@dataclass(frozen=True, slots=True)
class Design:
    """The plan and the design of every block.

    `totals` are computed after the blocks, in this order. `checked` are the rules that read a total, each with the
    totals to be masked with their parts if some record breaks it.
    """

    plan: Plan
    blocks: tuple[BlockDesign, ...]
    totals: tuple[Total, ...] = ()
    checked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


# What a plan is made from.


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """Everything a plan is made from.

    `evaluable` are the rules that can be evaluated on any record without Saxon, `asking_saxon` those that Saxon can
    judge on single records; `broken` the records (0-based) that break a rule already; `says` each rule's normal form.
    `joined` are variables to be masked with the rules that read them although nothing selects them. `bound` are
    unmasked variables whose values groups should share for rules that ask Saxon. `weights` are the weights of the
    records.
    `notes` are what the check of the original reports besides verdicts, `warnings` what users must be told of the
    rules. `masker` is how the file is masked. With `computes_totals` variables that equalities determine are computed
    for every record, except those that are `undone`. `is_xpath1` tells whether tests follow XPath 1.0. With
    `products_by_mean` variables tied by products are averaged arithmetically, and the product of a group is computed.
    `promised` is what is promised about people, `key_kept` are variables of the key that are not masked, and why.
    `surroundings` are what the document has besides variables, and `undecided` is what becomes of a file in which
    nobody decided on something.
    """

    table: Table
    rules: tuple[EditRule, ...]
    recipe: Recipe
    k: int
    division: Division
    seed: int
    on_broken: OnBroken
    evaluable: Collection[str]
    broken: Mapping[str, Rows]
    domains: Mapping[Outside, Domain]
    says: Mapping[str, str]
    weights: Weights | None = None
    joined: frozenset[str] = frozenset()
    notes: tuple[Reason, ...] = ()
    warnings: tuple[Reason, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    masker: MaskerTraits = field(default_factory=default_masker)
    asking_saxon: Collection[str] = ()
    bound: frozenset[str] = frozenset()
    computes_totals: bool = False
    undone: Mapping[str, Reason] = field(default_factory=dict)
    is_xpath1: bool = False
    products_by_mean: bool = False
    promised: Promised = field(default_factory=lambda: Promised(Protect()))
    key_kept: Mapping[str, Reason] = field(default_factory=dict)
    undecided: Undecided = "refuse"
    surroundings: DocumentSurroundings = field(default_factory=DocumentSurroundings)


# Variables that the recipe removes from the file: no rule may read them.


def refuse_removed(facts: Iterable[RuleFacts], kept: Mapping[str, Kept]) -> None:
    """Refuse to remove a variable that a rule reads."""
    for rule in facts:
        for name in rule.variables:
            if name in kept and kept[name].is_removed:
                hint = (
                    f"keep {name} in the file (without `remove: true`), or leave the rule out by a --phase without it"
                )
                raise PlanRefusedError(f"rule {rule.id} reads {name}, which the recipe removes", hint=hint)
