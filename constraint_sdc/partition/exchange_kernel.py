"""The compiled form of weighing one exchange for every record; see `exchange.propose`."""

from __future__ import annotations

from constraint_sdc.model.groups import Points
from constraint_sdc.partition.compiled import compiled
from constraint_sdc.partition.grouping import Floats, Ints


@compiled
def weigh(
    start: int,
    stop: int,
    k: int,
    label: Ints,
    size: Ints,
    members: Ints,
    mass: Floats,
    norm: Floats,
    weight: Floats,
    points: Points,
    sums: Points,
    lists: Ints,
    neighbour: Floats,
    companion: Floats,
    limit: Floats,
    z_out: Ints,
    other_out: Ints,
) -> None:
    """Write the partner z and its group for the records from `start` to `stop`; -1 where that costs too much."""
    count = lists.shape[1]
    for x in range(start, stop):
        z_out[x] = -1
        one = label[x]
        other = label[lists[x, int(neighbour[x] * count)]]
        if one == other:
            continue
        places = size[other]
        if size[one] > k and places < 2 * k - 1:
            places += 1
        z = members[other, int(companion[x] * places)]
        square = with_one = with_other = 0.0
        for j in range(points.shape[1]):
            difference = points[z, j] - points[x, j]
            square += difference * difference
            with_one += sums[one, j] * difference
            with_other += sums[other, j] * difference
        heavier = weight[z] - weight[x]
        change = norm[one] / mass[one] - (norm[one] + 2.0 * with_one + square) / (mass[one] + heavier)
        change += norm[other] / mass[other] - (norm[other] - 2.0 * with_other + square) / (mass[other] - heavier)
        if change < limit[x]:
            z_out[x] = z
            other_out[x] = other
