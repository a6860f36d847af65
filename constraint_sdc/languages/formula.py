"""What a rule of any language says about a record, in the three-valued logic that these languages share.

A term is a number or a text, or no value at all if something that it is computed from is missing. A condition is true,
false, or unknown where a term has no value. `opposite` and the writer of XPath keep the three apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import Decimal
from typing import Literal as OneOf
from typing import TypeAlias, TypeVar, cast

from constraint_sdc.evaluate.expression import CompareOp


@dataclass(frozen=True, slots=True)
class NumberTerm:
    """A constant number, exact."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class TextTerm:
    """A constant text."""

    value: str


@dataclass(frozen=True, slots=True)
class ColumnTerm:
    """A variable of the record; its comparison decides whether it is read as a number or as a text."""

    name: str


@dataclass(frozen=True, slots=True)
class ComputedTerm:
    """Arithmetic of two numbers; `modulo` has the sign of the divisor, `remainder` that of the dividend."""

    op: OneOf["+", "-", "*", "/", "modulo", "remainder", "quotient"]
    left: RuleTerm
    right: RuleTerm


@dataclass(frozen=True, slots=True)
class NegativeTerm:
    """The negative of a number."""

    term: RuleTerm


@dataclass(frozen=True, slots=True)
class FunctionTerm:
    """A function of XPath, by its name there, of numbers or of texts; no value if an argument has none."""

    name: str
    arguments: tuple[RuleTerm, ...]


@dataclass(frozen=True, slots=True)
class LengthTerm:
    """The number of characters of a text."""

    text: RuleTerm


@dataclass(frozen=True, slots=True)
class DoubleTerm:
    """A number in double arithmetic instead of exact decimal arithmetic."""

    term: RuleTerm


@dataclass(frozen=True, slots=True)
class ReadNumberTerm:
    """The number that the text of a variable is; no value where it is missing, and where it is another text.

    Read in double, exponents included, or, if `is_exact`, as a decimal number.
    """

    column: ColumnTerm
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class ChoiceTerm:
    """`then` where the condition is true, `otherwise` where it is false; `unknown` where it is neither."""

    condition: RuleCondition
    then: RuleTerm
    otherwise: RuleTerm | None
    unknown: RuleTerm | None = None


@dataclass(frozen=True, slots=True)
class FirstKnownTerm:
    """The first of several terms that has a value."""

    terms: tuple[RuleTerm, ...]


@dataclass(frozen=True, slots=True)
class OverRecordsTerm:
    """One number for the whole file: the sum, mean, minimum or maximum of terms over all records, or their number.

    Without `skips_missing` it has no value if a term has none in some record.
    """

    function: OneOf["sum", "avg", "min", "max", "count"]
    terms: tuple[RuleTerm, ...]
    skips_missing: bool = False


RuleTerm: TypeAlias = (
    NumberTerm
    | TextTerm
    | ColumnTerm
    | ComputedTerm
    | NegativeTerm
    | FunctionTerm
    | LengthTerm
    | DoubleTerm
    | ReadNumberTerm
    | ChoiceTerm
    | FirstKnownTerm
    | OverRecordsTerm
)


@dataclass(frozen=True, slots=True)
class ComparedTerms:
    """A comparison of two numbers, or of two texts (`=` and `!=` alone); unknown if a side has no value."""

    op: CompareOp
    left: RuleTerm
    right: RuleTerm
    is_of_texts: bool = False


@dataclass(frozen=True, slots=True)
class AmongValues:
    """A term is one of these numbers or texts, all of one type; unknown if the term has no value."""

    term: RuleTerm
    values: tuple[Decimal, ...] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HasForm:
    """A text matches an XPath regular expression anywhere; a missing one is unknown, or false if `false_if_missing`."""

    text: RuleTerm
    regex: str
    flags: str = ""
    false_if_missing: bool = False


@dataclass(frozen=True, slots=True)
class HasNoValue:
    """A term has no value; never unknown."""

    term: RuleTerm


@dataclass(frozen=True, slots=True)
class IsNumber:
    """The text of a variable is a number, exponents included; never unknown, and false if it is missing."""

    column: ColumnTerm


@dataclass(frozen=True, slots=True)
class IsDate:
    """The text of a variable is a day of the calendar, as 2024-02-29; never unknown, and false if it is missing."""

    column: ColumnTerm


@dataclass(frozen=True, slots=True)
class ConstantTruth:
    """A truth that no record changes; None is unknown."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class IsSure:
    """A condition is true, and not merely unknown; never unknown itself."""

    condition: RuleCondition


@dataclass(frozen=True, slots=True)
class EachRecord:
    """A condition holds in every record of the file."""

    condition: RuleCondition


@dataclass(frozen=True, slots=True)
class UniqueRecord:
    """No other record has the same texts of these variables; missing ones count as equal."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoOtherVariables:
    """The record has no values of variables but these; never unknown."""

    allowed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllConditions:
    """Every condition is true."""

    items: tuple[RuleCondition, ...]


