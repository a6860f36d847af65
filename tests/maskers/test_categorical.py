"""Categories under rules: the plurality or median of each group, only values that occur, ties always the same way."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.data.groups import Groups
from constraint_sdc.errors import UsageError
from constraint_sdc.maskers.masked import MaskResult
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.lower_median import LowerMedian
from constraint_sdc.operators.mode import Mode
from constraint_sdc.plan.plan import Why
from constraint_sdc.reports.sentences import sentence
from tests.draws import draws
from tests.maskers.extract import Extract, Row, columns, extract, schema, the_rule

ORIGINAL = '  <let name="original" value="document(\'data.xml\')"/>\n'
LEVELS = ("low", "middle", "high", "top")
RULES = {
    "set": "Sex = ('M', 'F')",
    "if-then": "not(Sector = 'public') or Grade = ('A1', 'A2')",
    "both-or-none": "(Sector = 'none') = (Grade = '-')",
    "value-domain": "exists(index-of($original//Record/Region, Region))",
    "code-list": "Region = ('r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8')",
    "pattern": "matches(Grade, '^([A-Z]\\d|-)$')",
    "length": "string-length(Region) = 2",
    "by-age": "not(number(Age) < 15) or Marital = 'single'",
    "by-level": "not(Level = 'low') or number(Income) <= 3000",
    "opaque": "string-join((Sex, Grade), '') != 'M-F'",
}
RECIPE = """groups: all
variables:
  Sex: {role: quasi-identifier, type: nominal}
  Level: {role: quasi-identifier, type: ordinal, order: [low, middle, high, top]}
  Marital: {role: quasi-identifier, type: nominal}
  Sector: {role: quasi-identifier, type: nominal}
  Grade: {role: quasi-identifier, type: nominal}
  Region: {role: quasi-identifier, type: nominal}
