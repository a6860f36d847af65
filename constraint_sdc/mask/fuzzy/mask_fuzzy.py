"""Fuzzy c-means microaggregation under edit rules: V. Torra, A fuzzy microaggregation algorithm, CCIA 2015.

Every stratum has centres of its own: means of its records, by weights. So a centre satisfies what a mean does, and is
made exact as any representative. Who gets which centre is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.exact.candidates import NOT_COPIED
from constraint_sdc.mask.fuzzy.c_means import Clustering, fuzzy_c_means
from constraint_sdc.mask.fuzzy.centre_values import centre_values
from constraint_sdc.mask.fuzzy.constrained import constrained_c_means
from constraint_sdc.mask.fuzzy.ensure_k import Ensured, ensure_k
from constraint_sdc.mask.fuzzy.memberships import draw
from constraint_sdc.mask.fuzzy.rule_rows import Placement, placement_of, rule_rows
from constraint_sdc.mask.inputs import MaskInputs
from constraint_sdc.mask.mask_block import share_representatives
from constraint_sdc.mask.targets import group_targets
from constraint_sdc.model.design import BlockDesign, Stratum
from constraint_sdc.model.groups import Groups, Labels, Points, Rows
from constraint_sdc.model.masked import MaskedBlock
from constraint_sdc.model.method import FuzzyCMeans

_LEAST_COMPANY = 10  # records near a centre that may stand in for it


def mask_fuzzy(design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
    """Return the block with a centre for every record, drawn by its memberships, and what came of k."""
    assert isinstance(inputs.masker, FuzzyCMeans)
    drawn = _Drawn(design, inputs, inputs.masker)
    targets, copied, mixed = group_targets(design, drawn.groups)
    near, owner = drawn.nearest_records()
    stand_ins = group_targets(design.of(near), Groups(owner))[1]
    for j, variable in enumerate(design.plan.variables):
        if variable.operator.is_average:
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
    """Note how many records came out as they were at a centre that nobody else drew: it lies on them."""
    alone = np.flatnonzero(found.groups.sizes[found.groups.label] == 1)
    rows = found.row[alone]
    same = np.ones(len(alone), np.bool_)
    for name, column in found.columns.items():
        before = inputs.table.columns[name].take(alone).texts()
        same &= np.array([a == b for a, b in zip(column.take(rows).texts(), before, strict=True)], np.bool_)
    if not same.any():
        return found
    note = f"{int(same.sum()):,} records came out as they were: each alone drew a centre that lies on it"
    return replace(found, price=replace(found.price, notes=(*found.price.notes, note)))


@dataclass(frozen=True, slots=True)
class _Part:
    """A stratum's centres that somebody drew (renumbered), their values, and how all that came about."""

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
        """Return who may stand in for a centre, nearest first; not who alone drew it."""

        def nearest(group: int) -> Rows:
            rows = self._nearest(group, max(_LEAST_COMPANY, self._k) + 1)
            own = self.groups.rows(group)
            return rows[rows != own[0]] if len(own) == 1 else rows

        return nearest

    def nearest_records(self) -> tuple[Rows, Labels]:
        """Return the k records nearest to every centre, one centre after the other, and the centre of each.

        Medians, modes and medoids are those of these records, whoever drew the centre; a record that alone drew it is
        none of them.
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
    def _trees(self) -> list[cKDTree]:
        return [cKDTree(self._design.cloud.points[part.rows]) for part in self._design.strata]

    def notes(self) -> list[str]:
        """Say how many centres there are, who drew them, and what k was achieved."""
        centres = sum(len(found.clustering.centres) for found in self._parts)
        sizes = self.groups.sizes
        said = [f"{centres:,} centres, {len(sizes):,} of them with records; the smallest group has {sizes.min():,}"]
        below = int(sizes[sizes < self._k].sum())
        if below:
            said.append(f"{below:,} of {len(self.groups.label):,} records are in groups of fewer than k = {self._k:,}")
        ensured = [found.ensured for found in self._parts if found.ensured is not None]
        if ensured:
            moved, gone = sum(one.moved for one in ensured), sum(one.dissolved for one in ensured)
            said.append(f"to ensure k, {gone:,} centres were dissolved and {moved:,} records drew anew")
        loose = sum(not found.clustering.converged for found in self._parts)
        if loose:
            said.append(f"in {loose:,} of {len(self._parts):,} strata the centres had not converged")
        regions = sum(len(found.clustering.regions) for found in self._parts)
        if regions > len(self._parts):
            said.append(f"a large file: centres were sought and drawn in {regions:,} regions")
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
