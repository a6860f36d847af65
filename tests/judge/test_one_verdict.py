"""Cases in which a record's surroundings, or the order of the answers, could make the engines differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.judge.finding import RuleResult

SCHEMA = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>
<pattern><rule context="{context}">{assertion}</rule></pattern></schema>"""


def one_result(folder: Path, data: str, context: str, assertion: str, options: CheckOptions) -> RuleResult:
    (folder / "data.xml").write_text(data, encoding="utf-8")
    (folder / "rules.sch").write_text(SCHEMA.format(context=context, assertion=assertion), encoding="utf-8")
    (result,) = check_file(folder / "data.xml", folder / "rules.sch", options).results
    return result


@pytest.mark.parametrize("engine", ["auto", "saxon"])
@pytest.mark.parametrize("trailer", ["<T><A>9</A></T>", "<A>9</A>", "<T/><U><V><A>9</A></V></U>"])
def test_a_variable_s_name_after_the_records_is_judged_too(tmp_path: Path, engine: str, trailer: str) -> None:
    data = f"<D><R><A>1</A></R><R><A>2</A></R>{trailer}</D>"
    options = CheckOptions(engine="saxon" if engine == "saxon" else "auto")
    result = one_result(tmp_path, data, "A", '<assert test="number(.) &lt; 5">big</assert>', options)
    assert (result.fired, result.failed) == (3, 1)


@pytest.mark.parametrize("engine", ["auto", "saxon"])
def test_the_listed_violations_are_those_of_the_first_records(tmp_path: Path, engine: str) -> None:
    # The evaluator leaves the first records, whose integers are beyond 64 bits, to Saxon.
    values = ["123456789012345678901", "3", "123456789012345678903", "5"]
    data = "<D>" + "".join(f"<R><A>{value}</A></R>" for value in values) + "</D>"
    options = CheckOptions(engine="saxon" if engine == "saxon" else "auto", max_examples=2)
    result = one_result(tmp_path, data, "R", '<assert test="xs:integer(A) mod 2 = 0">odd</assert>', options)
    assert result.failed == 4
    assert [violation.record for violation in result.violations] == [1, 2]


@pytest.mark.parametrize("engine", ["auto", "saxon"])
def test_a_message_may_look_beyond_its_record(tmp_path: Path, engine: str) -> None:
    data = "<D><R><A>1</A></R><R><A>7</A></R><R><A>8</A></R></D>"
    options = CheckOptions(engine="saxon" if engine == "saxon" else "auto", show_values=True)
    told = (
        '<assert test="number(A) &lt; 5"><value-of select="count(//R)"/> after <value-of select="../R[1]/A"/></assert>'
    )
    result = one_result(tmp_path, data, "R", told, options)
    assert [violation.message for violation in result.violations] == ["3 after 1", "3 after 1"]


@pytest.mark.parametrize("engine", ["auto", "saxon"])
@pytest.mark.parametrize("context", ["R", "R/@id", "R/A", "A"])
def test_a_root_that_bears_the_record_s_name_is_judged_too(tmp_path: Path, engine: str, context: str) -> None:
    data = "<R id='7'><A>1</A><R id='1'><A>2</A></R><R id='2'><A>3</A></R></R>"
    options = CheckOptions(engine="saxon" if engine == "saxon" else "auto", record="R")
    assert one_result(tmp_path, data, context, '<assert test="true()">never</assert>', options).fired == 3


@pytest.mark.parametrize("engine", ["auto", "saxon"])
@pytest.mark.parametrize("path", ["$original//R/A", "$original//A"])
def test_the_values_of_such_a_root_count_in_an_original(tmp_path: Path, engine: str, path: str) -> None:
    original = tmp_path / "original.xml"
    original.write_text("<R><A>1</A><R><A>2</A></R><R><A>3</A></R></R>")
    options = CheckOptions(engine="saxon" if engine == "saxon" else "auto", original=original)
    data = "<D><R><A>1</A></R><R><A>3</A></R><R><A>4</A></R></D>"
    result = one_result(tmp_path, data, "R", f'<assert test="A = {path}">new</assert>', options)
    assert [violation.record for violation in result.violations] == [3]


@pytest.mark.parametrize(
    ("context", "value"), [("R", "A"), ("D/R", "A"), ("/D/R", "A"), ("R/A", "."), ("D/R/A", "."), ("/D/R/A", ".")]
)
def test_a_context_may_name_the_elements_around_the_records_and_stay_vectorised(
    tmp_path: Path, context: str, value: str
) -> None:
    data = "<D><R><A>1</A></R><R><A>2</A></R></D>"
    result = one_result(tmp_path, data, context, f'<assert test="number({value}) = 1">x</assert>', CheckOptions())
    assert (result.engine, result.failed) == ("vectorised", 1)