"""
CATEGORIES = ("Sex", "Level", "Marital", "Sector", "Grade", "Region")
GENTLE = settings(deadline=None, max_examples=draws(12), suppress_health_check=[HealthCheck.function_scoped_fixture])


def people(seed: int, records: int, regions: int = 8) -> list[dict[str, str]]:
    """Draw people who satisfy every rule."""
    draw = random.Random(seed)
    return [_person(draw, regions) for _ in range(records)]


def _person(draw: random.Random, regions: int) -> dict[str, str]:
    age, level = draw.randint(0, 80), draw.choice(LEVELS)
    sector = draw.choice(("public", "private", "none"))
    grades = {"public": ("A1", "A2"), "private": ("A1", "B1", "C1"), "none": ("-",)}
    return {
        "Sex": draw.choice("MF"),
        "Age": str(age),
        "Level": level,
        "Marital": "single" if age < 15 else draw.choice(("single", "married")),
        "Sector": sector,
        "Grade": draw.choice(grades[sector]),
        "Region": f"r{draw.randint(0, regions)}",
        "Income": str(draw.randint(0, 3000 if level == "low" else 9000)),
    }


def survey(folder: Path, rows: list[dict[str, str]], recipe: str = RECIPE) -> Extract:
    return extract(folder, rows, schema(RULES, more=ORIGINAL), recipe)


def holds_everywhere(extracted: Extract) -> bool:
    """Judge the masked file by `check`, which evaluates what it can and asks Saxon for the rest."""
    assert extracted.rules is not None
    options = CheckOptions(original=extracted.data)
    return check_file(extracted.output, extracted.rules, options).exit_code == 0


def requires_original_values(rows: list[dict[str, str]], extracted: Extract, names: tuple[str, ...]) -> None:
    for name in names:
        assert {row.get(name) for row in extracted.masked()} <= {row.get(name) for row in rows}, name


def groups_of(result: MaskResult, rows: list[dict[str, str]]) -> list[list[dict[str, str]]]:
    (block,) = result.masked.blocks
    return [[rows[row] for row in members.tolist()] for members in block.groups.each()]


values_in_groups = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30)


@given(values_in_groups)
def test_the_mode_is_a_plurality_and_the_first_of_equals(members: list[tuple[int, int]]) -> None:
    label = np.unique([group for group, _ in members], return_inverse=True)[1].ravel()
    codes = np.array([code for _, code in members], np.float64)
    for number, row in enumerate(Mode().choose(codes, Groups(label)).tolist()):
        own = [code for code, group in zip(codes.tolist(), label.tolist(), strict=True) if group == number]
        best = min(set(own), key=lambda code: (-own.count(code), code))
        assert codes[row] == best
        assert row == min(i for i in range(len(codes)) if label[i] == number and codes[i] == best)


@given(values_in_groups)
def test_the_lower_median_has_its_rank(members: list[tuple[int, int]]) -> None:
    label = np.unique([group for group, _ in members], return_inverse=True)[1].ravel()
    codes = np.array([code for _, code in members], np.float64)
    for number, row in enumerate(LowerMedian().choose(codes, Groups(label)).tolist()):
        own = sorted(code for code, group in zip(codes.tolist(), label.tolist(), strict=True) if group == number)
        assert codes[row] == own[(len(own) + 1) // 2 - 1]


@GENTLE
@given(
    seed=st.integers(0, 10**6),
    records=st.sampled_from((8, 25, 60)),
    regions=st.sampled_from((0, 2, 8)),
    k=st.integers(2, 7),
    method=st.sampled_from(("mixed", "mdav", "auto")),
)
def test_every_rule_over_categories_holds_and_k_too(
    tmp_path: Path, seed: int, records: int, regions: int, k: int, method: str
) -> None:
    rows = people(seed, records, regions)
    extracted = survey(tmp_path, rows)
    extracted.mask(k, partition=method, overwrite=True)
    assert holds_everywhere(extracted)
    assert extracted.smallest_group(*CATEGORIES, "Age", "Income") >= k
    requires_original_values(rows, extracted, CATEGORIES)


@pytest.mark.parametrize("method", ["mixed", "auto", "mdav+refine"])
def test_saxon_agrees(tmp_path: Path, method: str) -> None:
    extracted = survey(tmp_path, people(7, 80))
    extracted.mask(5, partition=method)
    extracted.requires_all_rules()


@GENTLE
@given(seed=st.integers(0, 10**6), k=st.integers(2, 6), method=st.sampled_from(("k-modes", "mixed")))
def test_every_group_shares_its_own_plurality_where_no_rule_interferes(
    tmp_path: Path, seed: int, k: int, method: str
) -> None:
    rows = [{name: row[name] for name in ("Sex", "Marital", "Region")} for row in people(seed, 24, 4)]
    recipe = "groups: all\nvariables: {Sex: {type: nominal}, Marital: {type: nominal}, Region: {type: nominal}}"
    extracted = extract(tmp_path, rows, recipe=recipe)
    result = extracted.mask(k, partition=method, overwrite=True)
    masked = extracted.masked()
    for members, after in zip(groups_of(result, rows), groups_of(result, masked), strict=True):
        for name in ("Sex", "Marital", "Region"):
            count = Counter(row[name] for row in members)
            assert {row[name] for row in after} == {min(count, key=lambda text: (-count[text], text))}


@GENTLE
@given(seed=st.integers(0, 10**6), k=st.integers(2, 6), method=st.sampled_from(("ordinal-median", "mixed", "auto")))
def test_every_group_shares_its_median_in_the_order_that_the_recipe_states(
    tmp_path: Path, seed: int, k: int, method: str
) -> None:
    draw = random.Random(seed)
    rows = columns(A=[draw.choice(LEVELS) for _ in range(20)], B=[draw.choice(LEVELS) for _ in range(20)])
    wish = "{type: ordinal, order: [low, middle, high, top]}"
    extracted = extract(tmp_path, rows, recipe=f"groups: all\nvariables: {{A: {wish}, B: {wish}}}")
    result = extracted.mask(k, partition=method, overwrite=True)
    for members, after in zip(groups_of(result, rows), groups_of(result, extracted.masked()), strict=True):
        for name in "AB":
            ranks = sorted(LEVELS.index(row[name]) for row in members)
            assert {row[name] for row in after} == {LEVELS[ranks[(len(ranks) + 1) // 2 - 1]]}


@pytest.mark.parametrize("method", ["k-modes", "mixed", "auto", "mdav", "mdav+refine"])
@pytest.mark.parametrize("kind", ["ties", "all equal", "all different"])
def test_degenerate_files_are_masked_alike_every_time(tmp_path: Path, method: str, kind: str) -> None:
    texts = {"ties": ["a", "b"] * 9, "all equal": ["a"] * 18, "all different": [f"c{i}" for i in range(18)]}[kind]
    recipe = "groups: all\nvariables: {A: {type: nominal}, B: {type: nominal}}"
    written = set()
    for attempt in ("one", "two"):
        extracted = extract(tmp_path / attempt, columns(A=texts, B=texts[::-1]), recipe=recipe)
        extracted.mask(4, partition=method)
        assert extracted.smallest_group("A", "B") >= 4
        written.add(extracted.output.read_bytes())
    assert len(written) == 1


@pytest.mark.parametrize("method", ["k-modes", "mixed", "auto"])
def test_what_categories_are_called_moves_no_k(tmp_path: Path, method: str) -> None:
    recipe = "groups: all\nvariables: {A: {type: nominal}, B: {type: nominal}}"
    draw = random.Random(5)
    cells = [(draw.randrange(4), draw.randrange(3)) for _ in range(40)]
    for number, names in enumerate(("abcd", "dcba", ("žena", "muž", "東京", "&<>"))):
        rows = columns(A=[names[a] for a, _ in cells], B=[names[b] for _, b in cells])
        extracted = extract(tmp_path / str(number), rows, recipe=recipe)
        extracted.mask(3, partition=method)
        assert extracted.smallest_group("A", "B") >= 3
        requires_original_values(rows, extracted, ("A", "B"))


def test_a_category_rarer_than_k_is_never_left_alone(tmp_path: Path) -> None:
    rows = columns(Sex=["F"] * 11 + ["X"], Region=["r1", "r2"] * 6)
    recipe = "groups: all\nvariables: {Sex: {type: nominal}, Region: {type: nominal}}"
    extracted = extract(tmp_path, rows, {"set": "Sex = ('F', 'X')"}, recipe)
    extracted.mask(3)
    assert extracted.column("Sex") == ["F"] * 12
    extracted.requires_all_rules()


@GENTLE
@given(seed=st.integers(0, 10**6), share=st.sampled_from((0.05, 0.4)), k=st.integers(2, 5))
def test_blanks_and_missing_codes_join_no_plurality(tmp_path: Path, seed: int, share: float, k: int) -> None:
    draw = random.Random(seed)
    rows: list[dict[str, str]] = [{name: row[name] for name in ("Sex", "Level")} for row in people(seed, 30)]
    for row in rows:
        for name in [name for name in row if draw.random() < share]:
            if draw.random() < 0.5:
                del row[name]
            else:
                row[name] = "9"
    wishes = "Sex: {type: nominal}, Level: {type: ordinal, order: [low, middle, high, top]}"
    recipe = f"groups: all\nmissing: {{Sex: ['9'], Level: ['9']}}\nvariables: {{{wishes}}}"
    extracted = extract(tmp_path, rows, {"set": "not(Sex) or Sex = ('M', 'F', '9')"}, recipe)
    extracted.mask(k, partition="mixed", overwrite=True)
    assert extracted.smallest_group("Sex", "Level") >= k
    requires_original_values(rows, extracted, ("Sex", "Level"))
    patterns = Counter(_pattern(row) for row in rows)
    if min(patterns.values()) >= k:
        assert [_pattern(row) for row in extracted.masked()] == [_pattern(row) for row in rows]


def _pattern(row: Row) -> tuple[str, ...]:
    return tuple({None: "absent", "9": "code"}.get(row.get(name), "value") for name in ("Sex", "Level"))


class TestOrder:
    def test_it_is_not_that_of_the_alphabet(self, tmp_path: Path) -> None:
        rows = columns(A=["low", "middle", "high"])
        stated, unstated = (
            extract(tmp_path / name, rows, recipe=f"variables: {{A: {{type: ordinal{order}}}}}")
            for name, order in (("stated", ", order: [low, middle, high]"), ("unstated", ""))
        )
        stated.mask(3)
        unstated.mask(3)
        assert (stated.column("A"), unstated.column("A")) == (["middle"] * 3, ["low"] * 3)

    def test_white_space_around_a_value_is_none_of_it(self, tmp_path: Path) -> None:
        rows = columns(A=[" low", "low", "high\n", "top"])
        extracted = extract(tmp_path, rows, recipe="variables: {A: {type: ordinal, order: [low, high, top]}}")
        extracted.mask(4)
        assert extracted.column("A") == [" low"] * 4

    def test_a_level_that_nobody_has_is_a_step(self, tmp_path: Path) -> None:
        wish = "variables: {A: {type: ordinal, order: [a, b, c, d]}}"
        design = extract(tmp_path, columns(A=["a", "c", "d"]), recipe=wish).design(3)
        assert design.blocks[0].series[0].values.tolist() == [0.0, 2.0, 3.0]

    def test_it_is_printed_saved_and_certified(self, tmp_path: Path) -> None:
        wish = "variables: {A: {type: ordinal, order: [low, high]}}"
        extracted = extract(tmp_path, columns(A=["low", "high"] * 3), recipe=wish)
        assert extracted.plan(3).blocks[0].variables[0].order == ("low", "high")
        result = extracted.mask(3)
        assert '"low"' in result.certificate.read_text("utf-8")

    def test_an_unlisted_value_is_counted_and_not_told(self, tmp_path: Path) -> None:
        rows = columns(A=["low", "high", "secret", "secret"])
        extracted = extract(tmp_path, rows, recipe="variables: {A: {type: ordinal, order: [low, high]}}")
        with pytest.raises(UsageError, match="in 2 of 4 records") as refusal:
            extracted.mask(2)
        assert "secret" not in str(refusal.value)


def test_a_rule_between_a_number_and_a_category_is_explained_by_its_sides(tmp_path: Path) -> None:
    plan = survey(tmp_path, people(3, 60)).design(4).plan
    told = the_rule(plan, "if-then")
    assert (told.why, "mode: the value is that of a member" in sentence(told.because)) == (Why.PRESERVED, True), (
        told.because
    )
    assert the_rule(plan, "value-domain").why is Why.PRESERVED


def test_rules_between_operators_are_preserved_side_by_side(tmp_path: Path) -> None:
    rows = [{name: row[name] for name in ("Level", "Marital", "Income")} for row in people(3, 60)]
    rules = {
        "categories": "not(Level = 'top') or Marital = ('single', 'married')",
        "income": "not(Level = 'low') or number(Income) <= 3000",
    }
    wishes = "Level: {type: ordinal, order: [low, middle, high, top]}, Marital: {type: nominal}"
    plan = extract(tmp_path, rows, rules, f"variables: {{{wishes}}}").design(4).plan
    (block,) = plan.blocks
    assert {v.operator for v in block.variables} == {
        LowerMedian.name,
        Mode.name,
        ArithmeticMean.name,
    }
    assert the_rule(plan, "categories").why is Why.PRESERVED
    income = the_rule(plan, "income")
    assert income.why is Why.EXACT
    assert "arithmetic mean: the solutions of a linear condition are convex" in sentence(income.because)
    assert "lower median: the value is that of a member" in sentence(income.because)


def test_the_price_counts_the_categories_that_changed(tmp_path: Path) -> None:
    rows = columns(A=["a", "a", "b", "c", "c", "c"])
    extracted = extract(tmp_path, rows, recipe="variables: {A: {type: nominal}}")
    result = extracted.mask(3, partition="k-modes")
    changed = sum(before["A"] != after["A"] for before, after in zip(rows, extracted.masked(), strict=True))
    (note,) = result.masked.blocks[0].price.notes
    assert sentence(note).endswith(f"A {100 * changed / 6:.1f}%")
