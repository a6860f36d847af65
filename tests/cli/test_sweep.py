"""`sweep` as a user tries it: the files it leaves, going on after a stop, and mistakes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import jsonschema
import pytest
from click import BadParameter

from constraint_sdc.census import generate_file
from constraint_sdc.cli.sweep_command import Ks
from constraint_sdc.files.json_file import shipped_file
from tests.cli.conftest import Run

RULES = shipped_file("rules", "census-paper.sch")
SCHEMA = json.loads(shipped_file("schemas", "sweep.schema.json").read_text("utf-8"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    generate_file(Path("extract.xml"), 60, 4)
    return tmp_path


def test_points_and_pictures_are_written_and_the_best_is_named(run: Run) -> None:
    given = ("sweep", "extract.xml", "--rules", RULES, "--k", "1,3..4", "--partitions", "mdav", "--jobs", "1")
    ran = run(*given, "--compare-unconstrained", "-o", "out")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("SWEEP: 6 maskings of extract.xml")
    assert "with rules, mdav: lowest SCORE" in ran.out
    content = json.loads(Path("out/points.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    with Path("out/points.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["scenario"], int(row["k"])) for row in rows] == [
        (scenario, k) for scenario in ("with rules", "without rules") for k in (1, 3, 4)
    ]
    assert [float(row["pil"]) for row in rows] == [point["pil"] for point in content["points"]]
    for picture in ("map.svg", "curves.svg"):
        assert Path("out", picture).read_text("utf-8").rstrip().endswith("</svg>")
    again = run(*given, "--compare-unconstrained", "-o", "out")
    assert "6 of them from an earlier run" in again.out


def test_another_file_in_the_same_directory_needs_overwrite(run: Run) -> None:
    given = ("sweep", "extract.xml", "--k", "3", "--partitions", "mdav", "--jobs", "1", "-o", "out")
    assert run(*given).code == 0
    generate_file(Path("extract.xml"), 60, 5)
    refused = run(*given)
    assert (refused.code, "holds a sweep of other files" in refused.err) == (2, True)
    assert run(*given, "--overwrite").code == 0


def test_the_page_of_an_assessment_takes_the_points(run: Run) -> None:
    assert run("sweep", "extract.xml", "--k", "3,5", "--partitions", "mdav", "--jobs", "1", "-o", "out").code == 0
    assert run("mask", "extract.xml", "-k", "3", "--partition", "mdav", "-o", "masked.xml").code == 0
    given = ("assess", "extract.xml", "masked.xml", "--attacks", "none", "--report", "page.html")
    assert run(*given, "--sweep", "out").code == 0
    with_points = Path("page.html").read_text("utf-8")
    assert run(*given).code == 0
    assert with_points != Path("page.html").read_text("utf-8")
    generate_file(Path("other.xml"), 60, 9)
    refused = run("assess", "other.xml", "other.xml", "--report", "page.html", "--sweep", "out")
    assert (refused.code, "points of another file" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--k", "5..3"), "'5..3' is neither"),
        (("--k", "0..3"), "'0..3' is neither"),
        (("--k", "x"), "'x' is neither"),
        (("--k", "3", "--partitions", "mdvav"), "mdvav"),
        (("--k", "3", "--maskers", ","), "--maskers names nothing"),
        (("--k", "3", "--jobs", "0"), "--jobs"),
        (("--k", "3", "--compare-unconstrained"), "give --rules"),
        (("--k", "3", "--on-broken", "keep"), "belongs to rules"),
    ],
)
def test_mistakes_end_in_one_message_and_write_nothing(run: Run, arguments: tuple[str, ...], said: str) -> None:
    ran = run("sweep", "extract.xml", *arguments, "-o", "out")
    assert ran.code == 2
    assert said in ran.err
    assert not Path("out/points.csv").exists()


def test_without_a_name_the_directory_is_called_after_the_data(run: Run) -> None:
    ran = run("sweep", "extract.xml", "--rules", RULES, "--k", "1..2", "--partitions", "mdav", "--jobs", "1")
    assert (ran.code, "points and pictures: extract-sweep" in ran.err) == (0, True)
    assert Path("extract-sweep/points.csv").exists()


def test_a_mistake_loses_no_point(run: Run) -> None:
    given = ("sweep", "extract.xml", "--k", "3", "--jobs", "1", "-o", "out", "--overwrite", "--partitions")
    assert run(*given, "mdav").code == 0
    before = Path("out/journal.jsonl").read_text("utf-8")
    assert run(*given, "mdvav").code == 2
    assert Path("out/journal.jsonl").read_text("utf-8") == before


def test_no_picture_of_an_earlier_sweep_is_left(run: Run) -> None:
    given = ("sweep", "extract.xml", "--partitions", "mdav", "--jobs", "1", "-o", "out", "--k")
    assert run(*given, "3").code == 0
    assert Path("out/map.svg").exists()
    assert run(*given, "61").code == 0
    assert not Path("out/map.svg").exists()


def test_a_file_is_no_directory(run: Run) -> None:
    Path("out").write_text("", "utf-8")
    ran = run("sweep", "extract.xml", "--k", "3", "-o", "out")
    assert (ran.code, "is a file" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "ks"),
    [
        ("3", (3,)),
        ("3,5,10..12", (3, 5, 10, 11, 12)),
        ("5,3..5", (3, 4, 5)),
        ("90000..90002", (90000, 90001, 90002)),
        ("1..100000", tuple(range(1, 100_001))),
    ],
)
def test_group_sizes_are_numbers_and_ranges_each_once_in_order(words: str, ks: tuple[int, ...]) -> None:
    assert Ks().convert(words, None, None) == ks


@pytest.mark.parametrize("words", ["0", "0..3", "5..3", "a", "", "1..100001"])
def test_what_is_no_range_or_a_huge_one_is_refused(words: str) -> None:
    with pytest.raises(BadParameter):
        Ks().convert(words, None, None)
