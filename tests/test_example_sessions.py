"""Every examples/NAME/README.md is a session that a reader can repeat: its commands print what it shows, to the letter.

Commands run in an empty folder that holds a copy of examples/NAME and of rules/ under those names, as in a checkout;
what they write goes to build/examples/NAME and is never committed. When an output changes on purpose,
`python -m tests.test_example_sessions [NAME ...]` writes the sessions anew; read the difference.
"""

from __future__ import annotations

import json
import runpy
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.console_session import TOP, blocks, commands, rewritten

EXAMPLES = TOP / "examples"
NAMES = sorted(page.parent.name for page in EXAMPLES.glob("*/README.md"))


def workplace(name: str, folder: Path) -> Path:
    """Return the folder with what the session of an example needs."""
    shutil.copytree(EXAMPLES / name, folder / "examples" / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(TOP / "rules", folder / "rules")
    return folder


def session(name: str) -> str:
    return (EXAMPLES / name / "README.md").read_text("utf-8")


def test_there_are_examples() -> None:
    assert "categorical" in NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_session_prints_what_its_page_shows(name: str, tmp_path: Path) -> None:
    text = session(name)
    assert rewritten(text, workplace(name, tmp_path)) == text


@pytest.mark.parametrize("name", NAMES)
def test_the_session_masks_judges_and_tells_no_path(name: str) -> None:
    said = [command for block in blocks(session(name)) for command in commands(block)]
    verbs = {command.split()[1] for command in said if command.startswith("constraint-sdc ")}
    assert {"mask", "check"} <= verbs
    assert str(TOP) not in session(name)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_session_writes_is_not_committed(name: str) -> None:
    kept = {".R", ".ipynb", ".md", ".py", ".sch", ".sql", ".txt", ".yml"}
    files = (path for path in (EXAMPLES / name).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert {path.suffix for path in files} <= kept


def test_the_notebook_masks_in_one_cell_what_the_command_masks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "first-result"
    monkeypatch.chdir(workplace(name, tmp_path))
    runpy.run_path(f"examples/{name}/generate.py")["main"](Path("build/examples") / name)
    cells = json.loads(Path(f"examples/{name}/notebook.ipynb").read_text("utf-8"))["cells"]
    (code,) = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert f"```python\n{code}\n```" in session(name)
    found: dict[str, Any] = {}
    exec(code, found)
    shown = [line.split(";") for line in session(name).splitlines() if line.count(";") == 9 and line[0] in "ti"]
    rows = found["masked"].frame.head(len(shown)).astype(str).to_numpy().tolist()
    assert len(shown) == 3
    assert rows == shown


if __name__ == "__main__":
    for chosen in sys.argv[1:] or NAMES:
        with tempfile.TemporaryDirectory() as place:
            page = EXAMPLES / chosen / "README.md"
            page.write_text(rewritten(session(chosen), workplace(chosen, Path(place))), encoding="utf-8")
