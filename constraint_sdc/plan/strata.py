"""Strata and classes: records that are treated separately."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Classes, Codes, ConditionBits, Points, Rows
from constraint_sdc.data.series import Series
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.plan.plan import Formation
from constraint_sdc.plan.rule_facts import RuleFacts
from constraint_sdc.settings.reason import Reason, because

# Classes of records that must not share a mean: they differ in blanks, pinned values, broken rules or signs.


@dataclass(frozen=True, slots=True)
class RecordClasses:
    """`codes` (n x c): records may share a mean only if their rows are equal. `labels` say what each column is."""

    codes: Codes
    labels: tuple[tuple[str, str], ...]

    def conditions(self, row: int) -> Iterator[Reason]:
        """Yield what distinguishes a record's class, without a value of the record."""
        for (kind, name), code in zip(self.labels, self.codes[row].tolist(), strict=True):
            match kind:
                case "blank" if code:
                    yield because("missing", variable=name)
                case "pinned":
                    yield because("same-value", variable=name)
                case "broken" if code:
                    yield because("broken-already", rule=name)
                case "sign":
                    yield because("sign", variable=name, sign="<=>"[code + 1])
                case _:
                    continue


def record_classes(
    rules: Sequence[RuleFacts],
    series: Mapping[str, Series],
    operators: Mapping[str, str],
    pins: tuple[tuple[str, Codes], ...],
    broken: Mapping[str, Rows],
    records: int,
) -> RecordClasses:
    """Return the classes of a block; columns in which all records agree are left out."""
    columns: list[tuple[tuple[str, str], Codes]] = []
    for name, one in series.items():
        columns.append((("blank", name), one.blank))
        if OPERATORS[operators[name]].traits.averages_logarithms:
            columns.append((("sign", name), np.sign(np.nan_to_num(one.values)).astype(np.int64)))
    columns += [(("pinned", name), codes) for name, codes in pins]
    for rule in rules:
        if rule.id in broken:
            codes = np.zeros(records, np.int64)
            codes[broken[rule.id]] = 1
            columns.append((("broken", rule.id), codes))
    apart = [(label, codes) for label, codes in columns if len(codes) and (codes != codes[0]).any()]
    table = np.array([codes for _, codes in apart], np.int64).T if apart else np.zeros((records, 0), np.int64)
    return RecordClasses(table, tuple(label for label, _ in apart))


# Strata: records treated separately because a rule's condition splits them; few and large, none below k.
#
# Every record satisfies at least one conjunction of each rule. A cell is a choice of one conjunction per rule and the
# records assigned to it: within it the chosen atoms are plain conjunctive constraints. Cells are taken greedily,
# largest first. A cell below k is dissolved into cells that accept its records too, topped up with the nearest records
# that it accepts, or merged with the nearest records of any kind; in that last case a common conjunction is not
# guaranteed.
#
# Bit t of `accepts[i, r]` says that record i satisfies conjunction t of rule r. Records with different rows of
# `classes` (n x c) do not share a mean: patterns of blanks, pinned values, signs.

_FEW = 3  # times k: smaller cells get companions

NONE_KNOWN = -1
"""The choice for a rule if the records satisfy no conjunction that we understand."""


@dataclass(slots=True)
class StratumCell:
    """Records, the conjunction chosen for each rule, and how the cell came to its size."""

    rows: Rows
    choice: tuple[int, ...]
    formation: Formation = Formation.WHOLE
    is_one_class: bool = True


class Company(Enum):
    """Which records of a small cell get their nearest neighbours as companions.

    A few records that have only a condition in common form a wide group without companions.
    """

    NONE = "none"
    OF_ITS_OWN = "of its own records"
    OF_ALL = "of all its records, those it was topped up with included"


def form_strata(
    accepts: ConditionBits, classes: Classes, points: Points, k: int, company: Company = Company.NONE
) -> list[StratumCell]:
    """Return cells of at least k records each that together contain every record once; n must be at least k."""
    cells = [cell for rows in _by_class(classes) for cell in _cover(accepts, rows)]
    return _Forming(accepts, classes, points, k, company, cells).finish()


def _by_class(classes: Classes) -> Iterator[Rows]:
    if not classes.shape[1]:
        yield np.arange(len(classes))
        return
    _, label = np.unique(classes, axis=0, return_inverse=True)
    label = label.ravel()
    order = np.argsort(label, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(label[order])) + 1)


def _cover(accepts: ConditionBits, rows: Rows) -> Iterator[StratumCell]:
    """Yield cells that cover the rows; each choice starts from the conjunctions that most records satisfy."""
    kinds, kind_of, counts = np.unique(accepts[rows], axis=0, return_inverse=True, return_counts=True)
    kind_of = kind_of.ravel()
    bits = _Bits.of(kinds)
    left = np.ones(len(kinds), np.bool_)
    while left.any():
        chosen, taken = bits.largest_choice(counts, left)
        left &= ~taken
        yield StratumCell(rows[taken[kind_of]], chosen)


