"""The original and the masked file side by side: the input of every measure and every attack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Points, Rows, Weights
from constraint_sdc.data.series import Grid
from constraint_sdc.settings.words import Role, Scale


@dataclass(frozen=True, repr=False)
class Compared:
    """One variable of both files; row i of all arrays is the same record.

    `original` and `masked` are numbers (numeric) or codes that both files share (ordinal in order, nominal), NaN where
    the record has no value. Two cells hold the same value if and only if their `*_code` is the same, whatever the scale
    and whatever the file; all blanks share one code. `is_masked` tells whether the variable was to be masked.
    """

    name: str
    scale: Scale
    role: Role
    is_masked: bool
    grid: Grid
    original: Floats
    masked: Floats
    original_code: Codes
    masked_code: Codes

    def of(self, rows: Rows) -> Compared:
        """Return the variable for some records only."""
        arrays = ("original", "masked", "original_code", "masked_code")
        return replace(self, **{name: getattr(self, name)[rows] for name in arrays})

    @cached_property
    def unchanged(self) -> Flags:
        """Tell which records have the same value in both files."""
        return np.equal(self.original_code, self.masked_code)


@dataclass(frozen=True)
class MaskedTogether:
    """A block: variables whose values the records of a group share.

    `divided_by` is the partition, or the masker that divides records itself; `operators` are names by variable. They
    are None and empty where unknown. With `is_weighted` the operators used record weights. With `is_drawn` the values
    were drawn at random: without the seed the draw cannot be repeated. With `is_swapped` records exchanged values.
    """

    names: tuple[str, ...]
    divided_by: str | None = None
    operators: Mapping[str, str] = field(default_factory=dict)
    is_weighted: bool = False
    is_drawn: bool = False
    is_swapped: bool = False


@dataclass(frozen=True, repr=False)
class Pair:
    """All variables that both files have, the blocks they were masked in, and what an intruder may know.

    `known` are the variables that an intruder knows about identified persons in the file. `k` is the group size that
    the masking guarantees, None where unknown. `computed` are masked variables that no block has, because they are
    computed for every record from the others. `weights` are sampling weights of the records, None where none are known.
    `other` is another release of the same original, its records in the same order.
    """

    variables: tuple[Compared, ...]
    known: tuple[str, ...]
    blocks: tuple[MaskedTogether, ...] = ()
    k: int | None = None
    computed: tuple[str, ...] = ()
    weights: Weights | None = None
    other: Pair | None = None

    def __len__(self) -> int:
        return len(self.variables[0].original) if self.variables else 0

    def __getitem__(self, name: str) -> Compared:
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Compared]:
        return {variable.name: variable for variable in self.variables}

    def of(self, rows: Rows) -> Pair:
        """Return the pair of some records only."""
        return replace(
            self,
            variables=tuple(variable.of(rows) for variable in self.variables),
            weights=None if self.weights is None else self.weights[rows],
            other=None if self.other is None else self.other.of(rows),
        )

    @cached_property
    def numeric(self) -> tuple[str, ...]:
        """Return the masked variables that are numbers: those whose utility can be measured."""
        return tuple(v.name for v in self.variables if v.is_masked and v.scale is Scale.NUMERIC)

    @cached_property
    def lost(self) -> tuple[str, ...]:
        """Return the numeric variables without a record that has a number in both files: no measure covers them."""
        return tuple(n for n in self.numeric if (np.isnan(self[n].original) | np.isnan(self[n].masked)).all())

    def numbers(self, names: Sequence[str]) -> tuple[Points, Points]:
        """Return the original and the masked values of some variables: n records x as many columns, NaN for blanks."""
        if not names:
            return np.zeros((len(self), 0)), np.zeros((len(self), 0))
        chosen = [self[name] for name in names]
        return np.column_stack([v.original for v in chosen]), np.column_stack([v.masked for v in chosen])
