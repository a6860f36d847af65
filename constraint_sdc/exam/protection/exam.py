"""Mask a case of the exam of protection, and recount every promise and every rule on the written bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import yaml

from constraint_sdc.commands.mask import mask_file
from constraint_sdc.errors import ConstraintSdcError, NotPublishedError, PlanRefusedError
from constraint_sdc.exam.guarantee.exam import where_it_crashed
from constraint_sdc.exam.guarantee.generator import CaseFiles, ExamCase, write_case
from constraint_sdc.exam.guarantee.judging import Maskable, faults
from constraint_sdc.exam.protection.document import SECRET
from constraint_sdc.exam.protection.recount import Recounted, recount
from constraint_sdc.exam.protection.written import Published
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.maskers.masked import MaskOptions, MaskResult


@dataclass(frozen=True)
class ProtectedOutcome:
    """What became of a case: `broken` has pairs of a promise and what is wrong, "rules" and "error" among them.

    `refusal` is why nothing was published: the plan refuses, or a promise was found broken before publication. `found`
    are the verbatim records and groups of the published file.
    """

    case: ExamCase
    broken: tuple[tuple[str, str], ...] = ()
    refusal: str | None = None
    found: Recounted | None = None
    seconds: float = 0.0

    @property
    def promises(self) -> tuple[str, ...]:
        """Return what the recipe promises, by name."""
        return tuple(yaml.safe_load(self.case.recipe).get("protect", {}))

    def story(self) -> str:
        """Return the case and everything that is wrong with what became of it."""
        return "\n  ".join([str(self.case), *(f"FAULT: {promise}: {fault}" for promise, fault in self.broken)])


def run_protected(case: ExamCase, folder: Path) -> ProtectedOutcome:
    """Mask and recount; an error that is no refusal is a fault, and so is anything left behind by a refusal."""
    files = write_case(case, folder)
    start = perf_counter()
    try:
        options = MaskOptions(
            k=case.k,
            recipe=read_recipe(files.recipe),
            recipe_file=files.recipe,
            allow_idle=("all",),
            undecided="refuse",  # a drawn recipe decides on everything
        )
        result = mask_file(files.data, files.rules, files.output, options, advise=False)
    except (PlanRefusedError, NotPublishedError) as refusal:
        left = [("refusal", f"left behind: {path.name}") for path in sorted(folder.iterdir()) if "masked" in path.name]
        return ProtectedOutcome(case, tuple(left), str(refusal), seconds=perf_counter() - start)
    except ConstraintSdcError as error:
        wrong = (("error", f"{type(error).__name__}: {error}"),)
        return ProtectedOutcome(case, wrong, seconds=perf_counter() - start)
    except Exception as error:  # a crash is a broken promise like any other, and the run goes on
        return ProtectedOutcome(case, (("error", where_it_crashed(error)),), seconds=perf_counter() - start)
    seconds = perf_counter() - start
    found = recount(_published(case, files, result))
    said = faults(_maskable(case, files, result))
    rules = [("rules", fault) for fault in said if not (SECRET in case.data and fault.startswith(_AROUND))]
    return ProtectedOutcome(case, (*found.broken, *rules), found=found, seconds=seconds)


_AROUND = ("the document around", "white space between")
"""Faults of a document that the recipe changes around its variables: `fates` looks for what is removed and kept."""


def _published(case: ExamCase, files: CaseFiles, result: MaskResult) -> Published:
    plan = result.plan
    return Published(
        files.data.read_bytes(),
        files.output.read_bytes(),
        case.record,
        yaml.safe_load(case.recipe),
        case.k,
        [block.names for block in plan.blocks],
        frozenset(v.name for block in plan.blocks for v in block.variables if v.traits.is_average),
        tuple(total.name for total in plan.computed),
    )


def _maskable(case: ExamCase, files: CaseFiles, result: MaskResult) -> Maskable:
    return Maskable(
        files.data,
        files.output,
        files.rules,
        files.recipe,
        case.k,
        case.record,
        [block.names for block in result.plan.blocks],
        computed=[total.name for total in result.plan.computed],
        recoded=[one.name for one in result.plan.recoded],
    )
