"""Strata: whatever records satisfy, every record is in one stratum, none is below k, and all fit in theirs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Classes, ConditionBits
from constraint_sdc.plan.cells import NONE_KNOWN, StratumCell
from constraint_sdc.plan.classes import PinnedClasses
from constraint_sdc.plan.plan import Formation
from constraint_sdc.plan.strata import Company, form_strata


@st.composite
def files(draw: st.DrawFn) -> tuple[ConditionBits, Classes, np.ndarray, int]:
    """Draw k, records with the conjunctions that they satisfy of each rule, their classes and their places."""
    records, rules = draw(st.integers(2, 40)), draw(st.integers(0, 3))
    k = draw(st.integers(2, min(8, records)))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    terms = draw(st.integers(1, 4))
    # Few records satisfy a rare conjunction; a record that satisfies none is one that breaks the rule.
    shares = draw(st.lists(st.sampled_from((0.02, 0.1, 0.5, 0.97)), min_size=terms, max_size=terms))
    accepts = np.zeros((records, rules), np.uint64)
    for term, share in enumerate(shares):
        accepts |= (rng.random((records, rules)) < share).astype(np.uint64) << np.uint64(term)
    kinds = draw(st.lists(st.integers(1, 3), max_size=2))
    classes = np.array([rng.integers(0, kind, records) for kind in kinds], np.int64).T.reshape(records, len(kinds))
    return accepts, classes, rng.normal(size=(records, 2)), k


def satisfies(accepts: ConditionBits, row: int, rule: int, term: int) -> bool:
    mask = int(accepts[row, rule])
    return mask == 0 if term == NONE_KNOWN else bool(mask >> term & 1)


@settings(deadline=None)
@given(files())
def test_every_record_is_once_where_it_fits_and_no_stratum_is_below_k(
    case: tuple[ConditionBits, Classes, np.ndarray, int],
) -> None:
    accepts, classes, points, k = case
    cells = form_strata(accepts, classes, points, k)
    assert sorted(row for cell in cells for row in cell.rows.tolist()) == list(range(len(accepts)))
    assert min(len(cell.rows) for cell in cells) >= k
    for cell in cells:
        for rule, term in enumerate(cell.choice):
            if term == NONE_KNOWN and cell.formation is Formation.MERGED:
                continue  # nothing is promised any more
            assert all(satisfies(accepts, row, rule, term) for row in cell.rows.tolist())
        seen = {tuple(row) for row in classes[cell.rows].tolist()}
        assert not cell.is_one_class or len(seen) == 1
        assert cell.is_one_class or cell.formation is Formation.MERGED


@settings(deadline=None, max_examples=30)
@given(files(), st.integers(1, 6))
def test_strata_that_break_a_demand_are_merged_and_no_demand_is_asked_of_nobody(
    case: tuple[ConditionBits, Classes, np.ndarray, int], least: int
) -> None:
    accepts, classes, points, k = case
    has_amount = points[:, 0] > 0

    def holds(rows: np.ndarray) -> bool:
        """Tell what dominance tells: nobody has an amount, so that there is nothing to estimate, or enough have."""
        assert len(rows) >= k
        return not has_amount[rows].any() or bool(has_amount[rows].sum() >= least)

    cells = form_strata(accepts, classes, points, k, holds=holds)
    assert sorted(row for cell in cells for row in cell.rows.tolist()) == list(range(len(accepts)))
    assert all(holds(cell.rows) for cell in cells) or len(cells) == 1


@settings(deadline=None, max_examples=20)
@given(files())
def test_strata_are_the_same_every_time(case: tuple[ConditionBits, Classes, np.ndarray, int]) -> None:
    one, two = (
        [(cell.rows.tolist(), cell.choice, cell.formation) for cell in form_strata(*case)] for _ in ("first", "again")
    )
    assert one == two


def strata(
    accepts: list[list[int]], k: int, places: list[float], classes: list[int] | None = None
) -> list[StratumCell]:
    """Form the strata of records on a line; `accepts` lists each record's conjunctions of one rule."""
    masks = np.array([[sum(1 << term for term in terms)] for terms in accepts], np.uint64)
    kinds = np.zeros((len(accepts), 0), np.int64) if classes is None else np.array(classes, np.int64).reshape(-1, 1)
    return form_strata(masks, kinds, np.array(places).reshape(-1, 1), k)


def test_one_conjunction_that_all_satisfy_makes_one_stratum() -> None:
    (only,) = strata([[0, 1], [1], [1], [0, 1]], 2, [1, 2, 3, 4])
    assert (only.choice, only.formation, len(only.rows)) == ((1,), Formation.WHOLE, 4)


def test_two_sides_of_a_condition_make_two_strata() -> None:
    cells = strata([[0]] * 3 + [[1]] * 2, 2, [1, 2, 3, 8, 9])
    assert [(c.rows.tolist(), c.choice) for c in cells] == [([0, 1, 2], (0,)), ([3, 4], (1,))]
    assert {c.formation for c in cells} == {Formation.WHOLE}


