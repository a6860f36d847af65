"""Runs the command line in this process, and says what an attempt achieved."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import click
from hostile.attempt import Attempt

SECRET = "canary-7f3a9c"
SECONDS = 120  # on a busy machine; no attempt should need more than a few


class TooLongError(BaseException):
    """The attempt did not end."""


def ring(*_: object) -> None:
    """End an attempt that does not end by itself."""
    raise TooLongError


@cache
def old_spelling() -> bool:
    """Tell whether the checkout is older than `partition --partition`."""
    from constraint_sdc.cli import program

    command = program.get_command(click.Context(program), "partition")
    return command is None or not any("--partition" in option.opts for option in command.params)


def spelled(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words as the checkout spells them."""
    if not old_spelling():
        return words
    return tuple("--method" if word == "--partition" else word for word in words)


def ran(words: tuple[str, ...], folder: Path) -> tuple[int, str, str]:
    """Run the command line in this process: exit code and both streams; 999 when it does not end."""
    from constraint_sdc.cli import main

    signal.signal(signal.SIGUSR1, ring)

    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    before, arguments = Path.cwd(), sys.argv
    code: Any = None
    watchdog = subprocess.Popen(["sh", "-c", f"sleep {SECONDS}; kill -USR1 {os.getpid()}"])
    try:
        os.chdir(folder)
        sys.argv = ["constraint-sdc", *spelled(words)]
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            main()
    except SystemExit as stop:
        code = stop.code
    except TooLongError:
        code = 999
    finally:
        watchdog.kill()
        watchdog.wait()
        os.chdir(before)
        sys.argv = arguments
    out, told = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams)  # type: ignore[attr-defined]
    return int(code or 0), out, told


def made(files: dict[str, bytes], words: tuple[str, ...], name: str) -> bytes:
    """Return a file that a command writes."""
    with tempfile.TemporaryDirectory() as folder:
        for other, content in files.items():
            (Path(folder) / other).write_bytes(content)
        ran(words, Path(folder))
        return (Path(folder) / name).read_bytes()


def fault(attempt: Attempt, ground: Path) -> tuple[str | None, bool]:
    """Carry out an attempt; return what it achieved, if anything, and whether it was refused."""
    work, hidden = ground / "work", ground / "secret"
    for folder in (work, hidden):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    secret = hidden / "secret.xml"
    secret.write_text(f"<s>{SECRET}</s>")
    (work / "link.xml").symlink_to(secret)
    place = str(secret).lstrip("/").encode()
    for name, content in attempt.files.items():
        (work / name).write_bytes(
            content.replace(b"file:///SECRET", b"file:///" + place).replace(b"SECRET", b"../secret/secret.xml")
        )
    known = {path.name for path in work.iterdir()} | set(attempt.outputs)
    code, out, told = ran(attempt.words, work)
    return _achieved(attempt, code, out, told, work, known, secret), code != 0


def _achieved(
    attempt: Attempt, code: int, out: str, told: str, work: Path, known: set[str], secret: Path
) -> str | None:
    if code == 999:
        return f"did not end within {SECONDS} s"
    if code not in (0, 1, 2, 3):
        return f"exit code {code}"
    if "Traceback" in told:
        return "traceback: " + told.strip().split("\n")[-2][:100]
    if attempt.must_fail and code == 0:
        return "said that rules hold which do not"
    if SECRET in out + told or secret.read_text() != f"<s>{SECRET}</s>":
        return "a file that may not be read"
    written = {path.name: path for path in work.iterdir() if path.name not in attempt.files}
    if extra := set(written) - known:
        return f"left {sorted(extra)[0]}"
    if code != 0 and (torn := set(attempt.outputs) & set(written)):
        return f"{sorted(torn)[0]} in spite of exit code {code}"
    if any(SECRET in path.read_text("utf-8", "replace") for name, path in written.items() if name != "link.xml"):
        return "a file that may not be read, in an output"
    for line in (out + "\n" + told).split("\n"):
        if line.lstrip().startswith(("::", "##")) or re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", line):
            return f"a line of its own in the log: {line[:60]!r}"
    return None
