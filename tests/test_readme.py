"""Sessions in README.md, docs/tutorial and docs/how-to are what a user sees: every command prints what the page shows.

Commands run in an empty folder that holds copies of examples/ and rules/, as in a checkout, and, for the pages that use
it, what `make demo` leaves in build/demo. When an output changes on purpose, `python -m tests.test_readme [PAGE ...]`
writes the sessions anew; read the difference.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from constraint_sdc.cli import main
from constraint_sdc.commands import demo
from tests.console_session import TOP, blocks, commands, rewritten
from tests.in_process import run_in_process

README = TOP / "README.md"
FIRST_FILE = TOP / "docs" / "tutorial" / "first-file.md"
FIRST_XML = TOP / "docs" / "tutorial" / "xml-and-schematron.md"
BENCHMARKS = TOP / "docs" / "benchmarks.md"
DEMO_TABLE = re.compile(r"```text\n(records that break .*?)```", re.DOTALL)
GUIDES = [README, *sorted((TOP / "docs").glob("tutorial/*.md")), *sorted((TOP / "docs").glob("how-to/*.md"))]
PAGES = [page for page in GUIDES if blocks(page.read_text("utf-8"))]
AFTER_DEMO = [page for page in PAGES if "build/demo" in page.read_text("utf-8")]
ON_THEIR_OWN = [page for page in PAGES if page not in AFTER_DEMO]
CHECKOUT = ("examples", "rules")


def name(page: Path) -> str:
    return page.relative_to(TOP).as_posix()


def checkout(folder: Path) -> Path:
    """Return the folder with what sessions may use of a checkout."""
    for part in CHECKOUT:
        shutil.copytree(TOP / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "build").mkdir()
    return folder


def run_demo(folder: Path) -> str:
    """Run the demo in a folder as `make demo` runs it, except that its sweep takes the least and the greatest k only.

    No page shows the sweep. tests/test_wheel.py runs the installed program, with every k.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "_KS", (demo._KS[0], demo._KS[-1]))
        code, printed, told = run_in_process(main, ["constraint-sdc", "demo", "--directory", "build/demo"], folder)
    assert code == 0, told
    return printed


def demo_table(printed: str) -> str:
    """Return the demo's table of what breaks which rule."""
    return printed[printed.index("records that break ") :].partition("\n\n")[0] + "\n"


