"""pandera: verdicts are those of pandera itself on the schema that it wrote; what is refused, and where."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.pandas as pa
import pytest

import constraint_sdc as cs
from constraint_sdc.errors import RulesError
from constraint_sdc.judge.rule_set import load_rules
from constraint_sdc.languages.loading import language_of_file, read_book
from constraint_sdc.languages.rule_book import BookRule
from tests.languages.judged import failures, write_rows

CHECKS, RECORDS = 60, 60


def drawn_check(draw: random.Random, is_text: bool) -> pa.Check:
    """Return a random check of a column of texts, or of numbers."""
    number = draw.choice([draw.randint(-4, 9), draw.randint(-40, 90) / 10])
    options = {"ignore_na": draw.random() < 0.7}
    if is_text:
        return draw.choice(
            [
                lambda: pa.Check.isin(["A", "b1", "x.y"], **options),
                lambda: pa.Check.notin(["B", "AB"], **options),
                lambda: pa.Check.equal_to("A", **options),
                lambda: pa.Check.not_equal_to("AB", **options),
                lambda: pa.Check.str_matches(draw.choice(["[A-Z]", r"\w\d", "A|b", "B$"]), **options),
                lambda: pa.Check.str_contains(draw.choice(["B$", "^b", r"\.", "[0-9]"]), **options),
                lambda: pa.Check.str_startswith(draw.choice(["A", "x."]), **options),
                lambda: pa.Check.str_endswith(draw.choice(["B", ".y"]), **options),
                lambda: pa.Check.str_length(draw.randint(0, 2), draw.randint(2, 4), **options),
                lambda: pa.Check.str_length(exact_value=2, **options),
            ]
        )()
    return draw.choice(
        [
            lambda: pa.Check.gt(number, **options),
            lambda: pa.Check.ge(number, **options),
            lambda: pa.Check.lt(number, **options),
            lambda: pa.Check.le(number, **options),
            lambda: pa.Check.eq(number, **options),
            lambda: pa.Check.ne(number, **options),
            lambda: pa.Check.in_range(
                number, number + 5, include_min=draw.random() < 0.5, include_max=draw.random() < 0.5, **options
            ),
            lambda: pa.Check.isin([number, 0, 1, 2], **options),
            lambda: pa.Check.notin([number, 3, 4], **options),
        ]
    )()


def drawn_records(draw: random.Random) -> list[dict[str, Any]]:
    """Return records in which one value in seven is missing."""

    def some(value: Any) -> Any:
        return None if draw.random() < 1 / 7 else value

    return [
        {
            "a": some(draw.randint(-4, 12)),
            "x": some(draw.randint(-40, 90) / 10),
            "t": some(draw.choice(["A", "B", "AB", "b1", "x.y", "Zz 9"])),
        }
        for _ in range(RECORDS)
    ]


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_verdicts_are_those_of_pandera(tmp_path: Path, form: str) -> None:
    draw = random.Random(form)
    records = drawn_records(draw)
    columns = {
        name: pa.Column(
            dtype, [drawn_check(draw, name == "t") for _ in range(CHECKS)], nullable=name != "a", unique=name == "t"
        )
        for name, dtype in (("a", "float64"), ("x", "float64"), ("t", "str"))
    }
    schema = pa.DataFrameSchema(columns, unique=["a", "t"])
    rules = tmp_path / f"rules.{form}"
    rules.write_text(schema.to_yaml() if form == "yaml" else schema.to_json())
    frame = pd.DataFrame(records).astype({"a": "float64", "x": "float64", "t": "str"})
    with pytest.raises(pa.errors.SchemaErrors) as failed:
        schema.validate(frame, lazy=True)
    theirs: dict[tuple[str, str], set[int]] = defaultdict(set)
    for case in failed.value.failure_cases.itertuples():
        number = "" if pd.isna(case.check_number) else str(int(case.check_number))
        column = case.column if case.schema_context == "Column" else "frame"
        theirs[column, number or case.check].add(int(case.index) + 1)
    ours = failures(write_rows(tmp_path / "data.xml", records), rules)
    found = {rule.id: ours[rule.id] for rule in read_rules(rules)}
    assert found.pop("a-t-unique") == theirs["frame", "multiple_fields_uniqueness"]
    assert found.pop("a-nullable") == theirs["a", "not_nullable"] != set()
    # pandera refuses a column with two missing values, but does not list them.
    filled = {number for number, record in enumerate(records, 1) if record["t"] is not None}
    assert found.pop("t-unique") & filled == theirs["t", "field_uniqueness"] != set()
    for name in ("a", "x"):
        assert found.pop(f"{name}-dtype") == set()
    for name in columns:
        mine = [failed for rule, failed in found.items() if rule.startswith(f"{name}-")]
        assert mine == [theirs[name, str(number)] for number in range(CHECKS)]


def read_rules(path: Path) -> tuple[BookRule, ...]:
    language = language_of_file(path)
    assert language is not None
    assert language.name == "pandera"
    return read_book(path, language).rules


WRITTEN = """schema_type: dataframe
columns:
  Age:
    title: Age in years
    dtype: int8
    in_range: {min_value: 16, max_value: 110}
  Wage:
    dtype: float64
    nullable: true
    greater_than:
      min_value: 0
      raise_warning: true
      error: wages are positive
  Member:
    dtype: bool
    equal_to: true
  Born:
    dtype: date
    nullable: true
