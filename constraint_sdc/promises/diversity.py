"""Diversity: the values of a variable among the records that share the key (Machanavajjhala et al. 2007)."""

from __future__ import annotations

import math
from collections import Counter

from constraint_sdc.plan.promised import Found, PromiseCount
from constraint_sdc.promises.release import Release
from constraint_sdc.promises.sensitive import sensitive_values
from constraint_sdc.settings.protect import DiversityPromise

_ROUNDING = 2e-9  # of an entropy


def count_diversity(release: Release, promise: DiversityPromise, key: tuple[str, ...]) -> PromiseCount:
    """Count the values in each class of the key; a missing value is no value."""
    found = sensitive_values(release, promise.of, key)
    of_class: dict[int, Counter[int]] = {int(label): Counter() for label in set(found.label.tolist())}
    for label, rank, has_value in zip(found.label.tolist(), found.rank.tolist(), found.has_value.tolist(), strict=True):
        if has_value:
            of_class[label][rank] += 1
    counts = [sorted(counter.values(), reverse=True) for counter in of_class.values()]
    failing = sum(not _holds(count, promise) for count in counts)
    asked: dict[str, Found] = {"l": promise.l, "kind": promise.kind}
    if promise.kind == "recursive":
        asked["c"] = promise.c
    told = {**_least(counts, promise), "classes": len(counts), "failing": failing}
    return PromiseCount("diversity", (promise.of,), asked, told, failing == 0)


def _holds(counts: list[int], promise: DiversityPromise) -> bool:
    """Tell whether a class keeps the promise; `counts` are those of its values, most frequent first."""
    match promise.kind:
        case "distinct":
            return len(counts) >= promise.l
        case "entropy":
            return bool(counts) and _entropy(counts) >= math.log(promise.l) - _ROUNDING
        case "recursive":
            return bool(counts) and counts[0] < promise.c * sum(counts[int(promise.l) - 1 :])


def _least(classes: list[list[int]], promise: DiversityPromise) -> dict[str, Found]:
    """Return what the worst class has: the l that it reaches, or the c that it needs (None: no c is enough)."""
    if promise.kind == "recursive":
        tails = [(counts[0] if counts else 0, sum(counts[int(promise.l) - 1 :])) for counts in classes]
        worst = max((most / tail if tail else math.inf for most, tail in tails), default=0.0)
        return {"c_above": worst if math.isfinite(worst) else None}
    if promise.kind == "entropy":
        return {"l": min((math.exp(_entropy(counts)) if counts else 0.0 for counts in classes), default=0.0)}
    return {"l": min(map(len, classes), default=0)}


def _entropy(counts: list[int]) -> float:
    total = sum(counts)
    return -math.fsum(count / total * math.log(count / total) for count in counts)
