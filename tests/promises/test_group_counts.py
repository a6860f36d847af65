"""Promises about groups are counted as they are defined, on the written values and the original's amounts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.table import Table, column_of
from constraint_sdc.promises.closeness import count_closeness
from constraint_sdc.promises.diversity import count_diversity
from constraint_sdc.promises.dominance import count_dominance
from constraint_sdc.promises.release import Release
from constraint_sdc.settings.protect import ClosenessPromise, DiversityPromise, DominancePromise
from constraint_sdc.settings.words import Scale, VariableWish
from tests.draws import draws
from tests.partition import slow_demands

_CLASSES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=3, max_size=24)
_FIRMS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-40, 40) | st.integers(900, 1100) | st.just(0)), min_size=3, max_size=24
)


def table(**columns: list[str | None]) -> Table:
    return Table({name: column_of(name, texts) for name, texts in columns.items()}, len(next(iter(columns.values()))))


def release(drawn: list[tuple[int, int]], wish: VariableWish | None = None) -> tuple[Release, list[list[int]]]:
    """Return records of a class and a value each, and the values of every class."""
    written = table(Key=[str(label) for label, _ in drawn], Of=[str(value) for _, value in drawn])
    groups = [[value for other, value in drawn if other == label] for label in sorted({label for label, _ in drawn})]
    wishes = {} if wish is None else {"Of": wish}
    given = Release(written, written, 2, (("Key", "Of"),), frozenset({"Of"}), wishes=wishes)
    return given, groups


@settings(max_examples=draws(25), deadline=None)
@given(_CLASSES, st.integers(1, 4), st.sampled_from([1, 2, 3]))
def test_diversity_is_counted_as_it_is_defined(drawn: list[tuple[int, int]], l: int, c: int) -> None:  # noqa: E741
    given, groups = release(drawn)
    counted = {
        kind: count_diversity(given, DiversityPromise("Of", l, kind, c), ("Key",))  # type: ignore[arg-type]
        for kind in ("distinct", "entropy", "recursive")
    }
    assert counted["distinct"].found["failing"] == sum(not slow_demands.distinct(group, l) for group in groups)
    assert counted["distinct"].found["l"] == min(len(set(group)) for group in groups)
    assert counted["entropy"].found["failing"] == sum(not slow_demands.entropy(group, l) for group in groups)
    failing = sum(not slow_demands.recursive(group, Fraction(c), l) for group in groups)
    assert counted["recursive"].found["failing"] == failing
    assert all(one.is_kept == (one.found["failing"] == 0) for one in counted.values())


@settings(max_examples=draws(25), deadline=None)
@given(_CLASSES)
def test_closeness_is_counted_as_it_is_defined(drawn: list[tuple[int, int]]) -> None:
    file = [value for _, value in drawn]
    given, groups = release(drawn)
    ordered = count_closeness(given, ClosenessPromise("Of", 0.25), ("Key",))
    distances = [slow_demands.ordered_distance(group, file) for group in groups]
    assert ordered.found["t"] == pytest.approx(float(max(distances)), abs=1e-12)
    assert ordered.found["failing"] == sum(distance > Fraction(1, 4) for distance in distances)
    given, groups = release(drawn, VariableWish(scale=Scale.NOMINAL))
    equal = count_closeness(given, ClosenessPromise("Of", 0.25), ("Key",))
    distances = [slow_demands.equal_distance(group, file) for group in groups]
    assert equal.found["t"] == pytest.approx(float(max(distances)), abs=1e-12)
    assert equal.found["failing"] == sum(distance > Fraction(1, 4) for distance in distances)
    assert (ordered.asked["distance"], equal.asked["distance"]) == ("ordered", "equal")


@settings(max_examples=draws(25), deadline=None)
@given(_FIRMS)
def test_dominance_is_counted_in_the_original_over_the_groups_of_the_written_file(drawn: list[tuple[int, int]]) -> None:
    labels = [str(label) for label, _ in drawn]
    before = table(Of=[f"{value / 100:.2f}" for _, value in drawn])  # cents: exact only in steps of the grid
    after = table(Of=labels)
    groups = [[value for other, value in drawn if str(other) == label] for label in sorted(set(labels))]
    given = Release(before, after, 2, (("Of",),), frozenset({"Of"}))
    counted = count_dominance(given, DominancePromise(p=10.0))
    failing = sum(not slow_demands.p_percent(group, Fraction(10)) for group in groups)
    assert counted.found["dominated"] == failing
    assert counted.is_kept == (failing == 0)
    shares = count_dominance(given, DominancePromise(n=2, share=75.0))
    assert shares.found["dominated"] == sum(not slow_demands.n_share(group, 2, Fraction(75)) for group in groups)


def test_without_a_promise_dominance_is_measured_at_ten_percent() -> None:
    before, after = table(Turnover=["1000", "1", "2", "3"]), table(Turnover=["251.5"] * 4)
    counted = count_dominance(Release(before, after, 2, (("Turnover",),), frozenset({"Turnover"})), None)
    assert counted.asked == {"p": 10.0}
    assert counted.found == {"p": pytest.approx(0.3), "groups": 1, "dominated": 1, "worst": "Turnover"}
    assert counted.is_kept is None


def test_dates_and_variables_that_are_no_means_have_no_dominance() -> None:
    before = table(Born=["1990-01-01", "1970-01-02", "1970-01-01"], Size=["900", "1", "1"])
    given = Release(before, before, 2, (("Born", "Size"),), frozenset({"Born"}))
    counted = count_dominance(given, DominancePromise(p=10.0))
    assert (counted.of, counted.found["groups"], counted.is_kept) == ((), 0, True)


def test_weighted_means_are_dominated_by_what_records_contribute() -> None:
    """Three equal firms, one of which stands for a thousand others."""
    before = table(Turnover=["10", "10", "10", "10"], W=["1000", "1", "1", "1"])
    after = table(Turnover=["10", "10", "10", "10"], W=["1000", "1", "1", "1"])
    plain = Release(before, after, 2, (("Turnover",),), frozenset({"Turnover"}))
    assert count_dominance(plain, DominancePromise(p=10.0)).is_kept
    weighted = Release(before, after, 2, (("Turnover",),), frozenset({"Turnover"}), weights="W")
    assert not count_dominance(weighted, DominancePromise(p=10.0)).is_kept


def test_a_missing_value_is_no_value_of_diversity_and_one_value_of_closeness() -> None:
    after = table(Key=["a", "a", "b", "b"], Of=["x", None, "-9", "y"])
    given = Release(after, after, 2, missing={"Of": ("-9",)})
    counted = count_diversity(given, DiversityPromise("Of", 2), ("Key",))
    assert counted.found == {"l": 1, "classes": 2, "failing": 2}
    near = count_closeness(given, ClosenessPromise("Of", 0.3), ("Key",))
    assert near.found["t"] == pytest.approx(0.25)


def test_numbers_are_compared_as_numbers() -> None:
    after = table(Key=["a", "a"], Of=["5", "5.0"])
    assert count_diversity(Release(after, after, 2), DiversityPromise("Of", 2), ("Key",)).found["l"] == 1


def test_the_quantiles_of_closeness_are_exact_in_a_large_file() -> None:
    random = np.random.default_rng(5)
    drawn = [(int(label), int(value)) for label, value in zip(*random.integers(0, (7, 300), (900, 2)).T, strict=True)]
    given, groups = release(drawn)
    file = [value for _, value in drawn]
    found = count_closeness(given, ClosenessPromise("Of", 0.1), ("Key",)).found["t"]
    assert found == pytest.approx(float(max(slow_demands.ordered_distance(group, file) for group in groups)), abs=1e-12)
