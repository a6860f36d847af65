"""SSE/SST: squared error against squared spread (J. Domingo-Ferrer and J. M. Mateo-Sanz, IEEE TKDE 14(1), 2002).

Every variable counts in units of the original standard deviation, as in the loss that a certificate states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.utility.yardstick import finite, not_measured, variables_of, yardstick
from constraint_sdc.settings.reason import Reason, because


@dataclass(frozen=True, slots=True)
class Sse:
    """Losses in percent. `by_variable` is None for a variable without unit: constant, but changed.

    `loss` leaves these out, and is None if no variable remains or the loss is too large for a number.
    """

    loss: float | None
    by_variable: tuple[float | None, ...]


def sse(original: Points, masked: Points) -> Sse:
    """Return 100 * SSE / SST of two n x d files; cells with a number before and after count.

    The loss of an unchanged variable is 0, whether it varies or not.
    """
    sums = [_sums(original[:, j], masked[:, j]) for j in range(original.shape[1])]
    known = [pair for pair in sums if pair is not None]
    loss = _percent(sum(error for error, _ in known), sum(total for _, total in known)) if known else None
    return Sse(loss, tuple(None if pair is None else _percent(*pair) for pair in sums))


def _sums(original: Floats, masked: Floats) -> tuple[float, float] | None:
    """Return SSE and SST of one variable in squared standard deviations; None if no cell counts, or without a unit."""
    both = np.isfinite(original) & np.isfinite(masked)
    if not both.any():
        return None
    unit = yardstick(original)
    before, after = unit.of(original[both]), unit.of(masked[both])
    with np.errstate(over="ignore"):
        error = float(((before - after) ** 2).sum())
    if not unit.spread:
        return None if error else (0.0, 0.0)
    return error, float(((before - before.mean()) ** 2).sum())


def _percent(error: float, total: float) -> float | None:
    if not error:
        return 0.0
    return finite(100.0 * (error / total)) if total else None


class SquaredError:
    """The share of the spread that masking replaces by error, over all masked numeric variables and for each."""

    name: ClassVar[str] = "sse"
    title: ClassVar[str] = "Squared error (SSE/SST)"
    traits: ClassVar[MeasureTraits] = MeasureTraits("utility", unmasked=0.0)

    def measure(self, pair: Pair) -> Measured:
        """Return the loss in percent."""
        names = pair.numeric
        found = sse(*pair.numbers(names))
        figures = (Figure("sse", "squared error of squared spread", found.loss),)
        if found.loss is None:
            return not_measured(self.name, self.title, figures, _why_not(found))
        missing = [name for name, loss in zip(names, found.by_variable, strict=True) if loss is None]
        return Measured(
            self.name,
            self.title,
            figures,
            f"Masking replaced {found.loss:.2f}% of the spread of {variables_of(pair)} by error.",
            (_table(names, found),),
            (because("no-loss-of-own", variables=tuple(missing)),) if missing else (),
        )


REGISTERED = {"sse": SquaredError()}


def _why_not(found: Sse) -> Reason:
    return because("none-varies-or-too-large") if found.by_variable else because("no-masked-numeric")


def _table(names: tuple[str, ...], found: Sse) -> ResultTable:
    rows = tuple(zip(names, found.by_variable, strict=True))
    return ResultTable("by-variable", "Squared error by variable", ("variable", "loss"), (None, Unit.PERCENT), rows)
