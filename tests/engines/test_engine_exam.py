"""Every engine sits the same exam; engines that lie fail it."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from constraint_sdc.engines.engine import IN_FLIGHT, EngineSettings
from constraint_sdc.engines.parcel import packed_bytes, unpacked
from constraint_sdc.engines.registry import ENGINES
from constraint_sdc.engines.serial import SerialEngine
from constraint_sdc.exam.engines import engine_questions
from constraint_sdc.exam.question import ExamOptions
from constraint_sdc.exam.sit import sit_questions
from constraint_sdc.reports.exam import ExamAnswer


def sat(kind: Any) -> tuple[ExamAnswer, ...]:
    return tuple(sit_questions(engine_questions(kind, ExamOptions(cases=6))))


def test_the_registry_has_the_three_engines() -> None:
    assert ENGINES.own_names == ("serial", "processes", "dask")


@pytest.mark.parametrize("name", ENGINES.own_names)
def test_our_engines_pass(name: str) -> None:
    answers = sat(ENGINES[name])
    assert [answer.question for answer in answers if not answer.passed] == []
    told = {answer.question: answer.says for answer in answers}
    assert ("no workers" in told["a killed worker loses nothing"]) == (name == "serial")


class Liar(SerialEngine):
    """An engine with one fault; `start` makes it its own kind."""

    name = "liar"
    workers = 2

    def start(self, settings: EngineSettings) -> Liar:  # noqa: ARG002
        return self


class Unordered(Liar):
    def map(self, function: Callable[[Any], Any], pieces: Iterable[Any], *, work: float) -> Iterator[Any]:
        shuffled = list(pieces)
        random.Random(1).shuffle(shuffled)
        return super().map(function, shuffled, work=work)


class Greedy(Liar):
    def map(self, function: Callable[[Any], Any], pieces: Iterable[Any], *, work: float) -> Iterator[Any]:
        return super().map(function, list(pieces), work=work)


class Obliging(Liar):
    def map(self, function: Callable[[Any], Any], pieces: Iterable[Any], *, work: float) -> Iterator[Any]:  # noqa: ARG002
        return map(function, pieces)


class Worded(Liar):
    """Passes on the text of an error and loses the rest."""

    def map(self, function: Callable[[Any], Any], pieces: Iterable[Any], *, work: float) -> Iterator[Any]:
        try:
            yield from super().map(function, pieces, work=work)
        except Exception as error:
            raise type(error)(str(error)) from None


class Rounding(Liar):
    """Sends arrays as single precision."""

    def map(self, function: Callable[[Any], Any], pieces: Iterable[Any], *, work: float) -> Iterator[Any]:
        for number, values in super().map(function, pieces, work=work):
            yield number, values.astype("f4").astype("f8")


class Forgetful(Liar):
    """Packs pieces when they come and lets go of them, as if the parcel were all."""

    def map(self, function: Callable[[Any], Any], pieces: Iterable[Any], *, work: float) -> Iterator[Any]:
        waiting: deque[bytes] = deque()

        def answer() -> Any:
            return next(iter(SerialEngine().map(function, [unpacked(waiting.popleft())], work=work)))

        for parcel in map(packed_bytes, pieces):
            waiting.append(parcel)
            if len(waiting) >= IN_FLIGHT * self.workers:
                yield answer()
        while waiting:
            yield answer()


class Immortal(Liar):
    """Has workers, as it says, and runs everything here."""


@pytest.mark.parametrize(
    ("liar", "failed"),
    [
        (Unordered, "results have the order of the pieces, and their seeds"),
        (Rounding, "results have the order of the pieces, and their seeds"),
        (Worded, "errors arrive whole"),
        (Forgetful, "a piece stays until its result is there"),
        (Greedy, "pieces are taken as results are"),
        (Obliging, "functions outside the package are refused"),
        (Immortal, "a piece that kills every worker is an error"),
    ],
)
def test_an_engine_that_lies_fails(liar: type[Liar], failed: str) -> None:
    last = sat(liar())[-1]
    assert (last.question, last.passed) == (failed, False)


def test_a_parcel_names_nothing_but_plain_values() -> None:
    import os

    for stranger in (os.system, eval, print, SerialEngine, ENGINES.own_names.count):
        with pytest.raises(TypeError, match="is not sent between processes"):
            unpacked(packed_bytes(stranger))
