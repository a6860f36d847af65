"""Links of masked records to original ones: by agreement on most variables, and by the best fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Codes, Flags, Floats, Points, Rows
from constraint_sdc.partition.partitioner import COMPILED_ABOVE

# Links of masked records to the originals that agree with them on most variables; ties are drawn at random.

# Four metrics for one variable: how far an original value may be from a masked value that it agrees with.
#
# W. E. Winkler, Single-ranking micro-aggregation and re-identification, U.S. Bureau of the Census, Statistics
# #2002-08.

Metric: TypeAlias = Literal["half-distance", "neighbours", "nearest", "within"]
METRICS: tuple[Metric, ...] = get_args(Metric)

WITHIN = 0.03
"""The tolerance of `within` as a share of the masked value: the error of the better fields of a corresponding file."""


def agreeing_range(metric: Metric, masked: Floats, values: Floats, count: int) -> tuple[Codes, Codes] | None:
    """Return for every masked value where the original values that agree start and stop in `values` (stop excluded).

    `masked` has the released values of a variable, NaN for blanks, which agree with nothing. `values` are the original
    ones, sorted, without blanks. `count` is for `nearest`. None if the variable cannot be used: it has no values, or
    fewer than two distinct masked values.
    """
    present = ~np.isnan(masked)
    released, place = np.unique(masked[present], return_inverse=True)
    if len(values) == 0 or len(released) == 0 or (metric in ("half-distance", "neighbours") and len(released) < 2):
        return None
    low, high = _ends(metric, released, values, count)
    start, stop = np.zeros(len(masked), np.int64), np.zeros(len(masked), np.int64)
    start[present] = np.searchsorted(values, low, "left")[place]
    stop[present] = np.searchsorted(values, high, "right")[place]
    return start, stop


def _ends(metric: Metric, released: Floats, values: Floats, count: int) -> tuple[Floats, Floats]:
    """Return the lowest and the highest number that agree with each of the sorted, distinct masked values."""
    match metric:
        case "half-distance":
            return _half_distance(released)
        case "neighbours":
            return _neighbours(released)
        case "nearest":
            return _nearest(released, values, count)
        case "within":
            return _around(released, WITHIN * np.abs(released))


def _half_distance(released: Floats) -> tuple[Floats, Floats]:
    """Return half the distance to the nearer of predecessor and successor; the first and the last have one of them."""
    gaps = np.diff(released / 2)  # differences of halves do not overflow
    return _around(released, np.minimum(np.concatenate(([np.inf], gaps)), np.concatenate((gaps, [np.inf]))))


def _neighbours(released: Floats) -> tuple[Floats, Floats]:
    """Return the range from the predecessor to the successor; it is unbounded before the first and after the last.

    If masking kept the order, and every mean lies within the range of its group, the range contains the true value: if
    that were beyond the successor, the successor's group, and with it the successor, would be beyond it too.
    """
    return np.concatenate(([-np.inf], released[:-1])), np.concatenate((released[1:], [np.inf]))


def _nearest(released: Floats, values: Floats, count: int) -> tuple[Floats, Floats]:
    """Return the ends of the `count` values nearest to each masked one; ties are all included."""
    count = max(1, min(count, len(values)))
    first = np.clip(np.searchsorted(values, released) - count, 0, len(values) - count)
    last = np.clip(np.searchsorted(values, released), 0, len(values) - count)
    halves = values / 2
    while (first < last).any():
        middle = (first + last) // 2
        is_late = released / 2 - halves[middle] > halves[np.minimum(middle + count, len(values) - 1)] - released / 2
        is_open = first < last
        first, last = np.where(is_open & is_late, middle + 1, first), np.where(is_open & ~is_late, middle, last)
    halved = np.maximum(np.abs(released / 2 - halves[first]), np.abs(halves[first + count - 1] - released / 2))
    with np.errstate(over="ignore"):
        low, high = _around(released, 2 * halved)
    return np.minimum(low, values[first]), np.maximum(high, values[first + count - 1])


def _around(centre: Floats, radius: Floats) -> tuple[Floats, Floats]:
    with np.errstate(over="ignore"):
        return centre - radius, centre + radius


_CELLS = 1 << 22
"""Pairs compared at a time in NumPy."""

_CHUNK = 2_048
"""Records that a thread takes at a time."""


@dataclass(frozen=True)
class AgreementLinks:
    """The links of released records: the number of equally good originals, and whether the true one is among them.

    With 0 ties, nothing agrees and the record is not linked.
    """

    ties: Codes
    has_true: Flags

    @property
    def tried(self) -> int:
        """Return the number of released records."""
        return len(self.ties)

    @property
    def re_identified(self) -> float:
        """Return the expected number of right links if each link is drawn at random among the ties."""
        return float((self.has_true / np.maximum(self.ties, 1)).sum())

    @property
    def unique(self) -> int:
        """Return how many records have a single best original."""
        return int((self.ties == 1).sum())

    @property
    def correct(self) -> int:
        """Return how many of these links are right."""
        return int(((self.ties == 1) & self.has_true).sum())


@dataclass(frozen=True)
class _SortedVariable:
    """`order` has the originals with a value, in ascending order; those from `start` to `stop` agree."""

    order: Rows
    start: Codes
    stop: Codes


def link_by_agreement(
    original: Points, masked: Points, released: Rows, metric: Metric, count: int, *, compiled: bool | None = None
) -> AgreementLinks:
    """Return the links of the released records (rows of `masked`) to all originals; row i of both is one record.

    Arrays are n x d, NaN for blanks, which neither agree nor disagree. The metric uses released values only: in a
    sample, neighbouring values are far apart. `compiled` None chooses by the size of the file; the result is the same.
    """
    variables = _variables(original, masked[released], metric, count)
    if not variables or len(released) == 0:
        return AgreementLinks(np.zeros(len(released), np.int64), np.zeros(len(released), np.bool_))
    is_large = len(original) > COMPILED_ABOVE if compiled is None else compiled
    return (_by_kernel if is_large else _by_numpy)(len(original), variables, released)


def _variables(original: Points, masked: Points, metric: Metric, count: int) -> list[_SortedVariable]:
    """Return the variables that can be used."""
    found = []
    for before, after in zip(original.T, masked.T, strict=True):
        order = np.argsort(before, kind="stable")[: int((~np.isnan(before)).sum())].astype(np.int64)
        agreeing = agreeing_range(metric, after, before[order], count)
        if agreeing is not None:
            found.append(_SortedVariable(order, *agreeing))
    return found


def _places(records: int, order: Rows) -> npt.NDArray[np.int32]:
    """Return the position of each record in an order, -1 for records that are not in it."""
    place = np.full(records, -1, np.int32)
    place[order] = np.arange(len(order))
    return place


def _by_numpy(records: int, variables: list[_SortedVariable], released: Rows) -> AgreementLinks:
    """Count the agreements of all pairs, some released records at a time."""
    places = [_places(records, variable.order) for variable in variables]
    ties, has_true = np.zeros(len(released), np.int64), np.zeros(len(released), np.bool_)
    step = max(1, _CELLS // records)
    for first in range(0, len(released), step):
        own = slice(first, min(first + step, len(released)))
        agreed = np.zeros((own.stop - first, records), np.int32)
        for variable, place in zip(variables, places, strict=True):
            agreed += (place >= variable.start[own, None]) & (place < variable.stop[own, None])
        best = agreed.max(axis=1, keepdims=True)
        is_best = (agreed == best) & (best > 0)
        ties[own] = is_best.sum(axis=1)
        has_true[own] = is_best[np.arange(own.stop - first), released[own]]
    return AgreementLinks(ties, has_true)


def _by_kernel(records: int, variables: list[_SortedVariable], released: Rows) -> AgreementLinks:
    """Count the agreements of pairs that agree somewhere, compiled."""
    from constraint_sdc.measures.attacks.kernels import most_agreements
    from constraint_sdc.partition.compiled import announce, in_threads

    announce("single-ranking attack", [most_agreements])
    order = np.full((len(variables), records), -1, np.int32)
    for row, variable in zip(order, variables, strict=True):
        row[: len(variable.order)] = variable.order
    place = np.column_stack([_places(records, v.order) for v in variables])
    start, stop = (np.column_stack(each) for each in ([v.start for v in variables], [v.stop for v in variables]))
    ties, has_true = np.zeros(len(released), np.int64), np.zeros(len(released), np.bool_)
    in_threads(
        lambda a, b: most_agreements(order, place, start, stop, released, ties, has_true, a, b), len(released), _CHUNK
    )
    return AgreementLinks(ties, has_true)


# Links of masked records to a file with errors, by the fields in which records match most closely.
#
# W. E. Winkler, Single-ranking micro-aggregation and re-identification, U.S. Bureau of the Census, Statistics #2002-08,
# second extension: redundancy makes up for large errors in some fields.


@dataclass(frozen=True)
class _LinkField:
    """A variable of both files: `place` is each record's relative rank (0 to 1), NaN for a blank.

    `order` are the records of the intruder's file by value; those at `start` to `stop` are near the released value.
    """

    order: Rows
    place: Floats
    released: Floats
    start: Codes
    stop: Codes


def link_by_best_fields(
    file: Points, masked: Points, released: Rows, metric: Metric, near: int, best: int
) -> AgreementLinks:
    """Return the links of the released records (rows of `masked`) to an intruder's file, n x d, NaN for blanks.

    Row i of both arrays is one record, which the intruder does not know. In each field the records that agree by the
    metric (with `nearest`, the `near` ones) are candidates. The link is the candidate with the least sum of distances
    in its `best` closest fields (at least one). A distance is the share of the file's values that lie between the two.
    It needs no unit, and it suits skewed variables; a blank has the largest distance.
    """
    fields = _fields(file, masked[released], metric, near)
    ties, has_true = np.zeros(len(released), np.int64), np.zeros(len(released), np.bool_)
    for r, true in enumerate(released if fields else ()):
        candidates = _candidates(len(file), fields, r)
        if len(candidates) == 0:
            continue
        apart = _best_fields(fields, r, candidates, max(1, min(best, len(fields))))
        is_best = apart <= apart.min() + 1e-12  # sums of equal distances may differ in their last digits
        ties[r], has_true[r] = is_best.sum(), bool((candidates[is_best] == true).any())
    return AgreementLinks(ties, has_true)


def _candidates(records: int, fields: list[_LinkField], r: int) -> Rows:
    """Return the records that are near a released record in some field, in file order."""
    is_near = np.zeros(records, np.bool_)
    for one in fields:
        is_near[one.order[one.start[r] : one.stop[r]]] = True
    return np.flatnonzero(is_near)


def _best_fields(fields: list[_LinkField], r: int, candidates: Rows, best: int) -> Floats:
    """Return each candidate's distance from a released record in its closest fields."""
    apart = np.column_stack([np.abs(f.place[candidates] - f.released[r]) for f in fields])
    apart[np.isnan(apart)] = 1.0
    sums: Floats = np.partition(apart, best - 1, axis=1)[:, :best].sum(axis=1)
    return sums


