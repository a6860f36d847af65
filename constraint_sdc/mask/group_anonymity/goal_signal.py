"""The signal of one goal: as it is, as it is wished, and the whole counts of vital records that come nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

import numpy as np

from constraint_sdc.mask.group_anonymity.changes import AddExtremum, ExtremumChange, Given, MoveExtremum
from constraint_sdc.mask.group_anonymity.counts import WholeCounts, whole_counts
from constraint_sdc.mask.group_anonymity.normalise import normalise
from constraint_sdc.mask.group_anonymity.signals import (
    Counts,
    Floats,
    WishedCounts,
    concentration,
    concentration_difference,
    counts_of_concentration,
    counts_of_difference,
    counts_of_quantity,
    quantity,
)
from constraint_sdc.mask.group_anonymity.wavelet import (
    ApproximationChange,
    ChangeApproximation,
    FlatApproximation,
    GivenApproximation,
    ReversedApproximation,
)
from constraint_sdc.model.goal import (
    AddedExtremum,
    Change,
    ChangedApproximation,
    GivenSignal,
    MovedExtremum,
    SignalKind,
)
from constraint_sdc.model.swap_task import FileGoal, Parameter, VitalRows


@dataclass(frozen=True)
class GoalSignal:
    """Everything over the values of one goal, from left to right.

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
        """Return the signal that so many vital records would have."""
        if self.kind is SignalKind.QUANTITY:
            return counts.astype(np.float64)
        shares = np.divide(counts, self.base, out=np.zeros(len(counts)), where=self.base > 0)
        return shares - self.reference

    @property
    def wished(self) -> Floats:
        """Return the changed signal, shifted so that it belongs to as many vital records as there are."""
        return self.changed + self.wish.shift


def goal_signal(goal: FileGoal, parameter: Parameter) -> GoalSignal:
    """Return the goal's signal and its wish; ValueError, in words, where a change does not fit the signal."""
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
    changed = before
    for change in goal.goal.changes:
        changed = _kernel(change, goal, parameter).apply(changed)
    if goal.goal.normalise:
        changed = normalise(changed, before)
    if kind is SignalKind.QUANTITY:
        wish = counts_of_quantity(changed, total)
    elif kind is SignalKind.CONCENTRATION:
        wish = counts_of_concentration(changed, base, total)
    else:
        wish = counts_of_difference(changed, base, q_reference, rho_reference, total)
    reference = concentration(q_reference, rho_reference)
    return GoalSignal(kind, own, base, reference, before, changed, wish, whole_counts(wish.counts, base, total))


def _counted(rows: VitalRows, goal: FileGoal, parameter: Parameter) -> tuple[Counts, Counts]:
    values = len(parameter.labels)
    own, base = (quantity(parameter.codes, members, values)[goal.places] for members in (rows.vital, rows.base))
    return own, base


def _kernel(change: Change, goal: FileGoal, parameter: Parameter) -> ExtremumChange | ChangeApproximation:
    match change:
        case MovedExtremum(source, target):
            return MoveExtremum(_place(source, goal, parameter), _place(target, goal, parameter))
        case AddedExtremum(at, height):
            return AddExtremum(_place(at, goal, parameter), height)
        case GivenSignal(values):
            return Given(values)
        case ChangedApproximation(wavelet, level, approximation):
            return ChangeApproximation(_approximation(approximation), wavelet, level)
    assert_never(change)


def _approximation(wish: str | tuple[float, ...]) -> ApproximationChange:
    if isinstance(wish, tuple):
        return GivenApproximation(wish)
    return ReversedApproximation() if wish == "reverse" else FlatApproximation()


def _place(value: str, goal: FileGoal, parameter: Parameter) -> int:
    return parameter.place_of(value, goal.places)
