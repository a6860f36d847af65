"""Look-ups in value sets give the author's own answer, in every case where they are used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraint_sdc.judge.judge import Judge
from constraint_sdc.judge.stylesheet.transpile import transpile
from constraint_sdc.judge.stylesheet.value_sets import find_lookups

if TYPE_CHECKING:
    from conftest import Desk

FAST = [
    "exists(index-of($original//V1, V1))",
    "not(exists(index-of($original/Data/Record/V1, ./V1))) or exists( index-of ( $original//V1 , @k ) )",
    "V1 = $original//V1",
    "$original//V1 = V1",
    "@k = $original//Record/@k",
]
LEFT_ALONE = [
    "exists(index-of($own//V1, V1))",
    "exists(index-of($original//V1[1], V1))",
    "exists(index-of(//V1, V1))",
    "exists(index-of($original//V1, V1 + 1))",
    "exists(index-of($original//V1/string(), V1))",
    "some $original in . satisfies exists(index-of($original//V1, V1))",
    "V1 = $original//V1 + 1",
    "V1 = $original",
    "$original//V1 = 5",
    "V1 = $original//",
    "$original//V1 =",
    "exists(index-of($original//V1",
    "exists(index-of($original//V1,",
    "exists(index-of($original//V1, @",
]


@pytest.mark.parametrize("test", FAST)
def test_a_plain_membership_is_recognised(test: str) -> None:
    assert find_lookups(test, {"original"}, is_xpath1=False)


@pytest.mark.parametrize("test", LEFT_ALONE)
def test_anything_else_is_left_to_the_authors_words(test: str) -> None:
    assert not find_lookups(test, {"original"}, is_xpath1=False)


def test_the_stylesheet_looks_up_in_a_map(desk: Desk) -> None:
    rule = """<pattern><rule context="Record">
      <assert id="a" test="exists(index-of($original//V1, V1))">x</assert></rule></pattern>"""
    assert "occurs($" in transpile(desk.schema(rule), given=frozenset({"original"}))
    own = rule.replace("<assert", '<let name="original" value=".."/><assert')
    assert "occurs($" not in transpile(desk.schema(own))


VALUES = st.sampled_from(["1", "1.0", "01", " 1", "", "x", "é", "NaN", "1e0"])
RECORDS = st.lists(st.lists(VALUES, max_size=2), max_size=4)


def rows(records: list[list[str]]) -> str:
    return "<Data>" + "".join(f"<Record>{''.join(f'<V1>{v}</V1>' for v in r)}</Record>" for r in records) + "</Data>"


@pytest.fixture(scope="module")
def judges(tmp_path_factory: pytest.TempPathFactory) -> list[Judge]:
    """Judges for the same question, asked in words that are looked up and in words that are not."""
    from constraint_sdc.schematron.load import load_schema

    pairs = [
        ("exists(index-of($d/Both/Data/Record/V1, V1))", "exists(index-of($d/Both/Data/Record/V1, (V1)))", "xslt2"),
        ("V1 = $d/Both/Data/Record/V1", "(V1) = $d/Both/Data/Record/V1", "xslt2"),
        ("V1 = $d/Both/Data/Record/V1", "(V1) = $d/Both/Data/Record/V1", "xslt"),
    ]
    folder = tmp_path_factory.mktemp("rules")
    judges = []
    for number, (fast, slow, binding) in enumerate(pairs):
        path = folder / f"{number}.sch"
        path.write_text(
            f'<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="{binding}"><let name="d" value="/"/>'
            f'<pattern><rule context="/Both/Asked/Data/Record"><assert id="fast" test="{fast}">x</assert>'
            f'<assert id="slow" test="{slow}">x</assert></rule></pattern></schema>'
        )
        judges.append(Judge(load_schema(path)))
    return judges


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RECORDS, RECORDS)
def test_a_look_up_gives_the_same_answer_and_the_same_errors(
    judges: list[Judge], asked: list[list[str]], known: list[list[str]]
) -> None:
    document = f"<Both><Asked>{rows(asked)}</Asked>{rows(known)}</Both>".encode()
    for judge in judges:
        fast, slow = judge.judge_bytes(document, Path("data.xml")).counts
        assert (fast.fired, fast.failed, fast.errors) == (slow.fired, slow.failed, slow.errors)


def test_a_list_that_cannot_be_made_is_an_error_on_each_node_as_before(desk: Desk) -> None:
    rules = """<let name="original" value="if (exists(/Data)) then 'text' else /"/>
      <pattern><rule context="Record"><assert id="a" test="exists(index-of($original/V1, V1))">x</assert>
      <assert id="b" test="true()">x</assert></rule></pattern>"""
    report = desk.report(rules, rows([["1"], ["2"]]))
    assert [(c.fired, c.failed, c.errors) for c in report.counts] == [(2, 0, 2), (2, 0, 0)]
