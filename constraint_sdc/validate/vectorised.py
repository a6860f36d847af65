"""The vectorised engine: every rule it was given, over one chunk of records at a time.

It never decides a record that it is not certain about: such a record is handed over whole, for all its rules, to Saxon.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.records import Records
from constraint_sdc.evaluate.truth import evaluate_truth
from constraint_sdc.model.constraint import Context
from constraint_sdc.model.expression import Outside
from constraint_sdc.model.table import Chunk
from constraint_sdc.validate.routes import FirstMatch

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ChunkVerdict:
    """What the evaluator says of one chunk: per rule the records it fired on and those that fail.

    `unsure` marks the records that Saxon must judge; they are out of `fired` and `failed` for every rule.
    """

    fired: Mapping[str, Mask]
    failed: Mapping[str, Mask]
    unsure: Mask

    def broken_records(self) -> int:
        """Count the records on which some rule fails."""
        broken = np.zeros_like(self.unsure)
        for failed in self.failed.values():
            broken |= failed
        return int(np.count_nonzero(broken))


def judge_chunk(
    matches: tuple[FirstMatch, ...], chunk: Chunk, *, xpath1: bool, domains: Mapping[Outside, Domain]
) -> ChunkVerdict:
    """Evaluate every rule on every record of the chunk."""
    records = Records.of(chunk)
    everyone = np.ones(len(chunk), np.bool_)
    unsure = np.zeros(len(chunk), np.bool_)
    fired: dict[str, Mask] = {}
    failed: dict[str, Mask] = {}
    taken: dict[tuple[str, str | None], Mask] = {}
    for match in matches:
        node = (match.pattern, match.context.variable)
        fires = _nodes(match.context, chunk, everyone)
        if match.context.condition is not None:
            verdict = evaluate_truth(match.context.condition, records, xpath1=xpath1, domains=domains)
            unsure |= fires & verdict.unsure
            fires = fires & verdict.truth
        if match.takes_nodes:
            earlier = taken.get(node)
            fires = fires if earlier is None else fires & ~earlier
            taken[node] = fires if earlier is None else earlier | fires
        for rule in match.rules:
            if rule.expression is None:
                raise AssertionError(f"{rule.id} was routed here without an expression")
            verdict = evaluate_truth(rule.expression, records, xpath1=xpath1, domains=domains)
            unsure |= fires & verdict.unsure
            fired[rule.id] = fires
            failed[rule.id] = fires & ~verdict.truth
    if unsure.any():
        fired = {rule: mask & ~unsure for rule, mask in fired.items()}
        failed = {rule: mask & ~unsure for rule, mask in failed.items()}
    return ChunkVerdict(fired, failed, unsure)


def _nodes(context: Context, chunk: Chunk, everyone: Mask) -> Mask:
    """Tell which records have the context node: all of them, or those in which the variable is present."""
    if context.variable is None:
        return everyone
    column = chunk.columns.get(context.variable)
    return column.present() if column is not None else ~everyone
