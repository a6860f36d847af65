"""Strata: records treated separately because a rule's condition splits them; few and large, none below k."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Classes, ConditionBits, Points, Rows
from constraint_sdc.plan.cells import NONE_KNOWN, StratumCell, by_class, cover, has_bit
from constraint_sdc.plan.classes import PinnedClasses
from constraint_sdc.plan.plan import Formation

# A cell below k is dissolved into cells that accept its records too, or topped up with the nearest records that it
# accepts. Otherwise it is merged, and a common conjunction is no longer guaranteed: first with records that the same
# unmasked values bind, any of which can represent it; then with records whose rules some record of the file satisfies
# together with its own; with any others only if there is no other way.

_FEW = 3  # times k: smaller cells get companions


class Company(Enum):
    """Which records of a small cell get their nearest neighbours as companions.

    A few records that have only a condition in common form a wide group without companions.
    """

    NONE = "none"
    OF_ITS_OWN = "of its own records"
    OF_ALL = "of all its records, those it was topped up with included"


def form_strata(
    accepts: ConditionBits,
    classes: Classes,
    points: Points,
    k: int,
    company: Company = Company.NONE,
    pinned: Callable[[], PinnedClasses] | None = None,
    holds: Callable[[Rows], bool] | None = None,
) -> list[StratumCell]:
    """Return cells of at least k records each that together contain every record once; n must be at least k.

    `pinned` gives the classes of records that the same unmasked values bind; it is asked for if cells are merged.
    `holds` tells whether records can be divided into groups that hold what is demanded of groups; cells that cannot are
    merged with others that the same unmasked values allow.
    """
    cells = [cell for rows in by_class(classes) for cell in cover(accepts, rows)]
    ask = pinned or (lambda: PinnedClasses.one(len(accepts)))
    return _Forming(accepts, classes, points, k, company, cells, ask, holds).finish()


@dataclass(slots=True)
class _Forming:
    """Cells while they are brought to k records each."""

    accepts: ConditionBits
    classes: Classes
    points: Points
    k: int
    company: Company
    cells: list[StratumCell]
    pinned: Callable[[], PinnedClasses]
    holds: Callable[[Rows], bool] | None = None
    _cell_of: Rows = field(init=False)

    def finish(self) -> list[StratumCell]:
        """Enlarge or dissolve the smallest cell until none is below k; every step leaves one small cell fewer."""
        self._cell_of = np.zeros(len(self.accepts), np.int64)
        for number, cell in enumerate(self.cells):
            self._cell_of[cell.rows] = number
        own = [cell.rows for cell in self.cells]
        while (small := self._smallest()) is not None:
            if not (self._dissolve(small) or self._top_up(small)):
                self._merge(small)
        for number, cell in enumerate(self.cells):
            if 0 < len(cell.rows) < _FEW * self.k and cell.formation is not Formation.MERGED:
                if self.company is Company.OF_ITS_OWN:
                    self._accompany(number, own[number])
                elif self.company is Company.OF_ALL:
                    self._accompany(number, cell.rows)
        if self.holds is not None:
            self._merge_failing(self.holds)
        return [cell for cell in self.cells if len(cell.rows)]

    def _accompany(self, number: int, rows: Rows) -> None:
        """Give each of these records of the cell its nearest neighbours that the cell accepts."""
        cell = self.cells[number]
        everyone = np.flatnonzero(self._same_class(number, np.arange(len(self.accepts))))
        everyone = everyone[self._accepted(cell.choice, everyone)]
        spare = {i: len(c.rows) - self.k for i, c in enumerate(self.cells)}
        if not any(left > 0 for home, left in spare.items() if home != number):
            return  # no other cell can give a record away
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
            fits &= masks == 0 if term == NONE_KNOWN else has_bit(masks, term)
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

    def _top_up(self, number: int) -> bool:
        """Bring the cell to k with the nearest records that it accepts and that other cells can spare."""
        cell = self.cells[number]
        everyone = np.flatnonzero(self._cell_of != number)
        fits = self._same_class(number, everyone) & self._accepted(cell.choice, everyone)
        return self._borrow(number, everyone[fits], Formation.TOPPED_UP)

    def _merge(self, number: int) -> None:
        """Bring the cell to k by records that it does not accept, or move it whole where there are too few to spare.

        The first way that is open is taken: inside the classes of its records, across classes whose rules some record
        satisfies together, and anywhere.
        """
        code = self.pinned().code
        everyone = np.flatnonzero(self._cell_of != number)
        mine = self._pins(number)
        alike = everyone[np.isin(code[everyone], list(mine))]
        if self._borrow(number, alike, Formation.MERGED) or self._join(number, self._inside(number, alike)):
            return
        if self._borrow(number, self._compatible(number, everyone), Formation.MERGED):
            return
        sharing = [n for n in self._homes(everyone) if self.pinned().can_share(mine | self._pins(n))]
        if self._join(number, sharing) or self._borrow(number, everyone, Formation.MERGED):
            return
        self._join(number, self._homes(everyone))

    def _merge_failing(self, holds: Callable[[Rows], bool]) -> None:
        """Merge the smallest cell that cannot hold what is demanded, until none is left that can be merged."""
        held: dict[int, int] = {}  # cells that hold, or that nothing can be merged with, and their sizes then
        while True:
            doubtful = [(len(c.rows), i) for i, c in enumerate(self.cells) if len(c.rows) not in (0, held.get(i))]
            if not doubtful:
                return
            size, number = min(doubtful)
            if holds(self.cells[number].rows) or not self._merge_whole(number):
                held[number] = size

    def _merge_whole(self, number: int) -> bool:
        """Move the whole cell to one that the same unmasked values allow; tell whether there is one."""
        if self._dissolve(number):
            return True
        mine = self._pins(number)
        everyone = np.flatnonzero(self._cell_of != number)
        alike = everyone[np.isin(self.pinned().code[everyone], list(mine))]
        if self._join(number, self._inside(number, alike)):
            return True
        return self._join(number, [n for n in self._homes(everyone) if self.pinned().can_share(mine | self._pins(n))])

    def _pins(self, number: int) -> frozenset[int]:
        """Return the classes of a cell's records."""
        return frozenset(self.pinned().code[self.cells[number].rows].tolist())

    def _homes(self, rows: Rows) -> list[int]:
        return [int(home) for home in np.unique(self._cell_of[rows])]

    def _inside(self, number: int, rows: Rows) -> list[int]:
        """Return the cells of the rows whose classes are all among those of the cell, or contain them all."""
        mine = self._pins(number)
        return [home for home in self._homes(rows) if (pins := self._pins(home)) <= mine or mine <= pins]

    def _compatible(self, number: int, rows: Rows) -> Rows:
        """Return the rows, nearest first, that can be added one after the other so that all can share values."""
        code, classes = self.pinned().code, set(self._pins(number))
        can_join = self.pinned().that_can_join(classes)
        spare = self._spare()
        chosen: list[int] = []
        for row in rows[self._nearest(number, rows)].tolist():
            pin, home = int(code[row]), int(self._cell_of[row])
            if not can_join[pin] or spare.get(home, 0) <= 0:
                continue
            spare[home] -= 1
            chosen.append(row)
            if pin not in classes:
                classes.add(pin)
                can_join = self.pinned().that_can_join(classes)
            if len(chosen) + len(self.cells[number].rows) == self.k:
                break
        return np.array(chosen, np.int64)

    def _borrow(self, number: int, rows: Rows, formation: Formation) -> bool:
        """Bring the cell to k with the nearest of the rows that other cells can spare."""
        chosen = self._spared(number, rows, self.k - len(self.cells[number].rows))
        if chosen is None:
            return False
        self._move(chosen, number, formation)
        return True

    def _spare(self) -> dict[int, int]:
        """Return how many records each cell can give away."""
        return {i: len(c.rows) - self.k for i, c in enumerate(self.cells) if len(c.rows) >= self.k}

    def _spared(self, number: int, rows: Rows, wanted: int) -> Rows | None:
        """Return the nearest of the rows whose cells keep k records (or lose all); None if there are too few."""
        spare = self._spare()
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

    def _join(self, number: int, homes: list[int]) -> bool:
        """Move the whole cell to the one of these cells that has the nearest record."""
        others = np.flatnonzero(np.isin(self._cell_of, homes))
        if not len(others):
            return False
        nearest = int(self._cell_of[others[self._nearest(number, others)[0]]])
        self._move(self.cells[number].rows, nearest, Formation.MERGED)
        return True

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
        return term != NONE_KNOWN and bool(has_bit(self.accepts[rows, rule], term).all())
