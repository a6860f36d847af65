"""What a check of a column says about a value."""

from __future__ import annotations

from dataclasses import dataclass
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
from constraint_sdc.languages.pandera_schema.columns import ColumnType, WrittenCheck, is_true
from constraint_sdc.languages.placed_json import PlacedJson
from constraint_sdc.languages.regex_text import escaped_regex, xpath_regex

_ORDERS: dict[str, tuple[str, CompareOp]] = {
    "greater_than": ("min_value", ">"),
    "greater_than_or_equal_to": ("min_value", ">="),
    "less_than": ("max_value", "<"),
    "less_than_or_equal_to": ("max_value", "<="),
}


def of_type(column: ColumnTerm, kind: ColumnType) -> RuleCondition:
    """Return that a text is a value of the column's type; true where it is missing."""
    number = ReadNumberTerm(column)
    match kind.kind:
        case "whole":
            remainder = ComputedTerm("remainder", number, NumberTerm(Decimal(1)))
            parts = [ComparedTerms("=", remainder, NumberTerm(Decimal(0)))]
            bounds: tuple[tuple[CompareOp, Decimal | None], ...] = ((">=", kind.lowest), ("<=", kind.highest))
            parts += [ComparedTerms(op, number, NumberTerm(bound)) for op, bound in bounds if bound is not None]
            return _or_missing(IsSure(AllConditions(tuple(parts))), column)
        case "number":
            return _or_missing(IsNumber(column), column)
        case "truth":
            return AmongValues(column, ("true", "false", "True", "False"))
        case "date":
            return _or_missing(IsDate(column), column)
        case _:
            return ConstantTruth(True)


def _or_missing(condition: RuleCondition, column: ColumnTerm) -> RuleCondition:
    return AnyCondition((condition, HasNoValue(column)))


@dataclass(frozen=True, slots=True)
class ColumnChecks:
    """Translates the checks of one column: unknown, or true, where its value is missing."""

    column: ColumnTerm
    kind: ColumnType

    def condition(self, check: WrittenCheck) -> RuleCondition:
        """Return what a check says."""
        match check.name:
            case "equal_to":
                return self._among([self._argument(check, "value")])
            case "not_equal_to":
                return self._not_among([self._argument(check, "value")])
            case "isin":
                return self._among(self._argument(check, "allowed_values").items)
            case "notin":
                return self._not_among(self._argument(check, "forbidden_values").items)
            case "in_range":
                return self._in_range(check)
            case "str_length":
                return self._length(check)
            case "str_matches" | "str_contains" | "str_startswith" | "str_endswith":
                return HasForm(self.column, self._regex(check))
            case _:
                argument, op = _ORDERS[check.name]
                return self._ordered(op, self._argument(check, argument))

    def _argument(self, check: WrittenCheck, name: str) -> PlacedJson:
        if name not in check.arguments:
            raise check.at.refused(f"{check.name} without {name}", f"write {check.name}: VALUE")
        return check.arguments[name]

    def _ordered(self, op: CompareOp, bound: PlacedJson) -> ComparedTerms:
        if not isinstance(bound.content, Decimal) or self.kind.kind not in ("whole", "number", "any"):
            raise bound.refused("orders what is no number", "compare numbers, or list the values with isin")
        return ComparedTerms(op, ReadNumberTerm(self.column), NumberTerm(bound.content))

    def _in_range(self, check: WrittenCheck) -> RuleCondition:
        lower: CompareOp = ">=" if is_true(check.arguments, "include_min", True) else ">"
        upper: CompareOp = "<=" if is_true(check.arguments, "include_max", True) else "<"
        bounds = (self._argument(check, "min_value"), self._argument(check, "max_value"))
        return AllConditions((self._ordered(lower, bounds[0]), self._ordered(upper, bounds[1])))

    def _values(self, values: list[PlacedJson]) -> RuleCondition:
        """Return that a value is one of those listed, true or false on every record."""
        if not values:
            return ConstantTruth(False)
        contents = [one.content for one in values]
        if all(isinstance(one, Decimal) for one in contents):
            if self.kind.kind not in ("whole", "number", "any"):
                raise values[0].refused("a number in a column of another type", "write a text")
            numbers = tuple(sorted(one for one in contents if isinstance(one, Decimal)))
            return IsSure(AmongValues(ReadNumberTerm(self.column), numbers))
        wanted: type = bool if self.kind.kind == "truth" else str
        texts: list[str] = []
        for one in values:
            if not isinstance(one.content, wanted) or self.kind.kind in ("whole", "number", "date"):
                raise one.refused(f"{one.text()} in a column of type {self.kind.kind}", "list values of the column")
            texts += [str(one.content), str(one.content).lower()] if wanted is bool else [str(one.content)]
        return IsSure(AmongValues(self.column, tuple(texts)))

    def _among(self, values: list[PlacedJson]) -> RuleCondition:
        return _or_missing(self._values(values), self.column)

    def _not_among(self, values: list[PlacedJson]) -> RuleCondition:
        return Opposite(self._values(values))

    def _length(self, check: WrittenCheck) -> RuleCondition:
        ops: dict[str, CompareOp] = {"min_value": ">=", "max_value": "<=", "exact_value": "="}
        given = {name: one for name, one in check.arguments.items() if one.content is not None}
        if "exact_value" in given:
            given = {"exact_value": given["exact_value"]}
        parts: list[RuleCondition] = []
        for name, one in given.items():
            if not isinstance(one.content, Decimal):
                raise one.refused("is not a number of characters", "write a whole number")
            parts.append(ComparedTerms(ops[name], LengthTerm(self.column), NumberTerm(one.content)))
        if not parts:
            raise check.at.refused("str_length without a length", "write min_value, max_value or exact_value")
        return parts[0] if len(parts) == 1 else AllConditions(tuple(parts))

    def _regex(self, check: WrittenCheck) -> str:
        name = "pattern" if "pattern" in check.arguments else "string"
        value = self._argument(check, name)
        if not isinstance(value.content, str):
            raise value.refused("is not a text", "write it in quotes")
        if name == "string":
            text = escaped_regex(value.content)
            return f"^{text}" if check.name == "str_startswith" else f"{text}$"
        pattern = xpath_regex(value.content, value.place, is_perl=True)
        return f"^({pattern})" if check.name == "str_matches" else pattern
