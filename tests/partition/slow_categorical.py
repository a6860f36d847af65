"""The categorical and mixed methods as their pages word them, one record at a time: slow, obvious, and the examiner.

Variables are plain Python values. The examiner measures them as they are (codes, not standardised points; categories,
not indicator columns), so that it shares no arithmetic with what it examines.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from constraint_sdc.data.cloud import Axis, Cloud
from constraint_sdc.settings.words import Scale

Value = int | float | None
Record = tuple[Value, ...]
Distance = Callable[[Record, Record], float]
Centre = Callable[[Sequence[Record]], Record]


@dataclass(frozen=True)
class Variable:
    """One column of values, None where there is none."""

    scale: Scale
    values: Sequence[Value]
    weight: float = 1.0

    @cached_property
    def mean(self) -> float:
        there = [value for value in self.values if value is not None]
        return math.fsum(there) / len(there) if there else 0.0

    @cached_property
    def deviation(self) -> float:
        there = [value for value in self.values if value is not None]
        return (math.fsum((v - self.mean) ** 2 for v in there) / len(there)) ** 0.5 or 1.0 if there else 1.0

    @cached_property
    def places(self) -> list[Value]:
        """Return the values, a blank number at the mean; a blank category is a category: the last."""
        if self.scale is Scale.NOMINAL:
            return [math.inf if value is None else value for value in self.values]
        return [self.mean if value is None else value for value in self.values]


def cloud_of(variables: Sequence[Variable]) -> Cloud:
    """Return the cloud as masking makes it: standardised, stretched by the weights, one column per category."""
    blocks: list[npt.NDArray[np.float64]] = []
    axes: list[Axis] = []
    start = 0
    for number, variable in enumerate(variables):
        block = _indicators(variable) if variable.scale is Scale.NOMINAL else _standardised(variable)
        blocks.append(block)
        axes.append(Axis(f"V{number + 1}", variable.scale, start, start + block.shape[1]))
        start += block.shape[1]
    return Cloud(np.concatenate(blocks, axis=1), tuple(axes))


def _indicators(variable: Variable) -> npt.NDArray[np.float64]:
    count = max((int(value) for value in variable.values if value is not None), default=0) + 1
    height = math.sqrt(0.5 * variable.weight)
    return np.array([[height if value == code else 0.0 for code in range(count)] for value in variable.values])


def _standardised(variable: Variable) -> npt.NDArray[np.float64]:
    places = np.array(variable.places, float)
    standardised = places / variable.deviation - variable.mean / variable.deviation
    return (standardised * math.sqrt(variable.weight)).reshape(-1, 1)


def records_of(variables: Sequence[Variable]) -> list[Record]:
    return list(zip(*(variable.places for variable in variables), strict=True))


def own_distance(variable: Variable, one: Value, other: Value) -> float:
    """Return how far two values of one variable are apart."""
    assert one is not None
    assert other is not None
    if variable.scale is Scale.NOMINAL:
        return math.sqrt(variable.weight) if one != other else 0.0
    return abs(one - other) * math.sqrt(variable.weight) / variable.deviation


def sum_of_distances(variables: Sequence[Variable], power: int) -> Distance:
    def distance(one: Record, other: Record) -> float:
        parts = zip(variables, one, other, strict=True)
        return nine_digits(math.fsum(own_distance(v, a, b) ** power for v, a, b in parts))

    return distance


def centres(variables: Sequence[Variable], *, has_means: bool) -> Centre:
    """Return the mode of categories, the lower median of codes, and the mean of numbers (or their median too)."""

    def centre(records: Sequence[Record]) -> Record:
        return tuple(
            centre_of([record[j] for record in records], variable.scale, has_means)
            for j, variable in enumerate(variables)
        )

    return centre


def centre_of(values: Sequence[Value], scale: Scale, has_means: bool) -> Value:
    there = [value for value in values if value is not None]
    if scale is Scale.NOMINAL:
        count = Counter(there)
        return min(count, key=lambda category: (-count[category], category))
    if scale is Scale.NUMERIC and has_means:
        return math.fsum(there) / len(there)
    return sorted(there)[(len(there) + 1) // 2 - 1]


def nine_digits(number: float) -> float:
    """Round to 32 binary digits."""
    mantissa, exponent = math.frexp(number)
    return math.ldexp(round(mantissa * 2**32), exponent - 32)


def slow_groups(records: Sequence[Record], k: int, distance: Distance, centre: Centre) -> list[list[int]]:
    """Return the groups of MDAV-generic in the order in which they form."""
    rest = list(range(len(records)))
    groups: list[list[int]] = []

    def farthest(place: Record) -> int:
        return min(rest, key=lambda i: (-distance(records[i], place), i))

    def take_nearest(place: Record) -> None:
        rest.sort(key=lambda i: (records[i] != place, distance(records[i], place), i))
        groups.append(sorted(rest[:k]))
        del rest[:k]

    while len(rest) >= 3 * k:
        r = records[farthest(centre([records[i] for i in rest]))]
        take_nearest(r)
        take_nearest(records[farthest(r)])
    if len(rest) >= 2 * k:
        take_nearest(records[farthest(centre([records[i] for i in rest]))])
    groups.append(sorted(rest))
    return groups


def labels_of(groups: Sequence[Sequence[int]]) -> list[int]:
    of_record = {i: number for number, group in enumerate(groups) for i in group}
    return [of_record[i] for i in range(len(of_record))]


def groups_of(labels: Sequence[int]) -> list[list[int]]:
    return [[i for i, label in enumerate(labels) if label == group] for group in range(max(labels) + 1)]


def total_loss(groups: Sequence[Sequence[int]], records: Sequence[Record], distance: Distance, centre: Centre) -> float:
    """Return the sum of the distances of all records from the centre of their group."""
    lost = 0.0
    for group in groups:
        members = [records[i] for i in group]
        lost += math.fsum(distance(member, centre(members)) for member in members)
    return lost


def all_partitions(n: int, k: int) -> Iterator[list[list[int]]]:
    """Yield every division of 0..n-1 into groups of at least k."""

    def extend(groups: list[list[int]], i: int) -> Iterator[list[list[int]]]:
        if i == n:
            if all(len(group) >= k for group in groups):
                yield [list(group) for group in groups]
            return
        for group in groups:
            group.append(i)
            yield from extend(groups, i + 1)
            group.pop()
        yield from extend([*groups, [i]], i + 1)

    yield from extend([], 0)


def drawn(scale: Scale, n: int, seed: int, *, levels: int = 3, missing: float = 0.0, weight: float = 1.0) -> Variable:
    """Return a variable full of ties."""
    random = np.random.default_rng(seed)
    values = random.integers(0, levels, n).tolist()
    gone = random.random(n) < missing
    return Variable(scale, [None if g else v for v, g in zip(values, gone, strict=True)], weight)
