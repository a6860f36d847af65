"""The blocks of a large file, each a piece of work for an engine: representatives for groups that are already formed.

While the representatives of one block are sought by a worker, the next block is divided into groups. A worker has no
Saxon: a block that has to ask it is left to the calling process. Either way the values are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np

from constraint_sdc.arrays import Labels, Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.table import Column, Table
from constraint_sdc.engines.running import map_pieces, scratch
from constraint_sdc.judge.routes import Routes
from constraint_sdc.judge.rule_set import Understood, restricted
from constraint_sdc.maskers.inputs import MaskInputs
from constraint_sdc.maskers.masked import MaskedBlock
from constraint_sdc.maskers.microaggregation.mask_block import divide_for_operators, represent
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.plan.plan import ExactStep, Price

SETTLE_SECONDS = 8e-7
"""CPU seconds in which a value of a record gets its representative, roughly."""
_STEPS = tuple(ExactStep)


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
    has_xml: bool
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


def mask_together(blocks: Sequence[BlockDesign], inputs: MaskInputs) -> Iterator[MaskedBlock]:
    """Yield the blocks with their representatives, in this order."""
    work = SETTLE_SECONDS * sum(len(block.cloud) * len(block.series) for block in blocks)
    divided: list[tuple[Groups, tuple[int, ...]]] = []

    def grouped() -> Iterator[_GroupedBlock]:
        for block in blocks:
            groups, stratum = divide_for_operators(block, inputs)
            divided.append((groups, stratum))
            yield _piece(block, inputs, groups, stratum)

    for place, found in enumerate(map_pieces(settle_block, grouped(), work=work)):
        block, (groups, stratum) = blocks[place], divided[place]
        yield represent(block, inputs, groups, stratum) if found is None else _masked(block, groups, stratum, found)


def settle_block(piece: _GroupedBlock) -> _SettledBlock | None:
    """Return the representatives of a block's groups; None if Saxon has to be asked about a candidate.

    The result depends on the piece alone.
    """
    inputs = replace(piece.inputs, xml=_NoSaxonHere()) if piece.has_xml else piece.inputs  # type: ignore[arg-type]
    groups = Groups(piece.label)
    try:
        found = represent(piece.design, inputs, groups, tuple(piece.stratum.tolist()))
    except SaxonIsElsewhereError:
        return None
    is_same = found.groups is groups
    return _SettledBlock(
        dict(found.columns),
        bytes(map(_STEPS.index, found.step)),
        found.price,
        None if is_same else found.groups.label,
        None if is_same else found.stratum,
    )


def _piece(block: BlockDesign, inputs: MaskInputs, groups: Groups, stratum: tuple[int, ...]) -> _GroupedBlock:
    """Return a block as it is sent: with what its rules read, and nothing else of the file."""
    rules = [rule.id for rule in block.rules]
    known = inputs.table.columns
    columns = {name: known[name] for name in (*block.plan.names, *block.others) if name in known}
    sent = replace(
        inputs,
        table=Table(columns, inputs.table.records),
        held={rule: inputs.held[rule] for rule in rules},
        understood=_understood(inputs.understood, rules),
        partitioner=None,
        task=None,
        xml=None,
    )
    label: Labels = scratch().kept(groups.label)
    return _GroupedBlock(block, sent, inputs.xml is not None, label, np.array(stratum, np.int64))


def _understood(understood: Understood, rules: Sequence[str]) -> Understood:
    """Return what the evaluator needs of these rules."""
    routes = Routes(restricted(understood.routes.vectorised, rules), frozenset(), frozenset(), {})
    return Understood(understood.layout, understood.schema, (), understood.domains, routes)


def _masked(block: BlockDesign, groups: Groups, stratum: tuple[int, ...], found: _SettledBlock) -> MaskedBlock:
    if found.label is not None and found.stratum is not None:
        groups, stratum = Groups(found.label), found.stratum
    step = tuple(map(_STEPS.__getitem__, found.step))
    return MaskedBlock(block.plan, groups, stratum, step, found.columns, found.price)
