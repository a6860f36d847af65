"""Candidates are the texts that would be written, and the judge of a block lets no broken one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.commands.masking.preparation import prepared_file
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import Series
from constraint_sdc.data.table import State, column_of
from constraint_sdc.evaluate.truth import Numbers
from constraint_sdc.exact.candidates import NOT_COPIED, Candidates, set_found
from constraint_sdc.exact.settlement import BlockJudge
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.plan.make_plan import make_plan
from constraint_sdc.plan.read_series import make_series
from constraint_sdc.settings.words import Scale, VariableWish
from tests.maskers.extract import Extract, extract, table

MONEY = ["1.50", "2.25", "", "4.10"]


def series(name: str, texts: Sequence[str | None], nil: Sequence[bool] | None = None) -> Series:
    return make_series(column_of(name, texts, nil), Scale.NUMERIC, VariableWish(), ())


def written(candidates: Candidates) -> dict[str, list[str | None]]:
    return {name: column.texts() for name, column in candidates.columns().items()}


def test_numbers_are_written_on_the_grid_of_their_variable() -> None:
    both = [series("Count", ["1", "2"]), series("Money", MONEY), series("Share", ["0.3333333333333333", "0.1"])]
    candidates = Candidates.blank(both, np.array([0, 1]))
    for variable in range(3):
        candidates.set_numbers(variable, np.array([0, 1]), np.array([7 / 3, -0.004]))
    assert written(candidates) == {
        "Count": ["2", "0"],
        "Money": ["2.33", "0.00"],
        "Share": ["2.3333333333333335", "-0.004"],
    }
    assert candidates.values[0].tolist() == [2.0, 2.33, 7 / 3]


def test_halves_go_to_the_even_neighbour_and_no_number_leaves_the_cell_alone() -> None:
    candidates = Candidates.blank([series("Count", ["1"])], np.arange(4))
    candidates.set_numbers(0, np.arange(4), np.array([2.5, 3.5, np.nan, np.inf]))
    assert written(candidates)["Count"] == ["2", "4", "", ""]


def test_decimals_that_a_rule_computes_go_to_the_even_neighbour_on_the_grid() -> None:
    """2.5, 3.5, 2.0, 2.6, -2.5 and -3.5 as xs:decimal, where the variable has whole numbers."""
    everyone = np.arange(6)
    candidates = Candidates.blank([series("Count", ["1"])], everyone)
    computed = Numbers(None, np.array([25, 35, 20, 26, -25, -35]), 1, np.zeros(6, np.bool_))
    set_found(candidates, 0, everyone, computed)
    assert written(candidates)["Count"] == ["2", "4", "2", "3", "-2", "-4"]
    assert candidates.values[:, 0].tolist() == [2.0, 4.0, 2.0, 3.0, -2.0, -4.0]


def test_a_copied_cell_is_the_records_own_text() -> None:
    one = series("V", [" 5 ", "1e1", None, "", ""], [False, False, False, False, True])
    candidates = Candidates.blank([one], np.arange(5))
    candidates.copy_records(np.arange(5))
    column = candidates.columns()["V"]
    assert column.texts() == [" 5 ", "1e1", None, "", ""]
    assert column.state.tolist() == [State.VALUE, State.VALUE, State.ABSENT, State.EMPTY, State.NIL]
    assert candidates.source[:, 0].tolist() == [0, 1, 2, 3, 4]
    candidates.set_numbers(0, np.array([1]), np.array([3.0]))
    assert candidates.source[1, 0] == NOT_COPIED


def test_taken_candidates_are_copies() -> None:
    candidates = Candidates.blank([series("V", ["1", "2"])], np.array([0, 1]))
    candidates.copy_records(np.array([0, 1]))
    twice = candidates.take(np.array([1, 1]))
    twice.set_numbers(0, np.array([0]), np.array([9.0]))
    assert (written(candidates)["V"], written(twice)["V"]) == (["1", "2"], ["9", "2"])
    candidates.put(np.array([0]), twice.take(np.array([0])))
    assert written(candidates)["V"] == ["9", "2"]


RECORDS = table("""
A  B   C   Type
1  2   3   x
2  5   7   x
4  4   8   y
9  1   10  y
""")
TOTAL = {"total": "number(A) + number(B) = number(C)"}


def judge(given: Extract, label: list[int], **more: str) -> tuple[BlockJudge, BlockDesign]:
    with prepared_file(given.data, given.rules, given.options(2, **more)) as prepared:
        # Without Saxon: a rule that the evaluator does not take is one that nothing can judge.
        (design,) = make_plan(replace(prepared.plan_inputs, asking_saxon=())).blocks
    inputs = prepared.mask_inputs
    return BlockJudge(design, Groups(np.array(label)), inputs.table, inputs.held, inputs.evaluator_for(design)), design


def candidates_of(design: BlockDesign, rows: list[tuple[int, list[str]]]) -> Candidates:
    """Return candidates from (group, texts) pairs, made of numbers that nobody has."""
    found = Candidates.blank(design.series, np.array([group for group, _ in rows]))
    for row, (_, texts) in enumerate(rows):
        for variable, text in enumerate(texts):
            found.values[row, variable] = float(text)
            found.set_texts(variable, np.array([row]), [text])
    return found


def test_a_planted_broken_candidate_fails(tmp_path: Path) -> None:
    judged, design = judge(extract(tmp_path, RECORDS, TOTAL), [0, 0, 1, 1])
    assert [s.name for s in design.series] == ["A", "B", "C"]
    rows = candidates_of(design, [(0, ["1", "3", "4"]), (0, ["1", "3", "5"]), (1, ["0.1", "0.2", "0.3"])])
    assert judged.passing(rows).tolist() == [True, False, False]
    assert judged.verdicts(rows).tolist() == [[True], [False], [False]]


def test_the_written_text_is_judged_not_the_number(tmp_path: Path) -> None:
    records = [{**record, "A": f"{record['A']}.0"} for record in RECORDS]
    judged, design = judge(extract(tmp_path, records, {"short": "string-length(A) = 3"}, "groups: all"), [0, 0, 1, 1])
    rows = candidates_of(design, [(0, ["2.5", "1", "1"]), (0, ["2.50", "1", "1"])])
    assert judged.passing(rows).tolist() == [True, False]


def test_a_broken_record_asks_for_nothing_and_a_clean_one_in_its_group_for_all(tmp_path: Path) -> None:
    records = [*RECORDS[:3], {**RECORDS[3], "C": "99"}]
    given = extract(tmp_path, records, TOTAL)
    judged, design = judge(given, [0, 0, 0, 1], on_broken="keep")
    wrong = [(0, ["1", "1", "5"]), (1, ["1", "1", "5"])]
    assert judged.passing(candidates_of(design, wrong)).tolist() == [False, True]
    together, _ = judge(given, [0, 0, 1, 1], on_broken="keep")
    assert together.passing(candidates_of(design, wrong)).tolist() == [False, False]


def test_an_unmasked_variable_has_its_say_for_every_record_of_the_group(tmp_path: Path) -> None:
    rules = {"small": "Type = 'y' or number(A) <= 3"}
    judged, design = judge(extract(tmp_path, RECORDS, rules, "groups: all"), [0, 0, 1, 1])
    assert design.others == ("Type",)
    rows = candidates_of(design, [(0, ["3", "0", "0"]), (0, ["4", "0", "0"]), (1, ["4", "0", "0"])])
    assert judged.passing(rows).tolist() == [True, False, True]
    mixed, _ = judge(extract(tmp_path, RECORDS, rules, "groups: all"), [0, 1, 0, 1])
    assert mixed.passing(rows).tolist() == [True, False, False]


@pytest.mark.parametrize(("copied", "passes"), [(("A", "B"), True), (("A",), False), ((), False)])
def test_a_rule_that_cannot_be_evaluated_needs_its_variables_from_one_record(
    tmp_path: Path, copied: tuple[str, ...], passes: bool
) -> None:
    rules = {"odd": "string-length(string-join(for $x in (A, B) return $x, '-')) = 3"}
    judged, design = judge(extract(tmp_path, RECORDS, rules, "groups: all"), [0, 0, 1, 1])
    rows = candidates_of(design, [(0, ["1", "2", "3"])])
    for variable, one in enumerate(design.series):
        if one.name in copied:
            rows.copy_cells(variable, np.array([0]), np.array([1]))
    assert judged.passing(rows).tolist() == [passes]


@pytest.mark.parametrize(("label", "passes"), [([0, 0, 1, 1], True), ([0, 1, 0, 1], False)])
def test_a_rule_that_cannot_be_evaluated_needs_the_unmasked_values_of_that_record_too(
    tmp_path: Path, label: list[int], passes: bool
) -> None:
    rules = {"odd": "string-length(string-join(for $x in (A, Type) return $x, '-')) = 3"}
    given = extract(tmp_path, RECORDS, rules, "groups: all\nvariables: {Type: {role: untouched}}")
    judged, design = judge(given, label)
    assert design.others == ("Type",)
    rows = candidates_of(design, [(0, ["1", "2", "3"])])
    rows.copy_cells(0, np.array([0]), np.array([0]))
    assert judged.passing(rows).tolist() == [passes]


def test_cells_of_two_records_are_no_record(tmp_path: Path) -> None:
    rules = {"odd": "string-length(string-join(for $x in (A, B) return $x, '-')) = 3"}
    judged, design = judge(extract(tmp_path, RECORDS, rules, "groups: all"), [0, 0, 1, 1])
    rows = candidates_of(design, [(0, ["1", "2", "3"])])
    for variable in (0, 1):
        rows.copy_cells(variable, np.array([0]), np.array([variable]))
    assert judged.passing(rows).tolist() == [False]


def test_a_candidate_is_a_record_if_all_its_cells_are_copied_from_the_same_one() -> None:
    candidates = Candidates.blank([series("A", ["1", "2"]), series("B", ["3", "4"])], np.zeros(4, int))
    candidates.copy_cells(0, np.array([0, 1]), np.array([0, 1]))
    candidates.copy_cells(1, np.array([0, 1]), np.array([0, 0]))
    for variable in range(2):
        candidates.set_numbers(variable, np.array([2]), np.array([7.0]))
    candidates.copy_cells(0, np.array([3]), np.array([1]))
    candidates.set_numbers(1, np.array([3]), np.array([7.0]))
    assert candidates.are_records().tolist() == [True, False, False, False]
