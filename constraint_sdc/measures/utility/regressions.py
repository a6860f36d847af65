"""Regressions: whether an analyst would draw the same conclusions from the masked file.

Overlap of confidence intervals: A. F. Karr, C. N. Kohnen, A. Oganian, J. P. Reiter and A. P. Sanil, *A framework for
evaluating the utility of data altered to protect confidentiality*, The American Statistician 60(3), 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.data.pair import Pair
from constraint_sdc.evaluate.condition import Word, WordKind, cut, mistake
from constraint_sdc.measures.assessment import Cell, Figure, Measured, MeasureInputs, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.utility.yardstick import Yardstick, counted, finite, mean_of, not_measured, yardstick
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

# Ordinary least squares with an intercept, computed in standard deviations by orthogonal columns.
#
# Edit rules make predictors depend on each other exactly (a total and its parts). Such a predictor has no coefficient
# of its own; it is detected before any division by a number near 0.

_DEPENDENT = 1e-7  # standard deviations of a predictor that remain after projection on those before it
_ROUNDING = 1e-10  # standard deviations of the response: the precision of an exact fit


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients with the intercept first, their standard errors, half the 95% intervals, and R squared.

    None is a number too large for a double. `halves` are never 0: a fit without residuals is known up to rounding.
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
        for _ in range(2):  # the second pass removes the rounding error of the first
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


INTERCEPT = "(intercept)"


@dataclass(frozen=True, slots=True)
class Regression:
    """A linear model with an intercept: the response and its predictors."""

    response: str
    predictors: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the response and the predictors."""
        return self.response, *self.predictors

    def __str__(self) -> str:
        return f"{self.response} ~ {' + '.join(self.predictors)}"


def parse_regression(text: str) -> Regression:
    """Return the regression that a text such as "y ~ x1 + x2" names; a mistake raises ValueError with its column.

    >>> parse_regression("Income ~ Age + `hours a week`")
    Regression(response='Income', predictors=('Age', 'hours a week'))
    """
    words = iter(cut(text))
    response = _variable(next(words), "the response")
    _separator(next(words), "~")
    predictors = [_variable(next(words), "a predictor")]
    while (word := next(words)).kind is not WordKind.END:
        _separator(word, "+")
        another = next(words)
        if another.text in (response.text, *(p.text for p in predictors)) and another.kind is WordKind.NAME:
            raise mistake(another.column, f"{another} is in the regression already")
        predictors.append(_variable(another, "a predictor"))
    if predictors[0].text == response.text:
        raise mistake(predictors[0].column, f"{response} is the response; it cannot predict itself")
    return Regression(response.text, tuple(predictor.text for predictor in predictors))


def _variable(word: Word, what: str) -> Word:
    if word.kind is not WordKind.NAME:
        raise mistake(word.column, f"expected {what} (a variable's name), found {word}")
    return word


def _separator(word: Word, symbol: str) -> None:
    if not word.is_plain(symbol):
        raise mistake(word.column, f"expected '{symbol}', found {word}; a regression is written y ~ x1 + x2")


@dataclass(frozen=True, slots=True)
class CoefficientChange:
    """A coefficient and its standard error in both files; `overlap` of the 95% intervals is 0 to 100.

    All are None for a predictor that was left out; a number that no double can hold is None too.
    """

    name: str
    before: float | None = None
    error_before: float | None = None
    after: float | None = None
    error_after: float | None = None
    overlap: float | None = None


@dataclass(frozen=True, slots=True)
class RegressionChange:
    """One regression in both files, over the records with all numbers; `notes` say what was left out, and why."""

    regression: Regression
    records: int
    coefficients: tuple[CoefficientChange, ...]
    r_squared_before: float | None
    r_squared_after: float | None
    notes: tuple[Reason, ...] = ()

    @property
    def overlap(self) -> float | None:
        """Return the mean overlap of the coefficients, the intercept among them."""
        return mean_of(coefficient.overlap for coefficient in self.coefficients)


def regression_change(regression: Regression, original: Points, masked: Points) -> RegressionChange:
    """Return the comparison for two files of n records x (response, predictors in order); NaN is a blank.

    Both files are fitted with the same predictors: one that depends on others in either file is left out of both.
    """
    is_known = np.isfinite(original).all(axis=1) & np.isfinite(masked).all(axis=1)
    files = (original[is_known], masked[is_known])
    is_left_out, notes = _left_out(regression, files)
    kept = np.flatnonzero(~is_left_out)
    why_not = _why_not(regression, files, len(kept))
    if why_not:
        names = (INTERCEPT, *regression.predictors)
        blank = tuple(CoefficientChange(name) for name in names)
        return RegressionChange(regression, len(files[0]), blank, None, None, (*notes, why_not))
    before, after = (fit(file[:, 0], file[:, 1 + kept]) for file in files)
    coefficients = _coefficients(regression, kept.tolist(), before, after)
    return RegressionChange(regression, len(files[0]), coefficients, before.r_squared, after.r_squared, notes)


