"""Categories of the key: masked with it, left for groups to share, made coarser, or emptied; whatever loses least.

The choice is made by an estimate before the plan: groups by MDAV on the masked variables of the key within the classes
of the others, rules left aside. The loss of a variable is between 0 and 1: 100 % of its sum of squares (numbers), the
share of changed values (categories), the share of the other values that a coarser value stands for, 1 for an emptied
cell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import Series
from constraint_sdc.data.table import Column, State, Table, column_of
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.partition.demands.demand import GroupDemand, Laid, all_held
from constraint_sdc.partition.demands.merging import first_failing, hold_demands
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.tree import Tree
from constraint_sdc.plan.plan import Recoded
from constraint_sdc.plan.read_series import is_measurable, make_series
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Role, Scale, VariableWish

MASKED = -1
"""Not a level: the variable is masked in the block of the key."""

_MOST_TRIED = 48
_EXACT_BELOW = 5_000  # records; larger files are divided faster


@dataclass(frozen=True, slots=True)
class Recoding:
    """New columns of variables of the key, what was done to each, and the variables whose values groups share."""

    columns: Mapping[str, Column] = field(default_factory=dict)
    recoded: tuple[Recoded, ...] = ()
    within: tuple[str, ...] = ()

    def table(self, table: Table) -> Table:
        """Return the table with the new columns."""
        return Table({name: self.columns.get(name, column) for name, column in table.columns.items()}, table.records)

    def reasons(self) -> dict[str, Reason]:
        """Return why these variables are not masked."""
        coarser = {
            one.name: because("made-coarser", level=one.level, levels=one.levels, emptied=one.emptied)
            for one in self.recoded
        }
        return {**dict.fromkeys(self.within, because("groups-share-value")), **coarser}

    def recipe(self, recipe: Recipe) -> Recipe:
        """Return the recipe that leaves these variables as they now are."""
        names = (*self.within, *(one.name for one in self.recoded))
        wishes = dict.fromkeys(names, VariableWish(role=Role.UNTOUCHED))
        return replace(recipe, variables={**recipe.variables, **wishes})


def recode_key(
    table: Table,
    recipe: Recipe,
    key: Sequence[str],
    k: int,
    read: Collection[str],
    demands: Sequence[GroupDemand] = (),
) -> Recoding:
    """Choose what becomes of every category of the key; `read` are variables that rules read.

    Ways in which the records that share the key can hold all demands come first.
    PlanRefusedError if no way lets k records share the key.
    """
    variables = [_KeyVariable.of(table.columns[name], recipe, name in read) for name in key]
    if all(one.options == (MASKED,) for one in variables):
        return Recoding()
    search = _KeySearch(variables, table.records, k, demands)
    best = search.best()
    if best is None:
        raise _refusal(variables, k)
    return best.recoding()


def _refusal(variables: Sequence[_KeyVariable], k: int) -> PlanRefusedError:
    names = [one.name for one in variables if MASKED not in one.options]
    what = f"no {k} records can share the key: values of {', '.join(names)} are too rare"
    hint = f"give {names[-1]} the role quasi-identifier, so that it may be masked, or take it out of the key"
    return PlanRefusedError(what, hint=hint)


@dataclass(frozen=True)
class _KeyVariable:
    """A variable of the key: its values level by level, and which of them (or MASKED) may be published."""

    name: str
    column: Column
    series: Series
    wish: VariableWish
    missing: tuple[str, ...]
    options: tuple[int, ...]
    is_read: bool

    @classmethod
    def of(cls, column: Column, recipe: Recipe, is_read: bool) -> _KeyVariable:
        wish = recipe.variables.get(column.name, VariableWish())
        missing = recipe.missing.get(column.name, ())
        is_number = wish.scale is Scale.NUMERIC or (wish.scale is None and is_measurable(column, wish, missing))
        scale = wish.scale or (Scale.NUMERIC if is_number else Scale.NOMINAL)
        series = make_series(column, scale, wish, missing)
        is_masked = wish.role is not Role.UNTOUCHED
        levels = range(1, wish.hierarchy.levels + 1) if wish.hierarchy is not None and not is_read else ()
        own = () if is_masked and scale is not Scale.NOMINAL else (0,)
        return cls(
            column.name, column, series, wish, missing, (*((MASKED,) if is_masked else own[:0]), *own, *levels), is_read
        )

    @property
    def may_be_emptied(self) -> bool:
        """Tell whether single cells may be emptied: no rule reads them, and the recipe does not keep them."""
        return MASKED in self.options and not self.is_read

    @cached_property
    def texts(self) -> list[str | None]:
        """Return the values; None where there is none."""
        blank = self.series.is_blank.tolist()
        return [None if is_blank else text for text, is_blank in zip(self.column.texts(), blank, strict=True)]

    def coarser(self, level: int) -> list[str | None]:
        """Return the values on a level."""
        hierarchy = self.wish.hierarchy
        if level == 0 or hierarchy is None:
            return self.texts
        names = {text: hierarchy.coarser(text.strip(), level) for text in dict.fromkeys(self.texts) if text is not None}
        if None in names.values():
            many = sum(name is None for name in names.values())
            hint = f"add them, or list them under `missing` for {self.name}"
            raise UsageError(f"the hierarchy of {self.name} lacks {many:,} of its values", hint=hint)
        return [None if text is None else names[text] for text in self.texts]

    def codes(self, level: int) -> Codes:
        """Return a number for each value of a level; blanks have numbers of their own."""
        _, codes = np.unique(np.array([text or "" for text in self.coarser(level)]), return_inverse=True)
        return np.where(self.series.is_blank, -self.series.blank, codes.ravel()).astype(np.int64)

    def lost(self, level: int) -> Floats:
        """Return what each record loses if this level is published: the share of other values that it stands for."""
        if level == 0:
            return np.zeros(len(self.column))
        fine, coarse = self.codes(0), self.codes(level)
        values = len(np.unique(fine))
        pairs = np.unique(np.column_stack((coarse, fine)), axis=0)[:, 0]
        stands_for = dict(zip(*np.unique(pairs, return_counts=True), strict=True))
        count = np.array([stands_for[code] for code in coarse.tolist()], np.float64)
        return np.where(self.series.is_blank, 0.0, (count - 1.0) / max(values - 1, 1))


@dataclass(frozen=True)
class _Way:
    """A level for every variable of the key, and the cells that are emptied.

    `fails` is true if records that share the unmasked variables break a demand even as one group.
    """

    variables: Sequence[_KeyVariable]
    levels: tuple[int, ...]
    emptied: Mapping[str, Flags]
    loss: float
    fails: bool

    @property
    def price(self) -> tuple[bool, float]:
        """Return what decides between ways: the least is best."""
        return self.fails, self.loss

    def recoding(self) -> Recoding:
        """Return the new columns."""
        columns, recoded, within = dict[str, Column](), list[Recoded](), list[str]()
        for one, level in zip(self.variables, self.levels, strict=True):
            if level == MASKED:
                continue
            emptied = self.emptied.get(one.name, np.zeros(len(one.column), np.bool_))
            if level == 0 and not emptied.any():
                within.append(one.name)
                continue
            columns[one.name] = _written(one, level, emptied)
            lost = np.where(emptied, 1.0, one.lost(level))
            levels = 0 if one.wish.hierarchy is None else one.wish.hierarchy.levels
            recoded.append(Recoded(one.name, level, levels, int(emptied.sum()), 100.0 * float(lost.mean())))
        return Recoding(columns, tuple(recoded), tuple(within))


def _written(one: _KeyVariable, level: int, emptied: Flags) -> Column:
    """Return the column as it is written; blanks stay as they are, emptied cells have no text."""
    texts = list(one.column.texts())
    for row, text in enumerate(one.coarser(level)):
        if text is not None:
            texts[row] = text
    for row in np.flatnonzero(emptied).tolist():
        texts[row] = ""
    nil = (one.column.state == State.NIL).tolist()
    return column_of(one.name, texts, nil)


class _KeySearch:
    """Tries levels for the variables of the key: all combinations if they are few, else one variable at a time."""

    def __init__(
        self, variables: Sequence[_KeyVariable], records: int, k: int, demands: Sequence[GroupDemand] = ()
    ) -> None:
        self._demands = demands
        self._variables = variables
        self._records = records
        self._k = k

    def best(self) -> _Way | None:
        """Return the way of least loss; None if none lets k records share the key."""
        options = [one.options for one in self._variables]
        if np.prod([len(one) for one in options], dtype=np.float64) <= _MOST_TRIED:
            return self._least(product(*options))
        levels = tuple(one[0] for one in options)
        best = self._least([levels, tuple(one[-1] for one in options)])
        for _ in range(2):
            for place, own in enumerate(options):
                start = levels if best is None else best.levels
                others = [(*start[:place], level, *start[place + 1 :]) for level in own]
                found = self._least(others)
                best = found if best is None or (found is not None and found.price < best.price) else best
        return best

    def _least(self, ways: Iterator[tuple[int, ...]] | Sequence[tuple[int, ...]]) -> _Way | None:
        found = [way for levels in ways if (way := self._try(levels)) is not None]
        return min(found, key=lambda way: way.price, default=None)

    def _try(self, levels: tuple[int, ...]) -> _Way | None:
        kept = [(one, level) for one, level in zip(self._variables, levels, strict=True) if level != MASKED]
        masked = [one for one, level in zip(self._variables, levels, strict=True) if level == MASKED]
        codes = {one.name: one.codes(level) for one, level in kept}
        emptied = self._emptied(codes, frozenset(one.name for one, _ in kept if one.may_be_emptied))
        if emptied is None:
            return None
        classes = _classes([np.where(emptied[name], _EMPTIED, code) for name, code in codes.items()], self._records)
        lost = [float(np.where(emptied[one.name], 1.0, one.lost(level)).mean()) for one, level in kept]
        lost += self._masked_losses(masked, classes)
        groups = Groups(classes)
        fails = not all_held(self._demands, Laid(groups.order, groups.starts)).all()
        return _Way(self._variables, levels, emptied, sum(lost) / len(self._variables), fails)

    def _emptied(self, codes: Mapping[str, Codes], free: frozenset[str]) -> dict[str, Flags] | None:
        """Empty cells until k records share every class: of the rare records, the variable with the rarest values.

        None if cells that rules read would have to be emptied.
        """
        emptied = {name: np.zeros(self._records, np.bool_) for name in codes}
        while True:
            seen = [np.where(emptied[name], _EMPTIED, code) for name, code in codes.items()]
            classes = _classes(seen, self._records)
            sizes = np.bincount(classes)
            rare = sizes[classes] < self._k
            if not rare.any():
                return emptied
            open_cells = {name: rare & ~emptied[name] for name in codes if name in free}
            if any(cells.any() for cells in open_cells.values()):
                name = max(open_cells, key=lambda one: (len(np.unique(codes[one][open_cells[one]])), one))
                emptied[name] |= open_cells[name]
                continue
            company = self._company(classes, sizes, codes, free)
            if company is None:
                return None
            for name in free:
                emptied[name][company] = True

    def _company(self, classes: Codes, sizes: Codes, codes: Mapping[str, Codes], free: frozenset[str]) -> Codes | None:
        """Return records whose cells are emptied too, because all free cells of a rare class are empty already.

        They come from the largest class that differs in free variables only, and leave k records there, or all of
        the smallest such class. None if there is no such class.
        """
        rare = int(np.flatnonzero(sizes < self._k)[0])
        bound = _classes([code for name, code in codes.items() if name not in free], self._records)
        alike = bound == bound[classes == rare][0]
        others = [code for code in np.unique(classes[alike]).tolist() if code != rare]
        if not free or not others:
            return None
        missing, largest = self._k - int(sizes[rare]), max(others, key=lambda code: int(sizes[code]))
        if sizes[largest] - missing >= self._k:
            return np.flatnonzero(classes == largest)[:missing]
        return np.flatnonzero(classes == min(others, key=lambda code: int(sizes[code])))

    def _masked_losses(self, masked: Sequence[_KeyVariable], classes: Codes) -> list[float]:
        if not masked:
            return []
        points = np.column_stack([np.nan_to_num(one.series.standardised()) for one in masked])
        labels = self._groups(points, classes)
        return [_lost_by(one.series, labels) for one in masked]

    def _groups(self, points: Floats, classes: Codes) -> Labels:
        labels, count = np.zeros(self._records, np.int64), 0
        method = Mdav() if self._records <= _EXACT_BELOW else Tree()
        for code in np.unique(classes).tolist():
            rows = np.flatnonzero(classes == code)
            own = method.partition(Cloud(points[rows]), self._k, 0)
            if self._demands and first_failing(self._demands, rows) is None:
                own = hold_demands(points[rows], rows, own, self._k, self._demands)
            labels[rows] = own + count
            count += int(own.max()) + 1
        return labels


_EMPTIED = np.iinfo(np.int64).min


def _classes(codes: Sequence[Codes], records: int) -> Codes:
    rows = np.array(codes, np.int64).reshape(len(codes), records).T
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def _lost_by(series: Series, labels: Labels) -> float:
    """Return the share of a variable's squares that groups lose, or of the categories that change."""
    present = ~series.is_blank
    values, groups = series.values[present], np.unique(labels[present], return_inverse=True)[1]
    if not len(values):
        return 0.0
    if series.scale is Scale.NOMINAL:
        cells = np.zeros((int(groups.max()) + 1, int(values.max()) + 1), np.int64)
        np.add.at(cells, (groups, values.astype(np.int64)), 1)
        return 1.0 - float(cells.max(axis=1).sum()) / len(values)
    centred = (values - values.mean()) / (np.abs(values - values.mean()).max() or 1.0)
    sums, sizes = np.bincount(groups, centred), np.bincount(groups)
    total = float((centred**2).sum())
    return 0.0 if total == 0.0 else max(0.0, 1.0 - float((sums**2 / sizes).sum()) / total)
