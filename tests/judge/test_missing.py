"""Missing values count apart: for each rule on how many records a value that its test reads is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.judge.finding import RuleResult
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.settings.recipe import Recipe
from tests.matrix.running import quick_judge

XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
# Every way in which a value can be missing, then two records with all values: one holds, one breaks the sum.
RECORDS = [
    "<B>2</B><C>3</C>",
    "<A/><B>2</B><C>3</C>",
    '<A xsi:nil="true"/><B>2</B><C>3</C>',
    "<A> \n</A><B>2</B><C>3</C>",
    "<A> -9 </A><B>2</B><C>3</C>",
    "<A>1</A><B>2</B><C>3</C>",
    "<A>1</A><B>2</B><C>4</C>",
]


@pytest.fixture(autouse=True, scope="module")
def saxon() -> Iterator[None]:
    """Saxon's worker processes are shared: starting one costs more than judging a small file."""
    with quick_judge():
        yield


def check(
    folder: Path, rule: str, engine: str = "auto", codes: dict[str, tuple[str, ...]] | None = None
) -> tuple[RuleResult, ...]:
    records = "".join(f"<R>{record}</R>" for record in RECORDS)
    (folder / "data.xml").write_text(f"<D {XSI}>{records}</D>", encoding="utf-8")
    (folder / "rules.sch").write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">'
        f'<ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/><pattern>{rule}</pattern></schema>',
        encoding="utf-8",
    )
    options = CheckOptions(engine=engine, missing_codes=codes or {})  # type: ignore[arg-type]
    return check_file(folder / "data.xml", folder / "rules.sch", options).results


def counts(result: RuleResult) -> tuple[int | None, ...]:
    return result.fired, result.passed, result.failed, result.held_missing, result.failed_missing


@pytest.mark.parametrize("engine", ["auto", "saxon"])
@pytest.mark.parametrize(
    ("context", "test", "expected"),
    [
        # A comparison with nothing is false: broken with a missing value.
        ("R", "number(A) + number(B) = number(C)", (7, 1, 6, 0, 4)),
        # The same comparison denied is true: holds with a missing value.
        ("R", "not(number(A) + number(B) != number(C))", (7, 1, 6, 0, 4)),
        ("R", "not(A = '7')", (7, 7, 0, 4, 0)),
        ("R", "B &lt; C", (7, 7, 0, 0, 0)),
        ("R", "if (B = 99) then A = 5 else true()", (7, 7, 0, 4, 0)),
        ("R/A", "not(. = '7')", (6, 6, 0, 3, 0)),
        ("R/B", "not(../A = '7')", (7, 7, 0, 4, 0)),
        ("R[A = '1']", "B &lt; C", (2, 2, 0, 0, 0)),
        # Opaque, but what it reads is known: judged by Saxon.
        ("R", "string-join((A, B, C) ! string(.), '-') != '1-2-4'", (7, 6, 1, 4, 0)),
        # Other records, and constructs that are not understood: not known, never 0.
        ("R", "not(A = preceding-sibling::R/A[. = '7'])", (7, 7, 0, None, None)),
        ("R", "every $x in * satisfies $x != 'x'", (7, 7, 0, None, None)),
        ("D", "count(R) = 7", (1, 1, 0, None, None)),
    ],
)
def test_every_way_to_be_missing_counts(
    tmp_path: Path, engine: str, context: str, test: str, expected: tuple[int | None, ...]
) -> None:
    (result,) = check(tmp_path, f'<rule context="{context}"><assert id="r" test="{test}">x</assert></rule>', engine)
    assert counts(result) == expected


@pytest.mark.parametrize("engine", ["auto", "saxon"])
def test_missing_codes_count_and_reports_count_alike(tmp_path: Path, engine: str) -> None:
    rule = (
        '<rule context="R"><let name="a" value="A"/><assert id="held" test="not($a = \'7\')">x</assert>'
        '<report id="told" test="A = \'7\' or B = 2">x</report></rule>'
    )
    held, told = check(tmp_path, rule, engine, {"A": ("-9",), "B": ("99",)})
    assert counts(held) == (7, 7, 0, 5, 0)
    assert counts(told) == (7, 0, 7, 0, 5)


@pytest.mark.parametrize("engine", ["auto", "saxon"])
def test_a_variable_named_original_that_has_a_value_reads_what_its_value_reads(tmp_path: Path, engine: str) -> None:
    test = '<assert id="r" test="not($original = \'7\')">x</assert>'
    (result,) = check(tmp_path, f'<rule context="R"><let name="original" value="A"/>{test}</rule>', engine)
    assert counts(result) == (7, 7, 0, 4, 0)


@pytest.mark.parametrize("engine", ["auto", "saxon"])
def test_a_record_on_which_xpath_stops_is_counted_as_stopped_only(tmp_path: Path, engine: str) -> None:
    (result,) = check(
        tmp_path, '<rule context="R"><assert id="r" test="xs:integer(A) &lt; 7">x</assert></rule>', engine
    )
    assert (result.errors, *counts(result)) == (3, 7, 3, 1, 0, 1)


@pytest.mark.parametrize("engine", ["auto", "saxon"])
def test_values_in_a_namespace_count_too(tmp_path: Path, engine: str) -> None:
    data, rules = tmp_path / "data.xml", tmp_path / "rules.sch"
    data.write_text('<D xmlns="urn:d"><R><A>1</A></R><R><A/></R><R/></D>', encoding="utf-8")
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><ns prefix="d" uri="urn:d"/>'
        '<pattern><rule context="d:R"><assert test="not(d:A = \'7\')">x</assert></rule></pattern></schema>',
        encoding="utf-8",
    )
    (result,) = check_file(data, rules, CheckOptions(engine=engine)).results  # type: ignore[arg-type]
    assert counts(result) == (3, 3, 0, 2, 0)


def test_a_masked_file_is_counted_by_the_judge_as_by_check(tmp_path: Path) -> None:
    rows = "".join(f"<R>{'' if n % 4 == 0 else f'<A>{n}</A>'}<B>{n}</B><C>{2 * n}</C></R>" for n in range(1, 25))
    data, rules, out = tmp_path / "data.xml", tmp_path / "rules.sch", tmp_path / "masked.xml"
    data.write_text(f"<D>{rows}</D>", encoding="utf-8")
    rules.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="R">'
        '<assert id="lack" test="not(number(A) &gt; number(C))">x</assert>'
        '<assert id="full" test="number(B) &lt;= number(C)">x</assert>'
        "</rule></pattern></schema>",
        encoding="utf-8",
    )
    result = mask_file(data, rules, out, MaskOptions(k=3, partition="mdav", recipe=Recipe()))
    assert result.after is not None
    assert [counts(rule) for rule in result.after.results] == [(24, 24, 0, 6, 0), (24, 24, 0, 0, 0)]
    assert [outcome.missing for outcome in result.outcomes] == [6, 0]
    assert [counts(rule) for rule in check_file(out, rules).results] == [(24, 24, 0, 6, 0), (24, 24, 0, 0, 0)]
