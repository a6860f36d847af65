"""User-missing codes as SPSS can mark them: three single values, or one range and one value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from constraint_sdc.errors import DataError
from constraint_sdc.model.variable import VariableInfo

_MOST_VALUES = 3
_MOST_BYTES = 8


def missing_values(info: VariableInfo, values: pd.Series[Any], is_number: bool, path: Path) -> list[Any]:
    """Return what to mark so that exactly the variable's codes are missing among `values`.

    More than three numbers are covered by a range that holds no other value of the data, with one code beside it if
    need be; what SPSS cannot express is refused.
    """
    if not is_number:
        return _texts(info, path)
    codes = sorted(float(code) for code in info.missing if is_finite_code(code))
    if len(codes) <= _MOST_VALUES:
        return codes
    data = values.to_numpy(np.float64)
    valid = data[np.isfinite(data) & ~np.isin(data, codes)]
    for inside, beside in ((codes, []), (codes[1:], codes[:1]), (codes[:-1], codes[-1:])):
        if not _any_between(valid, inside[0], inside[-1]):
            return [{"lo": inside[0], "hi": inside[-1]}, *beside]
    raise DataError(
        f"{info.name} has {len(codes)} missing codes with values between them",
        file=str(path),
        hint="SPSS marks three codes, or one range and one code",
    )


def _texts(info: VariableInfo, path: Path) -> list[Any]:
    if len(info.missing) > _MOST_VALUES or any(len(code.encode()) > _MOST_BYTES for code in info.missing):
        raise DataError(
            f"{info.name} has missing codes that SPSS cannot mark",
            file=str(path),
            hint="it marks three codes of at most eight bytes in a text variable",
        )
    return list(info.missing)


def is_finite_code(code: str) -> bool:
    """Tell whether the code is a number that SPSS can mark."""
    try:
        return bool(np.isfinite(float(code)))
    except ValueError:
        return False


def _any_between(values: npt.NDArray[np.float64], low: float, high: float) -> bool:
    return bool(np.any((values >= low) & (values <= high)))
