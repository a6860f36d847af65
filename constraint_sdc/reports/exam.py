"""The result of an exam, and how it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.files.json_file import json_text
from constraint_sdc.shown import Tabled


@dataclass(frozen=True, slots=True)
class ExamAnswer:
    """One question and what came of it: `says` is what was tried, or the counterexample if it did not pass."""

    question: str
    passed: bool
    says: str
    kept: Path | None = None


@dataclass(frozen=True, slots=True, repr=False)
class ExamResult(Tabled):
    """The answers of one object. The exam ends with the first that does not pass."""

    kind: str
    name: str
    distribution: str
    answers: tuple[ExamAnswer, ...]

    @property
    def passed(self) -> bool:
        """Tell whether every question was answered rightly."""
        return all(answer.passed for answer in self.answers)

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed."""
        return 0 if self.passed else 1


def exam_head(kind: str, name: str, distribution: str) -> str:
    """Return who sits the exam."""
    return f"{kind} {name} ({distribution})"


def answer_line(answer: ExamAnswer) -> str:
    """Return one answer in a line."""
    return f"  {'passed' if answer.passed else 'FAILED'}  {answer.question}: {answer.says}"


def exam_end(answers: tuple[ExamAnswer, ...]) -> str:
    """Return the outcome, with the place of the counterexample's files."""
    last = answers[-1]
    if last.passed:
        return f"passed: {len(answers)} questions"
    kept = "" if last.kept is None else f"files of the counterexample: {last.kept}\n"
    return f"{kept}failed: {last.question}"


def exam_text(result: ExamResult) -> str:
    """Return the whole exam."""
    head = exam_head(result.kind, result.name, result.distribution)
    return "\n".join([head, *map(answer_line, result.answers), exam_end(result.answers)]) + "\n"


def render_exam_json(result: ExamResult) -> str:
    """Return the exam as JSON."""
    answers = [
        {
            "question": one.question,
            "passed": one.passed,
            "says": one.says,
            "kept": None if one.kept is None else str(one.kept),
        }
        for one in result.answers
    ]
    who = {"kind": result.kind, "name": result.name, "distribution": result.distribution}
    return json_text({**who, "passed": result.passed, "answers": answers})
