"""Make the plan: roles, blocks, strata, operators, derivations, reasons; or refuse with a way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from constraint_sdc.arrays import Codes
from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.series import Series
from constraint_sdc.data.table import Table
from constraint_sdc.errors import Conflict, PlanRefusedError, UsageError
from constraint_sdc.evaluate.distinct_texts import codes_of_values
from constraint_sdc.partition.registry import takes_one_variable
from constraint_sdc.plan.block_design import BlockContext, design_block
from constraint_sdc.plan.blocks import Roles, decide_roles, make_blocks, rules_of
from constraint_sdc.plan.calendar_rules import rules_on_calendar
from constraint_sdc.plan.demands import PromisesContext
from constraint_sdc.plan.design import Design, PlanInputs, refuse_removed
from constraint_sdc.plan.inventory import Fates, decide, make_inventory, undecided_warnings
from constraint_sdc.plan.plan import Block, Kept, Plan, RulePlan, TotalsPlan, Why
from constraint_sdc.plan.read_series import date_notation, is_measurable, make_series, on_any_grid
from constraint_sdc.plan.rule_facts import AtomTruth, RuleFacts, computed_with, rule_facts
from constraint_sdc.plan.totals import cut_totals, explain_read, planned_totals
from constraint_sdc.plan.treatment import plan_warnings
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Role, Scale, VariableWish

_LEAST_PROTECTING = 2
"""The smallest k that hides anything; some maskers take 1 and then publish the original."""


def make_plan(inputs: PlanInputs) -> Design:
    """Return the plan and its design."""
    table = inputs.table
    if table.records < inputs.k:
        raise _too_few(inputs)
    rules = rules_on_calendar(inputs.rules, _notations(inputs))
    facts = rule_facts(rules, inputs.says, table.columns.keys(), inputs.evaluable, inputs.asking_saxon)
    tied = computed_with(facts)
    roles = decide_roles(table, inputs.recipe, tied)
    refuse_removed(facts, roles.kept)
    cut = cut_totals(facts, roles, inputs)
    reading = cut.reading(facts)
    deferred = {rule.id for rule in reading}
    facts = tuple(rule for rule in facts if rule.id not in deferred)
    masked, pinned = _extended(roles, tuple(rule for rule in facts if rule.is_certain), inputs)
    kept = _kept(roles, masked, inputs)
    fates = Fates(masked, cut.names, {one.name: one for one in kept})
    inventory = make_inventory(
        fates, decide(table, inputs.recipe, tied), inputs.recipe, inputs.surroundings, inputs.undecided
    )
    masked = {name: how for name, how in masked.items() if name not in cut.names}
    facts = tuple(rule.reading_all_of(masked) for rule in facts)
    key = inputs.promised.key
    promises = PromisesContext(inputs.promised.protect, key, table, inputs.recipe, masked, cut.names)
    promises.refuse_without_key()
    promises.refuse_unmasked_key()
    around = replace(_surroundings(masked, facts, inputs), promises=promises)
    blocks = _explained(make_blocks(around.series, around.roles, facts, _grouping(inputs), key), inputs)
    apart = _key_classes(key, masked, inputs)
    designs = tuple(
        design_block(
            block, _pins_of(block, facts, pinned, inputs), around, apart if set(key) & set(block.names) else ()
        )
        for block in blocks
    )
    joined = tuple(because("joins-block", variable=name) for name in masked if name in roles.kept)
    plan = Plan(
        k=inputs.k,
        division=inputs.division,
        seed=inputs.seed,
        on_broken=inputs.on_broken,
        records=table.records,
        blocks=tuple(design.plan for design in designs),
        kept=kept,
        assumptions=(*roles.assumptions, *joined, *inputs.notes),
        rules=(
            *(_outside_blocks(rule) for rule in facts if _is_outside(rule, masked)),
            *(explain_read(rule, cut) for rule in reading),
        ),
        broken={rule: len(rows) for rule, rows in inputs.broken.items()},
        inputs=inputs.digests,
        masker=inputs.masker,
        warnings=(
            *plan_warnings(inputs.masker, inputs.division.partition, inputs.k, inputs.seed),
            *inputs.warnings,
            *undecided_warnings(inventory),
        ),
        undecided=inputs.undecided,
        inventory=inventory,
        totals=TotalsPlan("computed", planned_totals(cut, blocks, roles), cut.undone)
        if inputs.computes_totals
        else None,
        protect=inputs.promised.protect,
        not_promised=inputs.promised.missing,
    )
    own = {total.rule: (total.name,) for total in cut.totals}
    checked = {rule.id: own.get(rule.id, tuple(n for n in rule.variables if n in cut.names)) for rule in reading}
    return Design(plan, designs, cut.totals, checked)


def _too_few(inputs: PlanInputs) -> PlanRefusedError:
    """Return the refusal of a file with fewer than k records; the largest k that it offers is planned before."""
    records = inputs.table.records
    what = f"{records} record{'' if records == 1 else 's'} cannot form a group of {inputs.k}"
    least = max(_LEAST_PROTECTING, inputs.masker.least_k)
    if records < least:
        return PlanRefusedError(what, hint=f"add records: no k below {least} protects anything")
    said = inputs.recipe.protect.key
    promise = ", also under `protect: key`" if said is not None and (said.k or 0) > records else ""
    hint = f"choose k of at most {records}{promise}"
    try:
        make_plan(replace(inputs, k=records, promised=inputs.promised.at_most(records)))
    except (PlanRefusedError, UsageError) as next_one:
        hint = f"add records, or {hint}; with -k {records} this remains: {next_one.what}"
    return PlanRefusedError(what, hint=hint)


def _notations(inputs: PlanInputs) -> dict[str, DateNotation]:
    """Return the variables whose values are dates, masked or not, and how they are written."""
    recipe = inputs.recipe
    found = {
        name: date_notation(column, recipe.variables.get(name, VariableWish()), recipe.missing.get(name, ()))
        for name, column in inputs.table.columns.items()
    }
    return {name: notation for name, notation in found.items() if notation is not None}


def _grouping(inputs: PlanInputs) -> Recipe:
    """Return the recipe; where it gives no groups, the masker decides which variables are together.

    A partition that divides by one variable masks each one separately; a masker may put all together.
    """
    recipe = inputs.recipe
    if takes_one_variable(inputs.division.partition):
        _refuse_groups(recipe, inputs.division.partition)
        return replace(recipe, group_size=1)
    if inputs.masker.together is not None and recipe.group_size is None and not recipe.groups:
        return replace(recipe, groups="all")
    return recipe


def _explained(blocks: tuple[Block, ...], inputs: PlanInputs) -> tuple[Block, ...]:
    """Return the blocks; where the masker put variables together, its reason replaces that of the recipe."""
    said = inputs.masker.together
    if said is None or inputs.recipe.groups or inputs.recipe.group_size is not None:
        return blocks
    grouped = (because("grouped-by-recipe"), because("tied-by-rules-and-recipe"))
    return tuple(replace(block, because=said) if block.because in grouped else block for block in blocks)


def _refuse_groups(recipe: Recipe, partition: str) -> None:
    """Refuse a recipe that groups or weights variables if the partition masks each variable separately."""
    hint = "leave `groups` and `group_size` out, or use a partition such as mdav or auto"
    if recipe.groups == "all" or any(len(group) > 1 for group in recipe.groups):
        raise UsageError(f"{partition} masks each variable alone, but the recipe groups some", hint=hint)
    if recipe.group_size not in (None, 1):
        raise UsageError(f"{partition} masks each variable alone, but group_size is {recipe.group_size}", hint=hint)
    for name, wish in recipe.variables.items():
        if wish.weight is not None:
            what = f"{partition} masks each variable alone, so the weight of {name} has no meaning"
            raise UsageError(what, hint="leave the weight out, or use a partition such as mdav or auto")


def _surroundings(
    masked: Mapping[str, tuple[Role, Scale]], rules: tuple[RuleFacts, ...], inputs: PlanInputs
) -> BlockContext:
    """Return the common inputs of every block's design, variables in the order of the file."""
    recipe, table = inputs.recipe, inputs.table
    series = {
        name: make_series(
            column, masked[name][1], recipe.variables.get(name, VariableWish()), recipe.missing.get(name, ())
        )
        for name, column in table.columns.items()
        if name in masked
    }
    if not series:
        hint = "give variables the role quasi-identifier or confidential in a recipe"
        raise UsageError("no variable can be masked: none is numeric, and no recipe selects others", hint=hint)
    return BlockContext(
        rules=rules,
        series=series,
        roles={name: role for name, (role, _) in masked.items()},
        wishes=recipe.variables,
        truth=AtomTruth(table, inputs.domains),
        broken=inputs.broken,
        records=table.records,
        k=inputs.k,
        seed=inputs.seed,
        division=inputs.division,
        weights=inputs.weights,
        masker=inputs.masker,
        given=_given(inputs),
        products_by_mean=inputs.products_by_mean,
        is_xpath1=inputs.is_xpath1,
    )


