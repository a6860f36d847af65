"""The inputs of every masker besides the design of a block, and the loop over the blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Points, Rows, Weights
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import Series
from constraint_sdc.data.table import Column, Table
from constraint_sdc.data.windows import windows
from constraint_sdc.errors import NotPublishedError
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Outside
from constraint_sdc.exact.actual_records import ActualRecords
from constraint_sdc.exact.candidates import NOT_COPIED
from constraint_sdc.exact.settlement import BlockJudge
from constraint_sdc.judge.records import RecordJudge, RecordsXml, SaxonOnRecords
from constraint_sdc.judge.rule_set import Evaluate, Understood
from constraint_sdc.maskers.masked import Masked, MaskedBlock
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.maskers.registry import default_masker
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.operator import Operator
from constraint_sdc.operators.registry import OPERATORS, copying_operator
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.partitioner import Partitioner
from constraint_sdc.plan.design import BlockDesign, Design
from constraint_sdc.settings.chance import USUAL, Chance
from constraint_sdc.settings.reason import Param, Reason, because
from constraint_sdc.settings.words import Scale
from constraint_sdc.stages import stage


@dataclass(frozen=True, slots=True)
class MaskInputs:
    """The inputs of masking besides the design.

    `held` tells for each rule which records satisfied it before masking; `understood` are the rules against these
    records. There is no partitioner for a masker that divides records itself, or not at all; `task` has the masker's
    parameters resolved against the file. `xml` are the records as Saxon sees them, for rules that only Saxon judges.
    `written` are masked variables, over all records, about which something is promised in the groups of a later block.
    With `copies_records` actual records may represent groups; `chance` says which equal ones do not matter.
    """

    table: Table
    k: int
    seed: int
    partitioner: Partitioner | None
    held: Mapping[str, Flags]
    understood: Understood
    masker: Masker = field(default_factory=default_masker)
    task: object = None
    xml: RecordsXml | None = None
    written: Mapping[str, Column] = field(default_factory=dict)
    copies_records: bool = False
    chance: Chance = USUAL

    @property
    def domains(self) -> Mapping[Outside, Domain]:
        """Return the values that rules look up."""
        return self.understood.domains

    @property
    def is_xpath1(self) -> bool:
        """Tell whether the rules' tests follow XPath 1.0."""
        return self.understood.is_xpath1

    def requiring(self, repaired: Mapping[str, Rows]) -> MaskInputs:
        """Return inputs in which rules must hold for some records, by rule, that broke them before."""
        held = dict(self.held)
        for rule, rows in repaired.items():
            held[rule] = held[rule].copy()
            held[rule][rows] = True
        return replace(self, held=held)

    def evaluator_for(self, block: BlockDesign) -> Evaluate:
        """Return the evaluator of a block's rules."""
        return self.understood.evaluator({rule.id for rule in block.rules})

    def record_judge_for(self, block: BlockDesign) -> RecordJudge | None:
        """Return what asks Saxon about candidates of a block, None if no rule of the block needs it."""
        asking = block.asking_saxon
        if not asking or self.xml is None:
            return None
        certain = all(rule.is_certain for rule in asking)
        reads = frozenset(name for rule in asking for name in rule.variables) if certain else None
        return SaxonOnRecords(self.xml, [rule.id for rule in asking], reads)

    def actual_records(self, block: BlockDesign) -> ActualRecords | None:
        """Return the original records that must not be representatives of a block, None if they may."""
        return None if self.copies_records else ActualRecords.of(block.series, max(self.k, 2), self.chance)

    def judge_of(self, block: BlockDesign, groups: Groups, saxon: RecordJudge | None) -> BlockJudge:
        """Return the judge of candidates for groups of a block."""
        return BlockJudge(block, groups, self.table, self.held, self.evaluator_for(block), saxon)

    def saxon_judge_of(self, block: BlockDesign, groups: Groups) -> BlockJudge | None:
        """Return a judge that asks Saxon wherever the evaluator does not find that a rule holds, None without XML."""
        if self.xml is None:
            return None
        asking = replace(block, rules=tuple(replace(rule, asks_saxon=rule.is_checked) for rule in block.rules))
        return self.judge_of(asking, groups, self.record_judge_for(asking))


# Information loss of a block: 100 * SSE / SST over its standardised numbers; categories that changed.


def information_loss(series: Sequence[Series], masked: Points, row: Rows | None = None) -> float:
    """Return the loss of `masked` (as the series); cells without a number before and after do not count.

    Record i has row `row[i]` of the masked values, by default row i.
    """
    error = total = 0.0
    for j, one in enumerate(series):
        if one.scale is Scale.NUMERIC:
            own, whole = _squares(one, masked[:, j], row)
            error, total = error + own, total + whole
    return 100.0 * error / total if total else 0.0


def _squares(series: Series, masked: Floats, row: Rows | None) -> tuple[float, float]:
    """Return the squared differences of a variable, and its squared distances from its mean, in deviations."""
    count, whole = 0, 0.0
    for values, _ in _both(series, masked, row):
        count, whole = count + len(values), whole + float(values.sum())
    error = total = 0.0
    for values, after in _both(series, masked, row) if count else ():
        error += float(((values - after) ** 2).sum())
        total += float(((values - whole / count) ** 2).sum())
    return error, total


def _both(series: Series, masked: Floats, row: Rows | None) -> Iterator[tuple[Floats, Floats]]:
    """Yield the numbers of a variable before and after masking, in deviations, where there are both."""
    for part in windows(len(series.values)):
        after = masked[part if row is None else row[part]]
        both = (series.blank[part] == 0) & np.isfinite(after)
        yield series.values[part][both] / series.deviation, after[both] / series.deviation


