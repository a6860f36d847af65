"""The questions to a partition method: those about groups, then the guarantee with groups of this method."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from constraint_sdc.exam.guarantee.exam import guarantee_question
from constraint_sdc.exam.guarantee.maskers import with_partition
from constraint_sdc.exam.partition.exam import QUESTIONS, Candidate, Question, candidate_of
from constraint_sdc.exam.question import AskedQuestion, ExamOptions
from constraint_sdc.partition.partitioner import Partitioner, Takes


def partition_questions(method: Partitioner, options: ExamOptions) -> Iterator[AskedQuestion]:
    """Yield every question about groups; then random files are masked with them, where the method takes numbers."""
    candidate = candidate_of(method)
    for question in QUESTIONS:
        yield AskedQuestion(question.__name__.replace("_", " "), partial(_ask, question, candidate))
    if method.traits.takes not in (Takes.ORDINAL, Takes.NOMINAL):
        yield guarantee_question(lambda case: with_partition(case, method), options)


def _ask(question: Question, candidate: Candidate) -> str:
    question(candidate)
    return f"on clouds of {candidate.takes.value}"
