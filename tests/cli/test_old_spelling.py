"""`--method`, `--methods` and `method:` meant a masker or a partition: they still work, and say the new spelling."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.maskers.extract import columns, extract

ROWS = columns(A=[17 * i % 60 for i in range(60)], B=[7 * i % 31 for i in range(60)])


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    extract(tmp_path, ROWS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("--method rim", "--partition rim", "taken for a partition; the new spelling is --partition rim"),
        (
            "--method microhybrid --partition rim",
            "--masker microhybrid --partition rim",
            "taken for a masker; the new spelling is --masker microhybrid",
        ),
    ],
)
@pytest.mark.parametrize(
    "command", ["plan data.xml -k 6 --json", "mask data.xml -k 6 --overwrite --json -o masked.xml"]
)
def test_an_option(run: Run, command: str, old: str, new: str, note: str) -> None:
    newly = run(*command.split(), *new.split())
    written = Path("masked.xml").read_bytes() if "mask" in command.split() else b""
    before = run(*command.split(), *old.split())
    assert (before.code, newly.code, newly.err) == (0, 0, "")
    assert before.err == f"note: --method {old.split()[1]} is {note}\n"
    assert before.out == newly.out
    assert not written or Path("masked.xml").read_bytes() == written


def test_a_partition_stands_for_microaggregation_whatever_the_recipe_says(run: Run, workplace: Path) -> None:
    (workplace / "recipe.yml").write_text("mask: {masker: microhybrid}\n", encoding="utf-8")
    given = ("plan", "data.xml", "-k", "6", "--recipe", "recipe.yml", "--json")
    assert json.loads(run(*given, "--method", "rim").out)["masker"] == {"masker": "microaggregation"}
    assert json.loads(run(*given, "--partition", "rim").out)["masker"] == {"masker": "microhybrid"}


def test_an_option_of_partition(run: Run) -> None:
    newly, before = (
        run("partition", "data.xml", "-k", "3", option, "rim", "--json") for option in ("--partition", "--method")
    )
    assert before.err == "note: --method rim is taken for a partition; the new spelling is --partition rim\n"
    ours, theirs = (json.loads(ran.out) for ran in (newly, before))
    assert {**ours, "seconds": 0} == {**theirs, "seconds": 0}


def test_the_lists_of_a_sweep(run: Run) -> None:
    given = ("sweep", "data.xml", "--k", "6", "--jobs", "1", "--json", "--overwrite")
    newly = run(*given, "--partitions", "mdav", "--maskers", "microhybrid,fuzzy-c-means", "-o", "new")
    before = run(*given, "--methods", "microhybrid,mdav,fuzzy-c-means", "-o", "old")
    assert "taken for --maskers microhybrid,fuzzy-c-means --partitions mdav\n" in before.err
    ours, theirs = ([{**point, "seconds": 0} for point in json.loads(ran.out)["points"]] for ran in (newly, before))
    assert ours == theirs
    assert [(point["masker"], point["partition"]) for point in ours] == [
        ("microaggregation", "mdav"),
        ("microhybrid", "auto"),
        ("fuzzy-c-means", None),
    ]


def test_one_partition_for_all_maskers_of_a_sweep(run: Run) -> None:
    given = (
        "sweep",
        "data.xml",
        "--k",
        "6",
        "--jobs",
        "1",
        "--json",
        "--overwrite",
        "--maskers",
        "microhybrid,fuzzy-c-means",
    )
    plain, divided = (run(*given, *more, "-o", "out") for more in ((), ("--partition", "random")))
    points, others = ([point["loss"] for point in json.loads(ran.out)["points"]] for ran in (plain, divided))
    assert points[0] != others[0]
    assert points[1] == others[1], "fuzzy-c-means divides records in its own way"


@pytest.mark.parametrize(
    ("recipe", "note"),
    [
        ("method: rim\n", "`method: rim` is read as a partition; the new spelling is `mask: {partition: rim}`"),
        (
            "mask: {method: microhybrid, partition: mdav}\n",
            "`method: microhybrid` is read as a masker; the new spelling is `mask: {masker: microhybrid}`",
        ),
    ],
)
def test_an_entry_of_a_recipe(run: Run, workplace: Path, recipe: str, note: str) -> None:
    (workplace / "recipe.yml").write_text(recipe, encoding="utf-8")
    ran = run("plan", "data.xml", "-k", "6", "--recipe", "recipe.yml")
    assert (ran.code, ran.err) == (0, f"recipe: {note}\n")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (
            "plan data.xml -k 6 --method rim --partition mdav",
            "--method rim is the old spelling of --partition rim, and",
        ),
        ("plan data.xml -k 6 --method rim --masker microhybrid", "and --masker is given too (leave --method out)"),
        ("plan data.xml -k 6 --method microhybrid --masker fuzzy-c-means", "and --masker is given too"),
        (
            "partition data.xml -k 6 --method rim --partition rim",
            "--method is the old spelling of --partition, and both",
        ),
        ("sweep data.xml --k 6 --methods rim --partitions mdav", "--methods is the old spelling of"),
        ("sweep data.xml --k 6 --partitions rim --partition mdav", "--partition is for --maskers"),
        ("plan data.xml -k 6 --recipe top.yml", "top.yml:2: `method` is the old spelling of an entry under `mask`"),
        ("plan data.xml -k 6 --recipe both.yml", "both.yml:1: `method: mdav` is the old spelling of a partition, but"),
        (
            "plan data.xml -k 6 --recipe two.yml",
            "two.yml:1: `method: microhybrid` is the old spelling of a masker, but",
        ),
    ],
)
def test_both_spellings_are_refused(run: Run, workplace: Path, command: str, says: str) -> None:
    (workplace / "top.yml").write_text("mask: {masker: microhybrid}\nmethod: mdav\n", encoding="utf-8")
    (workplace / "both.yml").write_text("mask: {method: mdav, partition: rim}\n", encoding="utf-8")
    (workplace / "two.yml").write_text("mask: {method: microhybrid, masker: fuzzy-c-means}\n", encoding="utf-8")
    ran = run(*command.split())
    assert (ran.code, says in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("command", ["plan", "mask", "explain", "partition", "sweep"])
def test_help_shows_the_new_spelling_only(run: Run, command: str) -> None:
    said = run(command, "--help").out
    assert "--partition" in said
    assert "--method" not in said
