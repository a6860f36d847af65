"""Add up tests about all records, chunk by chunk, with XPath's arithmetic.

Only a test that certainly holds is decided here. One that fails, or on which the evaluator is not certain (a text that
is no number, a value beyond the exact range), is left to Saxon on the whole file, which also says where.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Integers
from constraint_sdc.data.surroundings import DocumentSurroundings, SurroundingKind
from constraint_sdc.data.table import Chunk
from constraint_sdc.data.text import Text
from constraint_sdc.evaluate.conversion import numeric
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import EMPTY, Expression, Literal
from constraint_sdc.evaluate.truth import evaluate_truth, evaluate_value
from constraint_sdc.evaluate.value import DoubleItem, ExactItem, NotMine, Records, TextItem
from constraint_sdc.judge.across.file_test import Aggregate, ComputedTest, FileTest, UniqueTest
from constraint_sdc.judge.finding import Tally
from constraint_sdc.xpath.syntax import NotUnderstood
from constraint_sdc.xpath.translate import translate_tree

_EXACT = 1 << 62


class DoubtError(Exception):
    """The evaluator is not certain: Saxon must judge."""


class FileTests:
    """Tests in progress: feed them every chunk, then ask which of them certainly hold.

    `names` are variables of the file that chunks need not have.
    """

    def __init__(self, tests: Iterable[FileTest], most: int | None, *, xpath1: bool, names: Iterable[str] = ()) -> None:
        self._folds = [_TestFold(test, xpath1) for test in tests]
        self._most = most
        self._names = set(names)

    def take(self, chunk: Chunk) -> None:
        """Add the records of a chunk."""
        self._names.update(chunk.columns)
        records = Records.of(chunk)
        for fold in self._folds:
            fold.take(chunk, records)

    def held(self, outside: Collection[str], surroundings: DocumentSurroundings) -> dict[str, Tally]:
        """Return the totals of the tests that certainly hold, by rule; after the last chunk.

        `outside` are the names of elements outside records, `surroundings` where they stand.
        """
        found = {}
        for fold in self._folds:
            if fold.fits(self._names, outside, surroundings) and fold.holds():
                found[fold.test.rule] = Tally(self._most)
                found[fold.test.rule].count("aggregated", fired=1 if fold.test.at_root else fold.fired, failed=0)
        return found


@dataclass(slots=True)
class _TestFold:
    """One test over the records so far; `is_open` until there is a doubt."""

    test: FileTest
    xpath1: bool
    is_open: bool = True
    fired: int = 0
    unique: _UniqueFold | None = None
    folds: dict[str, _AggregateFold] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.test.test, UniqueTest):
            self.unique = _UniqueFold(self.test.test)
        else:
            self.folds = {name: _AggregateFold(one) for name, one in self.test.test.aggregates}

    def take(self, chunk: Chunk, records: Records) -> None:
        if not self.is_open:
            return
        try:
            self.fired += int(np.count_nonzero(holding(self.test.condition, records, self.xpath1)))
            if self.unique is not None:
                self.unique.take(chunk)
            for fold in self.folds.values():
                fold.take(records)
        except (DoubtError, NotMine):
            self.is_open = False

    def fits(self, names: Collection[str], outside: Collection[str], around: DocumentSurroundings) -> bool:
        """Tell whether the elements that the test names stand where it takes them to be."""
        if any(name in outside for name in self.test.nowhere):
            return False
        return all(name not in names and _is_root_alone(name, around) for name in self.test.alone)

    def holds(self) -> bool:
        """Tell whether the test certainly holds wherever the rule fires."""
        if not self.is_open:
            return False
        if self.unique is not None:
            return self.unique.holds()
        assert isinstance(self.test.test, ComputedTest)
        try:
            return _is_true(self.test.test, {name: fold.value() for name, fold in self.folds.items()})
        except DoubtError:
            return False


def _is_true(compared: ComputedTest, values: dict[str, Expression]) -> bool:
    expression = translate_tree(compared.tree, replace(compared.scope, variables=values))
    if isinstance(expression, NotUnderstood):
        return False
    try:
        verdict = evaluate_truth(expression, Records({}, 1), xpath1=False, domains={})
    except ValueError:
        return False
    return bool(verdict.truth[0]) and not bool(verdict.unsure[0])


def _is_root_alone(name: str, around: DocumentSurroundings) -> bool:
    """Tell whether no other element than the root has this name, by the paths of what stands outside records."""
    if name.startswith("{"):
        return False  # a namespace has slashes of its own
    for one in around.found:
        if one.kind is SurroundingKind.OTHERS or name in one.path.split("/")[2:]:
            return False
    return name not in ("Metadata", "Variable", "Missing")


def holding(condition: Expression | None, records: Records, xpath1: bool) -> Flags:
    """Tell where a condition holds; DoubtError if that is not certain."""
    if condition is None:
        return np.ones(records.count, np.bool_)
    verdict = evaluate_truth(condition, records, xpath1=xpath1, domains={})
    if verdict.unsure.any():
        raise DoubtError
    return verdict.truth


@dataclass(slots=True)
class _UniqueFold:
    """Whether all texts of a variable differ; exact, and memory grows with their number."""

    test: UniqueTest
    known: Domain = field(default_factory=Domain)
    present: int = 0
    records: int = 0

    def take(self, chunk: Chunk) -> None:
        column = chunk.columns.get(self.test.variable)
        self.records += len(chunk)
        if column is not None:
            self.present += int(np.count_nonzero(column.present()))
            self.known.add(column)

    def holds(self) -> bool:
        if self.test.is_required and self.present < self.records:
            return False
        return len(self.known) == self.present


@dataclass(slots=True)
class _AggregateFold:
    """One aggregate over the records so far.

    Doubles are added one after another in the order of the file, as XPath does; a sum is not begun from 0.
    """

    aggregate: Aggregate
    count: int = 0
    double: float | None = None
    mantissa: int = 0
    scale: int = 0
    is_exact: bool = False
    known: Domain = field(default_factory=Domain)

    def take(self, records: Records) -> None:
        """Add the records of a chunk."""
        chosen = holding(self.aggregate.condition, records, False)
        if self.aggregate.item is None:
            self.count += int(np.count_nonzero(chosen))
            return
        value = evaluate_value(self.aggregate.item, records, xpath1=False, domains={})
        if len(value.items) != 1 or (value.doubt is not None and bool((value.doubt & chosen).any())):
            raise DoubtError
        (item,) = value.items
        if item.present is not None:
            chosen = chosen & item.present
        self.count += int(np.count_nonzero(chosen))
        match item:
            case _ if self.aggregate.kind == "count":
                return
            case TextItem(reading, True) if self.aggregate.kind == "distinct":
                self.known.add_text(_spread(reading.text, records.count), np.flatnonzero(chosen))
                return
            case _ if self.aggregate.kind == "distinct":
                raise DoubtError
        number, doubt = numeric(item, f"{self.aggregate.kind}()")
        if doubt is not None and bool((doubt & chosen).any()):
            raise DoubtError
        if isinstance(number, DoubleItem):
            self._add_doubles(np.broadcast_to(number.values, chosen.shape)[chosen])
        else:
            self._add_exact(number, np.broadcast_to(number.mantissa, chosen.shape)[chosen])

    def _add_doubles(self, values: Floats) -> None:
        if not len(values):
            return
        if self.aggregate.kind in ("sum", "avg"):
            begun = values if self.double is None else np.concatenate([[self.double], values])
            with np.errstate(all="ignore"):
                self.double = float(np.add.accumulate(begun)[-1])
            return
        if bool((np.signbit(values) & (values == 0)).any()):
            raise DoubtError  # which of 0 and -0 is taken can be seen by dividing by it
        best = values.min() if self.aggregate.kind == "min" else values.max()
        if self.double is not None:
            best = (np.minimum if self.aggregate.kind == "min" else np.maximum)(self.double, best)
        self.double = float(best)

    def _add_exact(self, number: ExactItem, values: Integers) -> None:
        if self.aggregate.kind == "avg":
            raise DoubtError
        if not len(values):
            return
        scale = max(self.scale, number.scale)
        before, factor = self.mantissa * 10 ** (scale - self.scale), 10 ** (scale - number.scale)
        if self.aggregate.kind == "sum":
            largest = int(np.abs(values).max())
            is_small = largest * len(values) < _EXACT
            added = int(values.sum()) if is_small else sum(values.tolist())
            self.mantissa = before + added * factor
        else:
            best = int(values.min() if self.aggregate.kind == "min" else values.max()) * factor
            choose = min if self.aggregate.kind == "min" else max
            self.mantissa = choose(before, best) if self.is_exact else best
        self.scale, self.is_exact = scale, True

    def value(self) -> Expression:
        """Return the aggregate as a constant, or the empty sequence."""
        kind = self.aggregate.kind
        if kind in ("count", "distinct"):
            return Literal(self.count if kind == "count" else len(self.known))
        if not self.count:
            return Literal(0) if kind == "sum" else EMPTY
        if self.double is not None:
            return Literal(self.double / self.count if kind == "avg" else self.double)
        if abs(self.mantissa) >= _EXACT:
            raise DoubtError
        digits = Decimal(self.mantissa).as_tuple()
        return Literal(Decimal((digits.sign, digits.digits, -self.scale)) if self.scale else self.mantissa)


def _spread(text: Text, count: int) -> Text:
    return text if len(text) == count else text.take(np.zeros(count, np.intp))
