"""Random small files with a group, a parameter and influential variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Flags, Floats
from constraint_sdc.maskers.group_anonymity.influence import Influence, Nominal, Ordinal
from constraint_sdc.maskers.group_anonymity.signals import quantity


@dataclass(frozen=True)
class File:
    codes: Codes
    vital: Flags
    base: Flags
    wished: Counts
    influence: Influence


def drawn_file(seed: int, n: int, values: int, *, blanks: bool = False, alike: bool = False) -> File:
    """Draw a file; the wish is a random feasible one. Records `alike` take few different values."""
    random = np.random.default_rng(seed)
    codes = random.integers(-1 if blanks else 0, values, n)
    base = random.random(n) < 0.9
    rates = np.append(random.uniform(0, 0.7, values), 0.3)  # far apart, so that a wish needs many swaps
    vital = base & (random.random(n) < rates[codes])
    room = quantity(codes, base, values)
    places = random.permutation(np.repeat(np.arange(values), room))[: quantity(codes, vital, values).sum()]
    wished = np.bincount(places, minlength=values).astype(np.int64)
    return File(codes, vital, base, wished, drawn_influence(random, n, blanks=blanks, alike=alike))


def drawn_influence(random: np.random.Generator, n: int, *, blanks: bool = False, alike: bool = False) -> Influence:
    income: Floats = np.round(random.lognormal(8, 1, n)) if not alike else random.integers(0, 3, n).astype(np.float64)
    age = random.integers(-2 if blanks else 0, 90, n).astype(np.float64)
    if blanks:
        income[random.random(n) < 0.2] = np.nan
    region = random.integers(-1 if blanks else 0, 4, n)
    return Influence((Ordinal(income), Ordinal(age, 2.0), Nominal(region, 0.5)))
