"""Slow, obvious versions: fuzzy c-means from its formulas, k-means, Dykstra's projections; and drawn points."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.maskers.fuzzy.constrained import LinearRows


def distance(x: list[float], v: list[float]) -> float:
    return sum((a - b) ** 2 for a, b in zip(x, v, strict=True))


def power(base: float, exponent: float) -> float:
    try:
        return float(base**exponent)
    except OverflowError:
        return math.inf


def membership(x: list[float], centres: list[list[float]], m: float) -> list[float]:
    """Return 1 / sum_j (d_i / d_j)^(1/(m-1)); a record at centres is shared among these."""
    d = [distance(x, v) for v in centres]
    if min(d) == 0.0:
        here = [float(one == 0.0) for one in d]
        return [one / sum(here) for one in here]
    return [1.0 / sum(power(one / other, 1.0 / (m - 1.0)) for other in d) for one in d]


def objective(points: Points, centres: Points, m: float) -> float:
    total = 0.0
    for x in points.tolist():
        for u, v in zip(membership(x, centres.tolist(), m), centres.tolist(), strict=True):
            total += u**m * distance(x, v)
    return total


def updated(points: Points, centres: Points, m: float) -> Points:
    """Return the weighted means of one update."""
    records = points.tolist()
    u = [membership(x, centres.tolist(), m) for x in records]
    means = []
    for i in range(len(centres)):
        weights = [row[i] ** m for row in u]
        means.append([math.fsum(w * x[j] for w, x in zip(weights, records, strict=True)) / math.fsum(weights)
                      for j in range(points.shape[1])])  # fmt: skip
    return np.array(means)


def crisp_means(points: Points, centres: Points, updates: int) -> Points:
    """Return the centres of k-means; a centre without records stays."""
    places = centres.tolist()
    for _ in range(updates):
        owner = [min(range(len(places)), key=lambda i: (distance(x, places[i]), i)) for x in points.tolist()]
        for i in range(len(places)):
            own = [x for x, o in zip(points.tolist(), owner, strict=True) if o == i]
            if own:
                places[i] = [sum(column) / len(own) for column in zip(*own, strict=True)]
    return np.array(places)


def crisp_loss(points: Points, centres: Points) -> float:
    return sum(min(distance(x, v) for v in centres.tolist()) for x in points.tolist())


def cyclic_projections(rows: LinearRows, place: Points, cycles: int = 20_000) -> Points:
    """Return the nearest place under the rows by Dykstra's algorithm: project on one after the other, and remember."""
    here = place.copy()
    memory = np.zeros((len(rows.bounds), len(place)))
    for _ in range(cycles):
        before = here.copy()
        for q, (row, bound, is_equality) in enumerate(zip(rows.matrix, rows.bounds, rows.is_equality, strict=True)):
            aim = here + memory[q]
            over = float(row @ aim - bound)
            here = aim - row * (over if is_equality else max(over, 0.0)) / float(row @ row)
            memory[q] = aim - here
        if np.abs(here - before).max() < 1e-14:
            break
    return here


@st.composite
def clouds(draw: st.DrawFn, largest: int = 24) -> Points:
    """Draw points with ties, duplicates, constant columns and tiny differences."""
    n, d = draw(st.integers(1, largest)), draw(st.integers(1, 4))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    kind = draw(st.sampled_from(["scattered", "grid", "alike", "constant column", "tiny", "far away"]))
    points = random.standard_normal((n, d))
    if kind == "grid":
        points = np.round(points)
    if kind == "alike":
        points[:] = points[0]
    if kind == "constant column":
        points[:, 0] = 0.7
    if kind == "tiny":
        points[n // 2 :] = points[: n - n // 2] + 1e-170
    if kind == "far away":
        points[0] += 1e6
    return points


FUZZINESS = [1.0, 1.0 + 1e-12, 1.0001, 1.05, 1.3, 2.0, 3.5, 7.9, 8.1, 60.0, 1e6, 1e15, 1e300, math.inf]
