"""The nearest point on a grid that satisfies linear rows exactly: a small integer programme, solved by HiGHS.

HiGHS works in doubles with tolerances, so it only proposes points; a point is returned only if it satisfies every row
in whole numbers. HiGHS needs small numbers: counts of steps from a centre, inside a window set by a budget for moves
(`exact.lattice`). A point within its own budget is the nearest of all, because any nearer point lies in the window too.
If the window is empty, the linear relaxation, repeated until it is exact enough, moves the centre to a place where the
rows can be satisfied.

Within the exact step, only this file imports highspy.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.exact.lattice import Bound, Lattice, StepCounts, Window, columns_of, has_whole_solution, lattice_of

if TYPE_CHECKING:
    import highspy

_FIRST_BUDGET = 8  # in steps of the costliest variable
_WIDER = 16
_WINDOWS = 3
_FARTHEST = 10**6  # steps from the centre; in wider windows HiGHS is slow, and its tolerances exceed a step
_FINE = 50  # a step is fine if it costs this many times less than the costliest
_SURE_WITHIN = 256  # steps; a wider window is not searched again for a nearer point
_ROUNDS = 5
_CLOSE = 1000  # steps; a relaxation within them is exact enough
_MOST_NODES = 5_000  # instead of a time limit, because it is the same on every machine
_EXACT_TERMS = 1e10  # steps; sums of larger terms are not known to a billionth in double
_ROWWISE, _MINIMISE = 2, 1


@dataclass(frozen=True, slots=True)
class LinearRow:
    """`sum(coefficient * x[index]) op constant`, exact."""

    terms: tuple[tuple[int, Fraction], ...]
    op: CompareOp
    constant: Fraction


@dataclass(frozen=True, slots=True)
class Programme:
    """The target, the cost of moving from it, and the rows that must hold.

    `weight` is the positive cost of moving a variable by 1 (1 / standard deviation). A value is a whole multiple of its
    positive `step`; a free variable needs a fine step too. Empty `low` and `high` mean no bounds.
    """

    target: tuple[Fraction, ...]
    weight: tuple[float, ...]
    step: tuple[Fraction, ...]
    rows: tuple[LinearRow, ...]
    low: tuple[Fraction | None, ...] = ()
    high: tuple[Fraction | None, ...] = ()

    @property
    def bounds(self) -> tuple[tuple[Fraction | None, Fraction | None], ...]:
        """Return each variable's bounds."""
        nothing = (None,) * len(self.target)
        return tuple(zip(self.low or nothing, self.high or nothing, strict=True))

    def distance(self, point: tuple[Fraction, ...]) -> float:
        """Return the cost of a point: weighted absolute distance from the target."""
        return sum(w * float(abs(x - t)) for x, t, w in zip(point, self.target, self.weight, strict=True))


@dataclass(frozen=True, slots=True)
class _Limits:
    """When to stop: after a number of nodes, or at a point whose cost is within a relative gap of the least.

    There is no limit in seconds: the same programme has the same answer on a busy machine.
    """

    nodes: int
    gap: float


def nearest_point(programme: Programme, *, nodes: int = _MOST_NODES, gap: float = 0.0) -> tuple[Fraction, ...] | None:
    """Return the point on the grid nearest to the target that satisfies every row and bound exactly.

    Return None if there is no such point or HiGHS finds none within the limits; `gap` is the relative excess of cost
    that is allowed. With gap 0, a move that costs at most eight steps of the costliest variable (or 256 of the
    cheapest) is optimal; a longer move is optimal in a window around the nearest real point, a few steps from the
    optimum. If the costs of steps differ by a factor of fifty or more, the result is a few of the finer steps from the
    optimum. The same programme always has the same result. A row with `!=` that the nearest point without it breaks is
    solved by trying both sides.

    >>> part, one = Fraction(33, 10), Fraction(1)
    >>> total = LinearRow(((0, one), (1, one), (2, -one)), "=", Fraction(0))
    >>> point = nearest_point(Programme((part, part, 2 * part), (1.0, 1.0, 1.0), (one, one, one), (total,)))
    >>> [int(x) for x in point]
    [3, 3, 6]
    """
    limits = _Limits(nodes, gap)
    point: dict[int, Fraction] = {}
    for part in _independent(programme):
        found = _nearest_apart(_only(programme, part), limits)
        if found is None:
            return None
        point.update(zip(part, found, strict=True))
    return tuple(point[j] for j in range(len(programme.target)))


