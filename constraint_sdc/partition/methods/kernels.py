"""The tree for large files: the arithmetic of `tree.py` in the same order, one record at a time.

The kernels work on parts (start, stop, patience) that share no rows of `table`: a row is a point and, last, the number
of the record. Rows move with every cut, so that a part is contiguous in memory. Explicit loops replace NumPy functions,
and the kernels do not call one another, because both shorten compilation.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import AnyIntegers, Floats, Labels, Parts, Points, Rows
from constraint_sdc.partition.compiled import compiled


@compiled
def place(table: Points, keys: Floats, parts: Parts, sample: int, steps: int) -> None:
    """Set the keys of all records: their projections on the direction in which a sample of their part spreads most."""
    columns = table.shape[1] - 1
    centre, direction, pull = np.empty(columns), np.empty(columns), np.empty(columns)
    for part in range(len(parts)):
        start, stop = parts[part, 0], parts[part, 1]
        stride = (stop - start - 1) // sample + 1
        size = (stop - start - 1) // stride + 1
        for j in range(columns):
            centre[j] = direction[j] = pull[j] = 0.0
        for i in range(size):
            for j in range(columns):
                centre[j] += table[start + i * stride, j]
        for j in range(columns):
            centre[j] /= size
        for i in range(size):
            for j in range(columns):
                pull[j] += (table[start + i * stride, j] - centre[j]) * (table[start + i * stride, j] - centre[j])
        widest = 0
        for j in range(columns):
            if pull[j] > pull[widest]:
                widest = j
        direction[widest] = 1.0
        for _ in range(steps):
            for j in range(columns):
                pull[j] = 0.0
            for i in range(size):
                key = _place_of(table, start + i * stride, centre, direction)
                for j in range(columns):
                    pull[j] += (table[start + i * stride, j] - centre[j]) * key
            longest = 0.0
            for j in range(columns):
                longest = max(longest, abs(pull[j]))
            if longest == 0.0:
                break
            for j in range(columns):
                direction[j] = pull[j] / longest
        for i in range(start, stop):
            keys[i] = _place_of(table, i, centre, direction)


@compiled
def _place_of(table: Points, row: int, centre: Floats, direction: Floats) -> float:
    """Return the projection of a record on a direction from the centre."""
    total = 0.0
    for j in range(len(direction)):
        total += (table[row, j] - centre[j]) * direction[j]
    return total


@compiled
def cut(keys: Floats, room: Floats, parts: Parts, middles: Parts, leaf: int, sample: int) -> None:
    """Set where the second side of each part begins: where the loss of a sample falls most.

    If the upper records are the first side, keys change sign. `room` is overwritten.
    """
    for part in range(len(parts)):
        start, stop = parts[part, 0], parts[part, 1]
        records = stop - start
        leaves = records // leaf
        middles[part] = start + leaves // 2 * leaf
        if parts[part, 2] == 0 or records == 2 * leaf:
            continue
        stride = (records - 1) // sample + 1
        size = (records - 1) // stride + 1
        last = start + size - 1
        for i in range(size):
            room[start + i] = keys[start + i * stride]
        _sort(room, start, last)
        if room[start] == room[last]:
            continue
        for i in range(start, last):
            room[i + 1] += room[i]
        most, upper = 0.0, 0
        for side in range(1 + (records % leaf > 0)):
            for i in range((leaves - 2) // stride + 1):
                first = leaf * (1 + i * stride)
                lower = first if side == 0 else records - first
                here = max(lower * size // records, 1)
                before, after = room[start + here - 1], room[last] - room[start + here - 1]
                gain = before * before / here + after * after / (size - here)
                if gain > most:
                    middles[part], most, upper = start + first, gain, side
        if upper == 1:
            for i in range(start, stop):
                keys[i] = -keys[i]


@compiled
def _sort(values: Floats, first: int, last: int) -> None:
    """Sort the values from first to last in place (D. L. Shell, 1959)."""
    gap = 1
    while gap < (last - first) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(first + gap, last + 1):
            value, j = values[i], i
            while j >= first + gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


@compiled
def divide(table: Points, spare: Points, keys: Floats, room: Floats, parts: Parts, middles: Parts) -> None:
    """Move the rows of the smallest keys to the first side, ties by file order; both sides keep their order.

    `spare` and `room` are overwritten.
    """
    for part in range(len(parts)):
        start, stop, middle = parts[part, 0], parts[part, 1], middles[part]
        for i in range(start, stop):
            room[i] = keys[i]
        limit = _select(room, start, stop - 1, middle - 1)
        equals = middle - start
        for i in range(start, stop):
            equals -= keys[i] < limit
        front, aside = start, middle
        for i in range(start, stop):
            if keys[i] < limit or (keys[i] == limit and equals > 0):
                equals -= keys[i] == limit
                for j in range(table.shape[1]):
                    table[front, j] = table[i, j]
                front += 1
            else:
                for j in range(table.shape[1]):
                    spare[aside, j] = table[i, j]
                aside += 1
        for i in range(middle, stop):
            for j in range(table.shape[1]):
                table[i, j] = spare[i, j]


@compiled
def _select(values: Floats, low: int, high: int, rank: int) -> float:
    """Return the value of this rank among those from low to high (C. A. R. Hoare, 1961); values are reordered."""
    while low < high:
        first, second, third = values[low], values[(low + high) // 2], values[high]
        pivot = max(min(first, second), min(max(first, second), third))
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i, j = i + 1, j - 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            break
    found: float = values[rank]
    return found


# The compiled form of `rim`: one record after the other takes its nearest free neighbours.


@compiled
def take_neighbours(order: Rows, lists: AnyIntegers, k: int, labels: Labels, first: int) -> int:
    """Number the groups from `first`, write them to `labels` (-1: no group) and return the next number."""
    free = np.empty(k, np.int64)
    for x in order:
        if labels[x] >= 0:
            continue
        count = 0
        for y in lists[x]:
            if labels[y] < 0:
                free[count] = y
                count += 1
                if count == k - 1:
                    break
        if count == k - 1:
            labels[x] = first
            for y in free[:count]:
                labels[y] = first
            first += 1
    return first


# The dynamic programme of `optimal_cut` for one variable and many records, compiled.


@compiled
def best_starts(values: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.int64]:
    """Return what `optimal_cut.best_starts` returns for the path `values`, to the last bit: same steps, same order."""
    n = len(values)
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    start_of = np.zeros(n + 1, np.int64)
    for start in range(n - k + 1):
        if best[start] == np.inf:
            continue
        mean = 0.0
        loss = 0.0
        for size in range(1, min(2 * k - 1, n - start) + 1):
            change = values[start + size - 1] - values[start] - mean
            mean += change / size
            loss += (size - 1) / size * (change * change)
            if size >= k and best[start] + loss < best[start + size]:
                best[start + size] = best[start] + loss
                start_of[start + size] = start
    return start_of
