"""Readings of PIL and ID: the paper names both by reference only, and leaves densities, orders and widths open."""

from __future__ import annotations

import math

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.measures.risk.interval_disclosure import WIDTHS, RankBase, rank_distance
from constraint_sdc.measures.utility.pil import QUANTILES, Pil, PilBase

OUR_PIL = "kernel density"
OUR_ID = "masked order"
WHOLE_RECORDS = "whole records"


def pil_readings(base: PilBase, masked: Points) -> dict[str, float]:
    """Return PIL with our kernel density in the quantiles' deviations, and in other ways."""
    found = base.pil(masked)
    mean, variance, covariance, correlation, quantile = (part or 0.0 for part in found.parts)
    others = mean + variance + covariance + correlation
    return {
        OUR_PIL: (others + quantile) / 5,
        "normal density": (others + _normal_quantile_loss(base.original, masked)) / 5,
        "without quantiles": others / 4,
        "every statistic counts alike": _pooled(found),
    }


def _normal_quantile_loss(original: Points, masked: Points) -> float:
    """Return the loss of quantiles whose density is that of a normal variable of the same mean and deviation."""
    before, after = (np.quantile(file, QUANTILES, axis=0) for file in (original, masked))
    centre, spread = original.mean(axis=0), original.std(axis=0, ddof=1)
    density = np.exp(-0.5 * ((before - centre) / spread) ** 2) / math.sqrt(2.0 * math.pi)  # times the spread
    deviation = np.sqrt(QUANTILES * (1.0 - QUANTILES) / len(original))[:, None] / density
    away = np.abs(after - before) / spread / deviation
    return 100.0 * float(np.mean([math.erf(z / math.sqrt(2.0)) for z in away.ravel().tolist()]))


def _pooled(found: Pil) -> float:
    quantiles = np.repeat(np.array(found.quantile, np.float64), len(QUANTILES))
    parts = (found.mean, found.variance, found.covariance, found.correlation)
    return float(np.mean(np.concatenate([*(np.array(part, np.float64) for part in parts), quantiles])))


def id_readings(base: RankBase, masked: Points) -> dict[str, float]:
    """Return ID with intervals in the order of the masked file, p percent wide for p = 1..10, and in other ways."""
    found = base.disclosure(masked)
    rank, deviation = found.rank or 0.0, found.deviation or 0.0
    original = base.original
    columns = list(zip(original.T, masked.T, strict=True))
    in_masked = np.column_stack([rank_distance(before, after) for before, after in columns])
    in_original = np.column_stack([_distance_in_original(before, after) for before, after in columns])
    return {
        OUR_ID: rank,
        "masked order, at most p percent of the records": _within(in_masked, _narrow_reach(len(masked))),
        "masked order, twice as wide": _within(in_masked, _reach(len(masked), 2)),
        "original order": _within(in_original, _reach(len(masked), 1)),
        "original order, twice as wide": _within(in_original, _reach(len(masked), 2)),
        "standard deviations": deviation,
        "mean of ranks and deviations": (rank + deviation) / 2.0,
        WHOLE_RECORDS: _within(in_masked.max(axis=1), _reach(len(masked), 1)),
    }


def _distance_in_original(original: Floats, masked: Floats) -> Floats:
    """Return how many places of the original order lie between a masked value's place and its original."""
    ordered = np.sort(original)
    place = np.searchsorted(ordered, masked, "left")
    above = np.searchsorted(ordered, original, "left")
    below = np.searchsorted(ordered, original, "right") - 1
    needed: Floats = np.maximum(np.maximum(above - place, place - below), 0).astype(np.float64)
    return needed


def _reach(records: int, times: int) -> list[int]:
    """Return for each width p how many places are p / 2 percent of the file, or `times` as many."""
    return [times * width * records // 200 for width in WIDTHS]


def _narrow_reach(records: int) -> list[int]:
    """Return how many places to both sides make, with the one in the middle, at most p percent of the records."""
    return [max(width * records // 100 - 1, 0) // 2 for width in WIDTHS]


def _within(needed: Points | Floats, reach: list[int]) -> float:
    """Return the mean share, over the widths, of what needs no more places than there are."""
    return 100.0 * float(np.mean([np.mean(needed <= each) for each in reach]))
