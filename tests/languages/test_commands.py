"""Every command that takes rules takes them in any language, about the records of its data."""

from __future__ import annotations

from pathlib import Path

import pytest

import constraint_sdc as cs
from tests.languages.judged import write_rows


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = write_rows(tmp_path / "data.xml", [{"Wage": n, "Other": 2 * n, "Income": 3 * n} for n in range(1, 21)])
    rows.write_text(rows.read_text().replace("Record>", "Person>"))
    (tmp_path / "rules.txt").write_text("income: Wage + Other = Income\nwage: Wage > 0")
    return tmp_path


def test_rules_are_about_the_records_of_the_data(files: Path) -> None:
    data, rules = files / "data.xml", files / "rules.txt"
    assert [row.checked for row in cs.list_rules(rules, data=data).rows] == [20, 20]
    assert [rule.fired for rule in cs.check_file(data, rules).results] == [20, 20]
    assert "unknown-name" not in {finding.code for finding in cs.lint_rules(rules, data).findings}
    assert cs.init_recipe(data, rules).text
    assert cs.full_svrl(data, rules).count("fired-rule") == 40
    assert cs.plan_file(data, rules, k=5, partition="mdav", undecided="guess").k == 5
