"""Data frames in and out: the guarantee counted by independent code, the same result from every library, refusals."""

from __future__ import annotations

import tempfile
from contextlib import chdir
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import constraint_sdc as cs

RULES = ["Wage + Benefits = Income", "Income >= 0", "if Hours = 0 then Wage = 0"]
NUMBERS = ["Wage", "Benefits", "Income", "Hours"]
RECIPE: dict[str, Any] = {
    "mask": {"partition": "mdav"},
    "variables": {
        "Id": {"role": "identifier", "remove": True},
        "Born": {"role": "untouched"},
        "Region": {"role": "untouched"},
    },
}


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Every private directory is made here; nothing may be left in it, whatever happens."""
    here = tmp_path / "private"
    here.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(here))
    yield here
    assert list(here.iterdir()) == []


def people(rows: int = 60) -> pd.DataFrame:
    draw = np.random.default_rng(7)
    hours = np.where(draw.random(rows) < 0.25, 0, draw.integers(5, 45, rows))
    wage = hours * draw.integers(10, 60, rows)
    benefits = draw.integers(0, 900, rows)
    return pd.DataFrame(
        {
            "Id": [f"p{number}" for number in range(rows)],
            "Born": pd.Series([date(1950 + number % 40, 1 + number % 12, 3) for number in range(rows)], dtype=object),
            "Region": pd.Categorical(draw.choice(["north", "south"], rows), ["south", "north", "sea"], ordered=True),
            "Hours": hours.astype("int16"),
            "Wage": wage,
            "Benefits": benefits,
            "Income": wage + benefits,
        }
    )


def broken(frame: pd.DataFrame) -> int:
    """Count the records that break a rule, without the program."""
    bad = (frame.Wage + frame.Benefits != frame.Income) | (frame.Income < 0) | ((frame.Hours == 0) & (frame.Wage != 0))
    return int(bad.sum())


def smallest(frame: pd.DataFrame, variables: list[str]) -> int:
    return int(frame.groupby(variables, dropna=False).size().min())


@pytest.fixture(scope="module")
def masked() -> cs.MaskedFrame:
    return cs.mask(people(), RULES, k=4, recipe=RECIPE)


# The guarantee.


def test_the_masked_frame_satisfies_the_rules_and_k_records_share_values(masked: cs.MaskedFrame) -> None:
    frame = masked.frame
    assert broken(people()) == broken(frame) == 0
    for block in masked.plan.blocks:
        assert smallest(frame, list(block.names)) >= 4
    assert sorted(name for block in masked.plan.blocks for name in block.names) == sorted(NUMBERS)
    assert min(masked.smallest) >= 4
    assert not frame[NUMBERS].equals(people()[NUMBERS])


def test_columns_rows_and_types_stay_as_they_are(masked: cs.MaskedFrame) -> None:
    before, after = people().drop(columns="Id"), masked.frame
    assert list(after.columns) == list(before.columns)
    assert after.dtypes.to_dict() == before.dtypes.to_dict()
    assert after.index.equals(before.index)
    pd.testing.assert_frame_equal(after[["Born", "Region"]], before[["Born", "Region"]])


def test_what_is_known_of_the_masking_comes_with_the_frame(masked: cs.MaskedFrame) -> None:
    assert [outcome.newly_broken for outcome in masked.outcomes] == [0, 0, 0]
    assert {one.promise for one in masked.people} >= {"verbatim"}
    assert masked.certificate["options"]["k"] == masked.plan.k == 4
    assert masked.certificate["recipe"]["variables"]["Id"] == {"role": "identifier", "remove": True}
    assert masked.to_frame()["newly_broken"].to_list() == [0, 0, 0]
    assert masked.to_frame("blocks")["smallest"].min() >= 4
    assert repr(masked).startswith("<MaskedFrame: 60 records in ")
    assert cs.render(masked).startswith("PUBLISHED: 60 records masked with k = 4")


def test_pandas_polars_and_arrow_give_the_same_and_so_does_a_file(masked: cs.MaskedFrame, tmp_path: Path) -> None:
    table = pa.Table.from_pandas(people(), preserve_index=False).replace_schema_metadata(None)
    polars = cs.mask(pl.from_arrow(table), RULES, k=4, recipe=RECIPE)
    arrow = cs.mask(table, RULES, k=4, recipe=RECIPE)
    assert isinstance(polars.frame, pl.DataFrame)
    assert isinstance(arrow.frame, pa.Table)
    people().to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "rules.txt").write_text("\n".join(RULES))
    cs.mask_file(tmp_path / "people.csv", tmp_path / "rules.txt", tmp_path / "masked.csv", k=4, recipe=RECIPE)
    filed = pd.read_csv(tmp_path / "masked.csv")
    for frame in (polars.frame.to_pandas(), arrow.frame.to_pandas(), filed):
        assert frame[NUMBERS].to_numpy().tolist() == masked.frame[NUMBERS].to_numpy().tolist()
        assert frame["Region"].to_list() == masked.frame["Region"].to_list()
    assert polars.frame.schema == {**pl.from_arrow(table).drop("Id").schema}  # type: ignore[union-attr]
    assert arrow.frame.schema == table.drop_columns("Id").schema
    assert isinstance(polars.to_frame(), pl.DataFrame)
    assert isinstance(arrow.to_frame("blocks"), pa.Table)


def test_the_saved_file_is_what_was_certified(masked: cs.MaskedFrame, tmp_path: Path) -> None:
    saved = masked.save(tmp_path / "out.arrow")
    (tmp_path / "rules.txt").write_text("\n".join(RULES) + "\n")
    found = cs.verify_certificate(saved, tmp_path / "rules.txt")
    assert found.exit_code == 0, found.mismatches
    with pytest.raises(cs.UsageError, match="exists already"):
        masked.save(saved)
    with pytest.raises(cs.UsageError, match="the certificate is about an Arrow file"):
        masked.save(tmp_path / "out.csv")


def test_a_masked_frame_is_measured_with_its_original(masked: cs.MaskedFrame, tmp_path: Path) -> None:
    with chdir(tmp_path):
        assessment = masked.report("page.html")
        assert (assessment.newly_broken, assessment.mismatches) == (0, ())
        page = Path("page.html").read_text("utf-8")
    assert repr(assessment).startswith("<Assessment of masked frame: 60 records")
    assert "masked frame" in page
    assert "constraint-sdc-scratch" not in page


# Values.


def test_missing_values_stay_missing_in_every_library() -> None:
    frame = people()[["Wage", "Benefits"]].astype({"Wage": "Int64", "Benefits": "float64"})
    frame.loc[::7, "Wage"], frame.loc[3::7, "Benefits"] = pd.NA, np.nan
    frame["Note"] = pd.Series([None, "a", float("nan")] * 20, dtype=object)
    recipe = {"variables": {"Note": {"role": "untouched"}}}
    after = cs.mask(frame, k=3, recipe=recipe, partition="mdav").frame
    assert after.dtypes.to_dict() == frame.dtypes.to_dict()
    assert after.isna().equals(frame.isna())
    polars = pl.from_pandas(frame)
    again = cs.mask(polars, k=3, recipe=recipe, partition="mdav").frame
    assert again.null_count().row(0) == polars.null_count().row(0)
    assert again["Wage"].to_list() == [None if pd.isna(value) else int(value) for value in after["Wage"]]


def test_categories_are_kept_and_masked_ones_list_only_what_they_have() -> None:
    values = ["a"] * 30 + ["b"] * 29 + ["rare"]
    numbers = list(range(60))
    recipe = {"variables": {"C": {"type": "nominal"}}, "groups": "all"}
    frame = pd.DataFrame({"N": numbers, "C": pd.Categorical(values, ["rare", "b", "a", "never"])})
    after = cs.mask(frame, k=5, recipe=recipe, partition="mdav").frame
    assert after["C"].cat.categories.to_list() == ["b", "a"]
    for dtype in (pl.Categorical, pl.Enum(["rare", "b", "a", "never"])):
        polars = pl.DataFrame({"N": numbers, "C": pl.Series(values, dtype=dtype)})
        again = cs.mask(polars, k=5, recipe=recipe, partition="mdav")
        assert isinstance(again.frame["C"].dtype, type(dtype) if isinstance(dtype, pl.Enum) else dtype)
        assert again.frame["C"].to_list() == after["C"].to_list()
        assert b"rare" not in again.files.content  # type: ignore[attr-defined]
    assert again.frame["C"].dtype == pl.Enum(["b", "a"])


def every_type() -> dict[str, Any]:
    """Twelve records of a value of every type that has a text form."""
    rows = range(12)
    return {
        "small": pd.Series(rows, dtype="uint8"),
        "single": pd.Series([row / 3 for row in rows], dtype="float32"),
        "truth": pd.Series([row % 2 == 0 for row in rows]),
        "perhaps": pd.array([True, None] * 6, dtype="boolean"),
        "text": [f"t{row}" for row in rows],
        "old": pd.Series([f"t{row}" for row in rows], dtype=object),
        "day": pd.Series([date(2020, 1, 1 + row) for row in rows], dtype=object),
        "clock": pd.Series([time(row, 30) for row in rows], dtype=object),
        "stamp": pd.Series([datetime(2020, 1, 1, row) for row in rows]).astype("datetime64[s]"),
        "zone": pd.Series([datetime(2020, 1, 1, row) for row in rows]).dt.tz_localize("Europe/Madrid"),
        "money": pd.Series([Decimal(row) / 4 for row in rows], dtype=object),
        "arrow": pd.array(list(rows), dtype="int32[pyarrow]"),
        "codes": pd.Categorical([row % 3 for row in rows]),
    }


def test_a_frame_of_every_type_comes_back_as_it_was() -> None:
    frame = pd.DataFrame({"N": range(12), **every_type()})
    recipe = {"variables": {"N": {"role": "confidential"}, **{name: {"role": "untouched"} for name in every_type()}}}
    after = cs.mask(frame, k=3, recipe=recipe, partition="mdav").frame
    pd.testing.assert_frame_equal(after.drop(columns="N"), frame.drop(columns="N"))
    polars = pl.from_pandas(frame.drop(columns="codes"))
    del recipe["variables"]["codes"]
    again = cs.mask(polars, k=3, recipe=recipe, partition="mdav").frame
    assert again.drop("N").equals(polars.drop("N"))
    assert again.schema == polars.schema


def test_a_cell_that_is_emptied_needs_a_nullable_type() -> None:
    """A table with a null that numpy's integers cannot hold."""
    from constraint_sdc.files.frames.frames import PANDAS

    table = pa.table({"a": pa.array([1, None], pa.uint16()), "b": [True, None]})
    frame = PANDAS.from_table(table, {"a": np.dtype("uint16"), "b": np.dtype(bool)})
    assert [str(dtype) for dtype in frame.dtypes] == ["UInt16", "boolean"]


