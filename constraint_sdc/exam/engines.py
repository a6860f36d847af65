"""The exam of engines: the results of the serial engine, whatever happens to workers, and errors that arrive whole."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from constraint_sdc.arrays import AnyArray, Floats
from constraint_sdc.engines.engine import IN_FLIGHT, Engine, EngineKind, EngineSettings, is_worker
from constraint_sdc.engines.scratch import Scratch, SharedArray, opened
from constraint_sdc.errors import ConstraintSdcError, EngineError, NotPublishedError
from constraint_sdc.exam.question import AskedQuestion, ExamFailedError, ExamOptions, require

_MUCH = 1e6  # seconds of work, as an engine is told: enough for every worker


def engine_questions(kind: EngineKind, options: ExamOptions) -> Iterator[AskedQuestion]:
    """Yield the questions; one engine with two workers answers them all."""
    workers = None if kind.name == "serial" else 2
    engine = kind.start(EngineSettings(kind.name, workers))
    try:
        for text, check in _QUESTIONS.items():
            yield AskedQuestion(text, partial(check, engine, options))
    finally:
        engine.close()


# What the pieces do: at the top of a module, because workers import it.


@dataclass(frozen=True, slots=True)
class ExamPiece:
    """A piece of work: a number of its own, a seed, seconds to wait, values, and a file that marks a first attempt."""

    number: int
    seed: int = 0
    seconds: float = 0.0
    values: Any = None
    marker: Path | None = None


def drawn_late(piece: ExamPiece) -> tuple[int, Floats]:
    """Return the number of the piece and what its seed draws, after a while."""
    time.sleep(piece.seconds)
    return piece.number, np.random.default_rng(piece.seed).normal(size=5)


def turned_round(piece: ExamPiece) -> Any:
    """Return the values of the piece, and write to the arrays among them."""
    for value in piece.values:
        if isinstance(value, np.ndarray) and value.size:
            value[...] = value[::-1].copy() if value.ndim else value
    return piece.values


def total_of(array: SharedArray) -> float:
    """Return the sum of an array that is shared."""
    return float(opened(array).sum())


def totalled_late(piece: ExamPiece) -> float:
    """Return the sum of the piece's values, after a while."""
    time.sleep(piece.seconds)
    return float(piece.values.sum())


def refusing(piece: ExamPiece) -> None:
    """Raise the error that the piece asks for."""
    raise _ERRORS[piece.number]


def dying(piece: ExamPiece) -> int:
    """Kill the worker: at the first attempt if the piece has a marker, else at every attempt."""
    if is_worker() and (piece.marker is None or not piece.marker.exists()):
        if piece.marker is not None:
            piece.marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return piece.number


_ERRORS: tuple[Exception, ...] = (
    ConstraintSdcError("wrong", file="data.xml", line=3, hint="mend it"),
    NotPublishedError("broken", details=("one", "two")),
    OSError(28, "No space left on device", "out.xml"),
    ValueError("odd"),
)


# The questions.


