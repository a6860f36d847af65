"""Logarithms and exponentials that do not depend on the processor.

NumPy has routines of its own for log and exp on processors with AVX-512. Their last digit is another one than that of
the C library, which NumPy calls on all others. What is published must not depend on the processor, so these call the C
library for every value.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np

from constraint_sdc.arrays import Floats

_LARGEST_LOG = math.log(sys.float_info.max)
_AT_A_TIME = 1 << 14  # numbers that are Python's at the same time


def logarithms(values: Floats) -> Floats:
    """Return the natural logarithms of positive values.

    >>> logarithms(np.array([1.0])).tolist()
    [0.0]
    """
    return _each(math.log, values)


def exponentials(values: Floats) -> Floats:
    """Return e to the power of each value, at most the largest number.

    >>> exponentials(np.array([0.0, 1000.0])).tolist()
    [1.0, 1.7976931348622732e+308]
    """
    return _each(math.exp, np.minimum(values, _LARGEST_LOG))


def _each(function: Callable[[float], float], values: Floats) -> Floats:
    found = np.empty(values.size)
    flat = values.ravel()
    for start in range(0, len(flat), _AT_A_TIME):
        part = flat[start : start + _AT_A_TIME].tolist()
        found[start : start + len(part)] = np.fromiter(map(function, part), np.float64, len(part))
    return found.reshape(values.shape)
