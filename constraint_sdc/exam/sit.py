"""Sit the exam: find an object by name, ask it the questions of its kind, and say what it failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Protocol

from constraint_sdc.engines.registry import ENGINES
from constraint_sdc.errors import UsageError
from constraint_sdc.exam.engines import engine_questions
from constraint_sdc.exam.guarantee.exam import masker_questions, where_it_crashed
from constraint_sdc.exam.measures import measure_questions
from constraint_sdc.exam.operators import operator_questions
from constraint_sdc.exam.partition import partition_questions
from constraint_sdc.exam.question import AskedQuestion, ExamFailedError, ExamOptions
from constraint_sdc.exam.reports import format_questions
from constraint_sdc.maskers.registry import MASKERS
from constraint_sdc.measures.registry import MEASURES
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.partition.registry import PARTITIONS
from constraint_sdc.reports.check.render import FORMATS
from constraint_sdc.reports.exam import ExamAnswer, ExamResult


class KindOfObject(Protocol):
    """One kind of object that can be examined."""

    def names(self) -> tuple[str, ...]:
        """Return the names of all that are registered."""
        ...

    def distribution(self, name: str) -> str:
        """Return who offers the object of this name."""
        ...

    def questions(self, name: str, options: ExamOptions) -> Iterator[AskedQuestion]:
        """Yield the questions of the exam; to ask one is to call it."""
        ...


class _Maskers:
    def names(self) -> tuple[str, ...]:
        return MASKERS.names

    def distribution(self, name: str) -> str:
        return MASKERS.distribution(name)

    def questions(self, name: str, options: ExamOptions) -> Iterator[AskedQuestion]:
        MASKERS[name]  # one that cannot be used is refused before the exam
        return masker_questions(name, options)


class _Operators:
    def names(self) -> tuple[str, ...]:
        return OPERATORS.names

    def distribution(self, name: str) -> str:
        return OPERATORS.distribution(name)

    def questions(self, name: str, options: ExamOptions) -> Iterator[AskedQuestion]:
        return operator_questions(OPERATORS[name], options)


class _Partitions:
    def names(self) -> tuple[str, ...]:
        return PARTITIONS.names

    def distribution(self, name: str) -> str:
        return PARTITIONS.distribution(name)

    def questions(self, name: str, options: ExamOptions) -> Iterator[AskedQuestion]:
        return partition_questions(PARTITIONS[name], options)


class _Reports:
    def names(self) -> tuple[str, ...]:
        return FORMATS.names

    def distribution(self, name: str) -> str:
        return FORMATS.distribution(name)

    def questions(self, name: str, options: ExamOptions) -> Iterator[AskedQuestion]:
        return format_questions(FORMATS[name], options)


class _Engines:
    def names(self) -> tuple[str, ...]:
        return ENGINES.names

    def distribution(self, name: str) -> str:
        return ENGINES.distribution(name)

    def questions(self, name: str, options: ExamOptions) -> Iterator[AskedQuestion]:
        return engine_questions(ENGINES[name], options)


class _Measures:
    def names(self) -> tuple[str, ...]:
        return MEASURES.names

    def distribution(self, name: str) -> str:
        return MEASURES.distribution(name)

    def questions(self, name: str, options: ExamOptions) -> Iterator[AskedQuestion]:
        return measure_questions(MEASURES[name], options)


KINDS: Mapping[str, KindOfObject] = MappingProxyType(
    {
        "masker": _Maskers(),
        "operator": _Operators(),
        "partition": _Partitions(),
        "measure": _Measures(),
        "report": _Reports(),
        "engine": _Engines(),
    }
)
"""The kinds of objects by the word for `--kind`."""


def find_kind(name: str, kind: str | None) -> str:
    """Return the kind of the object of this name; a name of several kinds, or of none, is refused."""
    if kind is not None and kind not in KINDS:
        raise UsageError(f"unknown kind {kind!r}", hint=f"use one of: {', '.join(KINDS)}")
    found = [one for one in KINDS if kind in (None, one) and name in KINDS[one].names()]
    if len(found) > 1:
        raise UsageError(f"{name!r} is the name of a {' and of a '.join(found)}", hint=f"give --kind {found[0]}")
    if not found:
        kinds = KINDS if kind is None else {kind: KINDS[kind]}
        known = "; ".join(f"{one}: {', '.join(kinds[one].names())}" for one in kinds)
        raise UsageError(f"nothing registered is called {name!r}", hint=known)
    return found[0]


def sit_exam(name: str, kind: str | None = None, options: ExamOptions | None = None) -> Iterator[ExamAnswer]:
    """Yield the answers of the object, question by question, up to the first that does not pass."""
    settled = ExamOptions() if options is None else options
    yield from sit_questions(KINDS[find_kind(name, kind)].questions(name, settled))


def sit_questions(questions: Iterable[AskedQuestion]) -> Iterator[ExamAnswer]:
    """Ask questions up to the first that does not pass; whatever an object raises is its failure, not the exam's."""
    for question in questions:
        try:
            yield ExamAnswer(question.text, True, question.ask())
        except ExamFailedError as failure:
            yield ExamAnswer(question.text, False, str(failure), failure.kept)
            return
        except Exception as crash:
            yield ExamAnswer(question.text, False, where_it_crashed(crash))
            return


def examine_object(name: str, kind: str | None = None, options: ExamOptions | None = None) -> ExamResult:
    """Return what became of the whole exam."""
    settled = find_kind(name, kind)
    answers = tuple(sit_exam(name, settled, options))
    return ExamResult(settled, name, KINDS[settled].distribution(name), answers)
