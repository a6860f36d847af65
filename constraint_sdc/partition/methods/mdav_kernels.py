"""Compiled searches of exact MDAV: single precision and bounds exclude records, doubles decide among the rest.

Records are stored in blocks, column by column, as `float32((point - base) * scale)`, where the scale is a power of two
that brings them below one; a block is measured in few vector instructions. Every record that single precision cannot
exclude (see `_face`) is measured again in doubles, column after column, as in the textbook algorithm. A removed record
has NaN in its first column, so that no comparison finds it.

For speed, arrays are taken out of their tuples before a loop, and inner loops call only functions that call no others
and have one return statement: otherwise numba counts references to arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from constraint_sdc.arrays import Labels, Points, Rows, Singles
from constraint_sdc.partition.compiled import compiled

_GONE = np.float32(np.nan)
_NOWHERE = np.float32(np.inf)


class Blocks(NamedTuple):
    """Records in blocks of equal width.

    `values` (block, column, slot) have an even number of columns; `rows` (block, slot) are the records, `left` (block)
    is the number of remaining records, and `place` (record) is the position of a record: block * width + slot.
    """

    values: Singles
    rows: Rows
    left: Rows
    place: Rows


class Field(NamedTuple):
    """The search structures: `leaves` of neighbours with their `boxes`, and `shells` from the outside inwards.

    `boxes` (2, column, leaf) hold the lowest and the highest values, `radius` (shell) bounds distances from the base.
    """

    points: Points
    base: Points
    scale: float
    leaves: Blocks
    boxes: Singles
    shells: Blocks
    radius: Points


class Desk(NamedTuple):
    """Work arrays: the query point in both precisions, the group found, distances of boxes and records."""

    query: Points
    single: Singles
    near: Points
    near_rows: Rows
    gaps: Singles
    listed: Rows
    in_leaf: Singles
    in_shell: Singles


@compiled
def arrange(points: Points, order: Rows, keys: Points, stack: Rows, width: int) -> None:
    """Reorder records so that every `width` consecutive ones are neighbours: a k-d tree without its nodes.

    `keys` (record) and `stack` (2, 64) are work arrays.
    """
    stack[0, 0], stack[1, 0] = 0, len(order)
    depth = 1
    while depth > 0:
        depth -= 1
        start, stop = stack[0, depth], stack[1, depth]
        if stop - start > width:
            cut = start + (stop - start + width - 1) // width // 2 * width
            column = _widest(points, order, start, stop)
            for i in range(start, stop):
                keys[i] = points[order[i], column]
            _select(keys, order, start, stop, cut)
            stack[0, depth], stack[1, depth] = start, cut
            stack[0, depth + 1], stack[1, depth + 1] = cut, stop
            depth += 2


@compiled
def _widest(points: Points, order: Rows, start: int, stop: int) -> int:
    """Return the column with the largest range in a sample of the records."""
    step = max((stop - start) // 16, 1)
    found, width = 0, -1.0
    for j in range(points.shape[1]):
        low, high = np.inf, -np.inf
        for i in range(start, stop, step):
            low = min(low, points[order[i], j])
            high = max(high, points[order[i], j])
        if high - low > width:
            found, width = j, high - low
    return found


@compiled
def _select(keys: Points, order: Rows, start: int, stop: int, cut: int) -> None:
    """Move the lowest keys before the cut, and their records with them."""
    while stop - start > 1:
        first, middle, last = keys[start], keys[(start + stop) // 2], keys[stop - 1]
        pivot = max(min(first, middle), min(max(first, middle), last))
        below = _bring_forward(keys, order, start, stop, pivot, False)
        if cut < below:
            stop = below
        else:
            start = _bring_forward(keys, order, below, stop, pivot, True)
            if cut < start:
                stop = start  # between keys that equal the pivot


@compiled
def _bring_forward(keys: Points, order: Rows, start: int, stop: int, pivot: float, equal: bool) -> int:
    """Move keys below the pivot, or `equal` to it, to the front; return where they end (without branches)."""
    front = start
    for i in range(start, stop):
        key, row = keys[i], order[i]
        keys[i], order[i] = keys[front], order[front]
        keys[front], order[front] = key, row
        front += (key == pivot) if equal else (key < pivot)
    return front


@compiled
def measure_from(points: Points, order: Rows, base: Points, distances: Points) -> None:
    """Find the distances of records from the base."""
    for i in range(len(order)):
        distances[i] = np.sqrt(_squared_distance(points, order[i], base))


@compiled
def fill(points: Points, base: Points, scale: float, rows: Rows, values: Singles) -> None:
    """Write the values of the records in `rows` (block, slot)."""
    for b in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            for j in range(points.shape[1]):
                values[b, j, i] = np.float32((points[rows[b, i], j] - base[j]) * scale)


@compiled
def enclose(values: Singles, boxes: Singles) -> None:
    """Find the lowest and the highest value in every column of every block."""
    for b in range(values.shape[0]):
        for j in range(values.shape[1]):
            low, high = values[b, j, 0], values[b, j, 0]
            for i in range(1, values.shape[2]):
                low = min(low, values[b, j, i])
                high = max(high, values[b, j, i])
            boxes[0, j, b], boxes[1, j, b] = low, high


@compiled
def form_groups(
    field: Field, desk: Desk, labels: Labels, sums: Points, k: int, left: int, groups: int, until: int, blur: float
) -> tuple[int, int, bool]:
    """Form groups, two per round, while at least `until` records are left; return the numbers of records and groups.

    `sums` are updated as records leave, and the textbook's centroid lies within `blur / left` of `sums / left`. If that
    difference may decide which record is farthest, return True before the round: the caller then puts the textbook's
    centroid into `desk.query` and repeats the call for this round without a blur.
    """
    points, base, scale, leaves, boxes, shells, _ = field
    leaf_values, _, leaf_left, leaf_place = leaves
    shell_values, _, shell_left, shell_place = shells
    query, single, group = desk.query, desk.single, desk.near_rows
    while left >= until:
        margin = blur / left
        if blur > 0.0:
            for j in range(len(sums)):
                query[j] = sums[j] / left
        norm, slack = _face(query, base, scale, single)
        for _ in range(2):
            centre, contested = _farthest(field, desk, norm, slack, margin)
            if contested:
                return left, groups, True
            margin = 0.0
            for j in range(len(sums)):
                query[j] = points[centre, j]
            norm, slack = _face(query, base, scale, single)
            _nearest(field, desk, slack, centre)
            for row in group:
                labels[row] = groups
                leaf = _remove(row, leaf_values, leaf_left, leaf_place)
                if leaf_left[leaf] == 0:
                    boxes[0, 0, leaf] = _NOWHERE
                _remove(row, shell_values, shell_left, shell_place)
                for j in range(len(sums)):
                    sums[j] -= points[row, j]
            groups += 1
            left -= k
    return left, groups, False


@compiled
def _face(query: Points, base: Points, scale: float, single: Singles) -> tuple[float, float]:
    """Prepare a search in single precision; return the query's distance from the base, and the slack of the search.

    Coordinates relative to the base are rounded by 2^-24 of themselves, and so are their differences. A record at the
    distance r is then found at r + e * (norm + r) at most, with e = 2^-23, and the square of that is less than
    4e * r^2 + 2e * norm^2 from r^2. The slack is several times the second term, plus an allowance for numbers too small
    for single precision. The first term is part of `_tolerance`, together with the rounding of squares and sums.
    """
    norm = 0.0
    for j in range(len(base)):
        difference = query[j] - base[j]
        norm += difference * difference
        single[j] = np.float32(difference * scale)
    return np.sqrt(norm), norm * scale * scale * 2.0**-20 + 1e-30


@compiled
def _tolerance(columns: int) -> float:
    """Return a bound, several times too large, on the relative error of a squared distance in single precision."""
    return (columns + 32) * 2.0**-22


@compiled
def _remove(row: int, values: Singles, left: Rows, place: Rows) -> int:
    """Take a record out of its block, and return the block."""
    width = values.shape[2]
    block = place[row] // width
    values[block, 0, place[row] - block * width] = _GONE
    left[block] -= 1
    return int(block)


@compiled
def _farthest(field: Field, desk: Desk, norm: float, slack: float, margin: float) -> tuple[int, bool]:
    """Return the record farthest from the query (ties: the first), and whether another record contests it.

    Another contests it if its coordinates differ and it may be the farthest from a query up to `margin` away. The
    search ends at the shell whose radius plus the query's norm is less than the largest distance so far.
    """
    points, query, single, distances = field.points, desk.query, desk.single, desk.in_shell
    values, rows, left, radius = field.shells.values, field.shells.rows, field.shells.left, field.radius
    shrink = field.scale * field.scale * (1.0 - _tolerance(len(query)))
    found, farthest, floor, limit, contested = -1, -1.0, -1.0, -_NOWHERE, False
    for b in range(len(left)):
        reach = (radius[b] + norm) * (1.0 + 1e-9)
        if reach * reach + 1e-280 < floor:
            break
        if left[b] == 0:
            continue
        _measure(values, b, single, distances)
        if _count_beyond(distances, limit) == 0:
            continue
        for i in range(len(distances)):
            if distances[i] >= limit:
                row = rows[b, i]
                distance = _squared_distance(points, row, query)
                if distance > farthest:
                    floor = _contested_from(distance, margin, len(query))
                    contested = farthest >= floor and (contested or _differ(points, row, found))
                    found, farthest = row, distance
                    limit = np.float32(floor * shrink - slack)
                elif distance >= floor:
                    if margin > 0.0 and _differ(points, row, found):
                        contested = True
                    elif row < found:
                        found = row
    return found, contested


@compiled
def _contested_from(distance: float, margin: float, columns: int) -> float:
    """Return the squared distance from which a record contests one at `distance`: both may be off by the margin."""
    if margin == 0.0:
        return distance
    root = np.sqrt(distance)
    root = max(root - 2.0 * (margin + root * (columns + 8) * 2.0**-50), 0.0)
    return float(root * root)


@compiled
def _nearest(field: Field, desk: Desk, slack: float, centre: int) -> None:
    """Find the group of a record, itself and its k - 1 nearest; ties go to the first record in the file.

    Its own leaf is searched first, then all whose boxes are no farther away than the last of the group so far.
    """
    points, query, single, distances = field.points, desk.query, desk.single, desk.in_leaf
    values, rows = field.leaves.values, field.leaves.rows
    near, near_rows, gaps, listed = desk.near, desk.near_rows, desk.gaps, desk.listed
    grow = field.scale * field.scale * (1.0 + _tolerance(len(query)))
    last, limit = len(near) - 1, _NOWHERE
    for i in range(len(near)):
        near[i] = np.inf
    near[0], near_rows[0] = -1.0, centre
    _measure_gaps(field.boxes, single, gaps)
    listed[0] = field.leaves.place[centre] // rows.shape[1]
    x, count = 0, 1
    while x < count:
        b = listed[x]
        if x == 0 or gaps[b] <= limit:
            _measure(values, b, single, distances)
            if _count_within(distances, limit) > 0:
                for i in range(len(distances)):
                    if distances[i] <= limit and rows[b, i] != centre:
                        distance = _squared_distance(points, rows[b, i], query)
                        if distance <= near[last]:
                            _insert(near, near_rows, distance, rows[b, i])
                            limit = np.float32(near[last] * grow + slack)
        if x == 0:
            count = _list_within(gaps, limit, listed)
        x += 1


@compiled
def _insert(near: Points, near_rows: Rows, distance: float, row: int) -> None:
    """Insert a record among the nearest and drop the last, unless all of them come before it."""
    last = len(near) - 1
    if distance < near[last] or (distance == near[last] and row < near_rows[last]):
        near[last], near_rows[last] = distance, row
        for p in range(last, 0, -1):
            if near[p] < near[p - 1] or (near[p] == near[p - 1] and near_rows[p] < near_rows[p - 1]):
                near[p - 1], near[p] = near[p], near[p - 1]
                near_rows[p - 1], near_rows[p] = near_rows[p], near_rows[p - 1]


@compiled
def _list_within(gaps: Singles, limit: np.float32, listed: Rows) -> int:
    """List the leaves with boxes within the limit after the one already listed; return their number."""
    gaps[listed[0]] = _GONE
    count = 1
    for b in range(len(gaps)):
        listed[count] = b
        count += gaps[b] <= limit
    return count


@compiled
def _measure_gaps(boxes: Singles, single: Singles, gaps: Singles) -> None:
    """Find the squared distances of all boxes, in single precision."""
    for b in range(len(gaps)):
        gaps[b] = 0.0
    for j in range(boxes.shape[1]):
        at = single[j]
        for b in range(len(gaps)):
            gap = max(max(boxes[0, j, b] - at, at - boxes[1, j, b]), np.float32(0.0))
            gaps[b] += gap * gap


@compiled
def _measure(values: Singles, b: int, single: Singles, distances: Singles) -> None:
    """Find the squared distances of a block's records, in single precision, two columns at a time."""
    one, two = single[0], single[1]
    for i in range(len(distances)):
        x, y = values[b, 0, i] - one, values[b, 1, i] - two
        distances[i] = x * x + y * y
    for pair in range(1, len(single) // 2):
        j = 2 * pair
        one, two = single[j], single[j + 1]
        for i in range(len(distances)):
            x, y = values[b, j, i] - one, values[b, j + 1, i] - two
            distances[i] += x * x + y * y


@compiled
def _count_within(distances: Singles, limit: np.float32) -> int:
    """Count distances up to the limit, in whole numbers, which the compiler may add in any order."""
    count = 0
    for i in range(len(distances)):
        count += distances[i] <= limit
    return count


@compiled
def _count_beyond(distances: Singles, limit: np.float32) -> int:
    """Count distances from the limit on."""
    count = 0
    for i in range(len(distances)):
        count += distances[i] >= limit
    return count


@compiled
def _squared_distance(points: Points, row: int, query: Points) -> float:
    """Return the squared distance as in the textbook algorithm: in doubles, column after column."""
    total = 0.0
    for j in range(len(query)):
        difference = points[row, j] - query[j]
        total += difference * difference
    return total


@compiled
def _differ(points: Points, row: int, other: int) -> bool:
    """Tell whether coordinates differ; records with equal coordinates have equal distances from every centroid."""
    j = 0
    while j < points.shape[1] and points[row, j] == points[other, j]:
        j += 1
    return bool(j < points.shape[1])
