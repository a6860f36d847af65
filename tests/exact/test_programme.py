"""The nearest point on the grid: against brute force, at every magnitude, and never a broken row."""

from __future__ import annotations

import operator
from fractions import Fraction
from itertools import permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.exact.lattice import Lattice, WholeRow, Window, has_whole_solution
from constraint_sdc.exact.programme import LinearRow, Programme, _Limits, _solve, _solver, nearest_point
from tests.draws import draws

OPERATIONS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ONE = Fraction(1)
CENT = Fraction(1, 100)
WINDOW = 6


def _row(coefficients: list[int | Fraction], op: CompareOp, constant: int | Fraction) -> LinearRow:
    return LinearRow(tuple((j, Fraction(a)) for j, a in enumerate(coefficients) if a), op, Fraction(constant))


def _holds(row: LinearRow, point: tuple[Fraction, ...]) -> bool:
    return bool(OPERATIONS[row.op](sum((a * point[j] for j, a in row.terms), Fraction(0)), row.constant))


def _require_exact(programme: Programme, point: tuple[Fraction, ...] | None) -> tuple[Fraction, ...]:
    assert point is not None
    assert all(_holds(row, point) for row in programme.rows)
    assert all((x / step).denominator == 1 for x, step in zip(point, programme.step, strict=True))
    for x, (low, high) in zip(point, programme.bounds, strict=True):
        assert low is None or x >= low
        assert high is None or x <= high
    return point


def _whole(target: list[Fraction | int | float], rows: list[LinearRow], step: Fraction = ONE) -> Programme:
    size = len(target)
    return Programme(tuple(map(Fraction, target)), (1.0,) * size, (step,) * size, tuple(rows))


def _by_brute_force(programme: Programme) -> float | None:
    """Return the least distance among all grid points within the bounds; everything is counted in hundredths."""
    ranges = []
    for (low, high), step in zip(programme.bounds, programme.step, strict=True):
        assert low is not None
        assert high is not None
        ranges.append(np.arange(int(low / step), int(high / step) + 1) * int(step * 100))
    points = np.meshgrid(*ranges, indexing="ij")
    good = np.ones(points[0].shape, np.bool_)
    for row in programme.rows:
        total = sum((int(a) * points[j] for j, a in row.terms), np.zeros_like(points[0]))
        good &= OPERATIONS[row.op](total, int(row.constant * 100))
    distances = sum(
        w * np.abs(x / 100 - float(t)) for x, t, w in zip(points, programme.target, programme.weight, strict=True)
    )
    return float(np.min(distances, initial=np.inf, where=good)) if good.any() else None


@st.composite
def small_programmes(draw: st.DrawFn) -> Programme:
    """Two or three variables on grids of their own, bounded, with up to four rows of small coefficients."""
    size = draw(st.integers(2, 3))
    step = tuple(draw(st.sampled_from([ONE, ONE, Fraction(1, 2), Fraction(2), CENT])) for _ in range(size))
    target = tuple(draw(st.integers(-50, 50)) * s / 10 for s in step)
    weight = tuple(draw(st.sampled_from([0.1, 0.5, 1.0, 3.0])) for _ in range(size))
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        coefficients = draw(st.lists(st.integers(-4, 4), min_size=size, max_size=size))
        op: CompareOp = draw(st.sampled_from(["=", "=", "<=", "<", ">=", ">", "!="]))
        constant = draw(st.integers(-12, 12)) * draw(st.sampled_from(step))
        rows.append(_row(list(coefficients), op, constant))
    low, high = tuple(-WINDOW * s for s in step), tuple(WINDOW * s for s in step)
    return Programme(target, weight, step, tuple(rows), low, high)


@settings(max_examples=draws(100), deadline=None)
@given(small_programmes())
def test_a_small_programme_has_the_optimum_of_brute_force(programme: Programme) -> None:
    point, least = nearest_point(programme), _by_brute_force(programme)
    if least is None:
        assert point is None
    else:
        assert programme.distance(_require_exact(programme, point)) == pytest.approx(least, abs=1e-7)


@settings(max_examples=draws(50), deadline=None)
@given(small_programmes())
def test_without_bounds_no_point_of_the_window_is_nearer(programme: Programme) -> None:
    least = _by_brute_force(programme)
    unbounded = Programme(programme.target, programme.weight, programme.step, programme.rows)
    point = nearest_point(unbounded)
    if least is not None:
        assert programme.distance(_require_exact(unbounded, point)) <= least + 1e-7
    elif point is not None:
        _require_exact(unbounded, point)


