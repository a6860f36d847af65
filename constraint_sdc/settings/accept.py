"""What a recipe accepts: bounds on what `assess` measures, such as `distance-linkage.linked: {at most: 5%}`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AcceptBound:
    """A bound on one figure of a measure, or on the worst of several whose names begin in the same way.

    `name` is `measure.figure`. Exactly one of `at_least` and `at_most` is given, in the unit of the figure.
    """

    name: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def measure(self) -> str:
        """Return the name of the measure."""
        return self.name.partition(".")[0]

    @property
    def figure(self) -> str:
        """Return the name of the figure."""
        return self.name.partition(".")[2]

    def worst(self, values: list[float]) -> float:
        """Return the value that is farthest on the wrong side; there is at least one."""
        return min(values) if self.at_least is not None else max(values)

    def allows(self, value: float) -> bool:
        """Tell whether a value is within the bound."""
        if self.at_least is not None:
            return value >= self.at_least
        return self.at_most is None or value <= self.at_most


# The section `accept` of a recipe, as JSON values that follow the schema; decimals are texts there.


def accept_from_json(content: Mapping[str, Any]) -> tuple[AcceptBound, ...]:
    """Return what a recipe says in `accept`."""
    return tuple(
        AcceptBound(name, _number(said, "at least"), _number(said, "at most")) for name, said in content.items()
    )


def accept_to_json(bounds: tuple[AcceptBound, ...]) -> dict[str, object]:
    """Return the section `accept`."""
    return {
        one.name: {"at least": repr(one.at_least)} if one.at_least is not None else {"at most": repr(one.at_most)}
        for one in bounds
    }


def _number(said: Mapping[str, Any], side: str) -> float | None:
    return float(str(said[side]).removesuffix("%")) if side in said else None
