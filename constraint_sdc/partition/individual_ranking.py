"""Individual ranking: D. Defays and P. Nanopoulos, Panels of enterprises and confidentiality, Statistics Canada, 1993.

Proc. of the 92 Symposium on Design and Analysis of Longitudinal Surveys, 195-204: sort one variable, and group k
consecutive values.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.groups import Labels
from constraint_sdc.model.policy import Scale
from constraint_sdc.partition.conditions import refuse_weights, require_possible
from constraint_sdc.partition.consecutive import consecutive
from constraint_sdc.partition.one_variable import only_variable
from constraint_sdc.partition.scales import refuse_scales


class IndividualRanking:
    """Groups of k neighbours in the order of one variable, ties by file order; the last group has up to 2k - 1.

    Each variable alone shares its values k times; records as a whole hardly share any, and most can be found again.
    """

    name = "individual-ranking"

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record, numbered from the lowest values up; nothing is drawn.

        >>> IndividualRanking().partition(Cloud(np.array([[9.0], [1.0], [2.0], [8.0], [0.0]])), 2, seed=1).tolist()
        [1, 0, 1, 1, 0]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        refuse_scales(cloud, self.name, frozenset({Scale.NOMINAL}), hint="categories have no order; use another method")
        hint = "several variables together need a method such as mdav or auto"
        values = only_variable(cloud, f"{self.name} masks each variable alone", hint=hint)
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        return consecutive(np.argsort(values, kind="stable"), k)
