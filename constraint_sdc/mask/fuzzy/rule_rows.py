"""The linear rules of a stratum as rows for centres, in the coordinates of the points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.mask.fuzzy.linear_rows import LinearRows
from constraint_sdc.mask.fuzzy.nearness import Numbers
from constraint_sdc.model.constraint import LinearAtom
from constraint_sdc.model.design import BlockDesign, Stratum
from constraint_sdc.model.groups import Points
from constraint_sdc.model.policy import Scale


@dataclass(frozen=True, slots=True)
class Placement:
    """Where values are among the points of a stratum: value = shift + scale * point, for numeric variables.

    `column[j]` is the point's column of variable j, -1 for one that has no such place (categories, blanks).
    """

    column: tuple[int, ...]
    scale: Numbers
    shift: Numbers

    def values(self, centres: Points) -> Points:
        """Return the values of centres (c x d), NaN for variables without a place."""
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
        with np.errstate(over="ignore"):  # a range beyond all doubles has no place
            if place[low] < place[high]:
                scale[axis.start] = (values[high] - values[low]) / (place[high] - place[low])
            shift[axis.start] = values[low] - scale[axis.start] * place[low]
        has_place = bool(np.isfinite(scale[axis.start]) and np.isfinite(shift[axis.start]))
        columns.append(axis.start if has_place else -1)
    return Placement(tuple(columns), scale, shift)


def rule_rows(design: BlockDesign, part: Stratum, placement: Placement) -> LinearRows | None:
    """Return the stratum's linear atoms over averaged variables as rows for points; None if there are none.

    A strict inequality becomes one that allows equality: whether a centre satisfies it is for the exact step.
    """
    place = {
        variable.name: column
        for variable, column in zip(design.plan.variables, placement.column, strict=True)
        if column >= 0 and variable.operator.is_average
    }
    matrix: list[Numbers] = []
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
