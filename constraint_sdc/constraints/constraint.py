"""Typed constraints: what a rule means, in a normal form that the planner can reason about.

A constraint is a formula in negation normal form over atoms. Numbers are exact (Fraction), whatever arithmetic the rule
itself uses. A part that is not understood is an `OpaqueAtom` with its reason, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from constraint_sdc.calendar import DateNotation
from constraint_sdc.evaluate.expression import CompareOp, Expression, Outside
from constraint_sdc.schematron.schema import Assertion, Origin
from constraint_sdc.xpath.reads import Reads


class Kind(Enum):
    """The kinds of edit constraint; the value is our name, `paper_name` the name in the 2009 paper."""

    LINEAR = "linear"
    NON_LINEAR = "non-linear"
    POSSIBLE_VALUES = "possible values"
    GOVERNS = "governs"
    VALUE_DOMAIN = "value domain"
    OPAQUE = "opaque"
    CROSS_RECORD = "cross-record"

    @property
    def paper_name(self) -> str:
        """Return the kind's name in the 2009 paper, "-" where the paper has none."""
        return _PAPER_NAMES.get(self, "-")


_PAPER_NAMES = {
    Kind.LINEAR: "EC-LC",
    Kind.NON_LINEAR: "EC-NLC",
    Kind.POSSIBLE_VALUES: "EC-PV",
    Kind.GOVERNS: "EC-GV",
    Kind.VALUE_DOMAIN: "EC-VD",
}


class Number(Enum):
    """The arithmetic in which the rule's own expression is evaluated."""

    DOUBLE = "double"
    DECIMAL = "decimal"
    INTEGER = "integer"


DateReadings: TypeAlias = tuple[tuple[str, DateNotation], ...]
"""Variables that a rule reads as dates, and the notation in which it reads them."""


@dataclass(frozen=True, slots=True)
class LinearAtom:
    """`sum(coefficient * variable) op constant`, terms in order of first use, no zero coefficient.

    `if_missing` is the atom's truth when an operand is missing or not a number: false for a comparison as written,
    true for the negation of one (`not(V8 < 1115)` is not the same as `V8 >= 1115` on a missing V8).
    A variable of `dates` stands for its number of days (months) since 1970-01-01, not for the number that its text is.
    """

    terms: tuple[tuple[str, Fraction], ...]
    op: CompareOp
    constant: Fraction
    number: Number = Number.DOUBLE
    if_missing: bool = False
    dates: DateReadings = ()


Exponent: TypeAlias = int | Fraction
Powers: TypeAlias = tuple[tuple[str, Exponent], ...]
"""Variables raised to positive powers; one that is not whole is a root, and a root of a negative number is NaN."""


@dataclass(frozen=True, slots=True)
class ProductAtom:
    """`left_factor * product(variable^power) op right_factor * product(variable^power)`; powers are positive."""

    left: Powers
    left_factor: Fraction
    op: CompareOp
    right: Powers
    right_factor: Fraction
    number: Number = Number.DOUBLE
    if_missing: bool = False


@dataclass(frozen=True, slots=True)
class PolynomialAtom:
    """`sum(coefficient * product(variable^power)) op constant`: neither a plain sum nor one product on each side.

    `abs(V5 * V15 - V16) <= 0.01` is two of them. Powers are positive, coefficients not zero.
    """

    terms: tuple[tuple[Powers, Fraction], ...]
    op: CompareOp
    constant: Fraction
    number: Number = Number.DOUBLE
    if_missing: bool = False


@dataclass(frozen=True, slots=True)
class SetAtom:
    """The variable is (or, when negated, is not) one of finitely many values: all numbers, or all texts."""

    variable: str
    values: tuple[Fraction, ...] | tuple[str, ...]
    negated: bool = False
    if_missing: bool = False


@dataclass(frozen=True, slots=True)
class IntegerAtom:
    """The variable is a whole number, or `remainder` modulo `modulus`."""

    variable: str
    modulus: Fraction = Fraction(1)
    remainder: Fraction = Fraction(0)
    negated: bool = False
    if_missing: bool = False


