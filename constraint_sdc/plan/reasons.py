"""Why a rule survives masking, asked of the operators themselves and put into one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constraint_sdc.constraints.constraint import AllOf, Atom, LinearAtom, atom_variables
from constraint_sdc.operators.operator import NeedsExact, NotCovered, OperatorVerdict, Preserved
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.plan.design import Stratum
from constraint_sdc.plan.plan import RulePlan, Treatment, Why
from constraint_sdc.plan.rule_facts import RuleFacts
from constraint_sdc.settings.words import OperatorName

_CHECKED = "every representative is evaluated; one that fails is nudged, repaired or replaced by an actual record"


def explain_rule(
    rule: RuleFacts, operators: Mapping[str, OperatorName], strata: Sequence[Stratum], shared: frozenset[str]
) -> RulePlan:
    """Return on what the rule's survival rests; `shared` are unmasked variables whose values a stratum shares."""
    why, because = _reason(rule, operators, strata)
    differing = [n for n in _tied_unmasked(rule, operators) if n not in shared]
    if differing and why is not Why.MEDOID:
        because = f"it compares masked values with {', '.join(differing)}, which differ within groups; {_CHECKED}"
        why = Why.CHECKED
    return RulePlan(rule.id, rule.edit.constraint.kind.value, rule.says, rule.variables, why, because)


def _tied_unmasked(rule: RuleFacts, operators: Mapping[str, OperatorName]) -> list[str]:
    """Return the unmasked variables that an atom compares with masked ones."""
    mixed = [tie for tie in rule.ties if any(name in operators for name in tie)]
    return list(dict.fromkeys(name for tie in mixed for name in tie if name not in operators))


def _reason(rule: RuleFacts, operators: Mapping[str, OperatorName], strata: Sequence[Stratum]) -> tuple[Why, str]:
    names = {operators[name] for name in rule.variables if name in operators}
    if names == {OperatorName.MEDOID}:
        unread = "" if rule.is_evaluable else f" (not evaluated here: {rule.edit.constraint.reason})"
        which = "its variables" if rule.is_certain else "all masked variables, since it may read any of them,"
        return Why.MEDOID, f"{which} are copied together from one actual record{unread}"
    if rule.terms is None:
        return Why.CHECKED, f"its conditions are too many for strata; {_CHECKED}"
    asked = _asked(rule, operators, strata)
    if not names or any(len(_operators_of(atom, operators)) > 1 for atoms in asked for atom in atoms):
        used = " and ".join(sorted(name.value for name in names))
        derived = derived_words(rule, strata)
        return Why.CHECKED, f"{used} meet in it; {derived + '; ' if derived else ''}{_CHECKED}"
    # No atom mixes operators, so each is asked about its own: a conjunction holds where all its parts do.
    verdicts = [
        (name, OPERATORS[name].verdict(AllOf(tuple(a for a in atoms if name in _operators_of(a, operators)))))
        for atoms in asked
        for name in OperatorName
        if name in names and (len(names) == 1 or any(name in _operators_of(a, operators) for a in atoms))
    ]
    return _weakest(verdicts, rule, strata)


def _operators_of(atom: Atom, operators: Mapping[str, OperatorName]) -> set[OperatorName]:
    return {operators[name] for name in atom_variables(atom) if name in operators}


def _asked(rule: RuleFacts, operators: Mapping[str, OperatorName], strata: Sequence[Stratum]) -> list[tuple[Atom, ...]]:
    """Return, for every stratum, the atoms of the rule that masking can touch."""
    return [
        tuple(a for owner, a in stratum.conjunction if owner == rule.id and set(atom_variables(a)) & operators.keys())
        for stratum in strata
        if any(owner == rule.id for owner, _ in stratum.conjunction) or stratum.shares_conditions
    ]


def _weakest(
    verdicts: Sequence[tuple[OperatorName, OperatorVerdict]], rule: RuleFacts, strata: Sequence[Stratum]
) -> tuple[Why, str]:
    is_forked = rule.terms is not None and len(rule.terms) > 1
    within = "within each stratum, " if is_forked and len(strata) > 1 else ""
    loose = is_forked and not all(any(owner == rule.id for owner, _ in s.conjunction) for s in strata)
    if loose:
        derived = derived_words(rule, strata)
        return Why.CHECKED, f"some strata share no side of it; {derived + '; ' if derived else ''}{_CHECKED}"
    for name, verdict in verdicts:
        if isinstance(verdict, NotCovered):
            derived = derived_words(rule, strata)
            return Why.CHECKED, f"{name.value}: {verdict.because}; {derived + '; ' if derived else ''}{_CHECKED}"
    exact = [(name, v.because) for name, v in verdicts if isinstance(v, NeedsExact)]
    if exact:
        derived = derived_words(rule, strata)
        made = f"; {derived}" if derived else "; made exact on the grid"
        name, because = exact[0]
        others = [(n, v.because) for n, v in verdicts if isinstance(v, Preserved) and n is not name]
        beside = f"; {_first_of_each(others)}" if others else ""
        return Why.EXACT, f"{within}{name.value}: {because}{made}{beside}"
    kept = [(name, v.because) for name, v in verdicts if isinstance(v, Preserved)]
    return Why.PRESERVED, within + (_first_of_each(kept) or "nothing that masking touches is left to satisfy")


