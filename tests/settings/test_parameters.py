"""A declared parameter takes what it declares, its bounds included, and refuses everything else in words."""

from __future__ import annotations

import pytest

from constraint_sdc.errors import UsageError
from constraint_sdc.settings.parameters import DeclaredParameter, ParameterValue

COUNT = DeclaredParameter("draws", "How many.", 10, least=1, most=100)
SHARE = DeclaredParameter("share", "Which share.", 0.5, least=0.0, most=1.0)
FREE = DeclaredParameter("height", "How high.", 1.5)
FLAG = DeclaredParameter("exact", "Whether.", False)
WORD = DeclaredParameter("name", "Which name.", "plain")
CHOICE = DeclaredParameter("way", "Which way.", "up", choices=("up", "down"))


@pytest.mark.parametrize(
    ("parameter", "given", "value"),
    [
        (COUNT, 1, 1),
        (COUNT, "100", 100),
        (SHARE, 0, 0.0),
        (SHARE, "1", 1.0),
        (FREE, "-1e9", -1e9),
        (FLAG, "yes", True),
        (FLAG, False, False),
        (WORD, "any text", "any text"),
        (CHOICE, "down", "down"),
    ],
)
def test_a_value_within_what_is_declared_is_taken(
    parameter: DeclaredParameter, given: object, value: ParameterValue
) -> None:
    found = parameter.read(given, "toy")
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("parameter", "given"),
    [
        (COUNT, 0),
        (COUNT, 101),
        (COUNT, "1.5"),
        (COUNT, True),
        (SHARE, -0.001),
        (SHARE, "1.001"),
        (FREE, "nan"),
        (FREE, "inf"),
        (FLAG, "maybe"),
        (CHOICE, "left"),
    ],
)
def test_any_other_value_is_refused_with_those_that_there_are(parameter: DeclaredParameter, given: object) -> None:
    with pytest.raises(UsageError) as refused:
        parameter.read(given, "toy")
    assert f"toy: {parameter.name} cannot be {given!r}" in str(refused.value)
    assert f"use {parameter.range()}" in str(refused.value)
