"""The verdicts before and after masking, compared record by record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.masking.judging import compare_verdicts
from constraint_sdc.judge.finding import CheckResult, Violation
from tests.maskers.extract import columns, extract


def broken_in(result: CheckResult, records: list[int]) -> CheckResult:
    """Return the verdict with one rule that these records break."""
    violations = tuple(Violation("R", record, None, None, f"/D/R[{record}]", "told") for record in records)
    return replace(result, results=(replace(result.results[0], violations=violations, failed=len(violations)),))


def test_a_broken_record_stays_broken_is_repaired_or_is_new(tmp_path: Path) -> None:
    given = extract(tmp_path, columns(A=range(9)), {"R": "number(A) >= 0"})
    assert given.rules is not None
    clean = check_file(given.data, given.rules, CheckOptions())
    (outcome,) = compare_verdicts(broken_in(clean, [1, 2, 3, 4]), broken_in(clean, [4, 5, 6]))
    counts = outcome.broken_before, outcome.still_broken, outcome.repaired, outcome.newly_broken
    assert counts == (4, 1, 3, 2)
    assert compare_verdicts(None, clean) == compare_verdicts(clean, None) == ()