def _keeps_order(engine: Engine, options: ExamOptions) -> str:
    count = max(8, options.cases // 3)
    pieces = [ExamPiece(n, seed=n, seconds=0.02 * (n % 3 == 0)) for n in range(count)]
    found = list(engine.map(drawn_late, pieces, work=_MUCH))
    require([number for number, _ in found] == list(range(count)), "results are not in the order of the pieces")
    for piece, (_, values) in zip(pieces, found, strict=True):
        expected = np.random.default_rng(piece.seed).normal(size=5)
        require(values.tobytes() == expected.tobytes(), f"piece {piece.number} drew with another seed than its own")
    require(list(engine.map(drawn_late, [], work=_MUCH)) == [], "no pieces have results")
    return f"{count} pieces"


def _carries_values(engine: Engine, options: ExamOptions) -> str:  # noqa: ARG001  (the signature of a question)
    def values() -> tuple[Any, ...]:
        nan = np.array([np.nan, -0.0, np.inf])
        return nan, np.arange(6, dtype=np.int16).reshape(2, 3)[:, ::2], np.zeros((0, 3)), "té\0xt", Path("a b"), 2**80

    (found,) = engine.map(turned_round, [ExamPiece(0, values=values())], work=_MUCH)
    (expected,) = map(turned_round, [ExamPiece(0, values=values())])
    for one, other in zip(found, expected, strict=True):
        same = _same_array(one, other) if isinstance(other, np.ndarray) else one == other
        require(same, f"{other!r} arrives as {one!r}")
    return f"{len(expected)} values"


def _same_array(one: Any, other: AnyArray) -> bool:
    is_alike = isinstance(one, np.ndarray) and one.dtype == other.dtype and one.shape == other.shape
    return is_alike and one.tobytes() == other.tobytes() and one.flags.writeable


def _shares_arrays(engine: Engine, options: ExamOptions) -> str:
    scratch = Scratch()
    try:
        values = np.random.default_rng(options.seed).normal(size=(1_100_000, 1))
        stored = scratch.kept(values)
        pieces = [scratch.share(part) for part in (stored, stored[100:], values[::-1], values[:7])]
        found = list(engine.map(total_of, pieces, work=_MUCH))
        require(found == [total_of(piece) for piece in pieces], f"shared arrays have the sums {found}")
        sent = [len(piece) for piece in pieces if isinstance(piece, np.ndarray)]
        require(sent == [7], f"arrays of {sent} values are sent instead of mapped")
    finally:
        scratch.close()
    return f"{len(pieces)} arrays"


def _holds_pieces(engine: Engine, options: ExamOptions) -> str:  # noqa: ARG001  (the signature of a question)
    scratch, count, records = Scratch(), 4 * IN_FLIGHT, 40_000

    def made(number: int) -> ExamPiece:
        values = scratch.kept(np.full((records, 1), float(number)))
        return ExamPiece(number, seconds=0.1 * (number < 2), values=values)

    try:
        # Nobody else holds the pieces: a scratch file is gone with its piece.
        found = list(engine.map(totalled_late, map(made, range(count)), work=_MUCH))
    except (OSError, EngineError) as error:
        raise ExamFailedError(f"a piece is gone before its result: {error}") from None
    finally:
        scratch.close()
    require(found == [float(number * records) for number in range(count)], f"the values of pieces add up to {found}")
    return f"{count} pieces"


def _raises(engine: Engine, options: ExamOptions) -> str:  # noqa: ARG001  (the signature of a question)
    for number, expected in enumerate(_ERRORS):
        try:
            list(engine.map(refusing, [ExamPiece(number)], work=_MUCH))
        except Exception as found:
            is_same = type(found) is type(expected) and str(found) == str(expected)
            require(is_same, f"{expected!r} arrives as {found!r}")
            held = {name: value for name, value in vars(found).items() if name != "__notes__"}
            require(held == _held(expected), f"{expected!r} arrives with {held}")
        else:
            raise ExamFailedError(f"{expected!r} does not arrive")
    return f"{len(_ERRORS)} errors"


def _held(error: Exception) -> dict[str, Any]:
    return {name: value for name, value in vars(error).items() if name != "__notes__"}


def _is_lazy(engine: Engine, options: ExamOptions) -> str:  # noqa: ARG001  (the signature of a question)
    taken: list[int] = []

    def pieces() -> Iterator[ExamPiece]:
        for number in range(1000):
            taken.append(number)
            yield ExamPiece(number)

    results = engine.map(drawn_late, pieces(), work=_MUCH)
    most = IN_FLIGHT * engine.workers + 1
    for count in range(1, 20):
        next(results)
        require(len(taken) < count + most, f"{len(taken)} pieces are taken when {count} results are")
    close: Callable[[], None] = getattr(results, "close", lambda: None)
    close()
    require(list(engine.map(drawn_late, [], work=_MUCH)) == [], "work that was left off hinders the next")
    return "1,000 pieces"


def _refuses_strangers(engine: Engine, options: ExamOptions) -> str:  # noqa: ARG001  (the signature of a question)
    strangers: tuple[Callable[[Any], Any], ...] = (lambda piece: piece, os.fspath, Path, partial(total_of))
    for stranger in strangers:
        try:
            list(engine.map(stranger, ["."], work=_MUCH))
        except ValueError:
            continue
        raise ExamFailedError(f"{stranger!r} is run, which workers cannot import from this package")
    return f"{len(strangers)} functions"


def _survives(engine: Engine, options: ExamOptions) -> str:
    count = max(6, options.cases // 5)
    with tempfile.TemporaryDirectory(prefix="constraint-sdc-exam-") as folder:
        # Only the first two find no marker of their own or of another.
        pieces = [ExamPiece(n, marker=Path(folder, str(min(n, 1)))) for n in range(count)]
        found = list(engine.map(dying, pieces, work=_MUCH))
        require(found == list(range(count)), f"after a worker was killed the results are {found}")
        killed = len(list(Path(folder).iterdir()))
    return f"{count} pieces, {killed} workers killed" if killed else "no workers"


def _gives_up(engine: Engine, options: ExamOptions) -> str:  # noqa: ARG001  (the signature of a question)
    try:
        found = list(engine.map(dying, [ExamPiece(7)], work=_MUCH))
    except EngineError as refusal:
        require("dying" in str(refusal), f"the error does not name the function: {refusal}")
        return "1 piece at which every worker dies"
    # Where the engine has no workers nobody is killed.
    require(found == [7] and engine.workers == 1, f"a piece at which every worker dies has the result {found}")
    return "no workers"


_QUESTIONS: dict[str, Callable[[Engine, ExamOptions], str]] = {
    "results have the order of the pieces, and their seeds": _keeps_order,
    "values arrive as they are": _carries_values,
    "large arrays are mapped, not sent": _shares_arrays,
    "a piece stays until its result is there": _holds_pieces,
    "errors arrive whole": _raises,
    "pieces are taken as results are": _is_lazy,
    "functions outside the package are refused": _refuses_strangers,
    "a killed worker loses nothing": _survives,
    "a piece that kills every worker is an error": _gives_up,
}