@dataclass(frozen=True, slots=True)
class _Bits:
    """The conjunctions that occur: column c of `accepted` tells which kinds of record satisfy `term[c]` of a rule."""

    rules: int
    rule: Rows
    term: Rows
    accepted: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, kinds: ConditionBits) -> _Bits:
        columns = [
            (rule, term, mask)
            for rule in range(kinds.shape[1])
            for term in range(64)
            if (mask := _has_bit(kinds[:, rule], term)).any()
        ]
        accepted = np.array([mask for _, _, mask in columns], np.bool_).reshape(len(columns), len(kinds)).T
        places = np.array([(rule, term) for rule, term, _ in columns], np.int64).reshape(-1, 2)
        return cls(kinds.shape[1], places[:, 0], places[:, 1], accepted)

    def largest_choice(
        self, counts: npt.NDArray[np.int64], left: npt.NDArray[np.bool_]
    ) -> tuple[tuple[int, ...], npt.NDArray[np.bool_]]:
        """Return a conjunction for each rule, the most widely satisfied first, and the kinds that satisfy them all."""
        taken = left.copy()
        choice = [NONE_KNOWN] * self.rules
        is_open = np.ones(len(self.rule), np.bool_)
        while is_open.any():
            sizes = np.where(is_open, counts[taken] @ self.accepted[taken], -1)
            best = int(sizes.argmax())
            is_open &= self.rule != self.rule[best]
            if sizes[best] > 0:
                choice[self.rule[best]] = int(self.term[best])
                taken &= self.accepted[:, best]
        return tuple(choice), taken


def _has_bit(masks: ConditionBits, term: int) -> npt.NDArray[np.bool_]:
    return np.asarray((masks >> np.uint64(term)) & np.uint64(1), np.bool_)


