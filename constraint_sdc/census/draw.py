"""Draw census-like numbers in blocks that hold the five census rules, and break chosen rules in chosen records.

The variables mean what they mean in the census reference file of the disclosure-control literature; the numbers are
drawn from simple skewed distributions and belong to nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

BLOCK = 10_000
"""Records per block; a block depends on its seed and number alone, so a shorter file is a prefix of a longer."""

LOW_EARNINGS = 1115
V1_LIMIT = 1_500_000

Column: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float64]
Numbers: TypeAlias = dict[str, Column]
Rows: TypeAlias = npt.NDArray[np.int64]


def draw_block(seed: int, block: int) -> Numbers:
    """Return V1..V16 for one whole block: V1..V14 int64, V15 and V16 float64.

    Guaranteed in every record, in double arithmetic: V9 + V10 = V14, V5 * V15 = V16, 0 <= V3 <= 7500, V13 <= V12 where
    V8 < 1115; moreover V10 = V8 + V9, V15 = 1 / V11, V5 <= V12 <= V2, V1..V13 positive and V1 below `V1_LIMIT`.
    """
    rng = np.random.default_rng([seed, block, 0])
    n = BLOCK
    ability = rng.standard_normal(n)
    household = 0.6 * ability + 0.8 * rng.standard_normal(n)

    earnings = np.exp(10.45 + 0.6 * ability).clip(LOW_EARNINGS, 400_000)
    earnings = np.where(rng.random(n) < 0.6, np.round(earnings, -2), earnings)
    earnings = np.where(rng.random(n) < 0.004, rng.uniform(80, LOW_EARNINGS, n), earnings)
    v8 = _whole(earnings)
    v7 = _whole(np.exp(5.7 + 1.9 * rng.standard_normal(n)).clip(1, 60_000))
    v9 = np.where(rng.random(n) < 0.28, v7, _whole(np.exp(7.3 + 1.8 * rng.standard_normal(n)).clip(1, 120_000)))
    v10 = v8 + v9

    v2 = _whole(v10 * np.exp(0.15 + 0.35 * household.clip(-2.5, 3)))
    v12 = _whole(v2 * rng.beta(4.8, 2.5, n))
    v5 = _whole(v12 * rng.normal(0.176, 0.03, n).clip(0.04, 0.25))
    v11 = _whole(v12 * np.exp(-2.77 + 0.4 * rng.standard_normal(n)).clip(0, 0.2))

    v13 = np.where(rng.random(n) < 0.94, v8, _whole(v8 * rng.uniform(0.3, 1.0, n)))
    v13 = np.where(v8 < LOW_EARNINGS, np.minimum(v13, v12), v13)
    v4 = np.where(rng.random(n) < 0.85, v13, _whole(v13 * rng.uniform(0.3, 1.0, n)))
    v15 = 1.0 / v11
    return {
        "V1": _whole(np.exp(12.04 + 0.57 * rng.standard_normal(n)).clip(13_000, V1_LIMIT - 1)),
        "V2": v2,
        "V3": _whole((3170 + 500 * ability + 1300 * rng.standard_normal(n)).clip(16, 7500)),
        "V4": v4,
        "V5": v5,
        "V6": _whole(0.0765 * v4),
        "V7": v7,
        "V8": v8,
        "V9": v9,
        "V10": v10,
        "V11": v11,
        "V12": v12,
        "V13": v13,
        "V14": v9 + v10,
        "V15": v15,
        "V16": v5 * v15,
    }


def _whole(values: Column) -> npt.NDArray[np.int64]:
    """Cut to whole numbers of at least 1; cutting keeps a share of a whole number at or below it."""
    return np.maximum(values, 1.0).astype(np.int64)


def break_rules(numbers: Numbers, seed: int, block: int, count: int) -> None:
    """Break each of the five rules in exactly `count` records of the block, in place, chosen apart for each rule.

    No break touches a variable of another of the five rules, so a record breaks a rule only if it was chosen for it.
    """
    records = len(numbers["V1"])
    for number, break_rule in enumerate(_BREAKS, start=1):
        rng = np.random.default_rng([seed, block, number])
        break_rule(numbers, np.sort(rng.choice(records, count, replace=False)), rng)


def _break_sum(numbers: Numbers, rows: Rows, rng: np.random.Generator) -> None:
    """V9 + V10 = V14 fails, by 1 at the least."""
    numbers["V14"][rows] += rng.integers(1, 500, len(rows))


def _break_product(numbers: Numbers, rows: Rows, rng: np.random.Generator) -> None:
    """V5 * V15 = V16 fails, every other time by the last bit of the double only."""
    slightly = np.nextafter(numbers["V16"][rows], np.inf)
    clearly = numbers["V16"][rows] * rng.uniform(1.01, 2.0, len(rows))
    numbers["V16"][rows] = np.where(np.arange(len(rows)) % 2 == 0, slightly, clearly)


def _break_interval(numbers: Numbers, rows: Rows, rng: np.random.Generator) -> None:
    """0 <= V3 <= 7500 fails, above or below."""
    above, below = rng.integers(7501, 20_000, len(rows)), rng.integers(-500, 0, len(rows))
    numbers["V3"][rows] = np.where(rng.random(len(rows)) < 0.5, above, below)


def _break_condition(numbers: Numbers, rows: Rows, rng: np.random.Generator) -> None:
    """V8 < 1115 holds and V13 <= V12 does not."""
    numbers["V8"][rows] = rng.integers(80, LOW_EARNINGS, len(rows))
    numbers["V13"][rows] = numbers["V12"][rows] + rng.integers(1, 5000, len(rows))


def _break_domain(numbers: Numbers, rows: Rows, rng: np.random.Generator) -> None:
    """V1 takes a value that no original record of any seed has."""
    numbers["V1"][rows] = rng.integers(V1_LIMIT, 2 * V1_LIMIT, len(rows))


_BREAKS: tuple[Callable[[Numbers, Rows, np.random.Generator], None], ...] = (
    _break_sum,
    _break_product,
    _break_interval,
    _break_condition,
    _break_domain,
)
