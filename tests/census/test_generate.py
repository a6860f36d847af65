"""The generated census-like data keep the five rules, or break each in exactly the share asked for."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from elementpath import XPath2Parser, select
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from constraint_sdc.census import VARIABLES, draw_block, generate, generate_file
from constraint_sdc.errors import UsageError

RULES = {
    "sum": lambda r: r["V9"] + r["V10"] == r["V14"],
    "product": lambda r: r["V5"] * r["V15"] == r["V16"],
    "interval": lambda r: 0 <= r["V3"] <= 7500,
    "condition": lambda r: not r["V8"] < 1115 or r["V13"] <= r["V12"],
}


def rows(records: int, seed: int, break_share: float = 0.0) -> list[dict[str, str]]:
    batches = generate(records, seed, break_share)
    return [dict(zip(batch, row, strict=True)) for batch in batches for row in zip(*batch.values(), strict=True)]


def as_doubles(row: dict[str, str]) -> dict[str, float]:
    return {name: float(text) for name, text in row.items()}


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32), records=st.integers(1, 3000))
def test_every_rule_holds_in_double_arithmetic_on_unbroken_data(seed: int, records: int) -> None:
    data = [as_doubles(row) for row in rows(records, seed)]
    assert len(data) == records
    for name, rule in RULES.items():
        assert all(rule(row) for row in data), name


def test_the_further_ties_of_the_reference_file_hold() -> None:
    for row in map(as_doubles, rows(5000, 7)):
        assert row["V10"] == row["V8"] + row["V9"]
        assert row["V15"] == 1 / row["V11"]
        assert row["V5"] <= row["V12"] <= row["V2"]
        assert all(row[f"V{i}"] >= 1 for i in range(1, 14))


def test_a_few_records_have_low_earnings_and_incomes_are_skewed() -> None:
    data = [as_doubles(row) for row in rows(10_000, 3)]
    assert 10 <= sum(row["V8"] < 1115 for row in data) <= 100
    for name in ("V2", "V7", "V8", "V9"):
        values = sorted(row[name] for row in data)
        assert sum(values) / len(values) > 1.05 * values[len(values) // 2], name


def test_the_variables_have_the_sizes_of_an_income_survey() -> None:
    numbers = draw_block(3, 0)
    # The first decile, the median and the last decile. Other seeds differ by up to 11%.
    expected = {
        "V1": (81_400, 168_000, 355_000),
        "V2": (15_200, 44_900, 133_000),
        "V3": (1_400, 3_190, 4_940),
        "V4": (13_100, 31_600, 71_100),
        "V5": (1_490, 4_970, 15_800),
        "V6": (1_000, 2_420, 5_440),
        "V7": (26, 313, 3_500),
        "V8": (15_700, 34_500, 75_500),
        "V9": (71, 920, 10_700),
        "V11": (510, 1_770, 6_200),
        "V12": (8_910, 28_400, 89_000),
    }
    for name, deciles in expected.items():
        assert np.quantile(numbers[name], [0.1, 0.5, 0.9]) == pytest.approx(deciles, rel=0.15), name


def test_some_variables_repeat_another_and_most_earnings_are_round() -> None:
    numbers = draw_block(3, 0)
    for one, other, share in (("V13", "V8", 0.94), ("V4", "V13", 0.85), ("V9", "V7", 0.28)):
        assert (numbers[one] == numbers[other]).mean() == pytest.approx(share, abs=0.02), (one, other)
    assert (numbers["V8"] % 100 == 0).mean() == pytest.approx(0.6, abs=0.02)


@pytest.mark.parametrize("share", [0.01, 0.1])
def test_each_rule_breaks_in_exactly_the_share_asked_for(share: float) -> None:
    records, seed = 12_345, 11
    original = {row["V1"] for row in rows(records, seed)}
    broken = rows(records, seed, share)
    for name, rule in RULES.items():
        assert sum(not rule(as_doubles(row)) for row in broken) == round(records * share), name
    assert sum(row["V1"] not in original for row in broken) == round(records * share)


def test_rules_break_in_different_records() -> None:
    broken = [as_doubles(row) for row in rows(10_000, 5, 0.01)]
    failing = [{i for i, row in enumerate(broken) if not rule(row)} for rule in RULES.values()]
    assert len(set().union(*failing)) > 350


def test_a_product_breaks_also_by_the_last_bit_alone() -> None:
    broken = [as_doubles(row) for row in rows(10_000, 5, 0.01)]
    gaps = [abs(r["V5"] * r["V15"] - r["V16"]) / r["V16"] for r in broken if not RULES["product"](r)]
    assert sum(gap < 1e-15 for gap in gaps) == 50


def test_the_only_broken_product_is_off_by_the_last_bit() -> None:
    (broken,) = (row for row in map(as_doubles, rows(100, 5, 0.01)) if not RULES["product"](row))
    assert broken["V16"] == math.nextafter(broken["V5"] * broken["V15"], math.inf)


def test_the_same_seed_gives_the_original_of_the_broken_file() -> None:
    for before, after in zip(rows(500, 9), rows(500, 9, 0.05), strict=True):
        changed = {name for name in before if before[name] != after[name]}
        assert changed <= {"V14", "V16", "V3", "V8", "V13", "V1"}
    assert rows(500, 9) == rows(500, 9)
    assert rows(500, 9) != rows(500, 10)


def test_a_shorter_file_is_the_beginning_of_a_longer() -> None:
    assert rows(10_050, 2)[:70] == rows(70, 2)


def test_numbers_are_positional_texts_that_read_back() -> None:
    for row in rows(10_000, 4):
        assert not any("e" in text for text in row.values())
        assert row["V14"].isdigit()


@pytest.mark.parametrize("indent", [False, True])
def test_the_file_holds_the_generated_texts(tmp_path: Path, indent: bool) -> None:
    path = tmp_path / "census.xml"
    generate_file(path, 300, 1, break_share=0.02, indent=indent)
    records = etree.parse(str(path)).getroot().findall("Record")
    assert [{v.tag: v.text for v in record} for record in records] == rows(300, 1, 0.02)
    assert path.read_bytes().count(b"\n") == (300 * 18 if indent else 300) + 3


def test_xpath_agrees_that_the_rules_hold(tmp_path: Path) -> None:
    path = tmp_path / "census.xml"
    generate_file(path, 300, 1)
    root = etree.parse(str(path)).getroot()
    for test in (
        "number(V9) + number(V10) = number(V14)",
        "number(V5) * number(V15) = number(V16)",
        "0 <= number(V3) and number(V3) <= 7500",
        "not(number(V8) < 1115) or number(V13) <= number(V12)",
    ):
        assert select(root, f"count(Record[not({test})])", parser=XPath2Parser) == 0, test


def test_the_metadata_names_every_variable() -> None:
    assert [info.name for info in VARIABLES] == list(next(generate(1, 1)))


def test_the_metadata_says_which_variables_are_whole_numbers() -> None:
    batch = next(generate(100, 1))
    for info in VARIABLES:
        assert (info.type == "integer") == all(text.isdigit() for text in batch[info.name]), info.name
        assert info.decimals == (0 if info.type == "integer" else None)


def test_no_records_give_an_empty_document(tmp_path: Path) -> None:
    generate_file(tmp_path / "none.xml", 0, 1)
    assert len(etree.parse(str(tmp_path / "none.xml")).getroot()) == 0


@pytest.mark.parametrize(("records", "seed", "share"), [(-1, 1, 0.0), (1, -1, 0.0), (1, 1, 1.5), (1, 1, float("nan"))])
def test_impossible_requests_are_refused(records: int, seed: int, share: float) -> None:
    with pytest.raises(UsageError):
        list(generate(records, seed, share))
