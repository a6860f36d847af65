"""What an intruder derives from published rules, on files small enough to reason through by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.constraints.constraint import DomainAtom
from constraint_sdc.data.pair import MaskedTogether, Pair
from constraint_sdc.data.series import Grid
from constraint_sdc.evaluate.expression import Outside
from constraint_sdc.measures.assessment import Measured
from constraint_sdc.measures.attacks.rule_inference.attack import RuleInference
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.lower_median import LowerMedian
from constraint_sdc.reports.sentences import sentences, worded
from constraint_sdc.settings.words import Scale
from tests.measures.attacks.edit_rules import rule_of, written_rules
from tests.measures.pairs import compared, group_means

NAN = np.nan


def file_of(
    original: dict[str, list[float]],
    masked: dict[str, list[float]],
    *,
    grid: Grid | None = None,
    operators: dict[str, str] | None = None,
    is_weighted: bool = False,
) -> Pair:
    """Return a file in which the variables under `masked` were masked together, the others not at all."""
    variables = tuple(
        compared(name, values, masked.get(name, values), is_masked=name in masked, grid=grid)
        for name, values in original.items()
    )
    block = MaskedTogether(tuple(masked), "mdav", operators or {}, is_weighted)
    return Pair(variables, tuple(original), (block,))


def averaged(original: dict[str, list[float]], names: str, size: int) -> dict[str, list[float]]:
    """Return the means of some variables over groups of consecutive records."""
    values = np.column_stack([original[name] for name in names])
    means = group_means(values, np.arange(len(values)) // size)
    return {name: means[:, j].tolist() for j, name in enumerate(names)}


def row(measured: Measured, table: str, variable: str) -> dict[str, object]:
    found = next(t for t in measured.tables if t.name == table)
    short = ("variable", "width", "bounded", "near", "pinned", "impossible", "rules")
    return next(dict(zip(short, cells, strict=True)) for cells in found.rows if cells[0] == variable)


def test_a_masked_total_is_at_least_its_released_part(tmp_path: Path) -> None:
    rules = written_rules(tmp_path, "number(A) + number(B) = number(T)", "number(B) >= 0")
    original = {"A": [3.0, 9.0, 4.0], "B": [1.0, 0.0, 2.0], "T": [4.0, 9.0, 6.0]}
    masked = {"B": [1.0] * 3, "T": [19 / 3] * 3}
    found = RuleInference(rules).measure(file_of(original, masked))
    from_rules = row(found, "rules", "T")
    assert from_rules["bounded"] == 0
    assert from_rules["width"] is None
    assert from_rules["impossible"] == pytest.approx(100 / 3)  # 19/3 is less than the 9 of the second record's A
    assert from_rules["rules"] == "r1"
    assert row(found, "rules", "B")["rules"] == "r2"


def test_the_mean_bounds_what_the_rules_bound_from_below(tmp_path: Path) -> None:
    """B >= 0 and three records have the sum 3, so each lies in [0, 3]; T = A + B then lies in [A, A + 3]."""
    rules = written_rules(tmp_path, "number(A) + number(B) = number(T)", "number(B) >= 0")
    original = {"A": [3.0, 9.0, 4.0], "B": [1.0, 0.0, 2.0], "T": [4.0, 9.0, 6.0]}
    masked = {"B": [1.0] * 3, "T": [19 / 3] * 3}
    found = RuleInference(rules).measure(file_of(original, masked, grid=Grid(0)))
    assert found.value("bounded") == 100
    assert row(found, "rules-and-masked", "B")["width"] == 3.0  # the deviation of 0, 1, 2 is 1
    assert row(found, "rules-and-masked", "T")["width"] == pytest.approx(3.0 / np.std([4, 9, 6], ddof=1))
    assert found.value("pinned") == 0


def test_a_total_of_released_parts_is_given_away(tmp_path: Path) -> None:
    """Masking a total whose parts are all released hides nothing."""
    original = {"A": [0.1, 0.7, 0.3], "B": [0.2, 0.1, 0.3], "T": [0.1 + 0.2, 0.7 + 0.1, 0.6]}
    rules = written_rules(tmp_path, "number(A) + number(B) = number(T)")
    found = RuleInference(rules).measure(file_of(original, averaged(original, "T", 3)))
    assert found.value("pinned-by-rules") == found.value("pinned-rules-only") == 100
    assert found.value("pinned-without-rules") == 0
    assert worded(found.says).startswith("The rules give away 100.00% of the masked values exactly")


def test_a_fixed_value_is_known(tmp_path: Path) -> None:
    original = {"X": [5.0] * 4, "Y": [1.0, 2.0, 3.0, 4.0]}
    found = RuleInference(written_rules(tmp_path, "number(X) = 5")).measure(
        file_of(original, averaged(original, "XY", 2))
    )
    assert row(found, "rules", "X")["pinned"] == 100
    assert row(found, "rules", "Y")["pinned"] == 0
    assert found.value("pinned-by-rules") == 50


@pytest.mark.parametrize("grid", [Grid(0), Grid(2), Grid(None)])
def test_bounds_that_meet_pin_both_variables(tmp_path: Path, grid: Grid) -> None:
    rules = written_rules(tmp_path, "number(X) + number(Y) <= 10", "number(X) >= 10", "number(Y) >= 0")
    original = {"X": [10.0] * 3, "Y": [0.0] * 3}
    found = RuleInference(rules).measure(file_of(original, averaged(original, "XY", 3), grid=grid))
    assert found.value("pinned-by-rules") == 100
    assert row(found, "rules", "X")["rules"] == "r1, r2"


def test_an_implication_speaks_where_its_condition_is_released(tmp_path: Path) -> None:
    rules = written_rules(tmp_path, "not(number(E) = 0) or number(W) = 0")
    original = {"E": [0.0, 1.0, 0.0, 1.0], "W": [0.0, 7.0, 0.0, 3.0]}
    found = RuleInference(rules).measure(file_of(original, averaged(original, "W", 2)))
    assert row(found, "rules", "W")["pinned"] == 50
    assert row(found, "rules", "W")["impossible"] == 50  # 3.5 and 1.5 are not 0
    # The other member of each pair follows from the mean.
    assert row(found, "rules-and-masked", "W")["pinned"] == 100


def test_the_condition_of_a_context_counts(tmp_path: Path) -> None:
    original = {"E": [0.0, 1.0, 0.0], "W": [0.0, 7.0, 0.0]}
    rules = written_rules(tmp_path, "number(W) = 0", context="Record[number(E) = 0]")
    found = RuleInference(rules).measure(file_of(original, averaged(original, "W", 3)))
    assert row(found, "rules", "W")["pinned"] == pytest.approx(200 / 3)


def test_a_list_of_values_leaves_the_nearest(tmp_path: Path) -> None:
    rules = written_rules(tmp_path, "number(X) = (1, 5, 20)", "number(X) > number(A)", "number(X) < number(A) + 10")
    original = {"A": [0.5, 3.0, 15.0], "X": [1.0, 5.0, 20.0]}
    found = RuleInference(rules).measure(file_of(original, averaged(original, "X", 3)))
    assert row(found, "rules", "X")["pinned"] == pytest.approx(200 / 3)  # the first may be 1 or 5
    assert row(found, "rules-and-masked", "X")["pinned"] == 100  # the other two and the mean tell the first


def test_whole_numbers_leave_one(tmp_path: Path) -> None:
    rules = written_rules(tmp_path, "number(X) mod 1 = 0", "number(X) > number(A)", "number(X) < number(A) + 1")
    original = {"A": [0.5, 3.25], "X": [1.0, 4.0]}
    found = RuleInference(rules).measure(file_of(original, averaged(original, "X", 2)))
    assert found.value("pinned-rules-only") == 100


def test_a_product_with_a_released_factor(tmp_path: Path) -> None:
    rules = written_rules(tmp_path, "number(P) * number(Q) = number(V)", "number(Q) >= 1", "number(Q) <= 2")
    original = {"P": [-3.0, 0.1, 0.0], "Q": [2.0, 1.5, 1.0], "V": [-6.0, 0.1 * 1.5, 0.0]}
    found = RuleInference(rules).measure(file_of(original, averaged(original, "QV", 3)))
    assert row(found, "rules", "V")["bounded"] == 100
    assert row(found, "rules", "V")["pinned"] == pytest.approx(100 / 3)  # 0 times anything


def test_a_value_domain_bounds_by_its_extremes() -> None:
    rule = rule_of("listed", DomainAtom("X", Outside(None, ("X",))))
    original = {"X": [1.0, 2.0, 3.0]}
    file = file_of(original, averaged(original, "X", 3))
    known = RuleInference([rule], {"X": np.array([3.0, 1.0, 2.0, NAN])}).measure(file)
    assert row(known, "rules", "X")["width"] == 2.0
    unknown = RuleInference([rule]).measure(file)
    assert row(unknown, "rules", "X")["width"] is None
    assert "1 of 1 rules tell nothing about intervals: listed." in sentences(unknown.notes)


def test_a_rule_that_the_original_breaks_is_not_used(tmp_path: Path) -> None:
    original = {"X": [5.0, 5.0, 4.0]}
    found = RuleInference(written_rules(tmp_path, "number(X) = 5")).measure(
        file_of(original, averaged(original, "X", 3))
    )
    assert found.value("pinned") == 0
    assert any("breaks these rules" in note and "r1" in note for note in sentences(found.notes))


def test_rules_on_texts_tell_nothing_and_are_named(tmp_path: Path) -> None:
    rules = written_rules(tmp_path, "matches(X, '^[0-9]+$')", "exists(X)", "number(X) >= 0")
    original = {"X": [1.0, 2.0]}
    found = RuleInference(rules).measure(file_of(original, averaged(original, "X", 2)))
    assert "2 of 3 rules tell nothing about intervals: r1, r2." in sentences(found.notes)


def test_a_blank_takes_its_record_out_of_the_rule(tmp_path: Path) -> None:
    """`not(A > 3)` holds for a blank A too: nothing follows for T then."""
    rules = written_rules(tmp_path, "not(number(A) > 3) or number(T) = 1")
    original = {"A": [5.0, NAN, 5.0, 5.0], "T": [1.0, 8.0, 1.0, NAN]}
    masked = {"T": [4.5, 4.5, 1.0, NAN]}
    found = RuleInference(rules).measure(file_of(original, masked))
    assert found.value("cells") == 3
    assert row(found, "rules", "T")["pinned"] == pytest.approx(200 / 3)


def test_the_identity_file_is_known_without_rules(tmp_path: Path) -> None:
    """Every released row is alone and is the mean of itself: rules add nothing to that."""
    original = {"X": [1.0, 2.5, 4.0], "Y": [1e15, -3.0, 0.1]}
    rules = written_rules(tmp_path, "number(X) >= 0")
    mean = ArithmeticMean.name
    found = RuleInference(rules).measure(file_of(original, original, operators={"X": mean, "Y": mean}))
    assert found.value("pinned-without-rules") == found.value("pinned") == 100
    assert found.value("pinned-by-rules") == 0


def test_without_rules_groups_tell_nothing() -> None:
    original = {"X": [1.0, 2.0, 3.0, 4.0]}
    found = RuleInference(()).measure(file_of(original, averaged(original, "X", 2)))
    assert found.value("bounded") == found.value("pinned") == 0
    assert "There are no rules." in sentences(found.notes)


def test_shuffled_values_are_not_taken_for_means(tmp_path: Path) -> None:
    """A shuffled column agrees with no class mean; the rules alone still bound it."""
    original = {"X": [1.0, 2.0, 30.0, 40.0]}
    found = RuleInference(written_rules(tmp_path, "number(X) >= 0", "number(X) <= 50")).measure(
        file_of(original, {"X": [40.0, 1.0, 2.0, 30.0]})
    )
    assert row(found, "rules", "X") == row(found, "rules-and-masked", "X")
    assert any("Not known to be group means" in note for note in sentences(found.notes))


@pytest.mark.parametrize("how", ["weighted", "lower median"])
def test_other_operators_than_the_plain_mean_are_not_inverted(tmp_path: Path, how: str) -> None:
    original = {"X": [1.0, 2.0, 3.0]}
    operator = LowerMedian.name if how == "lower median" else ArithmeticMean.name
    file = file_of(original, {"X": [2.0] * 3}, operators={"X": operator}, is_weighted=how == "weighted")
    found = RuleInference(written_rules(tmp_path, "number(X) >= 0")).measure(file)
    assert found.value("bounded") == 0


def test_a_repaired_mean_is_inverted_with_its_slack(tmp_path: Path) -> None:
    """Released 2 for a true mean of 7/3: the sum is known to within 1, so X <= 7 although 3 * 2 = 6."""
    original = {"X": [0.0, 0.0, 7.0]}
    file = file_of(original, {"X": [2.0] * 3}, operators={"X": ArithmeticMean.name}, grid=Grid(0))
    found = RuleInference(written_rules(tmp_path, "number(X) >= 0")).measure(file)
    assert row(found, "rules-and-masked", "X")["width"] == pytest.approx(7 / np.std([0, 0, 7], ddof=1))


def test_a_grid_counts_only_if_the_original_lies_on_it(tmp_path: Path) -> None:
    rules = written_rules(tmp_path, "number(X) > 4", "number(X) < 6")
    whole, halves = ({"X": [value] * 2} for value in (5.0, 5.5))
    for original, pinned in ((whole, 100), (halves, 0)):
        found = RuleInference(rules).measure(file_of(original, {"X": [5.0] * 2}, grid=Grid(0)))
        assert found.value("pinned-rules-only") == pinned


def test_a_variable_that_changed_without_being_masked_is_not_trusted(tmp_path: Path) -> None:
    variables = (compared("A", [1.0, 2.0], [1.0, 3.0], is_masked=False), compared("X", [1.0, 2.0], [1.5, 1.5]))
    found = RuleInference(written_rules(tmp_path, "number(X) = number(A)")).measure(Pair(variables, ("A", "X")))
    assert found.value("pinned") == 0
    assert any("Not masked but changed" in note for note in sentences(found.notes))


def test_codes_are_not_numbers(tmp_path: Path) -> None:
    """A nominal variable's codes mean nothing in arithmetic: a rule on its number is left aside."""
    variables = (
        compared("C", [0.0, 1.0], [0.0, 1.0], scale=Scale.NOMINAL, is_masked=False),
        compared("D", [0.0, 1.0], [1.0, 1.0], scale=Scale.NOMINAL),
        compared("X", [1.0, 2.0], [1.5, 1.5]),
    )
    found = RuleInference(written_rules(tmp_path, "number(X) = number(C)")).measure(Pair(variables, ("C", "X")))
    assert found.value("pinned") == 0
    assert "Only numbers have intervals; left out: D." in sentences(found.notes)


