"""What an intruder who knows the masking method can use of each variable, and why not more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from constraint_sdc.arrays import Floats, Labels
from constraint_sdc.data.pair import Compared, MaskedTogether, Pair
from constraint_sdc.measures.attacks.transparency_reach import (
    Reach,
    keeps_order,
    mean_error,
    reach_of_blanks,
    reach_of_codes,
    reach_of_means,
    reach_of_order,
    slack,
)
from constraint_sdc.measures.risk.achieved_k import classes
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.partition.registry import PARTITIONS
from constraint_sdc.settings.words import Scale

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
    alone = [MaskedTogether((name,)) for name in pair.known if name not in inside]
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
    if block.method == "auto":
        return len(block.names) == 1 and not block.is_weighted
    return block.method is None or (block.method in PARTITIONS and PARTITIONS[block.method].traits.takes_one_variable)


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
