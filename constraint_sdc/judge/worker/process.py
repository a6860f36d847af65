"""The parent's side of the worker: start it, send requests, and kill it when it takes too long."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias

from constraint_sdc.errors import JudgeError
from constraint_sdc.judge.worker.memory import LOOK_EVERY, refuse_overweight

# Messages between the judge and its worker: a length, a JSON object, and attached bytes. Where the size of an
# attachment is not known before its last byte, it comes in blocks, each after its length; an empty one is the last.

Message: TypeAlias = dict[str, Any]

_HEAD = struct.Struct(">QQ")
HEAD_SIZE = _HEAD.size
_BLOCK_HEAD = struct.Struct(">Q")
IN_BLOCKS = (1 << 64) - 1
"""The size of an attachment that comes in blocks."""


class Attachment(Protocol):
    """Bytes that are sent a block at a time; `size` is their number, None if it is not known before."""

    @property
    def size(self) -> int | None:
        """Return how many bytes there are."""
        ...

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes."""
        ...


def packed(message: Message, size: int) -> bytes:
    """Return the head of a message and its JSON; an attachment of that size follows."""
    body = json.dumps(message).encode()
    return _HEAD.pack(len(body), size) + body


def sizes(head: bytes) -> tuple[int, int]:
    """Return how many bytes of JSON and of attachment follow a head."""
    body, attachment = _HEAD.unpack(head)
    return body, attachment


def read_message(stream: BinaryIO) -> tuple[Message, bytes] | None:
    """Read one message, or None when the other side has closed."""
    head = stream.read(HEAD_SIZE)
    if len(head) < HEAD_SIZE:
        return None
    length, extra = sizes(head)
    body = stream.read(length)
    attachment = _read_blocks(stream) if extra == IN_BLOCKS else stream.read(extra)
    if len(body) < length or attachment is None or (extra != IN_BLOCKS and len(attachment) < extra):
        return None
    message: Message = json.loads(body)
    return message, attachment


def _read_blocks(stream: BinaryIO) -> bytes | None:
    """Read an attachment in blocks, None when the other side has closed before its end."""
    blocks: list[bytes] = []
    while True:
        head = stream.read(_BLOCK_HEAD.size)
        size = _BLOCK_HEAD.unpack(head)[0] if len(head) == _BLOCK_HEAD.size else -1
        block = stream.read(size) if size > 0 else b""
        if size < 0 or len(block) < size:
            return None
        if not size:
            return b"".join(blocks)
        blocks.append(block)


def write_message(stream: BinaryIO, message: Message, attachment: bytes = b"") -> None:
    """Write one message and flush it."""
    stream.write(packed(message, len(attachment)))
    stream.write(attachment)
    stream.flush()


# Not `-m`: that would put the current directory on the module path, where a foreign file could replace a module.
_START = "import sys; sys.path.append(sys.argv[1]); from constraint_sdc.judge.worker.worker import main; main()"
_ENDING = 60.0  # seconds in which a process that has closed a pipe ends, on any machine
_ROOT = str(Path(__file__).resolve().parents[3])


class Worker:
    """A running worker process; using it after it was closed or killed starts nothing and raises."""

    def __init__(self) -> None:
        theirs, ours = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, _ROOT, str(theirs)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                pass_fds=(theirs,),
            )
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        # The killing thread waits until a thread that waits for an answer has seen the process end.
        self._lock = threading.RLock()
        self._given = 0  # bytes of all attachments so far
        self._finalizer = weakref.finalize(self, _end, self._process, ours, self._lock)

    @property
    def is_alive(self) -> bool:
        """Tell whether the process can still answer."""
        return self._process.poll() is None and self._finalizer.alive

    def ask(self, message: Message, attachment: bytes | Attachment = b"", deadline: float | None = None) -> Message:
        """Send a message and return the answer; past the deadline (by `time.monotonic`) the process is killed."""
        with self._lock:
            return self._exchange(message, attachment, deadline)

    def _exchange(self, message: Message, attachment: bytes | Attachment, deadline: float | None) -> Message:
        size = len(attachment) if isinstance(attachment, bytes) else attachment.size
        try:
            self._send(packed(message, IN_BLOCKS if size is None else size))
            for block in (attachment,) if isinstance(attachment, bytes) else attachment.blocks():
                self._given += len(block)
                self._send(block if size is not None else _BLOCK_HEAD.pack(len(block)) + block)
            if size is None:
                self._send(_BLOCK_HEAD.pack(0))
            length, extra = sizes(self._receive(HEAD_SIZE, deadline))
            answer: Message = json.loads(self._receive(length + extra, deadline))
            return answer
        except BaseException:
            # An interrupted exchange cannot be continued, whatever ended it: a time limit, a crash or the user.
            self.kill()
            raise

    def _send(self, part: bytes) -> None:
        assert self._process.stdin is not None
        rest = memoryview(part)
        try:
            while rest:
                rest = rest[self._process.stdin.write(rest) :]
        except (BrokenPipeError, ValueError):
            raise self._ended() from None

    def _receive(self, count: int, deadline: float | None) -> bytes:
        assert self._process.stdout is not None
        pieces: list[bytes] = []
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while count:
                left = LOOK_EVERY if deadline is None else min(LOOK_EVERY, deadline - time.monotonic())
                if left <= 0:
                    raise JudgeError(
                        "Saxon took longer than the time limit", hint="raise the time limit or use fewer rules"
                    )
                if not selector.select(left):
                    refuse_overweight(self._process.pid, self._given)
                    continue
                piece = os.read(self._process.stdout.fileno(), min(count, 1 << 20))
                if not piece:
                    raise self._ended()
                pieces.append(piece)
                count -= len(piece)
        return b"".join(pieces)

    def _ended(self) -> JudgeError:
        """Return the error for a process that has closed its end of a pipe: it ends, on a busy machine not at once."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDING)
        code = self._process.returncode
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return JudgeError(f"the Saxon process ended before it was finished ({how})")

    def kill(self) -> None:
        """End the process at once and leave no zombie behind."""
        self._finalizer()


# A process that starts while its parent still loads the rest of the program.

_ahead: list[Worker] = []


@contextlib.contextmanager
def started_ahead() -> Iterator[None]:
    """Start a worker that the first bench takes; it ends with the block if none did."""
    worker = Worker()
    _ahead.append(worker)
    try:
        yield
    finally:
        if worker in _ahead:
            _ahead.remove(worker)
            worker.kill()


def take_started() -> Worker | None:
    """Return the worker that was started ahead, once, if it lives."""
    worker = _ahead.pop() if _ahead else None
    return worker if worker is not None and worker.is_alive else None


def _end(process: subprocess.Popen[bytes], lifeline: int, lock: threading.RLock) -> None:
    process.kill()
    process.wait()
    os.close(lifeline)
    with lock:
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
