"""The five rules of the 2009 paper, as shipped, in both styles."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.constraints.show import blocks, show_constraint
from constraint_sdc.constraints.understand import understand
from constraint_sdc.schematron.load import load_schema

SHIPPED = Path(__file__).parents[2] / "rules"
MEANINGS = [
    ("linear", "V9 + V10 = V14"),
    ("non-linear", "V5 * V15 = V16"),
    ("possible values", "0 <= V3 <= 7500"),
    ("governs", "if V8 < 1115 then V13 <= V12"),
    ("value domain", "V1 occurs in original //Record/V1"),
]


@pytest.mark.parametrize("name", ["census.sch", "census-paper.sch"])
@pytest.mark.parametrize("record", [None, "Record"])
def test_the_census_rules_are_understood(name: str, record: str | None) -> None:
    edits = understand(load_schema(SHIPPED / name), record=record, overridden=frozenset({"original"}))
    assert [(edit.constraint.kind.value, show_constraint(edit.constraint)) for edit in edits] == MEANINGS
    assert all(edit.is_record_local and edit.expression is not None for edit in edits)
    assert blocks(edits) == (("V9", "V10", "V14"), ("V5", "V15", "V16"), ("V3",), ("V8", "V13", "V12"), ("V1",))
