"""Which engine judges which rule: the evaluator, Saxon chunk by chunk, sums over records, or Saxon on the whole file.

Within a pattern the first matching rule takes a node. A rule may therefore leave the whole-file route only when the
contexts of all rules before it in its pattern are understood too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from constraint_sdc.arrays import Flags
from constraint_sdc.constraints.constraint import Context, EditRule
from constraint_sdc.data.table import Chunk, Layout
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Expression, Outside, walk
from constraint_sdc.evaluate.truth import evaluate_truth, refuses
from constraint_sdc.evaluate.value import Records
from constraint_sdc.judge.across.file_test import FileTest
from constraint_sdc.judge.across.recognise import recognise_across
from constraint_sdc.schematron.schema import Rule, Schema


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
class Routes:
    """The engine of each rule: vectorised rules, ids for Saxon by chunks, ids for Saxon on the whole file, and why.

    `by_record` are rules of Saxon's whose verdict, if not their message, is the same on single records as in the file.
    `across` are tests about all records that are added up; Saxon judges the whole file if one does not certainly hold.
    """

    vectorised: tuple[FirstMatch, ...]
    by_chunk: frozenset[str]
    whole_file: frozenset[str]
    reasons: Mapping[str, str]
    by_record: frozenset[str] = frozenset()
    across: tuple[FileTest, ...] = ()

    def across_ids(self) -> frozenset[str]:
        """Return the ids of the rules that are added up."""
        return frozenset(test.rule for test in self.across)

    def without_across(self, ids: Collection[str]) -> Routes:
        """Return the routes with these rules judged on the whole file."""
        left = tuple(test for test in self.across if test.rule not in ids)
        return replace(self, across=left, whole_file=self.whole_file | frozenset(ids))

    def vectorised_ids(self) -> frozenset[str]:
        """Return the ids of the rules that the evaluator judges."""
        return frozenset(rule.id for match in self.vectorised for rule in match.rules)


def choose_routes(
    schema: Schema,
    rules: Collection[EditRule],
    layout: Layout,
    known_domains: Collection[Outside],
    *,
    shows_values: bool = False,
) -> Routes:
    """Send every assertion of the schema to the fastest engine that is certain about it.

    With `shows_values` the message matters too: one that looks beyond the record needs the whole file.
    """
    by_id = {rule.id: rule for rule in rules}
    matches: list[FirstMatch] = []
    by_chunk: set[str] = set()
    whole_file: set[str] = set()
    reasons: dict[str, str] = {}
    by_record: set[str] = set()
    is_one_shape = layout.is_uniform and layout.record not in layout.wrappers
    for pattern in schema.patterns:
        elsewhere = None if pattern.documents is None else "the pattern names other documents"
        unsure: str | None = None
        for rule in pattern.rules:
            edits = tuple(by_id[a.id] for a in rule.assertions)
            context = _context_of(edits)
            elsewhere = elsewhere or _why_not_rows(rule, context, layout)
            if elsewhere or context is None:
                whole_file.update(edit.id for edit in edits)
                reasons.update((edit.id, elsewhere or "its context is not understood") for edit in edits)
                by_record.update(edit.id for edit in edits if is_one_shape and edit.has_local_verdict)
                continue
            unsure = unsure or _refused(context.condition, schema, known_domains)
            mine = []
            for edit in edits:
                refusal = unsure or _refusal(edit, rule, schema, known_domains, shows_values)
                if refusal is None:
                    mine.append(edit)
                    continue
                reasons[edit.id] = refusal
                (by_chunk if edit.is_record_local else whole_file).add(edit.id)
                by_record.update({edit.id} if edit.has_local_verdict else ())
            if unsure is None:
                matches.append(FirstMatch(pattern.id, context, tuple(mine), not pattern.is_group))
    across = {n: t for n, t in recognise_across(schema, rules, layout).items() if n in whole_file}
    return Routes(
        _with_work(matches),
        frozenset(by_chunk),
        frozenset(whole_file.difference(across)),
        reasons,
        frozenset(by_record),
        tuple(across.values()),
    )


def whole_file_routes(schema: Schema, reason: str, judged: Collection[str] = ()) -> Routes:
    """Send every assertion to Saxon on the whole file, except those that are judged already."""
    ids = frozenset(assertion.id for assertion in schema.assertions()) - frozenset(judged)
    return Routes((), frozenset(), ids, dict.fromkeys(ids, reason))


def _with_work(matches: list[FirstMatch]) -> tuple[FirstMatch, ...]:
    """Drop the patterns without anything to evaluate."""
    busy = {match.pattern for match in matches if match.rules}
    return tuple(match for match in matches if match.pattern in busy)


def _context_of(edits: tuple[EditRule, ...]) -> Context | None:
    return edits[0].context if edits else None


def _why_not_rows(rule: Rule, context: Context | None, layout: Layout) -> str | None:
    """Return why a context is neither the record nor a variable of the record, or None."""
    if context is None:
        what = "has no assertion" if not rule.assertions else "is not understood"
        return f"the context {rule.context!r} {what}"
    path = (*layout.wrappers, layout.record) + ((context.variable,) if context.variable else ())
    if context.steps != path[-len(context.steps) :] or (context.is_absolute and context.steps != path):
        return f"the context {rule.context!r} is not the record element or a variable of it"
    if len(context.steps) > (2 if context.variable else 1) and not layout.is_uniform:
        return f"records are under different elements, so the context {rule.context!r} depends on where"
    if context.steps[-1] in layout.wrappers or layout.record in layout.wrappers:
        return f"the context {rule.context!r} also names an element around the records"
    return None


def _refusal(edit: EditRule, rule: Rule, schema: Schema, known: Collection[Outside], shows_values: bool) -> str | None:
    """Return why the evaluator does not take this assertion, or None."""
    if edit.assertion.attribute("subject") or rule.attribute("subject"):
        return "its violations are located at another node, its subject"
    if edit.expression is None:
        return edit.constraint.reason
    if shows_values and not edit.is_record_local:
        return "its message looks beyond the record"
    return _refused(edit.expression, schema, known)


def _refused(expression: Expression | None, schema: Schema, known: Collection[Outside]) -> str | None:
    if expression is None:
        return None
    if any(isinstance(part, Outside) and part not in known for part in walk(expression)):
        return "the document it compares with is not plain rows"
    return refuses(expression, xpath1=schema.is_xpath1)


# The vectorised engine: all its rules over one chunk of records at a time.
#
# It never decides a record about which it is not certain: Saxon judges all rules on such a record.


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
