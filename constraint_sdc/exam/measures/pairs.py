"""Drawn pairs of an original and a masked file: numbers, categories, blanks, ties, files of no and of one record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.data.grid import Grid
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.pair import Compared, MaskedTogether, Pair
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean, group_means
from constraint_sdc.settings.words import Role, Scale

KINDS_OF_FILES = ("means of groups", "noise", "as it was", "one value", "ties", "blanks")
SIZES = (0, 1, 2, 7, 24, 60)


def draw_pair(kind: str, records: int, seed: int) -> Pair:
    """Return a pair of three numeric variables and a category; "as it was" is the original twice."""
    random = np.random.default_rng([seed, records, KINDS_OF_FILES.index(kind)])
    original = np.round(random.lognormal(3, 1, (records, 3)), 2)
    if kind == "ties":
        original = random.integers(1, 4, (records, 3)).astype(np.float64)
    if kind == "one value":
        original[:, 0] = 5.0
    if kind == "blanks":
        original[random.random((records, 3)) < 0.3] = np.nan
    masked = _masked(original, kind, random)
    codes = random.integers(0, 4, records).astype(np.float64)
    swapped = codes if kind == "as it was" else random.permutation(codes)
    names = ("V1", "V2", "V3")
    variables = [_compared(name, original[:, j], masked[:, j]) for j, name in enumerate(names)]
    category = replace(_compared("Region", codes, swapped), scale=Scale.NOMINAL, role=Role.QUASI_IDENTIFIER)
    block = MaskedTogether(names, "mdav", dict.fromkeys(names, ArithmeticMean.name))
    return Pair((*variables, category), (*names, "Region"), (block, MaskedTogether(("Region",))), 3)


def _masked(original: Points, kind: str, random: np.random.Generator) -> Points:
    records = len(original)
    if kind == "as it was" or records == 0:
        return original.copy()
    if kind == "noise":
        return np.round(original * random.uniform(0.8, 1.2, original.shape), 2)
    order = np.argsort(np.nan_to_num(original[:, 0]), kind="stable")
    label = np.empty(records, np.int64)
    label[order] = np.minimum(np.arange(records) // 3, max(records // 3 - 1, 0))
    groups = Groups(label)
    means = group_means(np.nan_to_num(original, nan=1.0), groups)[label]
    return np.where(np.isnan(original), np.nan, means)


def _compared(name: str, original: Floats, masked: Floats) -> Compared:
    _, codes = np.unique(np.concatenate((original, masked)), return_inverse=True)
    here = len(original)
    return Compared(
        name, Scale.NUMERIC, Role.CONFIDENTIAL, True, Grid(None), original, masked, codes[:here], codes[here:]
    )
