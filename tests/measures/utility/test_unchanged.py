from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.utility.unchanged import Unchanged, unchanged_shares
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, pair_of

NAN = float("nan")


def test_cells_and_whole_records_of_any_scale_are_counted() -> None:
    variables = (
        compared("Town", [0, 1, 2, 0], [0, 1, 0, 0], scale=Scale.NOMINAL),
        compared("Age", [20, 30, 40, 50], [25, 30, 40, 50]),
        compared("Wave", [1, 1, 1, 1], [2, 2, 2, 2], is_masked=False),
    )
    found = Unchanged().measure(Pair(variables, ()))
    assert found.value("unchanged") == 75.0
    assert found.value("records") == 50.0
    assert found.value("cells") == 8
    assert found.tables[0].rows == (("Town", 75.0), ("Age", 75.0))


def test_what_was_blank_and_stays_blank_does_not_count() -> None:
    found = unchanged_shares([compared("Age", [NAN, NAN, 1, 2], [NAN, 5, NAN, 2])])
    assert (found.cells, found.share) == (3, pytest.approx(100 / 3))
    assert found.records == pytest.approx(100 / 3)


def test_a_variable_without_any_value_is_named() -> None:
    original = np.array([[NAN, 1.0], [NAN, 2.0]])
    found = Unchanged().measure(pair_of(original, original, ["Tax", "Age"]))
    assert found.value("unchanged") == 100.0
    assert sentences(found.notes) == ["Without any value: Tax."]


def test_a_shuffled_file_keeps_only_what_fell_on_its_place() -> None:
    original = np.array([[1.0], [2.0], [3.0]])
    assert unchanged_shares(pair_of(original, original[[2, 1, 0]]).variables).share == pytest.approx(100 / 3)
