"""What `plan`, `mask` and `explain` start from: the file in memory, its rules understood and judged."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Flags
from constraint_sdc.commands.check import CheckOptions, check_dataset, compiling, judges_of, read_inputs
from constraint_sdc.commands.masking.division import keep_weights, record_weights
from constraint_sdc.commands.masking.settings import settle
from constraint_sdc.constraints.named_original import OriginalFile, original_for
from constraint_sdc.constraints.show import show_constraint
from constraint_sdc.errors import PlanRefusedError, RulesError, UsageError
from constraint_sdc.files.dataset import Dataset, read_dataset
from constraint_sdc.files.publication.recovery import settle_publication
from constraint_sdc.files.readings import Readings
from constraint_sdc.files.tables.registry import reading_tables
from constraint_sdc.judge.finding import CheckResult, RuleResult
from constraint_sdc.judge.idle import require_rules
from constraint_sdc.judge.judge import Judges, SaxonProcess
from constraint_sdc.judge.records import RecordsXml
from constraint_sdc.judge.rule_set import RuleSet, Understood, load_rules, understand_rules
from constraint_sdc.maskers.inputs import MaskInputs
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.partition.registry import partitioner
from constraint_sdc.plan.demands import key_promises
from constraint_sdc.plan.design import PlanInputs
from constraint_sdc.plan.inventory import taken_out
from constraint_sdc.plan.promised import settle_promises
from constraint_sdc.plan.recoding import Recoding, recode_key
from constraint_sdc.plan.rule_facts import rule_facts
from constraint_sdc.reports.disclosure import hidden_error
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.schematron.confinement import real_path
from constraint_sdc.settings.mask_settings import MaskSettings, RulesSettings
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Division, Recipe
from constraint_sdc.settings.table_reading import TableReading
from constraint_sdc.settings.words import Judging, OnBroken, Role, Totals, VariableWish

_AS_FOUND = TableReading()

# Variables that the masker takes as given: it leaves them as they are.


def keep_given(recipe: Recipe, given: Iterable[str]) -> Recipe:
    """Return the recipe with the given variables untouched."""
    variables = dict(recipe.variables)
    for name in given:
        wish = variables.get(name, VariableWish())
        is_wished = (wish.operator, wish.decimals, wish.weight) != (None, None, None)
        if is_wished or wish.role not in (None, Role.UNTOUCHED):
            hint = f"take {name} out of `given`, or out of `variables`"
            raise UsageError(f"{name} is given, so it stays as it is and cannot be masked", hint=hint)
        variables[name] = replace(wish, role=Role.UNTOUCHED)
    return replace(recipe, variables=variables)


Progress = Callable[[int], None]

# The original: its file and its rules, each read, understood and judged once, when first asked for.


class Original:
    """A file and its rules; without rules there is nothing to understand or judge.

    `saxon` is the process that serves the whole run. `progress` hears the number of records read.
    """

    def __init__(
        self,
        data: Path,
        rules: Path | None,
        record: str | None,
        settings: RulesSettings,
        saxon: SaxonProcess,
        progress: Progress = lambda _: None,
    ) -> None:
        self._data = data
        self._rules = rules
        self._record = record
        self._settings = settings
        self._saxon = saxon
        self._progress = progress

    @property
    def readings(self) -> Readings:
        """Return what the run has read."""
        return self._saxon.readings

    @property
    def has_rules(self) -> bool:
        """Tell whether there are rules."""
        return self._rules is not None

    @property
    def record(self) -> str | None:
        """The name of the record element, if it was given."""
        return self._record

    @cached_property
    def dataset(self) -> Dataset:
        """The records."""
        if self.has_rules:
            self._saxon.start()
        dataset = read_dataset(self._data, self._record, self._progress)
        self.readings.note(self._data, dataset.sha256)
        return dataset

    @cached_property
    def rule_set(self) -> RuleSet:
        """The rules; there must be some."""
        assert self._rules is not None
        settings = self._settings
        rule_set = load_rules(
            self._rules,
            phase=settings.phase,
            allowed=settings.allow,
            data=self._data,
            record=self._record,
            codes=settings.missing_codes,
        )
        rule_set.note(self.readings)
        return rule_set

    @property
    def judge(self) -> Judging | None:
        """Return what the judge of the masked file is shown, None if that is left to the size of the file."""
        return self._settings.judge

    @property
    def warnings(self) -> tuple[Reason, ...]:
        """Return what users must be told of the rules."""
        return self.rule_set.schema.warnings if self.has_rules else ()

    @cached_property
    def original_file(self) -> OriginalFile:
        """What replaces `$original`: the file of the settings, or the data if the rules name none that exists."""
        if self._settings.original is not None or not self.has_rules:
            return OriginalFile(self._settings.original)
        return original_for(self.rule_set.schema, self._data)

    @cached_property
    def check(self) -> CheckOptions:
        """How both files are judged: `$original` means the same for both."""
        settings, data = self._settings, self._data
        return CheckOptions(
            phase=settings.phase,
            original=self.original_file.path,
            record=self._record,
            max_examples=None,
            # The staged file is judged where it will stand; rules may still read what lies beside the original.
            allow=(*settings.allow, real_path(data).parent),
            time_limit=settings.time_limit,
            allow_idle=settings.allow_idle,
            missing_codes=settings.missing_codes,
        )

    @cached_property
    def understood(self) -> Understood:
        """What the rules mean on these records."""
        if not self.has_rules:
            return Understood(self.dataset.layout)
        check = self.check
        return understand_rules(
            self.rule_set, self.dataset, check.parameters, check.allow, self.readings, check.missing_codes
        )

    @cached_property
    def judges(self) -> Judges:
        """The judges of both files."""
        return judges_of(self.rule_set.schema, self.check, self._saxon)

    def records_xml(self, removed: frozenset[str], taken_out: frozenset[str]) -> RecordsXml | None:
        """Return the records as Saxon would see them in a masked file without these variables and surroundings."""
        return RecordsXml(self.dataset, self.judges, removed, taken_out) if self.has_rules else None

    @cached_property
    def verdict(self) -> CheckResult | None:
        """The verdict on the original, None without rules."""
        if not self.has_rules:
            return None
        self.check.require_files()
        require_rules(self.rule_set.schema, self.check.allow_idle)
        missing = tuple(self.understood.missing.conditions(a.id for a in self.rule_set.schema.assertions()).items())
        with compiling(self.judges, self.dataset.layout.record, missing):
            return check_dataset(self.dataset, self.rule_set, self.understood, self.check, self.judges)

    @cached_property
    def before(self) -> CheckResult | None:
        """The verdict on an original to be masked; RulesError for a rule that is idle or cannot be evaluated."""
        if self.verdict is not None:
            _refuse_errors(self.verdict)
            refuse_idle(self.verdict)
        return self.verdict

    def verdict_on(self, masked: Dataset) -> CheckResult:
        """Return the verdict on a masked file; rules look values up in the original, which is in memory."""
        check = self.check
        understood = understand_rules(
            self.rule_set, masked, check.parameters, check.allow, self.readings, check.missing_codes, self.dataset
        )
        result = check_dataset(masked, self.rule_set, understood, check, self.judges)
        return replace(result, inputs=read_inputs(masked.path, self.rule_set, check, self.readings))

    def without_rules(self) -> Original:
        """Return the same file as if there were no rules."""
        other = Original(self._data, None, self._record, self._settings, self._saxon)
        other.dataset = self.dataset
        return other

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of the bytes that were read so far: the data, every file of the rules, what they name.

        `$original` has a role of its own only if it is not the data.
        """
        own = {"data": self.dataset.sha256}
        if not self.has_rules:
            return own
        read = read_inputs(None, self.rule_set, self.check, self.readings)
        return own | {role: digest for role, digest in read.items() if role != "original" or self._settings.original}