def _independent(programme: Programme) -> list[list[int]]:
    """Return the variables in parts that no row connects: several small programmes are faster than a large one."""
    part_of = {j: [j] for j in range(len(programme.target))}
    for row in programme.rows:
        joined = sorted({j for index, _ in row.terms for j in part_of[index]})
        part_of.update(dict.fromkeys(joined, joined))
    return [part for j, part in part_of.items() if part[0] == j]


def _only(programme: Programme, part: list[int]) -> Programme:
    place = {j: i for i, j in enumerate(part)}
    rows = [row for row in programme.rows if not row.terms or row.terms[0][0] in place]
    return Programme(
        target=tuple(programme.target[j] for j in part),
        weight=tuple(programme.weight[j] for j in part),
        step=tuple(programme.step[j] for j in part),
        rows=tuple(replace(row, terms=tuple((place[j], a) for j, a in row.terms)) for row in rows),
        low=tuple(programme.low[j] for j in part) if programme.low else (),
        high=tuple(programme.high[j] for j in part) if programme.high else (),
    )


def _nearest_apart(programme: Programme, limits: _Limits) -> tuple[Fraction, ...] | None:
    point = _nearest(replace(programme, rows=tuple(row for row in programme.rows if row.op != "!=")), limits)
    for k, row in enumerate(programme.rows):
        if point is not None and row.op == "!=" and sum(a * point[j] for j, a in row.terms) == row.constant:
            rest = programme.rows[:k] + programme.rows[k + 1 :]
            sides = (replace(programme, rows=(*rest, replace(row, op=op))) for op in ("<", ">"))
            points = [side for p in sides if (side := _nearest_apart(p, limits)) is not None]
            return min(points, key=programme.distance, default=None)
    return point


def _nearest(programme: Programme, limits: _Limits) -> tuple[Fraction, ...] | None:
    rows = [(row.terms, row.op, row.constant) for row in programme.rows]
    lattice = lattice_of(programme.target, programme.weight, programme.step, rows, programme.bounds)
    if lattice is None:
        return None
    counts = _search(lattice, limits)
    return None if counts is None else tuple(n * s for n, s in zip(counts, programme.step, strict=True))


def _search(lattice: Lattice, limits: _Limits) -> StepCounts | None:
    start = lattice.clamped(map(round, lattice.aim))
    if lattice.holds(start):
        return start
    budget = _FIRST_BUDGET * max(lattice.cost)
    found = _within(lattice, start, budget, limits)
    if found is None:
        found = _farther(lattice, start, budget, limits)
    if found is None or (price := lattice.price(found)) <= budget:
        return found
    if price > _SURE_WITHIN * min(lattice.cost):
        return found
    nearer = _within(lattice, start, price, limits)
    return nearer if nearer is not None and lattice.price(nearer) < price else found


def _farther(lattice: Lattice, start: StepCounts, budget: float, limits: _Limits) -> StepCounts | None:
    equations = [row for row in lattice.rows if row.low == row.high]
    if not has_whole_solution(equations, len(lattice.aim)):
        return None
    centre = _relaxed(lattice, start, limits)
    if centre is None:
        return None
    for k in range(_WINDOWS):
        found = _within(lattice, centre, budget * _WIDER**k, limits)
        if found is not None:
            return found
    return None


def _within(lattice: Lattice, centre: StepCounts, budget: float, limits: _Limits) -> StepCounts | None:
    """Return the cheapest point in the window around the centre; None if there is none or HiGHS is not exact.

    Next to coarse steps, fine steps are treated as real numbers in a first programme, and as whole numbers in a second
    one near the first solution. This takes milliseconds instead of seconds.
    """
    coarse = [cost * _FINE >= max(lattice.cost) for cost in lattice.cost]
    if not all(coarse):
        window = Window(centre, _reach(lattice, budget), coarse)
        moves = _solve(lattice, window, limits)
        if moves is None:
            return None
        finest = max(cost for cost, is_coarse in zip(lattice.cost, coarse, strict=True) if not is_coarse)
        found = _whole(lattice, lattice.clamped(window.moved(moves)), finest * _FIRST_BUDGET, limits)
        if found is not None:
            return found
    return _whole(lattice, centre, budget, limits)


