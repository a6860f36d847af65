"""Goals that do not fit the file: refused in words, before anything is computed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.errors import UsageError
from tests.maskers.extract import extract
from tests.maskers.test_group_anonymity import SCIENTISTS, goal, people, recipe

WAVELET: dict[str, Any] = {"wavelet": "haar", "level": 1}
UNFIT: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown parameter": (
        goal("Regoin"),
        "goal 1: the parameter names 'Regoin', which no record has (is it Region?)",
    ),
    "an unknown variable": (goal(vital="Job = 'x'"), "goal 1: vital \"Job = 'x'\": column 1: the file has no variable"),
    "an unknown variable of the base": (goal(base="Agee > 3"), "goal 1: base 'Agee > 3': column 1"),
    "no condition": (goal(vital="Sex"), "write a condition such as"),
    "a text for a number": (goal(vital="Age = 'x'"), "Age is numeric"),
    "nobody is vital": (goal(vital="Age > 200"), "no record with a value of Region satisfies vital 'Age > 200'"),
    "nobody in the base": (goal(base="Age > 200"), "satisfies base 'Age > 200'"),
    "all are vital": (goal(vital="Age > 0"), "every record of the base is vital"),
    "all of the base are vital": (goal(base=SCIENTISTS), "every record of the base is vital"),
    "one value": (goal("Country", change=[{"add": {"at": "X"}}]), "has the same value in every record of the base"),
    "no value at all": (goal("Empty"), "no record has a value of it"),
    "an unknown value": (goal(change=[{"move": {"from": "Nord", "to": "South"}}]), "'Nord' is not a value of Region"),
    "an unknown place": (goal(change=[{"add": {"at": "Nord"}}]), "add: 'Nord' is not a value of Region in the base"),
    "an unknown value in the order": (goal(order=["North", "South", "East", "Vest"]), "order: 'Vest' is not a value"),
    "an order with gaps": (goal(order=["North", "South"]), "order leaves out 2 values of Region, which"),
    "too few numbers": (goal(change=[{"signal": [1, 2]}]), "2 numbers are given for a signal of 4 values"),
    "no wavelet": (goal(change=[{"wavelet": {**WAVELET, "wavelet": "db0"}}]), "'db0' is not a discrete wavelet"),
    "no level": (goal(change=[{"wavelet": {**WAVELET, "level": 3}}]), "can be decomposed at levels 1 to 1"),
    "too few coefficients": (goal(change=[{"wavelet": {**WAVELET, "approximation": [1]}}]), "1 coefficients are given"),
    "a flat wish": (
        goal(change=[{"signal": [5, 5, 5, 5]}], normalise=True),
        "the changed signal is constant",
    ),
    "against nobody": (
        goal(signal="concentration difference", against={"vital": "Age > 200"}),
        "goal 1: against: no record",
    ),
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_goal_that_does_not_fit_is_refused(tmp_path: Path, name: str) -> None:
    told, words = UNFIT[name]
    rows = [{**row, "Country": "X", "Empty": "''"} for row in people()]
    given = extract(tmp_path, rows, None, recipe(told))
    with pytest.raises(UsageError, match=re.escape(words)) as error:
        given.mask(1)
    assert not given.output.exists()
    assert "West" not in str(error.value), "a value that only the file knows"


def test_a_flat_original_cannot_be_normalised(tmp_path: Path) -> None:
    rows = [{"Region": r, "Job": j, "Age": "4"} for r in ("a", "b") for j in ("x", "x", "y", "y")]
    given = extract(
        tmp_path, rows, None,
        recipe(goal(vital="Job = 'x'", change=[{"signal": [3, 1]}], normalise=True), influential=("Age",)),
    )  # fmt: skip
    with pytest.raises(UsageError, match="the original signal is constant"):
        given.mask(1)


def test_an_unknown_influential_variable_is_refused(tmp_path: Path) -> None:
    given = extract(tmp_path, people(), None, recipe(goal(), influential=("Agee",)))
    with pytest.raises(UsageError, match="influential names 'Agee', which no record has"):
        given.mask(1)


def test_same_and_different_of_a_number_are_refused(tmp_path: Path) -> None:
    text = recipe(goal(), influential=("Age",)).replace("- variable: Age", "- {variable: Age, different: 3}")
    given = extract(tmp_path, people(), None, text)
    with pytest.raises(UsageError, match="Age is numeric, but `same` and `different` are for categories"):
        given.mask(1)


def test_a_variable_with_too_many_values_is_no_parameter(tmp_path: Path) -> None:
    rows = [{**row, "Serial": str(i)} for i, row in enumerate(people(records=1100))]
    given = extract(tmp_path, rows, None, recipe(goal("Serial", change=[{"add": {"at": 7}}])))
    with pytest.raises(UsageError, match="1,100 different values, too many for a signal"):
        given.mask(1)
