"""The signal of one goal: the original, the wished one, and the nearest whole counts of vital records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

import numpy as np

from constraint_sdc.arrays import Counts, Floats
from constraint_sdc.maskers.group_anonymity.goal import SignalKind
from constraint_sdc.maskers.group_anonymity.goal_changes import (
    AddedCycle,
    AddedExtremum,
    Change,
    ChangedAmplitude,
    ChangedApproximation,
    ChangedPeriod,
    ChangedStatistics,
    ChangedTrend,
    GivenSignal,
    MovedExtremum,
    Within,
)
from constraint_sdc.maskers.group_anonymity.reshaping import (
    AddCycle,
    ChangeAmplitude,
    ChangePeriod,
    ChangeStatistics,
    ChangeTrend,
    InPart,
    SignalChange,
)
from constraint_sdc.maskers.group_anonymity.signals import (
    AddExtremum,
    Given,
    MoveExtremum,
    WishedCounts,
    concentration,
    concentration_difference,
    counts_of_concentration,
    counts_of_difference,
    counts_of_quantity,
    normalise,
    quantity,
    require_signal,
)
from constraint_sdc.maskers.group_anonymity.swap_task import FileGoal, SwapParameter, VitalRows
from constraint_sdc.maskers.group_anonymity.wavelet import (
    ApproximationChange,
    ChangeApproximation,
    FlatApproximation,
    GivenApproximation,
    ReversedApproximation,
)

# Whole counts nearest to wished ones: resource allocation with separable convex cost (O. Gross, RAND P-644, 1956).
#
# Counts are whole numbers between 0 and the room, and add up to the group's size. Among all such counts, the result has
# the least sum of squared distances from the target. One more unit at a value costs 2 (count - target) + 1, which grows
# with the count, so taking the cheapest units first is optimal. All units below a common price are taken at once; the
# few that are left are assigned by largest remainder, ties to the lower value of the parameter. In the signal a unit at
# a value counts 1 / base: its squared distance is divided by the square of the base, and the argument stays the same.

_NOISE = 1e-9  # of a record: less than this below 0 or above the base is a rounding error


@dataclass(frozen=True)
class WholeCounts:
    """Feasible counts and the wished ones; `missed` are the values where they differ by more than rounding.

    `infeasible` are the values with a wish below 0 or above the base, if the counts are the nearest in the signal.
    """

    counts: Counts
    wish: Floats
    shrunk_by: float  # the factor of every distance from the mean: 1 unless a negative count had to be avoided
    infeasible: tuple[int, ...] = ()

    @property
    def distances(self) -> Floats:
        """Return count minus wish for every value."""
        return self.counts - self.wish

    @property
    def missed(self) -> tuple[int, ...]:
        """Return the values whose count differs by one or more from the wish, more than rounding explains."""
        return tuple(np.flatnonzero(np.abs(self.distances) >= 1 - 1e-9).tolist())


def whole_counts(wish: Floats, room: Counts, total: int, *, keep_shape: bool = True) -> WholeCounts:
    """Return the counts nearest in L2 to the wish, or to its shape: shrunk towards its mean until no count is negative.

    Keeping the shape keeps which values are high and low, but makes all differences smaller; without it, negative
    counts become 0 and all other counts change a little.

    >>> whole_counts(np.array([2.5, -0.5, 4.0]), np.array([9, 9, 3]), 6, keep_shape=False).counts.tolist()
    [3, 0, 3]
    """
    _require_room(wish, room, total)
    target = wish + (total - wish.sum()) / len(wish)
    kept = _kept_share(target) if keep_shape else 1.0
    mean = target.mean()
    return WholeCounts(_nearest(mean + kept * (target - mean), room, total, np.ones(len(wish))), wish, kept)


def counts_of_nearest_signal(wish: Floats, base: Counts, total: int) -> WholeCounts:
    """Return the counts whose shares of the base are nearest in L2 to those of the wish.

    >>> counts_of_nearest_signal(np.array([-2.0, 4.0, 4.0]), np.array([10, 10, 100]), 6).counts.tolist()
    [0, 4, 2]
    """
    _require_room(wish, base, total)
    # A value without base records gets none, whatever its weight.
    weight = (np.maximum(base, 1) / max(int(base.max()), 1)) ** 2
    return WholeCounts(_nearest(wish, base, total, weight), wish, 1.0, _out_of_range(wish, base))


def _out_of_range(wish: Floats, base: Counts) -> tuple[int, ...]:
    return tuple(np.flatnonzero((wish < -_NOISE) | (wish > base + _NOISE)).tolist())


def _require_room(wish: Floats, room: Counts, total: int) -> None:
    require_signal(wish)
    if len(wish) != len(room) or np.any(room < 0):
        raise ValueError(f"wished counts for {len(wish)} values need as many numbers of base records, each at least 0")
    if not 0 <= total <= int(room.sum()):
        raise ValueError(f"{total} records do not fit into the {int(room.sum())} base records of all values")


def _kept_share(target: Floats) -> float:
    """Return the largest share of the distances from the mean that leaves no negative number."""
    mean, lowest = float(target.mean()), float(target.min())
    return 1.0 if lowest >= 0 else max(mean, 0.0) / (mean - lowest)


def _nearest(target: Floats, room: Counts, total: int, weight: Floats) -> Counts:
    """Return the feasible whole counts with the least sum of squared distances from the target, divided by weights."""
    counts = _below_price(target, room, total, weight)
    while (left := total - int(counts.sum())) > 0:  # once, unless prices are too large for a double to tell them apart
        price = (np.round(counts - target, 9) + 0.5) / weight
        order = np.argsort(price, kind="stable")
        counts[order[(counts < room)[order]][:left]] += 1
    return counts


def _below_price(target: Floats, room: Counts, total: int, weight: Floats) -> Counts:
    """Return counts of all units cheaper than the highest price at which they do not exceed the total, by bisection.

    The remaining units all have that price, up to rounding, and no value has two of them.
    """
    low, high = float((-target / weight).min()) - 1.0, float(((room - target) / weight).max()) + 1.0
    for _ in range(100):
        price = 0.5 * (low + high)
        low, high = (price, high) if _at_price(target, room, price * weight).sum() <= total else (low, price)
    return _at_price(target, room, low * weight)


def _at_price(target: Floats, room: Counts, price: Floats) -> Counts:
    return np.clip(np.floor(target + price + 0.5), 0, room).astype(np.int64)


@dataclass(frozen=True)
class GoalSignal:
    """The arrays of one goal over the values of its parameter, from left to right.

    `quantity` and `base` count the records now, `reference` is the concentration that a difference is taken from.
    """

    kind: SignalKind
    quantity: Counts
    base: Counts
    reference: Floats
    before: Floats
    changed: Floats
    wish: WishedCounts
    whole: WholeCounts

    def of_counts(self, counts: Counts | Floats) -> Floats:
        """Return the signal of these numbers of vital records."""
        if self.kind is SignalKind.QUANTITY:
            return counts.astype(np.float64)
        shares = np.divide(counts, self.base, out=np.zeros(len(counts)), where=self.base > 0)
        return shares - self.reference

    @property
    def wished(self) -> Floats:
        """Return the changed signal, shifted to the present number of vital records."""
        return self.changed + self.wish.shift


def goal_signal(goal: FileGoal, parameter: SwapParameter) -> GoalSignal:
    """Return the goal's signal and its wish; ValueError if a change does not fit the signal."""
    kind = goal.goal.signal
    own, base = _counted(goal.group, goal, parameter)
    q_reference, rho_reference = (
        (np.zeros_like(own), np.zeros_like(base)) if goal.against is None else _counted(goal.against, goal, parameter)
    )
    total = int(own.sum())
    match kind:
        case SignalKind.QUANTITY:
            before = own.astype(np.float64)
        case SignalKind.CONCENTRATION:
            before = concentration(own, base)
        case SignalKind.DIFFERENCE:
            before = concentration_difference(own, base, q_reference, rho_reference)
        case _:
            assert_never(kind)
    changed, reference = before, concentration(q_reference, rho_reference)
    for change in goal.goal.changes:
        kernel = (
            _statistics(change, goal, parameter, base, reference)
            if isinstance(change, ChangedStatistics)
            else _kernel(change, goal, parameter)
        )
        changed = kernel.apply(changed)
    if goal.goal.normalise:
        changed = normalise(changed, before)
    if kind is SignalKind.QUANTITY:
        wish = counts_of_quantity(changed, total)
    elif kind is SignalKind.CONCENTRATION:
        wish = counts_of_concentration(changed, base, total)
    else:
        wish = counts_of_difference(changed, base, q_reference, rho_reference, total)
    return GoalSignal(kind, own, base, reference, before, changed, wish, _whole(kind, wish.counts, base, total))


