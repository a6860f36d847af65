"""The README's session is what a user sees: every command in it is run, and must print what the README shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]
PROGRAM = Path(sys.executable).with_name("constraint-sdc")
BLOCKS = re.findall(r"```console\n(.*?)```", (TOP / "README.md").read_text("utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the demo has run, as `make demo` runs it."""
    folder = tmp_path_factory.mktemp("readme")
    command = [PROGRAM, "demo", "--directory", "build/demo"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


def test_the_session_has_commands() -> None:
    assert len(BLOCKS) == 2


@pytest.mark.parametrize("block", BLOCKS)
def test_a_command_prints_what_the_readme_shows(workplace: Path, block: str) -> None:
    shown, *rest = re.split(r"^\$ echo \$\?\n", block, flags=re.MULTILINE)
    command, _, output = shown.partition("\n")
    words = shlex.split(command.removeprefix("$ "))
    done = subprocess.run([PROGRAM, *words[1:]], cwd=workplace, capture_output=True, text=True, check=False)
    assert done.stdout.rstrip() == output.rstrip()
    if rest:
        assert done.returncode == int(rest[0])


def test_every_link_leads_somewhere() -> None:
    for page in (TOP / "README.md", TOP / "CONTRIBUTING.md", *(TOP / "docs").rglob("*.md")):
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
            if "://" not in link:
                assert (page.parent / link).exists(), f"{page}: {link}"
