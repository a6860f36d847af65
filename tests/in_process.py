"""Run a program in the process of the tests: arguments and a folder in, exit code and both streams out."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def run_in_process(program: Callable[[], object], words: Sequence[str], folder: Path) -> tuple[int, str, str]:
    """Call a program in a folder with `words` as sys.argv; return its exit code and what both streams got."""
    printed, complained = io.BytesIO(), io.BytesIO()
    streams = [io.TextIOWrapper(raw, encoding="utf-8", write_through=True) for raw in (printed, complained)]
    before, arguments = Path.cwd(), sys.argv
    code: Any = None
    try:
        os.chdir(folder)
        sys.argv = list(words)
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program()
    except SystemExit as stop:
        code = stop.code
    finally:
        os.chdir(before)
        sys.argv = arguments
    return int(code or 0), printed.getvalue().decode("utf-8"), complained.getvalue().decode("utf-8")
