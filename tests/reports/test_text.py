"""The terminal report against golden files; rewrite them by hand when the wording changes on purpose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.render import render

GOLDEN = Path(__file__).with_name("golden")


def golden(name: str) -> str:
    return (GOLDEN / name).read_text("utf-8")


def test_rows_are_shown_with_record_numbers_and_keys(census: CheckResult) -> None:
    assert render(census, "text") == golden("census.txt")


def test_values_are_shown_when_asked_for(census: CheckResult) -> None:
    assert render(replace(census, shows_values=True), "text") == golden("census-values.txt")


def test_documents_without_rows_are_shown_with_locations_and_errors_with_their_text(invoice: CheckResult) -> None:
    assert render(invoice, "text") == golden("invoice.txt")


def first_line(result: CheckResult) -> str:
    return render(result, "text").splitlines()[0]


def test_a_clean_file_passes_in_one_line(census: CheckResult) -> None:
    clean = census.results[1]
    two = replace(census, results=(clean, replace(clean, rule="other")), broken_records=0)
    assert first_line(two) == "PASS: all 2 rules hold on 12,000 records, each checked 12,000 times"
    assert (
        first_line(replace(two, results=(clean,)))
        == "PASS: the only rule holds on 12,000 records, checked 12,000 times"
    )


def test_rules_that_never_apply_are_counted(census: CheckResult) -> None:
    held, idle = census.results[1], census.results[4]
    assert (
        first_line(replace(census, results=(held, idle)))
        == "PASS: 1 of 2 rules hold on 12,000 records, checked 12,000 times; 1 not applicable"
    )
    assert first_line(replace(census, results=(idle,))) == "ERROR: none of 1 rule applied to anything in the data"


def test_violations_below_the_gate_pass_and_say_so(census: CheckResult) -> None:
    late = replace(census, results=(census.results[3],), broken_records=None)
    assert first_line(late) == (
        "PASS: 1 of 1 rule broken (all below the gate, which fails on error), 2 violations in 2 of 12,000 records"
    )
    assert first_line(replace(late, fail_on="warning")) == (
        "FAIL: 1 of 1 rule broken, 2 violations in 2 of 12,000 records"
    )


def test_records_are_not_counted_from_a_capped_list(census: CheckResult) -> None:
    assert "45 violations among 12,000 records" in first_line(replace(census, broken_records=None))


def test_one_record_that_breaks_two_rules_counts_once(census: CheckResult) -> None:
    total, _, tenure, *_ = census.results
    both = (replace(total, failed=1, violations=total.violations[:1]), tenure)
    assert "2 violations in 1 of 12,000 records" in first_line(replace(census, results=both, broken_records=None))


def test_diagnostics_follow_their_violation(census: CheckResult) -> None:
    rule = census.results[2]
    violation = replace(rule.violations[0], diagnostics=(("hint", "lease was 0"),))
    told = replace(census, results=(replace(rule, violations=(violation,)),), shows_values=True)
    assert "          hint: lease was 0\n" in render(told, "text")


def test_colour_adds_escape_sequences_and_nothing_else(census: CheckResult) -> None:
    plain, coloured = render(census, "text"), render(census, "text", colour=True)
    assert "\x1b[1;31mFAIL\x1b[0m: 3 of 5" in coloured
    for code in ("\x1b[1;31m", "\x1b[32m", "\x1b[33m", "\x1b[2m", "\x1b[1m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == plain


@pytest.mark.parametrize("wide", ["統計", "e\u0301tat"])
def test_columns_line_up_under_wide_and_combining_characters(census: CheckResult, wide: str) -> None:
    renamed = replace(census, results=(replace(census.results[0], rule=wide), census.results[1]))
    rows = [line for line in render(renamed, "text").splitlines() if line.endswith("12,000")]
    cells = {"統計": 4, "e\u0301tat": 4}[wide]
    assert rows[0].index("error") - len(wide) + cells == rows[1].index("error")


def with_missing(census: CheckResult) -> CheckResult:
    """Some records lack values: 8 that hold and 3 that are broken; of one rule it is not known."""
    total, income, tenure, *others = census.results
    told = (replace(total, held_missing=8, failed_missing=3), income, replace(tenure, held_missing=None))
    return replace(census, results=(*told, *others))


def test_missing_values_stand_in_a_column_of_their_own(census: CheckResult) -> None:
    lines = render(with_missing(census), "text").splitlines()
    rows = lines[lines.index(next(line for line in lines if line.startswith("status"))) :][:4]
    table = {row.split()[1]: row.split()[3:] for row in rows}
    assert table["rule"] == ["broken", "holds", "missing", "checked"]
    assert table["total"] == ["42", "11,950", "8", "12,000"]
    assert table["income-range"] == ["0", "12,000", "0", "12,000"]
    assert table["tenure"] == ["1", "8,399", "not", "known", "8,400"]
    assert "      missing  a value that the test reads, in 3 of those broken" in lines


def test_that_rules_hold_is_said_with_the_checks_that_lack_a_value(census: CheckResult) -> None:
    clean = replace(census.results[1], held_missing=25)
    said = "PASS: the only rule holds on 12,000 records, checked 12,000 times, 25 times with a missing value"
    assert first_line(replace(census, results=(clean,))) == said
