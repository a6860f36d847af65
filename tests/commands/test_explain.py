"""One record explained: every record of the file can be, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.commands.explain import explain_record
from constraint_sdc.errors import UsageError
from tests.maskers.extract import columns, extract


def test_the_first_and_the_last_record_can_be_explained(tmp_path: Path) -> None:
    given = extract(tmp_path, columns(A=range(10, 19)))
    found = {number: explain_record(given.data, None, given.options(3), number).original["A"] for number in (1, 9)}
    assert found == {1: "10", 9: "18"}


@pytest.mark.parametrize("number", [0, 10])
def test_a_record_beyond_the_file_is_refused(tmp_path: Path, number: int) -> None:
    given = extract(tmp_path, columns(A=range(9)))
    with pytest.raises(UsageError, match=f"there is no record {number} .records are 1 to 9."):
        explain_record(given.data, None, given.options(3), number)
