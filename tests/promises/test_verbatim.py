"""Verbatim records, counted by the program and by a look-up of every record among all others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

import constraint_sdc as cs
from constraint_sdc.data.table import Table, column_of
from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.exam.protection.recount import is_crowded
from constraint_sdc.promises.compared_cells import BlockVariable
from constraint_sdc.promises.verbatim import count_verbatim
from constraint_sdc.settings.chance import NEVER
from tests.maskers.extract import columns, extract

Cells = Sequence[Sequence[str | None]]


def table(rows: Cells, names: str) -> Table:
    return Table({name: column_of(name, [row[j] for row in rows]) for j, name in enumerate(names)}, len(rows))


def told(cell: str | None, is_number: bool) -> float | str | None:
    if cell in (None, "", "-9"):
        return None
    assert cell is not None
    return float(cell) if is_number else cell


def by_hand(before: Cells, after: Cells, numbers: Sequence[bool], k: int) -> list[bool]:
    old, new = ([[told(c, n) for c, n in zip(row, numbers, strict=True)] for row in rows] for rows in (before, after))
    varying = [len({row[j] for row in old}) > 1 for j in range(len(numbers))]
    exact = [
        {Fraction(cell) if isinstance(cell, float) else cell for cell in column} for column in zip(*old, strict=True)
    ]
    if is_crowded(zip(exact, numbers, strict=True), len({tuple(row) for row in old})):
        return [False] * len(new)
    found = []
    for row in new:
        values = [j for j, cell in enumerate(row) if cell is not None and varying[j]]
        is_record = len(values) > 1 and any(numbers[j] for j in values)
        found.append(is_record and 0 < sum(other == row for other in old) < k)
    return found


@pytest.mark.parametrize("seed", range(25))
def test_the_count_is_that_of_a_look_up(seed: int) -> None:
    rng = random.Random(seed)
    numbers = [True, rng.random() < 0.5, False]
    many = rng.choice([["2"], ["2", "30", "44.5", "61.25"]])
    texts = [["1", "1.0", *many, "-9", None] if is_number else ["x", "y", "", "-9"] for is_number in numbers]
    before, after = ([[rng.choice(cells) for cells in texts] for _ in range(rng.randrange(5, 40))] for _ in range(2))
    after = [*after, *before][: len(before)]
    block = [BlockVariable(name, is_number, ("-9",)) for name, is_number in zip("ABC", numbers, strict=True)]
    k = rng.randrange(2, 5)
    (count,), _ = count_verbatim(table(before, "ABC"), table(after, "ABC"), [block], k)
    assert count.is_verbatim.tolist() == by_hand(before, after, numbers, k)
    assert count.names == ("A", "B", "C")


def test_where_many_combinations_occur_an_equal_one_is_chance() -> None:
    ages = [(region, str(age)) for region in "ns" for age in range(30, 60, 2)]
    wages = [(region, f"{wage}.{digits}") for region, digits in (("n", 35), ("s", 70)) for wage in range(30, 60, 2)]
    block = [BlockVariable("A", False), BlockVariable("B", True)]
    for rows, expected in ((ages, 0), (wages, 30)):
        (count,), _ = count_verbatim(table(rows, "AB"), table(rows, "AB"), [block], 3)
        assert count.verbatim == expected


def test_numbers_are_compared_as_numbers_and_dates_as_texts() -> None:
    before = [("1.50", "1980-01-01"), ("2", "1981-01-01"), ("3", "1982-01-01")]
    after = [("1.5", "1980-01-01"), ("2", "1980-01-01"), ("03.0", "1982-01-01")]
    block = [BlockVariable("A", True), BlockVariable("B", True)]
    (count,), _ = count_verbatim(table(before, "AB"), table(after, "AB"), [block], 3)
    assert (count.is_verbatim.tolist(), count.combinations, count.verbatim) == ([True, False, True], 3, 2)


def test_categories_alone_and_one_variable_alone_are_no_record() -> None:
    rows = [("x", "1", "c"), ("y", "200", "c"), ("z", "3000", "c")]
    blocks = [[BlockVariable("A", False), BlockVariable("C", False)], [BlockVariable("B", True)]]
    blocks += [
        [BlockVariable("B", True), BlockVariable("C", False)],
        [BlockVariable("A", False), BlockVariable("B", True)],
    ]
    counts, _ = count_verbatim(table(rows, "ABC"), table(rows, "ABC"), blocks, 2)
    assert [count.verbatim for count in counts] == [0, 0, 0, 3], "C is the same everywhere"


ROWS = [("1", "1", "x"), ("1", "2", "x"), ("2", "1", "x"), ("2", "2", "y"), ("3", "3", "y"), ("3", "3", "y")]
BLOCKS = [[BlockVariable(name, name != "C")] for name in "ABC"]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, [True, True, True, True, False, False]),  # two records are 3, 3, y
        ({0: ("1", "9", "x")}, [False, True, True, True, False, False]),
        ({0: ("1", "9", "x"), 1: ("1", "2", "y"), 2: ("9", "1", "x")}, [False] * 3 + [True, False, False]),
        ({4: ROWS[0], 5: ROWS[1]}, [False, False, True, True, False, False]),  # two written records share them
    ],
)
def test_records_that_stand_alone_and_do_not_change_count(
    changed: dict[int, tuple[str, str, str]], expected: list[bool]
) -> None:
    after = [changed.get(number, row) for number, row in enumerate(ROWS)]
    counts, whole = count_verbatim(table(ROWS, "ABC"), table(after, "ABC"), BLOCKS, 2)
    assert not any(count.verbatim for count in counts)
    assert whole.is_verbatim.tolist() == expected


@pytest.mark.parametrize(("others", "counts"), [(9, True), (10, False)])
def test_less_than_a_tenth_of_those_that_stand_alone_are_chance(others: int, counts: bool) -> None:
    before = [("1", "1", "x"), *((str(i + 2), str(i + 2), "y") for i in range(others))]
    after = [before[0], *((str(i + 3), str(i + 2), "x") for i in range(others))]
    _, whole = count_verbatim(table(before, "ABC"), table(after, "ABC"), BLOCKS, 2)
    assert bool(whole.is_verbatim.any()) == counts
    _, every = count_verbatim(table(before, "ABC"), table(after, "ABC"), BLOCKS, 2, NEVER)
    assert every.is_verbatim.tolist() == [True] + [False] * others


@pytest.mark.parametrize("kind", ["numeric", "nominal"])
def test_a_file_of_which_no_record_would_change_is_refused_and_one_block_is_a_way_out(
    kind: str, tmp_path: Path
) -> None:
    """Of few values k records share every value, so that blocks of one variable lose nothing and hide nobody."""
    draw = random.Random(1)
    data, recipe = tmp_path / "data.xml", tmp_path / "recipe.yml"
    rows = ["".join(f"<{name}>{draw.randint(1, 4)}</{name}>" for name in "ABCD") for _ in range(60)]
    data.write_text("<D>" + "".join(f"<P>{row}</P>" for row in rows) + "</D>", "utf-8")
    roles = "variables: {" + ", ".join(f"{name}: {{role: confidential, type: {kind}}}" for name in "ABCD") + "}\n"
    recipe.write_text(f"group_size: 1\n{roles}", "utf-8")
    with pytest.raises(PlanRefusedError, match="A, B, C and D together are") as refused:
        cs.mask_file(data, None, tmp_path / "masked.xml", k=3, recipe=recipe)
    assert any(way.is_one_block for way in refused.value.ways)
    recipe.write_text(f"groups: all\n{roles}", "utf-8")
    (counted,) = [
        one
        for one in cs.mask_file(data, None, tmp_path / "masked.xml", k=3, recipe=recipe).people
        if one.promise == "verbatim"
    ]
    assert counted.is_kept


def test_a_recipe_may_count_what_is_equal_by_chance(tmp_path: Path) -> None:
    """Of region and age nearly every combination is somebody's: chance, unless the recipe counts every one."""
    draw = random.Random(3)
    rows = columns(
        Region=[draw.choice("NSEW") for _ in range(120)],
        Age=[draw.randint(20, 50) for _ in range(120)],
        Wage=[draw.randint(1000, 90_000) for _ in range(120)],
    )
    roles = "variables: {Region: {role: quasi-identifier, type: nominal}, Age: {role: quasi-identifier}}\n"
    found = {}
    for name, entry in {"usual": "0", "every": "{at most: 0, count: every}", "unlikely": "{at most: 0}"}.items():
        given = extract(tmp_path / name, rows, None, f"{roles}protect: {{verbatim: {entry}}}\n")
        result = given.mask(3)
        old, new = ([(row["Region"], row["Age"]) for row in some] for some in (given.original(), given.masked()))
        found[name] = sum(0 < old.count(one) < 3 for one in new)
        (said,) = [one for one in result.people if one.promise == "verbatim"]
        assert (said.found["records"], said.is_kept) == (0, True)
        assert said.asked == {"at_most": 0, **({"count": "every"} if name == "every" else {})}
    assert found["every"] == 0
    assert found["usual"] == found["unlikely"] > 20
