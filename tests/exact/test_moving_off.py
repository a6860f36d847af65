"""No representative is anybody's record: what is written satisfies the rules and is no original record."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from constraint_sdc.data.series import Grid, Series
from constraint_sdc.data.table import column_of
from constraint_sdc.errors import PlanRefusedError, WayOut
from constraint_sdc.exact import actual_records as room
from constraint_sdc.exact.actual_records import ActualRecords
from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.exam.protection.recount import is_crowded
from constraint_sdc.plan.plan import ExactStep
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Scale
from tests.maskers.extract import Extract, columns, extract

ALLOWED = "protect: {verbatim: allowed}\n"


def somebodys(given: Extract, names: Sequence[str], k: int) -> int:
    """Count, text by text, the combinations of the masked file that fewer than k original records have."""
    before = Counter(tuple(record.get(name) for name in names) for record in given.original())
    after = {tuple(record.get(name) for name in names) for record in given.masked()}
    return sum(0 < before[row] < k for row in after)


def partly_blank() -> list[dict[str, str]]:
    """Return 87 records beside an id; at most two lack the same values of C to H."""
    rng = random.Random(7)
    rows = []
    for number in range(87):
        row = {"Id": f"p{number:03}", **{name: str(rng.randrange(1_000)) for name in BLOCK}}
        row["B"] = str(int(row["A"]) + int(row["B"]))
        lacking = [name for place, name in enumerate(BLOCK[2:]) if number // 2 >> place & 1]
        rows.append({name: cell for name, cell in row.items() if name not in lacking})
    return rows


BLOCK = "ABCDEFGH"
ORDER = {"order": "number(A) <= number(B)"}


class TestWholeRecordsBesideIds:
    """Before values were moved off, groups whose members lack different values were whole actual records."""

    def test_all_groups_are_actual_records_if_that_is_allowed(self, tmp_path: Path) -> None:
        given = extract(tmp_path, partly_blank(), ORDER, f"groups: all\n{ALLOWED}")
        result = given.mask(3)
        assert (somebodys(given, BLOCK, 3), len(result.masked.blocks[0].groups)) == (29, 29)

    def test_none_is_by_default(self, tmp_path: Path) -> None:
        given = extract(tmp_path, partly_blank(), ORDER, "groups: all\n")
        result = given.mask(3)
        given.requires_all_rules()
        assert somebodys(given, BLOCK, 3) == 0
        assert given.smallest_group(*BLOCK) >= 3
        assert set(result.masked.blocks[0].step) == {ExactStep.MOVED_OFF}


def test_a_rounded_birth_date_that_somebody_has_is_moved(tmp_path: Path) -> None:
    """The mean of each group is the record in its middle: `rounded` would copy it."""
    first = datetime.date(1980, 1, 1)
    born = [first + datetime.timedelta(days=400 * (i // 3) + 10 * (i % 3)) for i in range(30)]
    wage = [5_000 * (i // 3) + 100 * (i % 3) for i in range(30)]
    rows = columns(Born=born, Wage=wage)
    recipe = "groups: all\n"
    allowed = extract(tmp_path / "allowed", rows, None, recipe + ALLOWED)
    allowed.mask(3)
    assert somebodys(allowed, ("Born", "Wage"), 3) == 10
    given = extract(tmp_path / "none", rows, None, recipe)
    result = given.mask(3)
    assert somebodys(given, ("Born", "Wage"), 3) == 0
    assert set(result.masked.blocks[0].step) == {ExactStep.NUDGED}
    near = [datetime.date.fromisoformat(text) for text in given.column("Born")]
    assert max(abs((a - b).days) for a, b in zip(near, born, strict=True)) <= 11, "a neighbour, within the group"


def test_a_neighbour_stays_within_the_range_of_its_group(tmp_path: Path) -> None:
    """All have A = 0 in the group whose mean is a record: B moves, A does not become -1."""
    given = extract(
        tmp_path,
        columns(A=[0, 0, 0, 7, 8, 9], B=[10, 20, 30, 900, 930, 990]),
        None,
        "groups: all\n",
    )
    given.mask(3)
    assert given.column("A")[:3] == ["0"] * 3
    assert set(given.column("B")[:3]) <= {"19", "21"}
    assert somebodys(given, "AB", 3) == 0


class TestOutsideTheRange:
    """Within the range of the file, all values that the rule allows are somebody's."""

    RULE: ClassVar = {"ten": "number(B) = 10 * number(A)"}

    def test_it_is_the_last_resort_and_the_plan_says_so(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(A=[1, 2, 3, 4], B=[10, 20, 30, 40]), self.RULE)
        result = given.mask(4)
        assert set(given.column("A")) == {"0"}, "or 5, which is as near"
        assert because("outside-range", groups=1) in result.masked.blocks[0].price.notes

    def test_no_number_becomes_negative_if_none_was(self, tmp_path: Path) -> None:
        given = extract(tmp_path, columns(A=[0, 1, 2, 3], B=[0, 10, 20, 30]), self.RULE)
        given.mask(4)
        assert set(given.column("A")) == {"4"}

    def test_what_k_records_share_comes_before(self, tmp_path: Path) -> None:
        rows = columns(A=[1, 2, 3, 4, *[9] * 4], B=[10, 20, 30, 40, *[90] * 4])
        given = extract(tmp_path, rows, {"ten": f"{self.RULE['ten']} and not(number(A) = (5, 6, 7, 8))"})
        given.mask(4)
        assert set(given.column("A")) == {"9"}