@dataclass(frozen=True, slots=True)
class AnyCondition:
    """At least one condition is true."""

    items: tuple[RuleCondition, ...]


@dataclass(frozen=True, slots=True)
class Opposite:
    """The condition is false."""

    item: RuleCondition


RuleCondition: TypeAlias = (
    ComparedTerms
    | AmongValues
    | HasForm
    | HasNoValue
    | IsNumber
    | IsDate
    | ConstantTruth
    | IsSure
    | EachRecord
    | UniqueRecord
    | NoOtherVariables
    | AllConditions
    | AnyCondition
    | Opposite
)

OPPOSITE_OP: dict[CompareOp, CompareOp] = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def opposite(condition: RuleCondition) -> RuleCondition:
    """Return the condition that is true where this one is false, false where it is true, and unknown where it is.

    >>> opposite(ComparedTerms("<", ColumnTerm("V8"), NumberTerm(Decimal(1115)))).op
    '>='
    """
    match condition:
        case ComparedTerms(op, left, right, is_of_texts):
            return ComparedTerms(OPPOSITE_OP[op], left, right, is_of_texts)
        case AllConditions(items):
            return AnyCondition(tuple(map(opposite, items)))
        case AnyCondition(items):
            return AllConditions(tuple(map(opposite, items)))
        case Opposite(item):
            return settled(item)
        case ConstantTruth(value):
            return ConstantTruth(None if value is None else not value)
        case _:
            return Opposite(condition)


def settled(condition: RuleCondition) -> RuleCondition:
    """Return the condition with `Opposite` only at conditions that cannot be turned round."""
    match condition:
        case Opposite(item):
            return opposite(settled(item))
        case AllConditions(items):
            return AllConditions(tuple(map(settled, items)))
        case AnyCondition(items):
            return AnyCondition(tuple(map(settled, items)))
        case _:
            return condition


def implies(condition: RuleCondition, consequence: RuleCondition) -> RuleCondition:
    """Return "if condition then consequence"."""
    return AnyCondition((Opposite(condition), consequence))


def constant_truth(condition: RuleCondition) -> bool | None:
    """Return the truth of a condition that is the same on every record; None if it may depend on the record.

    >>> constant_truth(AnyCondition((HasNoValue(ColumnTerm("V1")), ConstantTruth(True))))
    True
    """
    match condition:
        case ConstantTruth(value):
            return value
        case Opposite(item):
            truth = constant_truth(item)
            return None if truth is None else not truth
        case AllConditions(items) | AnyCondition(items):
            deciding = isinstance(condition, AnyCondition)
            truths = [constant_truth(item) for item in items]
            return deciding if deciding in truths else None if None in truths else not deciding
        case _:
            return None


def parts_of(part: object) -> Iterator[object]:
    """Yield a term or condition and everything inside it, outermost first."""
    yield part
    if not is_dataclass(part):
        return
    for field in fields(part):
        value = getattr(part, field.name)
        for inner in value if isinstance(value, tuple) else (value,):
            if is_dataclass(inner):
                yield from parts_of(inner)


_Part = TypeVar("_Part")


def renamed(part: _Part, name_of: Callable[[str], str]) -> _Part:
    """Return a term or condition with other names of its variables.

    >>> renamed(HasNoValue(ColumnTerm("a")), str.upper)
    HasNoValue(term=ColumnTerm(name='A'))
    """
    if isinstance(part, tuple):
        return cast(_Part, tuple(renamed(one, name_of) for one in part))
    if not is_dataclass(part) or isinstance(part, type):
        return part
    match part:
        case ColumnTerm(name):
            return replace(part, name=name_of(name))
        case UniqueRecord(names):
            return replace(part, names=tuple(map(name_of, names)))
        case NoOtherVariables(allowed):
            return replace(part, allowed=tuple(map(name_of, allowed)))
        case _:
            return replace(part, **{field.name: renamed(getattr(part, field.name), name_of) for field in fields(part)})


def columns_of(part: object) -> tuple[str, ...]:
    """Return the variables of a term or condition, each once, in order of first use."""
    found: dict[str, None] = {}
    for inner in parts_of(part):
        names = (
            (inner.name,) if isinstance(inner, ColumnTerm) else inner.names if isinstance(inner, UniqueRecord) else ()
        )
        found.update(dict.fromkeys(names))
    return tuple(found)


def own_columns(part: object) -> tuple[str, ...]:
    """Return the variables of the record itself, without those that are read over all records."""
    if isinstance(part, OverRecordsTerm | EachRecord):
        return ()
    if isinstance(part, ColumnTerm):
        return (part.name,)
    if isinstance(part, UniqueRecord):
        return part.names
    if isinstance(part, NoOtherVariables):
        return ("*", *part.allowed)
    if not is_dataclass(part):
        return ()
    values = (getattr(part, field.name) for field in fields(part))
    inner = (one for value in values for one in (value if isinstance(value, tuple) else (value,)))
    return tuple(dict.fromkeys(name for one in inner for name in own_columns(one)))
