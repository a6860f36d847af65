"""Neighbours on the grid: a step up or down in few variables often makes a sum exact in double arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from constraint_sdc.arrays import Floats, Moves
from constraint_sdc.evaluate.expression import Arithmetic, Expression, variables_of, walk
from constraint_sdc.exact.candidates import Candidates, Deriver
from constraint_sdc.exact.settlement import Costs
from constraint_sdc.plan.design import BlockDesign, Derivation
from constraint_sdc.plan.plan import VariablePlan

_MOST_MOVES = 360
_FARTHEST = {1: 60, 2: 9, 3: 3}  # steps by the number of free variables; 1 when there are more
_SHORT_BITS = (26, 20)
_SHORT_DIGITS = (9, 6)


def moves(free: Sequence[int], width: int) -> Moves:
    """Return moves (m x width) in grid steps of the free variables, nearest first, without the move that stays.

    Up to three free variables move in every combination; of more, at most three move by a step each.
    """
    found: list[Moves] = []
    for steps in _moves(free):
        move = np.zeros(width)
        for variable, step in steps:
            move[variable] = step
        found.append(move)
        if len(found) == _MOST_MOVES:
            break
    return np.array(found).reshape(-1, width)


def _moves(free: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    if len(free) in _FARTHEST:
        reach = _FARTHEST[len(free)]
        every = product(range(-reach, reach + 1), repeat=len(free))
        for steps in sorted(every, key=lambda steps: (sum(map(abs, steps)), steps))[1:]:
            yield tuple(zip(free, steps, strict=True))
        return
    for count in (1, 2, 3):
        for some in combinations(free, count):
            for signs in product((1, -1), repeat=count):
                yield tuple(zip(some, signs, strict=True))


def move(candidates: Candidates, steps: Moves) -> None:
    """Move every candidate by its row of `steps` (c x d)."""
    for variable, series in enumerate(candidates.series):
        rows = np.flatnonzero(steps[:, variable])
        if len(rows) and series.grid.decimals is not None:
            numbers = candidates.values[rows, variable] + steps[rows, variable] / series.grid.scale
            candidates.set_numbers(variable, rows, numbers)


def shorten(candidates: Candidates, free: Sequence[int]) -> Iterator[Candidates]:
    """Yield the candidates with free doubles rounded to few digits of one scale.

    With few binary digits sums and products are exact in double arithmetic, with few decimal digits in that of
    xs:decimal.
    """
    if not free or not len(candidates):
        return
    rows = np.arange(len(candidates))
    largest = np.abs(candidates.values[:, list(free)]).max(axis=1)
    size = np.where(largest > 0, largest, 1.0)
    units = [np.exp2(np.ceil(np.log2(size)) - bits) for bits in _SHORT_BITS]
    for unit in units:
        shortened = candidates.take(rows)
        for variable in free:
            shortened.set_numbers(variable, rows, np.rint(candidates.values[:, variable] / unit) * unit)
        yield shortened
    for digits in _SHORT_DIGITS:
        places = (digits - np.ceil(np.log10(size))).astype(int).tolist()
        shortened = candidates.take(rows)
        for variable in free:
            numbers = candidates.values[:, variable].tolist()
            short = [round(number, place) for number, place in zip(numbers, places, strict=True)]
            shortened.set_numbers(variable, rows, np.array(short, np.float64))
        yield shortened


# Factors of derived products, moved to the values with the least loss of the group.
# The product of two means is not the mean of the products: a small loss in a factor may save a larger one in a product.

_REACH = 0.05  # of a standard deviation


@dataclass(frozen=True, slots=True)
class Polisher:
    """Moves the factors of derived products one after the other, in both directions."""

    design: BlockDesign
    deriver: Deriver
    costs: Costs

    def polished(self, candidates: Candidates, derivations: tuple[Derivation, ...]) -> Iterator[Candidates]:
        """Yield the candidates unchanged, then after each move; only moves that lower the cost are made."""
        yield candidates
        for j in self._factors(derivations):
            moved = self._lowest(candidates, j, derivations)
            costs = [self.costs.of(one.values, one.group) for one in (moved, candidates)]
            worse = np.flatnonzero(costs[0] >= costs[1])
            moved.put(worse, candidates.take(worse))
            candidates = moved
            yield candidates

    def _factors(self, derivations: tuple[Derivation, ...]) -> list[int]:
        products = {name for d in derivations for name in _multiplied(d.expression)}
        derived = {d.variable for d in derivations}
        found = [
            j
            for j, variable in enumerate(self.design.plan.variables)
            if _is_plain_average(variable) and variable.name in products - derived
        ]
        return found + found[::-1]

    def _lowest(self, candidates: Candidates, j: int, derivations: tuple[Derivation, ...]) -> Candidates:
        """Return candidates with variable j where a parabola through three points of the cost is lowest."""
        here = candidates.values[:, j].copy()
        reach = _REACH * self.design.series[j].deviation
        low, middle, high = (
            self.costs.of(self._at(candidates, j, here + shift, derivations).values, candidates.group)
            for shift in (-reach, 0.0, reach)
        )
        bend = low - 2.0 * middle + high
        with np.errstate(divide="ignore", invalid="ignore"):
            lowest = np.where(bend > 0, 0.5 * reach * (low - high) / bend, 0.0)
        return self._at(candidates, j, here + np.nan_to_num(lowest), derivations)

    def _at(self, candidates: Candidates, j: int, numbers: Floats, derivations: tuple[Derivation, ...]) -> Candidates:
        everyone = np.arange(len(candidates))
        moved = candidates.take(everyone)
        moved.set_numbers(j, everyone, numbers)
        self.deriver.derive(moved, derivations)
        return moved


def _is_plain_average(variable: VariablePlan) -> bool:
    return variable.traits.is_average and not variable.traits.averages_logarithms


def _multiplied(expression: Expression) -> tuple[str, ...]:
    """Return the variables of an expression if it multiplies or divides two of them."""
    is_product = any(
        isinstance(part, Arithmetic)
        and part.op in ("*", "div")
        and variables_of(part.left)
        and variables_of(part.right)
        for part in walk(expression)
    )
    return variables_of(expression) if is_product else ()
