"""Dominance: no member of a group can be estimated closely from the group's mean and size (p% rule; n, share)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Floats, Rows
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.running import scratch
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
                yield name, values if release.weights is None else values * weights, label


def _numbers(release: Release, name: str) -> tuple[Floats, bool]:
    """Return the sizes of the original's numbers in steps of their grid, 0 for none; and whether they are dates."""
    wish = release.wishes.get(name, VariableWish())
    series = make_series(release.before.column(name), Scale.NUMERIC, wish, release.missing.get(name, ()))
    steps: Floats = scratch().own(len(series.values), np.float64)
    for part in windows(len(steps)):
        steps[part] = np.abs(np.nan_to_num(series.values[part])) * series.grid.scale
        if series.grid.decimals is not None:
            np.rint(steps[part], out=steps[part])
    return steps, series.grid.notation is not None


def _measured(name: str, amounts: Floats, label: Codes, rule: DominancePromise) -> _DominatedVariable:
    total: Floats = np.bincount(label, amounts).astype(np.float64)
    slack = 0.0 if all((amounts[part] == np.rint(amounts[part])).all() for part in windows(len(amounts))) else _ROUNDING
    is_dominated = np.zeros(len(total), np.bool_)
    p, share = None, 0.0
    counts = total > 0
    if rule.p is not None:
        largest, place = _largest(amounts, label, [], len(total))
        rest = total - largest - _largest(amounts, label, [place], len(total))[0]
        is_dominated |= 100 * rest < rule.p * largest - slack * total
        p = float((100 * rest[counts] / largest[counts]).min()) if counts.any() else None
    if rule.n is not None and rule.share is not None:
        places, rest = list[Rows](), total
        for _ in range(rule.n):
            largest, place = _largest(amounts, label, places, len(total))
            places, rest = [*places, place], rest - largest
        is_dominated |= 100 * (total - rest) > rule.share * total + slack * total
        share = float((100 * (total - rest)[counts] / total[counts]).max(initial=0.0))
    is_dominated &= counts
    return _DominatedVariable(name, p, share, int(counts.sum()), int(is_dominated.sum()))


def _largest(amounts: Floats, label: Codes, left_out: Sequence[Rows], groups: int) -> tuple[Floats, Rows]:
    """Return the largest amount of each group, and the first record that has it, without those that are left out.

    A group of which all records are left out has 0, and no record.
    """
    largest, place = np.zeros(groups), np.full(groups, -1, np.int64)

    def some() -> Iterator[tuple[Rows, Floats, Codes]]:
        for part in windows(len(amounts)):
            rows, own = np.arange(part.start, part.stop), label[part]
            counted = np.ones(len(rows), np.bool_)
            for out in left_out:
                counted &= out[own] != rows
            yield rows[counted], amounts[part][counted], own[counted]

    for _, sizes, own in some():
        np.maximum.at(largest, own, sizes)
    for rows, sizes, own in some():
        is_first = (sizes == largest[own]) & (place[own] < 0)
        place[own[is_first][::-1]] = rows[is_first][::-1]  # the last one written stays: the first record
    return largest, place
