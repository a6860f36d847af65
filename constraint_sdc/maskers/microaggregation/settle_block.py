"""The blocks of a file as pieces of work for an engine: representatives for groups that are already formed.

While the representatives of one block are sought by workers, the next block is divided into groups. A large block is
settled by runs of its groups. A worker has no Saxon: what has to ask it is left to the calling process. Either way the
values are the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn, cast

import numpy as np

from constraint_sdc.arrays import Labels, Points, Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.table import Column, Table, joined_column
from constraint_sdc.engines.running import map_pieces, scratch
from constraint_sdc.engines.shared_value import share_value
from constraint_sdc.judge.records import RecordsXml
from constraint_sdc.judge.routes import Routes
from constraint_sdc.judge.rule_set import Understood, restricted
from constraint_sdc.maskers.inputs import MaskInputs
from constraint_sdc.maskers.masked import MaskedBlock
from constraint_sdc.maskers.microaggregation.group_run import (
    RUN,
    STEPS,
    GroupRun,
    LargeBlock,
    SettledRun,
    Unsettled,
    settle_run,
)
from constraint_sdc.maskers.microaggregation.keep_promises import dominance_notes, keep_promises
from constraint_sdc.maskers.microaggregation.mask_block import divide_for_operators, price_of, represent
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.plan.plan import Price
from constraint_sdc.settings.reason import Reason, because

SETTLE_SECONDS = 8e-7
"""CPU seconds in which a value of a record gets its representative, roughly."""


class SaxonIsElsewhereError(Exception):
    """A worker cannot ask Saxon; no user ever sees this."""


@dataclass(frozen=True, slots=True)
class _NoSaxonHere:
    """Stands in a worker for the records as Saxon sees them: whoever asks for them has to work where Saxon is."""

    def __getattr__(self, name: str) -> NoReturn:
        raise SaxonIsElsewhereError(name)


@dataclass(frozen=True, slots=True)
class _GroupedBlock:
    """A block whose records are in groups, with the inputs of its representatives.

    `inputs` have the columns and the rules that the block reads, and no Saxon.
    """

    design: BlockDesign
    inputs: MaskInputs
    label: Labels
    stratum: Rows


@dataclass(frozen=True, slots=True)
class _SettledBlock:
    """What a worker found: the values of every group; `label` and `stratum` are None where groups stayed as given."""

    columns: dict[str, Column]
    step: bytes
    price: Price
    label: Labels | None
    stratum: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class BlockPiece:
    """A whole block, or a run of its groups; with `has_xml` Saxon may be asked where it is."""

    work: _GroupedBlock | GroupRun
    has_xml: bool
    is_last: bool = True


_Settled = _SettledBlock | SettledRun | Unsettled


def settle_piece(piece: BlockPiece) -> _Settled:
    """Return the representatives of a piece's groups, or why there are none; the result depends on the piece alone."""
    xml = cast("RecordsXml", _NoSaxonHere()) if piece.has_xml else None
    try:
        if isinstance(piece.work, GroupRun):
            return settle_run(piece.work, xml)
        return _settle_whole(piece.work, xml)
    except SaxonIsElsewhereError:
        return Unsettled.NEEDS_SAXON


def _settle_whole(block: _GroupedBlock, xml: RecordsXml | None) -> _SettledBlock:
    groups = Groups(block.label)
    found = represent(block.design, replace(block.inputs, xml=xml), groups, tuple(block.stratum.tolist()))
    is_same = found.groups is groups
    return _SettledBlock(
        dict(found.columns),
        bytes(map(STEPS.index, found.step)),
        found.price,
        None if is_same else found.groups.label,
        None if is_same else found.stratum,
    )


