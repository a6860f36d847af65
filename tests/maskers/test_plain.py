"""Masking without rules is plain microaggregation: MDAV groups, their means on the grid, and nothing else changed."""

from __future__ import annotations

from collections import Counter
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.maskers.extract import Extract, columns, extract, read_records
from tests.partition.textbook import textbook_mdav

N = 40


def amounts(seed: int, *names: str, decimals: int = 0) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    return {name: [f"{value / 10**decimals:.{decimals}f}" for value in rng.integers(0, 5000, N)] for name in names}


def groups_of(given: Extract, *names: str) -> set[frozenset[int]]:
    """Return which records share the values of a block in the written file."""
    shared: dict[tuple[str, ...], set[int]] = {}
    for number, record in enumerate(given.masked()):
        shared.setdefault(tuple(record[name] for name in names), set()).add(number)
    return {frozenset(rows) for rows in shared.values()}


def z_scores(cells: dict[str, list[str]]) -> np.ndarray:
    values = np.array([[float(text) for text in column] for column in cells.values()]).T
    scores: np.ndarray = (values - values.mean(axis=0)) / values.std(axis=0)
    return scores


@pytest.mark.parametrize("decimals", [0, 2])
@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_masked_values_are_the_means_of_textbook_groups(tmp_path: Path, k: int, decimals: int) -> None:
    cells = amounts(k, "A", "B", "C", decimals=decimals)
    given = extract(tmp_path, columns(**cells))
    given.mask(k)
    labels = np.asarray(textbook_mdav(z_scores(cells), k))
    masked = given.masked()
    for group in np.unique(labels):
        rows = np.flatnonzero(labels == group)
        for name, column in cells.items():
            mean = sum((Fraction(column[row]) for row in rows), Fraction(0)) / len(rows)
            near = (Decimal(mean.numerator) / mean.denominator).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)
            written = {masked[row][name] for row in rows}
            assert len(written) == 1
            # The mean of doubles may fall on the other side of a half, and of nothing else.
            is_half = abs(mean * 10**decimals % 1 - Fraction(1, 2)) < Fraction(1, 10**6)
            assert abs(Decimal(written.pop()) - near) <= (Decimal(1).scaleb(-decimals) if is_half else 0)
    assert {frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels)} == groups_of(given, *cells)


def test_integers_stay_integers_and_cents_stay_cents(tmp_path: Path) -> None:
    cells = {**amounts(1, "Count"), **amounts(2, "Money", decimals=2), **amounts(3, "Rate", decimals=4)}
    cells["Loose"] = [text.rstrip("0").rstrip(".") for text in amounts(4, "Loose", decimals=2)["Loose"]]
    given = extract(tmp_path, columns(**cells))
    given.mask(4)
    assert all(text.isdecimal() for text in given.column("Count"))
    assert {len(text.partition(".")[2]) for text in given.column("Money")} == {2}
    assert {len(text.partition(".")[2]) for text in given.column("Rate")} == {4}
    loose = given.column("Loose")
    assert max(len(text.partition(".")[2]) for text in loose) <= 2
    assert not any(text.endswith(("0", ".")) and "." in text for text in loose), "no closing zeros where none were"


def test_decimals_stay_where_whole_numbers_have_none(tmp_path: Path) -> None:
    given = extract(tmp_path, columns(A=["0"] * 4 + ["12.34", "12.26"] * 2))
    given.mask(4)
    assert given.column("A") == ["0"] * 4 + ["12.30"] * 4


def test_a_free_double_is_written_without_exponent(tmp_path: Path) -> None:
    values = [repr(1 / (i + 3) * 10.0 ** -(i % 9)) for i in range(N)]
    given = extract(tmp_path, columns(A=values))
    given.mask(3)
    assert not any("e" in text.lower() for text in given.column("A"))


@pytest.mark.parametrize("k", [2, 5, 19, 20, 39, 40])
def test_no_block_has_fewer_than_k_alike(tmp_path: Path, k: int) -> None:
    given = extract(tmp_path, columns(**amounts(5, "A", "B", "C", "D", "E")), recipe="group_size: 2")
    result = given.mask(k)
    for block, smallest in zip(result.plan.blocks, result.smallest, strict=True):
        assert given.smallest_group(*block.names) == smallest >= k


