"""The XPath functions that we take: one table from name to the number of arguments and the function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from constraint_sdc.evaluate.aggregates import average, highest, lowest, total
from constraint_sdc.evaluate.cardinality import count, exists, index_of, the_one
from constraint_sdc.evaluate.conversion import (
    as_text,
    cast_boolean,
    cast_double,
    cast_exact,
    effective_boolean,
    first_number,
    string_or_empty,
)
from constraint_sdc.evaluate.power import power
from constraint_sdc.evaluate.rounding import absolute, ceiling, floor, rounded
from constraint_sdc.evaluate.strings import STRING_FUNCTIONS
from constraint_sdc.evaluate.value import (
    DoubleItem,
    Item,
    Maybe,
    NotMine,
    TextItem,
    TruthItem,
    Value,
    at_most_one,
    map_each,
    truth,
)

Function: TypeAlias = Callable[[tuple[Value, ...], bool], Value]


def call(name: str, arguments: tuple[Value, ...], *, xpath1: bool) -> Value:
    """Return the value of a function call."""
    if name not in FUNCTIONS:
        raise NotMine(f"function {name}()")
    least, most, function = FUNCTIONS[name]
    if not least <= len(arguments) <= most:
        raise NotMine(f"function {name}() with {len(arguments)} arguments")
    return function(arguments, xpath1)


def _number(arguments: tuple[Value, ...], xpath1: bool) -> Value:
    (value,) = arguments
    doubt = value.doubt if xpath1 else at_most_one(value, "number()")
    values, doubt = first_number(Value(value.items, doubt))
    return Value((DoubleItem(values),), doubt)


def _string(arguments: tuple[Value, ...], xpath1: bool) -> Value:
    (value,) = arguments
    many = value.doubt if xpath1 else at_most_one(value, "string()")
    reading, doubt = string_or_empty(Value(value.items, many))
    return Value((TextItem(reading, False),), doubt)


def _boolean(arguments: tuple[Value, ...], _: bool) -> Value:
    holds, doubt = effective_boolean(arguments[0])
    return Value((truth(holds),), doubt)


def _not(arguments: tuple[Value, ...], _: bool) -> Value:
    holds, doubt = effective_boolean(arguments[0])
    return Value((truth(~holds),), doubt)


def _cast(name: str, one: Callable[[Item], tuple[Item, Maybe]]) -> Function:
    # A cast takes one item in XPath 1.0 mode too: its operand is never cut to the first item.
    return lambda arguments, _: map_each(arguments[0], name, one)


def _to_double(item: Item) -> tuple[Item, Maybe]:
    values, doubt = cast_double(item)
    return DoubleItem(values, item.present), doubt


def _to_boolean(item: Item) -> tuple[Item, Maybe]:
    values, doubt = cast_boolean(item)
    return TruthItem(values, item.present), doubt


def _to_string(item: Item) -> tuple[Item, Maybe]:
    reading, doubt = as_text(item)
    return TextItem(reading, False, item.present), doubt


FUNCTIONS: dict[str, tuple[int, int, Function]] = {
    "number": (1, 1, _number),
    "string": (1, 1, _string),
    "boolean": (1, 1, _boolean),
    "not": (1, 1, _not),
    "true": (0, 0, lambda _, __: Value((truth(np.ones(1, np.bool_)),))),
    "false": (0, 0, lambda _, __: Value((truth(np.zeros(1, np.bool_)),))),
    "exists": (1, 1, lambda arguments, _: exists(arguments[0])),
    "empty": (1, 1, lambda arguments, _: exists(arguments[0], negated=True)),
    "count": (1, 1, lambda arguments, _: count(arguments[0])),
    "exactly-one": (1, 1, lambda arguments, _: the_one(arguments[0])),
    "index-of": (2, 2, lambda arguments, _: index_of(*arguments)),
    "sum": (1, 1, lambda arguments, _: total(arguments[0])),
    "avg": (1, 1, lambda arguments, _: average(arguments[0])),
    "min": (1, 1, lambda arguments, _: lowest(arguments[0])),
    "max": (1, 1, lambda arguments, _: highest(arguments[0])),
    "abs": (1, 1, lambda arguments, xpath1: absolute(arguments[0], xpath1=xpath1)),
    "floor": (1, 1, lambda arguments, xpath1: floor(arguments[0], xpath1=xpath1)),
    "ceiling": (1, 1, lambda arguments, xpath1: ceiling(arguments[0], xpath1=xpath1)),
    "round": (1, 1, lambda arguments, xpath1: rounded(arguments[0], xpath1=xpath1)),
    "math:pow": (2, 2, lambda arguments, xpath1: power(*arguments, xpath1=xpath1)),
    "xs:double": (1, 1, _cast("xs:double()", _to_double)),
    "xs:boolean": (1, 1, _cast("xs:boolean()", _to_boolean)),
    "xs:string": (1, 1, _cast("xs:string()", _to_string)),
    "xs:integer": (1, 1, _cast("xs:integer()", lambda item: cast_exact(item, to_integer=True))),
    "xs:decimal": (1, 1, _cast("xs:decimal()", lambda item: cast_exact(item, to_integer=False))),
    **STRING_FUNCTIONS,
}
