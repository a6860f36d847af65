"""SQL: verdicts are those of DuckDB, record by record, NULL included; constraints of tables; what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import constraint_sdc as cs
from constraint_sdc.errors import RulesError
from constraint_sdc.judge.rule_set import load_rules
from constraint_sdc.schematron.schema import Assertion
from tests.languages.judged import failures, write_rows
from tests.languages.r_expectations import Draw

RULES = 300


def assertions(folder: Path, text: str) -> tuple[Assertion, ...]:
    (folder / "rules.sql").write_text(text, encoding="utf-8")
    return load_rules(folder / "rules.sql").schema.assertions()


class SqlDraw(Draw):
    """Draws SQL conditions over whole numbers a, b, e, decimals x, y and texts t, u."""

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.pick("a", "b", "x", "y", str(self.random.randint(0, 9)), "2.5", "LENGTH(t)")
        left, right = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            f"{left} + {right}",
            f"{left} - ({right})",
            f"{self.random.randint(2, 5)} * ({left})",
            f"ABS({left})",
            f"-({left})",
            "a * b",
            "POWER(a, 2)",
            f"a % {self.random.randint(2, 5)}",
            "CAST(a AS DOUBLE) / b",
            "a % b",
            "x / 4",
            f"FLOOR({self.pick('x', 'y')})",
            f"CEIL({self.pick('x', 'y')})",
            "SQRT(ABS(a))",
            f"COALESCE({self.pick('a', 'b', 'x')}, {self.random.randint(0, 3)})",
            f"CASE WHEN {self.pick('a > 3', 'b IS NULL', 'x <= y')} THEN {left} ELSE {right} END",
            f"CASE WHEN {self.pick('a > 3', 'b < 2')} THEN {left} WHEN x > 2 THEN {right} END",
        )

    def text_condition(self) -> str:
        text = self.pick("t", "u")
        return self.pick(
            f"{text} = '{self.pick('A', 'B', 'AB')}'",
            f"{text} <> '{self.pick('A', 'x.y')}'",
            "t = u",
            "t <> u",
            f"{text} IN ('A', 'b1', 'Zz 9')",
            f"{text} NOT IN ('B', 'AB')",
            f"{text} LIKE '{self.pick('A%', '%B', '_', '%.%', 'b_')}'",
            f"{text} NOT LIKE 'A%'",
            f"regexp_matches({text}, '^[A-B]+$')",
            f"LENGTH({text}) {self.pick('=', '<=', '<>')} 2",
            f"UPPER({text}) = 'AB'",
            f"SUBSTRING({text}, 1, 1) = 'A'",
        )

    def condition(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.35:
            operator = self.pick("=", "<>", "<", "<=", ">", ">=")
            return self.pick(
                f"{self.number(1)} {operator} {self.number(1)}",
                f"{self.pick('a', 'b', 'x', 'y')} {operator} {self.random.randint(-2, 9)}",
                f"{self.pick('a', 'b')} IN (0, 1, 2, 5, -3)",
                f"{self.pick('a', 'x')} BETWEEN 0 AND {self.pick('6', 'y', 'b')}",
                f"{self.pick('a', 'b', 't')} IS {self.pick('NULL', 'NOT NULL')}",
                "(a + x) IS NULL",
                self.text_condition(),
                self.text_condition(),
            )
        left, right = self.condition(depth - 1), self.condition(depth - 1)
        return self.pick(
            f"({left}) AND ({right})",
            f"({left}) OR ({right})",
            f"NOT ({left})",
            f"({left}) IS {self.pick('TRUE', 'NOT TRUE', 'FALSE', 'NOT FALSE')}",
        )


def duckdb_verdicts(records: list[dict[str, Any]], rules: list[str]) -> list[list[tuple[int, bool | None]]]:
    given = {"records": [list(record.values()) for record in records], "rules": rules}
    program = [sys.executable, str(Path(__file__).with_name("duckdb_verdicts.py"))]
    ran = subprocess.run(program, input=json.dumps(given, default=str), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found: list[list[tuple[int, bool | None]]] = json.loads(ran.stdout)
    return found


def test_verdicts_are_those_of_duckdb(tmp_path: Path) -> None:
    draw = SqlDraw(7)
    records = [{name: record[name] for name in ("id", "a", "b", "x", "y", "t", "u")} for record in draw.data()]
    rules = [draw.condition() for _ in range(RULES)]
    theirs = duckdb_verdicts(records, rules)
    (tmp_path / "rules.sql").write_text(";\n".join(rules))
    ours = failures(write_rows(tmp_path / "data.xml", records), tmp_path / "rules.sql")
    expected = [frozenset(number for number, truth in found if truth is False) for found in theirs]
    wrong = {
        rule: sorted(own ^ other)
        for rule, own, other in zip(rules, ours.values(), expected, strict=True)
        if own != other
    }
    assert not wrong, "\n".join(f"{a}: {b}" for a, b in wrong.items())
    unknown = sum(truth is None for found in theirs for _, truth in found)
    assert unknown > 1000
    assert sum(map(len, expected)) > 1000


TABLE = """CREATE TABLE Record (
  id INTEGER PRIMARY KEY,
  sex CHAR(1) NOT NULL CHECK (sex IN ('M', 'F')),
  age INT DEFAULT 0 CONSTRAINT adult CHECK (age >= '18'),
  a DECIMAL(10, 2), b NUMERIC, c NUMERIC UNIQUE,
  CONSTRAINT balance CHECK (a + b = c),
  UNIQUE (a, b)
);
ALTER TABLE Record ADD CONSTRAINT pos CHECK (a > 0);
"""


def test_the_constraints_of_a_table_are_rules(tmp_path: Path) -> None:
    found = assertions(tmp_path, TABLE)
    assert [(one.id, one.origin.line) for one in found] == [
        ("id-primary-key", 2),
        ("sex-not-null", 3),
        ("check-3", 3),
        ("adult", 4),
        ("c-unique", 5),
        ("balance", 6),
        ("a-b-unique", 7),
        ("pos", 9),
    ]
    tests = {one.id: one.test for one in found}
    assert tests["balance"] == "not($a + $b != $c)"
    assert tests["adult"] == "not($age < 18)"
    assert tests["check-3"] == "sex = ('M', 'F') or normalize-space(sex) = ''"


def test_keys_are_unique_and_nulls_differ(tmp_path: Path) -> None:
    rows = [{"id": 1, "sex": "M", "c": 5}, {"id": 1, "sex": "F", "c": None}, {"id": None, "sex": "F", "c": None}]
    data = write_rows(tmp_path / "data.xml", [*rows, {"id": 4, "sex": None, "c": 5}])
    (tmp_path / "rules.sql").write_text(TABLE)
    found = failures(data, tmp_path / "rules.sql")
    assert (found["id-primary-key"], found["c-unique"], found["sex-not-null"]) == ({1, 2, 3}, {1, 4}, {4})


REFUSED = {
    "SELECT a FROM t": "SELECT is not a rule has no translation",
    "CREATE TABLE t (a INT REFERENCES s (a))": "REFERENCES s (a) of column a has no translation",
    "CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES s (a))": "FOREIGN KEY (a) REFERENCES s (a) has no translation",
    "CREATE TABLE t (a DATE CHECK (a > b))": "column a is neither a number nor a text",
    "CREATE TABLE t (a INT, b INT, CHECK (a / b > 2))": "divides whole numbers, which some databases cut",
    "a > 0;\nb = NULL": "compares with NULL (write IS NULL)",
    "a IN (SELECT x FROM t)": "looks values up in a query",
    "a + b": "is neither true nor false",
    "a > b >": "not SQL:",
    "a > 'x": "not SQL:",
    "RANDOM() > 1": "RAND() is not a number that can be translated",
    "t < 'B'": "orders texts, as databases do in different ways",
    "t LIKE u": "a pattern that is not a constant",
    "a > 1e999": "a number beyond all measure",
    "CREATE TABLE s (a INT CHECK (a > 0)); CREATE TABLE t (a INT CHECK (a > 0))": "rules of several tables: s, t",
    "(" * 3000 + "a" + ")" * 3000 + " > 0": "nested too deeply",
    "": "the file has no rules",
}


@pytest.mark.parametrize("sql", REFUSED)
def test_what_has_no_translation_is_named(tmp_path: Path, sql: str) -> None:
    with pytest.raises(RulesError) as refused:
        assertions(tmp_path, sql)
    assert str(refused.value).startswith(f"{tmp_path}/rules.sql:")
    assert REFUSED[sql] in str(refused.value)


def test_a_fault_has_its_line_and_column(tmp_path: Path) -> None:
    with pytest.raises(cs.UntranslatedRulesError) as refused:
        assertions(tmp_path, "a > 0;\n  limit_of = NULL")
    assert (refused.value.line, refused.value.column) == (2, 3)


def test_the_way_back_to_sql(tmp_path: Path) -> None:
    rules = "total \"Parts and total\": V9 + V10 = V14 @missing fails\nset: Sex in {1, 2} or Region in {'N'}"
    (tmp_path / "rules.txt").write_text(rules)
    cs.convert_rules(tmp_path / "rules.txt", tmp_path / "rules.sql", record="Person")
    assert (tmp_path / "rules.sql").read_text() == (
        "-- Parts and total\n"
        "ALTER TABLE Person ADD CONSTRAINT total CHECK ((V9 + V10 = V14) IS TRUE);\n"
        "ALTER TABLE Person ADD CONSTRAINT \"set\" CHECK (Sex IN (1, 2) OR Region IN ('N'));\n"
    )
    rows = [
        {"V9": 1, "V10": 2, "V14": 3, "Sex": 3, "Region": "S"},
        {"V9": 1, "V10": None, "V14": 3, "Sex": None, "Region": "S"},
    ]
    data = write_rows(tmp_path / "data.xml", rows)
    assert (
        failures(data, tmp_path / "rules.sql") == failures(data, tmp_path / "rules.txt") == {"total": {2}, "set": {1}}
    )


def test_a_severity_has_no_place_in_sql(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("a > 0 @warning")
    with pytest.raises(RulesError, match="no words for the severity 'warning'"):
        cs.convert_rules(tmp_path / "rules.txt", tmp_path / "rules.sql")
