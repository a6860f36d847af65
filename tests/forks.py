"""Runs of the command line in processes of their own, forked from one that has loaded the package already.

A start of the program takes longer than most of what tests ask of it. A fork has everything else of a new process: its
own folder, streams, exit code and end.

    python -m tests.forks        reads {"words": [...], "folder": "..."}, one a line, and answers each with a line
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[1]


class Forks:
    """A process that has loaded the package and forks once for every run."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server

    def run(self, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command line with these words in a folder."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        print(json.dumps({"words": words, "folder": str(folder)}), file=self._server.stdin, flush=True)
        answer = json.loads(self._server.stdout.readline())
        return subprocess.CompletedProcess(words, **answer)


@contextmanager
def forks(environment: Mapping[str, str]) -> Iterator[Forks]:
    """Give a process with this environment; it ends with the block."""
    path = os.pathsep.join([environment.get("PYTHONPATH", ""), str(TOP)])
    with subprocess.Popen(
        [sys.executable, "-m", "tests.forks"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**environment, "PYTHONPATH": path},
    ) as server:
        try:
            yield Forks(server)
        finally:
            assert server.stdin is not None
            server.stdin.close()


def _serve() -> None:
    """Answer every line; a child leaves this function and runs the program to its own end."""
    for name in ("assess", "check", "mask"):  # once, for all children
        importlib.import_module(f"constraint_sdc.commands.{name}")
    answers = os.dup(1)
    for line in sys.stdin:
        asked: dict[str, Any] = json.loads(line)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if not child:
                os.close(answers)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                os.chdir(asked["folder"])
                sys.argv = ["constraint-sdc", *asked["words"]]
                return
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said = {"returncode": code}
            for name, stream in (("stdout", out), ("stderr", err)):
                stream.seek(0)
                said[name] = stream.read().decode()
        os.write(answers, (json.dumps(said) + "\n").encode())
    os._exit(0)


if __name__ == "__main__":
    _serve()
    from constraint_sdc.cli import main

    main()