def _given(inputs: PlanInputs) -> dict[str, Series]:
    """Return the variables that the masker takes as given; each needs a number in every record."""
    found: dict[str, Series] = {}
    for name in inputs.masker.kept_variables:
        missing = inputs.recipe.missing.get(name, ())
        column = inputs.table.columns[name]
        wish = inputs.recipe.variables.get(name, VariableWish())
        if not is_measurable(column, wish, missing):
            raise UsageError(f"{name} is in `given` but is not numeric", hint=f"remove {name} from `given`")
        one = make_series(column, Scale.NUMERIC, on_any_grid(wish), missing)
        if one.is_blank.any():
            what = f"{name} is in `given`, but record {int(one.is_blank.argmax()) + 1:,} has no value of it"
            raise UsageError(what, hint=f"remove {name} from `given`")
        found[name] = one
    return found


def _kept(roles: Roles, masked: Mapping[str, tuple[Role, Scale]], inputs: PlanInputs) -> tuple[Kept, ...]:
    reasons = dict(inputs.masker.kept_variables)
    if inputs.division.weights is not None:
        reasons[inputs.division.weights] = because("weighs-records")
    reasons |= inputs.key_kept
    kept = (kept for name, kept in roles.kept.items() if name not in masked)
    return tuple(
        replace(
            one,
            because=reasons.get(one.name, one.because),
            role=Role.QUASI_IDENTIFIER if one.name in inputs.key_kept else one.role,
        )
        for one in kept
    )


