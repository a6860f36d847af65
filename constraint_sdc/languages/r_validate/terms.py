"""R expressions as terms: numbers and texts of a record, and numbers over all records."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import reduce
from typing import Literal as OneOf

from constraint_sdc.data.nearest_name import nearest_name
from constraint_sdc.languages.formula import (
    ChoiceTerm,
    ColumnTerm,
    ComputedTerm,
    DoubleTerm,
    FunctionTerm,
    LengthTerm,
    NegativeTerm,
    NumberTerm,
    OverRecordsTerm,
    RuleCondition,
    RuleTerm,
    TextTerm,
    own_columns,
)
from constraint_sdc.languages.r_validate.syntax import RCall, RExpression, RLogical, RName, RNumber, RString
from constraint_sdc.languages.rule_book import UntranslatedPartError
from constraint_sdc.languages.xpath_terms import is_text_term

_SUMS: dict[str, OneOf["+", "-", "*", "/", "modulo", "quotient"]] = {
    "+": "+",
    "-": "-",
    "*": "*",
    "/": "/",
    "%%": "modulo",
    "%/%": "quotient",
}
_PLAIN = {"abs": "abs", "floor": "floor", "ceiling": "ceiling"}
_DOUBLE = {"sqrt": "math:sqrt", "exp": "math:exp", "log": "math:log", "log10": "math:log10"}
_OVER: dict[str, OneOf["sum", "avg", "min", "max"]] = {"sum": "sum", "mean": "avg", "min": "min", "max": "max"}
_TEXTS = {"toupper": "upper-case", "tolower": "lower-case"}
_HIGHEST_POWER = 12
_NO_COLUMN = frozenset({"NULL", "Inf", "NaN", "NA_integer_", "NA_real_", "NA_character_", "."})
TERM_FUNCTIONS = (
    *_PLAIN,
    *_DOUBLE,
    *_OVER,
    *_TEXTS,
    "round",
    "pmin",
    "pmax",
    "length",
    "nrow",
    "nchar",
    "substr",
    "substring",
    "as.numeric",
    "as.character",
    "ifelse",
)
_STATISTICS = frozenset(
    {"sd", "var", "median", "quantile", "cor", "cov", "mad", "IQR", "sum_by", "mean_by", "min_by", "max_by", "do_by"}
)
ConditionOf = Callable[[RExpression], RuleCondition]


def required(call: RCall, *wanted: str, optional: tuple[str, ...] = ()) -> dict[str, RExpression]:
    """Return the arguments of a call by name, matched as R does: by name, then in order; others are refused."""
    names = (*wanted, *optional)
    found = {name: value for name, value in zip(call.names, call.arguments, strict=True) if name}
    for name in found:
        if name not in names:
            hint = f"use: {', '.join(names)}" if names else "it takes no named argument"
            raise UntranslatedPartError(f"{call.function}() has the argument {name!r}", call.place, hint)
    free = [name for name in names if name not in found]
    values = call.unnamed()
    if len(values) > len(free):
        raise UntranslatedPartError(f"{call.function}() has too many arguments", call.place, f"use: {', '.join(names)}")
    found |= dict(zip(free, values, strict=False))
    missing = [name for name in wanted if name not in found]
    if missing:
        raise UntranslatedPartError(f"{call.function}() lacks {missing[0]!r}", call.place, f"use: {', '.join(names)}")
    return found


def flag(value: RExpression | None) -> bool:
    """Return an argument that must be TRUE or FALSE; FALSE if it is not there."""
    if value is None:
        return False
    if not isinstance(value, RLogical) or value.value is None:
        raise UntranslatedPartError("expected TRUE or FALSE", value.place, "write TRUE or FALSE")
    return value.value


def string(value: RExpression) -> str:
    """Return an argument that must be a constant text."""
    if not isinstance(value, RString):
        raise UntranslatedPartError("expected a text in quotes", value.place, "write the text itself")
    return value.value


def number(value: RExpression) -> Decimal:
    """Return an argument that must be a constant number."""
    match value:
        case RNumber(known):
            return known
        case RCall("-", (RNumber(known),)):
            return -known
        case RCall("(", (inner,)):
            return number(inner)
        case _:
            raise UntranslatedPartError("expected a constant number", value.place, "write the number itself")


class RTerms:
    """Translates terms; `condition_of` translates the conditions inside them."""

    def __init__(self, condition_of: ConditionOf, known: tuple[str, ...]) -> None:
        self._condition_of = condition_of
        self._known = known

    def of(self, expression: RExpression) -> RuleTerm:
        """Return an expression as a term."""
        match expression:
            case RNumber(value):
                return NumberTerm(value)
            case RString(value):
                return TextTerm(value)
            case RName(name) if name in _NO_COLUMN:
                raise UntranslatedPartError(f"{name} has no translation", expression.place, "compare with a value")
            case RName(name):
                return ColumnTerm(name)
            case RLogical():
                hint = "compare with the text or number that stands in the file; a missing value is asked by is.na()"
                raise UntranslatedPartError("a comparison with TRUE, FALSE or NA", expression.place, hint)
            case RCall("(", (inner,)):
                return self.of(inner)
            case RCall("-" | "+" as sign, (inner,)):
                return self._signed(sign, self.number(inner))
            case RCall("^", (base, exponent)):
                return self._power(base, exponent)
            case RCall(function, (left, right)) if function in _SUMS:
                return ComputedTerm(_SUMS[function], self.number(left), self.number(right))
            case RCall():
                return self._call(expression)

    def number(self, expression: RExpression) -> RuleTerm:
        """Return an expression as a term that must be a number."""
        term = self.of(expression)
        if is_text_term(term):
            raise UntranslatedPartError("a text where R computes with numbers", expression.place, "write a number")
        return term

    def text(self, expression: RExpression) -> RuleTerm:
        """Return an expression as a term that must be a text of at most one variable."""
        term = self.of(expression)
        if not (isinstance(term, ColumnTerm) or is_text_term(term)):
            raise UntranslatedPartError("a number where a text is meant", expression.place, "name a variable")
        if len(own_columns(term)) > 1:
            raise UntranslatedPartError("a text made of several variables", expression.place, "ask about each alone")
        return term

    def _signed(self, sign: str, term: RuleTerm) -> RuleTerm:
        if sign == "+":
            return term
        return NumberTerm(-term.value) if isinstance(term, NumberTerm) else NegativeTerm(term)

    def _power(self, base: RExpression, exponent: RExpression) -> RuleTerm:
        term, power = self.number(base), self.number(exponent)
        if isinstance(power, NumberTerm) and power.value in range(1, _HIGHEST_POWER + 1):
            return reduce(lambda product, one: ComputedTerm("*", product, one), [term] * int(power.value))
        return FunctionTerm("math:pow", (term, power))

    def _call(self, call: RCall) -> RuleTerm:
        name = call.function
        if name in _PLAIN or name in _DOUBLE:
            argument = self.number(required(call, "x")["x"])
            return FunctionTerm(_PLAIN.get(name) or _DOUBLE[name], (argument,))
        if name in _OVER:
            return self._over_records(call)
        if name in _TEXTS:
            return FunctionTerm(_TEXTS[name], (self.text(required(call, "x")["x"]),))
        match name:
            case "round":
                return self._rounded(call)
            case "pmin" | "pmax":
                return FunctionTerm(name[1:], tuple(map(self.number, call.unnamed())))
            case "length" | "nrow":
                self._require_column(call)
                return OverRecordsTerm("count", ())
            case "nchar":
                return LengthTerm(self.text(required(call, "x")["x"]))
            case "substr" | "substring":
                return self._substring(call)
            case "as.numeric":
                return DoubleTerm(self.number(required(call, "x")["x"]))
            case "as.character":
                return FunctionTerm("concat", (self.text(required(call, "x")["x"]), TextTerm("")))
            case "ifelse":
                found = required(call, "test", "yes", "no")
                yes, no = self.number(found["yes"]), self.number(found["no"])
                return ChoiceTerm(self._condition_of(found["test"]), yes, no)
            case _:
                raise self.unknown(call)

    def unknown(self, call: RCall) -> UntranslatedPartError:
        """Return the error for a function that has no translation."""
        name = call.function
        if name in _STATISTICS:
            hint = "leave the rule to R, or write a bound"
            return UntranslatedPartError(f"{name}() is a statistic over records that XPath lacks", call.place, hint)
        near = nearest_name(name, self._known)
        hint = f"did you mean {near}()?" if near else f"translated are: {', '.join(sorted(self._known))}"
        return UntranslatedPartError(f"{name}() has no translation", call.place, hint)

    def _require_column(self, call: RCall) -> None:
        values = call.unnamed()
        if len(values) != 1 or not isinstance(values[0], RName) or (call.function == "nrow") != (values[0].name == "."):
            raise UntranslatedPartError(
                f"{call.function}() of something else", call.place, "write nrow(.) or length(V1)"
            )

    def _rounded(self, call: RCall) -> RuleTerm:
        found = required(call, "x", optional=("digits",))
        digits = (NumberTerm(number(found["digits"])),) if "digits" in found else ()
        return FunctionTerm("round-half-to-even", (self.number(found["x"]), *digits))

    def _substring(self, call: RCall) -> RuleTerm:
        short = call.function == "substr"
        names = ("x", "start", "stop") if short else ("text", "first", "last")
        found = required(call, *names[:2], *names[2:] if short else (), optional=() if short else names[2:])
        start = number(found[names[1]])
        stop = number(found[names[2]]) if names[2] in found else None
        if start < 1:
            raise UntranslatedPartError(
                f"{call.function}() starts before the first character", call.place, "start at 1"
            )
        length = () if stop is None else (NumberTerm(max(stop - start + 1, Decimal(0))),)
        return FunctionTerm("substring", (self.text(found[names[0]]), NumberTerm(start), *length))

    def _over_records(self, call: RCall) -> RuleTerm:
        known = {name: value for name, value in zip(call.names, call.arguments, strict=True) if name}
        if set(known) - {"na.rm"}:
            raise UntranslatedPartError(f"{call.function}() has a named argument", call.place, "only na.rm is known")
        terms = tuple(self._counted(one) for one in call.unnamed())
        if not terms or (call.function == "mean" and len(terms) > 1):
            raise UntranslatedPartError(f"{call.function}() of {len(terms)} columns", call.place, "name one column")
        return OverRecordsTerm(_OVER[call.function], terms, flag(known.get("na.rm")))

    def _counted(self, expression: RExpression) -> RuleTerm:
        """Return what is added up over records: a number, or 1 and 0 for a condition."""
        if isinstance(expression, RCall) and expression.function in _CONDITIONS:
            return ChoiceTerm(self._condition_of(expression), NumberTerm(Decimal(1)), NumberTerm(Decimal(0)))
        return self.number(expression)


_CONDITIONS = frozenset(
    {"==", "!=", "<", ">", "<=", ">=", "&", "|", "!", "is.na", "%in%", "%vin%", "grepl", "is_complete", "is_unique"}
)
