"""Add up tests about the records of each parent, with XPath's arithmetic; only a test that certainly holds is decided.

As with tests about all records, one that fails, or on which the evaluator is not certain, is left to Saxon.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Integers, Positions
from constraint_sdc.data.codes import code_texts
from constraint_sdc.data.table import Column, Layout
from constraint_sdc.data.text import Text
from constraint_sdc.evaluate.conversion import numeric
from constraint_sdc.evaluate.truth import evaluate_truth, evaluate_value
from constraint_sdc.evaluate.value import DoubleItem, ExactItem, Item, NotMine, Records, TextItem
from constraint_sdc.files.readings import Readings
from constraint_sdc.judge.across.file_test import Aggregate, ParentTest, UniqueTest
from constraint_sdc.judge.across.folding import DoubtError, holding
from constraint_sdc.judge.across.parents import Families, read_families
from constraint_sdc.judge.across.recognise_parents import sum_of_nothing, values_read
from constraint_sdc.judge.finding import Tally

_EXACT = 1 << 62
_SHORT = 64  # values of a parent that are added up side by side with those of others


def held_by_parents(
    path: Path, layout: Layout, tests: Iterable[ParentTest], readings: Readings, most: int | None
) -> dict[str, Tally]:
    """Read a file and return the totals of the tests that certainly hold, by rule."""
    fired = dict.fromkeys(tests, 0)
    if not fired:
        return {}
    names, values = values_read(fired)
    try:
        for families in read_families(path, layout, names, values, readings):
            for test in list(fired):
                try:
                    fired[test] += _fired(test, families)
                except (DoubtError, NotMine, ValueError):
                    del fired[test]
            if not fired:
                return {}
    except DoubtError:
        return {}
    held = {}
    for test, count in fired.items():
        held[test.rule] = Tally(most)
        held[test.rule].count("aggregated", fired=count, failed=0)
    return held


def _fired(test: ParentTest, families: Families) -> int:
    """Return how often a test fires in these families; DoubtError unless it certainly holds each time."""
    own = Records(families.records, len(families.parent))
    given: dict[str, Item] = {}
    for name, aggregate in test.aggregates:
        given.update(_items(name, aggregate, families, own))
    parents = Records(families.parents, families.count, given)
    records = parents if test.at_parent else _at_records(families, given)
    fires = holding(test.condition, records, False)
    if isinstance(test.test, UniqueTest):
        _require_unique(test.test, families, own, fires)
    else:
        verdict = evaluate_truth(test.test, records, xpath1=False, domains={})
        if bool((fires & (verdict.unsure | ~verdict.truth)).any()):
            raise DoubtError
    return int(np.count_nonzero(fires))


def _at_records(families: Families, given: Mapping[str, Item]) -> Records:
    """Return the records with the values and aggregates of their parents."""
    parent = families.parent
    columns: dict[str, Column] = dict(families.records)
    columns.update((name, column.take(parent)) for name, column in families.parents.items())
    return Records(columns, len(parent), {name: _spread(item, parent) for name, item in given.items()})


def _spread(item: Item, parent: Positions) -> Item:
    present = None if item.present is None else item.present[parent]
    match item:
        case DoubleItem(values):
            return DoubleItem(values[parent], present)
        case ExactItem(mantissa, scale):
            return ExactItem(mantissa[parent], scale, present)
        case _:
            raise DoubtError


def _require_unique(test: UniqueTest, families: Families, own: Records, fires: Flags) -> None:
    item = own.item(test.variable)
    if not isinstance(item, TextItem) or item.present is None:
        raise DoubtError
    if test.is_required and not item.present[fires].all():
        raise DoubtError
    rows = np.flatnonzero(item.present)
    if len(_different(item.reading.text, rows, families.parent)) < len(rows):
        raise DoubtError


def _different(text: Text, rows: Positions, parent: Positions) -> Positions:
    """Return the parents of the different texts of these rows, once for each text of a parent."""
    coded = code_texts(text.take(rows))
    many = max(len(coded), 1)
    found: Positions = np.unique(parent[rows] * many + coded.codes) // many
    return found


def _items(name: str, aggregate: Aggregate, families: Families, own: Records) -> Iterator[tuple[str, Item]]:
    """Yield an aggregate of each parent under its name; of nothing, a sum is an integer and has a name of its own."""
    chosen = holding(aggregate.condition, own, False)
    if aggregate.item is None:
        yield name, _counted(families.parent[chosen], families.count)
        return
    value = evaluate_value(aggregate.item, own, xpath1=False, domains={})
    if len(value.items) != 1 or (value.doubt is not None and bool((value.doubt & chosen).any())):
        raise DoubtError
    (item,) = value.items
    if item.present is not None:
        chosen = chosen & item.present
    if aggregate.kind == "count":
        yield name, _counted(families.parent[chosen], families.count)
        return
    if aggregate.kind == "distinct":
        if not isinstance(item, TextItem) or not item.is_node or len(item.reading.text) != own.count:
            raise DoubtError
        yield name, _counted(_different(item.reading.text, np.flatnonzero(chosen), families.parent), families.count)
        return
    number, doubt = numeric(item, f"{aggregate.kind}()")
    if doubt is not None and bool((doubt & chosen).any()):
        raise DoubtError
    groups = _SiblingRuns.of(families.parent[chosen], families.count)
    yield name, _numbers(aggregate, number, chosen, groups)
    if aggregate.kind == "sum":
        yield sum_of_nothing(name), ExactItem(np.zeros(families.count, np.int64), 0, ~groups.is_filled)


def _counted(parent: Positions, count: int) -> ExactItem:
    return ExactItem(np.bincount(parent, minlength=count).astype(np.int64), 0)


@dataclass(frozen=True, slots=True)
class _SiblingRuns:
    """Where the values of each parent that has some begin, how many it has, and which parents have some."""

    starts: Positions
    sizes: Positions
    is_filled: Flags

    @classmethod
    def of(cls, parent: Positions, count: int) -> _SiblingRuns:
        sizes = np.bincount(parent, minlength=count)
        is_filled = sizes > 0
        sizes = sizes[is_filled]
        return cls(np.cumsum(sizes) - sizes, sizes, is_filled)


def _numbers(aggregate: Aggregate, number: DoubleItem | ExactItem, chosen: Flags, groups: _SiblingRuns) -> Item:
    if isinstance(number, DoubleItem):
        values = np.broadcast_to(number.values, chosen.shape)[chosen]
        doubles = np.zeros(len(groups.is_filled))
        doubles[groups.is_filled] = _doubles(aggregate, values, groups)
        return DoubleItem(doubles, groups.is_filled)
    exact = np.zeros(len(groups.is_filled), np.int64)
    exact[groups.is_filled] = _exact(aggregate, np.broadcast_to(number.mantissa, chosen.shape)[chosen], groups)
    return ExactItem(exact, number.scale, groups.is_filled)


def _doubles(aggregate: Aggregate, values: Floats, groups: _SiblingRuns) -> Floats:
    if not len(values):
        return values
    if aggregate.kind in ("sum", "avg"):
        with np.errstate(all="ignore"):
            sums = _added_in_order(values, groups)
            return sums / groups.sizes if aggregate.kind == "avg" else sums
    if bool((np.signbit(values) & (values == 0)).any()):
        raise DoubtError  # which of 0 and -0 is taken can be seen by dividing by it
    choose = np.minimum if aggregate.kind == "min" else np.maximum
    best: Floats = choose.reduceat(values, groups.starts)
    return best


def _added_in_order(values: Floats, groups: _SiblingRuns) -> Floats:
    """Add the values of each group one after another, as XPath does: `reduceat` would add them in another order."""
    sums = values[groups.starts]
    for place in range(1, min(int(groups.sizes.max()), _SHORT)):
        longer = np.flatnonzero(groups.sizes > place)
        sums[longer] += values[groups.starts[longer] + place]
    for group in np.flatnonzero(groups.sizes > _SHORT).tolist():
        first = int(groups.starts[group])
        sums[group] = np.add.accumulate(values[first : first + int(groups.sizes[group])])[-1]
    return sums


def _exact(aggregate: Aggregate, values: Integers, groups: _SiblingRuns) -> Integers:
    if aggregate.kind == "avg":
        raise DoubtError
    if not len(values):
        return values
    if aggregate.kind == "sum":
        if int(max(-int(values.min()), int(values.max()))) * int(groups.sizes.max()) >= _EXACT:
            raise DoubtError
        sums: Integers = np.add.reduceat(values, groups.starts)
        return sums
    best: Integers = (np.minimum if aggregate.kind == "min" else np.maximum).reduceat(values, groups.starts)
    return best
