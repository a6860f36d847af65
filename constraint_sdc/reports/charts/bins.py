"""What a picture of a variable may show: bins and quantiles that no single record decides.

Every bin that is drawn holds none or at least `least` of the original records, edges are round numbers, quantiles are
means over `least` neighbouring records, and nothing is drawn of a variable that fewer records have. The picture ends
where at least `least` records lie at or beyond, and what is beyond counts as if it lay at the end: how far out the
largest value is changes nothing. So a reader who measures the picture to the last digit learns a value of no one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Floats
from constraint_sdc.data.pair import Compared
from constraint_sdc.settings.words import Scale

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles of a box: its whiskers' ends, its sides and its middle."""
_TAIL = 0.01
_BINS = 30
_BARS = 10


@dataclass(frozen=True, slots=True)
class Bins:
    """Shares (0 to 1) of both files' records between neighbouring `edges`, and the quantiles at `LEVELS`.

    `edges` and quantiles are in units of `unit`, a power of ten, so that no number is too large to draw. The outermost
    bins also hold what lies beyond them. `step` is the width of a bin that was not merged.
    """

    edges: tuple[float, ...]
    step: float
    unit: float
    before: tuple[float, ...]
    after: tuple[float, ...]
    quantiles_before: tuple[float, ...]
    quantiles_after: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """Shares (0 to 1) of both files' records by category; the last bar is all the others' where `has_others`."""

    before: tuple[float, ...]
    after: tuple[float, ...]
    has_others: bool


def least_records(k: int | None) -> int:
    """Return how many original records a bin must hold to be drawn: k, and never fewer than three."""
    return max(3, k or 0)


def binned(variable: Compared, least: int) -> Bins | None:
    """Return the bins of a numeric variable, None where either file has fewer than `least` values of it."""
    before, after = (np.sort(values[np.isfinite(values)]) for values in (variable.original, variable.masked))
    if min(len(before), len(after)) < least:
        return None
    low, high = _ends(before, least)
    unit = _unit(max(abs(low), abs(high)))
    fine, step = _round_edges(low / unit, high / unit, float(variable.grid.step or 0) / unit)
    with np.errstate(over="ignore"):  # far beyond the end is beyond the end
        before, after = (np.clip(values / unit, fine[0], fine[-1]) for values in (before, after))
    edges = _merged(fine, _counts(before, fine), least)
    return Bins(
        tuple(map(float, edges)), step, unit, _shares(before, edges), _shares(after, edges),
        tuple(quantile(before, level, least) for level in LEVELS),
        tuple(quantile(after, level, least) for level in LEVELS),
    )  # fmt: skip


def _ends(ordered: Floats, least: int) -> tuple[float, float]:
    """Return values at or beyond which 1 % of the records lie, and at least `least`, on either side."""
    n = len(ordered)
    beyond = max(math.ceil(_TAIL * n), least)
    return float(ordered[min(beyond - 1, (n - 1) // 2)]), float(ordered[max(n - beyond, n // 2)])


def quantile(ordered: Floats, level: float, least: int) -> float:
    """Return the mean of the `least` records about a quantile: no record's own value unless they share it.

    >>> quantile(np.array([1.0, 2.0, 3.0, 4.0, 100.0]), 0.5, 3), quantile(np.array([1.0, 2.0, 6.0]), 0.99, 3)
    (3.0, 3.0)
    """
    n = len(ordered)
    start = round(level * (n - 1) - (least - 1) / 2)
    start = min(max(start, 0), n - least)
    return float(ordered[start : start + least].mean())


def _unit(largest: float) -> float:
    """Return the power of ten in which numbers are drawn: 1 unless they are huge or tiny."""
    if largest == 0 or 1e-6 <= largest < 1e9:
        return 1.0
    return float(10.0 ** max(math.floor(math.log10(largest)), -300))


def _round_edges(low: float, high: float, finest: float) -> tuple[Floats, float]:
    """Return edges at multiples of a round step (1, 2 or 5 times a power of ten) that enclose low..high."""
    size = max(abs(low), abs(high))
    if size < 1e-290:
        low = high = size = 0.0
    is_constant = high - low <= 1e-9 * size
    step = max(round_step((size or 1.0) / 10 if is_constant else (high - low) / _BINS), finest)
    first, last = math.floor(low / step) - is_constant, math.floor(high / step) + 1 + is_constant
    return np.array([number * step for number in range(first, last + 1)]), step


def round_step(width: float) -> float:
    """Return the round number next above a width.

    >>> round_step(0.3), round_step(1100.0), round_step(2.0)
    (0.5, 2000.0, 2.0)
    """
    power = 10.0 ** math.floor(math.log10(width))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= width * (1 - 1e-9)))


def _counts(ordered: Floats, edges: Floats) -> Codes:
    """Count the values from each edge to below the next; the outermost bins take what lies beyond."""
    below = np.searchsorted(ordered, edges[1:-1], side="left")
    return np.diff(np.concatenate(([0], below, [len(ordered)])))


def _shares(ordered: Floats, edges: Floats) -> tuple[float, ...]:
    return tuple(float(count) / len(ordered) for count in _counts(ordered, edges))


def _merged(edges: Floats, counts: Codes, least: int) -> Floats:
    """Return the edges that stay when neighbours are joined until every bin holds none or at least `least`."""
    kept, held = [0], 0
    for end, count in enumerate(counts, 1):
        held += int(count)
        if held == 0 or held >= least:
            kept.append(end)
            held = 0
    while 0 < held < least:  # too few are left at the end: they join the bins before
        end = kept.pop()
        held += int(counts[kept[-1] : end].sum())
    return edges[[*kept, len(counts)] if kept[-1] != len(counts) else kept]


def barred(variable: Compared, least: int) -> Bars | None:
    """Return the bars of a categorical variable, None where either file has fewer than `least` values of it.

    Ordinal categories stand in their order, nominal ones by how frequent they are. A category of fewer than `least`
    original records is among the others, who are none or at least `least` themselves.
    """
    before, after = (values[np.isfinite(values)] for values in (variable.original, variable.masked))
    if min(len(before), len(after)) < least:
        return None
    codes = np.unique(np.concatenate((before, after)))
    counts = np.array([np.count_nonzero(before == code) for code in codes])
    shown = _shown_codes(codes, counts, least)
    if variable.scale is Scale.ORDINAL:
        shown = sorted(shown)
    has_others = len(shown) < len(codes)
    return Bars(_bar_shares(before, shown, has_others), _bar_shares(after, shown, has_others), has_others)


def _shown_codes(codes: Floats, counts: Codes, least: int) -> list[float]:
    """Return the categories with a bar of their own, the most frequent first."""
    order = np.argsort(-counts, kind="stable")
    shown = [i for i in order[:_BARS] if counts[i] >= least]
    while shown and 0 < counts.sum() - counts[shown].sum() < least:
        shown.pop()
    return [float(codes[i]) for i in shown]


def _bar_shares(values: Floats, shown: list[float], has_others: bool) -> tuple[float, ...]:
    shares = [float(np.count_nonzero(values == code)) / len(values) for code in shown]
    return (*shares, max(0.0, 1 - sum(shares))) if has_others else tuple(shares)
