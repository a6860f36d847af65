"""Cases as tables of a drawn format with rules in a drawn language, judged by other programs and the original rules.

The long run has every case; here are few, of every format and language.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from constraint_sdc.exam.guarantee.drawn_tables import DrawnTable, TableRow, TypeDemands, drawn_table, table_stream
from constraint_sdc.exam.guarantee.exam import CaseOutcome
from constraint_sdc.exam.guarantee.generator import make_case
from constraint_sdc.exam.guarantee.table_case import TableCase, make_table_case, run_as_table
from constraint_sdc.exam.guarantee.translated import differing_verdicts

SEEDS = (7, 13, 22, 33, 43, 47, 64, 77, 88, 98)
"""Cases of little cost, with every format and language among them."""

FORMATS = {"csv", "parquet", "feather", "sav", "dta", "xml"}
LANGUAGES = {"sch", "txt", "yml", "sql", "csv", "vtl"}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[int, CaseOutcome]:
    folder = tmp_path_factory.mktemp("tables")
    return {seed: run_as_table(make_case(seed), folder / str(seed)) for seed in SEEDS}


def test_rules_survive_the_masking_of_tables(outcomes: dict[int, CaseOutcome]) -> None:
    assert [outcome.story() for outcome in outcomes.values() if outcome.faults] == []
    assert [seed for seed, outcome in outcomes.items() if outcome.refusal or outcome.withheld] == []


def test_every_format_and_language_is_among_the_cases(outcomes: dict[int, CaseOutcome]) -> None:
    told = [outcome.case.says[-1] for outcome in outcomes.values() if outcome.case is not None]
    formats = {text.removeprefix("table: ").partition(",")[0].partition(";")[0] for text in told}
    assert formats == FORMATS
    assert {text.partition("rules: ")[2].partition(",")[0] for text in told} == LANGUAGES


def test_the_draw_of_a_table_leaves_the_case_as_it_was(tmp_path: Path) -> None:
    case = make_case(SEEDS[0])
    made = make_table_case(case, tmp_path / "one")
    assert make_case(SEEDS[0]) == case
    again = make_table_case(case, tmp_path / "two")
    assert (made.table, made.recipe, made.data.read_bytes()) == (again.table, again.recipe, again.data.read_bytes())


ROWS: list[TableRow] = [
    {"V1": "1", "V2": "2.50", "V3": "0.1", "Day": "2024-02-29", "Text": 'a;b,"c"'},
    {"V1": None, "V2": "-3.00", "V3": "12", "Day": "1999-12-31", "Text": "naïve"},
    {"V1": "-7", "V2": "0.25", "V3": "1000000", "Day": None, "Text": "Ävdal"},
]


PLAIN: list[TableRow] = [{**row, "V2": (row["V2"] or "").rstrip("0").rstrip(".")} for row in ROWS]
"""Without closing zeros, which numbers of SPSS and Stata do not have."""


@pytest.mark.parametrize("rows", [ROWS, PLAIN], ids=["padded", "plain"])
@pytest.mark.parametrize("seed", range(20))
def test_a_drawn_format_gives_every_cell_back(seed: int, rows: list[TableRow], tmp_path: Path) -> None:
    table = drawn_table(table_stream(seed), rows, tuple(rows[0]), TypeDemands())
    path = tmp_path / f"data.{table.ending}"
    table.write(path, rows)
    assert [{name: row.get(name) for name in rows[0]} for row in table.read(path)] == rows, table


def test_every_format_is_drawn_where_it_fits() -> None:
    drawn = [
        {drawn_table(table_stream(seed), rows, tuple(rows[0]), TypeDemands()).ending for seed in range(40)}
        for rows in (PLAIN, ROWS)
    ]
    assert drawn == [FORMATS, FORMATS - {"sav", "dta"}]


# Planted faults: what the judging of tables must find.


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> TableCase:
    return make_table_case(make_case(33), tmp_path_factory.mktemp("planted") / "case")


def test_a_translation_that_says_something_else_is_found(made: TableCase, tmp_path: Path) -> None:
    assert made.translated.language == "csv"
    text = made.translated.path.read_text("utf-8")
    assert "V7 <= V9" in text
    wrong = tmp_path / "rules.csv"
    wrong.write_text(text.replace("V7 <= V9", "V7 >= V9"), encoding="utf-8")
    own, plain = made.folder / "own.xml", made.folder / "plain.xml"
    own.write_bytes(made.rows.xml(made.rows.rows))
    DrawnTable("xml", made.table.headers).write(plain, made.rows.rows)
    rules = made.folder / "rules.sch"
    assert differing_verdicts(made.translated, made.case, rules, own, plain) == []
    (fault,) = differing_verdicts(replace(made.translated, path=wrong), made.case, rules, own, plain)
    assert fault.startswith("rule R6 in csv: breaks [")
