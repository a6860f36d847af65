"""Why a rule survives where every record gets values of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constraint_sdc.model.constraint import LinearAtom, atom_variables
from constraint_sdc.model.design import Stratum
from constraint_sdc.model.plan import RulePlan, Treatment, Why
from constraint_sdc.plan.reasons import derived_words
from constraint_sdc.plan.rule_facts import RuleFacts

_CHECKED = "every record is evaluated; one that fails is drawn anew, repaired, or takes the values of its cluster"
_ALGEBRA = "a linear equality that holds in a cluster holds for all values with its means and covariances"


def explain_own(rule: RuleFacts, treated: Mapping[str, Treatment], strata: Sequence[Stratum]) -> RulePlan:
    """Return on what the rule's survival rests."""
    why, because = _reason(rule, treated, strata)
    return RulePlan(rule.id, rule.edit.constraint.kind.value, rule.says, rule.variables, why, because)


def _reason(rule: RuleFacts, treated: Mapping[str, Treatment], strata: Sequence[Stratum]) -> tuple[Why, str]:
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
        return Why.CHECKED, f"{names[0]} keeps to values of its cluster; {_CHECKED}"
    return Why.CHECKED, f"{derived + '; ' if derived else ''}{_CHECKED}"


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
