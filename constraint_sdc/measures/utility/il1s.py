"""IL1s: mean absolute error in standard deviations (W. E. Yancey, W. E. Winkler and R. H. Creecy, LNCS 2316, 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.utility.yardstick import counted, finite, mean_of, not_measured, yardstick
from constraint_sdc.settings.reason import because


@dataclass(frozen=True, slots=True)
class Il1s:
    """Losses in percent; that of a variable is None where it has no unit (constant, but changed) or no number."""

    loss: float | None
    by_variable: tuple[float | None, ...]


def il1s(original: Points, masked: Points) -> Il1s:
    """Return 100 * the mean of |x - x'| / (sqrt(2) * S) of two n x d files, S the original sample deviation (n - 1).

    Cells with a number before and after count. Every variable has the same weight, however many blanks it has.
    """
    by_variable = tuple(_loss(original[:, j], masked[:, j]) for j in range(original.shape[1]))
    return Il1s(mean_of(by_variable), by_variable)


def _loss(original: Floats, masked: Floats) -> float | None:
    both = np.isfinite(original) & np.isfinite(masked)
    if not both.any():
        return None
    unit = yardstick(original)
    with np.errstate(over="ignore"):
        error = float(np.abs(unit.of(original[both]) - unit.of(masked[both])).mean())
    if not error:
        return 0.0
    if not unit.spread or unit.sample_factor is None:
        return None
    return finite(100.0 * error / (np.sqrt(2.0) * unit.sample_factor))


class AbsoluteError:
    """The mean distance of a masked value from the original, relative to the distance of two records."""

    name: ClassVar[str] = "il1s"
    title: ClassVar[str] = "Absolute error (IL1s)"
    traits: ClassVar[MeasureTraits] = MeasureTraits("utility", unmasked=0.0)

    def measure(self, pair: Pair) -> Measured:
        """Return the loss in percent."""
        names = pair.numeric
        found = il1s(*pair.numbers(names))
        figures = (Figure("il1s", "absolute error in standard deviations", found.loss),)
        if found.loss is None:
            why = because("none-varies-in-both") if names else because("no-masked-numeric")
            return not_measured(self.name, self.title, figures, why)
        missing = [name for name, loss in zip(names, found.by_variable, strict=True) if loss is None]
        return Measured(
            self.name,
            self.title,
            figures,
            f"A masked value differs from the original by {found.loss:.2f}% of sqrt(2) standard deviations on average, "
            f"over {counted(len(names) - len(missing), 'numeric variable')}.",
            (_table(names, found),),
            (because("no-error-of-own", variables=tuple(missing)),) if missing else (),
        )


REGISTERED = {"il1s": AbsoluteError()}


def _table(names: tuple[str, ...], found: Il1s) -> ResultTable:
    rows = tuple(zip(names, found.by_variable, strict=True))
    return ResultTable("by-variable", "Absolute error by variable", ("variable", "loss"), (None, Unit.PERCENT), rows)
