"""Sweeping: every point is what masking and assessing a file would say, however it is computed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from statistics import mean
from time import perf_counter

import pytest

from constraint_sdc.census import generate_file
from constraint_sdc.commands.assess import assess_files
from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.measuring.sweep_journal import read_sweep_points
from constraint_sdc.commands.sweep import sweep_file
from constraint_sdc.errors import UsageError
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.measures.assessment import AssessOptions
from constraint_sdc.measures.sweep_points import WITH_RULES, WITHOUT_RULES, MaskedBy, Sweep, SweepOptions, SweepPoint
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.reports.sweep import sweep_text, write_sweep_files
from constraint_sdc.settings.recipe import AssessWish, Recipe
from constraint_sdc.settings.words import Totals

RULES = shipped_file("rules", "census-paper.sch")
BOTH = SweepOptions(ks=(1, 3, 7), partitions=("mdav",), compare_unconstrained=True, jobs=1)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sweep") / "extract.xml"
    generate_file(path, 120, 5)
    return path


@pytest.fixture(scope="module")
def swept(data: Path) -> Sweep:
    return sweep_file(data, RULES, BOTH)


def point(sweep: Sweep, scenario: str, k: int) -> SweepPoint:
    return next(p for p in sweep.points if (p.scenario, p.k) == (scenario, k))


def timeless(points: tuple[SweepPoint, ...]) -> list[SweepPoint]:
    return [replace(p, seconds=0.0) for p in points]


@pytest.mark.parametrize("scenario", [WITH_RULES, WITHOUT_RULES])
@pytest.mark.parametrize("k", [3, 7])
def test_a_point_is_what_mask_and_assess_say_of_the_written_file(
    data: Path, swept: Sweep, tmp_path: Path, scenario: str, k: int
) -> None:
    rules = RULES if scenario == WITH_RULES else None
    mask_file(data, rules, tmp_path / "masked.xml", MaskOptions(k=k, partition="mdav"))
    assessed = assess_files(data, tmp_path / "masked.xml", AssessOptions(attacks=()))
    found = point(swept, scenario, k)
    for name in ("pil", "dbrl", "id", "dr", "score"):
        assert getattr(found, name) == pytest.approx(assessed.score.value(name), abs=1e-9)
    loss = next(m for m in assessed.utility if m.measure == "sse").figures[0].value
    assert found.loss == pytest.approx(loss, abs=1e-9)
    checked = check_file(tmp_path / "masked.xml", RULES, CheckOptions(original=data))
    assert found.broken == sum(result.failed for result in checked.results)
    assert found.smallest is not None
    assert found.smallest >= k


def test_the_averaged_score_is_that_of_assess_and_of_every_subset(data: Path, tmp_path: Path) -> None:
    recipe = Recipe(assess=AssessWish(known=("V1", "V2")))
    masking = MaskOptions(recipe=recipe, seed=4)
    options = SweepOptions(ks=(3,), partitions=("mdav",), known_at_most=2, jobs=1, masking=masking)
    swept = sweep_file(data, None, options)
    mask_file(data, None, tmp_path / "masked.xml", MaskOptions(k=3, partition="mdav", recipe=recipe))
    assessing = AssessOptions(attacks=(), known_at_most=2, seed=4, recipe=recipe)
    assessed = assess_files(data, tmp_path / "masked.xml", assessing)
    for field, name in (("dbrl_averaged", "dbrl-averaged"), ("dr_averaged", "dr-averaged")):
        assert getattr(swept.points[0], field) == pytest.approx(assessed.score.value(name), abs=1e-9)
    assert swept.points[0].score_averaged == pytest.approx(assessed.score.value("score-averaged"), abs=1e-9)
    by_size: list[list[float]] = [[], []]
    for known in (("V1",), ("V2",), ("V1", "V2")):
        linked = assess_files(data, tmp_path / "masked.xml", replace(assessing, known=known, known_at_most=None))
        by_size[len(known) - 1].append(linked.score.value("dbrl") or 0.0)
    assert swept.points[0].dbrl_averaged == pytest.approx(mean(map(mean, by_size)), abs=1e-9)
    assert "know 1 to 2 variables" in sentences(swept.notes)[0]
    assert "seed 4" in sentences(swept.notes)[0]


def test_the_averaged_score_is_saved_with_the_points(data: Path, tmp_path: Path) -> None:
    options = SweepOptions(ks=(3, 200), partitions=("mdav",), known_at_most=2, jobs=1)
    swept = sweep_file(data, None, options, journal=tmp_path / "journal.jsonl")
    assert sweep_file(data, None, options, journal=tmp_path / "journal.jsonl").points == swept.points
    write_sweep_files(swept, tmp_path)
    assert read_sweep_points(tmp_path / "points.json", data) == swept.points
    head, first, refused = (tmp_path / "points.csv").read_text("utf-8").splitlines()
    assert head.endswith("refused,dbrl_averaged,dr_averaged,score_averaged")
    assert float(first.split(",")[-1]) == swept.points[0].score_averaged
    assert refused.endswith(",,,")
    assert "lowest SCORE averaged" in sweep_text(swept)
    with pytest.raises(UsageError, match="other files or options"):
        sweep_file(data, None, replace(options, known_at_most=3), journal=tmp_path / "journal.jsonl")


def test_a_sweep_without_the_averaged_score_has_no_column_for_it(swept: Sweep, tmp_path: Path) -> None:
    write_sweep_files(swept, tmp_path)
    assert "averaged" not in (tmp_path / "points.csv").read_text("utf-8") + (tmp_path / "points.json").read_text(
        "utf-8"
    )
    assert "averaged" not in sweep_text(swept)


def test_rules_are_kept_and_without_them_they_break(swept: Sweep) -> None:
    assert [p.broken for p in swept.points if p.scenario == WITH_RULES] == [0, 0, 0]
    assert (point(swept, WITHOUT_RULES, 3).broken or 0) > 100


def test_k_one_is_the_unmasked_file(swept: Sweep) -> None:
    unmasked = point(swept, WITH_RULES, 1)
    assert (unmasked.pil, unmasked.loss, unmasked.id) == (0, 0, 100)
    assert (unmasked.broken, unmasked.smallest) == (0, None)


def test_the_time_of_a_sweep_is_what_a_clock_beside_it_shows(data: Path) -> None:
    started = perf_counter()
    sweep = sweep_file(data, None, SweepOptions(ks=(3,), partitions=("mdav",), jobs=1))
    assert sum(p.seconds for p in sweep.points) <= sweep.seconds <= perf_counter() - started


@pytest.mark.parametrize(("ks", "jobs"), [((3, 4), 1), ((3,), 2)])
def test_one_job_or_one_point_needs_no_other_process(
    data: Path, monkeypatch: pytest.MonkeyPatch, ks: tuple[int, ...], jobs: int
) -> None:
    monkeypatch.setattr("subprocess.Popen", pytest.fail)
    assert len(sweep_file(data, None, SweepOptions(ks=ks, partitions=("mdav",), jobs=jobs)).points) == len(ks)


def test_points_do_not_depend_on_the_number_of_processes(data: Path, swept: Sweep) -> None:
    assert timeless(sweep_file(data, RULES, replace(BOTH, jobs=2)).points) == timeless(swept.points)


def test_a_sweep_without_rules_counts_no_violations(data: Path) -> None:
    swept = sweep_file(data, None, SweepOptions(ks=(3,), partitions=("mdav",), jobs=1))
    assert [(p.scenario, p.broken) for p in swept.points] == [(WITHOUT_RULES, None)]


def test_the_recipe_holds_for_every_point_in_every_process(data: Path) -> None:
    masking = MaskOptions(recipe=Recipe(groups="all"))
    one, two = (
        sweep_file(data, None, SweepOptions(ks=(3, 4), partitions=("mdav",), jobs=jobs, masking=masking))
        for jobs in (1, 2)
    )
    assert timeless(one.points) == timeless(two.points)
    assert timeless(one.points) != timeless(
        sweep_file(data, None, SweepOptions(ks=(3, 4), partitions=("mdav",), jobs=1)).points
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_more_than_the_file_holds_is_refused_for_that_point_alone(data: Path, jobs: int) -> None:
    swept = sweep_file(data, None, SweepOptions(ks=(3, 121), partitions=("mdav",), jobs=jobs))
    assert [p.refused is None for p in swept.points] == [True, False]
    assert swept.points[1].score is None
    assert any("k = 121" in note for note in sentences(swept.notes))


def test_an_interrupted_sweep_goes_on_where_it_stopped(data: Path, swept: Sweep, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    sweep_file(data, RULES, replace(BOTH, ks=(1, 3)), journal=journal)
    whole = journal.read_text("utf-8")
    journal.write_text(whole[: -len(whole.splitlines()[-1]) // 2], "utf-8")  # killed while writing the last line
    again = sweep_file(data, RULES, BOTH, journal=journal)
    assert again.reused == 3
    assert timeless(again.points) == timeless(swept.points)
    assert sweep_file(data, RULES, BOTH, journal=journal).reused == len(swept.points)


def test_what_was_computed_before_is_not_computed_again(data: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    options = SweepOptions(ks=(3,), partitions=("mdav",), jobs=1)
    sweep_file(data, None, options, journal=journal)
    head, line = journal.read_text("utf-8").splitlines()
    journal.write_text(f"{head}\n{json.dumps({**json.loads(line), 'pil': 12.5})}\n", "utf-8")
    assert sweep_file(data, None, options, journal=journal).points[0].pil == 12.5


@pytest.mark.parametrize("line", ["5", "[1]", '{"scenario": "with rules"}', "\udcff", '{"k": NaN}'])
def test_a_damaged_line_is_computed_again(data: Path, tmp_path: Path, line: str) -> None:
    journal, options = tmp_path / "journal.jsonl", SweepOptions(ks=(3,), partitions=("mdav",), jobs=1)
    first = sweep_file(data, None, options, journal=journal)
    head = journal.read_text("utf-8").splitlines()[0]
    journal.write_bytes(f"{head}\n{line}\n".encode(errors="surrogateescape"))
    again = sweep_file(data, None, options, journal=journal)
    assert again.reused == 0
    assert timeless(again.points) == timeless(first.points)


@pytest.mark.parametrize(
    "other",
    [
        replace(BOTH, masking=MaskOptions(recipe=Recipe(groups="all"))),
        replace(BOTH, masking=MaskOptions(seed=3)),
    ],
    ids=["recipe", "seed"],
)
def test_a_journal_of_other_options_is_refused(data: Path, tmp_path: Path, other: SweepOptions) -> None:
    journal = tmp_path / "journal.jsonl"
    sweep_file(data, RULES, replace(BOTH, ks=(1,)), journal=journal)
    with pytest.raises(UsageError, match="other files or options"):
        sweep_file(data, RULES, replace(other, ks=(1,)), journal=journal)


def test_a_journal_of_another_file_is_refused(data: Path, tmp_path: Path) -> None:
    journal, options = tmp_path / "journal.jsonl", SweepOptions(ks=(1,), partitions=("mdav",), jobs=1)
    sweep_file(data, None, options, journal=journal)
    generate_file(tmp_path / "other.xml", 30, 6)
    with pytest.raises(UsageError, match="other files or options"):
        sweep_file(tmp_path / "other.xml", None, options, journal=journal)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (SweepOptions(ks=()), "k starts at 1"),
        (SweepOptions(ks=(0, 3)), "k starts at 1"),
        (SweepOptions(ks=(3,), partitions=("mdvav",)), "mdvav"),
        (SweepOptions(ks=(3,), partitions=("mdav",), masking=MaskOptions(effort="high")), "effort"),
        (SweepOptions(ks=(3,), compare_unconstrained=True), "nothing to compare"),
        (SweepOptions(ks=(3,), jobs=0), "0 jobs"),
        (SweepOptions(ks=(3,), known_at_most=0), "0 variables at most"),
    ],
)
def test_mistakes_are_said_before_anything_is_computed(data: Path, options: SweepOptions, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        sweep_file(data, None, options)


def test_progress_is_heard(data: Path) -> None:
    heard: list[tuple[int, int]] = []
    options = SweepOptions(ks=(1, 3), partitions=("mdav",), jobs=1)
    sweep_file(data, None, options, heard=lambda done, total: heard.append((done, total)))
    assert heard == [(0, 2), (1, 2), (2, 2)]


def test_what_is_tried_is_named_by_masker_and_partition_each_once() -> None:
    options = SweepOptions(
        ks=(3,),
        maskers=("microhybrid", "fuzzy-c-means", "microaggregation"),
        partitions=("mdav", "rim"),
        masking=MaskOptions(partition="rim"),
    )
    assert options.tried == (
        MaskedBy("microaggregation", "mdav"),
        MaskedBy("microaggregation", "rim"),
        MaskedBy("microhybrid", "rim"),
        MaskedBy("fuzzy-c-means", None),
    )
    assert [by.name for by in options.tried] == ["mdav", "rim", "microhybrid", "fuzzy-c-means"]


def test_ways_to_mask_totals_are_compared(data: Path, tmp_path: Path) -> None:
    options = SweepOptions(
        (3,), partitions=("mdav",), compare_unconstrained=True, totals=("together", "computed"), jobs=1
    )
    swept = sweep_file(data, RULES, options, journal=tmp_path / "journal.jsonl")
    named = [(p.scenario, p.masked_by.name) for p in swept.points]
    assert named == [
        (WITH_RULES, "mdav, totals together"),
        (WITH_RULES, "mdav, totals computed"),
        (WITHOUT_RULES, "mdav"),
    ]
    together, computed, _ = swept.points
    plain = sweep_file(data, RULES, SweepOptions((3,), partitions=("mdav",), jobs=1)).points[0]
    assert timeless((replace(together, totals=None),)) == timeless((plain,))
    assert computed.loss != together.loss
    assert (computed.broken, computed.smallest) == (0, 3)
    again = sweep_file(data, RULES, options, journal=tmp_path / "journal.jsonl")
    assert (again.reused, again.points) == (3, swept.points)
    write_sweep_files(swept, tmp_path)
    assert read_sweep_points(tmp_path / "points.json", data) == swept.points


@pytest.mark.parametrize(
    ("totals", "rules", "said"), [(("apart",), RULES, "apart"), (("computed",), None, "no totals")]
)
def test_ways_to_mask_totals_that_do_not_exist_are_refused(
    data: Path, totals: tuple[Totals, ...], rules: Path | None, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        sweep_file(data, rules, SweepOptions((3,), partitions=("mdav",), totals=totals, jobs=1))


def test_a_partition_is_no_masker(data: Path) -> None:
    with pytest.raises(UsageError, match="unknown masker 'mdav'"):
        sweep_file(data, None, SweepOptions(ks=(3,), maskers=("mdav",), jobs=1))
