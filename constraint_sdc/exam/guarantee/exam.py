"""The exam of the guarantee: random rules and data are masked, and the written bytes are judged."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from constraint_sdc.exam.failure import ExamFailedError, require
from constraint_sdc.exam.guarantee.case import ExamCase, write_case
from constraint_sdc.exam.guarantee.generator import make_case
from constraint_sdc.exam.guarantee.maskers import with_masker
from constraint_sdc.exam.guarantee.running import CaseOutcome, run_case
from constraint_sdc.exam.guarantee.saxon_pool import pooled_saxon
from constraint_sdc.exam.question import AskedQuestion, ExamOptions

MOST_REFUSED = 0.2
"""Share of cases that may be refused: some are too small, or tie what the masker cannot keep together."""

_MOST_UNMASKED = 0.5
_FEW = 10  # cases, below which a share says nothing

ChangedCase = Callable[[ExamCase], ExamCase]


def masker_questions(name: str, options: ExamOptions) -> Iterator[AskedQuestion]:
    """Yield the one question to a masker, whether the guarantee holds."""
    yield guarantee_question(lambda case: with_masker(case, name), options)


def guarantee_question(change: ChangedCase, options: ExamOptions) -> AskedQuestion:
    """Return the question whether every rule that held holds in the masked file; `change` puts the object into it."""
    return AskedQuestion("every rule that held holds in the masked file", lambda: examine_guarantee(change, options))


def examine_guarantee(change: ChangedCase, options: ExamOptions) -> str:
    """Mask every case and judge the written file; return what was tried, or fail with the first counterexample."""
    found: list[CaseOutcome] = []
    with pooled_saxon():
        for seed in range(options.seed, options.seed + options.cases):
            found.append(_run(change, seed, options.keep))
    _require_masking(found, options.keep)
    refusals = [outcome.refusal for outcome in found if outcome.refusal is not None]
    is_much = len(found) >= _FEW and len(refusals) > MOST_REFUSED * len(found)
    require(not is_much, f"{len(refusals)} of {len(found)} cases were refused; the last: {' '.join(refusals[-1:])}")
    withheld = sum(outcome.withheld is not None for outcome in found)
    published = len(found) - len(refusals) - withheld
    return f"{published} files masked, judged by Saxon, k recounted; {len(refusals)} refused, {withheld} withheld"


def keep_case(outcome: CaseOutcome, folder: Path) -> Path:
    """Write the files of a case so that it can be replayed, and return the folder."""
    if outcome.case is None:
        raise ValueError("an outcome without its case cannot be replayed")
    place = folder / f"case-{outcome.seed}"
    write_case(outcome.case, place)
    note = {"seed": outcome.seed, "k": outcome.case.k, "faults": outcome.faults, "refusal": outcome.refusal}
    (place / "failure.json").write_text(json.dumps(note, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return place


def _run(change: ChangedCase, seed: int, keep: Path | None) -> CaseOutcome:
    case = change(make_case(seed))
    with tempfile.TemporaryDirectory() as folder:
        outcome = run_case(case, Path(folder))
    if outcome.faults:
        raise _failure(outcome, outcome.faults[0], keep)
    return outcome


def _failure(outcome: CaseOutcome, fault: str, keep: Path | None) -> ExamFailedError:
    kept = None if keep is None else keep_case(outcome, keep)
    return ExamFailedError(f"seed {outcome.seed}: {fault}", kept)


def _require_masking(found: list[CaseOutcome], keep: Path | None) -> None:
    """Fail an object that publishes unchanged files; a file whose records are equal anyway is no evidence."""
    masked = [outcome for outcome in found if outcome.is_unmasked is not None]
    unmasked = [outcome for outcome in masked if outcome.is_unmasked]
    if unmasked and len(unmasked) > _MOST_UNMASKED * len(masked):
        fault = f"published as it was, although records differ; so were {len(unmasked)} of {len(masked)} files"
        raise _failure(unmasked[0], fault, keep)