@dataclass(slots=True)
class _BlockWork:
    """A block from its groups to their representatives, in the calling process.

    It holds what its runs have in common, because the scratch files of arrays go with them.
    """

    design: BlockDesign
    inputs: MaskInputs
    groups: Groups
    stratum: tuple[int, ...]
    notes: tuple[Reason, ...] = ()
    has_kept: bool = False
    _common: LargeBlock | None = None

    def __post_init__(self) -> None:
        """Keep the groups where workers can see them."""
        self.groups = Groups(scratch().kept(self.groups.label))

    @property
    def is_large(self) -> bool:
        """Tell whether the block is settled by runs.

        A rule that asks Saxon about every group is judged for all of them together, and closeness is a promise about
        the whole file.
        """
        has_far_promises = bool(self.design.promises.closeness or self.design.promises.diversity)
        return len(self.design.cloud) > RUN and not self.design.asking_saxon and not has_far_promises

    def pieces(self) -> Iterator[BlockPiece]:
        """Yield the pieces of work of this block."""
        has_xml, stratum = self.inputs.xml is not None, np.array(self.stratum, np.int64)
        sent = _sent(self.design, self.inputs)
        if not self.is_large:
            yield BlockPiece(_GroupedBlock(self.design, sent, self.groups.label, stratum), has_xml)
            return
        for one in self.design.series:
            one.measure()
        self._common = LargeBlock(self.design, sent, self.inputs.actual_records(self.design))
        shared = share_value(self._common)
        order, starts, sizes = self.groups.order, self.groups.starts, self.groups.sizes
        for first, last in zip(bounds := self._bounds(), bounds[1:], strict=False):
            rows = order[starts[first] : starts[last - 1] + sizes[last - 1]]
            some = slice(first, last)
            run = GroupRun(shared, first, rows, sizes[some], stratum[some], not self.has_kept)
            yield BlockPiece(run, has_xml, is_last=last == bounds[-1])

    def _bounds(self) -> list[int]:
        """Return the first group of every run, and the number of groups: runs have about as many records each."""
        runs = -(-len(self.groups.label) // RUN)
        places = [len(self.groups.label) * run // runs for run in range(1, runs)]
        cuts = np.searchsorted(self.groups.starts, places)
        return [0, *np.unique(cuts[(cuts > 0) & (cuts < len(self.groups))]).tolist(), len(self.groups)]

    def settled_here(self, piece: BlockPiece) -> _Settled | MaskedBlock:
        """Return what becomes of a piece that has to ask Saxon."""
        if isinstance(piece.work, GroupRun):
            return settle_run(piece.work, self.inputs.xml)
        return represent(self.design, self.inputs, self.groups, self.stratum)

    def regrouped(self) -> _BlockWork:
        """Return the same block with groups that keep all promises."""
        groups, stratum, notes = keep_promises(self.design, self.inputs, self.groups, self.stratum)
        told = tuple(note for note in notes if note.code != "dominated")  # counted again, run by run
        return _BlockWork(self.design, self.inputs, groups, stratum, told, has_kept=True)

    def of_whole(self, found: _SettledBlock) -> MaskedBlock:
        """Return the masked block as a worker found it."""
        groups, stratum = self.groups, self.stratum
        if found.label is not None and found.stratum is not None:
            groups, stratum = Groups(scratch().kept(found.label)), found.stratum
        step = tuple(map(STEPS.__getitem__, found.step))
        return MaskedBlock(self.design.plan, groups, stratum, step, found.columns, found.price)

    def of_runs(self, found: Sequence[SettledRun]) -> MaskedBlock:
        """Return the masked block put together from its runs."""
        step = tuple(STEPS[place] for run in found for place in run.step)
        columns = {name: _kept(joined_column([run.columns[name] for run in found])) for name in found[0].columns}
        values: Points = scratch().kept(np.concatenate([run.values for run in found]))
        asked, calls = sum(run.asked for run in found), sum(run.calls for run in found)
        outside = sum(run.outside for run in found)
        notes = (
            *self.notes,
            *dominance_notes(sum(run.dominated for run in found), len(self.groups)),
            *([because("outside-range", groups=outside)] if outside else []),
            *([because("saxon-asked", records=asked, calls=calls)] if calls else []),
        )
        price = price_of(self.design, self.inputs, self.groups, values, step, self.groups.label, notes=notes)
        return MaskedBlock(self.design.plan, self.groups, self.stratum, step, columns, price)


def mask_together(blocks: Sequence[BlockDesign], inputs: MaskInputs) -> Iterator[MaskedBlock]:
    """Yield the blocks with their representatives, in this order."""
    work = SETTLE_SECONDS * sum(len(block.cloud) * len(block.series) for block in blocks)
    sent = deque[tuple[_BlockWork, BlockPiece]]()

    def pieces() -> Iterator[BlockPiece]:
        for design in blocks:
            block = _BlockWork(design, inputs, *divide_for_operators(design, inputs))
            for piece in block.pieces():
                sent.append((block, piece))
                yield piece

    found: list[_Settled | MaskedBlock] = []
    for settled in map_pieces(settle_piece, pieces(), work=work):
        block, piece = sent.popleft()
        found.append(block.settled_here(piece) if settled is Unsettled.NEEDS_SAXON else settled)
        if piece.is_last:
            yield _together(block, found)
            found = []


def _together(block: _BlockWork, found: Sequence[_Settled | MaskedBlock]) -> MaskedBlock:
    """Return a block whose pieces are settled; one whose groups do not keep what is promised is grouped again."""
    first = found[0]
    if isinstance(first, MaskedBlock):
        return first
    if isinstance(first, _SettledBlock):
        return block.of_whole(first)
    runs = [run for run in found if isinstance(run, SettledRun)]
    if len(runs) == len(found):
        return block.of_runs(runs)
    again = block.regrouped()
    pieces = list(again.pieces())
    work = SETTLE_SECONDS * len(block.design.cloud) * len(block.design.series)
    settled = [
        again.settled_here(piece) if one is Unsettled.NEEDS_SAXON else one
        for piece, one in zip(pieces, map_pieces(settle_piece, iter(pieces), work=work), strict=True)
    ]
    return _together(again, settled)


def _kept(column: Column) -> Column:
    kept = scratch().kept
    return Column(column.name, *(kept(part) for part in (column.buffer, column.start, column.stop, column.state)))


def _sent(block: BlockDesign, inputs: MaskInputs) -> MaskInputs:
    """Return the inputs as they are sent: with what the block's rules read, and nothing else of the file."""
    rules = [rule.id for rule in block.rules]
    known = inputs.table.columns
    columns = {name: known[name] for name in (*block.plan.names, *block.others) if name in known}
    return replace(
        inputs,
        table=Table(columns, inputs.table.records),
        held={rule: inputs.held[rule] for rule in rules},
        understood=_understood(inputs.understood, rules),
        partitioner=None,
        task=None,
        xml=None,
    )


def _understood(understood: Understood, rules: Sequence[str]) -> Understood:
    """Return what the evaluator needs of these rules."""
    routes = Routes(restricted(understood.routes.vectorised, rules), frozenset(), frozenset(), {})
    return Understood(understood.layout, understood.schema, (), understood.domains, routes)
