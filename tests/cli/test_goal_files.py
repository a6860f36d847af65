"""`--charts` and `--pairs`: written whole before the masked file, or nothing is left behind."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest

from constraint_sdc.commands import mask as pipeline
from constraint_sdc.commands.masking import judging
from constraint_sdc.errors import NotPublishedError
from tests.cli.conftest import Run
from tests.maskers.extract import extract, read_records
from tests.maskers.test_group_anonymity import goal, people, recipe

MASK = ("mask", "data.xml", "--recipe", "recipe.yml", "-o", "masked.xml")
OTHER = ("mask", "data.xml", "-k", "3", "-o", "masked.xml")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    women = goal(vital="Sex = 'F'", change=[{"move": {"from": "East", "to": "West"}}])
    extract(tmp_path, people(), None, recipe(goal(), women, influential=("Age",)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names() -> set[str]:
    return {str(path) for path in Path().rglob("*")}


def test_both_are_written(run: Run) -> None:
    ran = run(*MASK, "--charts", "charts", "--pairs", "pairs.csv")
    assert ran.code == 0, ran.err
    assert {"charts/goal-1.svg", "charts/goal-2.svg", "pairs.csv", "masked.xml"} <= names()
    before, after = read_records(Path("data.xml")), read_records(Path("masked.xml"))
    with Path("pairs.csv").open(encoding="utf-8", newline="") as stream:
        pairs = list(csv.DictReader(stream))
    first = [pair for pair in pairs if pair["goal"] == "1"]
    assert first
    region = [row["Region"] for row in before]
    for pair in pairs:
        own, other = int(pair["vital_record"]) - 1, int(pair["other_record"]) - 1
        assert (region[own], region[other]) == (pair["before"], pair["after"])
        assert float(pair["cost"]) >= 0
        region[own], region[other] = region[other], region[own]
    assert region == [row["Region"] for row in after]


def test_charts_are_the_same_bytes_and_say_what_they_show(run: Run) -> None:
    run(*MASK, "--charts", "charts")
    assert run("plan", *MASK[1:4], "--charts", "plan-charts").code == 0
    for name in ("goal-1.svg", "goal-2.svg"):
        made = Path("charts", name).read_bytes()
        assert made == Path("plan-charts", name).read_bytes()
        text = " ".join(ElementTree.fromstring(made).itertext())
        for word in ("Goal", "Region", "before", "wished", "after", "North", "vital records"):
            assert word in text


def test_a_plan_replaces_its_charts(run: Run) -> None:
    Path("charts").mkdir()
    Path("charts/goal-1.svg").write_text("old", encoding="utf-8")
    assert run("plan", *MASK[1:4], "--charts", "charts").code == 0
    assert Path("charts/goal-1.svg").read_text(encoding="utf-8") != "old"


@pytest.mark.parametrize("option", [("--charts", "charts"), ("--pairs", "pairs.csv")])
def test_other_maskers_have_none(run: Run, option: tuple[str, str]) -> None:
    before = names()
    ran = run(*OTHER, *option)
    assert ran.code == 2
    assert f"{option[0]} has no meaning with microaggregation" in ran.err
    assert names() == before


def make(path: str) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text("mine", encoding="utf-8")


IMPOSSIBLE = {
    "a chart is there already": (("--charts", "charts"), "charts/goal-2.svg", "exists already"),
    "the directory is a file": (("--charts", "charts"), "charts", "is a file, but charts need a directory"),
    "no parent": (("--charts", "no/charts"), None, "cannot be created"),
    "the pairs are there already": (("--pairs", "pairs.csv"), "pairs.csv", "exists already"),
    "pairs in no directory": (("--pairs", "no/pairs.csv"), None, "does not exist"),
    "pairs over the output": (("--pairs", "masked.xml"), None, "the masking uses this file already"),
    "pairs over the data": (("--pairs", "data.xml"), None, "the masking uses this file already"),
    "pairs over the certificate": (("--pairs", "masked.xml.certificate.json"), None, "uses this file already"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_written_is_an_error_before_anything_is(run: Run, name: str) -> None:
    option, there, words = IMPOSSIBLE[name]
    if there is not None:
        make(there)
    before = names()
    ran = run(*MASK, *option)
    assert ran.code == 2
    assert words in ran.err
    assert names() == before
    assert there is None or Path(there).read_text(encoding="utf-8") == "mine"


def test_overwrite_replaces_all(run: Run) -> None:
    for path in ("charts/goal-1.svg", "pairs.csv", "masked.xml", "masked.xml.certificate.json"):
        make(path)
    ran = run(*MASK, "--charts", "charts", "--pairs", "pairs.csv", "--overwrite")
    assert ran.code == 0, ran.err
    for path in ("charts/goal-1.svg", "pairs.csv", "masked.xml"):
        assert Path(path).read_text(encoding="utf-8") != "mine"


def test_a_masking_that_is_not_published_leaves_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge objects after everything is ready; then the certificate fails to be written."""
    before = names()

    def objecting(*_: object) -> None:
        raise NotPublishedError("the judge objects")

    for place, stage in ((judging, "_refuse_broken"), (pipeline, "certificate_text")):
        with monkeypatch.context() as patched:
            patched.setattr(place, stage, objecting)
            assert run(*MASK, "--charts", "charts", "--pairs", "pairs.csv").code == 1
            assert names() == before


def test_a_failing_publication_brings_old_files_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("charts/goal-1.svg", "pairs.csv", "masked.xml", "masked.xml.certificate.json"):
        make(path)
    before = names()

    def objecting(*_: object) -> None:
        raise NotPublishedError("the certificate cannot be written")

    monkeypatch.setattr(pipeline, "certificate_text", objecting)
    assert run(*MASK, "--charts", "charts", "--pairs", "pairs.csv", "--overwrite").code == 1
    assert names() == before
    for path in ("charts/goal-1.svg", "pairs.csv", "masked.xml"):
        assert Path(path).read_text(encoding="utf-8") == "mine"
