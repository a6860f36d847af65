"""The list of rules says of each which engine judges it."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.rules import list_rules
from tests.maskers.extract import columns, extract


@pytest.mark.parametrize("has_data", [True, False])
def test_the_engine_in_the_list_is_the_one_that_judges(tmp_path: Path, has_data: bool) -> None:
    rules = {"own": "number(A) >= 0", "foreign": "exists(tokenize(A, ',')[number(.) >= 0])"}
    given = extract(tmp_path, columns(A=range(9)), rules)
    assert given.rules is not None
    judged = {one.rule: one.engine for one in check_file(given.data, given.rules, CheckOptions()).results}
    listed = list_rules(given.rules, data=given.data if has_data else None).rows
    assert {row.id: row.engine for row in listed} == judged == {"own": "vectorised", "foreign": "saxon"}
