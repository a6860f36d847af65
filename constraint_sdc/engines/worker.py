"""A worker process: it imports the function of a task by name, applies it to a piece, and sends the result back.

The parent writes tasks to its standard input and reads answers from its standard output. It ends when the parent does:
then a pipe closes that nobody writes to.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO, cast

from constraint_sdc.engines.engine import WORKER_MARK
from constraint_sdc.engines.freeing import collect_rarely, give_back_after_work
from constraint_sdc.engines.parcel import ByteSupply, read_parcel
from constraint_sdc.engines.task import outcome

# Not `-m`: that would put the current directory on the module path, where a foreign file could replace a module.
_START = "import sys; sys.path.append(sys.argv[1]); from constraint_sdc.engines.worker import main; main()"
_ROOT = str(Path(__file__).resolve().parents[2])
_ENDING = 60.0  # seconds in which a process that has closed a pipe ends, on any machine
ONE_THREAD = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""The environment of a worker: one thread each, because there are as many workers as cores."""


KEPT_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(64 << 20)}
"""For glibc: arrays of a piece reuse the memory of the piece before, instead of pages that the system clears anew."""


class WorkerLostError(Exception):
    """A worker process ended in the middle of a task; `how` says by what."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class WorkerProcess:
    """The parent's side of a worker process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        theirs, self._lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, _ROOT, str(theirs)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs,),
                env={**os.environ, **ONE_THREAD, **KEPT_MEMORY, WORKER_MARK: "1"},
            )
        except BaseException:
            os.close(self._lifeline)
            raise
        finally:
            os.close(theirs)
        for pipe in (self._process.stdin, self._process.stdout):
            _widen(pipe)

    @property
    def pid(self) -> int:
        """Return the number of the process."""
        return self._process.pid

    def run(self, task: list[bytes | memoryview]) -> Any:
        """Return the outcome of a packed (name, piece); WorkerLostError if the process ends before."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            for block in task:
                self._process.stdin.write(block)
            self._process.stdin.flush()
            return read_parcel(cast("ByteSupply", self._process.stdout))
        except (OSError, EOFError, ValueError):
            raise WorkerLostError(self._end()) from None

    def kill(self) -> None:
        """End the process at once and leave no zombie behind."""
        self._process.kill()
        self._process.wait()
        with self._lock:
            if self._lifeline >= 0:
                os.close(self._lifeline)
                self._lifeline = -1
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError, ValueError):
                    stream.close()

    def _end(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDING)
        code = self._process.returncode
        return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


def _widen(pipe: Any) -> None:
    """Let a pipe hold a whole run of records, where the system allows it: fewer switches between processes."""
    with contextlib.suppress(OSError, AttributeError):
        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, 1 << 20)


def main() -> None:
    """Answer tasks of the standard input until it ends; nothing else is written to the standard output."""
    collect_rarely()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted too, and ends this process
    sys.stdout = sys.stderr
    threading.Thread(target=_end_with_parent, args=(int(sys.argv[2]),), daemon=True).start()
    while True:
        try:
            _answer(read_parcel(cast("ByteSupply", source)), target)
        except EOFError:
            os._exit(0)  # without waiting for the thread that watches the parent
        give_back_after_work()


def _answer(task: tuple[str, Any], target: BinaryIO) -> None:
    """Write the outcome of one piece; nothing of it stays in memory."""
    for block in outcome(*task):
        target.write(block)
    target.flush()


def _end_with_parent(lifeline: int) -> None:
    os.read(lifeline, 1)
    os._exit(1)
