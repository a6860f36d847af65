"""The kind of a constraint, decided from its formula.

The first that applies: a part that is not understood makes the constraint opaque; lookups alone, a value domain; one
variable alone, possible values (or non-linear, if it is multiplied by itself); a conjunction of sums, linear; of sums
and products, non-linear; a bare order V3 <= V7 and every other combination of variables, governs.
"""

from __future__ import annotations

from fractions import Fraction

from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    Constraint,
    DomainAtom,
    Formula,
    Kind,
    LinearAtom,
    OpaqueAtom,
    PolynomialAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
    atoms,
)
from constraint_sdc.constraints.normalise import normalise
from constraint_sdc.constraints.simplify import negate, simplify
from constraint_sdc.evaluate.expression import (
    Arithmetic,
    Call,
    Castable,
    Compare,
    Expression,
    Literal,
    Not,
    variables_of,
    walk,
)

_SKIPPING = frozenset({"sum", "avg", "min", "max"})


def recognise(expression: Expression, premise: Formula | None = None, *, xpath1: bool = False) -> Constraint:
    """Return the constraint of a rule that requires `expression` wherever `premise` holds."""
    formula = normalise(expression, xpath1=xpath1)
    if premise is not None:
        formula = simplify(AnyOf((negate(premise), formula)))
    kind, reason = _kind(formula, premise is None and _is_one_quotient(expression))
    return Constraint(
        kind, formula, formula_variables(formula), "; ".join((reason, *_notes(expression, xpath1=xpath1)))
    )


def formula_variables(formula: Formula) -> tuple[str, ...]:
    """Return the variables of a formula, each once, in order of first use."""
    return tuple(dict.fromkeys(name for atom in atoms(formula) for name in atom_variables(atom)))


def _kind(formula: Formula, is_quotient: bool) -> tuple[Kind, str]:
    parts = list(atoms(formula))
    names = formula_variables(formula)
    unknown = [atom for atom in parts if isinstance(atom, OpaqueAtom)]
    if unknown:
        return Kind.OPAQUE, "; ".join(dict.fromkeys(f"{atom.text}: {atom.reason}" for atom in unknown))
    if not names:
        answer = "always true" if formula == AllOf(()) else "never true"
        return Kind.OPAQUE, f"says nothing about any variable: it is {answer}"
    if any(isinstance(atom, DomainAtom) for atom in parts) and _is_domain(formula, names):
        return Kind.VALUE_DOMAIN, "the value must occur in another document"
    has_product = any(isinstance(atom, ProductAtom | PolynomialAtom) for atom in parts)
    if len(names) == 1:
        if has_product:
            return Kind.NON_LINEAR, "a product of one variable with itself"
        return Kind.POSSIBLE_VALUES, "restricts one variable alone"
    if is_quotient:
        return Kind.NON_LINEAR, "a quotient of variables"
    return _across_variables(formula, has_product)


def _is_domain(formula: Formula, names: tuple[str, ...]) -> bool:
    return len(names) == 1 or (
        isinstance(formula, AllOf) and all(isinstance(item, DomainAtom) for item in formula.items)
    )


def _across_variables(formula: Formula, has_product: bool) -> tuple[Kind, str]:
    items = formula.items if isinstance(formula, AllOf) else (formula,)
    if all(_is_bare_order(item) for item in items):
        return Kind.GOVERNS, "an order between variables"
    if all(isinstance(item, LinearAtom) and item.op != "!=" for item in items):
        return Kind.LINEAR, "a sum of variables with constant coefficients"
    if has_product and all(_is_sum_or_product(item) for item in items):
        return Kind.NON_LINEAR, "a product of variables"
    return Kind.GOVERNS, "a combination of conditions on several variables"


def _is_bare_order(item: Formula) -> bool:
    """Tell whether an item says no more than V3 <= V7 (or <, >, >=)."""
    if not isinstance(item, LinearAtom) or item.op in ("=", "!=") or item.constant != 0:
        return False
    return sorted(value for _, value in item.terms) == [Fraction(-1), Fraction(1)]


def _is_sum_or_product(item: Formula) -> bool:
    return (isinstance(item, LinearAtom | ProductAtom | PolynomialAtom) and item.op != "!=") or _is_one_sided(item)


def _is_one_sided(item: Formula) -> bool:
    """Tell whether an item says that one variable equals, or differs from, a single number (a divisor from zero)."""
    return isinstance(item, SetAtom) and len(item.values) == 1


def _is_one_quotient(expression: Expression) -> bool:
    """Tell whether the rule is one comparison that divides by a variable."""
    inner = expression.item if isinstance(expression, Not) else expression
    return isinstance(inner, Compare) and any(
        isinstance(part, Arithmetic) and part.op == "div" and variables_of(part.right) for part in walk(inner)
    )


def _notes(expression: Expression, *, xpath1: bool) -> list[str]:
    """Return notes on records with missing or unusually written values, which the formula does not cover."""
    notes = []
    calls = {part.name for part in walk(expression) if isinstance(part, Call)}
    skipping = sorted(calls & _SKIPPING)
    if skipping:
        notes.append(f"{', '.join(skipping)}() skips absent values; the normal form is that of complete records")
    if any(isinstance(part, Castable) and part.type == "xs:integer" for part in walk(expression)):
        notes.append("castable as xs:integer also asks for a text without a decimal point")
    if not xpath1 and any(isinstance(part, Compare) and _orders_texts(part) for part in walk(expression)):
        notes.append("compares texts character by character; write number(...) to compare numbers")
    return notes


def _orders_texts(comparison: Compare) -> bool:
    """Tell whether a comparison asks for the order of a variable and a text, as `V1 < 'B'` does."""
    sides = (comparison.left, comparison.right)
    has_text = any(isinstance(side, Literal) and isinstance(side.value, str) for side in sides)
    return has_text and comparison.op not in ("=", "!=")
