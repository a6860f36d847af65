"""How much searching a partition is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass

from constraint_sdc.errors import UsageError

_ALONE = 3.0
_CHAIN = 5.5
_CORES = 2


@dataclass(frozen=True, slots=True)
class Effort:
    """A search of `chains` independent runs of `seconds` each, then `rounds` in which as many start from the best.

    The seconds are nominal: a fixed rate turns them into numbers of steps, so that the same file, seed and effort give
    the same groups on any machine, however long it takes there.
    """

    name: str
    seconds: float
    chains: int = 1
    rounds: int = 0


FAST = Effort("fast", 0.1)
DEFAULT = Effort("default", 0.5)
HIGH = Effort("high", 4.8, chains=2)
BEST = Effort("best", 12.0, chains=8, rounds=4)

EFFORTS: tuple[str, ...] = ("fast", "default", "high", "best")
"""The names that `--effort` takes."""

_BY_NAME = {effort.name: effort for effort in (FAST, DEFAULT, HIGH, BEST)}


def effort_of(name: str) -> Effort:
    """Return the effort of this name, or of a number of seconds such as "30s".

    >>> effort_of("high").chains, effort_of("30s").chains
    (2, 6)
    """
    if name in _BY_NAME:
        return _BY_NAME[name]
    try:
        seconds = float(name.removesuffix("s")) if name.endswith("s") else math.nan
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 86_400:
        raise UsageError(
            f"unknown effort {name!r}", hint=f"use {', '.join(EFFORTS)}, or a number of seconds such as 30s"
        )
    return _of_seconds(name, seconds)


def _of_seconds(name: str, seconds: float) -> Effort:
    """Spread a time over chains as the named efforts do, reckoning with two cores."""
    if seconds <= _ALONE:
        return Effort(name, seconds)
    chains = _CORES * math.ceil(seconds / (2 * _CHAIN))
    if chains <= _CORES:
        return Effort(name, 0.9 * seconds, _CORES)
    return Effort(name, 0.6 * seconds * _CORES / chains, chains, rounds=2)