@pytest.fixture(scope="module")
def after_demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which the demo has run, and what it printed."""
    folder = checkout(tmp_path_factory.mktemp("demo"))
    return folder, run_demo(folder)


@pytest.mark.parametrize("page", AFTER_DEMO, ids=name)
def test_a_session_after_the_demo_prints_what_its_page_shows(after_demo: tuple[Path, str], page: Path) -> None:
    text = page.read_text("utf-8")
    assert rewritten(text, after_demo[0]) == text


@pytest.mark.parametrize("page", ON_THEIR_OWN, ids=name)
def test_a_session_prints_what_its_page_shows(page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    assert rewritten(text, checkout(tmp_path)) == text


def test_the_readme_shows_what_the_demo_found(after_demo: tuple[Path, str]) -> None:
    for page in (README, FIRST_XML):
        assert DEMO_TABLE.findall(page.read_text("utf-8")) == [demo_table(after_demo[1])], name(page)


def test_the_demo_tells_the_whole_story(after_demo: tuple[Path, str]) -> None:
    folder, printed = after_demo
    assert printed.index("PASS") < printed.index("FAIL")
    assert (folder / "build" / "demo" / "report.html").is_file()
    assert "build/demo/report.html" in printed


def test_the_page_on_assess_has_the_figures_of_the_demo(after_demo: tuple[Path, str]) -> None:
    said = " ".join(after_demo[1].split())
    text = " ".join((TOP / "docs" / "assess.md").read_text("utf-8").split())
    unique, linked = (re.search(pattern, text)[1] for pattern in (r"finds ([0-9.]+%)", r"links ([0-9.]+%) correctly"))
    assert f"Unique records: {unique} of the records are unique in the 3 known variables after masking" in said
    assert f"nearest by distance is right for {linked} of 3,000 records" in said


def verbs(page: Path) -> list[str]:
    """Return the commands of constraint-sdc that a page runs, in order."""
    said = [command.split() for block in blocks(page.read_text("utf-8")) for command in commands(block)]
    return [words[1] for words in said if words[0] == "constraint-sdc"]


def test_the_tutorial_runs_every_step_from_the_file_to_its_assessment() -> None:
    steps = ["describe", "check", "rules", "init", "explain", "mask", "check", "explain", "assess"]
    assert verbs(FIRST_FILE) == steps
    assert verbs(FIRST_XML) == ["describe", "rules", "explain", "mask", "check", "check"]


def test_a_new_user_starts_from_a_table() -> None:
    """XML has a tutorial of its own."""
    for page in (README, FIRST_FILE):
        said = [command for block in blocks(page.read_text("utf-8")) for command in commands(block)]
        assert [word for command in said for word in command.split() if word.endswith((".xml", ".sch"))] == [], page
    first_screen = README.read_text("utf-8").partition("## A session")[0]
    assert "constraint-sdc mask data.csv --rules rules.txt" in first_screen
    assert first_screen.index("make first-result") < first_screen.index("make demo")


def prose(text: str) -> str:
    """Return a page without its code and its tables."""
    return re.sub(r"(?s:```.*?```)|^\|.*$", "", text, flags=re.MULTILINE)


def test_the_readme_is_short() -> None:
    text = README.read_text("utf-8")
    (session,) = blocks(text)
    assert verbs(README) == ["mask"]
    assert len(session.splitlines()) <= 41
    assert len(prose(text).split()) < 450
    assert len(text.split()) <= 1000


def test_the_page_on_notebooks_shows_the_script_that_it_runs() -> None:
    cells = re.findall(r"```python\n(.*?)```", (TOP / "docs" / "how-to" / "notebooks.md").read_text("utf-8"), re.DOTALL)
    script = (TOP / "examples" / "survey" / "notebook.py").read_text("utf-8")
    assert [cell for cell in cells if cell not in script] == []
    assert script.endswith("\n".join(cells))


def test_no_session_tells_a_path_of_this_machine() -> None:
    assert [name(page) for page in PAGES if str(TOP) in page.read_text("utf-8")] == []


def test_every_measured_figure_of_the_readme_is_in_the_benchmarks() -> None:
    comparing = README.read_text("utf-8").partition("## How it compares")[2].partition("\n## ")[0]
    rows = [row for table in re.findall(r"(?:^\|.*\n)+", comparing, re.MULTILINE) for row in table.splitlines()[2:]]
    pages = [BENCHMARKS, *(TOP / "docs" / page for page in ("partition/benchmarks.md", "measures/benchmarks.md"))]
    pages.append(TOP / "docs" / "maskers" / "comparison.md")
    measured = [line for page in pages for line in page.read_text("utf-8").splitlines()]
    assert len(rows) >= 8
    assert [row for row in rows if row not in measured] == []


def test_the_benchmarks_have_speed_and_price() -> None:
    """Each is written by a command of its own, and must leave the other's section in place."""
    text = BENCHMARKS.read_text("utf-8")
    assert text.startswith("# How fast is `check`?")
    assert text.count("\n# What does the guarantee cost?\n") == 1


def test_every_link_leads_somewhere() -> None:
    for page in (README, TOP / "CONTRIBUTING.md", *(TOP / "docs").rglob("*.md")):
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            if "://" not in link:
                assert (page.parent / link).exists(), f"{page}: {link}"


if __name__ == "__main__":
    chosen = [Path(said).resolve() for said in sys.argv[1:]] or PAGES
    for page in (page for page in chosen if page in ON_THEIR_OWN):
        with tempfile.TemporaryDirectory() as place:
            page.write_text(rewritten(page.read_text("utf-8"), checkout(Path(place))), encoding="utf-8")
    if any(page in AFTER_DEMO for page in chosen):
        with tempfile.TemporaryDirectory() as place:
            table = demo_table(run_demo(checkout(Path(place))))
            for page in (page for page in chosen if page in AFTER_DEMO):
                text = rewritten(page.read_text("utf-8"), Path(place))
                page.write_text(DEMO_TABLE.sub(lambda _: f"```text\n{table}```", text), encoding="utf-8")