def test_what_k_records_share_is_nobodys_own(tmp_path: Path) -> None:
    given = extract(tmp_path, columns(A=[1, 1, 1, 5, 6, 7], B=[2, 2, 2, 90, 95, 97]), None, "groups: all\n")
    given.mask(3)
    assert given.masked()[:3] == given.original()[:3]


def test_one_variable_alone_is_no_record(tmp_path: Path) -> None:
    given = extract(tmp_path, columns(A=[1, 2, 3, 10, 20, 30]))
    given.mask(3)
    assert given.column("A") == ["2"] * 3 + ["20"] * 3


class TestWhatCannotMove:
    """The rule allows no values but those of actual records: refused, with ways out that work."""

    def test_it_is_refused_and_the_ways_out_work(self, tmp_path: Path) -> None:
        rows = columns(A=[1, 2, 3, 4], B=[10, 20, 30, 40])
        rule = {"only": "number(B) = 10 * number(A) and number(A) = (1, 2, 3, 4)"}
        with pytest.raises(PlanRefusedError, match="4 records would have the values of an actual record, 0 may") as no:
            extract(tmp_path / "none", rows, rule).mask(4)
        assert "no others that satisfy only were found for one combination of A and B" in str(no.value)
        assert no.value.exit_code == 3
        assert not list((tmp_path / "none").glob("masked*"))
        assert WayOut(verbatim=4) in no.value.ways
        followed = extract(tmp_path / "some", rows, rule, "protect: {verbatim: 4}")
        assert followed.mask(4).masked.blocks[0].price.groups == 1
        with pytest.raises(PlanRefusedError, match="4 records would have"):
            extract(tmp_path / "fewer", rows, rule, "protect: {verbatim: 3}").mask(4)

    def test_what_k_share_is_taken_if_nothing_is_free(self, tmp_path: Path) -> None:
        rows = columns(A=[1, 2, 3, *[4] * 3], B=[10, 20, 30, *[40] * 3])
        rule = {"only": "number(B) = 10 * number(A) and number(A) = (1, 2, 3, 4)"}
        given = extract(tmp_path, rows, rule)
        given.mask(3)
        assert set(given.column("A")) == {"4"}, "three records have (4, 40)"

    def test_an_operator_that_copies_records_needs_the_permission(self, tmp_path: Path) -> None:
        recipe = "groups: all\nvariables: {A: {operator: medoid}, B: {operator: medoid}}\n"
        rows = columns(A=[1, 2, 9, 20], B=[3, 8, 1, 30])
        with pytest.raises(PlanRefusedError, match=r"A and B are copied together from one record \(medoid\)"):
            extract(tmp_path / "none", rows, None, recipe).mask(4)
        given = extract(tmp_path / "allowed", rows, None, recipe + ALLOWED)
        given.mask(4)
        assert given.masked()[0] in given.original()


def random_rows(rng: random.Random) -> tuple[list[dict[str, str]], Mapping[str, str]]:
    """Return few records with small numbers and blanks, and rules that all of them satisfy."""
    count = rng.randrange(6, 16)
    a, b = ([rng.randrange(0, 12) for _ in range(count)] for _ in "ab")
    kind = rng.randrange(5)
    c = [x + y for x, y in zip(a, b, strict=True)]
    rules = [
        {"sum": "number(A) + number(B) = number(C)"},
        {"either": "number(A) = 0 or number(B) <= number(C)"},
        {"mod": "(number(C) - number(A) - number(B)) mod 7 = 0", "order": "number(A) <= number(C)"},
        {"decimal": "not(C != '') or xs:decimal(A) + xs:decimal(B) = xs:decimal(C)"},
        {"product": "number(A) * 3 + 1 = number(D)", "order": "number(B) <= number(C)"},
    ][kind]
    rows = columns(A=a, B=b, C=c, D=[3 * x + 1 for x in a])
    for row in rows:
        if kind == 3 and rng.random() < 0.2:
            row["C"] = "''"
    return rows, rules


