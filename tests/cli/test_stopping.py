"""A signal that asks the program to stop: it unwinds, leaves nothing behind, and its exit code names the signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.cli.machine.stopping import Stopped, orderly_stop
from tests.maskers.extract import columns, extract
from tests.waiting import PATIENCE, hear_signals

TOP = Path(__file__).resolve().parents[2]
OLD = {"masked.xml": b"<old/>", "masked.xml.certificate.json": b"{}"}

# The process sends itself the signal right after the n-th operation of a kind: a moment that no clock decides.
SIGNALLED = """
import os, sys
from constraint_sdc.cli import main
from tests.files.publication.faulty_disk import FaultyDisk, installed
kind, left, number = sys.argv.pop(1), int(sys.argv.pop(1)), int(sys.argv.pop(1))
class Signalling(FaultyDisk):
    def __getattr__(self, name):
        operation = super().__getattr__(name)
        def signalling(*given):
            global left
            done = operation(*given)
            left -= name == kind
            if name == kind and not left:
                os.kill(os.getpid(), number)
            return done
        return signalling
with installed(Signalling()):
    main()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    amounts = np.random.default_rng(4).integers(0, 900, (2, 40)).tolist()
    extract(tmp_path, columns(A=amounts[0], B=amounts[1]))
    for name, content in OLD.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def mask(folder: Path, kind: str, count: int, number: int, *before: str) -> subprocess.CompletedProcess[str]:
    given = ("mask", "data.xml", "-k", "3", "--partition", "mdav", "-o", "masked.xml", "--overwrite")
    return subprocess.run(
        [*before, sys.executable, "-c", SIGNALLED, kind, str(count), str(int(number)), *given],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{TOP}:{os.environ.get('PYTHONPATH', '')}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        preexec_fn=hear_signals,
    )


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "data.xml"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda number: number.name)
def test_stopped_while_it_writes_nothing_is_left(folder: Path, number: signal.Signals) -> None:
    """The first write is a note of the lock, the second the content of the staged file."""
    done = mask(folder, "write", 2, number)
    assert (done.returncode, done.stderr) == (128 + number, "constraint-sdc: stopped\n")
    assert files(folder) == OLD


def test_stopped_while_files_are_exchanged_the_old_ones_come_back(folder: Path) -> None:
    """The first rename is the journal's, the second the certificate's."""
    done = mask(folder, "rename", 2, signal.SIGTERM)
    assert (done.returncode, done.stderr) == (143, "constraint-sdc: stopped\n")
    assert files(folder) == OLD


def test_stopped_after_the_publication_it_says_so(folder: Path) -> None:
    """The first unlink is the journal's, which is the moment of publication."""
    done = mask(folder, "unlink", 1, signal.SIGTERM)
    assert done.returncode == 143
    assert done.stderr == "masked.xml was published before this happened\nconstraint-sdc: stopped\n"
    assert files(folder).keys() == OLD.keys()
    assert all(files(folder)[name] != content for name, content in OLD.items())


def test_a_signal_that_is_ignored_from_outside_stays_ignored(folder: Path) -> None:
    done = mask(folder, "write", 2, signal.SIGHUP, "nohup")
    assert done.returncode == 0, done.stderr
    assert files(folder)["masked.xml"] != OLD["masked.xml"]


def raising() -> None:
    with orderly_stop():
        os.kill(os.getpid(), signal.SIGTERM)


def test_the_handlers_of_whoever_calls_come_back() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]
    with pytest.raises(Stopped) as stopped:
        raising()
    assert stopped.value.exit_code == 143
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)] == before


def test_further_signals_do_not_disturb_the_unwinding() -> None:
    unwound = []

    def stopping() -> None:
        with orderly_stop():
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            finally:
                os.kill(os.getpid(), signal.SIGHUP)
                os.kill(os.getpid(), signal.SIGTERM)
                unwound.append(True)

    with pytest.raises(Stopped):
        stopping()
    assert unwound == [True]


def test_in_another_thread_nothing_is_handled() -> None:
    seen = []

    def work() -> None:
        with orderly_stop():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]
