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


ON_RECORDS = {
    "attributes alone": "<D><R A='1'/><R A='7'/></D>",
    "beside elements": "<D><R A='1'><B>1</B></R><R A='7'><B>2</B></R></D>",
    "beside other attributes elsewhere": "<D year='9'><R A='1'><B unit='m'>1</B></R><R A='7'><B>2</B></R></D>",
}
ELSEWHERE = {
    "on the root": "<D A='8'><R A='1'/><R A='7'/></D>",
    "on a wrapper": "<D><E A='8'><R A='1'/><R A='7'/></E></D>",
    "before the records": "<D><H><I A='8'/></H><R A='1'/><R A='7'/></D>",
    "after the records": "<D><R A='1'/><R A='7'/><T A='8'/></D>",
    "on a variable of all records": "<D><R><B A='1'>1</B></R><R><B A='7'>2</B></R><T A='8'/></D>",
    "on a variable of the same rows": '<D><R><B A="8">1</B></R><R><B A="8">1</B></R></D>',
    "on a variable of some records": "<D><R A='1'><B>1</B></R><R A='7'><B A='8'>2</B></R></D>",
    "on a variable of various rows": '<D><R><B A="1">1</B></R><R><C>2</C></R><R><B A="8">2</B><C>1</C></R></D>',
}


@pytest.mark.parametrize("data", ON_RECORDS.values(), ids=list(ON_RECORDS))
def test_an_attribute_that_only_records_have_is_a_variable_wherever_it_is_asked_for(tmp_path: Path, data: str) -> None:
    rule = "@A", '<assert test="number(.) &lt; 5">big</assert>'
    found, judged = (one_result(tmp_path, data, *rule, CheckOptions(engine=name)) for name in ("auto", "saxon"))
    assert found.engine == "vectorised"
    assert (found.fired, found.failed) == (judged.fired, judged.failed) == (2, 1)
    assert found.violations[0].location == judged.violations[0].location


@pytest.mark.parametrize("data", ELSEWHERE.values(), ids=list(ELSEWHERE))
def test_an_attribute_that_other_elements_have_too_is_judged_there(tmp_path: Path, data: str) -> None:
    rule = "@A", '<assert test="number(.) &lt; 5">big</assert>'
    found, judged = (
        one_result(tmp_path, data, *rule, CheckOptions(engine=name, record="R")) for name in ("auto", "saxon")
    )
    assert found.engine == "saxon"
    assert (found.fired, found.failed) == (judged.fired, judged.failed)
    assert found.failed >= 1


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


@pytest.mark.parametrize("engine", ["auto", "saxon"])
@pytest.mark.parametrize("name", ["@s:size", "attribute::s:size", "@Q{urn:s}size"])
def test_an_attribute_with_a_prefix_is_not_the_one_without(tmp_path: Path, engine: str, name: str) -> None:
    data = "<D xmlns:s='urn:s'><R s:size='L' size='S'/><R s:size='S' size='L'/><R s:size='L' size='S'/></D>"
    options = CheckOptions(engine="saxon" if engine == "saxon" else "auto")
    rule = f"""<assert test="{name} = 'L'">small</assert>"""
    prefixed = SCHEMA.replace("<pattern>", '<ns prefix="s" uri="urn:s"/><pattern>')
    (tmp_path / "data.xml").write_text(data, encoding="utf-8")
    (tmp_path / "rules.sch").write_text(prefixed.format(context="R", assertion=rule), encoding="utf-8")
    (result,) = check_file(tmp_path / "data.xml", tmp_path / "rules.sch", options).results
    assert (result.fired, result.failed) == (3, 1)
    assert [violation.record for violation in result.violations] == [2]


@pytest.mark.parametrize("engine", ["auto", "saxon"])
def test_a_rule_that_visits_items_is_judged_on_these(tmp_path: Path, engine: str) -> None:
    data = "<D><R><A>1</A></R><R><A>3</A></R><R><A>1</A></R></D>"
    rule = '<rule context="R" visit-each="self::R[A = 1]"><assert test="A = 1">not one</assert></rule>'
    schema = SCHEMA.format(context="none", assertion='<assert test="true()"/>').replace(
        '<rule context="none"><assert test="true()"/></rule>', rule
    )
    (tmp_path / "data.xml").write_text(data, encoding="utf-8")
    (tmp_path / "rules.sch").write_text(schema.replace("<schema", '<schema schematronEdition="2025"'), encoding="utf-8")
    options = CheckOptions(engine="saxon" if engine == "saxon" else "auto")
    (result,) = check_file(tmp_path / "data.xml", tmp_path / "rules.sch", options).results
    assert (result.fired, result.failed) == (2, 0)
