"""What `plan`, `mask` and `explain` start from: the file in memory, its rules understood and judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Flags
from constraint_sdc.commands.certificate.certificate import file_digest
from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.masking.division import keep_weights, record_weights, wished_division, wished_masker
from constraint_sdc.commands.value_domains import load_domains
from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.constraints.show import show_constraint, show_formula
from constraint_sdc.constraints.understand import understand
from constraint_sdc.data.table import Chunk, Column, Layout, Table
from constraint_sdc.errors import PlanRefusedError, RulesError, UsageError
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Outside
from constraint_sdc.exact.block_judge import Evaluate
from constraint_sdc.files.microdata.microdata import Microdata, open_microdata, read_table
from constraint_sdc.judge.finding import CheckResult, RuleResult
from constraint_sdc.judge.routes import FirstMatch, Routes, choose_routes, judge_chunk
from constraint_sdc.maskers.inputs import MaskInputs
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.partition.partitioner import Partitioner
from constraint_sdc.partition.registry import partitioner
from constraint_sdc.plan.design import PlanInputs
from constraint_sdc.reports.disclosure import hidden_error
from constraint_sdc.schematron.confinement import Confinement
from constraint_sdc.schematron.load import load_schema
from constraint_sdc.schematron.schema import Schema
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.recipe import Division, Recipe
from constraint_sdc.settings.words import OnBroken, Role, VariableWish

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


# The rules of a file as understood against its records: typed, with the values they look up and who evaluates them.


@dataclass(frozen=True, slots=True)
class Understood:
    """The rules as understood against one file; without rules there is neither schema nor routes."""

    schema: Schema | None
    rules: tuple[EditRule, ...]
    domains: Mapping[Outside, Domain]
    routes: Routes | None


def understand_rules(
    data: Path, rules: Path | None, check: CheckOptions, layout: Layout, outside: frozenset[str]
) -> Understood:
    """Return what the rules mean on the records of `data`; `outside` are names of elements around the records."""
    if rules is None:
        return Understood(None, (), {}, None)
    schema = load_schema(rules, phase=check.phase, allowed=check.allow)
    edits = understand(schema, record=layout.record, outside=outside, overridden=frozenset(check.parameters))
    domains = load_domains(edits, check.parameters, Confinement.around((schema.origin.file, data), check.allow))
    return Understood(schema, edits, domains, choose_routes(schema, edits, layout, domains.keys()))


Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything that masking needs; `before` is the judge's verdict on the original, None without rules.

    `holds` evaluates, on columns of all records, every rule that needs no Saxon.
    """

    microdata: Microdata
    plan_inputs: PlanInputs
    mask_inputs: MaskInputs
    before: CheckResult | None
    check: CheckOptions
    holds: Evaluate


def prepare(data: Path, rules: Path | None, options: MaskOptions, progress: Progress = lambda _: None) -> Prepared:
    """Read, understand and judge the original; refuse one that breaks rules already."""
    k, masker, division, seed, on_broken = _wishes(options)
    microdata = open_microdata(data, record=options.record or options.recipe.record)
    table, layout, outside = read_whole(microdata, progress)
    task = masker.resolve(table, options.recipe)
    check = check_options(data, rules, options)
    understood = understand_rules(data, rules, check, layout, outside)
    before = None if rules is None else check_file(data, rules, check)
    if before is not None:
        _refuse_errors(before)
    broken = {} if before is None else _broken(before)
    _refuse_broken(before, on_broken)
    inputs = PlanInputs(
        table=table,
        rules=understood.rules,
        recipe=_kept_recipe(options.recipe, masker, division),
        k=k,
        masker=masker,
        division=division,
        seed=seed,
        on_broken=on_broken,
        evaluable=understood.routes.vectorised_ids() if understood.routes else frozenset(),
        broken=broken,
        domains=understood.domains,
        says={rule.id: show_constraint(rule.constraint) for rule in understood.rules},
        show=show_formula,
        weights=None if division.weights is None else record_weights(table, division.weights),
        notes=() if before is None else tuple(because("check-note", quotes={"note": note}) for note in before.notes),
        digests=input_digests(data, understood.schema, options),
    )
    holds = _evaluator({rule.id for rule in understood.rules}, understood, layout)
    mask_inputs = _mask_inputs(inputs, masker, task, understood, layout)
    return Prepared(microdata, inputs, mask_inputs, before, check, holds)


def read_whole(microdata: Microdata, progress: Progress) -> tuple[Table, Layout, frozenset[str]]:
    """Return all records, the layout as the whole file has it, and the names of elements outside the records."""
    outside: set[str] = set()
    layout = microdata.layout
    is_uniform = layout.is_uniform

    def chunks() -> Iterator[Chunk]:
        nonlocal is_uniform
        for chunk in microdata.chunks(outside):
            is_uniform &= chunk.layout.is_uniform and chunk.layout.wrappers == layout.wrappers
            progress(chunk.first + len(chunk))
            yield chunk

    table = read_table(chunks())
    return table, replace(layout, is_uniform=is_uniform), frozenset(outside)


