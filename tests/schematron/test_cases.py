"""Every one-file case in cases/ is loaded, judged by Saxon and compared with what it expects."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from constraint_sdc.errors import ConstraintSdcError
from constraint_sdc.model.schema import Schema
from constraint_sdc.rules.schematron import load_schema
from constraint_sdc.validate.judge import Judge
from constraint_sdc.validate.verdict import JudgeReport

sys.path.insert(0, str(Path(__file__).parent))
from case_file import Case, read_case

CASES = sorted((Path(__file__).parent / "cases").glob("*.xml"))


def test_there_are_cases() -> None:
    assert len(CASES) >= 200


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path, tmp_path: Path) -> None:
    case = read_case(path)
    rules, document = case.write(tmp_path / "rules")
    if case.verdict == "error":
        assert case.says, "an error case must name a phrase"
        with pytest.raises(ConstraintSdcError) as caught:
            run(rules, document, case.phase)
        assert [phrase for phrase in case.says if phrase not in str(caught.value)] == [], str(caught.value)
        return
    schema, report = run(rules, document, case.phase)
    compare(case, schema, report)


def run(rules: Path, document: Path, phase: str | None) -> tuple[Schema, JudgeReport]:
    schema = load_schema(rules, phase=phase)
    with Judge(schema) as judge:
        report = judge.judge_file(document)
    stopped = [count.error for count in report.counts if count.errors]
    assert not stopped, stopped
    return schema, report


def compare(case: Case, schema: Schema, report: JudgeReport) -> None:
    assert {count.assertion: count.failed for count in report.counts if count.failed} == case.fails
    assert (case.verdict == "invalid") == bool(case.fails)
    severities = {assertion.id: assertion.severity for assertion in schema.assertions()}
    assert {name: severities[name] for name in case.severities} == case.severities
    first = {finding.assertion: finding for finding in reversed(report.findings)}
    assert {name: first[name].text for name in case.messages} == case.messages
    notes = {(name, note): text for name, finding in first.items() for note, text in finding.diagnostics}
    assert {key: notes.get(key) for key in case.diagnostics} == case.diagnostics
    assert {name: first[name].location.rpartition("/")[2].partition("[")[0] for name in case.subjects} == case.subjects
