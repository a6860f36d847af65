"""Canonical JSON, RFC 8785 (JSON Canonicalization Scheme): one text for one value, so that it can be signed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from constraint_sdc.errors import UsageError

_LARGEST = 2**53 - 1  # beyond it a double, which is what the standard's numbers are, skips whole numbers
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_TO_ESCAPE = re.compile(r'[\x00-\x1f"\\]')


def canonical_json(value: object) -> bytes:
    r"""Return a value of JSON in its canonical form; UsageError for a value that has none.

    Keys are sorted by their UTF-16 code units, there is no white space, numbers are written as ECMAScript writes them.

    >>> canonical_json({"b": [1.0, 1e21, -0.0], "a": "é\n"})
    b'{"a":"\xc3\xa9\\n","b":[1,1e+21,0]}'
    """
    return "".join(_parts(value)).encode("utf-8")


def _parts(value: object) -> Iterator[str]:
    match value:
        case None:
            yield "null"
        case bool():
            yield "true" if value else "false"
        case int():
            if abs(value) > _LARGEST:
                raise UsageError(f"the number {value} is too large for canonical JSON", hint=f"at most {_LARGEST}")
            yield str(value)
        case float():
            yield _number(value)
        case str():
            yield _string(value)
        case list() | tuple():
            yield from _joined("[", (_parts(item) for item in value), "]")
        case dict():
            pairs = sorted(value.items(), key=lambda pair: str(pair[0]).encode("utf-16-be", "surrogatepass"))
            yield from _joined("{", (_pair(key, item) for key, item in pairs), "}")
        case _:
            raise TypeError(f"{type(value).__name__} is not a type of JSON")


def _joined(start: str, items: Iterator[Iterator[str]], end: str) -> Iterator[str]:
    yield start
    for place, item in enumerate(items):
        yield from ("," * bool(place), *item)
    yield end


def _pair(key: object, item: object) -> Iterator[str]:
    if not isinstance(key, str):
        raise TypeError(f"a key of JSON is text, not {type(key).__name__}")
    yield from (_string(key), ":", *_parts(item))


def _string(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError("a text has half a character (a lone surrogate), which canonical JSON cannot hold")
    return f'"{_TO_ESCAPE.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    return _SHORT.get(found[0]) or f"\\u{ord(found[0]):04x}"


def _number(value: float) -> str:
    """Return a double as ECMAScript's Number.prototype.toString does: the shortest digits that give it back."""
    if not math.isfinite(value):
        raise UsageError(f"{value} is not a number of JSON")
    if value == 0:
        return "0"
    sign, digits, power = _digits(value)
    count = len(digits)
    if count <= power <= 21:
        text = digits + "0" * (power - count)
    elif 0 < power <= 21:
        text = f"{digits[:power]}.{digits[power:]}"
    elif -6 < power <= 0:
        text = f"0.{'0' * -power}{digits}"
    else:
        exponent = f"e{'+' if power > 0 else '-'}{abs(power - 1)}"
        text = (digits if count == 1 else f"{digits[0]}.{digits[1:]}") + exponent
    return sign + text


def _digits(value: float) -> tuple[str, str, int]:
    """Return sign, digits d and power n such that the value is 0.d times 10 to the n, without zeros at the ends."""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading = len(whole + fraction) - len(digits)
    power = len(whole) - leading + int(exponent or 0)
    return "-" if value < 0 else "", digits.rstrip("0"), power


class DoubleKeyError(ValueError):
    """A mapping of a JSON text has a key twice: readers differ in which one they take."""


def strict_json(data: bytes) -> Any:
    """Return the value of a JSON text; ValueError for a key given twice, NaN or Infinity, and what is not UTF-8."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not a number of JSON")

    return json.loads(data.decode("utf-8"), object_pairs_hook=_without_doubles, parse_constant=refuse)


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise DoubleKeyError("a key is given twice")
    return found