def test_a_named_index_is_a_variable_and_an_index_again() -> None:
    frame = people()[["Id", "Wage", "Hours"]].set_index("Id")
    with pytest.raises(
        cs.PlanRefusedError, match=r"(?s)nobody decided what .*cs\.init\(frame\).*\n  Id: looks like: identifier"
    ):
        cs.mask(frame, k=3, undecided="refuse", recipe={"variables": {"Wage": {"type": "numeric"}}})
    kept = cs.mask(
        frame, k=3, partition="mdav", recipe={"variables": {"Id": {"role": "identifier", "keep": "a pseudonym"}}}
    ).frame
    assert kept.index.equals(frame.index)
    removed = cs.mask(
        frame, k=3, partition="mdav", recipe={"variables": {"Id": {"role": "identifier", "remove": True}}}
    ).frame
    assert removed.index.equals(pd.RangeIndex(60))
    assert removed["Wage"].to_list() == kept["Wage"].to_list()


# Checking.


@pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_violations_are_a_frame_of_the_same_kind(library: Any) -> None:
    frame = people()
    frame.loc[[4, 9], "Income"] += 1
    given = library(frame)
    checked = cs.check(given, RULES)
    assert isinstance(checked.violations, type(given))
    table = checked.to_frame()
    rows = (
        table.to_pylist()
        if isinstance(table, pa.Table)
        else pd.DataFrame(table, columns=table.columns).to_dict("records")
    )
    assert [row["record"] for row in rows] == [5, 10]
    assert {row["rule"] for row in rows} == {"rule-1"}
    assert (checked.exit_code, checked.records) == (1, 60)
    assert repr(checked).startswith("<CheckedFrame of data frame: FAIL: 1 of 3 rules broken, 2 violations")
    assert len(checked.to_frame("rules")) == 3


