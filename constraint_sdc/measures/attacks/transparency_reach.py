"""What an intruder who knows the masking method can use: the masked records that an original can have become."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Labels
from constraint_sdc.data.pair import Compared, MaskedTogether, Pair
from constraint_sdc.measures.risk.achieved_k import classes
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.partition.methods.tree import safe_scale
from constraint_sdc.partition.registry import takes_one_variable
from constraint_sdc.settings.words import Scale

# The masked records that an original record can have become, by one variable or block.

BLANK = -np.inf
"""The position of blanks: no interval of numbers reaches it."""

FARTHEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Reach:
    """Original x can have become masked record y only if x's interval and y's interval overlap; n numbers each.

    Ends belong to an interval. It is sound if every record's two intervals overlap: then the true masked record is in
    the set of every record, whatever other sound sets it is intersected with.
    """

    low_x: Floats
    high_x: Floats
    low_y: Floats
    high_y: Floats

    @property
    def is_sound(self) -> bool:
        """Tell whether every record can have become its true masked record."""
        return bool(((self.low_y <= self.high_x) & (self.high_y >= self.low_x)).all())

    @property
    def has_points(self) -> bool:
        """Tell whether the masked records are points: then those within reach are consecutive in their order."""
        return bool((self.low_y == self.high_y).all())


def reach_of_codes(original: Codes, masked: Codes) -> Reach:
    """Return the reach of equality: x can have become y only if both have the same code."""
    x, y = original.astype(np.float64), masked.astype(np.float64)
    return Reach(x, x, y, y)


def reach_of_blanks(blank: Flags) -> Reach:
    """Return the reach of masking that is only known to keep blanks blank and numbers numbers."""
    low, high = np.where(blank, BLANK, -FARTHEST), np.where(blank, BLANK, FARTHEST)
    return Reach(low, high, low, high)


# The transparency attack on blocks of several variables whose groups got their mean.
#
# Compare J. Nin, J. Herranz and V. Torra, On the disclosure risk of multivariate microaggregation, Data and Knowledge
# Engineering 67, 399-412, 2008; the bound here is weaker, holds for every partition, and is never wrong.


def mean_error(original: Floats, masked: Floats, label: Labels) -> float:
    """Return the largest distance of a masked value from the mean of the class that shares it, without blanks."""
    present = ~np.isnan(original)
    if not present.any():
        return 0.0
    scale = safe_scale(original[present])
    sums = np.bincount(label[present], original[present] * scale)
    mean = sums[label[present]] / np.bincount(label[present])[label[present]]
    with np.errstate(over="ignore"):
        return float(np.abs(masked[present] - mean / scale).max())


def reach_of_means(original: Floats, masked: Floats, label: Labels, error: float) -> Reach:
    """Return the reach of means: records of one `label` share the masked row, which is their mean within `error`.

    Let s records share the masked value c. Their values sum up to s * c, so x, if it is one of them, is s * c less the
    values of s - 1 others: at least s * c - (the s - 1 largest values of the file), at most s * c - (the s - 1 smallest
    ones). If c differs from the mean by up to `error`, both ends move outwards by s * error. Groups that happen to have
    the same mean count as one: the sum is still right. The ends are widened by the measured rounding error.

    Blanks must be the same in both arrays.
    """
    blank = np.isnan(original)
    scale = safe_scale(np.concatenate((original[~blank], masked[~blank])))
    x, c = np.where(blank, 0.0, original) * scale, np.where(blank, 0.0, masked) * scale
    sums = np.concatenate(([0.0], np.cumsum(np.sort(x[~blank]))))
    size = np.bincount(label)[label]
    others = np.minimum(size - 1, len(sums) - 1)
    with np.errstate(over="ignore"):
        low = size * (c - error * scale) - (sums[-1] - sums[len(sums) - 1 - others])
        high = size * (c + error * scale) - sums[others]
    return _widened(x, low, high, blank)


def _widened(x: Floats, low: Floats, high: Floats, blank: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Reach:
    """Move the ends outwards so that they include the true records despite the rounding of long sums."""
    outside = np.where(blank, 0.0, np.maximum(low - x, x - high)).max(initial=0.0)
    margin = np.nextafter(outside, np.inf)
    low, high = np.maximum(low - margin, -FARTHEST), np.minimum(high + margin, FARTHEST)
    point = np.where(blank, BLANK, x)
    return Reach(point, point, np.where(blank, BLANK, low), np.where(blank, BLANK, high))


# The transparency attack on one variable that was masked by groups of consecutive values.
#
# J. Nin and V. Torra, Analysis of the univariate microaggregation disclosure risk, New Generation Computing 27,
# 177-194, 2009; V. Torra, Transparency and microaggregation, equation 1.


def keeps_order(original: Floats, masked: Floats) -> bool:
    """Tell whether masking kept the order of different values; equal values may become different.

    >>> keeps_order(np.array([1.0, 2.0, 2.0, 9.0]), np.array([1.5, 1.5, 5.5, 5.5]))
    True
    """
    present = ~np.isnan(original)
    in_order = masked[present][np.lexsort((masked[present], original[present]))]
    return bool((in_order[1:] >= in_order[:-1]).all())


def slack(original: Floats, masked: Floats) -> float:
    """Return the largest distance of a masked value from the range of the values that became it.

    It is 0 for a mean, also for one rounded to a grid on which the values lie.
    """
    present = ~np.isnan(original)
    values, place = np.unique(masked[present], return_inverse=True)
    lowest, highest = np.full(len(values), np.inf), np.full(len(values), -np.inf)
    np.minimum.at(lowest, place, original[present])
    np.maximum.at(highest, place, original[present])
    with np.errstate(over="ignore"):
        most = max((lowest - values).max(initial=0.0), (values - highest).max(initial=0.0))
    return float(np.nextafter(most, np.inf)) if most > 0 else 0.0


def reach_of_order(original: Floats, masked: Floats, most: float) -> Reach:
    """Return the reach of masking that keeps the order, with values at most `most` outside their groups' ranges.

    x can have become only the values from the last one below x - most to the first one above x + most. Proof: let x
    have become y, and suppose a masked value m with x + most < m < y. Every record that became m has a value of at most
    x: otherwise the lower x would have become the higher y, against the order. So m is at most x + most: a
    contradiction. The proof of the lower end is the same. It does not use groups, so equal values may be in different
    groups, and groups may share their value. In double, `most` is rounded up and x + most is rounded monotonically, so
    m <= x + most holds there too.

    Blanks must be the same in both arrays.
    """
    blank = np.isnan(original)
    values = np.unique(masked[~blank])
    with np.errstate(over="ignore"):
        below = np.searchsorted(values, np.where(blank, 0.0, original) - most, "left") - 1
        above = np.searchsorted(values, np.where(blank, 0.0, original) + most, "right")
    low, high = values[np.maximum(below, 0)], values[np.minimum(above, len(values) - 1)]
    become = np.where(blank, BLANK, masked)
    return Reach(np.where(blank, BLANK, low), np.where(blank, BLANK, high), become, become)


# What an intruder who knows the masking method can use of each variable, and why not more.

Knowledge: TypeAlias = Literal["published", "rerun"]

"""Methods that form groups of consecutive values by definition."""

_ROUNDING = 1e-9
"""The rounding error, relative to the largest value, within which a value counts as a mean."""


@dataclass(frozen=True)
class Use:
    """What the intruder uses of a variable (of a block if the method is rerun), and how; without a reach, nothing.

    `slack` is the largest distance of a masked value from the method's own value, in the variable's unit; the intruder
    is assumed to know it.
    """

    name: str
    how: str
    reach: Reach | None = None
    slack: float | None = None


def uses_of(pair: Pair, knowledge: Knowledge) -> Iterator[Use]:
    """Yield what the intruder uses of all known variables; every reach is sound.

    With `published` the intruder uses the description of the method. With `rerun` the intruder has all values of a
    block, runs the method, and sees which masked values each record got; for blocks that are known in part, and for
    random methods with an unknown seed, the intruder uses what is published.
    """
    yield from (Use(name, "nothing: computed from other variables") for name in pair.known if name in pair.computed)
    for block in _blocks(pair):
        known = [name for name in block.names if name in pair.known]
        is_all = len(known) == len(block.names) and all(pair[name].is_masked for name in known)
        if knowledge == "rerun" and known and is_all and not block.is_drawn:
            label = classes([pair[name].masked_code for name in block.names])
            yield Use(", ".join(block.names), "groups found by running the method", reach_of_codes(label, label))
        else:
            yield from (_checked(_published(pair, block, pair[name])) for name in known)


def _blocks(pair: Pair) -> list[MaskedTogether]:
    """Return the blocks; a variable in none is a block of its own."""
    inside = {name for block in pair.blocks for name in block.names}
    alone = [MaskedTogether((name,)) for name in pair.known if name not in inside and name not in pair.computed]
    return [*pair.blocks, *alone]


def _checked(use: Use) -> Use:
    """Return the use; none if it would exclude a true record, so that no uncertain link is called certain."""
    if use.reach is None or use.reach.is_sound:
        return use
    return Use(use.name, "nothing: it would exclude the true record", slack=use.slack)


def _published(pair: Pair, block: MaskedTogether, variable: Compared) -> Use:
    """Return what follows from the description of the method for one variable."""
    name, blank = variable.name, np.isnan(variable.original)
    if not variable.is_masked:
        if not variable.unchanged.all():
            return Use(name, "nothing: not masked but changed")
        return Use(name, "not masked: the same value", reach_of_codes(variable.original_code, variable.masked_code))
    if (blank != np.isnan(variable.masked)).any():
        return Use(name, "nothing: values appear or vanish")
    if blank.all():
        return Use(name, "nothing: all blank")
    if _is_consecutive(block, variable) and keeps_order(variable.original, variable.masked):
        most = slack(variable.original, variable.masked)
        reach = reach_of_order(variable.original, variable.masked, most)
        return Use(name, "groups of consecutive values", reach, most)
    return _by_operator(pair, block, variable)


def _is_consecutive(block: MaskedTogether, variable: Compared) -> bool:
    """Tell whether groups are known, or may be assumed if the method is unknown, to have consecutive values.

    `auto` divides a single variable by the optimal cut, unless records have weights. Other methods do not guarantee it,
    and strata can make groups overlap with any method; the caller checks the values.
    """
    if variable.scale is Scale.NOMINAL:
        return False
    partition = block.divided_by
    if partition == "auto":
        return len(block.names) == 1 and not block.is_weighted
    return partition is None or (takes_one_variable(partition) and not partition.endswith("+refine"))


def _by_operator(pair: Pair, block: MaskedTogether, variable: Compared) -> Use:
    """Return what follows from the operator alone, whatever the groups."""
    if block.is_drawn:
        return _blanks_only(variable, "drawn at random")
    if block.is_swapped:
        return _blanks_only(variable, "swapped with another record")
    operator = block.operators.get(variable.name)
    released = {one.name for one in pair.variables}
    label = classes([pair[name].masked_code for name in block.names if name in released])
    if variable.scale is not Scale.NUMERIC or block.is_weighted:
        return _blanks_only(variable, "weighted" if block.is_weighted else "not numbers")
    if operator == ArithmeticMean.name or (operator is None and _is_mean(variable, label)):
        return _by_means(variable.name, "mean of its group", variable.original, variable.masked, label)
    if operator == GeometricMean.name and _is_positive(variable):
        logs = np.log(variable.original), np.log(variable.masked)
        return _by_means(variable.name, "geometric mean of its group (slack of logarithms)", *logs, label)
    said = "operator unknown" if operator is None else f"{operator} of a group"
    return _blanks_only(variable, said)


def _by_means(name: str, how: str, original: Floats, masked: Floats, label: Labels) -> Use:
    error = mean_error(original, masked, label)
    return Use(name, how, reach_of_means(original, masked, label, error), error)


def _blanks_only(variable: Compared, why: str) -> Use:
    """Return the use of blanks, which stay blank; nothing if there are none."""
    blank = np.isnan(variable.original)
    if blank.any():
        return Use(variable.name, f"only which records have a value ({why})", reach_of_blanks(blank))
    return Use(variable.name, f"nothing ({why})")


def _is_mean(variable: Compared, label: Labels) -> bool:
    """Tell whether masked values are the means of the records that share them, up to rounding."""
    largest = float(np.nanmax(np.abs(variable.original)))
    step = variable.grid.step
    allowed = largest * _ROUNDING + (float(step) / 2 if step is not None else 0.0)
    return mean_error(variable.original, variable.masked, label) <= allowed


def _is_positive(variable: Compared) -> bool:
    return bool(np.nanmin(variable.original) > 0 and np.nanmin(variable.masked) > 0)
