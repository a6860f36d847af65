"""Link masked records to the originals that agree with them on most variables; of equal ones the intruder draws one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraint_sdc.measure.attack.single_ranking_metrics import Metric, agreeing_range
from constraint_sdc.model.groups import Points, Rows
from constraint_sdc.model.pair import Codes, Mask
from constraint_sdc.partition.machine import COMPILED_ABOVE

_CELLS = 1 << 22
"""Pairs compared at a time in NumPy."""

_CHUNK = 2_048
"""Records that a thread takes at a time."""


@dataclass(frozen=True)
class Links:
    """What an intruder did with each released record: `ties` originals are equally good, and `has_true` is among them.

    No ties: nothing agreed, and the record is not linked.
    """

    ties: Codes
    has_true: Mask

    @property
    def tried(self) -> int:
        """Return the number of released records."""
        return len(self.ties)

    @property
    def re_identified(self) -> float:
        """Return how many records he expects to get right, drawing one of each record's equals."""
        return float((self.has_true / np.maximum(self.ties, 1)).sum())

    @property
    def unique(self) -> int:
        """Return how many records have one best original: links he would believe."""
        return int((self.ties == 1).sum())

    @property
    def correct(self) -> int:
        """Return how many of these links are right."""
        return int(((self.ties == 1) & self.has_true).sum())


@dataclass(frozen=True)
class _Variable:
    """`order` are the originals that have a value, from the lowest up; `start` and `stop` those that agree."""

    order: Rows
    start: Codes
    stop: Codes


def link_by_agreement(
    original: Points, masked: Points, released: Rows, metric: Metric, count: int, *, compiled: bool | None = None
) -> Links:
    """Return the links of the released records (rows of `masked`) to all originals; row i of both is one record.

    Arrays are n x d, NaN for blanks, which neither agree nor disagree. The metric sees released values only: neighbours
    in a sample lie far apart. `compiled` None chooses by the size of the file; the answer is the same.
    """
    variables = _variables(original, masked[released], metric, count)
    if not variables or len(released) == 0:
        return Links(np.zeros(len(released), np.int64), np.zeros(len(released), np.bool_))
    is_large = len(original) > COMPILED_ABOVE if compiled is None else compiled
    return (_by_kernel if is_large else _by_numpy)(len(original), variables, released)


def _variables(original: Points, masked: Points, metric: Metric, count: int) -> list[_Variable]:
    """Return the variables that tell something."""
    found = []
    for before, after in zip(original.T, masked.T, strict=True):
        order = np.argsort(before, kind="stable")[: int((~np.isnan(before)).sum())].astype(np.int64)
        agreeing = agreeing_range(metric, after, before[order], count)
        if agreeing is not None:
            found.append(_Variable(order, *agreeing))
    return found


def _places(records: int, order: Rows) -> npt.NDArray[np.int32]:
    """Return where each record stands in an order, -1 for those that are not in it."""
    place = np.full(records, -1, np.int32)
    place[order] = np.arange(len(order))
    return place


def _by_numpy(records: int, variables: list[_Variable], released: Rows) -> Links:
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
    return Links(ties, has_true)


def _by_kernel(records: int, variables: list[_Variable], released: Rows) -> Links:
    """Count only where something agrees."""
    from constraint_sdc.measure.attack.single_ranking_kernels import most_agreements
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
    return Links(ties, has_true)