def test_all_violations_are_kept_and_none_is_an_empty_frame() -> None:
    assert len(cs.check(people(), "Income < 0").violations) == 60
    assert list(cs.check(people(), RULES).violations.columns)[:3] == ["rule", "severity", "record"]
    filtered = people()[lambda one: one.Hours > 0]
    assert cs.check(filtered, RULES).records == len(filtered)


def test_rules_are_a_file_a_text_or_a_list(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("\n".join(RULES))
    for rules in (tmp_path / "rules.txt", str(tmp_path / "rules.txt"), "\n".join(RULES), RULES, tuple(RULES)):
        assert [one.failed for one in cs.check(people(), rules).result.results] == [0, 0, 0]


def test_a_frame_is_judged_with_its_original(tmp_path: Path) -> None:
    (tmp_path / "rules.sch").write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="Record">'
        '<assert id="old" test="Hours = $original//Hours">told</assert></rule></pattern></schema>'
    )
    frame = people()
    assert cs.check(frame, tmp_path / "rules.sch", original=frame).exit_code == 0
    assert cs.check(frame.assign(Hours=99), tmp_path / "rules.sch", original=frame).exit_code == 1


def test_a_file_is_checked_too(tmp_path: Path) -> None:
    people().to_csv(tmp_path / "people.csv", index=False)
    checked = cs.check(tmp_path / "people.csv", "Income < 0", max_examples=2)
    assert isinstance(checked.violations, pd.DataFrame)
    assert len(checked.violations) == 2


