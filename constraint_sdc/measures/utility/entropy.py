"""Entropy of categories: P. Kooiman, L. Willenborg and J. Gouweleeuw, PRAM, 1997: entropy-based information loss.

The conditional entropy of the original category, given the masked one, is what an analyst no longer knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Codes, Counts
from constraint_sdc.data.pair import Compared, Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.utility.tables import MOST_PAIRS, categories_of, changed_pairs, combined, left_out_pairs
from constraint_sdc.measures.utility.yardstick import counted, mean_of, not_measured
from constraint_sdc.settings.reason import because

_ROUNDING = 1e-12  # bits: sums of logarithms are exact to this


def entropy(counts: Counts) -> float:
    """Return the entropy of a table in bits; 0 for one filled cell.

    >>> entropy(np.array([2, 2, 0]))
    1.0
    """
    filled = counts[counts > 0] / max(int(counts.sum()), 1)
    return abs(float(-(filled * np.log2(filled)).sum()))


def entropy_of(columns: Sequence[Codes]) -> float:
    """Return the joint entropy of some columns of codes in bits."""
    return entropy(np.bincount(combined(columns)))


def mutual_information(one: Codes, other: Codes) -> float:
    """Return what one column tells about the other, in bits, never below 0."""
    return _above_rounding(entropy_of([one]) + entropy_of([other]) - entropy_of([one, other]))


def _above_rounding(bits: float) -> float:
    return bits if bits > _ROUNDING else 0.0


@dataclass(frozen=True, slots=True)
class EntropyLoss:
    """One variable's entropy before and after, and what of it is unknown given the masked value; in bits."""

    name: str
    before: float
    after: float
    unknown: float

    @property
    def lost(self) -> float | None:
        """Return the unknown share in per cent; None for a constant, which has nothing to lose."""
        return 100.0 * min(self.unknown / self.before, 1.0) if self.before else None


def entropy_loss(variable: Compared) -> EntropyLoss:
    """Return the entropies of one variable; the table of original by masked values is that of the file."""
    before, after = entropy_of([variable.original_code]), entropy_of([variable.masked_code])
    joint = entropy_of([variable.original_code, variable.masked_code])
    return EntropyLoss(variable.name, before, after, _above_rounding(joint - after))


class CategoryEntropy:
    """What is no longer known of categories: conditional entropy, and changes of entropy and mutual information."""

    name: ClassVar[str] = "entropy"
    title: ClassVar[str] = "Entropy of categories"
    traits: ClassVar[MeasureTraits] = MeasureTraits("utility", unmasked=0.0)

    def measure(self, pair: Pair) -> Measured:
        """Return the mean share of entropy lost, and the mean changes in bits."""
        variables = categories_of(pair)
        found = [entropy_loss(v) for v in variables if v.is_masked and len(pair)]
        pairs = changed_pairs(variables)
        tied = [_association(a, b) for a, b in pairs[:MOST_PAIRS]] if len(pair) else []
        figures = _figures(found, tied)
        if not found:
            why = because("no-records") if any(v.is_masked for v in variables) else because("no-masked-category")
            return not_measured(self.name, self.title, figures, why)
        if figures[0].value is None:
            return not_measured(self.name, self.title, figures, because("categories-constant"))
        masked = counted(len(found), "masked category", "masked categories")
        says = f"{figures[0].value:.2f}% of the information in {masked} is lost."
        return Measured(
            self.name, self.title, figures, says, _tables(found, tied), tuple(left_out_pairs(len(pairs), MOST_PAIRS))
        )


REGISTERED = {"entropy": CategoryEntropy()}

_Association = tuple[str, str, float, float]


def _association(a: Compared, b: Compared) -> _Association:
    before = mutual_information(a.original_code, b.original_code)
    return a.name, b.name, before, mutual_information(a.masked_code, b.masked_code)


def _figures(found: Sequence[EntropyLoss], tied: Sequence[_Association]) -> tuple[Figure, ...]:
    moved = mean_of(abs(e.after - e.before) for e in found)
    ties = mean_of(abs(after - before) for _, _, before, after in tied)
    return (
        Figure("lost", "information about the original category that is lost", mean_of(e.lost for e in found)),
        Figure("entropy", "mean change of the entropy, in bits", moved, Unit.PLAIN),
        Figure("mutual-information", "mean change of mutual information, in bits", ties, Unit.PLAIN),
    )


def _tables(found: Sequence[EntropyLoss], tied: Sequence[_Association]) -> tuple[ResultTable, ...]:
    head = ("variable", "lost", "bits before", "bits after", "bits unknown")
    units = (None, Unit.PERCENT, Unit.PLAIN, Unit.PLAIN, Unit.PLAIN)
    rows = tuple((e.name, e.lost, e.before, e.after, e.unknown) for e in found)
    single = ResultTable("entropies", "Entropy by variable", head, units, rows)
    if not tied:
        return (single,)
    pairs = tuple((f"{a} x {b}", before, after) for a, b, before, after in tied)
    units_of_pairs = (None, Unit.PLAIN, Unit.PLAIN)
    title = "Mutual information by pair, in bits"
    return single, ResultTable("associations", title, ("variables", "before", "after"), units_of_pairs, pairs)
