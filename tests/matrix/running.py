"""Run a case in a folder of its own through the entry of the command line, and look at what it left."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from constraint_sdc.cli import main
from tests.in_process import run_in_process
from tests.matrix.case import MatrixCase
from tests.matrix.inputs import OPTIONS, prepare
from tests.matrix.normal import DEPTH, culprits, normal_file, normal_output, outline

COPY, REPLACE, REMOVE = EDITS = "copy", "replace", "remove"
"""Words of a case that are no commands of the program: copy FROM TO; replace FILE OLD NEW; remove FILE."""


class Runner:
    """Runs cases; inputs are made once and copied."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def run(self, case: MatrixCase) -> Any:
        """Return what the case answers and leaves, wording aside, in full."""
        folder = self._empty_folder()
        self._fill(case, folder)
        given = _contents(folder)
        steps = [_step(line, folder) for line in case.run if not _edited(line, folder)]
        after = _contents(folder)
        written = sorted(name for name, content in after.items() if given.get(name) != content)
        drawn = ("data.xml", "rules.sch") if any(name.startswith("guarantee:") for name in case.inputs) else ()
        return {
            "steps": steps,
            "files": {name: normal_file(folder / name, folder) for name in written},
            "given": {name: normal_file(folder / name, folder) for name in drawn},
        }

    def _empty_folder(self) -> Path:
        """Return the same folder for every case: the judge's processes live on in it."""
        folder = (self._cache / "case").resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return folder

    def _fill(self, case: MatrixCase, folder: Path) -> None:
        for name in case.inputs:
            shutil.copytree(self._input(name), folder, dirs_exist_ok=True)
        for name, text in case.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")

    def _input(self, name: str) -> Path:
        place = self._cache / "inputs" / re.sub(r"\W", "-", name)
        if not place.exists():
            unfinished = place.with_name(place.name + "~")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            prepare(name, unfinished)
            unfinished.rename(place)
        return place


@contextlib.contextmanager
def quick_judge() -> Iterator[None]:
    """Keep the judge's processes from one case to the next where the guarantee tests can; it only saves time."""
    try:
        from constraint_sdc.exam.guarantee.judging import pooled_saxon
    except ImportError:
        yield
        return
    with pooled_saxon():
        yield


def recorded_form(result: Any) -> Any:
    """Return a result as it is recorded: short, with digests in place of what is long."""
    steps = [{name: outline(item, DEPTH) for name, item in step.items()} for step in result["steps"]]
    others = {part: {name: outline(item, 1) for name, item in result[part].items()} for part in ("files", "given")}
    return {"steps": steps, **others}


def _contents(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _edited(line: str, folder: Path) -> bool:
    """Carry out a line that edits files; tell whether it was one."""
    word, *rest = shlex.split(line)
    if word == COPY:
        shutil.copy(folder / rest[0], folder / rest[1])
    elif word == REPLACE:
        path = folder / rest[0]
        text = path.read_text(encoding="utf-8")
        assert rest[1] in text, f"{rest[1]!r} is not in {rest[0]}"
        path.write_text(text.replace(rest[1], rest[2], 1), encoding="utf-8")
    elif word == REMOVE:
        (folder / rest[0]).unlink()
    else:
        return False
    return True


def _step(line: str, folder: Path) -> Any:
    words = shlex.split(line)
    if "{options}" in words:
        place = words.index("{options}")
        words[place : place + 1] = json.loads((folder / OPTIONS).read_text(encoding="utf-8"))
    code, output, complaint = run_command(words, folder)
    step: dict[str, Any] = {"exit": code}
    if output.strip():
        step["prints"] = normal_output(output, folder)
    if "Traceback (most recent call last)" in complaint:
        step["crash"] = True
    if code:
        step["names"] = culprits(complaint, folder)
    return step


def run_command(words: list[str], folder: Path) -> tuple[int, str, str]:
    """Run one command in a folder; return its exit code, and what it printed on both streams."""
    return run_in_process(main, ["constraint-sdc", *words], folder)
