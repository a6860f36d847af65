"""The key: at least k records share the values of all its variables together, masked and unmasked ones alike."""

from __future__ import annotations

import numpy as np

from constraint_sdc.plan.promised import PromiseCount
from constraint_sdc.promises.release import Release, classes
from constraint_sdc.settings.protect import KeyPromise


def count_key(release: Release, promise: KeyPromise) -> PromiseCount:
    """Count the records of each class; a missing value is a value of its own."""
    names, k = promise.variables or (), promise.k or release.k
    sizes = np.bincount(classes(release.after, names))
    smallest = int(sizes.min(initial=release.after.records))
    found = {"smallest": smallest, "classes": len(sizes), "below_k": int(sizes[sizes < k].sum())}
    return PromiseCount("key", names, {"k": k}, found, smallest >= k)
