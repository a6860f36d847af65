"""How results look in a notebook: one line, a small HTML table, data frames. A result type is one entry of `DISPLAYS`.

No line and no HTML contains a value of the microdata.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from constraint_sdc.constraints.show import RuleList, RuleRow
from constraint_sdc.data.variable import Description, Written
from constraint_sdc.discovery.proposal import Discovery, Proposal
from constraint_sdc.errors import UsageError
from constraint_sdc.evidence.draft import RecipeDraft
from constraint_sdc.judge.finding import CheckResult, RuleResult, Violation
from constraint_sdc.lint.finding import LintFinding, LintResult
from constraint_sdc.maskers.masked import (
    CertificateCheck,
    MaskResult,
    Partitioned,
    RecordExplanation,
    Reproduction,
    RuleExplanation,
)
from constraint_sdc.measures.assessment import Assessment, Cell, Measured
from constraint_sdc.measures.sweep_points import Sweep
from constraint_sdc.plan.plan import BlockPlan, Plan, RulePlan
from constraint_sdc.reports import result_tables as tables
from constraint_sdc.reports.assessment.figures_text import shown_figure
from constraint_sdc.reports.check.wording import counted, number, verdict
from constraint_sdc.reports.demo import DemoResult
from constraint_sdc.reports.discovered_rules import proposal_label
from constraint_sdc.reports.discovery_text import discovery_line
from constraint_sdc.reports.exam import ExamResult, exam_head
from constraint_sdc.reports.frame_results import CheckedFrame, MaskedFrame
from constraint_sdc.reports.lint.wording import lint_verdict
from constraint_sdc.reports.notebook_pictures import assessment_pictures, sweep_pictures
from constraint_sdc.reports.result_tables import ShownTable
from constraint_sdc.reports.terminal import clean, clipped

if TYPE_CHECKING:
    from pandas import DataFrame

_ROWS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Display:
    """What is said of a result in one line, and its tables by name, the main one first.

    `more` adds tables that only a single result knows. `first` is the table that HTML shows if it has rows, by default
    the main one: a table that can show values of records is never shown. `pictures` are shown below it.
    """

    says: Callable[[Any], str]
    tables: Mapping[str, Callable[[Any], ShownTable]] = field(default_factory=dict)
    more: Callable[[Any], Mapping[str, ShownTable]] = lambda _: {}
    first: str | None = None
    pictures: Callable[[Any], str] = lambda _: ""


# One line each.


def _check(result: CheckResult) -> str:
    return f"of {_file(result.data)}: {verdict(result)}"


def _rule_result(result: RuleResult) -> str:
    return f"{result.rule}: {result.status}, {number(result.failed)} of {number(result.fired)} failed"


def _violation(violation: Violation) -> str:
    where = violation.location if violation.record is None else f"record {number(violation.record)}"
    return f"of {violation.rule}: {where}"


def _rules(rules: RuleList) -> str:
    understood = sum(row.is_understood for row in rules.rows)
    return f"of {_file(rules.file)}: {counted(len(rules.rows), 'rule')}, {number(understood)} understood"


def _lint(result: LintResult) -> str:
    return f"of {_file(result.rules)}: {lint_verdict(result)}"


def _discovery(found: Discovery) -> str:
    return f"of {_file(found.data)}: {discovery_line(found)}"


def _certificate(check: CertificateCheck) -> str:
    word = "does not agree" if check.mismatches else "agrees"
    return f": {word}, {counted(len(check.confirmed), 'statement')} confirmed, {number(len(check.mismatches))} refuted"


def _reproduction(found: Reproduction) -> str:
    return f"of {found.certificate.name}: {'the same bytes' if found.is_same else 'other bytes'}"


def _description(description: Description) -> str:
    variables = counted(len(description.variables), "variable")
    return f"of {_file(description.data)}: {counted(description.records, 'record')}, {variables}"


def _draft(draft: RecipeDraft) -> str:
    undecided = f"{number(len(draft.undecided))} undecided"
    return f"for {_file(draft.data)}: {counted(len(draft.variables), 'variable')}, {undecided}"


def _written(written: Written) -> str:
    return f": {counted(written.records, 'record')}, {counted(len(written.notes), 'note')}"


def _plan(plan: Plan) -> str:
    variables = sum(len(block.variables) for block in plan.blocks)
    masked = f"{counted(variables, 'variable')} of {counted(plan.records, 'record')}"
    computed = f", {number(len(plan.computed))} computed" if plan.computed else ""
    return f": {masked} in {_blocks(plan)}{computed}, {_method(plan)}, {counted(len(plan.all_rules()), 'rule')}"


def _blocks(plan: Plan) -> str:
    return counted(len(plan.blocks), "block")


def _method(plan: Plan) -> str:
    return f"{plan.masker.name} with k = {number(plan.k)}"


def _block(block: BlockPlan) -> str:
    return f"{block.number}: {', '.join(block.names)}; {counted(len(block.rules), 'rule')}"


def _rule_explanation(explanation: RuleExplanation) -> str:
    return f"of {explanation.rule.rule}: {explanation.rule.why.value}"


def _record_explanation(explanation: RecordExplanation) -> str:
    return f"of record {number(explanation.record)}: {_blocks(explanation.plan)}, {_method(explanation.plan)}"


def _masked(result: MaskResult) -> str:
    broken = sum(outcome.newly_broken > 0 for outcome in result.outcomes)
    judged = f"{number(broken)} of {counted(len(result.outcomes), 'rule')} newly broken" if result.rules else "no rules"
    masked = f"{counted(result.plan.records, 'record')} in {_blocks(result.plan)}, {_method(result.plan)}"
    return f"{masked}; {judged}"


def _partition(partitioned: Partitioned) -> str:
    groups = f"{counted(partitioned.records, 'record')} in {counted(len(partitioned.groups), 'group')}"
    return f"of {partitioned.data.name}: {groups} of at least {number(partitioned.k)}, loss {partitioned.loss:.2f}"


def _measured(measured: Measured) -> str:
    headline = measured.figures[0] if measured.figures else None
    return f"{measured.measure}" + (f": {headline.label} {shown_figure(headline)}" if headline else "")


def _assessment(assessment: Assessment) -> str:
    figures = ", ".join(f"{figure.name.upper()} {shown_figure(figure)}" for figure in assessment.score.figures)
    broken = f"; {counted(assessment.newly_broken, 'rule')} newly broken" if assessment.outcomes is not None else ""
    wrong = "; the certificate does not agree" if assessment.mismatches else ""
    return f"of {assessment.masked.name}: {counted(assessment.records, 'record')}, {figures}{broken}{wrong}"


def _sweep(sweep: Sweep) -> str:
    scored = [(point.score, point.k) for point in sweep.points if point.score is not None]
    best = f", lowest SCORE {min(scored)[0]:.2f} at k = {number(min(scored)[1])}" if scored else ""
    return f"of {sweep.data.name}: {counted(len(sweep.points), 'masking')}{best}"


def _exam(result: ExamResult) -> str:
    outcome = counted(len(result.answers), "question") if result.passed else f"{result.answers[-1].question}"
    return f"of {exam_head(result.kind, result.name, result.distribution)}: {_passed(result.passed)}, {outcome}"


def _passed(passed: bool) -> str:
    return "passed" if passed else "failed"


def _demo(result: DemoResult) -> str:
    records = counted(result.plan.records, "record")
    return f"in {result.directory.name}: {records}, {'as expected' if result.is_as_expected else 'NOT as expected'}"


def _file(path: str) -> str:
    return Path(path).name


# The table of all results.


def _measured_tables(measured: Measured) -> dict[str, ShownTable]:
    return {table.name: tables.measured_table(table) for table in measured.tables}


DISPLAYS: Mapping[type, Display] = MappingProxyType(
    {
        CheckResult: Display(
            _check,
            {"rules": tables.check_rules, "violations": tables.check_violations, "records": tables.check_records},
        ),
        CheckedFrame: Display(
            lambda checked: _check(checked.result),
            {
                "violations": lambda checked: tables.check_violations(checked.result),
                "rules": lambda checked: tables.check_rules(checked.result),
                "records": lambda checked: tables.check_records(checked.result),
            },
            first="rules",
        ),
        RuleResult: Display(_rule_result),
        Violation: Display(_violation),
        RuleList: Display(_rules, {"rules": tables.listed_rules}),
        RuleRow: Display(lambda row: f"{row.id}: {row.kind}, {row.normal_form}"),
        LintResult: Display(_lint, {"findings": tables.lint_findings}),
        LintFinding: Display(lambda one: f"{one.code}: {one.severity}, rule {one.rule.id}"),
        Discovery: Display(_discovery, {"rules": tables.discovered}),
        Proposal: Display(lambda one: f"{one.id}: {clipped(proposal_label(one), 120)}"),
        CertificateCheck: Display(_certificate, {"statements": tables.certificate_statements}),
        Reproduction: Display(_reproduction),
        Description: Display(_description, {"variables": tables.described_variables}),
        RecipeDraft: Display(_draft, {"variables": tables.drafted_variables}),
        Written: Display(_written),
        Plan: Display(
            _plan,
            {"rules": tables.plan_rules, "blocks": tables.plan_blocks, "variables": tables.plan_variables},
        ),
        BlockPlan: Display(_block, {"variables": tables.block_variables}),
        RulePlan: Display(lambda rule: f"{rule.rule}: {rule.why.value}"),
        RuleExplanation: Display(_rule_explanation),
        RecordExplanation: Display(_record_explanation),
        MaskResult: Display(
            lambda result: f": published {result.output.name}, {_masked(result)}",
            {"rules": tables.mask_rules, "blocks": tables.mask_blocks},
        ),
        MaskedFrame: Display(
            lambda masked: f": {_masked(masked.result)}",
            {
                "rules": lambda masked: tables.mask_rules(masked.result),
                "blocks": lambda masked: tables.mask_blocks(masked.result),
            },
        ),
        Partitioned: Display(
            _partition,
            {
                "groups": tables.group_sizes,
                "records": tables.group_of_records,
                "variables": tables.partition_variables,
            },
        ),
        Measured: Display(_measured, {"figures": tables.measured_figures}, _measured_tables),
        Assessment: Display(
            _assessment,
            {
                "measures": tables.assessment_measures,
                "rules": tables.assessment_rules,
                "subdomains": tables.assessment_subdomains,
            },
            pictures=assessment_pictures,
        ),
        Sweep: Display(_sweep, {"points": tables.sweep_points}, pictures=sweep_pictures),
        ExamResult: Display(_exam, {"answers": tables.exam_answers}),
        DemoResult: Display(_demo, {"files": tables.demo_files}),
    }
)


def line(result: object) -> str:
    """Return the result in one line."""
    said = clean(_display(result).says(result))
    name = type(result).__name__
    return f"<{name}{'' if said.startswith(':') else ' '}{said}>"


def html(result: object) -> str:
    """Return the line, the first table that has rows, and pictures; self-contained, without script or style sheet."""
    head = f"<p><code>{escape(line(result))}</code></p>"
    display = _display(result)
    names = list(display.tables) if display.first is None else [display.first]
    sheets = (display.tables[name](result) for name in names)
    shown = next((one for one in sheets if one.rows), None)
    table = "" if shown is None else _html_table(shown)
    return head + table + display.pictures(result)


def frame(result: object, table: str | None = None) -> DataFrame:
    """Return a table of the result as a data frame, by default the main one."""
    from pandas import DataFrame

    shown = sheet(result, table)
    return DataFrame(list(shown.rows), columns=list(shown.head))


def sheet(result: object, table: str | None = None) -> ShownTable:
    """Return a table of the result, by default the main one."""
    display = _display(result)
    name = next(iter(display.tables)) if table is None else table
    more = {} if name in display.tables else display.more(result)
    if name not in display.tables and name not in more:
        known = ", ".join((*display.tables, *more))
        raise UsageError(f"{type(result).__name__} has no table {name!r}", hint=f"use one of: {known}")
    return more[name] if name in more else display.tables[name](result)


def _display(result: object) -> Display:
    return DISPLAYS[type(result)]


def _html_table(sheet: ShownTable) -> str:
    head = "".join(f"<th>{_cell(name)}</th>" for name in sheet.head)
    rows = "".join(f"<tr>{''.join(f'<td>{_cell(c)}</td>' for c in row)}</tr>" for row in sheet.rows[:_ROWS_SHOWN])
    rest = len(sheet.rows) - _ROWS_SHOWN
    more = f"<p>{counted(rest, 'more row')}: to_frame() has all</p>" if rest > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _cell(cell: Cell) -> str:
    """Return a cell as escaped text.

    >>> _cell("V8 < 1115"), _cell(12345), _cell(1 / 3), _cell(None)
    ('V8 &lt; 1115', '12,345', '0.3333', '')
    """
    if cell is None:
        return ""
    if isinstance(cell, str):
        return escape(clean(cell))
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.4g}"