def _whole(lattice: Lattice, centre: StepCounts, budget: float, limits: _Limits) -> StepCounts | None:
    for _ in range(2):
        window = Window(centre, _reach(lattice, budget), [True] * len(centre))
        moves = _solve(lattice, window, limits)
        if moves is None:
            return None
        proposed = window.moved(moves)
        if lattice.holds(proposed):
            return proposed
        centre = lattice.clamped(proposed)
    return None


def _reach(lattice: Lattice, budget: float) -> list[Bound]:
    return [min(math.floor(budget / cost) + 1, _FARTHEST) for cost in lattice.cost]


def _relaxed(lattice: Lattice, centre: StepCounts, limits: _Limits) -> StepCounts | None:
    """Return whole counts next to the nearest real point; each round removes nearly all of the remaining error."""
    size = len(centre)
    for k in range(_ROUNDS):
        unit = max([1, *(abs(row.excess(centre)) for row in lattice.rows)])
        window = Window(centre, [None] * size, [False] * size, unit)
        moves = _solve(lattice, window, limits)
        if moves is None:
            return centre if k else None
        centre = lattice.clamped(window.moved(moves))
        if unit <= _CLOSE:
            break
    return centre


def _solve(lattice: Lattice, window: Window, limits: _Limits) -> list[float] | None:
    """Return HiGHS's best moves from the window's centre, None when it finds none."""
    import highspy  # only where a group needs it: it takes a while to load

    columns = columns_of(lattice, window)
    of_variable: dict[int, list[int]] = {}
    for c, column in enumerate(columns):
        of_variable.setdefault(column.variable, []).append(c)
    starts: list[int] = [0]
    indices: list[int] = []
    values: list[int] = []
    lows, highs = [], []
    for row in lattice.rows:
        middle = sum(a * window.centre[j] for j, a in row.terms)
        lows.append(-math.inf if row.low is None else (row.low - middle) / window.unit)
        highs.append(math.inf if row.high is None else (row.high - middle) / window.unit)
        for j, a in row.terms:
            own = of_variable.get(j, ())  # none when the bounds leave no room
            indices.extend(own)
            values.extend(a * columns[c].sign for c in own)
        starts.append(len(indices))
    solver = _solver(limits)
    # Real moves in large units may miss narrow rows; the next round is closer.
    solver.setOptionValue("primal_feasibility_tolerance", 1e-9 if any(window.whole) else 1e-6)
    # Below the last digit of the largest term a tolerance has no meaning, and HiGHS may never end.
    largest = max((abs(a) for a in values), default=0) * max((column.length for column in columns), default=0.0)
    solver.setOptionValue("mip_feasibility_tolerance", 1e-9 if largest < _EXACT_TERMS else 1e-7)
    solver.passModel(
        len(columns),
        len(lattice.rows),
        len(indices),
        _ROWWISE,
        _MINIMISE,
        0.0,
        np.array([column.cost for column in columns], np.float64),
        np.zeros(len(columns), np.float64),
        np.array([column.length for column in columns], np.float64),
        np.array(lows, np.float64),
        np.array(highs, np.float64),
        np.array(starts, np.int32),
        np.array(indices, np.int32),
        np.array(values, np.float64),
        np.array([window.whole[column.variable] for column in columns], np.int32),
    )
    solver.run()
    if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible.value:
        return None
    moves = [0.0] * len(window.centre)
    for column, amount in zip(columns, solver.getSolution().col_value, strict=True):
        moves[column.variable] += column.sign * amount
    return moves


_local = threading.local()


def _solver(limits: _Limits) -> highspy.Highs:
    """Return this thread's solver; setting one up costs more than solving."""
    import highspy

    solver: highspy.Highs | None = getattr(_local, "solver", None)
    if solver is None:
        solver = highspy.Highs()  # type: ignore[no-untyped-call]  # its types leave out the constructor's
        options: dict[str, bool | int | float | str] = {
            "output_flag": False,
            "threads": 1,
            "random_seed": 0,
            "mip_heuristic_run_feasibility_jump": False,  # takes most of the time of a small programme without effect
            "mip_abs_gap": 1e-7,
            "dual_feasibility_tolerance": 1e-9,
        }
        for name, value in options.items():
            solver.setOptionValue(name, value)
        _local.solver = solver
    solver.setOptionValue("mip_max_nodes", limits.nodes)
    solver.setOptionValue("mip_rel_gap", limits.gap)
    return solver
