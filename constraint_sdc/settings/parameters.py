"""Parameters declared as data: fields of a frozen dataclass that `declared` makes, for measures and partition methods.

`measures/parameters.py` and `partition/registry.py` say how a user gives them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from math import isfinite
from typing import Any, TypeAlias, TypeVar

from constraint_sdc.errors import UsageError

ParameterValue: TypeAlias = bool | int | float | str
Chosen = TypeVar("Chosen")

_DECLARED = "declared parameter"
_WORDS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class DeclaredParameter:
    """One parameter; values have the type of the default, `least` and `most` bound a number."""

    name: str
    description: str
    default: ParameterValue
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None

    @property
    def option(self) -> str:
        """Return the name of its option on the command line."""
        return f"--{self.name.replace('_', '-')}"

    def read(self, given: object, owner: str) -> ParameterValue:
        """Return a value, given as such or as text; UsageError if it is none."""
        try:
            value = self._converted(given)
        except (ValueError, KeyError):
            raise self._refused(given, owner) from None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_outside = is_number and not self._is_within(float(value))
        if is_outside or (self.choices and value not in self.choices):
            raise self._refused(given, owner)
        return value

    def _is_within(self, number: float) -> bool:
        return (self.least is None or number >= self.least) and (self.most is None or number <= self.most)

    def _converted(self, given: object) -> ParameterValue:
        if isinstance(self.default, bool):
            return given if isinstance(given, bool) else _WORDS[str(given).lower()]
        if isinstance(given, bool):
            raise ValueError
        if isinstance(self.default, int):
            return int(str(given))
        if isinstance(self.default, float):
            number = float(str(given))
            if not isfinite(number):
                raise ValueError
            return number
        return str(given)

    def _refused(self, given: object, owner: str) -> UsageError:
        return UsageError(f"{owner}: {self.name} cannot be {given!r}", hint=f"use {self.range()}")

    def range(self) -> str:
        """Return in words which values there are."""
        if self.choices:
            return f"one of: {', '.join(self.choices)}"
        kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
        bounds = [f"{word} {bound:g}" for word, bound in (("from", self.least), ("to", self.most)) if bound is not None]
        return " ".join([kinds[type(self.default)], *bounds])


def declared(
    description: str,
    default: Any,
    *,
    choices: Sequence[str] = (),
    least: float | None = None,
    most: float | None = None,
) -> Any:
    """Return a field of a frozen dataclass that is a parameter: a text, a number, or true or false."""
    said = {"description": description, "default": default, "choices": tuple(choices), "least": least, "most": most}
    return field(default=default, metadata={_DECLARED: said})


def parameters_of(owner: object) -> tuple[DeclaredParameter, ...]:
    """Return the parameters that an object declares, in their order."""
    found = fields(owner) if is_dataclass(owner) else ()
    return tuple(DeclaredParameter(one.name, **one.metadata[_DECLARED]) for one in found if _DECLARED in one.metadata)


def with_parameters(owner: Chosen, name: str, given: Mapping[str, object]) -> Chosen:
    """Return the object of this name with the parameters that are given; UsageError for one that it does not have."""
    known = {one.name: one for one in parameters_of(owner)}
    for wrong in given.keys() - known.keys():
        hint = f"its parameters: {', '.join(known)}" if known else "it declares none"
        raise UsageError(f"{name} has no parameter {wrong!r}", hint=hint)
    if not given:
        return owner
    assert is_dataclass(owner), "it has parameters"
    assert not isinstance(owner, type)
    return replace(owner, **{one: known[one].read(value, name) for one, value in given.items()})