def test_a_small_stratum_joins_the_one_that_accepts_its_records_too() -> None:
    # Five choose the first side; of the two left, both satisfy a third side that three others share.
    cells = strata([[0]] * 5 + [[2]] * 4 + [[1, 2]] * 1, 3, [float(i) for i in range(10)])
    assert sorted(len(c.rows) for c in cells) == [5, 5]
    assert NONE_KNOWN not in {c.choice[0] for c in cells}


def test_a_small_stratum_is_topped_up_with_the_nearest_that_satisfy_it() -> None:
    """Like the four census records with V8 < 1115: others satisfy V13 <= V12 as well."""
    accepts = [[0]] * 3 + [[0, 1]] * 5 + [[1]] * 2
    cells = strata(accepts, 4, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    small = next(c for c in cells if c.choice == (1,))
    assert small.formation is Formation.TOPPED_UP
    assert {6, 7, 8, 9} <= set(small.rows.tolist()) <= {3, 4, 5, 6, 7, 8, 9}


def test_a_stratum_that_nobody_can_help_is_merged_with_the_nearest() -> None:
    cells = strata([[0]] * 6 + [[1]], 3, [0, 1, 2, 3, 4, 5, 9])
    merged = next(c for c in cells if 6 in c.rows)
    assert merged.formation is Formation.MERGED
    assert (merged.rows.tolist(), merged.choice) == ([4, 5, 6], (NONE_KNOWN,))


def test_a_stratum_gives_away_no_more_than_it_can_spare() -> None:
    """The nearest stratum has one record more than k: the second companion comes from the next one."""
    cells = strata([[0]] + [[1]] * 4 + [[2]] * 6, 3, [0, 1, 2, 3, 4, 50, 51, 52, 53, 54, 55])
    found = [(cell.rows.tolist(), cell.formation) for cell in cells]
    assert sorted(found) == [
        ([0, 1, 5], Formation.MERGED),
        ([2, 3, 4], Formation.WHOLE),
        ([6, 7, 8, 9, 10], Formation.WHOLE),
    ]


@pytest.mark.parametrize(("alone", "company"), [(3, [0]), (2, [])])
def test_company_comes_from_a_stratum_with_one_record_more_than_k(alone: int, company: list[int]) -> None:
    """The first record satisfies both sides; with it the larger stratum has one record more than k, or exactly k."""
    accepts = np.array([[0b11]] + [[0b01]] * alone + [[0b10]] * 3, np.uint64)
    records = len(accepts)
    points = np.arange(records, dtype=float).reshape(-1, 1)
    points[0] = records - 1.5  # among the last three
    cells = form_strata(accepts, np.zeros((records, 0), np.int64), points, 3, Company.OF_ITS_OWN)
    second = next(cell for cell in cells if cell.choice == (1,))
    assert second.rows.tolist() == [*company, *range(records - 3, records)]


def test_too_few_for_two_strata_share_one() -> None:
    (only,) = strata([[0]] * 3 + [[1]] * 2, 4, [1, 2, 3, 4, 5])
    assert (only.formation, only.choice) == (Formation.MERGED, (NONE_KNOWN,))


def test_records_of_different_blanks_do_not_share_a_stratum_if_they_need_not() -> None:
    cells = strata([[0]] * 8, 4, [1, 2, 3, 4, 5, 6, 7, 8], classes=[0, 1] * 4)
    assert [c.rows.tolist() for c in cells] == [[0, 2, 4, 6], [1, 3, 5, 7]]
    assert all(c.is_one_class for c in cells)


def test_a_rare_class_is_merged_and_says_so() -> None:
    cells = strata([[0]] * 8, 4, [1, 2, 3, 4, 5, 6, 7, 8], classes=[0] * 7 + [1])
    odd = next(c for c in cells if 7 in c.rows)
    assert not odd.is_one_class
    assert odd.formation is Formation.MERGED
    assert odd.choice == (0,), "all of them still satisfy the conjunction"


@pytest.mark.parametrize("records", [2, 3])
def test_without_rules_there_is_one_stratum(records: int) -> None:
    empty = np.zeros((records, 0), np.uint64)
    (only,) = form_strata(empty, np.zeros((records, 0), np.int64), np.zeros((records, 1)), 2)
    assert (len(only.rows), only.choice, only.formation) == (records, (), Formation.WHOLE)


# Merging where unmasked values bind records: a record of class c has the pinned bit c, and values that fit classes.


def merged(
    accepts: list[int], pins: list[int], fits: list[set[int]], k: int, places: list[float]
) -> list[tuple[list[int], Formation]]:
    """Form the strata of records on a line; `fits` are the classes whose rules each record's masked values satisfy."""
    masks = np.array([[1 << side] for side in accepts], np.uint64)
    needs = np.array([[1 << pin] for pin in pins], np.uint64)
    has = np.array([[sum(1 << pin for pin in some)] for some in fits], np.uint64)
    nothing = np.zeros((len(pins), 0), np.int64)
    points = np.array(places).reshape(-1, 1)
    cells = form_strata(masks, nothing, points, k, pinned=lambda: PinnedClasses(needs, has, nothing))
    return [(cell.rows.tolist(), cell.formation) for cell in cells]


def test_a_small_stratum_is_merged_inside_its_class_although_others_are_nearer() -> None:
    cells = merged([0] * 8 + [1], [0] * 4 + [1] * 5, [{0}] * 4 + [{1}] * 5, 3, [10, 10, 10, 10, 0, 0, 0, 0, 9])
    assert next(rows for rows, _ in cells if 8 in rows) == [4, 5, 8]


def test_a_small_stratum_joins_its_class_where_that_has_nothing_to_spare() -> None:
    cells = merged([0] * 4 + [1] * 3 + [2], [0] * 4 + [1] * 4, [{0}] * 4 + [{1}] * 4, 3, [9, 9, 9, 9, 0, 0, 0, 9])
    assert ([4, 5, 6, 7], Formation.MERGED) in cells
    assert ([0, 1, 2, 3], Formation.WHOLE) in cells


def test_a_small_class_is_merged_with_one_whose_rules_some_record_satisfies_too() -> None:
    """Class 2 is nearest, but has no values in common with class 1; a record of class 1 fits class 0 as well."""
    pins = [0] * 5 + [2] * 5 + [1]
    cells = merged([0] * 5 + [1] * 5 + [2], pins, [{0}] * 5 + [{2}] * 5 + [{0, 1}], 3, [0] * 5 + [8] * 5 + [9])
    assert next(rows for rows, _ in cells if 10 in rows) == [0, 1, 10]
    assert ([5, 6, 7, 8, 9], Formation.WHOLE) in cells


def test_a_small_class_borrows_from_several_what_each_can_spare() -> None:
    """The classes 0 and 1 can spare one record each; the second nearest record is of class 0 too, and stays there."""
    pins, anything = [0] * 4 + [1] * 4 + [2], {0, 1, 2}
    cells = merged(pins, pins, [anything] * 9, 3, [1, 2, 3, 4, 6, 7, 8, 9, 0])
    assert sorted(rows for rows, _ in cells) == [[0, 4, 8], [1, 2, 3], [5, 6, 7]]


def test_each_may_share_with_the_small_class_but_not_both() -> None:
    """Each of the classes 0 and 1 can spare one record for class 2, but no record satisfies the rules of all three."""
    pins = [0] * 4 + [1] * 4 + [2]
    fits: list[set[int]] = [{0, 2}] * 4 + [{1, 2}] * 4 + [{2}]
    cells = merged([0] * 4 + [1] * 4 + [2], pins, fits, 3, [0, 1, 2, 3, 0, 1, 2, 3, 0])
    assert sorted(cells, key=lambda cell: cell[0]) == [
        ([0, 1, 2, 3, 8], Formation.MERGED),
        ([4, 5, 6, 7], Formation.WHOLE),
    ]


def test_where_no_record_satisfies_the_rules_of_both_the_nearest_are_merged() -> None:
    cells = merged([0] * 6 + [1], [0] * 6 + [1], [{0}] * 6 + [{1}], 3, [0, 1, 2, 3, 4, 5, 9])
    assert next(rows for rows, _ in cells if 6 in rows) == [4, 5, 6]


def test_values_that_must_be_equal_keep_classes_apart() -> None:
    bits = np.ones((4, 1), np.uint64)
    classes = PinnedClasses(bits, bits, np.array([[1], [1], [2], [2]], np.int64))
    assert classes.code.tolist() == [0, 0, 1, 1]
    assert classes.can_share([0])
    assert not classes.can_share([0, 1])
    assert classes.that_can_join([1]).tolist() == [False, True]


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 6), st.lists(st.integers(0, 6), min_size=2, max_size=4), st.integers(0, 2**32 - 1))
def test_classes_of_at_least_k_records_are_never_merged(k: int, more: list[int], seed: int) -> None:
    """Every class has k records or more, whose conditions divide them further: all strata stay inside a class."""
    rng = np.random.default_rng(seed)
    pins = rng.permutation(np.repeat(np.arange(len(more)), [k + extra for extra in more]))
    accepts = (np.uint64(1) << (4 * pins + rng.integers(0, 4, len(pins))).astype(np.uint64)).reshape(-1, 1)
    needs, nothing = (np.uint64(1) << pins.astype(np.uint64)).reshape(-1, 1), np.zeros((len(pins), 0), np.int64)
    blanks = rng.integers(0, 2, (len(pins), 1))
    classes = PinnedClasses(needs, needs, nothing)
    cells = form_strata(accepts, blanks, rng.normal(size=(len(pins), 2)), k, pinned=lambda: classes)
    assert sorted(row for cell in cells for row in cell.rows.tolist()) == list(range(len(pins)))
    assert min(len(cell.rows) for cell in cells) >= k
    assert all(len(set(pins[cell.rows].tolist())) == 1 for cell in cells)
