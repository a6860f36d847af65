"""Sessions in Markdown: ```console blocks whose `$ command` lines are run, and whose other lines are what they print.

A command may go on after a backslash at the end of its line. `$ echo $?` prints the exit code of the command before it.
The message of a command that fails is part of the session, remarks beside its output are not. Nothing that depends on
the machine may be: no seconds, no absolute paths.

`constraint-sdc` and `python` run in the process of the tests, because loading the package anew for every command costs
more than most commands. The installed program itself is run by tests/test_wheel.py.
"""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from constraint_sdc.cli import main
from tests.in_process import run_in_process

TOP = Path(__file__).resolve().parents[1]
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def _script() -> None:
    """Run the script that the arguments name, as `python SCRIPT ...` does."""
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")


PROGRAMS: dict[str, Callable[[], object] | None] = {
    "constraint-sdc": main,
    "python": _script,
    "head": None,
    "diff": None,
}
"""What a session may run; no shell is between, so there are no pipes, patterns or redirections."""


def blocks(text: str) -> list[str]:
    """Return the sessions of a page, one after the other."""
    return CONSOLE.findall(text)


def commands(block: str) -> Iterator[str]:
    """Yield the commands of a block as they are written, without the prompt."""
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = [line[2:]]
            while command[-1].endswith("\\"):
                command.append(next(lines))
            yield "\n".join(command)


def replayed(block: str, folder: Path) -> str:
    """Run a block's commands in a folder and return the block as it should be."""
    shown: list[str] = []
    code = 0
    for command in commands(block):
        if command == "echo $?":
            printed = str(code)
        else:
            code, printed = run(command, folder)
        shown += [f"$ {command}\n", f"{printed.rstrip()}\n" if printed.strip() else ""]
    return "".join(shown)


def run(command: str, folder: Path) -> tuple[int, str]:
    """Run one command; return its exit code and what it printed, followed by the message if it failed."""
    program, *words = shlex.split(command.replace("\\\n", " "))
    assert program in PROGRAMS, f"a session runs {', '.join(PROGRAMS)}, not {program}"
    inside = PROGRAMS[program]
    if inside is not None:
        code, printed, complained = run_in_process(inside, [program, *words], folder)
    else:
        done = subprocess.run([program, *words], cwd=folder, capture_output=True, encoding="utf-8", check=False)
        code, printed, complained = done.returncode, done.stdout, done.stderr
    return code, printed + (complained if code else "")


def rewritten(text: str, folder: Path) -> str:
    """Return a page with every session as it should be."""
    return CONSOLE.sub(lambda found: f"```console\n{replayed(found[1], folder)}```", text)