@contextmanager
def open_original(
    data: Path,
    rules: Path | None,
    record: str | None,
    settings: RulesSettings,
    progress: Progress = lambda _: None,
    table: TableReading = _AS_FOUND,
) -> Iterator[Original]:
    """Give a file and its rules, to be read when needed; the process that judges them ends with the block.

    `table` is how tables are read in the block.
    """
    settle_publication(data)
    with reading_tables(table), SaxonProcess() as saxon:
        yield Original(data, rules, record, settings, saxon, progress)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything that masking needs; `totals` is how variables that equalities determine are masked.

    `recoding` has the categories of the key that are made coarser: the inputs see them already.
    """

    original: Original
    plan_inputs: PlanInputs
    mask_inputs: MaskInputs
    totals: Totals = "together"
    recoding: Recoding = field(default_factory=Recoding)


@contextmanager
def prepared_file(
    data: Path, rules: Path | None, options: MaskOptions | MaskSettings[Masker], progress: Progress = lambda _: None
) -> Iterator[Prepared]:
    """Settle, read, understand and judge, for work in memory alone; rules can ask Saxon until the block ends."""
    settings = settle(options)
    with open_original(data, rules, settings.record, settings.rules, progress, settings.table) as original:
        yield prepare(original, settings)


def prepare(original: Original, settings: MaskSettings[Masker]) -> Prepared:
    """Make the inputs of plan and masker; refuse an original that breaks rules already."""
    table, recipe, masker, division = original.dataset.table, settings.recipe, settings.masker, settings.division
    task = masker.resolve(table, recipe)
    understood, before = original.understood, original.before
    _refuse_broken(before, settings.on_broken)
    digests = original.digests()
    if settings.recipe_sha256 is not None:
        digests["recipe"] = settings.recipe_sha256
    inputs = PlanInputs(
        table=table,
        rules=understood.rules,
        recipe=_kept_recipe(recipe, masker, division),
        k=settings.k,
        masker=masker,
        division=division,
        seed=settings.seed,
        on_broken=settings.on_broken,
        evaluable=understood.routes.vectorised_ids(),
        asking_saxon=understood.routes.by_record,
        broken={} if before is None else _broken(before),
        domains=understood.domains,
        says={rule.id: show_constraint(rule.constraint) for rule in understood.rules},
        weights=None if division.weights is None else record_weights(table, division.weights),
        notes=() if before is None else (*_notes(before, original.warnings), *_stand_ins(original.original_file)),
        warnings=original.warnings,
        digests=digests,
        computes_totals=settings.totals != "together",
        is_xpath1=understood.is_xpath1,
        promised=settle_promises(recipe, table.columns, settings.k, masker, division.partition),
        undecided=settings.undecided,
        surroundings=original.dataset.surroundings,
    )
    recoding = _recoding(inputs)
    inputs = replace(
        inputs, table=recoding.table(table), recipe=recoding.recipe(inputs.recipe), key_kept=recoding.reasons()
    )
    mask_inputs = _mask_inputs(inputs, masker, task, understood)
    removed = frozenset(name for name, wish in recipe.variables.items() if wish.is_removed)
    gone = taken_out(original.dataset.surroundings, recipe, settings.undecided)
    protect = inputs.promised.protect
    mask_inputs = replace(
        mask_inputs,
        xml=original.records_xml(removed, gone),
        copies_records=protect.verbatim == "allowed",
        chance=protect.chance,
    )
    return Prepared(original, inputs, mask_inputs, settings.totals, recoding)


def _recoding(inputs: PlanInputs) -> Recoding:
    """Choose what becomes of the categories of a key that the recipe states, or that have a hierarchy."""
    key, wishes = inputs.promised.key, inputs.recipe.variables
    has_hierarchy = any(name in wishes and wishes[name].hierarchy is not None for name in key)
    if not key or (inputs.recipe.protect.key is None and not has_hierarchy):
        return Recoding()
    if inputs.table.records < inputs.k:
        return Recoding()  # the plan refuses the file
    table = inputs.table
    facts = rule_facts(inputs.rules, inputs.says, table.columns.keys(), inputs.evaluable, inputs.asking_saxon)
    read = {name for rule in facts for name in (rule.variables if rule.is_certain else table.columns)}
    demands = key_promises(inputs.promised.protect, table, inputs.recipe).demands((), (), None, {})
    return recode_key(table, inputs.recipe, key, inputs.k, read, demands)


def _kept_recipe(recipe: Recipe, masker: Masker, division: Division) -> Recipe:
    """Return the recipe with what must stay as it is for the masker to work."""
    if division.weights is not None:
        recipe = keep_weights(recipe, division.weights)
    return keep_given(recipe, masker.kept_variables)


def _notes(before: CheckResult, warned: Collection[Reason]) -> tuple[Reason, ...]:
    """Return what the plan assumes of the verdict: rules that may be idle, and notes that are not warnings already."""
    idle = tuple(because("idle-allowed", rule=one.rule, reasons=one.idle) for one in before.results if one.idle)
    return *idle, *(note for note in before.notes if note not in warned)


def _stand_ins(original: OriginalFile) -> Iterator[Reason]:
    """Yield which files the data stands for: those that the rules call `$original` and that do not exist."""
    yield from (because("data-for-original", file=path.name) for path in original.absent)


def refuse_idle(verdict: CheckResult) -> None:
    """Refuse rules that check nothing in a file, unless that is allowed: that they hold would prove nothing."""
    if verdict.idle:
        first = verdict.idle[0]
        others = f"; {len(verdict.idle) - 1:,} more rules are idle" if len(verdict.idle) > 1 else ""
        what = f"rule {first.rule} is idle in {Path(verdict.data).name}: {'; '.join(sentences(first.idle))}{others}"
        hint = f"mend the rule, mark it with cs:may-be-idle, or give --allow-idle {shlex.quote(first.rule)}"
        raise RulesError(what, file=first.origin.file, line=first.origin.line, hint=hint)
    if verdict.checks_nothing:
        raise RulesError("the rules check nothing", file=verdict.rules, hint="without rules, leave --rules out")


def _refuse_errors(before: CheckResult) -> None:
    for result in before.results:
        if result.status == "error":
            what = f"rule {result.rule} cannot be evaluated on the original: {hidden_error(result.error or '')}"
            hint = "`check --show-values` shows what is hidden"
            raise RulesError(what, file=result.origin.file, line=result.origin.line, hint=hint)


def _broken(before: CheckResult) -> dict[str, npt.NDArray[np.int64]]:
    """Return the records (0-based) that break each rule that some record breaks."""
    return {
        result.rule: np.unique(np.array([v.record - 1 for v in result.violations if v.record is not None], np.int64))
        for result in before.results
        if result.failed
    }


def _refuse_broken(before: CheckResult | None, on_broken: OnBroken) -> None:
    """Refuse when the original breaks rules; warnings never stop a masking, their records are kept account of."""
    if before is None or on_broken == "keep" or not before.failing:
        return
    counts = ", ".join(f"{result.rule}: {_records(result)}" for result in before.failing)
    hint = "edit the file first, or mask with --on-broken keep"
    raise PlanRefusedError(f"the original breaks rules already ({counts})", hint=hint)


def _records(result: RuleResult) -> str:
    return f"{result.failed:,} of {result.fired:,}"


def _mask_inputs(inputs: PlanInputs, masker: Masker, task: object, understood: Understood) -> MaskInputs:
    held: dict[str, Flags] = {}
    for rule in inputs.rules:
        held[rule.id] = np.ones(inputs.table.records, np.bool_)
        held[rule.id][inputs.broken.get(rule.id, np.zeros(0, np.int64))] = False
    division = inputs.division
    return MaskInputs(
        table=inputs.table,
        k=inputs.k,
        seed=inputs.seed,
        masker=masker,
        task=task,
        partitioner=None if masker.divides_itself else partitioner(division.partition, division.effort),
        held=held,
        understood=understood,
    )