def _whole(kind: SignalKind, wish: Floats, base: Counts, total: int) -> WholeCounts:
    """Return whole counts for a wish. Drawing counts towards their mean keeps no shape of a difference."""
    if kind is SignalKind.DIFFERENCE and _out_of_range(wish, base):
        return counts_of_nearest_signal(wish, base, total)
    return whole_counts(wish, base, total)


def _counted(rows: VitalRows, goal: FileGoal, parameter: SwapParameter) -> tuple[Counts, Counts]:
    values = len(parameter.labels)
    own, base = (quantity(parameter.codes, members, values)[goal.places] for members in (rows.vital, rows.base))
    return own, base


def _statistics(
    change: ChangedStatistics, goal: FileGoal, parameter: SwapParameter, base: Counts, reference: Floats
) -> ChangeStatistics:
    """Return the change of mean and deviation: over numbers, or over the places 1, 2, ... of an order."""
    values = parameter.numbers(goal.places)
    if values is None and not (goal.goal.order or parameter.is_ordered):
        raise ValueError("`statistics` needs numbers as values of the parameter, or an `order` of its values")
    values = np.arange(1.0, len(goal.places) + 1.0) if values is None else values
    if goal.goal.signal is SignalKind.QUANTITY:
        return ChangeStatistics(values, change.mean, change.deviation)
    is_difference = goal.goal.signal is SignalKind.DIFFERENCE
    return ChangeStatistics(values, change.mean, change.deviation, base, reference if is_difference else None)