def test_categories_take_the_mode_and_ordered_codes_the_lower_median(tmp_path: Path) -> None:
    rows = columns(Size=["9", "10", "100", "10", "9", "100"], Sex=["F", "F", "M", "F", "M", "M"])
    recipe = "variables: {Size: {type: ordinal}, Sex: {type: nominal}}\ngroup_size: 1"
    given = extract(tmp_path, rows, recipe=recipe)
    given.mask(6)
    assert set(given.column("Size")) == {"10"}, "the third of 9, 9, 10, 10, 100, 100: by number, not by text"
    assert set(given.column("Sex")) == {"F"}, "as many M as F, and F comes first"


def test_a_mode_is_the_most_frequent_value_of_its_group(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    region = rng.choice(["N", "S", "W"], N).tolist()
    given = extract(
        tmp_path,
        columns(Region=region, A=rng.integers(0, 100, N).tolist()),
        recipe="variables: {Region: {type: nominal}}\ngroups: all",
    )
    result = given.mask(5)
    for rows in result.masked.blocks[0].groups.each():
        counts = Counter(region[row] for row in rows.tolist())
        assert counts[given.masked()[rows[0]]["Region"]] == max(counts.values())


def test_removed_identifiers_are_gone_and_kept_ones_stay(tmp_path: Path) -> None:
    cells = {"Name": [f"P{i}" for i in range(N)], "No": [str(900 + i) for i in range(N)], **amounts(6, "A", "B")}
    recipe = "variables: {Name: {role: identifier, remove: true}, No: {role: identifier}}"
    given = extract(tmp_path, columns(**cells), recipe=recipe)
    given.mask(3)
    assert "<Name>" not in given.output.read_text("utf-8")
    assert given.column("No") == cells["No"]


def test_only_masked_leaves_change_in_the_text_of_the_document(tmp_path: Path) -> None:
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- edited 2009 -->\n<m:Microdata xmlns:m="urn:m" date="today">\n'
    lines = [
        f"  <Record id='r{i}'  sex=\"F\"><A> {i * 7 % 20} </A><!-- ok -->"
        f"<Note>a &lt; b &#8364;</Note>\n    <B>{i}.50</B></Record>"
        for i in range(20)
    ]
    tail = "\n<?end here?></m:Microdata>\n<!-- bye -->"
    (tmp_path / "data.xml").write_text(head + "\n".join(lines) + tail, encoding="utf-8")
    given = Extract(tmp_path, has_rules=False, has_recipe=False)
    given.mask(4)
    before, after = (path.read_text("utf-8") for path in (given.data, given.output))
    masked = given.masked()
    for old, record in zip(lines, masked, strict=True):
        number = old.partition("<A>")[2].partition("</A>")[0]
        new = old.replace(f"<A>{number}</A>", f"<A>{record['A']}</A>")
        new = new.replace(new.partition("<B>")[2].partition("</B>")[0], record["B"])
        before = before.replace(old, new)
    assert after == before


def test_a_group_of_equal_values_keeps_their_very_text(tmp_path: Path) -> None:
    given = extract(tmp_path, [{"A": "1e1"}] * 3 + [{"A": "7"}] * 3)
    given.mask(3)
    assert given.column("A") == ["1e1"] * 3 + ["7"] * 3


def test_the_same_masking_makes_the_same_bytes(tmp_path: Path) -> None:
    cells = columns(**amounts(7, "A", "B", "C", "D"))
    one, two = extract(tmp_path / "1", cells), extract(tmp_path / "2", cells)
    for given in (one, two):
        given.mask(3, seed=5)
    assert one.output.read_bytes() == two.output.read_bytes()
    certificates = [given.output.with_name("masked.xml.certificate.json").read_bytes() for given in (one, two)]
    assert certificates[0] == certificates[1]
    assert read_records(one.data) == read_records(two.data)
