"""Factors of derived products, moved to where the group as a whole loses least.

The product of two means is not the mean of the products: what one variable gives up, another may gain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.exact.costs import Costs, Floats
from constraint_sdc.exact.derived import Deriver
from constraint_sdc.model.design import BlockDesign, Derivation
from constraint_sdc.model.expression import Arithmetic, Expression, variables_of, walk
from constraint_sdc.model.policy import OperatorName

_REACH = 0.05  # of a standard deviation


@dataclass(frozen=True, slots=True)
class Polisher:
    """Moves the factors of derived products, one after the other, forth and back."""

    design: BlockDesign
    deriver: Deriver
    costs: Costs

    def polished(self, candidates: Candidates, derivations: tuple[Derivation, ...]) -> Iterator[Candidates]:
        """Yield the candidates as they are, then after each move; a move that does not pay is not made."""
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
            if variable.operator is OperatorName.ARITHMETIC_MEAN and variable.name in products - derived
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
