"""Microhybrid: synthetic values with the means and covariances of every cluster of at least k records.

J. Domingo-Ferrer, Microaggregation-based numerical hybrid data, UNECE/Eurostat, 2009.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.settings.masker import RecipeMistake, parameter, variables
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Role, Scale, Treatment

if TYPE_CHECKING:
    from constraint_sdc.maskers.inputs import MaskInputs
    from constraint_sdc.maskers.masked import MaskedBlock
    from constraint_sdc.plan.design import BlockDesign, Design, PlanInputs
    from constraint_sdc.settings.recipe import Recipe

LEAST_CLUSTER = 3
"""Two records differ in one direction only: their synthetic values equal the original ones, exchanged or not."""


# How much of the original stays: the alpha of Muralidhar and Sarathy (sarathy.py), one number or one for each variable.

Told: TypeAlias = float | tuple[tuple[str, float], ...]

_NUMBER: dict[str, Any] = {
    "type": ["integer", "string"],
    "pattern": "^[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$",
    "minimum": 0,
}
ALPHA: dict[str, Any] = {
    "description": "how much of the original stays, 0 to below 1: a number, or one for each variable; default: 0.",
    "if": {"type": "object"},
    "then": {"minProperties": 1, "additionalProperties": _NUMBER},
    "else": _NUMBER,
}


def read_alpha(entry: Any) -> Told:
    """Return alpha from a recipe."""
    if isinstance(entry, Mapping):
        return tuple((str(name), float(number)) for name, number in entry.items())
    return float(entry)


def write_alpha(alpha: Told | None) -> object:
    """Return alpha in the form of a recipe."""
    if isinstance(alpha, tuple):
        return {name: repr(number) for name, number in alpha}
    return None if alpha is None else repr(alpha)


@dataclass(frozen=True)
class Alpha:
    """What stays of each variable of a block. `is_even` if all are equal: then the noise always has a covariance."""

    numbers: tuple[float, ...]

    @staticmethod
    def of(told: Told | None, names: tuple[str, ...]) -> Alpha:
        """Return the numbers of some variables; those that are not named have 0."""
        if isinstance(told, tuple):
            named = dict(told)
            return Alpha(tuple(named.get(name, 0.0) for name in names))
        return Alpha((told or 0.0,) * len(names))

    @property
    def largest(self) -> float:
        """Return the largest number."""
        return max(self.numbers, default=0.0)

    @property
    def is_even(self) -> bool:
        """Tell whether all numbers are equal."""
        return len(set(self.numbers)) <= 1


@dataclass(frozen=True)
class Microhybrid(Masker):
    """Synthetic values in every cluster of at least k records, with the cluster's means and covariances.

    `given` are variables that are not changed; the covariances with them are kept as well. `alpha` is how much of the
    original stays in the values, for all variables or for each: the generator of Muralidhar and Sarathy.
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
    alpha: float | tuple[tuple[str, float], ...] | None = parameter(
        ALPHA, default=None, read=read_alpha, write=write_alpha
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
        if not Alpha.of(self.alpha, tuple(names)).is_even and k != 1:
            _refuse_without_room(names, len(given), k)
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
        """Return the warnings that k = 1 masks nothing, and that alpha leaves a part of the original."""
        if k == 1:
            return (because("masks-nothing"),)
        most = max((number for _, number in self.alpha), default=0.0) if isinstance(self.alpha, tuple) else self.alpha
        return (because("original-stays", alpha=most),) if most else ()

    def plan(self, inputs: PlanInputs) -> Design:
        """Return the plan; UsageError if alpha names a variable that is not synthesised."""
        design = super().plan(inputs)
        named = [name for name, _ in self.alpha] if isinstance(self.alpha, tuple) else []
        drawn = {
            variable.name
            for block in design.plan.blocks
            for variable in block.variables
            if variable.treatment is Treatment.SYNTHESISED
        }
        for name in named:
            if name not in drawn:
                hint = f"synthetic are: {', '.join(sorted(drawn)) or 'none'}"
                raise UsageError(f"alpha names {name}, which gets no synthetic values", hint=hint)
        return design

    def mistakes(self, recipe: Recipe, written: Mapping[str, Any]) -> Iterator[RecipeMistake]:
        """Yield given variables that the recipe also masks, or that are not numeric."""
        for place, name in enumerate(self.given):
            for what in _given_mistakes(name, recipe):
                yield what, ["mask", "given", place]
        numbers = self.alpha if isinstance(self.alpha, tuple) else (("", self.alpha or 0.0),)
        for name, number in numbers:
            if not number < 1.0:
                what = "alpha must be below 1: with 1 the original itself would be published"
                yield what, ["mask", "alpha", *([name] if name else [])]

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        """Return synthetic values for every record, or representatives where nothing can be synthesised."""
        if self.microaggregates([variable.treatment for variable in design.plan.variables]):
            from constraint_sdc.maskers.microaggregation.mask_block import mask_block

            return mask_block(design, inputs)
        from constraint_sdc.maskers.microhybrid.mask_hybrid import mask_hybrid

        return mask_hybrid(design, inputs, self.alpha)


def _refuse_without_room(names: Sequence[str], given: int, k: int) -> None:
    """Refuse a k that leaves noise orthogonal to the original no room, which different alphas need."""
    least = 2 * len(names) + given + 1
    if k < least:
        what = f"different alphas need k of at least 2|X| + |Y| + 1 = {least} for {', '.join(names)}; k is {k}"
        raise PlanRefusedError(what, hint=f"use -k {least}, one alpha for all, or fewer variables in a block")


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
