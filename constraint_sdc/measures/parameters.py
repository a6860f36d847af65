"""The parameters of a measure or an attack, declared as data: fields of a dataclass that `measure_parameter` makes.

`attack NAME` has an option for each, `assess --set NAME.PARAMETER=VALUE` gives one, and so does `AssessOptions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from constraint_sdc.measures.assessment import Measured
from constraint_sdc.settings.parameters import declared
from constraint_sdc.settings.reason import because

measure_parameter = declared
"""What a measure or an attack declares a parameter with."""


def noted(measured: Measured, given: Mapping[str, object]) -> Measured:
    """Return a result that says which parameters were given."""
    if not given:
        return measured
    said = ", ".join(f"{name} = {value}" for name, value in given.items())
    return replace(measured, notes=(*measured.notes, because("measured-with", quotes={"parameters": said})))