def _wishes(options: MaskOptions) -> tuple[int, Masker, Division, int, OnBroken]:
    """Settle what the options, else the recipe, else the defaults say."""
    recipe = options.recipe
    masker = wished_masker(options)
    k = _wished_k(options, masker)
    seed = options.seed if options.seed is not None else recipe.seed if recipe.seed is not None else 0
    division = wished_division(options, masker)
    return k, masker, division, seed, options.on_broken or recipe.on_broken or "refuse"


def _wished_k(options: MaskOptions, masker: Masker) -> int:
    """Return k; 1 for a masker that forms no groups, and on demand for one that then gives the original back."""
    k = options.k if options.k is not None else options.recipe.k
    if not masker.takes_k:
        if k not in (None, 1):
            raise UsageError(f"k has no meaning with {masker.name}", hint="it forms no groups; leave k out")
        return 1
    if k is None:
        raise UsageError(
            "no k is given: how many records must share their values", hint="-k 5, or `k: 5` in the recipe"
        )
    if k < masker.least_k:
        raise UsageError(f"k is {k}", hint="groups of at least 2 records protect anybody")
    return k


def _kept_recipe(recipe: Recipe, masker: Masker, division: Division) -> Recipe:
    """Return the recipe with what must stay as it is for the masker to work."""
    if division.weights is not None:
        recipe = keep_weights(recipe, division.weights)
    return keep_given(recipe, masker.kept_variables)


def check_options(data: Path, rules: Path | None, options: MaskOptions) -> CheckOptions:
    """Return how both files are judged: `$original` is the file before masking unless another is named."""
    original = options.original
    if original is None and rules is not None:
        schema = load_schema(rules, phase=options.phase, allowed=options.allow)
        original = data if schema.mentions("original") else None
    return CheckOptions(
        phase=options.phase,
        original=original,
        record=options.record or options.recipe.record,
        max_examples=None,
        # The staged file is judged where it will stand; rules may still read what lies beside the original.
        allow=(*options.allow, data.resolve().parent),
        time_limit=options.time_limit,
    )


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


def input_digests(data: Path, schema: Schema | None, options: MaskOptions) -> dict[str, str]:
    """Return the SHA-256 of every file that a masking depends on."""
    digests = {"data": file_digest(data)}
    if schema is not None:
        main = Path(schema.origin.file).resolve()
        digests["rules"] = file_digest(main)
        for name in sorted({str(Path(name).resolve()) for name in schema.files} - {str(main)}):
            digests[f"rules: {os.path.relpath(name, main.parent)}"] = file_digest(Path(name))
    if options.recipe_file is not None:
        digests["recipe"] = file_digest(options.recipe_file)
    return digests


def _mask_inputs(
    inputs: PlanInputs, masker: Masker, task: object, understood: Understood, layout: Layout
) -> MaskInputs:
    held: dict[str, Flags] = {}
    for rule in inputs.rules:
        held[rule.id] = np.ones(inputs.table.records, np.bool_)
        held[rule.id][inputs.broken.get(rule.id, np.zeros(0, np.int64))] = False
    is_xpath1 = understood.schema is not None and understood.schema.is_xpath1
    return MaskInputs(
        table=inputs.table,
        k=inputs.k,
        seed=inputs.seed,
        masker=masker,
        task=task,
        partitioner=None if masker.divides_itself else _partitioner(inputs.division),
        held=held,
        evaluator_for=lambda block: _evaluator({rule.id for rule in block.rules}, understood, layout),
        domains=inputs.domains,
        is_xpath1=is_xpath1,
    )


def _partitioner(division: Division) -> Partitioner:
    return partitioner(division.method, division.effort)


def _evaluator(ids: set[str], understood: Understood, layout: Layout) -> Evaluate:
    """Return the evaluator of these rules: each with its context, and what earlier rules of its pattern take."""
    matches = _restricted(understood.routes.vectorised if understood.routes else (), ids)
    is_xpath1 = understood.schema is not None and understood.schema.is_xpath1

    def evaluate(columns: Mapping[str, Column], count: int) -> Mapping[str, Flags]:
        zeros = np.zeros(count, np.int64)
        chunk = Chunk(layout, 0, columns, np.zeros(0, np.uint8), zeros, zeros, zeros)
        verdict = judge_chunk(matches, chunk, xpath1=is_xpath1, domains=understood.domains)
        return {rule: ~failed & ~verdict.unsure for rule, failed in verdict.failed.items()}

    return evaluate


def _restricted(matches: tuple[FirstMatch, ...], ids: set[str]) -> tuple[FirstMatch, ...]:
    """Keep the patterns that have one of these rules; contexts stay, because an earlier one takes its nodes."""
    patterns = {match.pattern for match in matches if any(rule.id in ids for rule in match.rules)}
    return tuple(
        replace(match, rules=tuple(rule for rule in match.rules if rule.id in ids))
        for match in matches
        if match.pattern in patterns
    )
