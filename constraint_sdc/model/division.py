"""How records are divided into groups."""

from __future__ import annotations

from dataclasses import dataclass

from constraint_sdc.model.policy import Standardise


@dataclass(frozen=True, slots=True)
class Division:
    """A partition method by name, what distances mean to it, and which variable weighs the records, if one does.

    `effort` is None for a method that does not search.
    """

    method: str
    effort: str | None = None
    standardise: Standardise = Standardise.Z_SCORE
    weights: str | None = None