def changed_categories(series: Sequence[Series], masked: Points, row: Rows | None = None) -> Iterator[Reason]:
    """Yield the share of records in which each category changed: the loss of variables without squared differences."""
    shares: dict[str, Param] = {}
    for j, one in enumerate(series):
        if one.scale is not Scale.NUMERIC:
            same = 0
            for part in windows(len(one.values)):
                after = masked[part if row is None else row[part], j]
                same += int(((one.values[part] == after) | ((one.blank[part] != 0) & np.isnan(after))).sum())
            shares[one.name] = 1.0 - same / len(one.values)
    if shares:
        yield because("categories-changed", variables=tuple(shares), shares=tuple(shares.values()))


def plain_loss(series: Sequence[Series], cloud: Cloud, k: int) -> float:
    """Return the loss of plain MDAV: no strata, rules, grids or weights of records, and the arithmetic mean."""
    return mean_loss(series, Groups(Mdav().partition(Cloud(cloud.points), k, seed=0)))


def mean_loss(series: Sequence[Series], groups: Groups) -> float:
    """Return the loss of arithmetic means over these groups, without rules and grids."""
    values = np.array(
        [np.where(s.is_blank, np.nanmean(s.values) if (~s.is_blank).any() else 0.0, s.values) for s in series]
    ).T
    means = ArithmeticMean().representatives(values, groups)
    return information_loss(series, means, groups.label)


# The operators' results for every group: target numbers, and records to copy from.


def group_targets(design: BlockDesign, groups: Groups) -> tuple[Points, Rows, Rows]:
    """Return the operators' values, the records to copy cells from, and the groups of differing blanks."""
    shape = (len(groups), len(design.series))
    targets, copied = np.full(shape, np.nan), np.full(shape, NOT_COPIED, np.int64)
    first = groups.order[groups.starts]
    is_mixed = np.zeros(len(groups), np.bool_)
    weights = design.cloud.weights
    anchors = cache(lambda name: copying_operator(name).choose(design.cloud.points, groups, weights))
    for j, (series, plan) in enumerate(zip(design.series, design.plan.variables, strict=True)):
        low, high = (f.reduceat(series.blank[groups.order], groups.starts) for f in (np.minimum, np.maximum))
        is_mixed |= low != high
        blank = high != 0
        values = np.where(series.is_blank, 1.0, series.values)
        match plan.traits.copies:
            case "record":
                copied[:, j] = anchors(plan.operator)
            case "value":
                copied[:, j] = copying_operator(plan.operator).choose(values, groups, weights)
            case "nothing":
                targets[:, j], same = _average(OPERATORS[plan.operator], series, values, groups, weights)
                copied[same, j] = first[same]
        targets[blank, j] = np.nan
        copied[blank, j] = first[blank]
    return targets, copied, np.flatnonzero(is_mixed)


def _average(
    operator: Operator, series: Series, values: Points, groups: Groups, weights: Weights | None
) -> tuple[Points, Flags]:
    """Return averages within the group's range; where all values are equal and on the grid, that value itself."""
    ordered = values[groups.order]
    low, high = np.minimum.reduceat(ordered, groups.starts), np.maximum.reduceat(ordered, groups.starts)
    if operator.traits.averages_logarithms:
        # Strata separate signs, but a merged one may not and has no geometric mean: the arithmetic mean replaces it.
        sign = np.sign(values)[groups.order][groups.starts]
        absolute = np.where(values == 0, 1.0, np.abs(values))[:, None]
        size = operator.representatives(absolute, groups, weights)[:, 0]
        plain = ArithmeticMean().representatives(values[:, None], groups, weights)[:, 0]
        average = np.where(np.sign(low) == np.sign(high), size * sign, plain)
    else:
        average = operator.representatives(values[:, None], groups, weights)[:, 0]
    average = np.clip(average, low, high)
    on_grid = np.rint(low * series.grid.scale) == low * series.grid.scale if series.grid.decimals is not None else True
    return average, (low == high) & on_grid


# Mask a table by the requested masker, according to the design.


@stage("masking")
def mask_table(design: Design, inputs: MaskInputs) -> Masked:
    """Return all blocks after masking; NotPublishedError if the masker changed anything that was not planned."""
    masked = inputs.masker.mask_all(design, inputs)
    details = tuple(_strange(masked, design, inputs.table.records))
    if details:
        what = f"the masker {inputs.masker.name} did not carry out its plan"
        raise NotPublishedError(what, details=details)
    return masked


def _strange(masked: Masked, design: Design, records: int) -> list[str]:
    """Return which blocks are not those of the design: a masker may only decide values."""
    if len(masked.blocks) != len(design.blocks):
        return [f"{len(design.blocks)} blocks were planned, but {len(masked.blocks)} were returned"]
    pairs = zip(masked.blocks, design.blocks, strict=True)
    return [
        f"block {planned.plan.number}: {what}" for block, planned in pairs for what in _faults(block, planned, records)
    ]


def _faults(block: MaskedBlock, planned: BlockDesign, records: int) -> list[str]:
    faults = []
    if block.plan != planned.plan:
        faults.append("its plan was changed")
    if set(block.columns) != set(planned.plan.names):
        faults.append("its variables are not those of the plan")
    if len(block.row) != records:
        faults.append(f"it has values for {len(block.row):,} of {records:,} records")
    return faults
