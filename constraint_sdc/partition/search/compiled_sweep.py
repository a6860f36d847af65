"""A sweep of a small file by compiled code, where machine code can be kept on disk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats
from constraint_sdc.partition.compiled import announce
from constraint_sdc.partition.search.grouping import Grouping
from constraint_sdc.partition.search.sweep_kernels import carry_out, offer, send


def compiled_sweep(
    grouping: Grouping, lists: AnyIntegers, unit: Floats, random: np.random.Generator
) -> Callable[[float], None]:
    """Return what carries out one sweep at a temperature."""
    announce("search for better groups of small files", [offer, carry_out, send])
    n, k = grouping.n, grouping.k
    neighbour, companion, patience = np.empty(n), np.empty(n), np.empty(n)
    x, z, one, other = (np.empty(n, np.int64) for _ in range(4))
    owner = np.empty(len(grouping.size), np.int64)
    near = np.ascontiguousarray(lists, np.int64)
    points = np.ascontiguousarray(grouping.points.T)
    touched, leaving = np.zeros(len(grouping.size), np.int64), np.zeros(n, np.int64)
    members = (grouping.label, grouping.size, grouping.members)
    sums = (grouping.mass, grouping.norm, grouping.weight, points, grouping.sums)

    def send_records(who: AnyIntegers, into: AnyIntegers) -> None:
        send(who, into, touched, leaving, *members, grouping.place, *sums)

    grouping.send_compiled = send_records

    def sweep(temperature: float) -> None:
        random.random(out=neighbour)
        random.random(out=companion)
        random.standard_exponential(out=patience)
        draws = (neighbour, companion, patience)
        count = offer(k, temperature, unit, *members, *sums, near, *draws, x, z, one, other)
        order = random.permutation(2 * count)
        carry_out(order, x, z, one, other, owner, *members, grouping.place, *sums)

    return sweep
