"""Judge any XML document, rows or not: Saxon on the whole of it."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.model.finding import RuleResult
from constraint_sdc.model.schema import Schema, hidden_message
from constraint_sdc.validate.judge import Judge
from constraint_sdc.validate.rows_check import Wishes, add_report
from constraint_sdc.validate.tally import Tally, rule_results


def check_document(schema: Schema, judge: Judge, data: Path, wishes: Wishes) -> tuple[RuleResult, ...]:
    """Return one result per assertion; violations carry locations and lines."""
    tallies = {a.id: Tally(wishes.examples) for a in schema.assertions()}
    summaries = {a.id: hidden_message(a.parts) for a in schema.assertions()}
    add_report(tallies, judge.judge_file(data), summaries, show_values=wishes.show_values)
    return rule_results(schema, tallies)
