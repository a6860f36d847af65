"""Cells numbered by columns against the same numbered one after another in a dictionary."""

from __future__ import annotations

import re
from collections.abc import Hashable

from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.table import column_of
from constraint_sdc.promises.compared_cells import BlockVariable, compare_cells
from tests.draws import draws

NUMBER = re.compile(r"\s*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?\s*")
ODD = """5|5.0|+5|05|5e0|0.5e1|500e-2| 5|5 |0|-0|0.0|.5|5.|1e999|-1e999|NaN|INF|-INF|-9| -9|-9.0|n/a|n/a |a|A|ü|1_0|
0.1|0.10|0.1000000000000000055511151231257827|9007199254740993|9007199254740992|1e400|2024-02-29|. 5|1 2|--5|.|e5"""
CELLS = st.one_of(
    st.none(),
    st.sampled_from([*ODD.replace("\n", "").split("|"), "", " ", "\t\n", "\u00a0", "\u00a05", "5\u2003", "\u0665"]),
    st.floats(-10, 10).map(repr),
    st.integers(-3, 3).map(str),
)


def slow_cell(text: str | None, variable: BlockVariable) -> Hashable:
    if text is None or not text.strip() or text in variable.missing or text.strip() in variable.missing:
        return None
    if not variable.is_number:
        return text
    return float(text) if NUMBER.fullmatch(text) else None if text in ("NaN", "INF", "-INF") else text


@settings(max_examples=draws(150))
@given(st.lists(CELLS, max_size=20), st.lists(CELLS, max_size=20), st.booleans())
def test_cells_are_the_same_if_and_only_if_their_values_are(
    before: list[str | None], after: list[str | None], is_number: bool
) -> None:
    variable = BlockVariable("V", is_number, ("-9", "n/a"))
    found = compare_cells([column_of("V", before), column_of("V", after)], variable)
    expected = [slow_cell(text, variable) for text in (*before, *after)]
    assert [bool(found.has_value[code]) for code in found.codes] == [cell is not None for cell in expected]
    pairs = set(zip(found.codes.tolist(), expected, strict=True))
    assert len(pairs) == len(set(expected)) == len(set(found.codes.tolist()))
