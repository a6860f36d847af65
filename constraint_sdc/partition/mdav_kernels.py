"""Compiled searches of exact MDAV: single precision and bounds decide where to look, doubles decide what is found.

Records lie in blocks of equal width, a column at a time, as `float32((point - base) * scale)`; scale is a power of two.
Such a block is measured in a few vector instructions. A record that single precision cannot rule out (see `_tolerance`)
is measured anew in doubles, column after column, exactly as the textbook does. A record that has left holds no number
in its first column, and no comparison finds it again.

Functions that loop over records call nothing but functions without calls of their own: others count references.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from constraint_sdc.model.groups import Labels, Points, Rows
from constraint_sdc.partition.compiled import compiled

Singles = npt.NDArray[np.float32]
Counts = npt.NDArray[np.int64]

_GONE = np.float32(np.nan)
_NOWHERE = np.float32(np.inf)
_UNDERFLOW = 1e-280
"""More than squares of differences can lose for being too small for a double."""


class Blocks(NamedTuple):
    """Records by blocks: `values` (block, column, slot), `rows` (block, slot), `left` (block), `place` (record)."""

    values: Singles
    rows: Rows
    left: Counts
    place: Rows


class Field(NamedTuple):
    """Where the searches look: `leaves` of near records with their `boxes`, `shells` from the rim inwards.

    `boxes` (2, column, leaf) are lowest and highest values; `radius` (shell) is the largest distance from the base.
    """

    points: Points
    base: Points
    scale: float
    leaves: Blocks
    boxes: Singles
    shells: Blocks
    radius: Points


class Desk(NamedTuple):
    """Room to work in: the point searched from in doubles and singles, the nearest found, distances of blocks."""

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
    """Reorder records so that every `width` successive ones lie close together: cut at the middle of the widest column.

    `keys` (record) and `stack` (2, 64) are room to work in.
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
    """Return the column with the largest range among some twenty of the records."""
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
    """Move the lowest keys before `cut`, and their records with them."""
    while stop - start > 1:
        first, middle, last = keys[start], keys[(start + stop) // 2], keys[stop - 1]
        pivot = max(min(first, middle), min(max(first, middle), last))
        below = _bring_forward(keys, order, start, stop, pivot, False)
        if cut < below:
            stop = below
        else:
            start = _bring_forward(keys, order, below, stop, pivot, True)
            if cut < start:
                return


@compiled
def _bring_forward(keys: Points, order: Rows, start: int, stop: int, pivot: float, equal: bool) -> int:
    """Move keys below the pivot, or `equal` to it, to the front, and return how far they reach; no branch to guess."""
    front = start
    for i in range(start, stop):
        key, row = keys[i], order[i]
        keys[i], order[i] = keys[front], order[front]
        keys[front], order[front] = key, row
        front += (key == pivot) if equal else (key < pivot)
    return front


@compiled
def fill(points: Points, base: Points, scale: float, order: Rows, blocks: Blocks) -> None:
    """Lay records into blocks in the given order; slots that remain are as if their records had left."""
    values, rows, left, place = blocks
    width = rows.shape[1]
    for b in range(len(left)):
        left[b] = min(len(order) - b * width, width)
        for i in range(left[b]):
            row = order[b * width + i]
            rows[b, i] = row
            place[row] = b * width + i
            for j in range(points.shape[1]):
                values[b, j, i] = np.float32((points[row, j] - base[j]) * scale)
        for i in range(left[b], width):
            values[b, 0, i] = _GONE


@compiled
def enclose(values: Singles, left: Counts, boxes: Singles) -> None:
    """Find the lowest and the highest value of every column of every block just filled."""
    for b in range(len(left)):
        for j in range(boxes.shape[1]):
            low, high = _NOWHERE, -_NOWHERE
            for i in range(left[b]):
                low = min(low, values[b, j, i])
                high = max(high, values[b, j, i])
            boxes[0, j, b], boxes[1, j, b] = low, high


@compiled
def measure_from(points: Points, order: Rows, base: Points, distances: Points) -> None:
    """Find the distances of records from the base."""
    for i in range(len(order)):
        distances[i] = np.sqrt(_squared_distance(points, order[i], base))


@compiled
def form_groups(
    field: Field, desk: Desk, labels: Labels, sums: Points, k: int, left: int, groups: int, until: int, blur: float
) -> tuple[int, int, bool]:
    """Form groups, two in a round, while at least `until` records are left; return the numbers of records and of groups.

    `sums` follow what is left, and the textbook's centroid lies within `blur / left` of `sums / left`. Where that may
    decide which record is farthest, return True before the round. The caller then puts the textbook's own centroid into
    `desk.query` and calls for that round without a blur.
    """
    points, base, scale, leaves, boxes, shells, radius = field
    leaf_values, leaf_rows, leaf_left, leaf_place = leaves
    shell_values, shell_rows, shell_left, shell_place = shells
    query, single, near, near_rows, gaps, listed, in_leaf, in_shell = desk
    while left >= until:
        margin = blur / left
        if blur > 0.0:
            for j in range(len(sums)):
                query[j] = sums[j] / left
        norm = _face(query, base, scale, single)
        for _ in range(2):
            centre, contested = _farthest(field, desk, norm, margin)
            if contested:
                return left, groups, True
            margin = 0.0
            _step_to(points, centre, query)
            norm = _face(query, base, scale, single)
            _nearest(field, desk, norm, centre)
            for row in near_rows:
                leaf = _remove(row, leaf_values, leaf_left, leaf_place)
                if leaf_left[leaf] == 0:
                    boxes[0, 0, leaf] = _NOWHERE
                _remove(row, shell_values, shell_left, shell_place)
                _subtract(points, row, sums)
                labels[row] = groups
            groups += 1
            left -= k
    return left, groups, False


@compiled
def _face(query: Points, base: Points, scale: float, single: Singles) -> float:
    """Prepare the search from a point in single precision, and return its distance from the base."""
    norm = 0.0
    for j in range(len(base)):
        difference = query[j] - base[j]
        norm += difference * difference
        single[j] = np.float32(difference * scale)
    return float(np.sqrt(norm))


@compiled
def _step_to(points: Points, row: int, query: Points) -> None:
    """Search from a record."""
    for j in range(len(query)):
        query[j] = points[row, j]


@compiled
def _remove(row: int, values: Singles, left: Counts, place: Rows) -> int:
    """Take a record out of its block, and return the block."""
    width = values.shape[2]
    block = place[row] // width
    values[block, 0, place[row] - block * width] = _GONE
    left[block] -= 1
    return int(block)


@compiled
def _subtract(points: Points, row: int, sums: Points) -> None:
    """Take a record out of the sums."""
    for j in range(len(sums)):
        sums[j] -= points[row, j]


@compiled
def _farthest(field: Field, desk: Desk, norm: float, margin: float) -> tuple[int, bool]:
    """Return the record farthest from the query, the first of equals; and whether another contests it.

    Another does if its coordinates differ and a query that lies up to `margin` away might prefer it. Shells are left
    aside once their distance from the base and that of the query do not add up to the distance found.
    """
    points, scale, radius = field.points, field.scale, field.radius
    values, rows, left = field.shells.values, field.shells.rows, field.shells.left
    query, single, distances = desk.query, desk.single, desk.in_shell
    found, farthest, floor, contested = -1, -1.0, -1.0, False
    shrink, slack = scale * scale * (1.0 - _tolerance(len(query))), _slack(norm, scale)
    limit = np.float32(-1.0)
    for b in range(len(left)):
        reach = (radius[b] + norm) * (1.0 + 1e-9)
        if reach * reach + _UNDERFLOW < floor:
            break
        if left[b] == 0:
            continue
        _measure(values, b, single, distances)
        hits = _count_beyond(distances, limit)
        if hits == 0:
            continue
        first = _largest(distances) if hits > 4 else 0  # raises the limit for the others
        for step in range(-1, len(distances)):
            i = step if step >= 0 else first
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
    """Return the squared distance from which a record contests another: two margins less, and what doubles round off."""
    if margin == 0.0:
        return distance
    root = np.sqrt(distance)
    root = max(root - 2.0 * (margin + root * (columns + 8) * 2.0**-50), 0.0)
    return float(root * root)


@compiled
def _nearest(field: Field, desk: Desk, norm: float, centre: int) -> None:
    """Find a record's group: itself and the k - 1 nearest, the first of equals first.

    Its own leaf is searched first, then those whose boxes are no farther than the last of the group found so far.
    """
    points, scale = field.points, field.scale
    values, rows, place = field.leaves.values, field.leaves.rows, field.leaves.place
    query, single, near, near_rows = desk.query, desk.single, desk.near, desk.near_rows
    gaps, listed, distances = desk.gaps, desk.listed, desk.in_leaf
    home = place[centre] // rows.shape[1]
    last = len(near) - 1
    near[:] = np.inf
    near[0], near_rows[0] = -1.0, centre
    grow, slack = scale * scale * (1.0 + _tolerance(len(query))), _slack(norm, scale)
    limit = _NOWHERE
    _measure_gaps(field.boxes, single, gaps)
    gaps[home], listed[0] = -1.0, home
    x, count = 0, 1
    while x < count:
        b = listed[x]
        if gaps[b] <= limit:
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
    """Put a record into its place among the nearest, unless it comes after all of them; the last one drops out."""
    last = len(near) - 1
    if distance < near[last] or (distance == near[last] and row < near_rows[last]):
        near[last], near_rows[last] = distance, row
        for p in range(last, 0, -1):
            if near[p] < near[p - 1] or (near[p] == near[p - 1] and near_rows[p] < near_rows[p - 1]):
                near[p - 1], near[p] = near[p], near[p - 1]
                near_rows[p - 1], near_rows[p] = near_rows[p], near_rows[p - 1]


@compiled
def _list_within(gaps: Singles, limit: np.float32, listed: Rows) -> int:
    """List the leaves whose boxes lie within the limit after the first, which has been searched; return their number."""
    gaps[listed[0]] = _GONE
    count = 1
    for b in range(len(gaps)):
        listed[count] = b
        count += gaps[b] <= limit
    return count


@compiled
def _tolerance(columns: int) -> float:
    """Bound what rounding adds to a sum of squares in single precision, as a share of it (several times over)."""
    return (columns + 32) * 2.0**-22


@compiled
def _slack(norm: float, scale: float) -> float:
    """Bound what rounding a query and a record themselves adds to their squared distance, beyond the share above.

    Coordinates relative to the base are off by 2^-24 of themselves, their difference likewise; with r for the distance
    that is 2^-23 * (norm + r) at most, and (r + e * (norm + r))^2 <= (1 + 4e) * r^2 + 2e * norm^2. Here e is 2^-21.
    """
    return scale * scale * (norm * norm * 2.0**-20 + _UNDERFLOW) + 1e-30


@compiled
def _measure_gaps(boxes: Singles, single: Singles, gaps: Singles) -> None:
    """Find the squared distances of all boxes."""
    gaps[:] = 0.0
    for j in range(boxes.shape[1]):
        at = single[j]
        for b in range(len(gaps)):
            gap = max(max(boxes[0, j, b] - at, at - boxes[1, j, b]), np.float32(0.0))
            gaps[b] += gap * gap


@compiled
def _measure(values: Singles, b: int, single: Singles, distances: Singles) -> None:
    """Find the squared distances of a block's records in single precision, two columns at a time."""
    one, other = single[0], single[1]
    for i in range(len(distances)):
        x, y = values[b, 0, i] - one, values[b, 1, i] - other
        distances[i] = x * x + y * y
    for pair in range(1, len(single) // 2):
        j = 2 * pair
        one, other = single[j], single[j + 1]
        for i in range(len(distances)):
            x, y = values[b, j, i] - one, values[b, j + 1, i] - other
            distances[i] += x * x + y * y


@compiled
def _count_within(distances: Singles, limit: np.float32) -> int:
    """Count distances up to the limit; a whole number, so that the additions may be reordered."""
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
def _largest(distances: Singles) -> int:
    """Return where the largest distance is."""
    found, largest = 0, np.float32(-1.0)
    for i in range(len(distances)):
        if distances[i] > largest:
            found, largest = i, distances[i]
    return found


@compiled
def _squared_distance(points: Points, row: int, query: Points) -> float:
    """Return the textbook's squared distance: differences squared and added in doubles, column after column."""
    total = 0.0
    for j in range(len(query)):
        difference = points[row, j] - query[j]
        total += difference * difference
    return total


@compiled
def _differ(points: Points, row: int, other: int) -> bool:
    """Tell whether two records have different coordinates; if not, no centroid can tell them apart either."""
    for j in range(points.shape[1]):
        if points[row, j] != points[other, j]:
            return True
    return False
