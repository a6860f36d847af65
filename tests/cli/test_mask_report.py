"""`mask --report`: the page of `assess`, written in the same run."""

from __future__ import annotations

from pathlib import Path

import pytest

import constraint_sdc as cs
from tests.cli.conftest import Run

ROWS = "".join(f"<R><A>{a}</A><B>{b}</B><C>{a + b}</C></R>" for a, b in [(1, 7), (2, 9), (30, 4), (41, 5)] * 5)
RULES = "A + B = C\nA >= 0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data.xml").write_text(f"<D>{ROWS}</D>")
    (tmp_path / "rules.txt").write_text(RULES)
    (tmp_path / "recipe.yml").write_text("variables: {A: {type: numeric}, B: {type: numeric}, C: {type: numeric}}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


MASK = ("mask", "data.xml", "-r", "rules.txt", "--recipe", "recipe.yml", "-k", "5", "-o", "new.xml", "--partition")
GIVEN = (*MASK, "mdav", "--report", "new.html")


def test_the_page_is_that_of_assess_with_the_certificate(folder: Path, run: Run) -> None:
    told = run(*GIVEN)
    assert (told.code, told.out.startswith("PUBLISHED")) == (0, True)
    assert told.err.rstrip().endswith("report: new.html")
    given = ("-r", "rules.txt", "--recipe", "recipe.yml")
    assessed = run("assess", "data.xml", "new.xml", *given, "--report", "other.html")
    assert assessed.code == 0
    assert (folder / "new.html").read_text() == (folder / "other.html").read_text()
    assert "block 1" in (folder / "new.html").read_text().lower()  # the plan, which only the certificate has


def test_python_writes_the_same_page(folder: Path, run: Run) -> None:
    run(*GIVEN)
    given = {"recipe": "recipe.yml", "k": 5, "partition": "mdav"}
    cs.mask_file("data.xml", "rules.txt", "new.xml", report="again.html", overwrite=True, **given)  # type: ignore[arg-type]
    assert (folder / "again.html").read_bytes() == (folder / "new.html").read_bytes()


@pytest.mark.parametrize("page", ["new.xml", "data.xml", "rules.txt", "recipe.yml", "new.xml.certificate.json", "."])
def test_a_page_that_would_replace_a_file_of_the_masking_is_refused_before_anything_is_masked(
    folder: Path, run: Run, page: str
) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    told = run(*MASK, "mdav", "--report", page)
    assert told.code == 2
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_an_existing_page_is_replaced_only_on_demand(folder: Path, run: Run) -> None:
    (folder / "new.html").write_text("old")
    assert run(*GIVEN).code == 2
    assert not (folder / "new.xml").exists()
    assert run(*GIVEN, "--overwrite").code == 0
    assert (folder / "new.html").read_text() != "old"


def test_a_page_that_cannot_be_made_is_said_beside_the_published_file(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A masked file that is published stays so; the exit code says that the page is missing."""

    def fails(*_: object) -> None:
        raise cs.DataError("the disk was removed")

    monkeypatch.setattr("constraint_sdc.commands.masking.report_page.assess_files", fails)
    told = run(*GIVEN)
    assert told.code == 2
    assert "new.xml is published; its report is not written" in told.err
    assert (folder / "new.xml").exists()
    assert not (folder / "new.html").exists()


@pytest.mark.usefixtures("folder")
def test_rules_judged_by_another_original_have_no_page(run: Run) -> None:
    told = run(*GIVEN, "--original", "data.xml")
    assert (told.code, "run assess afterwards" in told.err) == (2, True)
