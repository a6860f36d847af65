"""The protocol of operators: they compute one value from a group's values, and tell which constraints are preserved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal as OneOf
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Points, Rows, Weights
from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    ConditionAtom,
    DomainAtom,
    Formula,
    IntegerAtom,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
    atoms,
)
from constraint_sdc.data.groups import Groups
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

# The verdict of an operator on a constraint: preserved, to be made exact, or not covered.


@dataclass(frozen=True, slots=True)
class Preserved:
    """The representative satisfies the constraint, digit for digit, whenever every member does."""

    because: Reason


@dataclass(frozen=True, slots=True)
class NeedsExact:
    """The constraint holds for the representative in real arithmetic; the exact step restores it on the grid."""

    because: Reason


@dataclass(frozen=True, slots=True)
class NotCovered:
    """The constraint may fail for the representative even if every member satisfies it."""

    because: Reason


OperatorVerdict: TypeAlias = Preserved | NeedsExact | NotCovered


# The traits of an operator that the planner and the exact step use.


@dataclass(frozen=True, slots=True)
class OperatorTraits:
    """The properties of an operator that the planner and the exact step use instead of its name.

    `scales` are those of the variables that it takes. `copies` is what it takes unchanged from a member: nothing (it
    computes a new number), each variable's value by itself, or all variables together from one record. With
    `averages_logarithms` it takes positive values; records of different signs are in separate strata. With
    `is_order_statistic` it takes the value of one rank, so that it moves with the order of the values.
    """

    scales: tuple[Scale, ...] = (Scale.NUMERIC,)
    copies: OneOf["nothing", "value", "record"] = "nothing"
    averages_logarithms: bool = False
    is_order_statistic: bool = False

    @property
    def is_average(self) -> bool:
        """Tell whether it computes a new number, which the exact step may move; the others copy a member's text."""
        return self.copies == "nothing"

    @property
    def copies_a_record(self) -> bool:
        """Tell whether all variables come from one actual record."""
        return self.copies == "record"


# The members of every group sorted by value, and the runs of equal values among them.

_BITS = 40  # of a group's largest weight


def whole_weights(weights: Weights, groups: Groups) -> npt.NDArray[np.int64]:
    """Return weights as whole numbers, whose sums are exact whatever their order.

    Each group has its own unit, a power of two, so that groups do not affect each other and whole weights keep their
    proportions exactly: weight 3 counts as much as three records of weight 1.
    """
    heaviest = np.maximum.reduceat(weights[groups.order], groups.starts)[groups.label]
    scaled = np.ldexp(weights, _BITS - np.frexp(heaviest)[1])
    whole: npt.NDArray[np.int64] = np.maximum(np.rint(scaled), 1.0).astype(np.int64)
    return whole