def _extended(
    roles: Roles, facts: tuple[RuleFacts, ...], inputs: PlanInputs
) -> tuple[dict[str, tuple[Role, Scale]], dict[tuple[str, str], str]]:
    """Let unmasked variables join where an atom ties them to a masked one; return also the pinned ones that cannot.

    The pinned are keyed by (rule, variable) and name the masked variable they are tied to. Atoms over unmasked
    variables alone tie nothing: their truth does not change. A rule that asks Saxon is judged with the unmasked values
    of every record, so that none of its variables needs to join; those that are `bound` are treated as pinned.
    """
    masked = dict(roles.masked)
    for name in inputs.joined - roles.pinned - masked.keys():
        masked[name] = Role.CONFIDENTIAL, Scale.NUMERIC if name in roles.numeric else Scale.NOMINAL
    pinned: dict[tuple[str, str], str] = {}
    ties = [(rule, tie) for rule in facts if not rule.is_cross_record for tie in rule.ties]
    is_growing = True
    while is_growing:
        is_growing = False
        for rule, tie in ties:
            inside = [name for name in tie if name in masked]
            for name in tie if inside else ():
                if name in masked or (rule.asks_saxon and name not in inputs.bound):
                    continue
                if name in roles.pinned or rule.asks_saxon:
                    pinned[rule.id, name] = inside[0]
                    continue
                masked[name] = Role.CONFIDENTIAL, Scale.NUMERIC if name in roles.numeric else Scale.NOMINAL
                is_growing = True
    return masked, pinned


