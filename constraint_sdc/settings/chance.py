"""When a record that equals an actual one is chance, and does not count as verbatim."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chance:
    """From which shares on equal values are chance; `benchmarks/chance.py` measures others than these.

    In a block: where a share `crowded` of all possible combinations occurs. Over all blocks: where less than a share
    `unchanged` of the records that stand alone did not change.
    """

    crowded: float = 0.2
    unchanged: float = 0.1


USUAL = Chance()
NEVER = Chance(math.inf, 0.0)
"""Nothing is chance: every equal record counts."""