def _fields(file: Points, masked: Points, metric: Metric, near: int) -> list[_LinkField]:
    """Return the fields in which both files have values."""
    found = []
    for column, after in zip(file.T, masked.T, strict=True):
        order = np.argsort(column, kind="stable")[: int((~np.isnan(column)).sum())].astype(np.int64)
        around = agreeing_range(metric, after, column[order], near)
        if around is not None:
            found.append(
                _LinkField(order, _places_among(column[order], column), _places_among(column[order], after), *around)
            )
    return found


def _places_among(values: Floats, sought: Floats) -> Floats:
    """Return the relative ranks of numbers among sorted values, from 0 to 1; ties have the middle rank."""
    middle = (np.searchsorted(values, sought, "left") + np.searchsorted(values, sought, "right")) / 2
    return np.where(np.isnan(sought), np.nan, middle / len(values))


# A corresponding file: an intruder's file about the same persons, with errors.
#
# W. E. Winkler, Single-ranking micro-aggregation and re-identification, U.S. Bureau of the Census, Statistics
# #2002-08: in each record a few variables are far off, and the others nearly right.

_NEARLY = (0.01, 0.03)
"""The least and the largest relative error of the other variables."""


def corresponding_file(original: Points, off: int = 3, deviation: float = 0.3, seed: int = 0) -> Points:
    """Return the original (n x d) with errors relative to each value, of random sign.

    In every record `off` variables drawn at random (all, if there are fewer) deviate by `deviation`: the largest number
    and size in the report, so that the attack does not look better than it is. The others deviate by 1 to 3%. Blanks
    and zeros do not change.

    >>> corresponding_file(np.array([[100.0, 200.0]]), off=1, seed=1).round(1).tolist()
    [[70.0, 194.2]]
    """
    draw = np.random.default_rng(seed)
    size = draw.uniform(*_NEARLY, original.shape)
    chosen = np.argsort(draw.random(original.shape), axis=1)[:, : max(0, off)]
    np.put_along_axis(size, chosen, deviation, axis=1)
    sign = np.where(draw.random(original.shape) < 0.5, -1.0, 1.0)
    with np.errstate(over="ignore"):
        return np.nan_to_num(original * (1 + sign * size), nan=np.nan)  # infinity becomes the largest number