def _consistent(random: Random, size: int, magnitude: int, step: Fraction, shift: float) -> Programme:
    """Return a programme with a solution: rows that a hidden point satisfies, and a target some steps away from it."""
    hidden = [random.randint(-magnitude, magnitude) * step for _ in range(size)]
    rows = []
    for k in range(size + 1):
        terms = tuple((j, Fraction(random.choice([1, 1, -1, 2]))) for j in random.sample(range(size), 3))
        total = sum((a * hidden[j] for j, a in terms), Fraction(0))
        op: CompareOp = "=" if k < size // 3 else random.choice(["<=", ">=", "<", ">"])
        rows.append(LinearRow(terms, op, total + {"<": step, ">": -step}.get(op, Fraction(0))))
    target = [x + Fraction(random.uniform(-shift, shift)) * step for x in hidden]
    weight = tuple(random.uniform(0.3, 3) for _ in hidden)
    return Programme(tuple(target), weight, (step,) * size, tuple(rows))


@pytest.mark.parametrize("step", [ONE, CENT, Fraction(1, 10**6)], ids=["integers", "cents", "six decimals"])
@pytest.mark.parametrize("magnitude", [10**3, 10**7, 10**11, 10**15])
def test_rows_hold_exactly_at_every_magnitude(magnitude: int, step: Fraction) -> None:
    random = Random(magnitude)
    for _ in range(4):
        programme = _consistent(random, 6, magnitude, step, 3)
        _require_exact(programme, nearest_point(programme))


@pytest.mark.parametrize("shift", [1e3, 1e6, 1e9, 1e13])
def test_a_target_far_from_the_rows_is_still_repaired(shift: float) -> None:
    random = Random(int(shift))
    for _ in range(3):
        programme = _consistent(random, 6, 10**14, CENT, shift)
        _require_exact(programme, nearest_point(programme))


def test_rows_that_leave_little_room_are_met_from_far_away() -> None:
    random = Random(9)
    for _ in range(12):
        programme = _consistent(random, 20, 10**9, ONE, 1e8)
        _require_exact(programme, nearest_point(programme))


def test_a_long_move_is_close_to_the_least() -> None:
    programme = _whole([10**9, 10**9, 0], [_row([1, 1, -1], "=", 0), _row([0, 0, 1], "<=", 10**8)])
    point = _require_exact(programme, nearest_point(programme))
    # x + y = z, so the cost (10^9 - x) + (10^9 - y) + z is the same wherever z is between 0 and its bound.
    assert programme.distance(point) == pytest.approx(2 * 10**9, abs=100)


def test_overlapping_totals_keep_adding_up() -> None:
    # Two rows and two columns of a table with margins: 3.4 + 3.4, 3.4 + 3.4, in integers.
    cells = [Fraction(17, 5)] * 4
    margins = [Fraction(34, 5)] * 4 + [Fraction(68, 5)]
    rows = [
        _row([1, 1, 0, 0, -1, 0, 0, 0, 0], "=", 0),
        _row([0, 0, 1, 1, 0, -1, 0, 0, 0], "=", 0),
        _row([1, 0, 1, 0, 0, 0, -1, 0, 0], "=", 0),
        _row([0, 1, 0, 1, 0, 0, 0, -1, 0], "=", 0),
        _row([0, 0, 0, 0, 1, 1, 0, 0, -1], "=", 0),
        _row([0, 0, 0, 0, 0, 0, 1, 1, -1], "=", 0),
    ]
    programme = _whole([*cells, *margins], rows)
    point = _require_exact(programme, nearest_point(programme))
    assert max(abs(x - t) for x, t in zip(point, programme.target, strict=True)) < 2


@pytest.mark.parametrize(
    "rows",
    [
        [_row([2, 4], "=", 7)],
        [_row([1, 1], "=", 4), _row([1, -1], "=", 1)],
        [_row([1, -1], "<", 0), _row([-1, 1], "<", 0)],
        [_row([2, -2], ">", 0), _row([2, -2], "<", 2)],
        [_row([1, 0], "=", Fraction(1, 2))],
        [_row([0, 0], ">", 0)],
    ],
    ids=["odd", "odd together", "crossing", "between two grid points", "off the grid", "no variable"],
)
def test_what_no_grid_point_satisfies_has_no_answer(rows: list[LinearRow]) -> None:
    assert nearest_point(_whole([1, 1], rows)) is None


