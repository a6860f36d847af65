"""The design of one block: operators, strata, derivations, and why each of its rules still holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Codes, ConditionBits, Rows, Weights
from constraint_sdc.constraints.constraint import AllOf, AnyOf, Atom, LinearAtom, atom_variables
from constraint_sdc.constraints.show import show_formula
from constraint_sdc.data.cloud import Cloud, cloud_of
from constraint_sdc.data.series import Series
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.running import scratch
from constraint_sdc.errors import UsageError
from constraint_sdc.evaluate.truth import is_computable
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.partition.demands.demand import GroupDemand
from constraint_sdc.partition.demands.merging import first_failing
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods.auto import Auto
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.registry import partitioner
from constraint_sdc.plan.blocks import refuse_too_many_categories, rules_of
from constraint_sdc.plan.cells import NONE_KNOWN, StratumCell
from constraint_sdc.plan.classes import PinnedClasses, RecordClasses, pinned_classes, record_classes
from constraint_sdc.plan.demands import GroupPromises, PromisesContext
from constraint_sdc.plan.derivation import derive, determined
from constraint_sdc.plan.design import BlockDesign, Stratum
from constraint_sdc.plan.plan import Block, BlockPlan, StratumPlan, VariablePlan
from constraint_sdc.plan.reasons import explain_own, explain_rule, own_strategy, strategy
from constraint_sdc.plan.rule_facts import AtomTruth, RuleFacts, Term
from constraint_sdc.plan.strata import Company, form_strata
from constraint_sdc.plan.treatment import (
    choose_operators,
    refuse_determined,
    settle_operators,
    treatments,
)
from constraint_sdc.settings.masker import MaskerTraits, default_masker
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Division
from constraint_sdc.settings.words import Role, Treatment, VariableWish

_TRIED = 20_000
_FARTHEST = 1e150  # squares of larger numbers do not fit into a double


@dataclass(frozen=True, slots=True)
class BlockContext:
    """The common inputs of every block's design: all masked series, rules, roles, wishes, and rules broken before."""

    rules: tuple[RuleFacts, ...]
    series: Mapping[str, Series]
    roles: Mapping[str, Role]
    wishes: Mapping[str, VariableWish]
    truth: AtomTruth
    broken: Mapping[str, Rows]
    records: int
    k: int
    seed: int
    division: Division
    weights: Weights | None
    masker: MaskerTraits = field(default_factory=default_masker)
    given: Mapping[str, Series] = field(default_factory=dict)
    products_by_mean: bool = False
    is_xpath1: bool = False
    promises: PromisesContext | None = None


def design_block(
    block: Block,
    pins: tuple[tuple[str, Codes], ...],
    around: BlockContext,
    apart: tuple[tuple[str, Codes], ...] = (),
) -> BlockDesign:
    """Design one block; `pins` are codes of unmasked variables whose values its groups should share.

    `apart` are codes of unmasked variables of the key: no stratum mixes their values.
    """
    series = {name: around.series[name] for name in block.names}
    rules = rules_of(block, around.rules)
    partition = around.division.partition
    chosen = choose_operators(rules, series, around.wishes, products_by_mean=around.products_by_mean)
    operators = settle_operators(chosen, around.wishes, around.masker, partition)
    treated = treatments(operators, around.masker, partition)
    synthesised = [name for name in block.names if treated[name] is Treatment.SYNTHESISED]
    around.masker.refuse_cluster(synthesised, around.k)
    refuse_determined(series, synthesised, around.given)
    forked = [rule for rule in rules if rule.terms is not None and len(rule.terms) > 1]
    repaired = _repaired(rules, series, operators, around)
    broken = {rule: np.setdiff1d(rows, repaired.get(rule, rows[:0])) for rule, rows in around.broken.items()}
    pins = tuple(dict((*pins, *apart)).items())
    classes = record_classes(rules, series, operators, pins, broken, around.records)
    placed = (*series.values(), *around.given.values())
    refuse_too_many_categories(placed, around.records)
    cloud = cloud_of(placed, around.division.standardise, around.wishes, around.weights)
    _refuse_far_points(cloud)
    pinned = cache(lambda: pinned_classes(rules, block.names, around.truth, dict(pins), around.records))
    is_own = any(treatment is not Treatment.AGGREGATED for treatment in treated.values())
    shares = around.masker.shares_values and not is_own
    promises = GroupPromises() if around.promises is None else around.promises.of_block(block.names, shares=shares)
    averaged = {name for name in block.names if OPERATORS[operators[name]].traits.is_average}
    demands = promises.demands(series.values(), averaged, cloud.weights, {})
    parts = _parts(apart, around)
    cells = _cheapest_strata(_accepts(forked, around), classes.codes, cloud, pinned, parts, demands, around)
    asked = _saxons_equalities(rules, is_xpath1=around.is_xpath1)
    strata = tuple(_stratum(cell, rules, forked, series, operators, broken, asked) for cell in cells)
    planned = tuple(
        StratumPlan(
            _conditions(cell, forked, classes),
            len(cell.rows),
            cell.formation,
            tuple(d.reason for d in s.derivations),
        )
        for cell, s in zip(cells, strata, strict=True)
    )
    variables = tuple(
        VariablePlan(
            name,
            around.roles[name],
            series[name].scale,
            series[name].grid,
            operators[name],
            _weight(name, around),
            treated[name],
            around.wishes[name].order if name in around.wishes else (),
        )
        for name in block.names
    )
    shared = frozenset(name for name, _ in pins)
    plan = BlockPlan(
        block=block,
        variables=variables,
        strategy=own_strategy(treated, strata, rules) if is_own else strategy(operators, strata, rules),
        partition=_partition([cloud.of(cell.rows) for cell in cells], around),
        strata=planned,
        rules=tuple(
            explain_own(rule, treated, strata) if is_own else explain_rule(rule, operators, strata, shared)
            for rule in rules
        ),
        shares=shares,
    )
    return BlockDesign(
        plan=plan,
        rules=rules,
        series=tuple(series.values()),
        cloud=cloud,
        strata=strata,
        given=tuple(around.given.values()),
        repaired=repaired,
        promises=promises,
    )


