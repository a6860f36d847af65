"""Dominance: no member of a group can be estimated closely from the group's mean and size (p% rule; n, share)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats
from constraint_sdc.plan.promised import Found, PromiseCount
from constraint_sdc.plan.read_series import make_series
from constraint_sdc.promises.release import Release, classes
from constraint_sdc.settings.protect import MEASURED_DOMINANCE, DominancePromise
from constraint_sdc.settings.words import Scale, VariableWish

_ROUNDING = 1e-9  # relative to the sum of a group; sums of whole numbers have none


def count_dominance(release: Release, promise: DominancePromise | None) -> PromiseCount:
    """Estimate the largest member of every group in the original, from the groups of the written file.

    A group are the records that share the written values of a block. Without a promise it is only measured.
    """
    rule = promise or MEASURED_DOMINANCE
    measured = [_measured(name, amounts, label, rule) for name, amounts, label in _amounts(release)]
    asked = {name: value for name, value in (("p", rule.p), ("n", rule.n), ("share", rule.share)) if value is not None}
    of = tuple(one.name for one in measured)
    found: dict[str, Found] = {}
    if rule.p is not None:
        reached = [one.p for one in measured if one.p is not None]
        found["p"] = min(reached, default=None)
    if rule.n is not None:
        found["share"] = max((one.share for one in measured), default=0.0)
    dominated = [one for one in measured if one.dominated]
    found["groups"] = sum(one.groups for one in measured)
    found["dominated"] = sum(one.dominated for one in dominated)
    if dominated:
        found["worst"] = max(dominated, key=lambda one: one.dominated).name
    return PromiseCount("dominance", of, asked, found, None if promise is None else not dominated)


@dataclass(frozen=True, slots=True)
class _DominatedVariable:
    """One variable: the least error of an estimate in percent (None if all values are 0), and the largest share.

    `groups` are those with a value other than 0, `dominated` those of them that break the rule.
    """

    name: str
    p: float | None
    share: float
    groups: int
    dominated: int


def _amounts(release: Release) -> Iterator[tuple[str, Floats, Codes]]:
    """Yield every averaged number with what each record contributes to its group, and the group of each record."""
    weights = 1.0 if release.weights is None else _numbers(release, release.weights)[0]
    for block in release.blocks:
        names = [name for name in block if name in release.averaged]
        label = classes(release.after, block) if names else np.zeros(0, np.int64)
        for name in names:
            values, is_date = _numbers(release, name)
            if not is_date:
                yield name, values * weights, label


def _numbers(release: Release, name: str) -> tuple[Floats, bool]:
    """Return the sizes of the original's numbers in steps of their grid, 0 for none; and whether they are dates."""
    wish = release.wishes.get(name, VariableWish())
    series = make_series(release.before.column(name), Scale.NUMERIC, wish, release.missing.get(name, ()))
    steps = np.abs(np.nan_to_num(series.values)) * series.grid.scale
    return steps if series.grid.decimals is None else np.rint(steps), series.grid.notation is not None


def _measured(name: str, amounts: Floats, label: Codes, rule: DominancePromise) -> _DominatedVariable:
    total: Floats = np.bincount(label, amounts).astype(np.float64)
    slack = 0.0 if (amounts == np.rint(amounts)).all() else _ROUNDING
    is_dominated = np.zeros(len(total), np.bool_)
    p, share = None, 0.0
    counts = total > 0
    if rule.p is not None:
        left, largest, _ = _without_largest(amounts, label, total)
        rest = _without_largest(left, label, total - largest)[2]
        is_dominated |= 100 * rest < rule.p * largest - slack * total
        p = float((100 * rest[counts] / largest[counts]).min()) if counts.any() else None
    if rule.n is not None and rule.share is not None:
        left, rest = amounts, total
        for _ in range(rule.n):
            left, _, rest = _without_largest(left, label, rest)
        is_dominated |= 100 * (total - rest) > rule.share * total + slack * total
        share = float((100 * (total - rest)[counts] / total[counts]).max(initial=0.0))
    is_dominated &= counts
    return _DominatedVariable(name, p, share, int(counts.sum()), int(is_dominated.sum()))


def _without_largest(amounts: Floats, label: Codes, total: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the amounts with the largest of each group set to 0, these largest, and the sums without them."""
    largest = np.zeros(len(total))
    np.maximum.at(largest, label, amounts)
    is_largest: Flags = amounts == largest[label]
    rows = np.flatnonzero(is_largest)[::-1]
    first = np.full(len(total), -1)
    first[label[rows]] = rows  # of several as large, the last one written stays: the first record
    left = amounts.copy()
    left[first[first >= 0]] = 0.0
    return left, largest, total - largest
