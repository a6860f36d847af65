"""The nearest point on a grid that satisfies linear rows exactly: a small integer programme, solved by HiGHS.

HiGHS works in doubles with tolerances, so it only proposes; a point is returned when it satisfies every row in whole
numbers. To propose well it must see small numbers: counts of steps from a centre (`exact.lattice`), inside a window
that the budget of a move allows (`exact.window`). A point within its own budget is the nearest of all, because any
nearer one lies in the window too. When the window is empty, the linear relaxation, repeated until it stops being
inexact, moves the centre to where the rows can be met.

This file owns highspy.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from fractions import Fraction

import highspy
import numpy as np

from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.exact.lattice import Bound, Lattice, StepCounts, Window, columns_of, has_whole_solution, lattice_of

_FIRST_BUDGET = 8  # in steps of the dearest variable
_WIDER = 16
_WINDOWS = 3
_FARTHEST = 10**6  # steps from the centre; HiGHS is slow in wide windows, and its tolerances reach whole numbers there
_FINE = 50  # times cheaper a step than the dearest
_SURE_WITHIN = 256  # steps; a wider window is not searched again for a nearer point
_ROUNDS = 5
_CLOSE = 1000  # steps; within them a relaxation is not inexact
_MOST_NODES = 5_000  # unlike a time limit, the same on every machine
_ROWWISE, _MINIMISE = 2, 1


@dataclass(frozen=True, slots=True)
class LinearRow:
    """`sum(coefficient * x[index]) op constant`, exact."""

    terms: tuple[tuple[int, Fraction], ...]
    op: CompareOp
    constant: Fraction


@dataclass(frozen=True, slots=True)
class Programme:
    """Where we want to be, what moving costs, and what must hold.

    `weight` is the cost of moving a variable by 1, positive (1 / standard deviation). A value is a whole multiple of
    its `step`, positive; a free variable needs one too, a fine one. `low` and `high` may be empty: no bounds.
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
    """When to stop: after so many nodes, or at a point that costs at most this share too much.

    There is no limit in seconds: the same programme has the same answer on a busy machine.
    """

    nodes: int
    gap: float


def nearest_point(programme: Programme, *, nodes: int = _MOST_NODES, gap: float = 0.0) -> tuple[Fraction, ...] | None:
    """Return the point on the grid nearest to the target that satisfies every row and bound exactly.

    None when there is none or HiGHS finds none within the limits; `gap` allows that share of the cost too much. Without
    it, a move that costs no more than eight steps of the dearest variable (or 256 of the cheapest) is the least
    possible; a longer one is the least in a window around the nearest real point, a few steps from the least. So is a
    move among variables whose steps differ fiftyfold in cost: a few of the finer steps from the least. The same
    programme has the same answer. A row with `!=` is met by trying both sides where the nearest point without it
    breaks it.

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
    """Return the variables in parts that no row connects: small programmes are sooner solved than a large one."""
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
    """Return the cheapest point in the window around the centre; None when there is none or HiGHS is not exact.

    Beside coarse steps, fine ones are as good as real numbers: they are so at first, and whole in a second programme
    next to what the first finds. That is a matter of milliseconds against seconds.
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
    """Return whole counts next to the nearest real point; each round removes nearly all of what is left."""
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
    # Real moves in large units may miss narrow rows: the next round comes nearer.
    solver.setOptionValue("primal_feasibility_tolerance", 1e-9 if any(window.whole) else 1e-6)
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
    solver: highspy.Highs | None = getattr(_local, "solver", None)
    if solver is None:
        solver = highspy.Highs()  # type: ignore[no-untyped-call]  # its types leave out the constructor's
        options: dict[str, bool | int | float | str] = {
            "output_flag": False,
            "threads": 1,
            "random_seed": 0,
            "presolve": "off",  # on wide windows it probes for seconds what branching settles in milliseconds
            "mip_heuristic_run_feasibility_jump": False,  # most of the time of a small programme, for nothing
            "mip_abs_gap": 1e-7,
            "mip_feasibility_tolerance": 1e-9,
            "dual_feasibility_tolerance": 1e-9,
        }
        for name, value in options.items():
            solver.setOptionValue(name, value)
        _local.solver = solver
    solver.setOptionValue("mip_max_nodes", limits.nodes)
    solver.setOptionValue("mip_rel_gap", limits.gap)
    return solver
