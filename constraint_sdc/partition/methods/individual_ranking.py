"""Individual ranking: D. Defays and P. Nanopoulos, Panels of enterprises and confidentiality, Statistics Canada, 1993.

Proc. of the 92 Symposium on Design and Analysis of Longitudinal Surveys, 195-204: sort one variable, and group k
consecutive values.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Labels, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.partitioner import (
    PartitionTraits,
    Takes,
    below_2k,
    refuse_scales,
    refuse_weights,
    require_possible,
)
from constraint_sdc.settings.words import Scale

# The single varying variable, for methods that are defined for one variable only.


def only_variable(cloud: Cloud, refusal: str, *, hint: str) -> npt.NDArray[np.float64]:
    """Return the values of the only column that varies; refuse several, and name them if they have names.

    Constant columns do not count, because they do not distinguish records. If no column varies, every value is 0, so
    that a stratum of identical records is divided too.
    """
    varying = np.flatnonzero((cloud.points != cloud.points[:1]).any(axis=0))
    if len(varying) > 1:
        raise UsageError(f"{refusal}, but {_shown(cloud, varying.tolist())} vary", hint=hint)
    return cloud.points[:, varying[0]] if len(varying) else np.zeros(len(cloud))


def _shown(cloud: Cloud, columns: list[int]) -> str:
    names = [axis.name for axis in cloud.axes if any(axis.start <= column < axis.stop for column in columns)]
    if len(names) < 2:
        return f"{len(columns)} columns"
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


# Groups of k consecutive records of an order: the last step of methods that sort.


def consecutive(order: Rows, k: int) -> Labels:
    """Return the group of every record: the first k of the order, the next k, ...; the last group takes the rest.

    >>> consecutive(np.array([3, 1, 0, 2, 4]), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    labels = np.empty(len(order), np.int64)
    labels[order] = np.minimum(np.arange(len(order)) // k, len(order) // k - 1)
    return labels


class IndividualRanking:
    """Groups of k consecutive records in the order of one variable, ties by file order; the last has up to 2k - 1.

    At least k records share each value of a variable, but hardly any share a whole record: most can be re-identified.
    """

    name = "individual-ranking"
    traits = PartitionTraits(Takes.ONE_VARIABLE, largest=below_2k)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record, numbered from the lowest values up; the method is deterministic.

        >>> IndividualRanking().partition(Cloud(np.array([[9.0], [1.0], [2.0], [8.0], [0.0]])), 2, seed=1).tolist()
        [1, 0, 1, 1, 0]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        refuse_scales(cloud, self.name, frozenset({Scale.NOMINAL}), hint="categories have no order; use another method")
        hint = "use mdav or auto to group by several variables"
        values = only_variable(cloud, f"{self.name} masks each variable alone", hint=hint)
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        return consecutive(np.argsort(values, kind="stable"), k)


REGISTERED = {"individual-ranking": IndividualRanking()}
