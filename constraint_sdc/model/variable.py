"""What a microdata file says about one of its variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VariableType = Literal["integer", "decimal", "double", "text"]
Measure = Literal["nominal", "ordinal", "scale"]


@dataclass(frozen=True, slots=True)
class VariableInfo:
    """The declared description of one variable: its type, measure, label and missing codes."""

    name: str
    type: VariableType
    decimals: int | None = None
    measure: Measure | None = None
    label: str | None = None
    missing: tuple[str, ...] = ()
