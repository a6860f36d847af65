"""Goals of group anonymity resolved against a file: which records, which values, and how records are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Rows
from constraint_sdc.maskers.group_anonymity.goal import Goal, Influential


@dataclass(frozen=True, slots=True)
class SwapParameter:
    """A variable whose values are swapped: `codes[i]` is the value of record i, -1 where it has none.

    Codes count the values from left to right; `labels` are these values as the file first writes them.
    """

    name: str
    codes: Codes
    labels: tuple[str, ...]

    @property
    def blanks(self) -> int:
        """Return how many records have no value."""
        return int(np.count_nonzero(self.codes < 0))

    def place_of(self, value: str, places: Rows) -> int:
        """Return the index of a value among `places` (codes), or ValueError; equal numbers are the same value."""
        labels = [self.labels[code] for code in places.tolist()]
        if value in labels:
            return labels.index(value)
        number = _number(value)
        for place, label in enumerate(labels):
            if number is not None and _number(label) == number:
                return place
        raise ValueError(f"{value!r} is not a value of {self.name} in the base")


@dataclass(frozen=True, slots=True)
class VitalRows:
    """The vital records and the base that contains them; only records that have a value of the parameter."""

    vital: Flags
    base: Flags


@dataclass(frozen=True, slots=True)
class FileGoal:
    """One goal of the recipe, the `number`-th from 1, resolved against a file.

    `places` are the codes of the parameter's values that occur in the base, in the order of the signal. `reads` are the
    variables that define the sets.
    """

    number: int
    goal: Goal
    places: Rows
    group: VitalRows
    against: VitalRows | None
    reads: frozenset[str]


@dataclass(frozen=True, slots=True)
class FileInfluential:
    """An influential variable: numbers (NaN where blank) that count by relative difference, or codes of categories."""

    wish: Influential
    numbers: Floats | None
    codes: Codes | None


@dataclass(frozen=True, slots=True)
class SwapTask:
    """Everything that group anonymity needs from a file besides its rules; goals in the order of the recipe."""

    parameters: Mapping[str, SwapParameter]
    goals: tuple[FileGoal, ...]
    influential: tuple[FileInfluential, ...]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
