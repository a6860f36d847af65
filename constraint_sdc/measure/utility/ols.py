"""Ordinary least squares with an intercept, computed in standard deviations by orthogonal columns.

Edit rules make predictors depend on each other exactly (a total and its parts). Such a predictor has no coefficient of
its own; it is found here, before anything is divided by nearly nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.measure.utility.yardstick import Yardstick, finite, yardstick
from constraint_sdc.model.groups import Points
from constraint_sdc.model.pair import Floats

_DEPENDENT = 1e-7  # standard deviations that are left of a predictor when those before it are taken out
_ROUNDING = 1e-10  # standard deviations of the response: an exact fit is not known better than that


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients with the intercept first, their standard errors, half the 95% intervals, and R squared.

    None is beyond all numbers. `halves` are never 0: a fit without residuals is known up to rounding.
    """

    coefficients: tuple[float | None, ...]
    errors: tuple[float | None, ...]
    halves: tuple[float | None, ...]
    r_squared: float


def dependent(predictors: Points) -> tuple[int, ...]:
    """Return the columns that are constant, or linear combinations of a constant and the columns before them."""
    n = len(predictors)
    kept = np.zeros((n, 0))
    found: list[int] = []
    for j in range(predictors.shape[1]):
        unit = yardstick(predictors[:, j])
        rest = unit.of(predictors[:, j])
        for _ in range(2):  # the second time takes out what rounding left of the first
            rest = rest - kept @ (kept.T @ rest)
        size = float(np.linalg.norm(rest))
        if not unit.spread or size <= _DEPENDENT * np.sqrt(n):
            found.append(j)
        else:
            kept = np.column_stack((kept, rest / size))
    return tuple(found)


def fit(response: Floats, predictors: Points) -> Fit:
    """Return the fit of a response that varies to n x p independent predictors (see `dependent`), n > p + 1."""
    n, p = predictors.shape
    unit, units = yardstick(response), [yardstick(column) for column in predictors.T]
    y = unit.of(response)
    x = np.column_stack([u.of(column) for u, column in zip(units, predictors.T, strict=True)])
    q, r = np.linalg.qr(x)
    inverse = np.linalg.inv(r)
    slopes = inverse @ (q.T @ y)
    residual = float(np.sqrt(((y - x @ slopes) ** 2).sum() / (n - p - 1)))
    centres = np.array([_centre(u) for u in units])
    coefficients = np.concatenate(([_centre(unit) - centres @ slopes], slopes))
    widths = np.sqrt(np.concatenate(([1.0 / n + ((centres @ inverse) ** 2).sum()], (inverse**2).sum(axis=1))))
    student = _student(n - p - 1)
    return Fit(
        _in_data_units(coefficients, unit, units),
        _in_data_units(residual * widths, unit, units),
        _in_data_units(student * max(residual, _ROUNDING) * widths, unit, units),
        1.0 - min(residual**2 * (n - p - 1) / float((y**2).sum()), 1.0),
    )


def _centre(unit: Yardstick) -> float:
    """Return the mean in standard deviations."""
    return (unit.first + unit.centre) / unit.spread


def _in_data_units(numbers: Floats, unit: Yardstick, units: list[Yardstick]) -> tuple[float | None, ...]:
    spreads = unit.spread / np.array([1.0, *(u.spread for u in units)])
    exponents = unit.exponent - np.array([0, *(u.exponent for u in units)])
    with np.errstate(over="ignore"):
        return tuple(map(finite, np.ldexp(numbers * spreads, exponents).tolist()))


def _student(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))
