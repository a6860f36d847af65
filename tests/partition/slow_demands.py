"""The demands on one group as their definitions are written, in exact fractions and plain loops."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction


def p_percent(values: Sequence[int | Fraction], p: Fraction) -> bool:
    """Tell whether the second largest member errs by at least p% when it estimates the largest from the sum."""
    ordered = sorted(map(abs, values), reverse=True)
    largest, second = ordered[0], ordered[1] if len(ordered) > 1 else 0
    estimate = sum(ordered) - second
    return largest == 0 or (estimate - largest) * 100 >= p * largest


def n_share(values: Sequence[int | Fraction], n: int, share: Fraction) -> bool:
    ordered = sorted(map(abs, values), reverse=True)
    return sum(ordered[:n]) * 100 <= share * sum(ordered)


def distinct(values: Sequence[Hashable], l: int) -> bool:  # noqa: E741
    return len(set(values)) >= l


def entropy(values: Sequence[Hashable], l: float) -> bool:  # noqa: E741
    shares = [count / len(values) for count in Counter(values).values()]
    return -math.fsum(share * math.log(share) for share in shares) >= math.log(l) - 1e-9


def recursive(values: Sequence[Hashable], c: Fraction, l: int) -> bool:  # noqa: E741
    counts = sorted(Counter(values).values(), reverse=True)
    return bool(counts) and counts[0] < c * sum(counts[l - 1 :])


def ordered_distance(group: Sequence[int], file: Sequence[int]) -> Fraction:
    """Return the work of moving one distribution into the other along the order of the file's values."""
    domain = sorted(set(file))
    if len(domain) == 1:
        return Fraction(0)
    carried, work = Fraction(0), Fraction(0)
    for value in domain:
        carried += Fraction(group.count(value), len(group)) - Fraction(file.count(value), len(file))
        work += abs(carried)
    return work / (len(domain) - 1)


def equal_distance(group: Sequence[Hashable], file: Sequence[Hashable]) -> Fraction:
    """Return half of the absolute differences of all frequencies."""
    shares = (Fraction(group.count(v), len(group)) - Fraction(file.count(v), len(file)) for v in set(file))
    return sum(map(abs, shares), Fraction(0)) / 2