def _repaired(
    rules: tuple[RuleFacts, ...], series: Mapping[str, Series], operators: Mapping[str, str], around: BlockContext
) -> dict[str, Rows]:
    """Return, by rule, the records that break a linear rule over averaged variables, if the masker repairs them.

    A record without a value of one of the variables has no number that could change.
    """
    found: dict[str, Rows] = {}
    averaged = {name for name in series if OPERATORS[operators[name]].traits.is_average}
    for rule in rules if around.masker.repairs_linear_rules else ():
        rows = around.broken.get(rule.id, np.zeros(0, np.int64))
        if _is_linear(rule) and set(rule.variables) <= averaged:
            blank = np.array([series[name].is_blank[rows] for name in rule.variables]).any(axis=0)
            found[rule.id] = rows[~blank]
    return {rule: rows for rule, rows in found.items() if len(rows)}


def _is_linear(rule: RuleFacts) -> bool:
    """Tell whether a rule is a conjunction of linear comparisons, without a condition."""
    term = rule.terms[0] if rule.terms is not None and len(rule.terms) == 1 else ()
    return bool(term) and all(isinstance(atom, LinearAtom) and atom.op != "!=" for atom in term)


def _refuse_far_points(cloud: Cloud) -> None:
    """Refuse numbers that are too large in their unit for squared distances."""
    for axis in cloud.axes:
        columns = cloud.points[:, axis.start : axis.stop]
        if not all((np.abs(columns[rows]) <= _FARTHEST).all() for rows in windows(len(columns))):
            hint = "standardise by z-score, or give it a smaller weight"
            raise UsageError(f"the values of {axis.name} are too large for distances between records", hint=hint)


def _cheapest_strata(
    accepts: ConditionBits,
    classes: Codes,
    cloud: Cloud,
    pinned: Callable[[], PinnedClasses],
    parts: list[Rows],
    demands: Sequence[GroupDemand],
    around: BlockContext,
) -> list[StratumCell]:
    """Form strata with and without companions for the small ones; return those with the least loss under MDAV.

    Strata lie within `parts` of the records. With too many records to try both, small strata get no companions. Each
    can be divided into groups that hold all demands, where the unmasked values allow it.
    """
    choices: dict[tuple[int, ...], list[StratumCell]] = {}
    taken = scratch().taken
    for company in Company if around.records <= _TRIED else (Company.NONE,):
        cells: list[StratumCell] = []
        for rows in parts:
            is_whole = len(rows) == around.records  # then the rows are all records, in order
            own = form_strata(
                accepts if is_whole else accepts[rows],
                classes if is_whole else classes[rows],
                cloud.points if is_whole else taken(cloud.points, rows),
                around.k,
                company,
                lambda rows=rows: pinned().of(rows),  # type: ignore[misc]
                _holding(demands, rows),
            )
            cells += [replace(cell, rows=rows[cell.rows]) for cell in own]
        choices.setdefault(tuple(len(cell.rows) for cell in cells), cells)
    if len(choices) == 1:
        return next(iter(choices.values()))
    return min(choices.values(), key=lambda cells: sum(_lost(cloud.of(cell.rows), around.k) for cell in cells))


def _holding(demands: Sequence[GroupDemand], rows: Rows) -> Callable[[Rows], bool] | None:
    """Return what tells whether some of these rows can be divided into groups that hold all demands."""
    return (lambda own: first_failing(demands, rows[own]) is None) if demands else None


