"""Fuzzy c-means microaggregation under edit rules: V. Torra, A fuzzy microaggregation algorithm, CCIA 2015.

Every stratum has its own centres: weighted means of its records. So a centre satisfies the rules that a mean satisfies,
and is made exact like any representative. The centre of each record is drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from constraint_sdc.arrays import Floats, Labels, Points, Rows
from constraint_sdc.constraints.constraint import LinearAtom
from constraint_sdc.data.groups import Groups
from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.exact.candidates import NOT_COPIED
from constraint_sdc.maskers.fuzzy.c_means import Clustering, fuzzy_c_means
from constraint_sdc.maskers.fuzzy.constrained import LinearRows, constrained_c_means
from constraint_sdc.maskers.fuzzy.masker import FuzzyCMeans
from constraint_sdc.maskers.fuzzy.memberships import Ensured, centre_values, draw, ensure_k
from constraint_sdc.maskers.inputs import MaskInputs, group_targets
from constraint_sdc.maskers.masked import MaskedBlock
from constraint_sdc.maskers.microaggregation.mask_block import share_representatives
from constraint_sdc.plan.design import BlockDesign, Stratum
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

# The linear rules of a stratum as rows for centres, in the coordinates of the points.


@dataclass(frozen=True, slots=True)
class Placement:
    """How values relate to the points of a stratum: value = shift + scale * point, for numeric variables.

    `column[j]` is the point's column of variable j, -1 for a variable without one (categories, blanks).
    """

    column: tuple[int, ...]
    scale: Floats
    shift: Floats

    def values(self, centres: Points) -> Points:
        """Return the values of centres (c x d), NaN for variables without a column."""
        found = np.full((len(centres), len(self.column)), np.nan)
        for j, column in enumerate(self.column):
            if column >= 0:
                found[:, j] = self.shift[column] + self.scale[column] * centres[:, column]
        return found


def placement_of(design: BlockDesign, part: Stratum) -> Placement:
    """Return the placement, found from the two records of the stratum that are farthest apart in each variable."""
    points = design.cloud.points[part.rows]
    scale, shift = np.ones(points.shape[1]), np.zeros(points.shape[1])
    columns: list[int] = []
    for series, axis in zip(design.series, design.cloud.axes, strict=False):
        values = series.values[part.rows]
        if series.scale is not Scale.NUMERIC or not np.isfinite(values).all():
            columns.append(-1)
            continue
        place = points[:, axis.start]
        low, high = int(place.argmin()), int(place.argmax())
        with np.errstate(over="ignore"):  # a range too large for a double has no column
            if place[low] < place[high]:
                scale[axis.start] = (values[high] - values[low]) / (place[high] - place[low])
            shift[axis.start] = values[low] - scale[axis.start] * place[low]
        has_place = bool(np.isfinite(scale[axis.start]) and np.isfinite(shift[axis.start]))
        columns.append(axis.start if has_place else -1)
    return Placement(tuple(columns), scale, shift)


def rule_rows(design: BlockDesign, part: Stratum, placement: Placement) -> LinearRows | None:
    """Return the stratum's linear atoms over averaged variables as rows for points; None if there are none.

    A strict inequality becomes one that allows equality; the exact step decides whether a centre satisfies it.
    """
    place = {
        variable.name: column
        for variable, column in zip(design.plan.variables, placement.column, strict=True)
        if column >= 0 and variable.traits.is_average
    }
    matrix: list[Floats] = []
    bounds: list[float] = []
    kinds: list[bool] = []
    for _, atom in part.conjunction:
        if not isinstance(atom, LinearAtom) or atom.op == "!=" or any(name not in place for name, _ in atom.terms):
            continue
        sign = -1.0 if atom.op in (">", ">=") else 1.0
        row = np.zeros(len(placement.scale))
        for name, coefficient in atom.terms:
            row[place[name]] += sign * float(coefficient)
        matrix.append(row)
        bounds.append(sign * float(atom.constant))
        kinds.append(atom.op == "=")
    if not matrix:
        return None
    rows = LinearRows.of(np.array(matrix), np.array(bounds), np.array(kinds, np.bool_))
    return rows.in_points(placement.scale, placement.shift)


_LEAST_COMPANY = 10  # records near a centre that may replace it


def mask_fuzzy(design: BlockDesign, inputs: MaskInputs, masker: FuzzyCMeans) -> MaskedBlock:
    """Return the block with a centre for every record, drawn by its memberships, and the k that is reached."""
    inputs = inputs.requiring(design.repaired)
    drawn = _Drawn(design, inputs, masker)
    targets, copied, mixed = group_targets(design, drawn.groups)
    near, owner = drawn.nearest_records()
    stand_ins = group_targets(design.of(near), Groups(owner))[1]
    for j, variable in enumerate(design.plan.variables):
        if variable.traits.is_average:
            has_number = np.isfinite(targets[:, j]) & np.isfinite(drawn.values[:, j])
            targets[has_number, j] = drawn.values[has_number, j]
            copied[has_number, j] = NOT_COPIED
        else:
            copied[:, j] = near[stand_ins[:, j]]
    aims = targets, copied, mixed
    found = share_representatives(
        design, inputs, drawn.groups, drawn.stratum, aims, company=drawn.company(), notes=tuple(drawn.notes())
    )
    return _with_unchanged(found, inputs)


def _with_unchanged(found: MaskedBlock, inputs: MaskInputs) -> MaskedBlock:
    """Note how many records are unchanged because they are alone at a centre that has their values."""
    alone = np.flatnonzero(found.groups.sizes[found.groups.label] == 1)
    rows = found.row[alone]
    same = np.ones(len(alone), np.bool_)
    for name, column in found.columns.items():
        before = inputs.table.columns[name].take(alone).texts()
        same &= np.array([a == b for a, b in zip(column.take(rows).texts(), before, strict=True)], np.bool_)
    if not same.any():
        return found
    note = because("alone-at-centre", records=int(same.sum()))
    return replace(found, price=replace(found.price, notes=(*found.price.notes, note)))


@dataclass(frozen=True, slots=True)
class _Part:
    """A stratum's centres that records drew (renumbered), their values, and how they were found."""

    labels: Labels
    centres: Points
    values: Points
    clustering: Clustering
    ensured: Ensured | None


