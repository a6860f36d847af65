"""Fuzzy c-means microaggregation: V. Torra, A fuzzy microaggregation algorithm, CCIA 2015."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from constraint_sdc.maskers.masker import Masker
from constraint_sdc.settings.masker import RecipeMistake, flag, number
from constraint_sdc.settings.reason import Reason, because

if TYPE_CHECKING:
    from constraint_sdc.maskers.inputs import MaskInputs
    from constraint_sdc.maskers.masked import MaskedBlock
    from constraint_sdc.plan.design import BlockDesign
    from constraint_sdc.settings.recipe import Recipe


@dataclass(frozen=True)
class FuzzyCMeans(Masker):
    """Every record is replaced by a centre, drawn by its memberships: `m1` is the fuzziness of centres, `m2` of draws.

    `ensure_k` dissolves centres that fewer than k records drew; without it k is reported, not guaranteed. `constrained`
    keeps centres on the linear rules while they are computed, for records that break such a rule too.
    """

    name = "fuzzy-c-means"
    guarantee = "At least k records share a centre with `ensure_k`; without it k is reported, not guaranteed."
    draws_at_random = True
    divides_itself = True
    takes_weights = False

    m1: float = number("how fuzzy the centres are; 1 or more.", 1.2)
    m2: float = number("how fuzzy the draw of a centre is; 1 or more.", 1.3)
    ensure_k: bool = flag("dissolve centres that fewer than k records drew.")
    constrained: bool = flag("keep centres on the linear rules.")

    @property
    def shares_values(self) -> bool:
        """Tell whether centres of fewer than k records are dissolved."""
        return self.ensure_k

    @property
    def repairs_linear_rules(self) -> bool:
        """Tell whether centres are kept on the linear rules: then every record that draws one satisfies them."""
        return self.constrained

    def own_partition(self, sizes: Sequence[int], k: int) -> Reason:
        """Return how many centres there are."""
        return because("fuzzy-centres", centres=sum(-(-size // k) for size in sizes), k=k)

    def warnings(self, k: int, partition: str) -> tuple[Reason, ...]:
        """Return the warning that k is not guaranteed, unless `ensure_k` is set."""
        return () if self.ensure_k else (because("k-not-ensured", k=k),)

    def mistakes(self, recipe: Recipe, written: Mapping[str, Any]) -> Iterator[RecipeMistake]:
        """Yield exponents that are not valid."""
        for entry, exponent in (("m1", self.m1), ("m2", self.m2)):
            if not 1 <= exponent < math.inf:
                yield f"{entry} must be a number of at least 1", ["mask", entry]

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        """Return a centre for every record."""
        from constraint_sdc.maskers.fuzzy.mask_fuzzy import mask_fuzzy

        return mask_fuzzy(design, inputs, self)


REGISTERED = {"fuzzy-c-means": FuzzyCMeans}
