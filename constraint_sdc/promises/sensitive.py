"""The values of a variable among the records that share the key, as the written file has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Flags
from constraint_sdc.plan.demands import sensitive_scale
from constraint_sdc.plan.read_series import make_series, on_any_grid
from constraint_sdc.promises.release import Release, classes
from constraint_sdc.settings.words import Scale, VariableWish


@dataclass(frozen=True, slots=True)
class SensitiveValues:
    """For every record its class of the key, and the rank of its value among the file's, from 0.

    The rank of a record without a value is 0, below all values. `is_number` tells whether distances follow the order.
    """

    label: Codes
    rank: Codes
    has_value: Flags
    is_number: bool


def sensitive_values(release: Release, of: str, key: tuple[str, ...]) -> SensitiveValues:
    """Read a variable of the written file; numbers are compared as numbers, so that 5 and 5.0 are one value."""
    column = release.after.column(of)
    wish, missing = release.wishes.get(of, VariableWish()), release.missing.get(of, ())
    scale = sensitive_scale(column, wish, missing)
    values = make_series(column, scale, on_any_grid(wish), missing).values
    has_value = ~np.isnan(values)
    rank = np.unique(np.where(has_value, values, -np.inf), return_inverse=True)[1].ravel().astype(np.int64)
    return SensitiveValues(classes(release.after, key), rank, has_value, scale is Scale.NUMERIC)