def _key_classes(
    key: tuple[str, ...], masked: Mapping[str, object], inputs: PlanInputs
) -> tuple[tuple[str, Codes], ...]:
    """Return the values of the unmasked variables of the key, which no group may mix.

    PlanRefusedError if fewer records than the key promises share them: masking the other variables does not help.
    """
    kept = [name for name in key if name not in masked]
    found = tuple((name, codes_of_values(inputs.table.columns[name]).astype(np.int64)) for name in kept)
    promise = inputs.promised.protect.key
    if not found or promise is None or promise.k is None:
        return ()
    sizes = np.unique(np.array([codes for _, codes in found]), axis=1, return_counts=True)[1]
    if sizes.min() < inputs.k:
        few, records = int((sizes < inputs.k).sum()), int(sizes[sizes < inputs.k].sum())
        what = f"groups of {inputs.k} records share the key, but {', '.join(kept)} are not masked"
        hint = (
            f"give {kept[-1]} the role quasi-identifier so that it is masked, give it a `hierarchy`, or take it out of "
            f"the key"
        )
        raise PlanRefusedError(
            f"{what}, and {few:,} combinations of them have fewer records ({records:,} in all)", hint=hint
        )
    return found


def _pins_of(
    block: Block, facts: tuple[RuleFacts, ...], pinned: Mapping[tuple[str, str], str], inputs: PlanInputs
) -> tuple[tuple[str, Codes], ...]:
    """Return the values that groups must share; none where every record has values of its own."""
    if inputs.masker.treats_records(block.names, inputs.division.partition):
        return ()
    return _pins(block, rules_of(block, facts), pinned, inputs.table, inputs.k)


def _pins(
    block: Block, rules: tuple[RuleFacts, ...], pinned: Mapping[tuple[str, str], str], table: Table, k: int
) -> tuple[tuple[str, Codes], ...]:
    """Return the values of pinned variables that the block's groups should share.

    A pinned variable with few values forms strata. One with more values than there can be groups is refused if a rule
    needs its exact value; an inequality may still be satisfied, which is evaluated for every representative. Variables
    of a rule that asks Saxon form strata if all of them together have few values, and are never refused.
    """
    ids = {rule.id: rule for rule in rules}
    mine = {(rule, name): tied for (rule, name), tied in pinned.items() if rule in ids and tied in block.names}
    found: list[tuple[str, Codes]] = []
    for asking in (one for one in rules if one.asks_saxon):
        own = {
            name: codes_of_values(table.columns[name]).astype(np.int64) for owner, name in mine if owner == asking.id
        }
        if own and len(np.unique(np.array(list(own.values())), axis=1).T) <= table.records // k:
            found += own.items()
    for (rule, name), tied in mine.items():
        if ids[rule].asks_saxon:
            continue
        codes = codes_of_values(table.columns[name]).astype(np.int64)
        if len(np.unique(codes)) <= table.records // k:
            found.append((name, codes))
        elif not ids[rule].only_bounds(name):
            what = f"rule {rule} ties {tied}, which is masked, to {name}, which is not masked"
            conflict = Conflict((rule,), (tied,), (name,), fewest=int(np.bincount(codes).min()))
            raise PlanRefusedError(f"{what}; values of {name} have fewer than {k} records each", conflict=conflict)
    return tuple(dict(found).items())


def _is_outside(rule: RuleFacts, masked: Mapping[str, object]) -> bool:
    return rule.is_cross_record or not any(name in masked for name in rule.variables)


def _outside_blocks(rule: RuleFacts) -> RulePlan:
    kind = rule.edit.constraint.kind.value
    if rule.edit.never_fires:
        return RulePlan(rule.id, kind, rule.says, (), Why.UNTOUCHED, because("never-fires"))
    if rule.is_cross_record:
        return RulePlan(rule.id, kind, rule.says, rule.variables, Why.JUDGED, because("beyond-record"))
    return RulePlan(rule.id, kind, rule.says, rule.variables, Why.UNTOUCHED, because("untouched"))
