"""Links of masked records to a file with errors, by the fields in which records match most closely.

W. E. Winkler, Single-ranking micro-aggregation and re-identification, U.S. Bureau of the Census, Statistics #2002-08,
second extension: redundancy makes up for large errors in some fields.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Floats, Points, Rows
from constraint_sdc.measures.attacks.single_ranking_links import AgreementLinks, Metric, agreeing_range


@dataclass(frozen=True)
class _LinkField:
    """A variable of both files: `place` is each record's relative rank (0 to 1), NaN for a blank.

    `order` are the records of the intruder's file by value; those at `start` to `stop` are near the released value.
    """

    order: Rows
    place: Floats
    released: Floats
    start: Codes
    stop: Codes


def link_by_best_fields(
    file: Points, masked: Points, released: Rows, metric: Metric, near: int, best: int
) -> AgreementLinks:
    """Return the links of the released records (rows of `masked`) to an intruder's file, n x d, NaN for blanks.

    Row i of both arrays is one record, which the intruder does not know. In each field the records that agree by the
    metric (with `nearest`, the `near` ones) are candidates. The link is the candidate with the least sum of distances
    in its `best` closest fields (at least one). A distance is the share of the file's values that lie between the two.
    It needs no unit, and it suits skewed variables; a blank has the largest distance.
    """
    fields = _fields(file, masked[released], metric, near)
    ties, has_true = np.zeros(len(released), np.int64), np.zeros(len(released), np.bool_)
    for r, true in enumerate(released if fields else ()):
        candidates = _candidates(len(file), fields, r)
        if len(candidates) == 0:
            continue
        apart = _best_fields(fields, r, candidates, max(1, min(best, len(fields))))
        is_best = apart <= apart.min() + 1e-12  # sums of equal distances may differ in their last digits
        ties[r], has_true[r] = is_best.sum(), bool((candidates[is_best] == true).any())
    return AgreementLinks(ties, has_true)


def _candidates(records: int, fields: list[_LinkField], r: int) -> Rows:
    """Return the records that are near a released record in some field, in file order."""
    is_near = np.zeros(records, np.bool_)
    for one in fields:
        is_near[one.order[one.start[r] : one.stop[r]]] = True
    return np.flatnonzero(is_near)


def _best_fields(fields: list[_LinkField], r: int, candidates: Rows, best: int) -> Floats:
    """Return each candidate's distance from a released record in its closest fields."""
    apart = np.column_stack([np.abs(f.place[candidates] - f.released[r]) for f in fields])
    apart[np.isnan(apart)] = 1.0
    sums: Floats = np.partition(apart, best - 1, axis=1)[:, :best].sum(axis=1)
    return sums


def _fields(file: Points, masked: Points, metric: Metric, near: int) -> list[_LinkField]:
    """Return the fields in which both files have values."""
    found = []
    for column, after in zip(file.T, masked.T, strict=True):
        order = np.argsort(column, kind="stable")[: int((~np.isnan(column)).sum())].astype(np.int64)
        around = agreeing_range(metric, after, column[order], near)
        if around is not None:
            found.append(_LinkField(order, _places(column[order], column), _places(column[order], after), *around))
    return found


def _places(values: Floats, sought: Floats) -> Floats:
    """Return the relative ranks of numbers among sorted values, from 0 to 1; ties have the middle rank."""
    middle = (np.searchsorted(values, sought, "left") + np.searchsorted(values, sought, "right")) / 2
    return np.where(np.isnan(sought), np.nan, middle / len(values))


# A corresponding file: an intruder's file about the same persons, with errors.
#
# W. E. Winkler, Single-ranking micro-aggregation and re-identification, U.S. Bureau of the Census, Statistics
# #2002-08: in each record a few variables are far off, and the others nearly right.

_NEARLY = (0.01, 0.03)
"""The least and the largest relative error of the other variables."""


def corresponding_file(original: Points, off: int = 3, deviation: float = 0.3, seed: int = 0) -> Points:
    """Return the original (n x d) with errors relative to each value, of random sign.

    In every record `off` variables drawn at random (all, if there are fewer) deviate by `deviation`: the largest number
    and size in the report, so that the attack does not look better than it is. The others deviate by 1 to 3%. Blanks
    and zeros do not change.

    >>> corresponding_file(np.array([[100.0, 200.0]]), off=1, seed=1).round(1).tolist()
    [[70.0, 194.2]]
    """
    draw = np.random.default_rng(seed)
    size = draw.uniform(*_NEARLY, original.shape)
    chosen = np.argsort(draw.random(original.shape), axis=1)[:, : max(0, off)]
    np.put_along_axis(size, chosen, deviation, axis=1)
    sign = np.where(draw.random(original.shape) < 0.5, -1.0, 1.0)
    with np.errstate(over="ignore"):
        return np.nan_to_num(original * (1 + sign * size), nan=np.nan)  # infinity becomes the largest number