def _parts(apart: tuple[tuple[str, Codes], ...], around: BlockContext) -> list[Rows]:
    """Return the records in parts that share the unmasked values of the key; all of them if there are none."""
    everyone = np.arange(around.records)
    if not apart:
        return [everyone]
    code = np.unique(np.array([codes for _, codes in apart]).T, axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(code, kind="stable")
    return [everyone[rows] for rows in np.split(order, np.flatnonzero(np.diff(code[order])) + 1)]


def _lost(cloud: Cloud, k: int) -> float:
    return sse(cloud, Mdav(compiled=False).partition(Cloud(cloud.points), k, seed=0))


def _weight(name: str, around: BlockContext) -> float:
    wish = around.wishes.get(name)
    return 1.0 if wish is None or wish.weight is None else wish.weight


def _partition(clouds: list[Cloud], around: BlockContext) -> Reason:
    """Return how the strata are divided; for `auto`, every method that it chooses and why, each once."""
    if around.masker.divides_itself:
        return around.masker.own_partition([len(cloud) for cloud in clouds], around.k)
    method = partitioner(around.division.partition, around.division.effort)
    if not isinstance(method, Auto):
        return because("partition-method", partition=around.division.partition)
    whys: dict[str, list[Reason]] = {}
    for cloud in sorted(clouds, key=len, reverse=True):
        choice = method.choose(cloud, around.k)
        whys.setdefault(choice.partition, []).append(choice.why)
    choices = (
        because("auto-choice", partition=name, why=why[0], is_largest=len(set(why)) > 1) for name, why in whys.items()
    )
    return because("auto-partition", choices=tuple(choices))


def _accepts(forked: list[RuleFacts], around: BlockContext) -> ConditionBits:
    """Tell which conjunctions each record satisfies.

    A record that satisfies a rule but none of the conjunctions that we understand must satisfy one that we do not
    understand. Every conjunction whose understood atoms hold is then taken to hold.
    """
    accepts: ConditionBits = scratch().own((around.records, len(forked)), np.uint64)
    for place, rule in enumerate(forked):
        known, hoped = (_term_bits(rule.terms or (), around, unknown=unknown) for unknown in (False, True))
        hoped[around.broken.get(rule.id, np.zeros(0, np.int64))] = 0
        accepts[:, place] = np.where(known == 0, hoped, known)
    return accepts


def _term_bits(terms: tuple[Term, ...], around: BlockContext, *, unknown: bool) -> npt.NDArray[np.uint64]:
    """Return a bit for each conjunction that holds; the truth of an atom that is not understood is `unknown`."""
    bits = np.zeros(around.records, np.uint64)
    for bit, term in enumerate(terms):
        holds = np.ones(around.records, np.bool_)
        for atom in term:
            truth = around.truth.of(atom)
            holds &= unknown if truth is None else truth
        bits |= holds.astype(np.uint64) << np.uint64(bit)
    return bits


def _saxons_equalities(rules: Sequence[RuleFacts], *, is_xpath1: bool) -> list[tuple[str, Atom]]:
    """Return equalities that only Saxon decides, but that determine a variable up to the last bits.

    `number(A) = math:exp(number(B))`: the evaluator proposes A, and Saxon judges the proposal.
    """
    found: list[tuple[str, Atom]] = []
    for rule in rules:
        formula, forms = rule.edit.constraint.formula, determined(rule.edit) if not rule.is_evaluable else {}
        own = [expression for expression, is_own in forms.values() if is_own]
        if own and not isinstance(formula, AllOf | AnyOf) and all(is_computable(e, xpath1=is_xpath1) for e in own):
            found.append((rule.id, formula))
    return found


def _stratum(
    cell: StratumCell,
    rules: tuple[RuleFacts, ...],
    forked: list[RuleFacts],
    series: Mapping[str, Series],
    operators: Mapping[str, str],
    broken: Mapping[str, Rows],
    asked: Sequence[tuple[str, Atom]],
) -> Stratum:
    chosen: dict[str, Term] = {}
    for rule, term in zip(forked, cell.choice, strict=True):
        if term != NONE_KNOWN and rule.terms is not None:
            chosen[rule.id] = rule.terms[term]
    conjunction: list[tuple[str, Atom]] = []
    for rule in rules:
        if rule.id in broken and np.isin(cell.rows, broken[rule.id]).all():
            continue  # no record here satisfies it, so there is nothing to preserve
        only = rule.terms[0] if rule.terms is not None and len(rule.terms) == 1 else ()
        conjunction += [(rule.id, atom) for atom in chosen.get(rule.id, only)]
    blank = {name for name, s in series.items() if s.is_blank[cell.rows].any()}
    derivable = {n: s for n, s in series.items() if OPERATORS[operators[n]].traits.is_average and n not in blank}
    live = [(rule, atom) for rule, atom in (*conjunction, *asked) if not blank & set(atom_variables(atom))]
    edits = {rule.id: rule.edit for rule in rules}
    return Stratum(
        rows=scratch().kept(cell.rows),
        conjunction=tuple(conjunction),
        derivations=derive(live, edits, derivable),
        shares_conditions=cell.is_one_class and all(rule.id in chosen for rule in forked),
    )


def _conditions(cell: StratumCell, forked: list[RuleFacts], classes: RecordClasses) -> tuple[Reason, ...]:
    shared = [] if not cell.is_one_class else list(classes.conditions(cell.rows[0]))
    for rule, choice in zip(forked, cell.choice, strict=True):
        if choice != NONE_KNOWN and rule.terms is not None:
            shared.append(because("satisfies", formula=show_formula(AllOf(rule.terms[choice])), rule=rule.id))
    return tuple(shared)
