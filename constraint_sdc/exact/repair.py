"""Repair: the nearest point on the grid that satisfies the rules, by an integer programme.

A member of the group satisfies every rule. So with the conjunctions that it satisfies, and its values for the fixed
variables (copied ones, factors of products), the programme has a solution in exact arithmetic: the member itself. A
rule that reads unmasked variables must hold with those of every member, so each member brings its own conjunction;
where members differ, there may be no solution. The judge evaluates the solution in the rules' own arithmetic and may
reject it; hence several proposals.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Points, Rows
from constraint_sdc.constraints.constraint import (
    Atom,
    Exponent,
    LinearAtom,
    PolynomialAtom,
    Powers,
    ProductAtom,
    SetAtom,
    atom_variables,
)
from constraint_sdc.data.series import Series
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.exact.programme import LinearRow, Programme, nearest_point
from constraint_sdc.plan.design import BlockDesign, Stratum
from constraint_sdc.plan.rule_facts import AtomTruth, Term

# The atoms of a conjunction as linear rows of the integer programme, after enough variables are fixed.

Fixed: TypeAlias = Mapping[str, Fraction]
Polynomial: TypeAlias = tuple[tuple[Powers, Fraction], ...]


def polynomial(atom: Atom) -> tuple[Polynomial, CompareOp, Fraction] | None:
    """Return a numeric atom as `sum(coefficient * product of powers) op constant`, None for other atoms."""
    match atom:
        case LinearAtom(terms, op, constant):
            return tuple((((name, 1),), c) for name, c in terms), op, constant
        case ProductAtom(left, left_factor, op, right, right_factor):
            return ((left, left_factor), (right, -right_factor)), op, Fraction(0)
        case PolynomialAtom(sums, op, constant):
            return sums, op, constant
        case SetAtom(variable, (only,), False) if isinstance(only, Fraction):
            return ((((variable, 1),), Fraction(1)),), "=", only
        case _:
            return None


def to_fix(atoms: Iterable[Atom], free: Sequence[str]) -> tuple[str, ...]:
    """Return variables to fix so that every numeric atom becomes linear in the others.

    In a product of an inequality, the variable that occurs in most atoms stays free, because it must adapt to most of
    them. In an equality no variable of a product stays free: a factor of many digits leaves hardly any solution on the
    grid.
    """
    forms = [form[:2] for atom in atoms if (form := polynomial(atom))]
    uses = {name: sum(name in dict(powers) for sums, _ in forms for powers, _ in sums) for name in free}
    fixed: dict[str, None] = {}
    for sums, op in forms:
        for powers, _ in sums:
            loose = [(name, power) for name, power in powers if name in uses and name not in fixed]
            if (sum(power for _, power in powers) > 1 or any(power != 1 for _, power in loose)) and loose:
                stays = max(loose, key=lambda item: (item[1] == 1, uses[item[0]]))
                is_alone = len(loose) == 1 and stays[1] == 1
                if op == "=" or not is_alone:
                    fixed.update((n, None) for n, power in loose if op == "=" or n != stays[0] or power != 1)
    return tuple(fixed)


def rows_of(atoms: Iterable[Atom], place: Mapping[str, int], fixed: Fixed) -> tuple[LinearRow, ...] | None:
    """Return the rows of all numeric atoms; None if one cannot be used (not linear, unknown, or false as fixed)."""
    rows: list[LinearRow] = []
    for atom in atoms:
        form = polynomial(atom)
        if form is None:
            continue
        row = _row(*form, place, fixed)
        if row is None:
            return None
        if row.terms:
            rows.append(row)
    return tuple(rows)


def _row(
    sums: Polynomial, op: CompareOp, constant: Fraction, place: Mapping[str, int], fixed: Fixed
) -> LinearRow | None:
    terms: dict[int, Fraction] = {}
    for powers, coefficient in sums:
        loose: list[str] = []
        for name, power in powers:
            if name in fixed:
                raised = _raised(fixed[name], power)
                if raised is None:
                    return None
                coefficient *= raised
            elif name in place and power == 1:
                loose.append(name)
            else:
                return None
        if len(loose) > 1:
            return None
        if loose:
            terms[place[loose[0]]] = terms.get(place[loose[0]], Fraction(0)) + coefficient
        else:
            constant -= coefficient
    return LinearRow(tuple((j, c) for j, c in terms.items() if c), op, constant)


def _raised(value: Fraction, power: Exponent) -> Fraction | None:
    """Return a power; a root as the nearest double, None of a negative number."""
    if isinstance(power, int):
        return value**power
    return None if value < 0 else Fraction(float(value) ** float(power))


def satisfied(atom: Atom, values: Fixed) -> bool | None:
    """Tell whether an atom holds for exact values; None if it is not numeric or a value is unknown."""
    form = polynomial(atom)
    if form is None:
        return None
    total, size = -form[2], abs(form[2])
    for powers, coefficient in form[0]:
        for name, power in powers:
            raised = _raised(values[name], power) if name in values else None
            if raised is None:
                return None
            coefficient *= raised
        total += coefficient
        size += abs(coefficient)
    # A rule in double arithmetic is also satisfied by doubles that differ in their last digits.
    slack = size / 10**9
    return {
        "=": abs(total) <= slack,
        "!=": total != 0,
        "<": total < 0,
        "<=": total <= slack,
        ">": total > 0,
        ">=": total >= -slack,
    }[form[1]]


Demand: TypeAlias = tuple[Atom, int]
"""An atom that must hold, and the record whose unmasked values it reads."""

_NODES = 50
_GAP = 0.05  # a point within 5% of the least cost is near enough; proving optimality takes most of the time
_FINE = 4  # a free variable moves on a decimal grid with this many digits below its standard deviation

# Each proposal: the member (0 is the nearest) whose conditions and fixed values are used, whether copied and fixed #
# values come from that member or stay unchanged, and by how many steps the target is shifted.
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
    nearest to its mean first; `truth` is that of atoms on the original records. Group 0 is number `first_group` of the
    block: how far targets are shifted depends on it.
    """

    design: BlockDesign
    stratum: tuple[int, ...]
    targets: Points
    members: Mapping[int, Rows]
    truth: AtomTruth
    first_group: int = 0

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
        demands = self._demands(self.design.strata[self.stratum[group]], record, members.tolist())
        free = [
            j
            for j, (series, plan) in enumerate(zip(self.design.series, self.design.plan.variables, strict=True))
            if plan.traits.is_average and np.isfinite(self.targets[group, j])
        ]
        names = [self.design.series[j].name for j in free]
        held = set(to_fix((atom for atom, _ in demands), names))
        fixed: dict[str, Fraction] = {}
        for j, series in enumerate(self.design.series):
            if j in free and series.name not in held:
                continue
            if is_members:
                candidates.copy_cells(j, np.array([row]), np.array([record]))
            if np.isfinite(candidates.values[row, j]):
                fixed[series.name] = _exact(series, candidates.values[row, j])
        loose = [j for j in free if self.design.series[j].name not in held]
        return self._solve(candidates, row, loose, demands, fixed, shift)

    def _demands(self, stratum: Stratum, record: int, members: list[int]) -> list[Demand]:
        """Return the stratum's atoms, and for rules without a common conjunction one that the member satisfies.

        An atom that reads unmasked variables is demanded by every member, and so is the conjunction of such a rule.
        """
        atoms = [(atom, record) for _, atom in stratum.conjunction]
        settled = {rule for rule, _ in stratum.conjunction}
        for rule, terms in self.design.terms.items():
            if rule in settled or len(terms) < 2:
                continue
            reads_others = not self._inside.issuperset(
                n for term in terms for atom in term for n in atom_variables(atom)
            )
            for each in members if reads_others else [record]:
                own = next((term for term in terms if self._may_hold(term, each)), ())
                atoms += [(atom, each) for atom in own]
        demands: dict[Demand, None] = {}
        for atom, each in atoms:
            reads = atom_variables(atom)
            if self._inside.issuperset(reads):
                demands[atom, record] = None
            else:
                demands.update(((atom, one), None) for one in (members if each == record else [each]))
        # The truth of an atom with a missing operand does not depend on the proposal.
        known = self._known(record)
        return [
            (atom, each) for atom, each in demands if all(n in known for n in atom_variables(atom) if n in self._inside)
        ]

    def _may_hold(self, term: Term, record: int) -> bool:
        """Tell whether no atom of a conjunction is false for a record."""
        known = self._known(record)
        for atom in term:
            holds = satisfied(atom, known)
            if holds is None and (everywhere := self.truth.of(atom)) is not None:
                holds = bool(everywhere[record])
            if holds is False:
                return False
        return True

    @property
    def _inside(self) -> frozenset[str]:
        return frozenset(series.name for series in self.design.series)

    def _known(self, record: int) -> Fixed:
        return {s.name: _exact(s, s.values[record]) for s in self.design.series if s.blank[record] == 0}

    def _solve(
        self,
        candidates: Candidates,
        row: int,
        loose: list[int],
        demands: list[Demand],
        fixed: dict[str, Fraction],
        shift: int,
    ) -> bool:
        series = [self.design.series[j] for j in loose]
        place = {s.name: i for i, s in enumerate(series)}
        rows: list[LinearRow] = []
        for record, some in _by_record(demands):
            given = {**self._others(some, record), **fixed}
            reachable = [atom for atom in some if all(n in place or n in given for n in atom_variables(atom))]
            found = rows_of(reachable, place, given)
            if found is None:
                return False
            rows += found
        if not loose:
            return False
        group = int(candidates.group[row])
        moved = _shifts(self.first_group + group, shift, len(loose))
        target = tuple(
            Fraction(float(self.targets[group, j])) + step * _step(s)
            for j, s, step in zip(loose, series, moved.tolist(), strict=True)
        )
        weight = tuple(1.0 / s.deviation for s in series)
        steps = tuple(_step(s) for s in series)
        point = nearest_point(Programme(target, weight, steps, tuple(dict.fromkeys(rows))), nodes=_NODES, gap=_GAP)
        if point is None:
            return False
        for j, value in zip(loose, point, strict=True):
            candidates.set_numbers(j, np.array([row]), np.array([float(value)]))
        return True

    def _others(self, atoms: Iterable[Atom], record: int) -> Fixed:
        """Return the numbers of a record's unmasked variables that the atoms read."""
        names = {name for atom in atoms for name in atom_variables(atom)} - self._inside
        numbers = {name: float(self.truth.numbers(name)[record]) for name in names}
        return {name: Fraction(repr(value)) for name, value in numbers.items() if math.isfinite(value)}


def _by_record(demands: Iterable[Demand]) -> Iterator[tuple[int, list[Atom]]]:
    parts: dict[int, list[Atom]] = {}
    for atom, record in demands:
        parts.setdefault(record, []).append(atom)
    yield from parts.items()


def _exact(series: Series, value: float) -> Fraction:
    """Return the exact number of a text on the grid."""
    if series.grid.decimals is None:
        return Fraction(float(value))
    return Fraction(round(float(value) * series.grid.scale), 10**series.grid.decimals)


def _step(series: Series) -> Fraction:
    """Return the grid's step; for a free variable a fine decimal step, on which xs:decimal is exact too."""
    return series.grid.step or Fraction(10) ** (math.floor(math.log10(series.deviation)) - _FINE)


def _shifts(group: int, size: int, count: int) -> npt.NDArray[np.int64]:
    """Return the same pseudo-random steps for the same group and size, on any machine and in any order of groups."""
    return np.random.default_rng((group, size, 7)).integers(-size, size + 1, count)
