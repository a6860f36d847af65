"""Masking under rules of another language: published, certified, and verified by the same file of rules."""

from __future__ import annotations

from pathlib import Path

import pytest

import constraint_sdc as cs

RULES = {
    "rules.R": "V9 + V10 == V14\nif (V8 < 1115) V13 <= V12\nin_range(V3, 0, 7500)",
    "rules.txt": "V9 + V10 = V14\nif V8 < 1115 then V13 <= V12\nV3 in [0, 7500]",
    "rules.json": '{"properties": {"V3": {"type": "number", "minimum": 0, "maximum": 7500}}, "required": ["V9"]}',
    "rules.vtl": "define datapoint ruleset R (variable V3, V8, V9, V10, V12, V13, V14) is V9 + V10 = V14; "
    "when V8 < 1115 then V13 <= V12; between(V3, 0, 7500) end datapoint ruleset;",
    "rules.yaml": "schema_type: dataframe\ncolumns:\n  V3: {dtype: float64, in_range: {min_value: 0, max_value: 7500}}",
    "rules.sql": "V9 + V10 = V14; NOT V8 < 1115 OR V13 <= V12; V3 BETWEEN 0 AND 7500",
}


@pytest.mark.parametrize("name", RULES)
def test_a_masked_file_is_certified_under_rules_of_any_language(tmp_path: Path, name: str) -> None:
    data = cs.generate_census(tmp_path / "census.xml", 60, seed=3)
    (tmp_path / name).write_text(RULES[name])
    result = cs.mask_file(data, tmp_path / name, tmp_path / "masked.xml", k=5, partition="mdav", undecided="guess")
    assert result.after is not None
    assert [rule.failed for rule in result.after.results] == [0] * len(result.after.results)
    assert cs.verify_certificate(tmp_path / "masked.xml", tmp_path / name, original=data).mismatches == ()
    (tmp_path / name).write_text(RULES[name] + "\n")
    assert cs.verify_certificate(tmp_path / "masked.xml", tmp_path / name).mismatches
