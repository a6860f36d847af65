"""What an intruder knows before using the rules: values released unchanged, decimals, class means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.data.pair import Compared, MaskedTogether, Pair
from constraint_sdc.measures.attacks.rule_inference.intervals import ClassMeans, class_means, shared_rows
from constraint_sdc.measures.attacks.rule_inference.narrowing import Scene
from constraint_sdc.measures.attacks.rule_inference.rounded_bounds import Bounds
from constraint_sdc.measures.attacks.rule_inference.value_bounds import Box, ValueLattice, lattice_of_grid
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.settings.words import Scale

_CLOSE = 0.01
"""If the masking method is unknown, values within this share of a deviation of the class means count as means."""


@dataclass(frozen=True)
class Intruder:
    """`targets` are the masked numeric variables. A cell is `filled` if it holds a number in both files.

    The intruder does not know `original`: it is used to test the rules and to measure the width of intervals.
    """

    scene: Scene
    start: Box
    means: tuple[ClassMeans, ...]
    targets: tuple[str, ...]
    original: Mapping[str, Floats]
    filled: Mapping[str, Flags]
    notes: tuple[str, ...]


def intruder_of(pair: Pair, domains: Mapping[str, Floats]) -> Intruder:
    """Return what an intruder knows of a masked file; `domains` are values of other documents, by variable."""
    filled = {v.name: np.isfinite(v.original) & np.isfinite(v.masked) for v in pair.variables}
    credible = [v for v in pair.variables if v.is_masked or bool(v.unchanged.all())]
    numbers = {v.name: v for v in credible if v.scale is Scale.NUMERIC}
    lattices = {name: found for name, v in numbers.items() if (found := _lattice(v, filled[name])) is not None}
    columns = {name: _at_start(v, filled[name]) for name, v in numbers.items()}
    scene = Scene(
        frozenset(v.name for v in credible),
        frozenset(numbers),
        lattices,
        {name: np.unique(values[np.isfinite(values)]) for name, values in domains.items()},
    )
    means = tuple(_means(pair, filled))
    targets = tuple(name for name in pair.numeric if filled[name].any())
    original = {name: v.original for name, v in numbers.items()}
    notes = tuple(_notes(pair, means))
    return Intruder(scene, Box(columns, len(pair), lattices), means, targets, original, filled, notes)


def _at_start(variable: Compared, filled: Flags) -> Bounds:
    """Return the starting bounds: a value released unchanged is known, a masked value is unbounded."""
    is_known = filled & (not variable.is_masked)
    return np.where(is_known, variable.masked, -np.inf), np.where(is_known, variable.masked, np.inf)


def _lattice(variable: Compared, filled: Flags) -> ValueLattice | None:
    """Return the numbers of the variable's grid, if all original values lie on it."""
    found = lattice_of_grid(variable.grid)
    return found if found is not None and bool(found.holds(variable.original[filled]).all()) else None


def _means(pair: Pair, filled: Mapping[str, Flags]) -> Iterator[ClassMeans]:
    for block in pair.blocks:
        names = [v.name for v in pair.variables if v.name in block.names]
        if names and not block.is_weighted and len(pair):
            label = shared_rows([pair[name].masked_code for name in names])
            for name in names:
                found = (
                    class_means(name, label, pair[name].original, pair[name].masked) if name in pair.numeric else None
                )
                if found is not None and _is_mean(found, block, pair[name].original[filled[name]]):
                    yield found


def _is_mean(found: ClassMeans, block: MaskedTogether, original: Floats) -> bool:
    if block.operators:
        return block.operators.get(found.name) == ArithmeticMean.name
    return found.slack <= _CLOSE * deviation(original)


@np.errstate(over="ignore")
def deviation(values: Floats) -> float:
    """Return the standard deviation (n - 1), 0 for fewer than two values; no square overflows."""
    largest = float(np.abs(values).max(initial=0.0))
    if len(values) < 2 or largest == 0:
        return 0.0
    found = float(np.std(values / largest, ddof=1)) * largest
    return found if np.isfinite(found) and np.ptp(values / largest) > 0 else 0.0


def _notes(pair: Pair, means: tuple[ClassMeans, ...]) -> Iterator[str]:
    changed = [v.name for v in pair.variables if not v.is_masked and not v.unchanged.all()]
    if changed:
        yield f"Not masked but changed, so the attack does not use them: {', '.join(changed)}."
    texts = [v.name for v in pair.variables if v.is_masked and v.scale is not Scale.NUMERIC]
    if texts:
        yield f"Only numbers have intervals; left out: {', '.join(texts)}."
    used = {mean.name for mean in means}
    unused = [name for name in pair.numeric if name not in used]
    if unused:
        yield f"Not known to be group means, so the attack does not use their masked values: {', '.join(unused)}."
    assumed = [n for block in pair.blocks if not block.operators for n in block.names if n in used]
    if assumed:
        yield f"Assumed to be group means, because their values agree with group means: {', '.join(assumed)}."