@dataclass(frozen=True)
class SortedMembers:
    """`rows` are all records by group, within a group by value, within equal values in file order."""

    rows: Rows
    run_starts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, values: Points, groups: Groups) -> SortedMembers:
        """Sort one variable's values (numbers or codes, no NaN) within every group."""
        rows = np.lexsort((values, groups.label)).astype(np.int64)
        is_new = np.ones(len(rows), np.bool_)
        is_new[1:] = (values[rows[1:]] != values[rows[:-1]]) | (groups.label[rows[1:]] != groups.label[rows[:-1]])
        return cls(rows, np.flatnonzero(is_new).astype(np.int64))

    @cached_property
    def run_sizes(self) -> npt.NDArray[np.int64]:
        """Return the length of every run of equal values."""
        return np.diff(self.run_starts, append=len(self.rows))

    def run_weights(self, weights: Weights, groups: Groups) -> npt.NDArray[np.int64]:
        """Return the weight of every run of equal values, in its group's unit."""
        return np.add.reduceat(whole_weights(weights, groups)[self.rows], self.run_starts)

    def first_of_run(self, run: npt.NDArray[np.int64]) -> Rows:
        """Return the first record in the file among those of a run."""
        return self.rows[self.run_starts[run]]

    def run_at(self, place: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the run that covers a place in `rows`."""
        return np.searchsorted(self.run_starts, place, side="right") - 1


def chosen_values(
    choose: Callable[[Points, Groups, Weights | None], Rows], values: Points, groups: Groups, weights: Weights | None
) -> Points:
    """Return, for every group and variable, the value of the member that `choose` takes for the variable."""
    chosen = np.empty((len(groups), values.shape[1]))
    for column in range(values.shape[1]):
        chosen[:, column] = values[choose(values[:, column], groups, weights), column]
    return chosen


class Operator(Protocol):
    """One way to represent a group.

    An operator is applied only where every member has the value: records are stratified by their pattern of missing
    values first. So `if_missing` of an atom never affects a verdict, and presence is always preserved.
    """

    @property
    def name(self) -> str:
        """Return the name in recipes and plans."""
        ...

    @property
    def traits(self) -> OperatorTraits:
        """Return the traits of the operator."""
        ...

    def verdict(self, formula: Formula) -> OperatorVerdict:
        """Tell whether a formula that every member satisfies holds for the representative.

        All of the formula's variables are aggregated by this operator, over the same group. Across variables,
        `Preserved` holds for comparisons that write each variable once.
        """
        ...

    def representatives(self, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
        """Return one row per group, from `values` of n records x d variables without NaN.

        `weights` are the positive weights of the records; without them all records have the same weight.
        """
        ...


class CopyingOperator(Operator, Protocol):
    """An operator that copies values or records, as its traits say."""

    def choose(self, values: Points, groups: Groups, weights: Weights | None = None) -> Rows:
        """Return one member's row per group.

        `values` are one variable's numbers or codes where it copies values (n), all points where it copies a record
        (n x d, standardised).
        """
        ...


# The verdict on a formula: the weakest of the verdicts on its atoms.

ValueAtom: TypeAlias = (
    LinearAtom
    | ProductAtom
    | PolynomialAtom
    | SetAtom
    | IntegerAtom
    | PatternAtom
    | DomainAtom
    | ConditionAtom
    | OpaqueAtom
)
"""Every atom except presence, on which all operators have the same verdict."""

AtomVerdict: TypeAlias = Callable[[ValueAtom], OperatorVerdict]

_STRENGTH: dict[type[OperatorVerdict], int] = {NotCovered: 0, NeedsExact: 1, Preserved: 2}


def judge(formula: Formula, atom_verdict: AtomVerdict, *, picks_member: bool = False) -> OperatorVerdict:
    """Return the verdict on a conjunction; `atom_verdict` judges every atom that reads a value.

    `picks_member` tells that the operator takes each variable's value from some member. Then every formula about one
    variable alone that all members satisfy holds, disjunctions and negations included.
    """
    if picks_member and _is_about_one_variable(formula):
        return Preserved(because("member-value"))
    match formula:
        case AllOf(items):
            verdicts = [judge(item, atom_verdict, picks_member=picks_member) for item in items]
            return _weakest(items, verdicts)
        case AnyOf((only,)):
            return judge(only, atom_verdict, picks_member=picks_member)
        case AnyOf(()):
            return NotCovered(because("never-true"))
        case AnyOf():
            return NotCovered(because("disjunction"))
        case PresentAtom():
            return Preserved(because("same-values-missing"))
        case _:
            return atom_verdict(formula)


def _is_about_one_variable(formula: Formula) -> bool:
    """Tell whether the formula reads one variable only; an opaque part may read more than it names."""
    parts = list(atoms(formula))
    names = {name for atom in parts for name in atom_variables(atom)}
    return len(names) == 1 and not any(isinstance(atom, OpaqueAtom) for atom in parts)


def _weakest(items: tuple[Formula, ...], verdicts: list[OperatorVerdict]) -> OperatorVerdict:
    """Return the first of the weakest verdicts; one that is not covered names its variables."""
    if not verdicts:
        return Preserved(because("nothing-demanded"))
    place = min(range(len(verdicts)), key=lambda i: _STRENGTH[type(verdicts[i])])
    weakest, culprit = verdicts[place], items[place]
    if isinstance(weakest, NotCovered) and len(items) > 1 and not isinstance(culprit, AllOf):
        names = dict.fromkeys(name for atom in atoms(culprit) for name in atom_variables(atom))
        if names:
            return NotCovered(because("of-variables", variables=tuple(names), reason=weakest.because))
        return weakest
    return weakest


# The verdicts of both means on the form of one variable: whole numbers, decimals, and texts that are numbers.

NUMBER_TEXTS = (
    r"^\s*([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF)\s*$",
    r"^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*$",
)
"""The patterns of rules that require a double or a decimal; every number written on a grid matches both."""


def integer_verdict(atom: IntegerAtom) -> OperatorVerdict:
    """Judge whole numbers and d decimals as grids to round to; other steps and offsets are not supported."""
    if not atom.negated and atom.remainder % atom.modulus == 0 and _is_decimal_step(atom):
        return NeedsExact(because("rounds-to-grid"))
    return NotCovered(because("mean-off-step"))


def pattern_verdict(atom: PatternAtom) -> OperatorVerdict:
    """Judge a pattern: only "is a number" is preserved, because a mean has other digits than its members."""
    if not atom.negated and not atom.flags and atom.regex in NUMBER_TEXTS:
        return Preserved(because("mean-is-number"))
    return NotCovered(because("text-of-mean"))


def _is_decimal_step(atom: IntegerAtom) -> bool:
    """Tell whether the modulus is 1, 0.1, 0.01, ..."""
    steps = atom.modulus.denominator
    return atom.modulus.numerator == 1 and steps == 10 ** (len(str(steps)) - 1)
