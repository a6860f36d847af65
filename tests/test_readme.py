"""The README's session is what a user sees: every command in it is run, and must print what the README shows.

When an output changes on purpose, `python -m tests.test_readme` writes the session anew; read the difference.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.console_session import PROGRAM, TOP, blocks, replayed, rewritten

README = TOP / "README.md"
BENCHMARKS = TOP / "docs" / "benchmarks.md"
DEMO_TABLE = re.compile(r"```text\n(records that break .*?)```", re.DOTALL)
BLOCKS = blocks(README.read_text("utf-8"))


def run_demo(folder: Path) -> str:
    """Run the demo in a folder as `make demo` runs it."""
    command = [PROGRAM, "demo", "--directory", "build/demo"]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def demo_table(printed: str) -> str:
    """Return the demo's table of what breaks which rule."""
    return printed[printed.index("records that break ") :].partition("\n\n")[0] + "\n"


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which the demo has run, and what it printed."""
    folder = tmp_path_factory.mktemp("readme")
    return folder, run_demo(folder)


def test_the_session_masks_and_checks() -> None:
    verbs = [block.split()[2] for block in BLOCKS]
    assert verbs == ["rules", "explain", "mask", "check", "assess", "check"]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split()[2])
def test_a_command_prints_what_the_readme_shows(workplace: tuple[Path, str], block: str) -> None:
    assert replayed(block, workplace[0]) == block


def test_the_readme_shows_what_the_demo_found(workplace: tuple[Path, str]) -> None:
    assert DEMO_TABLE.findall(README.read_text("utf-8")) == [demo_table(workplace[1])]


def test_every_measured_figure_of_the_readme_is_in_the_benchmarks() -> None:
    comparing = README.read_text("utf-8").partition("## How it compares")[2].partition("\n## ")[0]
    rows = [row for table in re.findall(r"(?:^\|.*\n)+", comparing, re.MULTILINE) for row in table.splitlines()[2:]]
    pages = [BENCHMARKS, *(TOP / "docs" / name for name in ("partition/benchmarks.md", "measures/benchmarks.md"))]
    pages.append(TOP / "docs" / "maskers" / "comparison.md")
    measured = [line for page in pages for line in page.read_text("utf-8").splitlines()]
    assert len(rows) > 8
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
    with tempfile.TemporaryDirectory() as place:
        table = demo_table(run_demo(Path(place)))
        text = rewritten(README.read_text("utf-8"), Path(place))
        README.write_text(DEMO_TABLE.sub(lambda _: f"```text\n{table}```", text), encoding="utf-8")
