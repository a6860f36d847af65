"""Repair: the nearest point on the grid that satisfies the rules, by integer programme, around a point that does.

A member of the group satisfies every rule. So the conjunctions that it satisfies, and its values for the variables that
must be held fixed (copied ones, factors of products), always leave the programme a solution in exact arithmetic: the
member itself. What the rule's own arithmetic makes of the solution is for the judge to say; hence several proposals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.exact.linear_rows import rows_of, satisfied, to_fix
from constraint_sdc.exact.programme import Programme, nearest_point
from constraint_sdc.model.constraint import Atom, atom_variables
from constraint_sdc.model.design import BlockDesign, Stratum
from constraint_sdc.model.groups import Points, Rows
from constraint_sdc.model.series import Series

_SECONDS = 30.0  # never reached in practice: the number of nodes is bounded, which is the same on every machine
_NODES = 50
_GAP = 0.05  # a point that costs 5% too much is near enough; the proof that none is nearer takes most of the time
_FINE = 4  # a free variable moves on a decimal grid of so many digits below its deviation

# Each proposal: the member (by closeness) whose conditions and fixed values are used, whether copied and fixed values
# come from that member or stay as they are, and by how many steps the target is shifted.
PROPOSALS: tuple[tuple[int, bool, int], ...] = (
    (0, False, 0),
    (0, True, 0),
    (0, False, 1),
    (1, True, 0),
    (0, True, 1),
    (0, False, 2),
    (2, True, 0),
    (0, True, 2),
    (1, True, 1),
    (0, False, 4),
    (3, True, 0),
    (0, True, 5),
)


@dataclass(frozen=True, slots=True)
class Repairer:
    """Proposes repaired representatives.

    `targets` (g x d) are the operators' values before any rounding; `members` the records of each failing group,
    nearest to its mean first.
    """

    design: BlockDesign
    stratum: tuple[int, ...]
    targets: Points
    members: Mapping[int, Rows]

    def propose(self, failed: Candidates, number: int) -> Candidates:
        """Return proposal `number` for those of the failed candidates that have one."""
        found = failed.take(np.arange(len(failed)))
        places = [i for i in range(len(failed)) if self._propose(found, i, *PROPOSALS[number])]
        return found.take(np.array(places, np.int64))

    def _propose(self, candidates: Candidates, row: int, member: int, is_members: bool, shift: int) -> bool:
        group = int(candidates.group[row])
        members = self.members[group]
        if member >= len(members):
            return False
        record = int(members[member])
        known = {s.name: _exact(s, s.values[record]) for s in self.design.series if s.blank[record] == 0}
        atoms = self._conjunction(self.design.strata[self.stratum[group]], known)
        free = [
            j
            for j, (series, plan) in enumerate(zip(self.design.series, self.design.plan.variables, strict=True))
            if plan.operator.is_average and np.isfinite(self.targets[group, j])
        ]
        names = [self.design.series[j].name for j in free]
        held = set(to_fix(atoms, names))
        fixed: dict[str, Fraction] = {}
        for j, series in enumerate(self.design.series):
            if j in free and series.name not in held:
                continue
            if is_members:
                candidates.copy_cells(j, np.array([row]), np.array([record]))
            if np.isfinite(candidates.values[row, j]):
                fixed[series.name] = _exact(series, candidates.values[row, j])
        loose = [j for j in free if self.design.series[j].name not in held]
        return self._solve(candidates, row, loose, atoms, fixed, shift)

    def _conjunction(self, stratum: Stratum, known: dict[str, Fraction]) -> list[Atom]:
        """Return the stratum's atoms, and for rules without a common conjunction one that the member satisfies."""
        atoms = [atom for _, atom in stratum.conjunction]
        settled = {rule for rule, _ in stratum.conjunction}
        for rule, terms in self.design.terms.items():
            if rule not in settled and len(terms) > 1:
                good = (t for t in terms if all(satisfied(atom, known) is not False for atom in t))
                atoms += next(good, ())
        inside = {series.name for series in self.design.series}
        # An atom with an operand that is missing, or that masking does not touch, holds or fails whatever we choose.
        return [atom for atom in atoms if all(n in known or n not in inside for n in atom_variables(atom))]

    def _solve(
        self,
        candidates: Candidates,
        row: int,
        loose: list[int],
        atoms: list[Atom],
        fixed: dict[str, Fraction],
        shift: int,
    ) -> bool:
        series = [self.design.series[j] for j in loose]
        place = {s.name: i for i, s in enumerate(series)}
        reachable = [atom for atom in atoms if all(n in place or n in fixed for n in atom_variables(atom))]
        rows = rows_of(reachable, place, fixed)
        if rows is None or not loose:
            return False
        group = int(candidates.group[row])
        moved = _shifts(group, shift, len(loose))
        target = tuple(
            Fraction(float(self.targets[group, j])) + step * _step(s)
            for j, s, step in zip(loose, series, moved.tolist(), strict=True)
        )
        weight = tuple(1.0 / s.deviation for s in series)
        point = nearest_point(
            Programme(target, weight, tuple(_step(s) for s in series), rows), _SECONDS, nodes=_NODES, gap=_GAP
        )
        if point is None:
            return False
        for j, value in zip(loose, point, strict=True):
            candidates.set_numbers(j, np.array([row]), np.array([float(value)]))
        return True


def _exact(series: Series, value: float) -> Fraction:
    """Return the number that a text on the grid stands for."""
    if series.grid.decimals is None:
        return Fraction(float(value))
    return Fraction(round(float(value) * series.grid.scale), 10**series.grid.decimals)


def _step(series: Series) -> Fraction:
    """Return the grid's step; for a free variable a fine decimal one, on which xs:decimal is exact as well."""
    return series.grid.step or Fraction(10) ** (math.floor(math.log10(series.deviation)) - _FINE)


def _shifts(group: int, size: int, count: int) -> npt.NDArray[np.int64]:
    """Return the same pseudo-random steps for the same group and size, on any machine and in any order of groups."""
    return np.random.default_rng((group, size, 7)).integers(-size, size + 1, count)