# The other verbs, each compared with the verb for files.


@pytest.fixture(scope="module")
def filed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filed")
    (folder / "rules.txt").write_text("\n".join(RULES))
    people().to_csv(folder / "people.csv", index=False)
    return folder


def test_a_frame_is_described_and_drafted_as_its_file(filed: Path, tmp_path: Path) -> None:
    described, of_file = cs.describe(people()), cs.describe_file(filed / "people.csv")
    assert repr(described) == "<Description of data frame: 60 records, 7 variables>"
    assert described.variables == of_file.variables
    codes = cs.describe(people(), recipe={"missing": {"Hours": ["0"]}})
    assert codes.to_frame().equals(
        cs.describe_file(filed / "people.csv", recipe=written(filed, "missing: {Hours: ['0']}")).to_frame()
    )
    draft = cs.init(pl.from_pandas(people()), RULES, tmp_path / "draft.yml")
    assert draft.variables == cs.init_recipe(filed / "people.csv", filed / "rules.txt").variables
    assert (tmp_path / "draft.yml").read_text("utf-8") == draft.text
    assert draft.text.startswith("# A recipe for data frame (60 records, 7 variables)")
    with pytest.raises(cs.UsageError, match="exists already"):
        cs.init(people(), RULES, tmp_path / "draft.yml")


def written(folder: Path, text: str) -> Path:
    (folder / "recipe.yml").write_text(text)
    return folder / "recipe.yml"


def test_two_frames_are_compared_as_their_files(masked: cs.MaskedFrame, filed: Path) -> None:
    masked.frame.to_csv(filed / "masked.csv", index=False)
    before, after = people().drop(columns="Id"), masked.frame
    before.to_csv(filed / "before.csv", index=False)
    recipe = {"variables": {"Born": {"role": "untouched"}}}
    found = cs.assess(before, pl.from_pandas(after), RULES, recipe=recipe, known=["Wage"], attacks=[])
    same = cs.assess_files(
        filed / "before.csv",
        filed / "masked.csv",
        rules=filed / "rules.txt",
        recipe=recipe,
        known=["Wage"],
        attacks=[],
    )
    assert found.to_frame().equals(same.to_frame())
    assert (found.newly_broken, found.original, found.masked) == (0, Path("original frame"), Path("masked frame"))


def test_a_frame_is_swept_as_its_file(filed: Path) -> None:
    options: Any = {"ks": [3, 4], "partitions": ["mdav"], "jobs": 1, "recipe": RECIPE}
    swept = cs.sweep(people(), RULES, **options)
    same = cs.sweep_file(filed / "people.csv", filed / "rules.txt", **options)
    assert (
        swept.to_frame()
        .drop(columns="seconds", errors="ignore")
        .equals(same.to_frame().drop(columns="seconds", errors="ignore"))
    )
    assert repr(swept).startswith("<Sweep of data frame: 2 maskings")


