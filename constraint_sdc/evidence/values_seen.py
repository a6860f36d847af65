"""Ranges and examples of values, for those who may see them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.evidence.profile import Profile

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class ValuesSeen:
    """Values of records: the least and the greatest number as written, and the most frequent texts."""

    lowest: str | None = None
    highest: str | None = None
    examples: tuple[str, ...] = ()


def values_seen(profile: Profile) -> ValuesSeen:
    """Return the range of the numbers, if there are any, and examples.

    >>> from constraint_sdc.data.table import column_of
    >>> from constraint_sdc.evidence.profile import profile_of
    >>> values_seen(profile_of(column_of("V1", ["7", "12", "7", "n/a"])))
    ValuesSeen(lowest='7', highest='12', examples=('7', '12', 'n/a'))
    """
    most = np.lexsort((np.arange(len(profile.counts)), -profile.counts))[:_EXAMPLES]
    examples = tuple(profile.strings(most))
    places = np.flatnonzero(profile.is_number)
    if not len(places):
        return ValuesSeen(examples=examples)
    numbers = profile.numbers[places]
    lowest, highest = profile.strings(places[[int(numbers.argmin()), int(numbers.argmax())]])
    return ValuesSeen(lowest, highest, examples)
