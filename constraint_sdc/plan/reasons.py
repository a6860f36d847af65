"""Why a rule still holds after masking, as the operators themselves declare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from constraint_sdc.constraints.constraint import AllOf, Atom, LinearAtom, atom_variables
from constraint_sdc.operators.operator import NeedsExact, NotCovered, OperatorVerdict, Preserved
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.plan.design import Stratum
from constraint_sdc.plan.plan import RulePlan, Why
from constraint_sdc.plan.rule_facts import RuleFacts
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Treatment


def explain_rule(
    rule: RuleFacts, operators: Mapping[str, str], strata: Sequence[Stratum], shared: frozenset[str]
) -> RulePlan:
    """Return what guarantees the rule, and why; `shared` are unmasked variables whose values a stratum shares."""
    why, reason = _reason(rule, operators, strata)
    differing = tuple(n for n in _tied_unmasked(rule, operators) if n not in shared)
    if differing and why is not Why.MEDOID and not rule.asks_saxon:
        why, reason = Why.CHECKED, because("differing-unmasked", variables=differing)
    return RulePlan(rule.id, rule.edit.constraint.kind.value, rule.says, rule.variables, why, reason)


def _tied_unmasked(rule: RuleFacts, operators: Mapping[str, str]) -> list[str]:
    """Return the unmasked variables that an atom compares with masked ones."""
    mixed = [tie for tie in rule.ties if any(name in operators for name in tie)]
    return list(dict.fromkeys(name for tie in mixed for name in tie if name not in operators))


def _reason(rule: RuleFacts, operators: Mapping[str, str], strata: Sequence[Stratum]) -> tuple[Why, Reason]:
    names = {operators[name] for name in rule.variables if name in operators}
    if len(names) == 1 and all(OPERATORS[name].traits.copies_a_record for name in names):
        return Why.MEDOID, unless_evaluated(rule, because("copied-together", reads_any=not rule.is_certain))
    if rule.asks_saxon:
        return Why.CHECKED, unless_evaluated(rule, because("checked-by-saxon"))
    if rule.terms is None:
        return Why.CHECKED, because("too-many-conditions")
    asked = _asked(rule, operators, strata)
    if not names or any(len(_operators_of(atom, operators)) > 1 for atoms in asked for atom in atoms):
        used = tuple(sorted(names))
        return Why.CHECKED, because("operators-meet", operators=used, derived=_derived(rule, strata))
    # No atom mixes operators, so each operator decides its own atoms: a conjunction holds where all its parts do.
    verdicts = [
        (name, OPERATORS[name].verdict(AllOf(tuple(a for a in atoms if name in _operators_of(a, operators)))))
        for atoms in asked
        for name in OPERATORS.names
        if name in names and (len(names) == 1 or any(name in _operators_of(a, operators) for a in atoms))
    ]
    return _weakest(verdicts, rule, strata)


def unless_evaluated(rule: RuleFacts, reason: Reason) -> Reason:
    """Return the reason; for a rule that is not evaluated here, with the recogniser's explanation.

    A rule that may read any variable is told with the parts because of which it may.
    """
    if rule.is_evaluable:
        return reason
    if not rule.is_certain:
        reason = because("may-read-any", reason=reason, parts=rule.anything)
    return because("not-evaluated", reason=reason, quotes={"account": rule.edit.constraint.reason})


def _operators_of(atom: Atom, operators: Mapping[str, str]) -> set[str]:
    return {operators[name] for name in atom_variables(atom) if name in operators}


def _asked(rule: RuleFacts, operators: Mapping[str, str], strata: Sequence[Stratum]) -> list[tuple[Atom, ...]]:
    """Return, for every stratum, the atoms of the rule that masking can change."""
    return [
        tuple(a for owner, a in stratum.conjunction if owner == rule.id and set(atom_variables(a)) & operators.keys())
        for stratum in strata
        if any(owner == rule.id for owner, _ in stratum.conjunction) or stratum.shares_conditions
    ]


def _weakest(
    verdicts: Sequence[tuple[str, OperatorVerdict]], rule: RuleFacts, strata: Sequence[Stratum]
) -> tuple[Why, Reason]:
    is_forked = rule.terms is not None and len(rule.terms) > 1
    is_stratified = is_forked and len(strata) > 1
    derived = _derived(rule, strata)
    loose = is_forked and not all(any(owner == rule.id for owner, _ in s.conjunction) for s in strata)
    if loose:
        return Why.CHECKED, because("no-common-side", derived=derived)
    for name, verdict in verdicts:
        if isinstance(verdict, NotCovered):
            reason = because("not-covered", operator=name, reason=verdict.because, derived=derived)
            return Why.CHECKED, reason
    exact = [(name, v.because) for name, v in verdicts if isinstance(v, NeedsExact)]
    if exact:
        name, reason = exact[0]
        others = [(n, v.because) for n, v in verdicts if isinstance(v, Preserved) and n != name]
        return Why.EXACT, because(
            "made-exact",
            is_stratified=is_stratified,
            operator=name,
            reason=reason,
            derived=derived,
            beside=_first_of_each(others),
        )
    kept = [(name, v.because) for name, v in verdicts if isinstance(v, Preserved)]
    return Why.PRESERVED, because("preserved", is_stratified=is_stratified, kept=_first_of_each(kept))


def _first_of_each(reasons: Sequence[tuple[str, Reason]]) -> tuple[Reason, ...]:
    """Return the first reason of every operator; operators with the same reason are listed together."""
    first: dict[str, Reason] = {}
    for name, reason in reasons:
        first.setdefault(name, reason)
    together: dict[Reason, list[str]] = {}
    for name, reason in first.items():
        together.setdefault(reason, []).append(name)
    return tuple(because("kept-by", operators=tuple(names), reason=reason) for reason, names in together.items())


def _derived(rule: RuleFacts, strata: Sequence[Stratum]) -> tuple[Reason, ...]:
    """Return which variables are computed so that this rule holds."""
    return tuple(dict.fromkeys(d.reason for s in strata for d in s.derivations if rule.id in d.rules))


def strategy(operators: Mapping[str, str], strata: Sequence[Stratum], rules: Sequence[RuleFacts]) -> Reason:
    """Return how the block's representatives are computed."""
    by_operator: dict[str, list[str]] = {}
    for name, operator in operators.items():
        by_operator.setdefault(operator, []).append(name)
    parts = [
        because("operator-of", operator=operator, variables=tuple(names)) for operator, names in by_operator.items()
    ]
    return _strategy(parts, strata, rules)