@dataclass(slots=True)
class _Forming:
    """Cells while they are brought to k records each."""

    accepts: ConditionBits
    classes: Classes
    points: Points
    k: int
    company: Company
    cells: list[StratumCell]
    _cell_of: Rows = field(init=False)

    def finish(self) -> list[StratumCell]:
        """Enlarge or dissolve the smallest cell until none is below k; every step leaves one small cell fewer."""
        self._cell_of = np.zeros(len(self.accepts), np.int64)
        for number, cell in enumerate(self.cells):
            self._cell_of[cell.rows] = number
        own = [cell.rows for cell in self.cells]
        while (small := self._smallest()) is not None:
            is_helped = (
                self._dissolve(small)
                or self._borrow(small, accepted_only=True)
                or self._borrow(small, accepted_only=False)
            )
            if not is_helped:
                self._join_nearest(small)
        for number, cell in enumerate(self.cells):
            if 0 < len(cell.rows) < _FEW * self.k and cell.formation is not Formation.MERGED:
                if self.company is Company.OF_ITS_OWN:
                    self._accompany(number, own[number])
                elif self.company is Company.OF_ALL:
                    self._accompany(number, cell.rows)
        return [cell for cell in self.cells if len(cell.rows)]

    def _accompany(self, number: int, rows: Rows) -> None:
        """Give each of these records of the cell its nearest neighbours that the cell accepts."""
        cell = self.cells[number]
        everyone = np.flatnonzero(self._same_class(number, np.arange(len(self.accepts))))
        everyone = everyone[self._accepted(cell.choice, everyone)]
        spare = {i: len(c.rows) - self.k for i, c in enumerate(self.cells)}
        companions: dict[int, None] = {}
        for row in rows.tolist():
            gaps = ((self.points[everyone] - self.points[row]) ** 2).sum(axis=1)
            for near in everyone[np.lexsort((everyone, gaps))[: self.k]].tolist():
                home = int(self._cell_of[near])
                if home != number and near not in companions and spare[home] > 0:
                    spare[home] -= 1
                    companions[near] = None
        if companions:
            self._move(np.array(sorted(companions), np.int64), number, Formation.TOPPED_UP)

    def _smallest(self) -> int | None:
        small = [(len(c.rows), i) for i, c in enumerate(self.cells) if 0 < len(c.rows) < self.k]
        return min(small)[1] if small else None

    def _accepted(self, choice: tuple[int, ...], rows: Rows) -> npt.NDArray[np.bool_]:
        fits = np.ones(len(rows), np.bool_)
        for rule, term in enumerate(choice):
            masks = self.accepts[rows, rule]
            fits &= masks == 0 if term == NONE_KNOWN else _has_bit(masks, term)
        return fits

    def _accepted_by(self, choices: list[tuple[int, ...]], rows: Rows) -> npt.NDArray[np.bool_]:
        """Tell which of many choices (first axis) accept which rows."""
        terms = np.array(choices, np.int64).reshape(len(choices), 1, -1)
        masks = self.accepts[rows][None]
        bits = (masks >> np.maximum(terms, 0).astype(np.uint64)) & np.uint64(1)
        fits: npt.NDArray[np.bool_] = np.where(terms == NONE_KNOWN, masks == 0, bits != 0).all(axis=2)
        return fits

    def _same_class(self, number: int, rows: Rows) -> npt.NDArray[np.bool_]:
        mine = self.classes[self.cells[number].rows[0]]
        same: npt.NDArray[np.bool_] = (self.classes[rows] == mine).all(axis=1)
        return same & self.cells[number].is_one_class

    def _centre(self, number: int) -> Points:
        centre: Points = self.points[self.cells[number].rows].mean(axis=0)
        return centre

    def _dissolve(self, number: int) -> bool:
        """Move every record of the cell to the nearest cell that accepts it; do nothing unless each has one."""
        rows = self.cells[number].rows
        others = [
            other
            for other, cell in enumerate(self.cells)
            if other != number
            and len(cell.rows)
            and cell.formation is not Formation.MERGED
            and cell.is_one_class
            and self._same_class(other, rows[:1])[0]
        ]
        if not others:
            return False
        fits = self._accepted_by([self.cells[other].choice for other in others], rows)
        if not fits.any(axis=0).all():
            return False
        centres = np.array([self._centre(other) for other in others])
        gaps = ((self.points[rows][None] - centres[:, None]) ** 2).sum(axis=2)
        goals = np.array(others)[np.where(fits, gaps, np.inf).argmin(axis=0)]
        for goal in np.unique(goals).tolist():
            self._move(rows[goals == goal], goal, Formation.JOINED)
        return True

    def _borrow(self, number: int, *, accepted_only: bool) -> bool:
        """Bring the cell to k with the nearest records that other cells can spare."""
        cell = self.cells[number]
        everyone = np.flatnonzero(self._cell_of != number)
        if accepted_only:
            fits = self._same_class(number, everyone) & self._accepted(cell.choice, everyone)
            everyone = everyone[fits]
        chosen = self._spared(number, everyone, self.k - len(cell.rows))
        if chosen is None:
            return False
        self._move(chosen, number, Formation.TOPPED_UP if accepted_only else Formation.MERGED)
        return True

    def _spared(self, number: int, rows: Rows, wanted: int) -> Rows | None:
        """Return the nearest of the rows whose cells keep k records (or lose all); None if there are too few."""
        spare = {i: len(c.rows) - self.k for i, c in enumerate(self.cells) if len(c.rows) >= self.k}
        chosen: list[int] = []
        for row in rows[self._nearest(number, rows)].tolist():
            home = int(self._cell_of[row])
            if spare.get(home, 0) > 0:
                spare[home] -= 1
                chosen.append(row)
                if len(chosen) == wanted:
                    return np.array(chosen, np.int64)
        return None

    def _nearest(self, number: int, rows: Rows) -> Rows:
        """Order rows by distance from the cell's centre, those of its own class first."""
        mine = self.classes[self.cells[number].rows[0]]
        strangeness = (self.classes[rows] != mine).sum(axis=1)
        gaps = ((self.points[rows] - self._centre(number)) ** 2).sum(axis=1)
        return np.lexsort((rows, gaps, strangeness))

    def _join_nearest(self, number: int) -> None:
        """Move the whole cell to the nearest other one."""
        others = np.flatnonzero(self._cell_of != number)
        nearest = int(self._cell_of[others[self._nearest(number, others)[0]]])
        self._move(self.cells[number].rows, nearest, Formation.MERGED)

    def _move(self, rows: Rows, goal: int, formation: Formation) -> None:
        for home in np.unique(self._cell_of[rows]).tolist():
            cell = self.cells[home]
            cell.rows = cell.rows[~np.isin(cell.rows, rows)]
        cell = self.cells[goal]
        if formation is Formation.MERGED:
            cell.is_one_class = bool(self._same_class(goal, rows).all())
            fits = [self._fits(rule, term, rows) for rule, term in enumerate(cell.choice)]
            cell.choice = tuple(t if fit else NONE_KNOWN for t, fit in zip(cell.choice, fits, strict=True))
        cell.rows = np.sort(np.concatenate((cell.rows, rows)))
        self._cell_of[rows] = goal
        if cell.formation is not Formation.MERGED:
            cell.formation = formation

    def _fits(self, rule: int, term: int, rows: Rows) -> bool:
        return term != NONE_KNOWN and bool(_has_bit(self.accepts[rows, rule], term).all())