# Refusals.

SAYS: list[tuple[Any, str]] = [
    (lambda: pl.DataFrame({"a": [1]}).lazy(), r"data frame: the frame is lazy.*call \.collect\(\) first"),
    (lambda: pd.Series([1]), "data frame: is a single column"),
    (lambda: {"a": [1]}, "data frame: is of type dict, not a data frame .*pandas, Polars, Arrow"),
    (lambda: pd.DataFrame(), "the frame has no columns"),
    (lambda: people()[lambda one: one.Hours > 0], r"the index has labels of its own .*reset_index\(drop=True\)"),
    (lambda: pd.DataFrame({1: [1]}), "column 1 is called 1, which is no text"),
    (lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]), "columns 1 and 2 are both called 'a'"),
    (lambda: pa.table([[1], [2]], names=["a", "a"]), "columns 1 and 2 are both called 'a'"),
    (lambda: pd.DataFrame({"a": [1, None, "x"]}, dtype=object), "column 'a', row 3: text, but an integer in row 1"),
    (lambda: pd.DataFrame({"a": [1, 2.5]}, dtype=object), "column 'a', row 2: a number, but an integer in row 1"),
    (lambda: pd.DataFrame({"a": [None, [1]]}), "column 'a', row 2: a nested value"),
    (lambda: pd.DataFrame({"a": ["x", b"y"]}, dtype=object), "column 'a', row 2: a value of type bytes"),
    (lambda: pd.DataFrame({"a": pd.Categorical([1, "x"])}), "column 'a', category 2: text, but an integer in categ"),
    (lambda: pd.DataFrame({"a": pd.period_range("2020", periods=3, freq="M")}), "column 'a': values of type period"),
    (lambda: pd.DataFrame({"a": pd.to_timedelta([1, 2])}), "column 'a', row 1: values of type duration"),
    (lambda: pd.DataFrame({"a": [1j]}), "column 'a': values of type complex128 that Arrow cannot hold"),
    (lambda: pl.DataFrame({"a": [None, [1]]}), "column 'a', row 2: nested values"),
    (lambda: pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)}), "column 'a' holds Python objects"),
    (lambda: pa.table({"a": [None, {"b": 1}]}), "column 'a', row 2: nested values"),
]


@pytest.mark.parametrize(("frame", "says"), SAYS, ids=range(len(SAYS)))
def test_a_frame_that_cannot_be_read_is_refused_with_column_and_row(frame: Any, says: str) -> None:
    with pytest.raises(cs.ConstraintSdcError, match=says):
        cs.mask(frame(), k=2)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: cs.mask("data.csv", k=2), "use mask_file for a file"),  # type: ignore[arg-type]
        (lambda: cs.check(people(), "Wage +"), "^rules, line 1, column 7: found the end of the rule"),
        (
            lambda: cs.mask(people(), ["Wage >= 0", "Wge > 0"], k=3),
            "^rules, line 2: rule rule-2 is idle in data frame: ",
        ),
        (lambda: cs.check(people(), ["Wage > 0", 3]), "rule 2 is of type int, not text"),  # type: ignore[list-item]
        (lambda: cs.check(people(), "other.sch"), r"^other\.sch: cannot read the file"),
        (lambda: cs.mask(people(), RULES, k=1000, recipe=RECIPE), "60 records cannot form a group of 1000"),
        (lambda: cs.mask(people(), RULES, recipe={"kk": 3}), r"^recipe: unknown entry 'kk'; did you mean k\?"),
        (lambda: cs.mask(people(), RULES, recipe={"k": {3}}), "^recipe: an entry cannot be written"),
        (lambda: cs.mask(pd.DataFrame({"Record": [1, 2]}), k=2), "^data frame: .*Record"),
        (lambda: cs.mask(people().head(0), k=2), "^data frame: the frame has no rows"),
    ],
)
def test_messages_name_what_the_user_gave(
    call: Any, says: str, private: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for folder in (tmp_path, private, Path.home()):
        monkeypatch.chdir(folder)  # messages show paths from the working directory
        with pytest.raises(cs.ConstraintSdcError, match=says) as refused:
            call()
        assert str(private) not in str(refused.value)
        assert "constraint-sdc-scratch" not in f"{refused.value} {vars(refused.value)}"
