"""Microaggregation of one block: divide its strata into groups, apply the operators, make the result exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from constraint_sdc.arrays import Labels, Points, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.groups import Groups
from constraint_sdc.engines.freeing import give_back_after_work
from constraint_sdc.engines.running import scratch
from constraint_sdc.exact.actual_records import ActualRecords
from constraint_sdc.exact.candidates import Deriver
from constraint_sdc.exact.ladder import Ladder, count_steps
from constraint_sdc.maskers.inputs import MaskInputs, changed_categories, group_targets, information_loss, plain_loss
from constraint_sdc.maskers.masked import MaskedBlock
from constraint_sdc.maskers.microaggregation.keep_promises import keep_promises
from constraint_sdc.maskers.microaggregation.operator_loss import lower_loss_of_operator
from constraint_sdc.maskers.own_values import OwnValues
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.registry import for_stratum
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.plan.plan import ExactStep, Price, Promise
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale, Treatment

_MASKED_TWICE = 20_000  # records; for more, plain masking for comparison takes as long as the masking itself


def mask_block(design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
    """Return the block's representatives, which records share them, and the price."""
    return represent(design, inputs, *divide_for_operators(design, inputs))


def represent(design: BlockDesign, inputs: MaskInputs, groups: Groups, stratum: tuple[int, ...]) -> MaskedBlock:
    """Return the block with a representative for each of these groups, or of those that promises make of them."""
    groups, stratum, notes = keep_promises(design, inputs, groups, stratum)
    aims = group_targets(design, groups)
    give_back_after_work()
    return share_representatives(design, inputs, groups, stratum, aims, notes=notes)


def share_representatives(
    design: BlockDesign,
    inputs: MaskInputs,
    groups: Groups,
    stratum: tuple[int, ...],
    aims: tuple[Points, Rows, Rows],
    *,
    company: Callable[[int], Rows] | None = None,
    notes: tuple[Reason, ...] = (),
) -> MaskedBlock:
    """Return the block with one representative for each group; `aims` are as `group_targets` gives them.

    Actual records that replace a representative come from the group itself, or from `company` if it is given.
    """
    ladder = ladder_of(design, inputs, groups, stratum, aims, inputs.actual_records(design), company)
    found = ladder.climb_down()
    told = (*notes, *found.notes(), *ladder.judge.notes(ladder.saxon_judge))
    price = price_of(design, inputs, groups, found.candidates.values, found.step, groups.label, notes=told)
    return MaskedBlock(design.plan, groups, stratum, found.step, found.candidates.columns(), price)


def ladder_of(
    design: BlockDesign,
    inputs: MaskInputs,
    groups: Groups,
    stratum: tuple[int, ...],
    aims: tuple[Points, Rows, Rows],
    actual: ActualRecords | None,
    company: Callable[[int], Rows] | None = None,
) -> Ladder:
    """Return the exact step of these groups; `aims` are as `group_targets` gives them."""
    targets, copied, mixed = aims
    return Ladder(
        design,
        groups,
        stratum,
        targets,
        copied,
        mixed,
        design.cloud.points,
        inputs.judge_of(design, groups, inputs.record_judge_for(design)),
        Deriver(groups, inputs.table, design.others, inputs.domains, inputs.is_xpath1),
        company,
        actual=actual,
        saxon_judge=inputs.saxon_judge_of(design, groups),
    )


def divide_strata(design: BlockDesign, inputs: MaskInputs) -> tuple[Groups, tuple[int, ...]]:
    """Divide every stratum into groups of at least k; return also the stratum of every group."""
    assert inputs.partitioner is not None
    label: Labels = scratch().own(len(design.cloud), np.int64)
    stratum: list[int] = []
    for number, part in enumerate(design.strata):
        method = for_stratum(inputs.partitioner, len(part.rows), len(design.cloud))
        own = method.partition(design.cloud.of(part.rows), inputs.k, inputs.seed)
        label[part.rows] = own + len(stratum)
        stratum += [number] * (int(own.max()) + 1)
    return Groups(label), tuple(stratum)


def divide_for_operators(design: BlockDesign, inputs: MaskInputs) -> tuple[Groups, tuple[int, ...]]:
    """Divide every stratum as `divide_strata` does, with groups that suit the operators of the block."""
    groups, stratum = divide_strata(design, inputs)
    return lower_loss_of_operator(design, inputs, groups), stratum


def price_of(
    design: BlockDesign,
    inputs: MaskInputs,
    groups: Groups,
    values: Points,
    step: tuple[ExactStep, ...],
    row: Rows,
    promises: tuple[Promise, ...] = (),
    notes: tuple[Reason, ...] = (),
) -> Price:
    """Return what masking cost; record i gets row `row[i]` of the values, which took these steps."""
    is_small = len(design.cloud) <= _MASKED_TWICE
    return Price(
        loss=information_loss(design.series, values, row),
        plain_loss=plain_loss(design.series, design.cloud, inputs.k) if is_small else None,
        groups=len(groups),
        smallest=int(groups.sizes.min()),
        steps=count_steps(step),
        promises=promises,
        notes=(*changed_categories(design.series, values, row), *notes),
    )


# Individual ranking where rules tie variables: every variable is divided separately, and rules hold for each record.
#
# D. Defays and P. Nanopoulos, Panels of enterprises and confidentiality, Statistics Canada, 1993. With the variables of
# a rule divided in different ways, k records do not share all their values, and dependents are computed for each
# record: k is not guaranteed for such a block.


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
    told = (*notes, *own.judge.notes())
    price = price_of(design, inputs, clusters, found.candidates.values, found.step, everyone, notes=told)
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
