"""The one variable that varies, for methods that are defined for a single variable only."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.errors import UsageError
from constraint_sdc.model.cloud import Cloud


def only_variable(cloud: Cloud, refusal: str, *, hint: str) -> npt.NDArray[np.float64]:
    """Return the values of the one column that varies; several are refused, with their names where they have some.

    Constant columns tell no record from another, so they do not count. If no column varies, every value is 0: a stratum
    in which all records are alike is divided as well.
    """
    varying = np.flatnonzero((cloud.points != cloud.points[:1]).any(axis=0))
    if len(varying) > 1:
        raise UsageError(f"{refusal}, but {_shown(cloud, varying.tolist())} vary", hint=hint)
    return cloud.points[:, varying[0]] if len(varying) else np.zeros(len(cloud))


def _shown(cloud: Cloud, columns: list[int]) -> str:
    names = [axis.name for axis in cloud.axes if any(axis.start <= column < axis.stop for column in columns)]
    if len(names) < 2:
        return f"{len(columns)} columns"
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
