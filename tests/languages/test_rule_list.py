"""Lists of rules in CSV and Excel: each row in its language, with its line in every message."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from openpyxl import Workbook

import constraint_sdc as cs
from constraint_sdc.errors import RulesError
from constraint_sdc.judge.rule_set import load_rules
from constraint_sdc.schematron.schema import Assertion
from tests.languages.judged import failures, write_rows

LIST = """id;rule;language;label;severity;na;note
balance;V9 + V10 = V14;;Income adds up;error;fails;of 2019
;"if (V8 < 1115)
  V13 <= V12";R;;warning;;
region;Region IN ('N', 'S');sql;;;;
same;Region == Home;R;;;;
home;"Home %in% c(""N"")";r;;;;
"""


def assertions(folder: Path, text: str) -> tuple[Assertion, ...]:
    (folder / "rules.csv").write_text(text, encoding="utf-8")
    return load_rules(folder / "rules.csv").schema.assertions()


def test_every_row_is_a_rule_of_its_language(tmp_path: Path) -> None:
    found = assertions(tmp_path, LIST)
    assert [(one.id, one.severity, one.origin.line) for one in found] == [
        ("balance", "error", 2),
        ("row-3", "warning", 3),
        ("region", "error", 5),
        ("same", "error", 6),
        ("home", "error", 7),
    ]
    assert [one.test for one in found] == [
        "$V9 + $V10 = $V14",
        "not($V8 < 1115) or not($V13 > $V12)",
        "Region = ('N', 'S') or normalize-space(Region) = ''",
        "not(Region[normalize-space()] != Home[normalize-space()])",
        "Home = 'N' or normalize-space(Home) = ''",
    ]


def test_excel_is_read_as_csv_is(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Name", "Rule", None], ["a", "V1 > 0", None], [None, None, None], ["b", "V1 < 5", None]):
        sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    (tmp_path / "rules.xlsx").write_bytes(stream.getvalue())
    data = write_rows(tmp_path / "data.xml", [{"V1": 0}, {"V1": 9}])
    assert failures(data, tmp_path / "rules.xlsx") == {"a": {1}, "b": {2}}
    assert [one.origin.line for one in load_rules(tmp_path / "rules.xlsx").schema.assertions()] == [2, 4]


def test_a_list_is_written_and_read_again(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text('a "Label, with comma": -V1 + V2 <= 3 @warning\nb: V1 in {1, 2} @missing fails')
    cs.convert_rules(tmp_path / "rules.txt", tmp_path / "new.csv")
    data = write_rows(tmp_path / "data.xml", [{"V1": 0, "V2": 4}, {"V1": 1, "V2": 9}, {"V1": None, "V2": 9}])
    assert failures(data, tmp_path / "new.csv") == failures(data, tmp_path / "rules.txt") == {"a": {1, 2}, "b": {1, 3}}
    assert (tmp_path / "new.csv").read_text().splitlines()[1] == (
        'a,0 -V1 + V2 <= 3,text,"Label, with comma",,warning,not applicable'
    )


REFUSED = {
    "": "the file is empty",
    "id,rul\na,V1 > 0": "1: unknown column 'rul' (did you mean 'rule'?)",
    "id,label\na,b": "1: no column is called 'rule'",
    "rule,expr\na,b": "1: two columns mean 'rule'",
    "rule,language\nV1 > 0,cobol": "2: unknown language 'cobol'",
    "rule,severity\nV1 > 0,bad": "2: unknown severity 'bad'",
    "rule,na\nV1 > 0,maybe": "2: unknown na 'maybe'",
    "id,rule\na,V1 > 0\nb,": "3: a row without a rule",
    "id,rule\na,V1 in [0, 5]": "2: 3 cells under 2 columns (quote a cell",
    'rule,language\nV1 > 0,\n"V1 >\n",\n': "3:5: found the end of the rule",
    "rule,language\nV1 > 0,\nsd(V1) > 1,R\nV2 = NULL,sql": "3:1: sd() is a statistic",
    'rule\n"V1 > 0': "2: not CSV",
}


@pytest.mark.parametrize("text", REFUSED)
def test_bad_lists_are_refused_with_their_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(RulesError) as refused:
        assertions(tmp_path, text)
    assert REFUSED[text] in str(refused.value)


def test_a_file_that_is_not_excel_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rules.xlsx").write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(RulesError, match="not an Excel file"):
        load_rules(tmp_path / "rules.xlsx")
