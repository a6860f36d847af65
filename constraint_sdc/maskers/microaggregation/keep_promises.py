"""Promises about groups: groups that break one are merged with the nearest of their stratum until all hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from constraint_sdc.data.groups import Groups
from constraint_sdc.maskers.inputs import MaskInputs, mean_loss
from constraint_sdc.partition.demands.demand import Laid, all_held
from constraint_sdc.partition.demands.merging import hold_demands
from constraint_sdc.plan.demands import GroupPromises, refuse_impossible
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.settings.protect import MEASURED_DOMINANCE
from constraint_sdc.settings.reason import Reason, because

_Divided = tuple[Groups, tuple[int, ...], tuple[Reason, ...]]


def keep_promises(design: BlockDesign, inputs: MaskInputs, groups: Groups, stratum: tuple[int, ...]) -> _Divided:
    """Return groups that keep all promises, the stratum of each, and what that cost.

    PlanRefusedError if the records of a stratum do not keep a promise even as one group.
    """
    demands = design.demands(inputs.written)
    held = all_held(demands, Laid(groups.order, groups.starts))
    if held.all():
        return groups, stratum, dominance_notes(dominated_groups(design, groups), len(groups))
    refuse_impossible(demands, Laid.of(part.rows for part in design.strata), design.plan.names)
    label, found = np.zeros(len(groups.label), np.int64), list[int]()
    for number, part in enumerate(design.strata):
        own = groups.label[part.rows] - stratum.index(number)
        own = hold_demands(design.cloud.points[part.rows], part.rows, own, inputs.k, demands)
        label[part.rows] = own + len(found)
        found += [number] * (int(own.max()) + 1)
    kept = Groups(label)
    note = because(
        "regrouped",
        promises=tuple(dict.fromkeys(demand.name for demand in demands)),
        failing=int((~held).sum()),
        groups=len(groups),
        groups_after=len(kept),
        loss=mean_loss(design.series, groups),
        loss_after=mean_loss(design.series, kept),
    )
    return kept, tuple(found), (note, *dominance_notes(dominated_groups(design, kept), len(kept)))


def holds_promises(design: BlockDesign, inputs: MaskInputs, groups: Groups) -> bool:
    """Tell whether all these groups keep all promises."""
    return bool(all_held(design.demands(inputs.written), Laid(groups.order, groups.starts)).all())


def dominated_groups(design: BlockDesign, groups: Groups) -> int:
    """Return how many groups are dominated by one member where nothing is promised about that."""
    if design.promises.dominance is not None:
        return 0
    unpromised = replace(design, promises=GroupPromises(dominance=MEASURED_DOMINANCE))
    return int((~all_held(unpromised.demands({}), Laid(groups.order, groups.starts))).sum())


def dominance_notes(dominated: int, groups: int) -> tuple[Reason, ...]:
    """Return a warning of dominated groups, if there are any."""
    return (because("dominated", dominated=dominated, groups=groups, p=MEASURED_DOMINANCE.p),) if dominated else ()