@pytest.mark.parametrize("seed", range(40))
def test_random_blocks_have_no_actual_record_or_are_refused(tmp_path: Path, seed: int) -> None:
    rng = random.Random(f"moving off {seed}")
    rows, rules = random_rows(rng)
    k = rng.randrange(2, 5)
    given = extract(tmp_path, rows, rules, "groups: all\n")
    try:
        result = given.mask(k)
    except PlanRefusedError as refusal:
        ways = refusal.ways
        result = None
    if result is None:
        assert any(way.verbatim for way in ways), "refused for another reason, or without a way out"
        return
    given.requires_all_rules()
    for block in result.plan.blocks:
        assert somebodys(given, block.names, k) == 0


# The set of actual records, against a count by brute force.


def series(name: str, values: Sequence[float | None], scale: Scale = Scale.NUMERIC) -> Series:
    numbers = np.array([np.nan if value is None else value for value in values])
    column = column_of(name, [None if value is None else f"{value:g}" for value in values])
    return Series(name, column, scale, Grid(0), numbers, np.isnan(numbers).astype(np.int64))


@pytest.mark.parametrize("seed", range(20))
def test_actual_records_are_those_of_a_count(seed: int) -> None:
    rng = random.Random(seed)
    scales = [Scale.NUMERIC, rng.choice([Scale.NUMERIC, Scale.NOMINAL]), Scale.NOMINAL]
    count, k = rng.randrange(4, 30), rng.randrange(2, 4)
    pool = rng.choice([(0, 1, 2), (0, 1, 20), (0, 1, 2, 3.75, 50.5)])
    cells = [[rng.choice([*pool, None]) for _ in range(count)] for _ in scales]
    block = [series(name, values, scale) for name, values, scale in zip("ABC", cells, scales, strict=True)]
    asked = [list(row) for row in zip(*cells, strict=True)]
    asked += [[rng.choice([*pool, 3, None]) for _ in scales] for _ in range(60 - count)]
    candidates = Candidates.blank(block, np.arange(60))
    candidates.values[:] = np.array([[np.nan if cell is None else cell for cell in row] for row in asked])
    known = Counter(zip(*cells, strict=True))
    varying = [len(set(values)) > 1 for values in cells]
    expected = []
    for row in asked:
        told = [place for place, cell in enumerate(row) if cell is not None and varying[place]]
        is_record = len(told) > 1 and any(scales[place] is Scale.NUMERIC for place in told)
        expected.append(is_record and 0 < known[tuple(row)] < k)
    exact = [{None if value is None else Fraction(str(value)) for value in values} for values in cells]
    measured = [scale is Scale.NUMERIC for scale in scales]
    is_chance = is_crowded(zip(exact, measured, strict=True), len(known))
    assert ActualRecords.of(block, k).include(candidates).tolist() == [one and not is_chance for one in expected]
    assert any(expected) or count < 8


def test_words_that_coincide_are_told_apart_by_another_salt(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a salt by which all records have one word, nothing could be compared; the next salt is taken."""
    block = [series("A", [1, 200, 3, 3]), series("B", [5, 6, 700, 700])]
    joined = room._joined

    def coinciding(cells: Sequence[np.ndarray], salt: int) -> np.ndarray:
        return np.zeros(len(cells[0]), np.uint64) if salt < 2 else joined(cells, salt)

    monkeypatch.setattr(room, "_joined", coinciding)
    records = ActualRecords.of(block, 2)
    candidates = Candidates.blank(block, np.arange(3))
    candidates.values[:] = [[1, 5], [1, 6], [3, 700]]
    assert records.salt == 2
    assert records.include(candidates).tolist() == [True, False, False]


def test_a_word_that_is_found_does_not_count_if_its_cells_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    block = [series("A", [1, 2, 3, 4]), series("B", [5, 600, 7, 8])]
    records = ActualRecords.of(block, 2)
    monkeypatch.setattr(room, "_joined", lambda cells, _: np.full(len(cells[0]), records.words[0]))
    candidates = Candidates.blank(block, np.arange(2))
    candidates.values[:] = [[9, 9], [block[0].values[records.first[0]], block[1].values[records.first[0]]]]
    assert records.include(candidates).tolist() == [False, True]
