"""A run of groups of a large block: their representatives, with the values of their own records alone in memory.

What is of the whole file stays so: deviations and extents of variables, the actual records that must not be published,
and the records near a group that no member can represent. So a run gives the values that the block would give as a
whole. Only three things may come out otherwise: integer programmes, whose number is limited; free decimals, which the
evaluator reads with one scale for all candidates of a step; and records that are equally far away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from constraint_sdc.arrays import Counts, Floats, Points, Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.table import Column, Table
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.freeing import give_back_after_work
from constraint_sdc.engines.shared_value import SharedValue
from constraint_sdc.exact.actual_records import ActualRecords
from constraint_sdc.exact.ladder import STRANGERS, StrangersNeededError
from constraint_sdc.judge.records import RecordsXml
from constraint_sdc.maskers.inputs import MaskInputs, group_targets
from constraint_sdc.maskers.microaggregation.keep_promises import dominated_groups, holds_promises
from constraint_sdc.maskers.microaggregation.mask_block import ladder_of
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.plan.plan import ExactStep

RUN = 1 << 16
"""Records of a run, about; a block of no more is settled as a whole."""
STEPS = tuple(ExactStep)


@dataclass(frozen=True, slots=True)
class LargeBlock:
    """What all runs of a block have in common; `inputs` have the columns and rules that it reads, and no Saxon."""

    design: BlockDesign
    inputs: MaskInputs
    actual: ActualRecords | None


@dataclass(frozen=True, slots=True)
class GroupRun:
    """Groups of a block from number `first` on: the records `rows` of the file, group after group.

    `sizes` and `stratum` are those of the groups. Promises are counted unless the groups are known to keep them.
    """

    block: SharedValue
    first: int
    rows: Rows
    sizes: Counts
    stratum: Rows
    counts_promises: bool


@dataclass(frozen=True, slots=True)
class SettledRun:
    """The values of every group of a run, as texts and as numbers (g x d), and the step that each took.

    `outside` groups left the range of the file; Saxon was asked about `asked` records by `calls` documents; `dominated`
    groups are dominated by one member.
    """

    columns: dict[str, Column]
    values: Points
    step: bytes
    outside: int
    asked: int
    calls: int
    dominated: int


class Unsettled(Enum):
    """Why a run has no values: Saxon must be asked, or some groups do not keep what is promised."""

    NEEDS_SAXON = "needs saxon"
    BREAKS_PROMISES = "breaks promises"


def settle_run(run: GroupRun, xml: RecordsXml | None) -> SettledRun | Unsettled:
    """Return the representatives of a run's groups; the result depends on the run alone."""
    block: LargeBlock = run.block.open()
    groups = Groups(np.repeat(np.arange(len(run.sizes)), run.sizes))
    design, inputs = _part(block, run.rows, xml)
    if run.counts_promises and not holds_promises(design, inputs, groups):
        return Unsettled.BREAKS_PROMISES
    dominated = dominated_groups(design, groups)
    aims = group_targets(design, groups)
    give_back_after_work()
    near: dict[int, Rows] = {}
    while True:
        ladder = ladder_of(design, inputs, groups, tuple(run.stratum.tolist()), aims, block.actual)
        ladder.first_group, ladder.has_strangers_of = run.first, frozenset(near)
        try:
            found = ladder.climb_down()
        except StrangersNeededError as needed:
            whole = block.design.cloud.points
            for group in sorted(needed.groups):
                near[group] = nearest_records(whole, whole[run.rows[groups.rows(group)]].mean(axis=0), STRANGERS)
            strangers = np.setdiff1d(np.concatenate(list(near.values())), run.rows)
            design, inputs = _part(block, np.concatenate((run.rows, strangers)), xml)
            continue
        judges = [one.saxon for one in (ladder.judge, ladder.saxon_judge) if one is not None and one.saxon is not None]
        return SettledRun(
            dict(found.candidates.columns()),
            found.candidates.values,
            bytes(map(STEPS.index, found.step)),
            found.outside,
            sum(saxon.asked for saxon in judges),
            sum(saxon.calls for saxon in judges),
            dominated,
        )


def nearest_records(points: Points, centre: Floats, count: int) -> Rows:
    """Return the records that are nearest to a point, nearest first, in the order of the file if equally near.

    >>> nearest_records(np.array([[4.0], [1.0], [-1.0], [3.0]]), np.array([0.0]), 3).tolist()
    [1, 2, 3]
    """
    gap, row = np.zeros(0), np.zeros(0, np.int64)
    for part in windows(len(points)):
        away = ((points[part] - centre) ** 2).sum(axis=1)
        nearer = np.flatnonzero(away < gap[-1]) if len(gap) == count else np.arange(len(away))
        gap, row = np.concatenate((gap, away[nearer])), np.concatenate((row, nearer + part.start))
        order = np.argsort(gap, kind="stable")[:count]
        gap, row = gap[order], row[order]
    return row


def _part(block: LargeBlock, rows: Rows, xml: RecordsXml | None) -> tuple[BlockDesign, MaskInputs]:
    """Return the block and its inputs for these records."""
    inputs = block.inputs
    columns: Mapping[str, Column] = {name: column.take(rows) for name, column in inputs.table.columns.items()}
    held = {rule: flags[rows] for rule, flags in inputs.held.items()}
    own = xml.part(rows) if isinstance(xml, RecordsXml) else xml
    return block.design.part(rows), replace(inputs, table=Table(columns, len(rows)), held=held, xml=own)