class _Drawn:
    """All strata of a block: groups of records with the same centre, and the values of the centres."""

    def __init__(self, design: BlockDesign, inputs: MaskInputs, masker: FuzzyCMeans) -> None:
        self._design, self._k = design, inputs.k
        self._parts = [_draw_centres(design, part, inputs, masker) for part in design.strata]
        label = np.zeros(len(design.cloud), np.int64)
        stratum: list[int] = []
        for number, (part, found) in enumerate(zip(design.strata, self._parts, strict=True)):
            label[part.rows] = found.labels + len(stratum)
            stratum += [number] * len(found.centres)
        self.groups = Groups(label)
        self.stratum = tuple(stratum)
        self.values = np.concatenate([found.values for found in self._parts])

    def company(self) -> Callable[[int], Rows]:
        """Return the records that may replace a centre, nearest first, without a record that alone drew it."""

        def nearest(group: int) -> Rows:
            rows = self._nearest(group, max(_LEAST_COMPANY, self._k) + 1)
            own = self.groups.rows(group)
            return rows[rows != own[0]] if len(own) == 1 else rows

        return nearest

    def nearest_records(self) -> tuple[Rows, Labels]:
        """Return the k records nearest to every centre, one centre after the other, and the centre of each.

        Medians, modes and medoids are those of these records, whether or not they drew the centre; a record that alone
        drew it is not among them.
        """
        company = self.company()
        each = [company(group)[: self._k] for group in range(len(self.groups))]
        return np.concatenate(each), np.repeat(np.arange(len(each)), [len(rows) for rows in each])

    def _nearest(self, group: int, count: int) -> Rows:
        number = self.stratum[group]
        tree, rows = self._trees[number], self._design.strata[number].rows
        _, places = tree.query(self._centres[group], min(count, len(rows)))
        near: Rows = rows[np.atleast_1d(places)]
        return near

    @cached_property
    def _centres(self) -> Points:
        return np.concatenate([found.centres for found in self._parts])

    @cached_property
    def _trees(self) -> list[Any]:
        from scipy.spatial import cKDTree  # imported where it is used, because it loads slowly

        return [cKDTree(self._design.cloud.points[part.rows]) for part in self._design.strata]

    def notes(self) -> list[Reason]:
        """Return how many centres there are, how many were drawn, and which k is reached."""
        centres = sum(len(found.clustering.centres) for found in self._parts)
        sizes = self.groups.sizes
        said = [because("centres-drawn", centres=centres, used=len(sizes), smallest=int(sizes.min()))]
        below = int(sizes[sizes < self._k].sum())
        if below:
            said.append(because("groups-below-k", below=below, records=len(self.groups.label), k=self._k))
        ensured = [found.ensured for found in self._parts if found.ensured is not None]
        if ensured:
            moved, gone = sum(one.moved for one in ensured), sum(one.dissolved for one in ensured)
            said.append(because("k-ensured", dissolved=int(gone), moved=int(moved)))
        loose = sum(not found.clustering.converged for found in self._parts)
        if loose:
            said.append(because("not-converged", strata=loose, of=len(self._parts)))
        regions = sum(len(found.clustering.regions) for found in self._parts)
        if regions > len(self._parts):
            said.append(because("drawn-in-regions", regions=regions))
        for rule, rows in self._design.repaired.items():
            said.append(because("rule-repaired", rule=rule, records=len(rows)))
        return said


def _draw_centres(design: BlockDesign, part: Stratum, inputs: MaskInputs, masker: FuzzyCMeans) -> _Part:
    points = design.cloud.points[part.rows]
    clustering = _cluster(design, part, points, inputs, masker)
    regions = clustering.regions if len(clustering.regions) > 1 else None
    labels = draw(points, clustering.centres, masker.m2, inputs.seed, regions=regions)
    ensured = None
    if masker.ensure_k:
        ensured = ensure_k(labels, points, clustering.centres, masker.m2, inputs.k, inputs.seed)
        labels = ensured.labels
    raw = np.array([series.values for series in design.series]).T[part.rows]
    values = centre_values(points, clustering.centres, masker.m1, np.nan_to_num(raw), regions=regions)
    if masker.constrained:
        placed = placement_of(design, part).values(clustering.centres)
        values = np.where(np.isnan(placed), values, placed)
    values[:, np.isnan(raw).any(axis=0)] = np.nan
    used, own = np.unique(labels, return_inverse=True)
    return _Part(own.astype(np.int64), clustering.centres[used], values[used], clustering, ensured)


def _cluster(design: BlockDesign, part: Stratum, points: Points, inputs: MaskInputs, masker: FuzzyCMeans) -> Clustering:
    count = -(-len(points) // inputs.k)
    placement: Placement = placement_of(design, part)
    rows = rule_rows(design, part, placement) if masker.constrained else None
    if rows is None:
        return fuzzy_c_means(points, count, masker.m1, inputs.seed)
    try:
        return constrained_c_means(points, count, masker.m1, rows, inputs.seed)
    except ValueError as error:
        named = ", ".join(rule.id for rule in design.rules)
        raise PlanRefusedError(f"{error} ({named})", hint="leave `constrained` out") from None