def _left_out(regression: Regression, files: Sequence[Points]) -> tuple[np.ndarray, tuple[Reason, ...]]:
    is_left_out = np.zeros(len(regression.predictors), np.bool_)
    notes: list[Reason] = []
    for file, which in zip(files, ("original", "masked"), strict=True):
        for j in dependent(file[:, 1:]) if len(file) > len(regression.predictors) + 1 else ():
            if not is_left_out[j]:
                predictor = regression.predictors[j]
                notes.append(because("predictor-left-out", regression=str(regression), predictor=predictor, file=which))
            is_left_out[j] = True
    return is_left_out, tuple(notes)


def _why_not(regression: Regression, files: Sequence[Points], kept: int) -> Reason | None:
    name, coefficients = str(regression), len(regression.predictors) + 1
    if not kept:
        return because("no-predictor-left", regression=name)
    if len(files[0]) <= coefficients:
        return because("too-few-complete", regression=name, records=len(files[0]), coefficients=coefficients)
    for file, which in zip(files, ("original", "masked"), strict=True):
        if (file[:, 0] == file[0, 0]).all():
            return because("response-constant", regression=name, response=regression.response, file=which)
    return None


def _coefficients(regression: Regression, kept: list[int], before: Fit, after: Fit) -> tuple[CoefficientChange, ...]:
    place = {name: i for i, name in enumerate((INTERCEPT, *(regression.predictors[j] for j in kept)))}
    names = (INTERCEPT, *regression.predictors)
    return tuple(
        _coefficient(name, place[name], before, after) if name in place else CoefficientChange(name) for name in names
    )


def _coefficient(name: str, i: int, before: Fit, after: Fit) -> CoefficientChange:
    overlap = interval_overlap(before.coefficients[i], before.halves[i], after.coefficients[i], after.halves[i])
    return CoefficientChange(
        name, before.coefficients[i], before.errors[i], after.coefficients[i], after.errors[i], overlap
    )


def interval_overlap(
    centre: float | None, half: float | None, other_centre: float | None, other_half: float | None
) -> float | None:
    """Return the mean share (0 to 100) of two intervals, centre +- half, that their intersection covers."""
    if centre is None or half is None or other_centre is None or other_half is None or not half or not other_half:
        return None
    wide, narrow = max(half, other_half), min(half, other_half)
    away = abs(other_centre - centre) / wide
    narrow = narrow / wide  # units of the wider half avoid overflow
    common = max(min(2.0 * narrow, 1.0 + narrow - away), 0.0)
    of_narrow = common / (2.0 * narrow) if narrow else float(away <= 1.0)
    return 50.0 * (common / 2.0 + of_narrow)


class Regressions:
    """The regressions that the recipe names, fitted to both files."""

    name: ClassVar[str] = "regressions"
    title: ClassVar[str] = "Regressions"
    traits: ClassVar[MeasureTraits] = MeasureTraits("utility", unmasked=100.0)

    def __init__(self, regressions: tuple[Regression, ...] = ()) -> None:
        self.regressions = regressions

    def prepared(self, inputs: MeasureInputs) -> Regressions | None:
        """Return the measure of the regressions that the recipe names, None without any."""
        return Regressions(inputs.regressions) if inputs.regressions else None

    def measure(self, pair: Pair) -> Measured:
        """Return the mean overlap of the coefficients' intervals; an unknown variable raises ValueError."""
        for regression in self.regressions:
            _require_numbers(regression, pair)
        found = [regression_change(one, *pair.numbers(one.names)) for one in self.regressions]
        overlap = mean_of(one.overlap for one in found)
        figures = (Figure("overlap", "mean overlap of 95% confidence intervals", overlap),)
        notes = tuple(note for one in found for note in one.notes)
        if not found:
            return not_measured(self.name, self.title, figures, because("no-regression-named"))
        says: str | Reason = because("not-defined", why=because("no-regression-fits"))
        if overlap is not None:
            says = f"The 95% confidence intervals of {counted(len(found), 'regression')} overlap by {overlap:.2f}%."
        return Measured(self.name, self.title, figures, says, (_fits(found), _table(found)), notes)


REGISTERED = {"regressions": Regressions()}


def _require_numbers(regression: Regression, pair: Pair) -> None:
    numeric = {v.name for v in pair.variables if v.scale is Scale.NUMERIC}
    wrong = [name for name in regression.names if name not in numeric]
    if wrong:
        raise ValueError(f"{regression}: {wrong[0]} is not a numeric variable that both files have")


def _fits(found: Sequence[RegressionChange]) -> ResultTable:
    head = ("regression", "records", "R squared before", "R squared after", "overlap")
    units = (None, Unit.COUNT, Unit.PLAIN, Unit.PLAIN, Unit.PERCENT)
    rows = tuple((str(f.regression), f.records, f.r_squared_before, f.r_squared_after, f.overlap) for f in found)
    return ResultTable("fits", "Regressions before and after", head, units, rows)


def _table(found: Sequence[RegressionChange]) -> ResultTable:
    head = ("regression", "coefficient", "before", "error before", "after", "error after", "overlap")
    units = (None, None, *[Unit.PLAIN] * 4, Unit.PERCENT)
    rows = tuple(_row(str(one.regression), change) for one in found for change in one.coefficients)
    return ResultTable("coefficients", "Coefficients with standard errors before and after", head, units, rows)


def _row(regression: str, c: CoefficientChange) -> tuple[Cell, ...]:
    return regression, c.name, c.before, c.error_before, c.after, c.error_after, c.overlap
