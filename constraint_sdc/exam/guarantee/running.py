"""Run a case: make it, mask it, judge the written file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from constraint_sdc.commands.mask import mask_file
from constraint_sdc.errors import ConstraintSdcError, NotPublishedError, PlanRefusedError
from constraint_sdc.exam.guarantee.case import CaseFiles, ExamCase, write_case
from constraint_sdc.exam.guarantee.judging import Maskable, faults, is_unmasked
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.maskers.masked import MaskOptions, MaskResult
from constraint_sdc.plan.plan import ExactStep

# Phrases of the documented refusals. A damaged file is masked with its damage, and no recipe averages an identifier.
DOCUMENTED = (
    "cannot form a group of",
    " have fewer than ",
    "must share them",
    "except its own values",
    "takes no nominal",
)


@dataclass(frozen=True)
class CaseOutcome:
    """What became of a case. `faults` is empty unless the promise was broken; `refusal` is the plan's reason.

    `withheld` says which rules across records the judge found broken, so that nothing was published. `is_unmasked`
    tells whether the published file has every value that it had; None where that is expected, or nothing is published.
    """

    seed: int
    faults: tuple[str, ...] = ()
    refusal: str | None = None
    withheld: str | None = None
    steps: Mapping[ExactStep, int] = field(default_factory=dict)
    ratios: tuple[float, ...] = ()
    seconds: float = 0.0
    case: ExamCase | None = None
    is_unmasked: bool | None = None

    def story(self) -> str:
        """Return the case and everything that is wrong with what became of it."""
        return f"{self.case}\n  " + "\n  ".join(self.faults)


def run_case(case: ExamCase, folder: Path) -> CaseOutcome:
    """Mask and judge; whatever is not a published file without a fault or a documented refusal is a fault."""
    files = write_case(case, folder)
    start = perf_counter()
    try:
        result = mask_file(files.data, files.rules, files.output, _options(case, files))
    except PlanRefusedError as refusal:
        undocumented = not any(phrase in str(refusal) for phrase in DOCUMENTED)
        wrong = (f"refused without a documented reason: {refusal}",) if undocumented or files.output.exists() else ()
        return CaseOutcome(case.seed, wrong, str(refusal), seconds=perf_counter() - start, case=case)
    except NotPublishedError as objection:
        unfair = _wrongly_withheld(case, files, objection)
        return CaseOutcome(case.seed, unfair, withheld=str(objection), seconds=perf_counter() - start, case=case)
    except ConstraintSdcError as error:
        return CaseOutcome(case.seed, (f"{type(error).__name__}: {error}",), seconds=perf_counter() - start, case=case)
    except Exception as error:  # a crash is a broken promise like any other, and the run goes on
        return CaseOutcome(case.seed, (where_it_crashed(error),), seconds=perf_counter() - start, case=case)
    seconds = perf_counter() - start
    given = Maskable(
        files.data,
        files.output,
        files.rules,
        files.recipe,
        case.k,
        case.record,
        [block.names for block in result.plan.blocks],
        case.phase,
        case.is_damaged,
        [block.names for block in result.plan.blocks if block.shares],
        bool(result.plan.all_goals()),
    )
    return CaseOutcome(
        case.seed,
        tuple(faults(given)),
        steps=_steps(result),
        ratios=_ratios(result),
        seconds=seconds,
        case=case,
        is_unmasked=is_unmasked(given),
    )


def _wrongly_withheld(case: ExamCase, files: CaseFiles, objection: NotPublishedError) -> tuple[str, ...]:
    """Nothing may be withheld but for a rule across records, and then nothing may be left behind."""
    left = sorted(path.name for path in files.folder.iterdir() if "masked" in path.name)
    others = [line for line in objection.details if line.partition(":")[0] not in case.across]
    found = [f"not published for another reason than a rule across records: {objection}"] if others else []
    return (*found, *(f"left behind: {name}" for name in left))


def _options(case: ExamCase, files: CaseFiles) -> MaskOptions:
    return MaskOptions(
        k=case.k,
        phase=case.phase,
        on_broken="keep" if case.is_damaged else None,
        recipe=read_recipe(files.recipe),
        recipe_file=files.recipe,
    )


def where_it_crashed(error: Exception) -> str:
    """Return the file and line in which an error was raised, and what it says."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "?"
    return f"crash in {where}: {type(error).__name__}: {error}"


def _steps(result: MaskResult) -> Mapping[ExactStep, int]:
    return Counter(step for block in result.masked.blocks for step in block.step)


def _ratios(result: MaskResult) -> tuple[float, ...]:
    """Return the information loss of each block over that of plain MDAV, where there is any loss."""
    prices = [block.price for block in result.masked.blocks]
    return tuple(price.loss / price.plain_loss for price in prices if price.plain_loss)
