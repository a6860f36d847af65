"""JSON whose values know their place: line, column and JSON pointer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from constraint_sdc.languages.rule_book import Place, UntranslatedPartError
from constraint_sdc.limits import NUMBER_EXPONENT

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DECODER = json.JSONDecoder()
_WORDS = {"true": True, "false": False, "null": None}

JsonContent: TypeAlias = "dict[str, PlacedJson] | list[PlacedJson] | str | Decimal | bool | None"


@dataclass(frozen=True, slots=True)
class PlacedJson:
    """A value of a JSON text and where it stands; numbers are exact."""

    content: JsonContent
    place: Place
    pointer: str

    @property
    def entries(self) -> dict[str, PlacedJson]:
        """Return the entries of an object; raises UntranslatedPartError for any other value."""
        if isinstance(self.content, dict):
            return self.content
        raise self.refused("is not an object", "write { ... }")

    @property
    def items(self) -> list[PlacedJson]:
        """Return the items of an array; raises UntranslatedPartError for any other value."""
        if isinstance(self.content, list):
            return self.content
        raise self.refused("is not a list", "write [ ... ]")

    def refused(self, what: str, hint: str) -> UntranslatedPartError:
        """Return the error that this value is not what is expected."""
        return UntranslatedPartError(f"{self.pointer or '/'}: {what}", self.place, hint)

    def text(self) -> str:
        """Return the value as compact JSON."""
        return json.dumps(self.plain(), ensure_ascii=False, default=_plain_number)

    def plain(self) -> Any:
        """Return the value without places."""
        match self.content:
            case dict() as entries:
                return {name: one.plain() for name, one in entries.items()}
            case list() as items:
                return [one.plain() for one in items]
            case other:
                return other


def _plain_number(value: object) -> int | float:
    number = Decimal(str(value))
    return int(number) if number == number.to_integral_value() else float(number)


def read_json(text: str) -> PlacedJson:
    """Return the value that a JSON text is; raises UntranslatedPartError with line and column."""
    try:
        json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        hint = "separate entries by commas, put names and texts in double quotes, and close every bracket"
        what = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise UntranslatedPartError(what, Place(error.lineno, error.colno), hint) from None
    except _ConstantError as error:
        place = _place(text, text.find(str(error)))
        raise UntranslatedPartError(f"not JSON: {error}", place, "write a number") from None
    except ValueError:
        raise UntranslatedPartError("a number beyond all measure", Place(1), _number_hint()) from None
    return _JsonWalk(text).value(_skip(text, 0), "")[0]


class _ConstantError(Exception):
    """A constant of JavaScript that JSON does not have."""


def _no_constant(name: str) -> float:
    raise _ConstantError(name)


def _number_hint() -> str:
    return f"write one of at most {NUMBER_EXPONENT} digits"


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _place(text: str, at: int) -> Place:
    return Place(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


@dataclass(slots=True)
class _JsonWalk:
    """Walks through a text that is known to be JSON."""

    text: str
    line: int = 1
    line_start: int = 0
    seen: int = 0

    def value(self, at: int, pointer: str) -> tuple[PlacedJson, int]:
        place = self._place(at)
        content, after = self._content(at, place, pointer)
        return PlacedJson(content, place, pointer), after

    def _content(self, at: int, place: Place, pointer: str) -> tuple[JsonContent, int]:
        text = self.text
        match text[at]:
            case "{":
                return self._object(at, pointer)
            case "[":
                return self._array(at, pointer)
            case '"':
                return self._string(at)
            case "t" | "f" | "n":
                word = next(word for word in _WORDS if text.startswith(word, at))
                return _WORDS[word], at + len(word)
        found = _NUMBER.match(text, at)
        assert found is not None
        number = Decimal(found.group())
        if len(found.group()) > NUMBER_EXPONENT or (number and abs(number.adjusted()) > NUMBER_EXPONENT):
            raise UntranslatedPartError(f"{pointer or '/'}: a number beyond all measure", place, _number_hint())
        return number, found.end()

    def _string(self, at: int) -> tuple[str, int]:
        found, after = _DECODER.raw_decode(self.text, at)
        return str(found), after

    def _object(self, at: int, pointer: str) -> tuple[JsonContent, int]:
        entries: dict[str, PlacedJson] = {}
        at = _skip(self.text, at + 1)
        while self.text[at] != "}":
            name, after = self._string(at)
            if name in entries:
                what = f"{pointer or '/'}: {name!r} is given twice"
                raise UntranslatedPartError(what, self._place(at), "remove one of them")
            at = _skip(self.text, _skip(self.text, after) + 1)
            step = name.replace("~", "~0").replace("/", "~1")
            entries[name], after = self.value(at, f"{pointer}/{step}")
            at = self._behind(after)
        return entries, at + 1

    def _array(self, at: int, pointer: str) -> tuple[JsonContent, int]:
        items: list[PlacedJson] = []
        at = _skip(self.text, at + 1)
        while self.text[at] != "]":
            item, after = self.value(at, f"{pointer}/{len(items)}")
            items.append(item)
            at = self._behind(after)
        return items, at + 1

    def _behind(self, after: int) -> int:
        """Return where the next value, or the end of its list, begins."""
        at = _skip(self.text, after)
        return _skip(self.text, at + 1) if self.text[at] == "," else at

    def _place(self, at: int) -> Place:
        """Return line and column; places are asked for from front to back."""
        breaks = self.text.count("\n", self.seen, at)
        if breaks:
            self.line += breaks
            self.line_start = self.text.rfind("\n", self.seen, at) + 1
        self.seen = at
        return Place(self.line, at - self.line_start + 1)
