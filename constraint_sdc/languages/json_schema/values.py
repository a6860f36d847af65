"""What the keywords of a property say about its value.

A missing value is an absent property, about which its schema says nothing; where the schema lists null for the
property, a missing value is null.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.languages.formula import (
    AllConditions,
    AmongValues,
    AnyCondition,
    ColumnTerm,
    ComparedTerms,
    ComputedTerm,
    ConstantTruth,
    HasForm,
    HasNoValue,
    IsDate,
    IsNumber,
    IsSure,
    LengthTerm,
    NumberTerm,
    Opposite,
    ReadNumberTerm,
    RuleCondition,
)
from constraint_sdc.languages.json_schema.documents import SchemaDocument, type_words
from constraint_sdc.languages.placed_json import PlacedJson
from constraint_sdc.languages.regex_text import xpath_regex

_BROKEN: dict[str, CompareOp] = {
    "minimum": "<",
    "maximum": ">",
    "exclusiveMinimum": "<=",
    "exclusiveMaximum": ">=",
}
_LENGTHS: dict[str, CompareOp] = {"minLength": ">=", "maxLength": "<="}


@dataclass(frozen=True, slots=True)
class ValueQuestion:
    """What a keyword asks about a value: true or false where there is one.

    `if_missing` is the truth of the condition without a value, None if it is unknown or of no account. `of_null` is
    what JSON Schema says about null. `plain` is the same question, unknown without a value, in fewer words.
    """

    condition: RuleCondition
    if_missing: bool | None = None
    of_null: bool | None = None
    plain: RuleCondition | None = None


def at_value(question: ValueQuestion, name: str, document: SchemaDocument) -> RuleCondition:
    """Return the question about a property that has a value, or null where it may be null."""
    if name not in document.nullable or question.if_missing == question.of_null:
        return question.condition
    missing = HasNoValue(ColumnTerm(name))
    if question.of_null:
        return AnyCondition((missing, question.condition))
    return AllConditions((Opposite(missing), question.condition))


def at_property(question: ValueQuestion, name: str, document: SchemaDocument) -> RuleCondition:
    """Return the question about a property that may be absent, in which case nothing is said about it."""
    if name in document.nullable or question.if_missing:
        return at_value(question, name, document)
    return AnyCondition((question.condition, HasNoValue(ColumnTerm(name))))


def value_question(keyword: str, value: PlacedJson, name: str, document: SchemaDocument) -> ValueQuestion:
    """Return what one keyword asks about the value of a property."""
    column = ColumnTerm(name)
    match keyword:
        case "type":
            return _of_type(type_words(value), column)
        case "enum":
            if not value.items:
                raise value.refused("lists no value", "write at least one")
            return _among(value.items, column, document)
        case "const":
            return _among([value], column, document)
        case "multipleOf":
            return ValueQuestion(_multiple(column, _positive(value)), if_missing=True, of_null=True)
        case "minLength" | "maxLength":
            length = ComparedTerms(
                _LENGTHS[keyword], LengthTerm(column), NumberTerm(whole_number(value, "write a number of characters"))
            )
            return ValueQuestion(length, of_null=True, plain=length)
        case "pattern":
            if not isinstance(value.content, str):
                raise value.refused("is not a regular expression", "write it in double quotes")
            form = HasForm(column, xpath_regex(value.content, value.place, is_ecma=True))
            return ValueQuestion(form, of_null=True, plain=form)
        case "format":
            if value.content != "date":
                hint = 'use "date", or state the form as a "pattern"'
                raise value.refused(f"the format {value.text()} has no translation", hint)
            return ValueQuestion(IsDate(column), if_missing=False, of_null=True)
        case _:
            broken = ComparedTerms(_BROKEN[keyword], ReadNumberTerm(column), NumberTerm(_number(value)))
            return ValueQuestion(Opposite(IsSure(broken)), if_missing=True, of_null=True)


def _of_type(words: list[str], column: ColumnTerm) -> ValueQuestion:
    of_null = "null" in words
    if "number" in words:
        return ValueQuestion(IsNumber(column), False, of_null)
    if "integer" in words:
        remainder = ComputedTerm("remainder", ReadNumberTerm(column), NumberTerm(Decimal(1)))
        return ValueQuestion(IsSure(ComparedTerms("=", remainder, NumberTerm(Decimal(0)))), False, of_null)
    if "boolean" in words:
        either = AmongValues(column, ("true", "false"))
        return ValueQuestion(either, None, of_null, plain=either)
    return ValueQuestion(ConstantTruth("string" in words), "string" in words, of_null)


def _among(values: list[PlacedJson], column: ColumnTerm, document: SchemaDocument) -> ValueQuestion:
    of_null = any(one.content is None for one in values)
    known = [one.content for one in values if one.content is not None]
    if not known:
        return ValueQuestion(ConstantTruth(False), False, of_null)
    if document.kinds.get(column.name) == "number":
        numbers = tuple(sorted(one for one in known if isinstance(one, Decimal)))
        return ValueQuestion(IsSure(AmongValues(ReadNumberTerm(column), numbers)), False, of_null)
    texts = tuple({True: "true", False: "false"}[one] if isinstance(one, bool) else str(one) for one in known)
    among = AmongValues(column, texts)
    return ValueQuestion(among, None, of_null, plain=among)


def _multiple(column: ColumnTerm, step: Decimal) -> RuleCondition:
    """Return that a number is a multiple; doubles are exact for steps such as 2 and 0.25, decimals for 0.01."""
    is_exact = Decimal(float(step)) != step
    remainder = ComputedTerm("remainder", ReadNumberTerm(column, is_exact), NumberTerm(step))
    multiple = IsSure(ComparedTerms("=", remainder, NumberTerm(Decimal(0))))
    return AnyCondition((Opposite(IsNumber(column)), multiple))


def _number(value: PlacedJson) -> Decimal:
    if not isinstance(value.content, Decimal):
        raise value.refused("is not a number", "write a number; true and false here are of draft 4")
    return value.content


def _positive(value: PlacedJson) -> Decimal:
    if _number(value) <= 0:
        raise value.refused("is not above zero", "write a number above zero")
    return _number(value)


def whole_number(value: PlacedJson, hint: str) -> Decimal:
    """Return a value that is a whole number, and not negative."""
    number = _number(value)
    if number < 0 or number != number.to_integral_value():
        raise value.refused("is not a whole number from 0", hint)
    return number


Joined = Callable[[tuple[RuleCondition, ...]], RuleCondition]


def exactly_one(conditions: tuple[RuleCondition, ...]) -> RuleCondition:
    """Return that one of the conditions is true and all others are false."""
    cases = []
    for at, one in enumerate(conditions):
        others = (Opposite(other) for other in (*conditions[:at], *conditions[at + 1 :]))
        cases.append(AllConditions((one, *others)))
    return AnyCondition(tuple(cases))


JOINED: dict[str, Joined] = {
    "allOf": cast(Joined, AllConditions),
    "anyOf": cast(Joined, AnyCondition),
    "oneOf": exactly_one,
}
"""How each keyword joins what its schemas say."""