def _strategy(parts: Sequence[Reason], strata: Sequence[Stratum], rules: Sequence[RuleFacts]) -> Reason:
    derived = tuple(dict.fromkeys(d.variable for s in strata for d in s.derivations))
    return because("strategy", parts=tuple(parts), derived=derived, has_rules=bool(rules))


# Why a rule still holds where every record gets values of its own.


def explain_own(rule: RuleFacts, treated: Mapping[str, Treatment], strata: Sequence[Stratum]) -> RulePlan:
    """Return what guarantees the rule, and why."""
    why, reason = _own_reason(rule, treated, strata)
    return RulePlan(rule.id, rule.edit.constraint.kind.value, rule.says, rule.variables, why, reason)


def _own_reason(rule: RuleFacts, treated: Mapping[str, Treatment], strata: Sequence[Stratum]) -> tuple[Why, Reason]:
    names = [name for name in rule.variables if name in treated]
    if rule.asks_saxon:
        return Why.CHECKED, unless_evaluated(rule, because("record-checked-by-saxon"))
    if not rule.is_evaluable:
        return Why.MEDOID, unless_evaluated(rule, because("copied-per-cluster", reads_any=not rule.is_certain))
    derived = _derived(rule, strata)
    if all(treated[name] is Treatment.SYNTHESISED for name in names) and _is_equality(rule):
        return Why.EXACT, because("linear-equality-in-clusters", derived=derived)
    if all(treated[name] is Treatment.SHUFFLED for name in names) and len(names) == 1:
        return Why.CHECKED, because("values-of-cluster", variable=names[0])
    return Why.CHECKED, because("every-record-checked", derived=derived)


def _is_equality(rule: RuleFacts) -> bool:
    """Tell whether the rule is one linear equality of several variables, the same for every record."""
    atoms = rule.atoms()
    is_linear = all(isinstance(atom, LinearAtom) and atom.op == "=" and len(atom_variables(atom)) > 1 for atom in atoms)
    return bool(atoms) and is_linear and rule.terms is not None and len(rule.terms) == 1


def own_strategy(treated: Mapping[str, Treatment], strata: Sequence[Stratum], rules: Sequence[RuleFacts]) -> Reason:
    """Return how the records' values are computed."""
    by_treatment: dict[Treatment, list[str]] = {}
    for name, treatment in treated.items():
        by_treatment.setdefault(treatment, []).append(name)
    parts = [_treated(treatment, tuple(names)) for treatment, names in by_treatment.items()]
    return _strategy(parts, strata, rules)


def _treated(treatment: Treatment, names: tuple[str, ...]) -> Reason:
    match treatment:
        case Treatment.AGGREGATED:
            return because("one-record-per-cluster", variables=names)
        case Treatment.SYNTHESISED:
            return because("ipso-per-cluster", variables=names)
        case Treatment.SHUFFLED:
            return because("shuffled-in-clusters", variables=names)
        case Treatment.RANKED:
            return because("means-of-neighbours", variables=names)
        case Treatment.SWAPPED:
            raise AssertionError("swapped values belong to pairs, not to clusters")
    assert_never(treatment)