strict: true
"""


def test_what_a_column_says_is_a_rule_each(tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(WRITTEN)
    rules = {rule.id: rule for rule in read_rules(tmp_path / "rules.yml")}
    assert {name: rule.origin.line for name, rule in rules.items()} == {
        "strict": 20,
        "Age-dtype": 5,
        "Age-nullable": 4,
        "Age-in_range": 6,
        "Wage-dtype": 8,
        "Wage-greater_than": 11,
        "Member-dtype": 15,
        "Member-nullable": 15,
        "Member-equal_to": 16,
        "Born-dtype": 18,
    }
    assert (rules["Wage-greater_than"].label, rules["Wage-greater_than"].severity) == ("wages are positive", "warning")
    rows = [
        {"Age": 17, "Wage": 1.5, "Member": "True", "Born": "2001-02-28"},
        {"Age": 17.5, "Wage": "much", "Member": "true", "Born": "2001-02-29"},
        {"Age": 300, "Wage": 0, "Member": "false", "Born": "28.2.2001"},
        {"Age": None, "Wage": None, "Member": "yes", "Born": None, "Other": 1},
    ]
    assert failures(write_rows(tmp_path / "data.xml", rows), tmp_path / "rules.yml") == {
        "strict": {4},
        "Age-dtype": {2, 3},
        "Age-nullable": {4},
        "Age-in_range": {3},
        "Wage-dtype": {2},
        "Wage-greater_than": {3},
        "Member-dtype": {4},
        "Member-nullable": set(),
        "Member-equal_to": {3, 4},
        "Born-dtype": {2, 3},
    }


COLUMN = "schema_type: dataframe\ncolumns:\n  a:\n"
REFUSED = {
    COLUMN
    + "    greater_then: 3": "4:19: /columns/a/greater_then: the check 'greater_then' has no translation (did you",
    COLUMN
    + "    dtype: datetime64[ns]": "4:12: /columns/a/dtype: the dtype 'datetime64[ns]' has no translation (use int64",
    COLUMN + "    greater_than: A": "orders what is no number",
    COLUMN + "    dtype: str\n    isin: [1, 2]": "a number in a column of another type",
    COLUMN + "    dtype: int64\n    isin: [A]": '"A" in a column of type whole',
    COLUMN + "    isin: [1, A]": "1 in a column of type any",
    COLUMN + "    in_range: {min_value: 1}": "in_range without max_value",
    COLUMN + "    str_length: {exact_value: null}": "str_length without a length",
    COLUMN + "    str_matches: (?<=a)b": "the regular expression has '(?<'",
    COLUMN + "    unique_values_eq: [1, 2]": "the check 'unique_values_eq' has no translation",
    COLUMN + "    greater_than: {min_value: 1, groupby: b}": "greater_than has no argument 'groupby'",
    COLUMN + "    regex: true": "'regex' has no translation",
    COLUMN + "    default: 3": "a default fills missing values",
    COLUMN + "    required: false": "a column that may be absent, and has no missing values",
    COLUMN + "    nullable: maybe": "is neither true nor false",
    COLUMN + "    dtype: int64\nordered: true": "'ordered' is no rule about records",
    COLUMN + "    dtype: int64\nindex:\n- dtype: int64": "'index' of a data frame has no translation",
    COLUMN + "    dtype: int64\n    dtype: int64": "'dtype' is given twice",
    COLUMN + "    isin: [!!python/object:os.system x]": "a value of the kind",
    COLUMN + "    isin: [.inf]": ".inf is no plain number",
    COLUMN + "    isin: [1": "not YAML:",
    "schema_type: dataframe\ncolumns: []": "a schema without columns",
    "schema_type: dataframe\nrows: 1\ncolumns: {}": "the entry 'rows' has no translation",
    '{"schema_type": "dataframe", "columns": {"a": {"isin": ["x", 1]}}}': "1:62: /columns/a/isin/1: 1 in a column",
}


@pytest.mark.parametrize("schema", REFUSED)
def test_what_has_no_translation_is_named(tmp_path: Path, schema: str) -> None:
    (tmp_path / "rules.yaml").write_text(schema)
    with pytest.raises(RulesError) as refused:
        read_rules(tmp_path / "rules.yaml")
    assert str(refused.value).startswith(f"{tmp_path}/rules.yaml:")
    assert REFUSED[schema] in str(refused.value)


def test_other_files_of_these_endings_keep_their_language(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("rules:\n- expr: a > 0")
    (tmp_path / "rules.json").write_text('{"properties": {"schema_type": {"minimum": 1}}}')
    assert [load_rules(tmp_path / name).schema.assertions()[0].id for name in ("rules.yaml", "rules.json")] == [
        "V1",
        "schema_type-minimum",
    ]


def test_python_is_never_run(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(RulesError, match=r"no rule language has the ending '\.py' \(no Python is run"):
        load_rules(tmp_path / "rules.py")
    assert not (tmp_path / "ran").exists()


def test_pandera_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("V9 + V10 = V14")
    cs.convert_rules(tmp_path / "rules.txt", tmp_path / "rules.yaml")
    assert language_of_file(tmp_path / "rules.yaml").name == "R validate"  # type: ignore[union-attr]