def test_a_strict_inequality_keeps_one_step_of_distance() -> None:
    programme = _whole([Fraction(12345, 1000), Fraction(12345, 1000)], [_row([1, -1], "<", 0)], CENT)
    smaller, larger = _require_exact(programme, nearest_point(programme))
    assert larger - smaller == CENT


def test_a_point_that_already_holds_is_the_rounded_target() -> None:
    programme = _whole([Fraction(7, 3), Fraction(20, 3)], [_row([1, -1], "<=", 0)])
    assert nearest_point(programme) == (2, 7)


def test_an_excluded_point_moves_to_the_cheaper_side() -> None:
    programme = _whole([Fraction(31, 10), 5], [_row([1, 0], "!=", 3), _row([0, 1], "!=", 6)])
    assert nearest_point(programme) == (4, 5)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_beside_an_excluded_point_the_other_rows_hold_wherever_it_is_written(order: tuple[int, ...]) -> None:
    rows = [_row([1, 0], "!=", 3), _row([1, 1], "=", 8), _row([0, 1], "<=", 5)]
    programme = _whole([3, 5], [rows[k] for k in order])
    assert nearest_point(programme) == (4, 4)


def test_the_same_programme_has_the_same_answer_whatever_came_before() -> None:
    random = Random(11)
    programmes = [_consistent(random, 5, 1000, ONE, 2) for _ in range(6)]
    first = [nearest_point(programme) for programme in programmes]
    again = [nearest_point(programme) for programme in reversed(programmes)]
    assert first == again[::-1]


def test_a_shifted_target_gives_another_point() -> None:
    rows = [_row([1, 1, -1], "=", 0)]
    points = {nearest_point(_whole([Fraction(10, 3) + k, Fraction(10, 3), 7 + k], rows, CENT)) for k in range(5)}
    assert len(points) == 5


def test_a_search_is_bounded_by_nodes_and_not_by_the_clock() -> None:
    # HiGHS adds up the time of everything that one solver ever ran; a limit in seconds would depend on the machine.
    random = Random(12)
    for _ in range(20):
        assert nearest_point(_consistent(random, 5, 1000, ONE, 2)) is not None
    solver = _solver(_Limits(100, 0.0))
    assert solver.getRunTime() > 0
    assert solver.getOptionValue("time_limit")[1] == float("inf")
    assert solver.getOptionValue("mip_max_nodes")[1] == 100


def test_a_programme_with_terms_beyond_the_digits_of_a_tolerance_ends() -> None:
    """Terms of 10^12 steps: with a tolerance of a billionth HiGHS never came back from this one."""
    lattice = Lattice(
        aim=tuple(map(Fraction, (50.0, 18267719.4, 109803165.2, -20.6, 12737.31672, 2421298.2, 8749079.474099847))),
        cost=(
            *(0.009058748770334243, 1.9047698474358454e-07, 8.755575047182663e-09, 0.7540985105523318),
            *(8.777474804289305e-05, 6.303245600974931e-08, 3.244042649615946e-08),
        ),
        low=(None,) * 7,
        high=(None,) * 7,
        rows=(
            WholeRow(((0, 1000000), (1, 3), (2, -1)), -5000000, -5000000),
            WholeRow(((2, 1), (3, -1000000), (4, -10000)), 0, 0),
            WholeRow(((3, 1000000), (5, -1)), None, 0),
            WholeRow(((5, 1), (6, -1)), None, -1),
        ),
    )
    centre = (50, 18267719, 109803157, -21, 13080, 2421298, 8749079)
    window = Window(centre, [9, 380466, 1000000, 1, 826, 1000000, 1000000], [True] * 7)
    assert _solve(lattice, window, _Limits(50, 0.05)) is not None


def test_whole_solutions_exist_where_brute_force_finds_one() -> None:
    random = Random(2)
    seen = set()
    for _ in range(100):
        rows = [
            WholeRow(tuple((j, random.choice([-6, -4, -3, -2, 2, 3, 4, 6])) for j in range(3)), constant, constant)
            for constant in (random.randint(-6, 6), random.randint(-6, 6))
        ]
        found = any(not any(row.excess(point) for row in rows) for point in product(range(-7, 8), repeat=3))
        claimed = has_whole_solution(rows, 3)
        assert claimed or not found
        seen.add((claimed, found))
    assert {(True, True), (False, False)} <= seen
