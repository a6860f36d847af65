"""Rules as text for people: a constraint as one line, and the typed rule list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal as OneOf

from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    ConditionAtom,
    Constraint,
    DomainAtom,
    EditRule,
    Formula,
    IntegerAtom,
    Kind,
    LinearAtom,
    PatternAtom,
    PolynomialAtom,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
)
from constraint_sdc.constraints.show_atom import or_missing, show_atom, show_limit, show_products, show_sum
from constraint_sdc.constraints.simplify import negate
from constraint_sdc.data.groups import Union
from constraint_sdc.schematron.schema import Origin, Severity
from constraint_sdc.settings.reason import Reason
from constraint_sdc.shown import Shown, Tabled

# Formulas and constraints as one line of text: intervals joined, disjunctions written as "if ... then ...".

_COMPARISONS = (LinearAtom, ProductAtom, PolynomialAtom, SetAtom, IntegerAtom)


def show_constraint(constraint: Constraint) -> str:
    """Return a constraint in one line."""
    return show_formula(constraint.formula)


def show_formula(formula: Formula) -> str:
    """Return a formula in one line.

    >>> from fractions import Fraction
    >>> low = LinearAtom((("V3", Fraction(1)),), ">=", Fraction(0))
    >>> high = LinearAtom((("V3", Fraction(1)),), "<=", Fraction(7500))
    >>> show_formula(AllOf((low, high)))
    '0 <= V3 <= 7500'
    """
    match formula:
        case AllOf(()):
            return "always true"
        case AnyOf(()):
            return "never true"
        case AllOf(items):
            return _conjunction(items)
        case AnyOf(items):
            return _disjunction(items)
        case _:
            return show_atom(formula)


def _conjunction(items: tuple[Formula, ...]) -> str:
    names = _shared_missing(items)
    if names:
        return " and ".join(_conjuncts(tuple(_unless_missing(item) for item in items))) + or_missing(names)
    return " and ".join(_conjuncts(items))


def _shared_missing(items: tuple[Formula, ...]) -> tuple[str, ...]:
    """Return the variables of which a missing one makes every item true, so that this is written once."""
    sets = {
        frozenset(atom_variables(item)) if isinstance(item, _COMPARISONS) and item.if_missing else frozenset()
        for item in items
    }
    first = items[0]
    return atom_variables(first) if len(sets) == 1 and isinstance(first, _COMPARISONS) and first.if_missing else ()


def _unless_missing(item: Formula) -> Formula:
    return replace(item, if_missing=False) if isinstance(item, _COMPARISONS) else item


def _conjuncts(items: tuple[Formula, ...]) -> list[str]:
    texts: list[str] = []
    joined: set[int] = set()
    for place, item in enumerate(items):
        if place in joined:
            continue
        partner = _other_end(item, items, place)
        if partner is None:
            texts.append(_bracketed(item))
            continue
        joined.add(partner)
        texts.append(_interval(item, items[partner]))
    return texts


def _other_end(item: Formula, items: tuple[Formula, ...], place: int) -> int | None:
    """Find the opposite bound of an interval later in the conjunction."""
    if not isinstance(item, LinearAtom | PolynomialAtom) or not _is_bound(item):
        return None
    for later in range(place + 1, len(items)):
        other = items[later]
        if isinstance(other, LinearAtom | PolynomialAtom) and _is_bound(other) and other.terms == item.terms:
            return later if other.op[0] != item.op[0] else None
    return None


def _is_bound(item: LinearAtom | PolynomialAtom) -> bool:
    return item.op[0] in "<>" and not item.if_missing


def _interval(one: Formula, other: Formula) -> str:
    assert isinstance(one, LinearAtom | PolynomialAtom)
    assert isinstance(other, LinearAtom | PolynomialAtom)
    low, high = (one, other) if one.op[0] == ">" else (other, one)
    left = "<=" if low.op == ">=" else "<"
    middle = show_sum(low.terms) if isinstance(low, LinearAtom) else show_products(low.terms)
    return f"{show_limit(low)} {left} {middle} {high.op} {show_limit(high)}"


def _disjunction(items: tuple[Formula, ...]) -> str:
    premises = tuple(item for item in items if _is_premise(item))
    rest = tuple(item for item in items if not _is_premise(item))
    condition = " and ".join(_conjuncts(tuple(negate(item) for item in premises)))
    if premises and not rest:
        return f"not ({condition})"
    if not premises:
        return " or ".join(_bracketed(item) for item in items)
    return f"if {condition} then {show_formula(AnyOf(rest) if len(rest) > 1 else rest[0])}"


def _is_premise(item: Formula) -> bool:
    """Tell whether an item of a disjunction reads better as the negation of a condition."""
    match item:
        case LinearAtom() | ProductAtom() | PolynomialAtom() | IntegerAtom() | SetAtom():
            return item.if_missing
        case PatternAtom() | PresentAtom() | DomainAtom() | ConditionAtom():
            return item.negated
        case AllOf(items) | AnyOf(items):
            return bool(items) and all(_is_premise(inner) for inner in items)
        case _:
            return item.text.startswith("not(")


def _bracketed(item: Formula) -> str:
    text = show_formula(item)
    is_compound = isinstance(item, AllOf | AnyOf) or (isinstance(item, _COMPARISONS) and item.if_missing)
    return f"({text})" if is_compound else text


# The typed rule list for display: every rule in words, and the blocks of variables that rules connect.


@dataclass(frozen=True, slots=True, repr=False)
class RuleRow(Shown):
    """One rule in words.

    `kind` is the value of `Kind`, `normal_form` the constraint as text, `reason` why the kind was chosen (above all
    why a rule is opaque or cross-record), `engine` what judges it. With data, `checked` counts the nodes that the rule
    judges, and `idle` says why it checks nothing, or looks for what the file does not have; `may_be_idle` if the rule
    file allows that.
    """

    id: str
    kind: str
    paper_name: str
    variables: tuple[str, ...]
    normal_form: str
    severity: Severity
    origin: Origin
    reason: str
    context: str
    test: str
    is_record_local: bool
    engine: OneOf["vectorised", "saxon", "aggregated"]
    checked: int | None = None
    idle: tuple[Reason, ...] = ()
    may_be_idle: bool = False

    @property
    def is_understood(self) -> bool:
        """Tell whether the rule is one of the typed kinds."""
        return self.kind not in ("opaque", "cross-record")


@dataclass(frozen=True, slots=True, repr=False)
class RuleList(Tabled):
    """The rules of one phase of a schema; `blocks` are sets of variables connected by rules, in order of first use.

    `warnings` are what users must be told of the schema.
    """

    rows: tuple[RuleRow, ...]
    blocks: tuple[tuple[str, ...], ...]
    title: str
    binding: str
    phase: str
    file: str
    warnings: tuple[Reason, ...] = ()


# Blocks: variables that rules connect and that must therefore be masked together.


def blocks(rules: Iterable[EditRule]) -> tuple[tuple[str, ...], ...]:
    """Return the blocks, each in order of first use, ordered by their first variable.

    An opaque rule connects its variables like any other: only a real record is known to satisfy it. A cross-record rule
    connects nothing, because no choice within one record can satisfy it.
    """
    ties = [rule.constraint.variables for rule in rules if rule.constraint.kind is not Kind.CROSS_RECORD]
    tied = Union(name for names in ties for name in names)
    for names in ties:
        tied.join(names)
    return tied.parts()
