"""The vectorised engine: all its rules over one chunk of records at a time.

It never decides a record about which it is not certain: Saxon judges all rules on such a record.
Workers import this for every check, so it needs neither the parser of XPath nor Saxon.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Flags
from constraint_sdc.constraints.constraint import Context, EditRule
from constraint_sdc.data.table import Chunk
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Outside
from constraint_sdc.evaluate.truth import evaluate_truth
from constraint_sdc.evaluate.value import Records


@dataclass(frozen=True, slots=True)
class FirstMatch:
    """One Schematron rule as the vectorised engine runs it: its context, and the assertions it can evaluate itself.

    Rules of the same `pattern` come in document order; `takes_nodes` is false in a group, where every rule fires.
    """

    pattern: str
    context: Context
    rules: tuple[EditRule, ...]
    takes_nodes: bool


@dataclass(frozen=True, slots=True)
class ChunkVerdict:
    """The evaluator's verdict on one chunk: per rule the records on which it fired and those that fail.

    `unsure` marks the records that Saxon must judge; they are excluded from `fired` and `failed` for every rule.
    """

    fired: Mapping[str, Flags]
    failed: Mapping[str, Flags]
    unsure: Flags

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
    fired: dict[str, Flags] = {}
    failed: dict[str, Flags] = {}
    taken: dict[tuple[str, str | None], Flags] = {}
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


def _nodes(context: Context, chunk: Chunk, everyone: Flags) -> Flags:
    """Tell which records have the context node: all of them, or those in which the variable is present."""
    if context.variable is None:
        return everyone
    column = chunk.columns.get(context.variable)
    return column.present() if column is not None else ~everyone
