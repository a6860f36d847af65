"""SQL expressions as conditions and terms."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import reduce
from typing import Literal as OneOf

from sqlglot import exp

from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.languages.formula import (
    AllConditions,
    AmongValues,
    AnyCondition,
    ChoiceTerm,
    ColumnTerm,
    ComparedTerms,
    ComputedTerm,
    ConstantTruth,
    DoubleTerm,
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
from constraint_sdc.languages.regex_text import escaped_regex, xpath_regex
from constraint_sdc.languages.rule_book import UntranslatedPartError
from constraint_sdc.languages.sql.statements import place_of
from constraint_sdc.limits import NUMBER_EXPONENT

_COMPARISONS: dict[type[exp.Expr], CompareOp] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_ARITHMETIC: dict[type[exp.Expr], OneOf["+", "-", "*", "/", "remainder"]] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "remainder",
}
_FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.Abs: "abs",
    exp.Floor: "floor",
    exp.Ceil: "ceiling",
    exp.Sqrt: "math:sqrt",
    exp.Exp: "math:exp",
    exp.Ln: "math:log",
}
_TEXT_FUNCTIONS: dict[type[exp.Expr], str] = {exp.Upper: "upper-case", exp.Lower: "lower-case"}
ColumnKind = OneOf["number", "whole number", "text", "other"]
_HIGHEST_POWER = 12


def column_kind(declared: exp.DataType) -> ColumnKind:
    """Return what the values of a column are, by its declared type."""
    if declared.is_type(*exp.DataType.INTEGER_TYPES):
        return "whole number"
    if declared.is_type(*exp.DataType.NUMERIC_TYPES):
        return "number"
    return "text" if declared.is_type(*exp.DataType.TEXT_TYPES) else "other"


@dataclass(frozen=True, slots=True)
class SqlExpressions:
    """Translates expressions; `kinds` are the declared or compared kinds of columns, by name."""

    kinds: dict[str, ColumnKind]

    def condition(self, part: exp.Expr) -> RuleCondition:
        """Return an expression as a condition."""
        _require_known(part)
        match part:
            case exp.Paren():
                return self.condition(part.this)
            case exp.And():
                return AllConditions(tuple(map(self.condition, part.flatten())))
            case exp.Or():
                return AnyCondition(tuple(map(self.condition, part.flatten())))
            case exp.Not():
                return Opposite(self.condition(part.this))
            case exp.Boolean():
                return ConstantTruth(bool(part.this))
            case exp.Is():
                return self._is(part)
            case exp.Between():
                low, high = part.args["low"], part.args["high"]
                both = self._compared(">=", part.this, low), self._compared("<=", part.this, high)
                return AllConditions(both)
            case exp.In():
                return self._among(part)
            case exp.Like():
                found = HasForm(self._text(part.this), _like_regex(part.expression))
                return Opposite(found) if part.args.get("negate") else found
            case exp.RegexpLike():
                return HasForm(self._text(part.this), _regex(part.expression))
            case exp.Anonymous() if (
                part.name.lower() in ("regexp_matches", "regexp_like") and len(part.expressions) == 2
            ):
                return HasForm(self._text(part.expressions[0]), _regex(part.expressions[1]))
            case _ if type(part) in _COMPARISONS:
                return self._compared(_COMPARISONS[type(part)], part.this, part.expression)
            case _:
                raise _refused(part, "is neither true nor false", "write a comparison")

    def _is(self, part: exp.Is) -> RuleCondition:
        match part.expression:
            case exp.Null():
                return HasNoValue(self._any(part.this))
            case exp.Boolean() as truth:
                inner = self.condition(part.this)
                return IsSure(inner if truth.this else Opposite(inner))
            case _:
                raise _refused(part, "compares with IS", "write IS NULL, IS TRUE or IS FALSE")

    def _compared(self, op: CompareOp, left: exp.Expr, right: exp.Expr) -> RuleCondition:
        for side in (left, right):
            if isinstance(side, exp.Null):
                raise _refused(left, "compares with NULL", "write IS NULL")
        if self._is_text(left) or self._is_text(right):
            return self._compared_texts(op, left, right)
        return ComparedTerms(op, self._number(left), self._number(right))

    def _compared_texts(self, op: CompareOp, left: exp.Expr, right: exp.Expr) -> RuleCondition:
        for one, other in ((left, right), (right, left)):
            if _is_string(one) and isinstance(other, exp.Column) and self._kind(other) in ("number", "whole number"):
                return ComparedTerms(op, self._coerced(left), self._coerced(right))
        if op not in ("=", "!="):
            raise _refused(left, "orders texts, as databases do in different ways", "compare numbers, or use = and IN")
        first, second = self._text(left), self._text(right)
        first, second = (second, first) if isinstance(first, TextTerm) else (first, second)
        return ComparedTerms(op, first, second, is_of_texts=True)

    def _coerced(self, part: exp.Expr) -> RuleTerm:
        """Return a text beside a number as the number that databases make of it."""
        return NumberTerm(_number(part.name, part)) if _is_string(part) else self._number(part)

    def _among(self, part: exp.In) -> RuleCondition:
        values = part.expressions
        if part.args.get("query") or not values:
            raise _refused(part, "looks values up in a query", "list the values")
        if all(map(_is_string, values)) and self._kind(part.this) not in ("number", "whole number"):
            return AmongValues(self._text(part.this), tuple(one.name for one in values))
        if any(map(_is_string, values)) and self._kind(part.this) == "text":
            raise _refused(part, "lists texts and numbers", "write all of them as texts")
        return AmongValues(self._number(part.this), tuple(_constant(one) for one in values))

    # Terms

    def _kind(self, part: exp.Expr) -> ColumnKind | None:
        return self.kinds.get(part.name) if isinstance(part, exp.Column) else None

    def _is_text(self, part: exp.Expr) -> bool:
        if isinstance(part, exp.Paren):
            return self._is_text(part.this)
        is_function = type(part) in _TEXT_FUNCTIONS or isinstance(part, exp.Substring)
        return _is_string(part) or is_function or self._kind(part) == "text"

    def _any(self, part: exp.Expr) -> RuleTerm:
        return self._text(part) if self._is_text(part) else self._number(part)

    def _column(self, part: exp.Column) -> RuleTerm:
        if self._kind(part) == "other":
            raise _refused(part, f"column {part.name} is neither a number nor a text", "leave the rule to the database")
        return ColumnTerm(part.name)

    def _text(self, part: exp.Expr) -> RuleTerm:
        _require_known(part)
        match part:
            case exp.Paren():
                return self._text(part.this)
            case exp.Literal() if part.is_string:
                return TextTerm(part.name)
            case exp.Column():
                return self._column(part)
            case exp.Upper() | exp.Lower():
                return FunctionTerm(_TEXT_FUNCTIONS[type(part)], (self._text(part.this),))
            case exp.Substring():
                parts = (part.args.get("start"), part.args.get("length"))
                bounds = tuple(NumberTerm(_constant(one)) for one in parts if one is not None)
                return FunctionTerm("substring", (self._text(part.this), *bounds))
            case _:
                raise _refused(part, "is not a text", "write a column or a text in quotes")

    def _number(self, part: exp.Expr) -> RuleTerm:
        _require_known(part)
        match part:
            case exp.Paren():
                return self._number(part.this)
            case exp.Literal() if not part.is_string:
                return NumberTerm(_number(part.name, part))
            case exp.Column():
                return self._column(part)
            case exp.Neg():
                inner = self._number(part.this)
                return NumberTerm(-inner.value) if isinstance(inner, NumberTerm) else NegativeTerm(inner)
            case exp.Div() | exp.Mod():
                return self._divided(part)
            case _ if type(part) in _ARITHMETIC:
                return ComputedTerm(_ARITHMETIC[type(part)], self._number(part.this), self._number(part.expression))
            case exp.Abs() | exp.Sqrt() | exp.Exp() | exp.Ln():
                return FunctionTerm(_FUNCTIONS[type(part)], (self._number(part.this),))
            case exp.Floor() | exp.Ceil() if not part.args.get("decimals"):
                return FunctionTerm(_FUNCTIONS[type(part)], (self._number(part.this),))
            case exp.Pow():
                return self._power(part)
            case exp.Length():
                return LengthTerm(self._text(part.this))
            case exp.Coalesce():
                return FirstKnownTerm(tuple(map(self._number, (part.this, *part.expressions))))
            case exp.Cast():
                return self._cast(part)
            case exp.Case() if part.this is None:
                return self._case(part)
            case _:
                raise _refused(part, f"{part.sql()} is not a number that can be translated", "write plain arithmetic")

    def _divided(self, part: exp.Expr) -> RuleTerm:
        """Return a quotient or remainder, which has no value where the divisor is zero."""
        sides = [side.unnest() for side in (part.this, part.expression)]
        if isinstance(part, exp.Div) and all(self._kind(side) == "whole number" for side in sides):
            what = "divides whole numbers, which some databases cut and others do not"
            raise _refused(part, what, "write CAST(a AS DECIMAL) / b")
        left, right = self._number(part.this), self._number(part.expression)
        computed = ComputedTerm(_ARITHMETIC[type(part)], left, right)
        if isinstance(right, NumberTerm) and right.value != 0:
            return computed
        return ChoiceTerm(ComparedTerms("!=", right, NumberTerm(Decimal(0))), computed, None)

    def _power(self, part: exp.Expr) -> RuleTerm:
        base, power = self._number(part.this), self._number(part.expression)
        if isinstance(power, NumberTerm) and power.value in range(1, _HIGHEST_POWER + 1):
            return reduce(lambda product, one: ComputedTerm("*", product, one), [base] * int(power.value))
        return FunctionTerm("math:pow", (base, power))

    def _cast(self, part: exp.Cast) -> RuleTerm:
        inner = self._number(part.this)
        if part.to.is_type("double", "float", "real"):
            return DoubleTerm(inner)
        if part.to.is_type("decimal") and not part.to.expressions:
            return inner
        raise _refused(part, f"casts to {part.to.sql()}", "cast to DOUBLE or DECIMAL, or leave the cast out")

    def _case(self, part: exp.Case) -> RuleTerm:
        """Return CASE WHEN ... THEN ... ELSE ... END; a condition that is unknown counts as false."""
        default = part.args.get("default")
        last = None if default is None or isinstance(default, exp.Null) else self._number(default)
        found: RuleTerm | None = last
        for branch in reversed(part.args["ifs"]):
            found = ChoiceTerm(self.condition(branch.this), self._number(branch.args["true"]), found, found)
        assert found is not None
        return found


# Further arguments of expressions that are translated. Any other would change what an expression means.
_ARGUMENTS: dict[type[exp.Expr], frozenset[str]] = {
    exp.Like: frozenset({"negate"}),
    exp.Between: frozenset({"low", "high"}),
    exp.Case: frozenset({"ifs", "default"}),
    exp.Cast: frozenset({"to"}),
    exp.Substring: frozenset({"start", "length"}),
    exp.Literal: frozenset({"is_string"}),
    exp.In: frozenset({"query"}),
}
_PLAIN_ARGUMENTS = frozenset({"this", "expression", "expressions"})


def _require_known(part: exp.Expr) -> None:
    """Refuse an expression with an argument that is not looked at."""
    known = _PLAIN_ARGUMENTS | _ARGUMENTS.get(type(part), frozenset())
    for name, value in part.args.items():
        if value and name not in known:
            raise _refused(part, f"{part.sql()} ({name})", "write it in a plainer way")


def _is_string(part: exp.Expr) -> bool:
    return isinstance(part, exp.Literal) and part.is_string


def _number(text: str, part: exp.Expr) -> Decimal:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        raise _refused(part, f"{text!r} is not a number", "write a number") from None
    if len(text) > NUMBER_EXPONENT or (value and not -NUMBER_EXPONENT <= value.adjusted() <= NUMBER_EXPONENT):
        raise _refused(part, "a number beyond all measure", f"write one of at most {NUMBER_EXPONENT} digits")
    return value


def _constant(part: exp.Expr) -> Decimal:
    if isinstance(part, exp.Neg):
        return -_constant(part.this)
    if not isinstance(part, exp.Literal):
        raise _refused(part, f"{part.sql()} is not a constant", "write the value itself")
    return _number(part.name, part)


def _string(part: exp.Expr) -> str:
    if not _is_string(part):
        raise _refused(part, "a pattern that is not a constant", "write the pattern in quotes")
    return part.name


def _like_regex(pattern: exp.Expr) -> str:
    if isinstance(pattern, exp.Escape) or "\\" in _string(pattern):
        raise _refused(pattern, "a pattern with an escape", "write the pattern without ESCAPE")
    return "^" + "".join({"%": ".*", "_": "."}.get(one, escaped_regex(one)) for one in _string(pattern)) + "$"


def _regex(pattern: exp.Expr) -> str:
    return xpath_regex(_string(pattern), place_of(pattern), is_perl=True)


def _refused(part: exp.Expr, what: str, hint: str) -> UntranslatedPartError:
    return UntranslatedPartError(what, place_of(part), hint)


def text_kinds(part: exp.Expr) -> set[str]:
    """Return the columns that an expression compares with a text."""
    found: set[str] = set()
    for one in part.find_all(exp.EQ, exp.NEQ, exp.In):
        values = one.expressions if isinstance(one, exp.In) else [one.expression, one.this]
        columns = [one.this, *([] if isinstance(one, exp.In) else [one.expression])]
        if any(map(_is_string, values)):
            found |= {column.name for column in columns if isinstance(column, exp.Column)}
    return found
