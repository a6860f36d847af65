"""Which engine judges which rule: the evaluator, Saxon chunk by chunk, sums over records, or Saxon on the whole file.

Within a pattern the first matching rule takes a node. A rule may therefore leave the whole-file route only when the
contexts of all rules before it in its pattern are understood too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from constraint_sdc.constraints.constraint import Context, EditRule
from constraint_sdc.data.table import Layout
from constraint_sdc.evaluate.expression import Expression, Outside, walk
from constraint_sdc.evaluate.truth import refuses
from constraint_sdc.judge.across.file_test import FileTest, ParentTest
from constraint_sdc.judge.across.recognise import recognise_across
from constraint_sdc.judge.across.recognise_parents import recognise_parents
from constraint_sdc.judge.first_match import FirstMatch
from constraint_sdc.schematron.schema import Rule, Schema


@dataclass(frozen=True, slots=True)
class Routes:
    """The engine of each rule: vectorised rules, ids for Saxon by chunks, ids for Saxon on the whole file, and why.

    `by_record` are rules of Saxon's whose verdict, if not their message, is the same on single records as in the file.
    `across` are tests about all records that are added up, `by_parent` those about the records of each parent; Saxon
    judges the whole file if one does not certainly hold.
    """

    vectorised: tuple[FirstMatch, ...]
    by_chunk: frozenset[str]
    whole_file: frozenset[str]
    reasons: Mapping[str, str]
    by_record: frozenset[str] = frozenset()
    across: tuple[FileTest, ...] = ()
    by_parent: tuple[ParentTest, ...] = ()

    def across_ids(self) -> frozenset[str]:
        """Return the ids of the rules that are added up."""
        return frozenset(test.rule for test in self.across)

    def parent_ids(self) -> frozenset[str]:
        """Return the ids of the rules that are added up parent by parent."""
        return frozenset(test.rule for test in self.by_parent)

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
    left = whole_file.difference(across)
    by_parent = {n: t for n, t in recognise_parents(schema, rules, layout).items() if n in left}
    return Routes(
        _with_work(matches),
        frozenset(by_chunk),
        frozenset(left.difference(by_parent)),
        reasons,
        frozenset(by_record),
        tuple(across.values()),
        tuple(by_parent.values()),
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
