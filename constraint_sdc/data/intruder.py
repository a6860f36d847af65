"""The file of an intruder: some records and some variables, with what is true about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Rows
from constraint_sdc.settings.reason import Reason

NOBODY = -1
"""The place of a record that is not in the release."""


@dataclass(frozen=True)
class IntruderFile:
    """What an intruder has. Row i of every array is record i of the file.

    `values` are, by variable, numbers or the codes of the pair's masked file, NaN where the intruder has no value. A
    code that the masked file does not have is a value that nobody has there. `own` is the place of each record in the
    release, `NOBODY` if it is not there. `notes` list what of the file is not used.
    """

    values: Mapping[str, Floats]
    own: Rows
    notes: tuple[Reason, ...] = ()

    def __len__(self) -> int:
        return len(self.own)

    @property
    def is_known(self) -> Flags:
        """Tell which values the intruder has: records x variables."""
        columns = [~np.isnan(values) for values in self.values.values()]
        return np.array(columns, np.bool_).reshape(len(columns), len(self)).T
