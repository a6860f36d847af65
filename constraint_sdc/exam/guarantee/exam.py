"""The exam of the guarantee: random rules and data are masked, and the written bytes are judged."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import yaml

from constraint_sdc.commands.mask import mask_file
from constraint_sdc.errors import ConstraintSdcError, NotPublishedError, PlanRefusedError, WayOut
from constraint_sdc.exam.guarantee.generator import ExamCase, make_case, write_case
from constraint_sdc.exam.guarantee.judging import Maskable, faults, is_unmasked, pooled_saxon
from constraint_sdc.exam.guarantee.maskers import with_masker
from constraint_sdc.exam.question import AskedQuestion, ExamFailedError, ExamOptions, require
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.maskers.masked import MaskOptions, MaskResult
from constraint_sdc.plan.plan import ExactStep
from constraint_sdc.settings.words import Scale

# Run a case: make it, mask it, judge the written file.

# Phrases of the documented refusals. A damaged file is masked with its damage, and no recipe averages an identifier.
DOCUMENTED = (
    "cannot form a group of",
    " have fewer than ",
    "must share them",
    "except its own values",
    "takes no nominal",
    "values of an actual record",
)


@dataclass(frozen=True)
class CaseOutcome:
    """What became of a case. `faults` is empty unless the promise was broken; `refusal` is the plan's reason.

    `withheld` says which rules across records the judge found broken, so that nothing was published. `ways` are what
    either offers instead. `is_unmasked`
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
    ways: tuple[WayOut, ...] = ()

    def story(self) -> str:
        """Return the case and everything that is wrong with what became of it."""
        return f"{self.case}\n  " + "\n  ".join(self.faults)


@dataclass(frozen=True)
class Masking:
    """How a case is masked from its files, and what is judged then; `folder` is where a masked file may be left."""

    mask: Callable[[], MaskResult]
    judged: Callable[[MaskResult], Maskable]
    folder: Path
    output: Path

    @staticmethod
    def given(
        case: ExamCase,
        result: MaskResult,
        original: Path,
        masked: Path,
        rules: Path | None,
        recipe: Path,
        names: Mapping[str, str] | None = None,
    ) -> Maskable:
        """Return what is to be compared; `names` are the variables in these files by their names in the plan."""

        def named(found: Iterable[str]) -> list[str]:
            return [names[name] if names else name for name in found]

        sharing = [block for block in result.plan.blocks if block.shares]
        numeric = [[v.name for v in block.variables if v.scale is Scale.NUMERIC] for block in sharing]
        return Maskable(
            original,
            masked,
            rules,
            recipe,
            case.k,
            case.record,
            [named(block.names) for block in result.plan.blocks],
            case.phase,
            case.is_damaged,
            [named(block.names) for block in sharing],
            bool(result.plan.all_goals()),
            named(total.name for total in result.plan.computed),
            named(one.name for one in result.plan.recoded),
            list(map(named, numeric)),
            _allowed_verbatim(case),
        )


def run_case(case: ExamCase, folder: Path, *, advise: bool = True) -> CaseOutcome:
    """Mask and judge; whatever is not a published file without a fault or a documented refusal is a fault.

    With `advise`, ways out of a refusal are tried, which takes several times as long as the masking.
    """
    files = write_case(case, folder)
    rules = None if case.is_ruleless else files.rules

    def mask() -> MaskResult:
        return mask_file(files.data, rules, files.output, mask_options(case, files.recipe), advise=advise)

    def judged(result: MaskResult) -> Maskable:
        return Masking.given(case, result, files.data, files.output, rules, files.recipe)

    return masked_outcome(case, Masking(mask, judged, folder, files.output))


def masked_outcome(case: ExamCase, masking: Masking) -> CaseOutcome:
    """Mask a case from its files, and judge what was written."""
    start = perf_counter()
    try:
        result = masking.mask()
    except PlanRefusedError as refusal:
        undocumented = not any(phrase in str(refusal) for phrase in DOCUMENTED)
        is_wrong = undocumented or masking.output.exists()
        wrong = (f"refused without a documented reason: {refusal}",) if is_wrong else ()
        seconds = perf_counter() - start
        return CaseOutcome(case.seed, wrong, str(refusal), seconds=seconds, case=case, ways=refusal.ways)
    except NotPublishedError as objection:
        unfair = _wrongly_withheld(case, masking.folder, objection)
        seconds = perf_counter() - start
        return CaseOutcome(case.seed, unfair, withheld=str(objection), seconds=seconds, case=case, ways=objection.ways)
    except ConstraintSdcError as error:
        return CaseOutcome(case.seed, (f"{type(error).__name__}: {error}",), seconds=perf_counter() - start, case=case)
    except Exception as error:  # a crash is a broken promise like any other, and the run goes on
        return CaseOutcome(case.seed, (where_it_crashed(error),), seconds=perf_counter() - start, case=case)
    seconds = perf_counter() - start
    given = masking.judged(result)
    return CaseOutcome(
        case.seed,
        tuple(faults(given)),
        steps=_steps(result),
        ratios=_ratios(result),
        seconds=seconds,
        case=case,
        is_unmasked=is_unmasked(given),
    )


def _wrongly_withheld(case: ExamCase, folder: Path, objection: NotPublishedError) -> tuple[str, ...]:
    """Nothing may be withheld but for a rule across records, and then nothing may be left behind."""
    left = sorted(path.name for path in folder.iterdir() if "masked" in path.name)
    others = [line for line in objection.details if line.partition(":")[0] not in case.across]
    found = [f"not published for another reason than a rule across records: {objection}"] if others else []
    return (*found, *(f"left behind: {name}" for name in left))


def _allowed_verbatim(case: ExamCase) -> int | None:
    """Return how many records may have the values of an actual record, None if any number."""
    asked = (yaml.safe_load(case.recipe) or {}).get("protect", {}).get("verbatim", 0)
    most = asked["at most"] if isinstance(asked, dict) else asked
    return None if most == "allowed" else int(most)


def mask_options(case: ExamCase, recipe: Path) -> MaskOptions:
    """Return how a case is masked."""
    return MaskOptions(
        undecided="guess",  # drawn values look like anything; the exam is about rules
        allow_idle=("all",),  # drawn rules may take every record from a later one, or ask for what no record has
        k=case.k,
        phase=case.phase,
        on_broken="keep" if case.is_damaged else None,
        recipe=read_recipe(recipe),
        recipe_file=recipe,
        judge="every-case" if case.seed % 3 == 0 else None,
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


# The questions of the exam, and the case that is kept when an object fails.

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
    _require_published(found, options.keep)
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
        outcome = run_case(case, Path(folder), advise=False)
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


def _require_published(found: list[CaseOutcome], keep: Path | None) -> None:
    """Fail an object of which nothing was published: that no published file has a fault proves nothing then."""
    refused = [outcome for outcome in found if outcome.refusal is not None]
    if refused and len(refused) == len(found):
        raise _failure(
            refused[0], f"nothing was published, all {len(found)} cases were refused: {refused[0].refusal}", keep
        )
