"""Individual ranking where rules tie variables: every variable is divided separately, and rules hold for each record.

D. Defays and P. Nanopoulos, Panels of enterprises and confidentiality, Statistics Canada, 1993. With the variables of a
rule divided in different ways, k records do not share all their values, and dependents are computed for each record: k
is not guaranteed for such a block.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from constraint_sdc.arrays import Points, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.groups import Groups
from constraint_sdc.maskers.inputs import MaskInputs, group_targets
from constraint_sdc.maskers.masked import MaskedBlock
from constraint_sdc.maskers.microaggregation.mask_block import divide_strata, mask_block, price_of
from constraint_sdc.maskers.own_values import OwnValues
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Scale, Treatment


def mask_ranked(design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
    """Return the block with every variable averaged over its own neighbours, and the rules restored for each record."""
    if all(variable.treatment is not Treatment.RANKED for variable in design.plan.variables):
        return mask_block(design, replace(inputs, partitioner=Mdav()))
    unweighted = replace(design, cloud=Cloud(design.cloud.points, design.cloud.axes))
    clusters, stratum = divide_strata(unweighted, replace(inputs, partitioner=Mdav()))
    own = OwnValues(design, inputs, clusters, stratum)
    values, source = _ranked(design, inputs, clusters)
    everyone = own.records.label
    best = own.proposed(everyone, values, source)
    found = own.finish(best, values, own.first_step(np.flatnonzero(own.passing(best))))
    shared = tuple(_least_shared(found.candidates.texts[:, j]) for j in range(len(design.series)))
    notes = (because("values-shared", variables=tuple(series.name for series in design.series), records=shared),)
    price = price_of(design, inputs, clusters, found, everyone, notes=notes)
    return MaskedBlock(design.plan, clusters, stratum, found.step, found.candidates.columns(), price, everyone)


def _ranked(design: BlockDesign, inputs: MaskInputs, clusters: Groups) -> tuple[Points, Rows]:
    """Return each variable's values over groups of its own, and the records that cells are copied from.

    Categories that rules tie to numbers have no order, and some variables must come from one record: both use the
    clusters of the whole block.
    """
    shape = (len(design.cloud), len(design.series))
    values, source = np.zeros(shape), np.zeros(shape, np.int64)
    for j, axis in enumerate(design.cloud.axes[: len(design.series)]):
        columns = design.cloud.points[:, axis.start : axis.stop]
        own_axis = replace(axis, start=0, stop=axis.stop - axis.start)
        alone = Cloud(columns, (own_axis,), design.cloud.weights)
        has_order = axis.scale is not Scale.NOMINAL and design.plan.variables[j].treatment is Treatment.RANKED
        groups = divide_strata(replace(design, cloud=alone), inputs)[0] if has_order else clusters
        targets, copied, _ = group_targets(design, groups)
        values[:, j], source[:, j] = targets[groups.label, j], copied[groups.label, j]
    return values, source


def _least_shared(texts: np.typing.NDArray[np.object_]) -> int:
    return int(np.unique([str(text) for text in texts], return_counts=True)[1].min())