def _kernel(change: Change, goal: FileGoal, parameter: SwapParameter) -> SignalChange:
    match change:
        case MovedExtremum(source, target):
            return MoveExtremum(_place(source, goal, parameter), _place(target, goal, parameter))
        case AddedExtremum(at, height):
            return AddExtremum(_place(at, goal, parameter), height)
        case GivenSignal(values):
            return Given(values)
        case ChangedApproximation(wavelet, level, approximation):
            return ChangeApproximation(_approximation(approximation), wavelet, level)
        case ChangedTrend(degree, factor, coefficients):
            return ChangeTrend(degree, factor, coefficients or ())
        case ChangedPeriod(source, target, within):
            return _in_part(ChangePeriod(source, target), within, goal, parameter)
        case ChangedAmplitude(factor, period, within):
            return _in_part(ChangeAmplitude(factor, period), within, goal, parameter)
        case AddedCycle(period, height, at, within):
            start = 0 if within is None else _place(within.first, goal, parameter)
            return _in_part(AddCycle(period, height, _place(at, goal, parameter) - start), within, goal, parameter)
        case ChangedStatistics():
            raise AssertionError("statistics need the counts of the base")
    assert_never(change)


def _in_part(change: SignalChange, within: Within | None, goal: FileGoal, parameter: SwapParameter) -> SignalChange:
    if within is None:
        return change
    return InPart(change, _place(within.first, goal, parameter), _place(within.last, goal, parameter))


def _approximation(wish: str | tuple[float, ...]) -> ApproximationChange:
    if isinstance(wish, tuple):
        return GivenApproximation(wish)
    return ReversedApproximation() if wish == "reverse" else FlatApproximation()


def _place(value: str, goal: FileGoal, parameter: SwapParameter) -> int:
    return parameter.place_of(value, goal.places)
