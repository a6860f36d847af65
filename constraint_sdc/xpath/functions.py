"""The XPath functions that an expression may call, and what is known about their results.

Every function here computes from its arguments alone: no clock, no document, no position, no context except the
implicit dot of those in `IMPLICIT`.
"""

from __future__ import annotations

from itertools import islice

from constraint_sdc.evaluate.expression import (
    And,
    Arithmetic,
    Call,
    Castable,
    Compare,
    Expression,
    If,
    Literal,
    Negate,
    Not,
    Or,
    Sequence,
    Variable,
    walk,
)


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


IMPLICIT = words("number string normalize-space string-length data")
_NUMBER = words(
    "number count string-length abs floor ceiling round round-half-to-even sum avg min max compare index-of "
    "math:pow math:sqrt math:exp math:exp10 math:log math:log10"
)
_TEXT = words(
    "string concat normalize-space substring substring-before substring-after translate upper-case lower-case "
    "string-join replace codepoints-to-string normalize-unicode"
)
_TRUTH = words("exists empty boolean contains starts-with ends-with matches deep-equal codepoint-equal true false not")
_SEQUENCE = words(
    "distinct-values reverse subsequence insert-before remove head tail tokenize data string-to-codepoints "
    "zero-or-one one-or-more exactly-one"
)
_DATES = words(
    "year-from-date month-from-date day-from-date year-from-dateTime month-from-dateTime day-from-dateTime "
    "days-from-duration hours-from-duration minutes-from-duration seconds-from-duration years-from-duration "
    "months-from-duration hours-from-time minutes-from-time seconds-from-time hours-from-dateTime minutes-from-dateTime"
)
INTEGER_TYPES = words(
    "xs:integer xs:long xs:int xs:short xs:byte xs:nonNegativeInteger xs:positiveInteger xs:nonPositiveInteger "
    "xs:negativeInteger xs:unsignedLong xs:unsignedInt xs:unsignedShort xs:unsignedByte"
)
_CASTS = INTEGER_TYPES | words(
    "xs:string xs:boolean xs:decimal xs:float xs:double xs:date xs:dateTime xs:time xs:gYear xs:gYearMonth xs:gMonth "
    "xs:gMonthDay xs:gDay xs:duration xs:dayTimeDuration xs:yearMonthDuration xs:normalizedString xs:token "
    "xs:untypedAtomic xs:anyURI xs:NCName xs:Name xs:language"
)
PURE = _NUMBER | _TEXT | _TRUTH | _SEQUENCE | _DATES | _CASTS
# They compute from their arguments alone too, but are never translated: only Saxon evaluates them.
UNTRANSLATED = words(
    "format-number error trace encode-for-uri sort contains-token iri-to-uri escape-html-uri format-integer "
    "format-date format-dateTime format-time parse-xml parse-xml-fragment analyze-string json-to-xml "
    "years-from-duration months-from-duration days-from-duration hours-from-duration minutes-from-duration "
    "seconds-from-duration seconds-from-dateTime timezone-from-date timezone-from-dateTime timezone-from-time dateTime "
    "adjust-date-to-timezone adjust-dateTime-to-timezone adjust-time-to-timezone parse-ietf-date unordered innermost "
    "outermost"
)

# Exactly one item (or an error) for any argument.
_ONE = _TRUTH | words(
    "number string concat normalize-space substring translate upper-case lower-case string-length count sum "
    "substring-before substring-after string-join replace"
)
_AT_MOST_ONE = (
    _CASTS | _DATES | words("abs floor ceiling round round-half-to-even min max avg head math:pow exactly-one")
)


_LARGEST = 20_000


def is_too_large(expression: Expression) -> bool:
    """Tell whether substituting variables has made an expression larger than the limit."""
    return sum(1 for _ in islice(walk(expression), _LARGEST + 1)) > _LARGEST


def is_one(expression: Expression) -> bool:
    """Tell whether the expression yields exactly one item, so that iterating over it needs no guard."""
    match expression:
        case Literal() | Compare(value=False) | And() | Or() | Not() | Castable():
            return True
        case Call(name):
            return name in _ONE
        case If(_, then, otherwise):
            return is_one(then) and is_one(otherwise)
        case _:
            return False


def is_at_most_one(expression: Expression) -> bool:
    """Tell whether the expression yields no more than one item."""
    match expression:
        case Variable() | Arithmetic() | Negate() | Compare() | Sequence(()):
            return True
        case Call(name):
            return name in _ONE or name in _AT_MOST_ONE
        case If(_, then, otherwise):
            return is_at_most_one(then) and is_at_most_one(otherwise)
        case _:
            return is_one(expression)


def is_truth(expression: Expression) -> bool:
    """Tell whether the expression yields a boolean."""
    match expression:
        case Literal(value):
            return isinstance(value, bool)
        case Compare(value=False) | And() | Or() | Not() | Castable():
            return True
        case Call(name):
            return name in _TRUTH
        case If(_, then, otherwise):
            return is_truth(then) and is_truth(otherwise)
        case _:
            return False


def is_predicate(expression: Expression) -> bool:
    """Tell whether a predicate is a condition and never a position, as a number in brackets is."""
    match expression:
        case Variable():
            return True
        case Literal(value):
            return isinstance(value, str | bool)
        case Call(name):
            return name in _TRUTH or name in _TEXT
        case Compare():
            return True
        case If(_, then, otherwise):
            return is_predicate(then) and is_predicate(otherwise)
        case _:
            return is_truth(expression)


def can_fail(expression: Expression) -> bool:
    """Tell whether evaluating the expression might stop with an error, so that it must not be evaluated early.

    In XPath 2.0 comparing a number with untyped text that is not a number is an error, so any comparison may fail.
    """
    match expression:
        case Literal() | Variable():
            return False
        case And(items) | Or(items):
            return any(can_fail(item) for item in items)
        case Not(item):
            return can_fail(item)
        case Call("exists" | "empty" | "number" | "string" | "count" | "normalize-space", (argument,)):
            return can_fail(argument)
        case Compare(_, left, right, False):
            return not all(_is_number_or_text(side) for side in (left, right))
        case _:
            return True


def _is_number_or_text(side: Expression) -> bool:
    return isinstance(side, Call) and side.name in ("number", "string") and not can_fail(side)


def answers_truth_or_text(name: str) -> bool:
    """Tell whether a function yields a boolean or a text, never a number."""
    return name in _TRUTH or name in _TEXT