ODD = {
    "one record": [7.0],
    "two records": [7.0, 9.0],
    "constant": [3.0] * 6,
    "huge": [1e15, 1e300, -1e300, 1e308, -1e308, 1.0],
    "tiny": [5e-324, 0.0, 1e-310],
    "blanks": [1.0, NAN, 3.0, NAN],
    "all blank": [NAN] * 3,
    "infinite": [np.inf, 1.0, -np.inf],
    "ties": [1.0, 1.0, 2.0, 2.0, 2.0],
}
TESTS = (
    "number(X) + number(Y) >= -1e308",
    "number(X) * number(Y) >= number(X) - 10",
    "number(X) * number(X) >= 0",
    "number(X) <= number(A) + 1",
    "not(number(X) = 3) or number(Y) >= 3",
)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("decimals", [None, 0, 2])
def test_odd_files_give_finite_answers(tmp_path: Path, odd: str, decimals: int | None) -> None:
    values = ODD[odd]
    original = {"A": values, "X": values, "Y": list(reversed(values))}
    masked = {name: list(np.where(np.isnan(original[name]), NAN, 1.0)) for name in "XY"}
    mean = ArithmeticMean.name
    file = file_of(original, masked, grid=Grid(decimals), operators={"X": mean, "Y": mean})
    found = RuleInference(written_rules(tmp_path, *TESTS)).measure(file)
    numbers = [f.value for f in found.figures] + [cell for t in found.tables for r in t.rows for cell in r[1:6]]
    assert all(n is None or (type(n) in (int, float) and np.isfinite(n)) for n in numbers)
    assert (found.figures[0].value is None) == (odd == "all blank")


def test_an_empty_file_has_nothing_to_derive(tmp_path: Path) -> None:
    found = RuleInference(written_rules(tmp_path, "number(X) >= 0")).measure(file_of({"X": []}, {"X": []}))
    assert found.figures[0].value is None
    assert "No masked variable holds numbers in both files." in sentences(found.notes)


def test_no_table_tells_about_a_single_record(tmp_path: Path) -> None:
    original = {"X": [12345.0, 2.0, 3.0]}
    found = RuleInference(written_rules(tmp_path, "number(X) >= 0")).measure(
        file_of(original, averaged(original, "X", 3))
    )
    assert not any(table.is_of_records for table in found.tables)
    assert "12345" not in repr(found)
