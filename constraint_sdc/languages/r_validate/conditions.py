"""R expressions as conditions: comparisons, logic, sets, patterns and the questions that validate adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.languages.formula import (
    AllConditions,
    AmongValues,
    AnyCondition,
    ColumnTerm,
    ComparedTerms,
    ComputedTerm,
    ConstantTruth,
    EachRecord,
    HasForm,
    HasNoValue,
    LengthTerm,
    NumberTerm,
    Opposite,
    RuleCondition,
    RuleTerm,
    UniqueRecord,
    implies,
)
from constraint_sdc.languages.r_validate.syntax import RCall, RExpression, RLogical, RName, RNumber, RString
from constraint_sdc.languages.r_validate.terms import TERM_FUNCTIONS, RTerms, flag, number, required, string
from constraint_sdc.languages.regex_text import escaped_regex, glob_regex, xpath_regex
from constraint_sdc.languages.rule_book import UntranslatedPartError
from constraint_sdc.languages.xpath_terms import is_text_term

_COMPARISONS: dict[str, CompareOp] = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_LARGEST_RANGE = 1000
_NUMBER_TEXT = r"^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"


@dataclass(frozen=True, slots=True)
class RTolerances:
    """Tolerances that the author chose: of linear equalities anywhere, and of linear inequalities that are rules."""

    equal: Decimal = Decimal(0)
    order: Decimal = Decimal(0)


@dataclass(slots=True)
class RConditions:
    """Translates conditions; `texts` are the variables that some rule compares with a text."""

    tolerances: RTolerances = field(default_factory=RTolerances)
    texts: frozenset[str] = frozenset()
    _terms: RTerms = field(init=False)

    def __post_init__(self) -> None:
        self._terms = RTerms(self.of, (*TERM_FUNCTIONS, *_QUESTIONS))

    def rule(self, expression: RExpression) -> RuleCondition:
        """Return a whole rule, in which a tolerance of inequalities counts at the outside alone."""
        inner = expression
        while isinstance(inner, RCall) and inner.function == "(":
            inner = inner.arguments[0]
        if self.tolerances.order and isinstance(inner, RCall) and inner.function in ("<=", ">=") and is_linear(inner):
            left, right = map(self._terms.number, inner.arguments)
            limit = self.tolerances.order if inner.function == "<=" else -self.tolerances.order
            return ComparedTerms(_COMPARISONS[inner.function], ComputedTerm("-", left, right), NumberTerm(limit))
        return self.of(expression)

    def of(self, expression: RExpression) -> RuleCondition:
        """Return an expression as a condition."""
        match expression:
            case RLogical(value):
                return ConstantTruth(value)
            case RCall("(", (inner,)):
                return self.of(inner)
            case RCall("!", (inner,)):
                return Opposite(self.of(inner))
            case RCall("&" | "&&", (left, right)):
                return AllConditions((self.of(left), self.of(right)))
            case RCall("|" | "||", (left, right)):
                return AnyCondition((self.of(left), self.of(right)))
            case RCall("if", (test, then)):
                return implies(self.of(test), self.of(then))
            case RCall("if", (test, then, otherwise)):
                condition = self.of(test)
                return AllConditions((implies(condition, self.of(then)), AnyCondition((condition, self.of(otherwise)))))
            case RCall(function, (left, right)) if function in _COMPARISONS:
                return self._compared(_COMPARISONS[function], left, right, expression)
            case RCall("%in%" | "%vin%", (left, right)):
                return self._among(left, right)
            case RCall(function) if function in _QUESTIONS:
                return _QUESTIONS[function](self, expression)
            case RCall("~" | "%->%"):
                what = "a functional dependency '~' compares records with each other"
                raise UntranslatedPartError(what, expression.place, "leave this rule to R")
            case RCall("<-" | "=" | "->"):
                raise UntranslatedPartError("an assignment is not a rule", expression.place, "define names with ':='")
            case RCall(function) if function.startswith("%") or function not in self._known_terms():
                raise self._terms.unknown(expression)
            case _:
                what = "is neither true nor false"
                raise UntranslatedPartError(f"the expression {what}", expression.place, "compare it with something")

    def _known_terms(self) -> frozenset[str]:
        return frozenset((*TERM_FUNCTIONS, "+", "-", "*", "/", "^", ":"))

    def _compared(self, op: CompareOp, left: RExpression, right: RExpression, call: RCall) -> RuleCondition:
        first, second = self._terms.of(left), self._terms.of(right)
        if self._is_text(first) or self._is_text(second):
            return self._compared_texts(op, left, right, call)
        if op in ("=", "!=") and (remainder := _as_remainder(first, second)) is not None:
            first = remainder
        if op == "=" and self.tolerances.equal and is_linear(call):
            difference = ComputedTerm("-", first, second)
            below = ComparedTerms("<", difference, NumberTerm(self.tolerances.equal))
            return AllConditions((ComparedTerms(">", difference, NumberTerm(-self.tolerances.equal)), below))
        return ComparedTerms(op, first, second)

    def _is_text(self, term: RuleTerm) -> bool:
        return is_text_term(term) or (isinstance(term, ColumnTerm) and term.name in self.texts)

    def _compared_texts(self, op: CompareOp, left: RExpression, right: RExpression, call: RCall) -> RuleCondition:
        for side in (left, right):
            if isinstance(side, RNumber):
                what = "compares a text with a number"
                raise UntranslatedPartError(what, side.place, f'write "{side.value}" if it is a text')
        first, second = self._terms.text(left), self._terms.text(right)
        if op not in ("=", "!="):
            what = "orders texts, whose order depends on the language of the machine"
            raise UntranslatedPartError(what, call.place, "compare numbers, or use == and %in%")
        if isinstance(left, RString):
            first, second = second, first
        return ComparedTerms(op, first, second, is_of_texts=True)

    def _among(self, left: RExpression, right: RExpression) -> RuleCondition:
        values = tuple(_values(right))
        if not values:
            raise UntranslatedPartError("an empty set", right.place, "list the values")
        if all(isinstance(value, str) for value in values):
            return AmongValues(self._terms.text(left), tuple(str(value) for value in values))
        if any(isinstance(value, str) for value in values):
            raise UntranslatedPartError("a set of texts and numbers", right.place, "write all of them as texts")
        return AmongValues(self._terms.number(left), tuple(Decimal(value) for value in values))

    # Questions, by the name of the function

    def _is_na(self, call: RCall) -> RuleCondition:
        return HasNoValue(self._terms.of(required(call, "x")["x"]))

    def _xor(self, call: RCall) -> RuleCondition:
        found = required(call, "x", "y")
        left, right = self.of(found["x"]), self.of(found["y"])
        return AllConditions((AnyCondition((left, right)), Opposite(AllConditions((left, right)))))

    def _grepl(self, call: RCall) -> RuleCondition:
        found = required(call, "pattern", "x", optional=("ignore.case", "perl", "fixed"))
        pattern, is_perl = string(found["pattern"]), flag(found.get("perl"))
        flags = "i" if flag(found.get("ignore.case")) else ""
        is_fixed = flag(found.get("fixed"))
        regex = escaped_regex(pattern) if is_fixed else xpath_regex(pattern, call.place, is_perl=is_perl)
        return HasForm(self._terms.text(found["x"]), regex, flags, false_if_missing=True)

    def _starts_with(self, call: RCall) -> RuleCondition:
        found = required(call, "x", "prefix")
        return HasForm(self._terms.text(found["x"]), "^" + escaped_regex(string(found["prefix"])))

    def _ends_with(self, call: RCall) -> RuleCondition:
        found = required(call, "x", "suffix")
        return HasForm(self._terms.text(found["x"]), escaped_regex(string(found["suffix"])) + "$")

    def _field_format(self, call: RCall) -> RuleCondition:
        found = required(call, "x", "pattern", optional=("type",))
        kind = string(found["type"]) if "type" in found else "glob"
        if kind not in ("glob", "regex"):
            raise UntranslatedPartError(f"type {kind!r}", call.place, "use one of: glob, regex")
        pattern = string(found["pattern"])
        regex = glob_regex(pattern) if kind == "glob" else xpath_regex(pattern, call.place)
        return HasForm(self._terms.text(found["x"]), regex, false_if_missing=True)

    def _number_format(self, call: RCall) -> RuleCondition:
        found = required(call, "x", "format")
        regex = "[0-9]".join(map(glob_regex_part, string(found["format"]).split("d")))
        return HasForm(self._terms.text(found["x"]), f"^{regex}$", false_if_missing=True)

    def _field_length(self, call: RCall) -> RuleCondition:
        found = required(call, "x", optional=("n", "min", "max"))
        length = LengthTerm(self._terms.text(found["x"]))
        match sorted(found.keys() - {"x"}):
            case ["n"]:
                return ComparedTerms("=", length, NumberTerm(number(found["n"])))
            case ["max", "min"]:
                low, high = (NumberTerm(number(found[name])) for name in ("min", "max"))
                return AllConditions((ComparedTerms(">=", length, low), ComparedTerms("<=", length, high)))
            case _:
                raise UntranslatedPartError("field_length() without its length", call.place, "give n, or min and max")

    def _in_range(self, call: RCall) -> RuleCondition:
        found = required(call, "x", "min", "max", optional=("strict",))
        term = self._terms.number(found["x"])
        low, high = (self._terms.number(found[name]) for name in ("min", "max"))
        is_strict = flag(found.get("strict"))
        above, below = (
            ComparedTerms(">" if is_strict else ">=", term, low),
            ComparedTerms("<" if is_strict else "<=", term, high),
        )
        return AllConditions((above, below))

    def _is_complete(self, call: RCall) -> RuleCondition:
        return AllConditions(tuple(Opposite(HasNoValue(ColumnTerm(name))) for name in _columns(call)))

    def _all_complete(self, call: RCall) -> RuleCondition:
        return EachRecord(self._is_complete(call))

    def _is_unique(self, call: RCall) -> RuleCondition:
        return UniqueRecord(_columns(call))

    def _all_unique(self, call: RCall) -> RuleCondition:
        return EachRecord(self._is_unique(call))

    def _all(self, call: RCall) -> RuleCondition:
        return EachRecord(self.of(required(call, "x")["x"]))

    def _any(self, call: RCall) -> RuleCondition:
        return Opposite(EachRecord(Opposite(self.of(required(call, "x")["x"]))))

    def _is_numeric(self, call: RCall) -> RuleCondition:
        return EachRecord(HasForm(self._terms.text(required(call, "x")["x"]), _NUMBER_TEXT))


_QUESTIONS: dict[str, Callable[[RConditions, RCall], RuleCondition]] = {
    "is.na": RConditions._is_na,
    "xor": RConditions._xor,
    "grepl": RConditions._grepl,
    "startsWith": RConditions._starts_with,
    "endsWith": RConditions._ends_with,
    "field_format": RConditions._field_format,
    "field_length": RConditions._field_length,
    "number_format": RConditions._number_format,
    "in_range": RConditions._in_range,
    "is_complete": RConditions._is_complete,
    "all_complete": RConditions._all_complete,
    "is_unique": RConditions._is_unique,
    "all_unique": RConditions._all_unique,
    "all": RConditions._all,
    "any": RConditions._any,
    "is.numeric": RConditions._is_numeric,
}


def glob_regex_part(pattern: str) -> str:
    """Return a part of a number format, in which `*` stands for any characters."""
    return glob_regex(pattern)[1:-1]


def _columns(call: RCall) -> tuple[str, ...]:
    names = tuple(one.name for one in call.arguments if isinstance(one, RName))
    if not names or len(names) != len(call.arguments) or "." in names:
        what = f"{call.function}() of something that is not a variable"
        raise UntranslatedPartError(what, call.place, "name the variables")
    return names


def _values(expression: RExpression) -> list[Decimal] | list[str] | list[Decimal | str]:
    match expression:
        case RString(value):
            return [value]
        case RNumber() | RCall("-", (RNumber(),)):
            return [number(expression)]
        case RCall("(", (inner,)):
            return _values(inner)
        case RCall("c", arguments):
            return [value for one in arguments for value in _values(one)]
        case RCall(":", (first, last)):
            low, high = number(first), number(last)
            if low % 1 or high < low or high - low > _LARGEST_RANGE:
                raise UntranslatedPartError(
                    "a range of values", expression.place, "write in_range(), or list the values"
                )
            return [low + step for step in range(int(high - low) + 1)]
        case _:
            what = "a set that is not written out"
            raise UntranslatedPartError(what, expression.place, 'write the values: c("a", "b")')


def _as_remainder(left: RuleTerm, right: RuleTerm) -> RuleTerm | None:
    """Return `x %% n` as XPath's remainder where it is compared with zero, for which the sign does not matter."""
    match left, right:
        case ComputedTerm("modulo", dividend, divisor), NumberTerm(value) if value == 0:
            return ComputedTerm("remainder", dividend, divisor)
        case _:
            return None


def is_linear(expression: RExpression) -> bool:
    """Tell whether validate takes an expression for linear: sums, and products with a constant, of variables."""
    match expression:
        case RString() | RLogical():
            return False
        case RName() | RNumber():
            return True
        case RCall("*", (left, right)):
            return (isinstance(left, RNumber) or isinstance(right, RNumber)) and is_linear(left) and is_linear(right)
        case RCall("+" | "-" | "<" | "<=" | "==" | ">=" | ">", arguments):
            return all(map(is_linear, arguments))
        case _:
            return False


def text_columns(expression: RExpression) -> frozenset[str]:
    """Return the variables that an expression compares with a text."""
    if not isinstance(expression, RCall):
        return frozenset()
    found = frozenset[str]().union(*map(text_columns, expression.arguments))
    if expression.function not in ("==", "!=", "%in%", "%vin%"):
        return found
    has_text = any(isinstance(one, RString) for one in expression.arguments) or any(
        isinstance(one, RCall) and one.function == "c" and any(isinstance(v, RString) for v in one.arguments)
        for one in expression.arguments
    )
    return found | {one.name for one in expression.arguments if has_text and isinstance(one, RName)}