@dataclass(frozen=True, slots=True)
class PatternAtom:
    """The variable's text matches (or does not match) an XPath regular expression."""

    variable: str
    regex: str
    flags: str = ""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class PresentAtom:
    """The variable's element or attribute exists (or not); `filled` asks in addition for a text that is not empty."""

    variable: str
    negated: bool = False
    filled: bool = False


@dataclass(frozen=True, slots=True)
class DomainAtom:
    """The variable's value occurs among the values of a path into another document."""

    variable: str
    source: Outside
    negated: bool = False


@dataclass(frozen=True, slots=True)
class ConditionAtom:
    """A condition on one variable without another normal form: its XPath text, and the expression to evaluate.

    A value that satisfies it satisfies it in every record, so an operator that copies a member's value keeps it. The
    text tells apart what expressions compare as equal (`1` and `true()`).
    """

    variable: str
    text: str
    expression: Expression
    is_xpath1: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class OpaqueAtom:
    """A part that is not understood: its XPath text, the variables it reads, and the reason."""

    text: str
    variables: tuple[str, ...]
    reason: str


Atom: TypeAlias = (
    LinearAtom
    | ProductAtom
    | PolynomialAtom
    | SetAtom
    | IntegerAtom
    | PatternAtom
    | PresentAtom
    | DomainAtom
    | ConditionAtom
    | OpaqueAtom
)


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every item holds; `AllOf(())` is always true."""

    items: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one item holds; `AnyOf(())` is never true."""

    items: tuple[Formula, ...]


Formula: TypeAlias = Atom | AllOf | AnyOf


def atoms(formula: Formula) -> Iterator[Atom]:
    """Yield the formula's atoms in writing order."""
    if isinstance(formula, AllOf | AnyOf):
        for item in formula.items:
            yield from atoms(item)
    else:
        yield formula


def atom_variables(atom: Atom) -> tuple[str, ...]:
    """Return the variables of one atom, each once."""
    match atom:
        case LinearAtom(terms):
            return tuple(name for name, _ in terms)
        case ProductAtom(left, _, _, right):
            return tuple(dict.fromkeys(name for name, _ in left + right))
        case PolynomialAtom(terms=sums):
            return tuple(dict.fromkeys(name for powers, _ in sums for name, _ in powers))
        case OpaqueAtom(_, names):
            return names
        case _:
            return (atom.variable,)


@dataclass(frozen=True, slots=True)
class Constraint:
    """The meaning of a rule. `reason` says why the kind was chosen, in particular why a part is opaque."""

    kind: Kind
    formula: Formula
    variables: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Context:
    """A rule's context that is understood: a record, or one variable of a record, under a condition.

    `steps` are element names (Clark notation, "@name" for an attribute) ending in the context node's own;
    `is_absolute` anchors them at the root. `variable` is set when the context node is a variable of the record.
    """

    steps: tuple[str, ...]
    is_absolute: bool
    variable: str | None
    condition: Expression | None


@dataclass(frozen=True, slots=True)
class EditRule:
    """One assertion as the rest of the product sees it.

    `expression` is true where the record satisfies the rule (a report is already negated); it and `context` are None
    when the XPath is not supported: Saxon judges such a rule. `is_record_local` tells whether the assertion
    and every context of its pattern look only at the record itself, so that records may be judged chunk by chunk;
    `has_local_verdict` the same without the message.
    `never_fires` if the context names an element that the file does not have. `reads` are the variables that can change
    the verdict, None before the file is known. `premise` is where the rule fires, without what earlier rules of its
    pattern take; None if everywhere.
    """

    assertion: Assertion
    pattern: str
    context_text: str
    context: Context | None
    expression: Expression | None
    constraint: Constraint
    is_record_local: bool
    never_fires: bool = False
    reads: Reads | None = None
    has_local_verdict: bool = False
    premise: Formula | None = None

    @property
    def id(self) -> str:
        """Return the rule's id as the Schematron has it."""
        return self.assertion.id

    @property
    def origin(self) -> Origin:
        """Return where the rule was written."""
        return self.assertion.origin
