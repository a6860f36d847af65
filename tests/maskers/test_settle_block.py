"""Blocks as pieces of work: the same values as in one process, and Saxon is asked where it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.commands.masking.preparation import prepared_file
from constraint_sdc.data.table import column_of
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.parcel import packed_bytes, unpacked
from constraint_sdc.exact.ladder import Ladder
from constraint_sdc.exam.guarantee.business_questionnaire import make_business
from constraint_sdc.exam.guarantee.exam import mask_options
from constraint_sdc.exam.guarantee.generator import ExamCase, make_case, write_case
from constraint_sdc.judge.records import SaxonOnRecords
from constraint_sdc.maskers.masked import MaskedBlock, MaskOptions
from constraint_sdc.maskers.microaggregation import group_run
from constraint_sdc.maskers.microaggregation import settle_block as room
from constraint_sdc.maskers.microaggregation.group_run import nearest_records
from constraint_sdc.maskers.microaggregation.mask_block import mask_block
from constraint_sdc.maskers.microaggregation.settle_block import Unsettled, mask_together, settle_piece
from constraint_sdc.settings.protect import DominancePromise, Protect
from constraint_sdc.settings.recipe import Recipe
from tests.maskers.extract import Extract, columns, extract

N, K = 60, 3
SUM = "number(A) + number(B) = number(C)"
ENDS_IN_5 = "substring(string-join(A, ''), string-length(string-join(A, '')), 1) = ('0', '5')"


def survey(folder: Path, rule: str) -> Extract:
    a = [5 * (i * 37 % 101) for i in range(N)]
    b = [i * i % 83 for i in range(N)]
    other = [i * 13 % 29 for i in range(N)]
    return extract(folder, columns(A=a, B=b, C=[x + y for x, y in zip(a, b, strict=True)], D=other), {"rule": rule})


def told(block: MaskedBlock) -> tuple[object, ...]:
    values = {name: column.texts() for name, column in block.columns.items()}
    return values, block.groups.label.tolist(), block.stratum, block.step, block.price


@pytest.mark.parametrize(("rule", "is_asked"), [(SUM, False), (ENDS_IN_5, True)])
def test_a_block_that_was_sent_has_the_same_values(
    tmp_path: Path, rule: str, is_asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[bool] = []

    def sent(piece: object) -> object:
        found = settle_piece(unpacked(packed_bytes(piece)))
        answers.append(found is Unsettled.NEEDS_SAXON)
        return unpacked(packed_bytes(found))

    given = survey(tmp_path, rule)
    with prepared_file(given.data, given.rules, MaskOptions(k=K, undecided="guess", partition="mdav")) as prepared:
        inputs = prepared.mask_inputs
        design = inputs.masker.plan(prepared.plan_inputs)
        expected = [told(mask_block(block, inputs)) for block in design.blocks]
        monkeypatch.setattr(room, "map_pieces", lambda _, pieces, **_work: map(sent, pieces))
        assert [told(block) for block in mask_together(design.blocks, inputs)] == expected
    assert any(answers) == is_asked


Told = list[tuple[object, ...]]


def blocks_of(data: Path, rules: Path | None, options: MaskOptions) -> Told:
    """Return the masked blocks of a file."""
    with prepared_file(data, rules, options) as prepared:
        design = prepared.mask_inputs.masker.plan(prepared.plan_inputs)
        return [told(block) for block in mask_together(design.blocks, prepared.mask_inputs)]


def by_runs(data: Path, rules: Path | None, options: MaskOptions, monkeypatch: pytest.MonkeyPatch) -> Told:
    """Return the same by runs of about 15 records; at least one block is settled so."""
    together, blocks = room._BlockWork.of_runs, list[int]()
    monkeypatch.setattr(room._BlockWork, "of_runs", lambda *given: [blocks.append(1), together(*given)][1])
    monkeypatch.setattr(room, "RUN", 15)
    found = blocks_of(data, rules, options)
    assert blocks
    return found


@pytest.mark.parametrize("case", [make_case(0), make_case(1), make_business(0)])
def test_runs_of_groups_give_the_values_of_the_whole_block(
    case: ExamCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = write_case(case, tmp_path)
    given = files.data, files.rules, mask_options(case, files.recipe)
    assert blocks_of(*given) == by_runs(*given, monkeypatch)


def test_runs_that_are_sent_give_the_same_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = write_case(case := make_business(0), tmp_path)
    given = files.data, files.rules, mask_options(case, files.recipe)
    whole = blocks_of(*given)

    def sent(piece: object) -> object:
        return unpacked(packed_bytes(settle_piece(unpacked(packed_bytes(piece)))))

    monkeypatch.setattr(room, "map_pieces", lambda _, pieces, **_work: map(sent, pieces))
    assert by_runs(*given, monkeypatch) == whole


def test_saxon_judges_the_records_of_a_run_as_those_of_the_file(tmp_path: Path) -> None:
    given = survey(tmp_path, ENDS_IN_5)
    with prepared_file(given.data, given.rules, MaskOptions(k=K, undecided="guess", partition="mdav")) as prepared:
        xml = prepared.mask_inputs.xml
        assert xml is not None
        rows, asked = np.array([7, 40, 3, 21]), np.array([2, 0, 1, 2])
        new = {"A": column_of("A", ["5", "17", "40", "3"])}
        of_run = SaxonOnRecords(xml.part(rows), ["rule"], None).holds(asked, new)
        of_file = SaxonOnRecords(xml, ["rule"], None).holds(rows[asked], new)
        others = [document for _, document in xml.part(rows).documents(asked, {})]
        whole = [document for _, document in xml.documents(rows[asked], {})]
    assert of_run["rule"].tolist() == of_file["rule"].tolist() == [True, False, True, False]
    assert others == whole


def test_a_run_gets_the_records_of_other_runs_that_its_groups_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps that usually succeed are left out, so that groups take the nearest records of the whole file."""
    for step in ("_derive", "_nudge", "_repair", "_anchor"):
        monkeypatch.setattr(Ladder, step, lambda *_: None)
    monkeypatch.setattr(Ladder, "_take_records", Ladder._take_strangers)
    survey_of_sums = survey(tmp_path, SUM)
    given = survey_of_sums.data, survey_of_sums.rules, MaskOptions(k=K, undecided="guess", partition="mdav")
    whole = blocks_of(*given)
    asked: list[int] = []
    monkeypatch.setattr(group_run, "nearest_records", lambda *given: [asked.append(1), nearest_records(*given)][1])
    assert by_runs(*given, monkeypatch) == whole
    assert asked


def test_groups_that_break_a_promise_are_grouped_again_and_then_settled_by_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe(protect=Protect(dominance=DominancePromise(p=60)))
    survey_of_sums = survey(tmp_path, SUM)
    given = survey_of_sums.data, survey_of_sums.rules, MaskOptions(k=K, undecided="guess", recipe=recipe)
    whole = blocks_of(*given)
    again, regrouped = room._BlockWork.regrouped, list[int]()
    monkeypatch.setattr(room._BlockWork, "regrouped", lambda block: [regrouped.append(1), again(block)][1])
    assert by_runs(*given, monkeypatch) == whole
    assert regrouped


def test_equally_near_records_come_in_the_order_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    points = rng.integers(0, 5, (400, 2)).astype(np.float64)
    monkeypatch.setattr(group_run, "windows", lambda count: windows(count, 7))
    for _ in range(20):
        centre = rng.integers(0, 5, 2).astype(np.float64)
        gaps = ((points - centre) ** 2).sum(axis=1)
        assert nearest_records(points, centre, 30).tolist() == np.argsort(gaps, kind="stable")[:30].tolist()
