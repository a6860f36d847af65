"""Results as plain tables: a head and rows of cells, from which data frames and notebook tables are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields

from constraint_sdc.constraints.show import RuleList
from constraint_sdc.data.variable import Description
from constraint_sdc.discovery.proposal import Discovery
from constraint_sdc.evidence.draft import RecipeDraft
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.lint.finding import LintResult
from constraint_sdc.maskers.masked import CertificateCheck, MaskResult, Partitioned, RuleOutcome
from constraint_sdc.measures.assessment import Assessment, Cell, Measured, ResultTable
from constraint_sdc.measures.sweep_points import AVERAGED, Sweep, SweepPoint
from constraint_sdc.named_copies import named
from constraint_sdc.plan.plan import BlockPlan, Plan
from constraint_sdc.reports.assessment.text import is_hidden, shown_name
from constraint_sdc.reports.check.violation_table import record_table
from constraint_sdc.reports.demo import DemoResult
from constraint_sdc.reports.disclosure import disclosed
from constraint_sdc.reports.discovered_rules import proposal_label
from constraint_sdc.reports.exam import ExamResult
from constraint_sdc.reports.sentences import sentence, sentences


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table: every row is as long as the head."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def _sheet(head: str, rows: Iterable[Sequence[Cell]]) -> ShownTable:
    return ShownTable(tuple(head.split()), tuple(tuple(row) for row in rows))


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)


# Judging.


def check_rules(result: CheckResult) -> ShownTable:
    """One row per rule: counts and status."""
    rows = (
        (r.rule, r.severity, r.status, r.fired, r.failed, r.held_missing, r.failed_missing, r.errors, r.error, r.engine)
        for r in disclosed(result).results
    )
    return _sheet("rule severity status checked failed held_missing failed_missing errors error engine", rows)


def lint_findings(result: LintResult) -> ShownTable:
    """One row per finding about the rule set."""
    rows = (
        (f.code, f.severity, f.rule.id, f.rule.origin.line, sentence(f.reason), _names(place.id for place in f.related))
        for f in result.findings
    )
    return _sheet("code severity rule line message related", rows)


def discovered(found: Discovery) -> ShownTable:
    """One row per proposed rule."""
    rows = (
        (
            *(one.id, one.kind, proposal_label(one), one.searched, one.kept, one.exceptions),
            *(one.candidate.bits, one.states_values),
        )
        for one in found.proposals
    )
    return _sheet("rule kind says searched kept exceptions surprise_bits states_values", rows)


def check_violations(result: CheckResult) -> ShownTable:
    """One row per listed violation; `message` shows values and is empty unless they were asked for."""
    rows = (
        (v.rule, rule.severity, v.record, v.key, v.line, v.location, v.summary, v.message, _names(rule.variables or ()))
        for rule in disclosed(result).results
        for v in rule.violations
    )
    return _sheet("rule severity record key line location summary message variables", rows)


def check_records(result: CheckResult) -> ShownTable:
    """One row per record with a listed violation: how many, the worst severity, and the rules."""
    table = record_table(disclosed(result))
    rows = ([_names(cell) if isinstance(cell, tuple) else cell for cell in row] for row in table.rows)
    return ShownTable(tuple(table.columns), tuple(map(tuple, rows)))


def listed_rules(rules: RuleList) -> ShownTable:
    """One row per rule: what it means and who judges it."""
    rows = ((r.id, r.kind, _names(r.variables), r.normal_form, r.severity, r.reason, r.engine) for r in rules.rows)
    return _sheet("rule kind variables says severity reason engine", rows)


def certificate_statements(check: CertificateCheck) -> ShownTable:
    """One row per statement, those that do not agree first; then the fields that are stated and were not checked."""
    rows = [("mismatch", said) for said in check.mismatches] + [("confirmed", said) for said in check.confirmed]
    rows += [("stated", name) for name in check.stated]
    return _sheet("verdict statement", rows)


# Files.


def described_variables(description: Description) -> ShownTable:
    """One row per variable: its form, what it looks like, and how many records have a value."""
    rows = (
        (
            *(v.name, v.form, v.decimals, v.values, v.absent, v.empty, v.nil, sum(v.codes.values()), v.label),
            *(v.kind, v.is_certain, v.distinct, sum(v.possible_codes.values()), "; ".join(sentences(v.evidence))),
        )
        for v in description.variables
    )
    head = "variable form decimals values absent empty nil missing_codes label"
    return _sheet(f"{head} looks_like is_certain distinct possible_missing_codes evidence", rows)


def drafted_variables(draft: RecipeDraft) -> ShownTable:
    """One row per variable: what it looks like, and the entries that are proposed for the recipe."""
    rows = (
        (
            *(v.name, v.looks.kind.value, v.looks.is_certain, v.looks.role.value),
            *(None if v.looks.scale is None else v.looks.scale.value, sum(count for _, count in v.looks.missing)),
            "; ".join(sentences(v.looks.evidence)),
        )
        for v in draft.variables
    )
    return _sheet("variable looks_like is_certain role type possible_missing_codes evidence", rows)


# Masking.


def plan_rules(plan: Plan) -> ShownTable:
    """One row per rule: why it survives, and in which block."""
    homes = {rule.rule: block.number for block in plan.blocks for rule in block.rules}
    rows = (
        (r.rule, r.kind, r.says, _names(r.variables), homes.get(r.rule), r.why.value, sentence(r.because))
        for r in plan.all_rules()
    )
    return _sheet("rule kind says variables block why because", rows)


def plan_blocks(plan: Plan) -> ShownTable:
    """One row per block: its variables, groups and price."""
    return _sheet(_BLOCK_HEAD, (_block(block, None) for block in plan.blocks))


def plan_variables(plan: Plan) -> ShownTable:
    """One row per variable, masked or not."""
    return _sheet(_VARIABLE_HEAD, [*_masked_variables(plan.blocks), *_computed_variables(plan), *_kept_variables(plan)])


def block_variables(block: BlockPlan) -> ShownTable:
    """One row per variable of the block."""
    return _sheet(_VARIABLE_HEAD, _masked_variables([block]))


def mask_rules(result: MaskResult) -> ShownTable:
    """One row per rule: records that break it before and after masking."""
    return outcome_rows(result.outcomes)


def mask_blocks(result: MaskResult) -> ShownTable:
    """One row per block; `smallest` is counted in the written file."""
    counted = zip(result.plan.blocks, result.smallest, strict=True)
    return _sheet(_BLOCK_HEAD, (_block(block, smallest) for block, smallest in counted))


def outcome_rows(outcomes: Iterable[RuleOutcome]) -> ShownTable:
    """One row per rule: records that break it before and after masking."""
    return _sheet(" ".join(field.name for field in fields(RuleOutcome)), map(astuple, outcomes))


_BLOCK_HEAD = "block variables rules strata groups smallest loss plain_loss"
_VARIABLE_HEAD = "variable block role type operator treatment weight"


def _block(block: BlockPlan, smallest: int | None) -> tuple[Cell, ...]:
    price = block.price
    least = smallest if smallest is not None or price is None else price.smallest
    said = (block.number, _names(block.names), _names(rule.rule for rule in block.rules), len(block.strata))
    priced = (None, least, None, None) if price is None else (price.groups, least, price.loss, price.plain_loss)
    return (*said, *priced)


def _masked_variables(blocks: Iterable[BlockPlan]) -> Iterator[tuple[Cell, ...]]:
    for block in blocks:
        for one in block.variables:
            how = (one.scale.value, one.operator, one.treatment.value, one.weight)
            yield (one.name, block.number, one.role.value, *how)


def _computed_variables(plan: Plan) -> Iterator[tuple[Cell, ...]]:
    for total in plan.computed:
        yield (total.name, None, total.role.value, total.scale.value, None, "computed", None)


def _kept_variables(plan: Plan) -> Iterator[tuple[Cell, ...]]:
    for kept in plan.kept:
        yield (kept.name, None, kept.role.value, None, None, "removed" if kept.is_removed else "unchanged", None)


def group_sizes(partitioned: Partitioned) -> ShownTable:
    """One row per group, numbered from 1."""
    return _sheet("group records", enumerate(partitioned.groups.sizes.tolist(), 1))


def group_of_records(partitioned: Partitioned) -> ShownTable:
    """One row per record, in the order of the file; records and groups are numbered from 1."""
    groups = partitioned.groups.label.tolist()
    return _sheet("record group", ((record, group + 1) for record, group in enumerate(groups, 1)))


def partition_variables(partitioned: Partitioned) -> ShownTable:
    """One row per variable that divides the records."""
    return _sheet("variable type weight", ((one.name, one.scale.value, one.weight) for one in partitioned.variables))


# Measuring.


def measured_figures(measured: Measured) -> ShownTable:
    """One row per figure of one measure or attack."""
    return _sheet("figure label value unit", ((f.name, f.label, f.value, f.unit.value) for f in measured.figures))


def measured_table(table: ResultTable) -> ShownTable:
    """A table of a measure under its own head."""
    return ShownTable(table.head, table.rows)


def assessment_measures(assessment: Assessment) -> ShownTable:
    """One row per figure of every measure and attack."""
    sections = (
        ("score", (assessment.score,)),
        ("utility", assessment.utility),
        ("risk", assessment.risk),
        ("attack", assessment.attacks),
    )
    rows = (
        (section, one.measure, figure.name, figure.label, figure.value, figure.unit.value)
        for section, measured in sections
        for one in measured
        for figure in one.figures
    )
    return _sheet("section measure figure label value unit", rows)


def assessment_rules(assessment: Assessment) -> ShownTable:
    """One row per rule: records that break it before and after masking."""
    return outcome_rows(assessment.outcomes or ())


def assessment_subdomains(assessment: Assessment) -> ShownTable:
    """One row per figure of every subdomain; those of a few records are left out, as in the reports."""
    rows = (
        (shown_name(part, assessment, False), part.records, one.measure, figure.name, figure.value, figure.unit.value)
        for part in assessment.subdomains
        if not is_hidden(part, assessment, False)
        for one in part.measured
        for figure in one.figures
    )
    return _sheet("subdomain records measure figure value unit", rows)


def sweep_points(sweep: Sweep) -> ShownTable:
    """One row per masking."""
    has_averages = sweep.known_at_most is not None
    has_totals = any(point.totals is not None for point in sweep.points)
    left_out = {*(() if has_averages else AVERAGED), *(() if has_totals else ("totals",))}
    names = [field.name for field in fields(SweepPoint) if field.name not in left_out]
    rows = (
        (*(getattr(point, name) for name in names[:-1]), None if point.refused is None else sentence(point.refused))
        for point in sweep.points
    )
    return _sheet(" ".join(names), rows)


# Trying out.


def exam_answers(result: ExamResult) -> ShownTable:
    """One row per question."""
    return _sheet("question passed says", ((one.question, str(one.passed), one.says) for one in result.answers))


def demo_files(result: DemoResult) -> ShownTable:
    """One row per file that is worth a look."""
    return _sheet("file path", ((what, named(str(path))) for what, path in result.files))
