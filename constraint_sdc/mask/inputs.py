"""What every masker needs besides the design of a block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.exact.block_judge import Evaluate, Mask
from constraint_sdc.model.design import BlockDesign
from constraint_sdc.model.expression import Outside
from constraint_sdc.model.method import Method, Microaggregation
from constraint_sdc.model.swap_task import SwapTask
from constraint_sdc.model.table import Table
from constraint_sdc.partition.partitioner import Partitioner


@dataclass(frozen=True, slots=True)
class MaskInputs:
    """What masking needs besides the design.

    `held` tells for each rule which records satisfied it before masking; `evaluator_for` gives the evaluator of a
    block's rules. There is no partitioner for a masker that divides records itself, or not at all; `swaps` has the
    goals of group anonymity.
    """

    table: Table
    k: int
    seed: int
    partitioner: Partitioner | None
    held: Mapping[str, Mask]
    evaluator_for: Callable[[BlockDesign], Evaluate]
    domains: Mapping[Outside, Domain]
    is_xpath1: bool
    masker: Method = field(default_factory=Microaggregation)
    swaps: SwapTask | None = None