def _first_of_each(reasons: Sequence[tuple[OperatorName, str]]) -> str:
    """Say the first reason of every operator, those of one reason together."""
    first: dict[OperatorName, str] = {}
    for name, because in reasons:
        first.setdefault(name, because)
    together: dict[str, list[str]] = {}
    for name, because in first.items():
        together.setdefault(because, []).append(name.value)
    return "; ".join(f"{' and '.join(names)}: {because}" for because, names in together.items())


def derived_words(rule: RuleFacts, strata: Sequence[Stratum]) -> str:
    """Say which variables are computed so that this rule holds; nothing if none is."""
    found = dict.fromkeys(d.text for s in strata for d in s.derivations if rule.id in d.rule.split(" and "))
    return " or ".join(found) + (", digit for digit" if found else "")


def strategy(operators: Mapping[str, OperatorName], strata: Sequence[Stratum], rules: Sequence[RuleFacts]) -> str:
    """Say in one line how the block's representatives come about."""
    by_operator: dict[OperatorName, list[str]] = {}
    for name, operator in operators.items():
        by_operator.setdefault(operator, []).append(name)
    parts = [f"{operator.value} of {', '.join(names)}" for operator, names in by_operator.items()]
    derived = list(dict.fromkeys(d.variable for s in strata for d in s.derivations))
    if derived:
        parts.append(f"then {', '.join(derived)} computed from the others")
    return "; ".join(parts) + ("" if rules else "; no rule reads them")


# Why a rule survives where every record gets values of its own.

_OWN_CHECKED = "every record is evaluated; one that fails is drawn anew, repaired, or takes the values of its cluster"
_ALGEBRA = "a linear equality that holds in a cluster holds for all values with its means and covariances"


def explain_own(rule: RuleFacts, treated: Mapping[str, Treatment], strata: Sequence[Stratum]) -> RulePlan:
    """Return on what the rule's survival rests."""
    why, because = _own_reason(rule, treated, strata)
    return RulePlan(rule.id, rule.edit.constraint.kind.value, rule.says, rule.variables, why, because)


def _own_reason(rule: RuleFacts, treated: Mapping[str, Treatment], strata: Sequence[Stratum]) -> tuple[Why, str]:
    names = [name for name in rule.variables if name in treated]
    if not rule.is_evaluable:
        which = "its variables" if rule.is_certain else "all masked variables, since it may read any of them,"
        return Why.MEDOID, (
            f"{which} are copied together from one actual record, the same for a whole cluster "
            f"(not evaluated here: {rule.edit.constraint.reason})"
        )
    derived = derived_words(rule, strata)
    if all(treated[name] is Treatment.SYNTHESISED for name in names) and _is_equality(rule):
        return Why.EXACT, f"{_ALGEBRA}; {derived or 'made exact on the grid'}"
    if all(treated[name] is Treatment.SHUFFLED for name in names) and len(names) == 1:
        return Why.CHECKED, f"{names[0]} keeps to values of its cluster; {_OWN_CHECKED}"
    return Why.CHECKED, f"{derived + '; ' if derived else ''}{_OWN_CHECKED}"


def _is_equality(rule: RuleFacts) -> bool:
    """Tell whether the rule is one linear equality of several variables, the same for every record."""
    atoms = rule.atoms()
    is_linear = all(isinstance(atom, LinearAtom) and atom.op == "=" and len(atom_variables(atom)) > 1 for atom in atoms)
    return bool(atoms) and is_linear and rule.terms is not None and len(rule.terms) == 1


def own_strategy(treated: Mapping[str, Treatment], strata: Sequence[Stratum], rules: Sequence[RuleFacts]) -> str:
    """Say in one line how the records' values come about."""
    by_treatment: dict[Treatment, list[str]] = {}
    for name, treatment in treated.items():
        by_treatment.setdefault(treatment, []).append(name)
    parts = [_WORDS[treatment].format(", ".join(names)) for treatment, names in by_treatment.items()]
    derived = list(dict.fromkeys(d.variable for s in strata for d in s.derivations))
    if derived:
        parts.append(f"then {', '.join(derived)} computed from the others")
    return "; ".join(parts) + ("" if rules else "; no rule reads them")


_WORDS = {
    Treatment.AGGREGATED: "{} from one actual record for each cluster",
    Treatment.SYNTHESISED: "IPSO in every cluster for {}",
    Treatment.SHUFFLED: "{} shuffled within clusters",
    Treatment.RANKED: "means of neighbours in the order of each of {}",
}
