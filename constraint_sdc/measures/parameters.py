"""The parameters of a measure or an attack, declared as data: fields of a dataclass that `measure_parameter` makes.

`attack NAME` has an option for each, `assess --set NAME.PARAMETER=VALUE` gives one, and so does `AssessOptions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from math import isfinite
from typing import Any, TypeAlias, TypeVar

from constraint_sdc.errors import UsageError
from constraint_sdc.measures.assessment import Measured
from constraint_sdc.settings.reason import because

ParameterValue: TypeAlias = bool | int | float | str
Chosen = TypeVar("Chosen")

_DECLARED = "measure parameter"
_WORDS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class MeasureParameter:
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


def measure_parameter(
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


def parameters_of(measure: object) -> tuple[MeasureParameter, ...]:
    """Return the parameters that a measure declares, in their order."""
    declared = fields(measure) if is_dataclass(measure) else ()
    return tuple(MeasureParameter(one.name, **one.metadata[_DECLARED]) for one in declared if _DECLARED in one.metadata)


def with_parameters(measure: Chosen, name: str, given: Mapping[str, object]) -> Chosen:
    """Return the measure of this name with the parameters that are given; UsageError for one that it does not have."""
    declared = {one.name: one for one in parameters_of(measure)}
    for wrong in given.keys() - declared.keys():
        hint = f"its parameters: {', '.join(declared)}" if declared else "it declares none"
        raise UsageError(f"{name} has no parameter {wrong!r}", hint=hint)
    if not given:
        return measure
    values = {one: declared[one].read(value, name) for one, value in given.items()}
    return replace(measure, **values)  # type: ignore[type-var]  # it has parameters, so it is a dataclass


def noted(measured: Measured, given: Mapping[str, object]) -> Measured:
    """Return a result that says which parameters were given."""
    if not given:
        return measured
    said = ", ".join(f"{name} = {value}" for name, value in given.items())
    return replace(measured, notes=(*measured.notes, because("measured-with", quotes={"parameters": said})))
