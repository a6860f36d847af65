"""The functions of VTL that have a translation: numbers, texts, and questions about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import reduce
from typing import TypeAlias

from constraint_sdc.languages.arithmetic_text.tokens import TextToken
from constraint_sdc.languages.formula import (
    AllConditions,
    AnyCondition,
    ChoiceTerm,
    ColumnTerm,
    ComparedTerms,
    ComputedTerm,
    ConstantTruth,
    FirstKnownTerm,
    FunctionTerm,
    HasForm,
    HasNoValue,
    IsSure,
    LengthTerm,
    NegativeTerm,
    NumberTerm,
    Opposite,
    RuleCondition,
    RuleTerm,
    TextTerm,
)
from constraint_sdc.languages.regex_text import xpath_regex
from constraint_sdc.languages.rule_book import UntranslatedPartError
from constraint_sdc.languages.xpath_terms import is_text_term

VtlValue: TypeAlias = RuleTerm | RuleCondition
"""What an expression of VTL is: a number or text, or a condition."""

_HIGHEST_POWER, _MOST_PLACES = 12, 9
_ONE_NUMBER = {
    "abs": "abs",
    "ceil": "ceiling",
    "floor": "floor",
    "sqrt": "math:sqrt",
    "exp": "math:exp",
    "ln": "math:log",
}
_ONE_TEXT = {"upper": "upper-case", "lower": "lower-case"}


def refused(token: TextToken, what: str, hint: str) -> UntranslatedPartError:
    """Return the error that a function cannot be translated."""
    return UntranslatedPartError(f"{token.text}(): {what}", token.place, hint)


def is_condition(value: VtlValue) -> bool:
    """Tell whether a value is a condition, and no term."""
    return isinstance(value, RuleCondition)


def function_value(token: TextToken, arguments: list[VtlValue]) -> VtlValue:
    """Return the value of a function."""
    name = token.text
    if name == "nvl":
        return _nvl(token, arguments)
    terms = [_term(one, token) for one in arguments]
    _count(token, terms)
    if name in _ONE_NUMBER:
        return FunctionTerm(_ONE_NUMBER[name], (_number(terms[0], token),))
    if name in _ONE_TEXT:
        return FunctionTerm(_ONE_TEXT[name], (_text(terms[0], token),))
    return _FUNCTIONS[name](token, terms)


def _count(token: TextToken, terms: list[RuleTerm]) -> None:
    fewest, most = _ARGUMENTS.get(token.text, (1, 1))
    if not fewest <= len(terms) <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise refused(token, f"{len(terms)} values", f"give it {wanted}")


def _term(value: VtlValue, token: TextToken) -> RuleTerm:
    if isinstance(value, RuleCondition):
        raise refused(token, "of a condition", "give it a number or a text")
    return value


def _number(term: RuleTerm, token: TextToken) -> RuleTerm:
    if is_text_term(term):
        raise refused(token, "of a text", "give it a number")
    return term


def _text(term: RuleTerm, token: TextToken) -> RuleTerm:
    if not (isinstance(term, ColumnTerm) or is_text_term(term)):
        raise refused(token, "of a number", "give it a variable that is a text")
    return term


def _constant(term: RuleTerm, token: TextToken) -> Decimal:
    if not isinstance(term, NumberTerm):
        raise refused(token, "its last value is not a constant", "write a number")
    return term.value


def _nvl(token: TextToken, arguments: list[VtlValue]) -> VtlValue:
    """Return the first value, or the second where there is none; of a condition, that it is sure or not refuted."""
    if len(arguments) != 2:
        raise refused(token, f"{len(arguments)} values", "give it 2")
    first, second = arguments
    if isinstance(first, RuleCondition):
        match second:
            case ConstantTruth(True):
                return Opposite(IsSure(Opposite(first)))
            case ConstantTruth(False):
                return IsSure(first)
        raise refused(token, "a condition and something else", "write true or false behind the condition")
    if is_text_term(first) or isinstance(second, TextTerm):
        raise refused(token, "of texts", "ask isnull() instead")
    return FirstKnownTerm((first, _number(_term(second, token), token)))


def _mod(token: TextToken, terms: list[RuleTerm]) -> RuleTerm:
    if _constant(terms[1], token) == 0:
        raise refused(token, "the divisor is zero", "write another number")
    return ComputedTerm("remainder", _number(terms[0], token), terms[1])


def _power(token: TextToken, terms: list[RuleTerm]) -> RuleTerm:
    base, power = (_number(term, token) for term in terms)
    if isinstance(power, NumberTerm) and power.value in range(1, _HIGHEST_POWER + 1):
        return reduce(lambda product, one: ComputedTerm("*", product, one), [base] * int(power.value))
    return FunctionTerm("math:pow", (base, power))


def _log(token: TextToken, terms: list[RuleTerm]) -> RuleTerm:
    base = _constant(terms[1], token)
    if base <= 0 or base == 1:
        raise refused(token, "the base is no base", "write a number above 1")
    logs = [FunctionTerm("math:log", (_number(term, token),)) for term in terms]
    return ComputedTerm("/", logs[0], logs[1])


def _round(token: TextToken, terms: list[RuleTerm]) -> RuleTerm:
    """Return a number rounded, halves away from zero, or cut."""
    places = _constant(terms[1], token) if len(terms) == 2 else Decimal(0)
    if places not in range(_MOST_PLACES + 1):
        raise refused(token, f"{places} decimals", f"write a whole number from 0 to {_MOST_PLACES}")
    number, unit = _number(terms[0], token), NumberTerm(Decimal(10) ** int(places))
    half = Decimal("0.5") if token.text == "round" else Decimal(0)

    def cut(term: RuleTerm) -> RuleTerm:
        scaled = ComputedTerm("*", term, unit) if places else term
        inner = FunctionTerm("floor", (ComputedTerm("+", scaled, NumberTerm(half)) if half else scaled,))
        return ComputedTerm("/", inner, unit) if places else inner

    is_positive = ComparedTerms(">=", number, NumberTerm(Decimal(0)))
    return ChoiceTerm(is_positive, cut(number), NegativeTerm(cut(NegativeTerm(number))))


def _substr(token: TextToken, terms: list[RuleTerm]) -> RuleTerm:
    numbers = [_constant(term, token) for term in terms[1:]]
    if any(number % 1 or number < 1 for number in numbers):
        raise refused(token, "a place that is no whole number from 1", "write whole numbers")
    return FunctionTerm("substring", (_text(terms[0], token), *terms[1:]))


def _trim(token: TextToken, terms: list[RuleTerm]) -> RuleTerm:
    pattern = {"trim": "^ +| +$", "ltrim": "^ +", "rtrim": " +$"}[token.text]
    return FunctionTerm("replace", (_text(terms[0], token), TextTerm(pattern), TextTerm("")))


def _match(token: TextToken, terms: list[RuleTerm]) -> RuleCondition:
    if not isinstance(terms[1], TextTerm):
        raise refused(token, "the pattern is not a constant", "write it in double quotes")
    pattern = xpath_regex(terms[1].value, token.place, is_perl=True)
    return HasForm(_text(terms[0], token), f"^({pattern})$")


def _between(token: TextToken, terms: list[RuleTerm]) -> RuleCondition:
    """Return that a number lies between two others; null if one of the three is, whatever the other two say."""
    number, low, high = (_number(term, token) for term in terms)
    both = AllConditions((ComparedTerms(">=", number, low), ComparedTerms("<=", number, high)))
    missing = tuple(HasNoValue(term) for term in (low, high) if not isinstance(term, NumberTerm))
    return AnyCondition((both, AllConditions((AnyCondition(missing), ConstantTruth(None))))) if missing else both


_FUNCTIONS: Mapping[str, Callable[[TextToken, list[RuleTerm]], VtlValue]] = {
    "mod": _mod,
    "power": _power,
    "log": _log,
    "round": _round,
    "trunc": _round,
    "length": lambda token, terms: LengthTerm(_text(terms[0], token)),
    "substr": _substr,
    "trim": _trim,
    "ltrim": _trim,
    "rtrim": _trim,
    "isnull": lambda _, terms: HasNoValue(terms[0]),
    "between": _between,
    "match_characters": _match,
}
_ARGUMENTS = {
    "mod": (2, 2),
    "power": (2, 2),
    "log": (2, 2),
    "round": (1, 2),
    "trunc": (1, 2),
    "substr": (2, 3),
    "between": (3, 3),
    "match_characters": (2, 2),
}

FUNCTIONS = (*_ONE_NUMBER, *_ONE_TEXT, *_FUNCTIONS, "nvl")
"""The names of all functions."""
