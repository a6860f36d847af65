"""String functions: bytes where that is enough, else Python strings once per distinct text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Floats, Integers
from constraint_sdc.data.text import Text
from constraint_sdc.evaluate.conversion import cast_double, first_number, string_or_empty
from constraint_sdc.evaluate.lexical import Reading
from constraint_sdc.evaluate.value import (
    ExactItem,
    Maybe,
    NotMine,
    TextItem,
    TruthItem,
    Value,
    at_most_one,
    either,
    exactly_one,
    some,
    text_item,
)

TextFunction: TypeAlias = Callable[[tuple[Value, ...], bool], Value]

_SPACES = re.compile(r"[ \t\r\n]+")


def string_argument(value: Value, what: str, *, xpath1: bool) -> tuple[Reading, Maybe]:
    """Return an argument of type xs:string?: '' for an empty sequence; only XPath 1.0 turns numbers into strings."""
    if xpath1:
        return string_or_empty(value)
    if not all(isinstance(item, TextItem) for item in value.items):
        raise NotMine(f"{what} of something that is not a string is a type error")
    return string_or_empty(Value(value.items, at_most_one(value, what)))


def _string_length(arguments: tuple[Value, ...], xpath1: bool) -> Value:
    reading, doubt = string_argument(arguments[0], "string-length()", xpath1=xpath1)
    return Value((ExactItem(_codepoints(reading.text), 0),), doubt)


def _codepoints(text: Text) -> Integers:
    if text.is_ascii.all():
        return text.length
    return np.fromiter(map(len, text.strings), np.int64, len(text))


def _mapped(name: str, function: Callable[[str], str], *, ascii_only: bool = False) -> tuple[int, int, TextFunction]:
    def apply(arguments: tuple[Value, ...], xpath1: bool) -> Value:
        reading, doubt = string_argument(arguments[0], name, xpath1=xpath1)
        # Case mappings beyond ASCII depend on the Unicode version of the processor.
        odd = some(~reading.text.is_ascii) if ascii_only else None
        return Value((text_item(reading.text.map(function)),), either(doubt, odd))

    return 1, 1, apply


def _tested(name: str, predicate: Callable[[str, str], bool]) -> tuple[int, int, TextFunction]:
    def apply(arguments: tuple[Value, ...], xpath1: bool) -> Value:
        texts, doubt = _texts(arguments, name, xpath1)
        answers = [predicate(*row) for row in _rows(texts)]
        return Value((TruthItem(np.array(answers, np.bool_)),), doubt)

    return 2, 2, apply


def _joined(name: str, function: Callable[[str, str], str]) -> tuple[int, int, TextFunction]:
    def apply(arguments: tuple[Value, ...], xpath1: bool) -> Value:
        texts, doubt = _texts(arguments, name, xpath1)
        return Value((text_item(Text.of_strings(function(*row) for row in _rows(texts))),), doubt)

    return 2, 2, apply


def _after(text: str, part: str) -> str:
    place = text.find(part)
    return "" if place < 0 else text[place + len(part) :]


def _texts(arguments: tuple[Value, ...], name: str, xpath1: bool) -> tuple[list[Text], Maybe]:
    texts, doubt = [], None
    for argument in arguments:
        reading, own = string_argument(argument, name, xpath1=xpath1)
        texts.append(reading.text)
        doubt = either(doubt, own)
    return texts, doubt


def _rows(texts: list[Text]) -> Iterator[tuple[str, ...]]:
    """Yield the texts record by record; a single text stands for every record."""
    count = _common_length(*(len(text) for text in texts))
    columns = [text.strings if len(text) == count else text.strings * count for text in texts]
    return zip(*columns, strict=True)


def _common_length(*lengths: int) -> int:
    return next((length for length in lengths if length != 1), 1)


def _concat(arguments: tuple[Value, ...], _: bool) -> Value:
    # concat() takes any atomic values in every version, so each argument goes through string().
    texts, doubt = [], None
    for argument in arguments:
        reading, own = string_or_empty(Value(argument.items, at_most_one(argument, "concat()")))
        texts.append(reading.text)
        doubt = either(doubt, own)
    return Value((text_item(Text.of_strings(map("".join, _rows(texts)))),), doubt)


def _translate(arguments: tuple[Value, ...], xpath1: bool) -> Value:
    texts, doubt = _texts(arguments, "translate()", xpath1)
    return Value((text_item(Text.of_strings(_translated(*row) for row in _rows(texts))),), doubt)


def _translated(text: str, old: str, new: str) -> str:
    table: dict[int, int | None] = {}
    for place, character in enumerate(old):
        table.setdefault(ord(character), ord(new[place]) if place < len(new) else None)
    return text.translate(table)


def _substring(arguments: tuple[Value, ...], xpath1: bool) -> Value:
    reading, doubt = string_argument(arguments[0], "substring()", xpath1=xpath1)
    places = []
    for argument in arguments[1:]:
        values, own = _position(argument, xpath1)
        places.append(values)
        # Saxon fails or overflows on some fractional, huge and infinite positions; whole small ones are safe.
        doubt = either(doubt, own, some((values != np.trunc(values)) | ~(np.abs(values) < 2.0**30)))
    first = places[0]
    last: Floats = first + places[1] if len(places) > 1 else np.full(1, np.inf)
    strings, count = reading.text.strings, _common_length(len(reading.text), len(first), len(last))
    strings = strings if len(strings) == count else strings * count
    bounds = zip(np.broadcast_to(first, count).tolist(), np.broadcast_to(last, count).tolist(), strict=True)
    cut = (_cut(string, a, b) for string, (a, b) in zip(strings, bounds, strict=True))
    return Value((text_item(Text.of_strings(cut)),), doubt)


def _position(value: Value, xpath1: bool) -> tuple[Floats, Maybe]:
    if xpath1:
        return first_number(value)
    if len(value.items) != 1 or isinstance(value.items[0], TruthItem):
        raise NotMine("substring() takes one number as a position")
    (item,) = value.items
    if isinstance(item, TextItem) and not item.is_node:
        raise NotMine("substring() of a position that is a string is a type error")
    values, doubt = cast_double(item)
    return values, either(doubt, exactly_one(value, "a position in substring()"))


def _cut(string: str, first: float, last: float) -> str:
    """Return the characters at places first <= p < last, counted from 1."""
    begin = max(first - 1, 0)
    end = min(last - 1, len(string))
    return string[int(begin) : int(end)] if begin < end else ""


STRING_FUNCTIONS: dict[str, tuple[int, int, TextFunction]] = {
    "string-length": (1, 1, _string_length),
    "normalize-space": _mapped("normalize-space()", lambda s: _SPACES.sub(" ", s).strip(" ")),
    "upper-case": _mapped("upper-case()", str.upper, ascii_only=True),
    "lower-case": _mapped("lower-case()", str.lower, ascii_only=True),
    "starts-with": _tested("starts-with()", str.startswith),
    "ends-with": _tested("ends-with()", str.endswith),
    "contains": _tested("contains()", lambda text, part: part in text),
    "concat": (2, 99, _concat),
    "translate": (3, 3, _translate),
    "substring-before": _joined("substring-before()", lambda text, part: text[: max(text.find(part), 0)]),
    "substring-after": _joined("substring-after()", _after),
    "substring": (2, 3, _substring),
}
