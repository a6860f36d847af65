"""Microhybrid: synthetic values with the means and covariances of every cluster of at least k records.

J. Domingo-Ferrer, Microaggregation-based numerical hybrid data, UNECE/Eurostat, 2009.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.settings.masker import RecipeMistake, variables
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Role, Scale, Treatment

if TYPE_CHECKING:
    from constraint_sdc.maskers.inputs import MaskInputs
    from constraint_sdc.maskers.masked import MaskedBlock
    from constraint_sdc.plan.design import BlockDesign
    from constraint_sdc.settings.recipe import Recipe

LEAST_CLUSTER = 3
"""Two records differ in one direction only: their synthetic values equal the original ones, exchanged or not."""


@dataclass(frozen=True)
class Microhybrid(Masker):
    """Synthetic values in every cluster of at least k records, with the cluster's means and covariances.

    `given` are variables that are not changed; the covariances with them are kept as well.
    """

    name = "microhybrid"
    guarantee = "Clusters of at least k records keep their means and covariances; k records need not share values."
    draws_at_random = True
    gives_own_values = True
    computes_totals = False
    least_k = 1
    takes_weights = False
    together = because("covariances-together")

    given: tuple[str, ...] = variables(
        "variables that are not changed, and whose covariances with the others are kept."
    )

    @property
    def kept_variables(self) -> Mapping[str, Reason]:
        """Return the given variables."""
        return dict.fromkeys(self.given, because("given"))

    def own_treatment(self, *, is_average: bool) -> Treatment:
        """Return the treatment: averages are synthesised, other values are shuffled within their cluster."""
        return Treatment.SYNTHESISED if is_average else Treatment.SHUFFLED

    def microaggregates(self, treatments: Collection[Treatment]) -> bool:
        """Tell whether rules leave nothing to synthesise or to shuffle."""
        return all(treatment is Treatment.AGGREGATED for treatment in treatments)

    def refuse_cluster(self, names: Sequence[str], k: int) -> None:
        """Refuse a k that leaves synthetic values no freedom: Domingo-Ferrer (2009) requires |X| + 2|Y| + 1.

        k = 1 masks nothing and gives the original.
        """
        given = self.given
        bound = len(names) + 2 * len(given) + 1
        least = max(bound, LEAST_CLUSTER)
        if not names or k == 1 or k >= least:
            return
        beside = f" and {len(given)} given ({', '.join(given)})" if given else ""
        formula = f"{len(names)} + 2 * {len(given)} + 1 = {bound}"
        if bound < LEAST_CLUSTER:
            formula += f", and never fewer than {LEAST_CLUSTER},"
        hint = f"use -k {least}, or put fewer variables into a block (`groups` or `group_size` in the recipe)"
        raise PlanRefusedError(
            f"microhybrid needs k of at least |X| + 2|Y| + 1 = {formula} for the {len(names)} variables of a block "
            f"({', '.join(names)}){beside}; k is {k}",
            hint=hint + (", or fewer into `given`" if given else ""),
        )

    def warnings(self, k: int, partition: str) -> tuple[Reason, ...]:
        """Return the warning that k = 1 masks nothing."""
        return (because("masks-nothing"),) if k == 1 else ()

    def mistakes(self, recipe: Recipe, written: Mapping[str, Any]) -> Iterator[RecipeMistake]:
        """Yield given variables that the recipe also masks, or that are not numeric."""
        for place, name in enumerate(self.given):
            for what in _given_mistakes(name, recipe):
                yield what, ["mask", "given", place]

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        """Return synthetic values for every record, or representatives where nothing can be synthesised."""
        if self.microaggregates([variable.treatment for variable in design.plan.variables]):
            from constraint_sdc.maskers.microaggregation.mask_block import mask_block

            return mask_block(design, inputs)
        from constraint_sdc.maskers.microhybrid.mask_hybrid import mask_hybrid

        return mask_hybrid(design, inputs)


def _given_mistakes(name: str, recipe: Recipe) -> Iterator[str]:
    wish = recipe.variables.get(name)
    if wish is not None:
        is_wished = (wish.operator, wish.decimals, wish.weight) != (None, None, None)
        if is_wished or wish.role not in (None, Role.UNTOUCHED):
            yield f"{name} is in `given`, so it is not changed and cannot be masked"
        if wish.scale not in (None, Scale.NUMERIC):
            yield f"{name} is in `given` and must be numeric, but it is {wish.scale.value}"
    if any(name in group for group in recipe.groups if recipe.groups != "all"):
        yield f"{name} is in `given`, so it is not changed and cannot be in a group"


REGISTERED = {"microhybrid": Microhybrid}
