"""Idle rules: a rule that checks nothing, or that looks for a name which the file does not have, is always found."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from constraint_sdc.constraints.rule_names import rule_names
from constraint_sdc.constraints.understand import understand
from constraint_sdc.data.nearest_name import is_near, nearest_name
from constraint_sdc.errors import RulesError
from constraint_sdc.evaluate.expression import variables_of
from constraint_sdc.judge.idle import idle_reasons
from constraint_sdc.schematron.load import load_schema
from constraint_sdc.schematron.schema import Schema
from constraint_sdc.settings.reason import Reason
from constraint_sdc.xpath.names import FileNames

FILE = FileNames(
    "Record",
    frozenset({"Income", "Taxes", "Region", "Household", "Age", "@identifier"}),
    frozenset({"Microdata", "Header", "Wave"}),
)
# Every name stands between braces, so that a test can misspell one.
CONTEXTS = [
    "{Record}",
    "//{Record}",
    "/{Microdata}/{Record}",
    "{Record}[{Age} > 17]",
    "{Record}[not({Household})]",
    "{Microdata}/{Record}[{Taxes} < {Income}][@{identifier}]",
    "{Record}[{Region}] | {Record}[{Age}]",
]
TESTS = [
    "{Income} - {Taxes} >= 0",
    "number({Income}) + number({Taxes}) = sum(({Income}, {Taxes}))",
    "if ({Age} < 18) then {Income} = 0 else true()",
    "not({Region} = 'North') or {Household} > 1",
    "not({Household}) or {Household} > 0",
    "exists({Region}) and string-length({Region}) > 1",
    "every $v in ({Income}, {Taxes}) satisfies $v >= 0",
    "{Income} = document('codes.xml')//Code/Number",
    "count(../{Record}[{Region} = current()/{Region}]) > 1",
    "not({Age} = preceding-sibling::{Record}/{Age})",
    "sum(//{Record}/{Income}) > 0",
    "/{Microdata}/{Header}/{Wave} = 1 or {Age} > 3",
    "@{identifier} != ''",
    "matches({Region}, '^[A-Z]') and ({Age} idiv 10) < 12",
    "$limit > {Age} and $rate * {Income} >= {Taxes}",
    "some $r in ancestor::{Microdata}/{Record} satisfies $r/{Age} > 3",
    "{Region}[. = 'North']/../{Age} > 3",
    "({Income} castable as xs:decimal) and xs:decimal({Income}) ge 0",
    "for $x in {Income} return $x > 3",
    "string-join(({Region}, {Age} ! string(.)), '-') != ''",
]
_BETWEEN = {"{": "", "}": ""}


def escaped(xpath: str) -> str:
    return xpath.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def schema_of(folder: Path, body: str, more: str = "") -> Schema:
    path = folder / "rules.sch"
    path.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" xmlns:cs="urn:constraint-sdc:rules" queryBinding="xslt2">'
        f"{more}<pattern>{body}</pattern></schema>",
        encoding="utf-8",
    )
    return load_schema(path)


def rule(context: str, test: str, mark: str = "") -> str:
    lets = '<let name="limit" value="{Age} * 2"/><let name="rate" value="$limit div {Taxes}"/>'
    text = f'<rule context="{escaped(context)}">{lets}<assert id="only" test="{escaped(test)}"{mark}>x</assert></rule>'
    return text.translate(str.maketrans(_BETWEEN))


def reasons(schema: Schema, fired: int = 5, file: FileNames = FILE) -> dict[str, tuple[Reason, ...]]:
    return idle_reasons(schema, file, dict.fromkeys((a.id for a in schema.assertions()), fired))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rules")


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("test", TESTS)
def test_names_of_the_file_are_no_alarm(folder: Path, context: str, test: str) -> None:
    assert reasons(schema_of(folder, rule(context, test))) == {}


@st.composite
def slips(draw: st.DrawFn) -> tuple[str, str, str]:
    """A context and a test in which one name is misspelt, and the misspelt name."""
    parts = [draw(st.sampled_from(CONTEXTS)), draw(st.sampled_from(TESTS))]
    which = draw(st.integers(0, 1))
    pieces = parts[which].split("{")
    at = draw(st.integers(1, len(pieces) - 1))
    name, rest = pieces[at].split("}", 1)
    wrong = misspelt(draw, name)
    assume(not {wrong, f"@{wrong}"} & {*FILE.elements, *FILE.inside} and wrong[0] not in string.digits)
    pieces[at] = wrong + "}" + rest
    parts[which] = "{".join(pieces)
    return parts[0], parts[1], wrong


def misspelt(draw: st.DrawFn, name: str) -> str:
    kind = draw(st.sampled_from(["case", "drop", "double", "replace", "exchange"]))
    at = draw(st.integers(0, len(name) - 1))
    if kind == "case":
        return name.swapcase() if draw(st.booleans()) else name[:at] + name[at].swapcase() + name[at + 1 :]
    if kind == "drop":
        return name[:at] + name[at + 1 :]
    if kind == "double":
        return name[:at] + name[at] + name[at:]
    if kind == "replace":
        return name[:at] + draw(st.sampled_from(string.ascii_letters)) + name[at + 1 :]
    return name[:at] + name[at : at + 2][::-1] + name[at + 2 :]


@given(slip=slips())
def test_a_misspelt_name_is_always_reported_with_a_name_that_it_may_mean(
    folder: Path, slip: tuple[str, str, str]
) -> None:
    context, test, wrong = slip
    found = reasons(schema_of(folder, rule(context, test)))
    named = {str(reason["name"]).lstrip("@"): reason for reason in found["only"]}
    assert wrong in named
    nearest = named[wrong]["nearest"]
    assert isinstance(nearest, str)
    assert is_near(wrong, nearest)


@pytest.mark.parametrize(
    ("context", "test", "missing", "where"),
    [
        ("record", "Age > 3", "record", "context"),
        ("Record/Agee", ". > 3", "Agee", "context"),
        ("Record", "Agee > 3", "Agee", "test"),
        ("Record/Age", "Income > 3", "Income", "test"),  # a value has no element inside: ../Income is meant
        ("Record", "identifier != ''", "identifier", "test"),  # @identifier is meant
        ("Record", "Wave = 1", "Wave", "test"),  # it is outside the records
        ("Record", "$wrong > 3", "Taxs", "$wrong"),
        ("Record", "Nothing > 3", "Nothing", "test"),
        ("Record", "x:Age > 3", "{urn:x}Age", "test"),
    ],
)
def test_what_is_missing_and_where(tmp_path: Path, context: str, test: str, missing: str, where: str) -> None:
    more = '<ns prefix="x" uri="urn:x"/><let name="wrong" value="sum(//Taxs)"/>'
    found = reasons(schema_of(tmp_path, rule(context, test), more))["only"]
    assert [(reason.code, reason["name"], reason["where"]) for reason in found] == [("idle-name", missing, where)]


@pytest.mark.parametrize(
    "test",
    [
        "not(Obsolete)",
        "not(Obsolete) or Obsolete > 3",
        "if (Obsolete) then Obsolete > 3 else true()",
        "count(Obsolete) = 0",
        "*[local-name() = 'Obsolete']",
        "Region/@unit = 'x'",  # attributes of variables are not known
        "../@year = 1",
        "$original//Anything = Age",
        "key('k', Age)/Anything > 3",
        "*:Anything or Age",
    ],
)
def test_names_that_may_be_absent_or_are_not_known_are_no_alarm(tmp_path: Path, test: str) -> None:
    more = '<ns prefix="x" uri="urn:x"/><let name="original" value=""/>'
    assert reasons(schema_of(tmp_path, rule("Record", test), more)) == {}


def test_a_name_asked_about_is_reported_if_a_slip_leads_to_it(tmp_path: Path) -> None:
    (reason,) = reasons(schema_of(tmp_path, rule("Record", "not(income) or income > 3")))["only"][:1]
    assert reason["nearest"] == "Income"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('<rule context="Record[Age = 999]"><assert id="only" test="Age">x</assert></rule>', "idle-condition"),
        ('<rule context="Header/Record"><assert id="only" test="Age">x</assert></rule>', "idle-path"),
        ('<rule context="@unit"><assert id="only" test=". = 1">x</assert></rule>', "idle-name"),
        (
            '<rule context="Record"><assert id="first" test="Age">x</assert></rule>'
            '<rule context="Record[Age &gt; 3]"><assert id="only" test="Age">x</assert></rule>',
            "idle-shadowed",
        ),
        (
            '<rule context="Record[Age &lt; 9]"><assert id="first" test="Age">x</assert></rule>'
            '<rule context="Record"><assert id="only" test="Age">x</assert></rule>',
            "idle-taken",
        ),
    ],
)
def test_why_a_rule_fires_nowhere(tmp_path: Path, body: str, code: str) -> None:
    assert [reason.code for reason in reasons(schema_of(tmp_path, body), fired=0)["only"]] == [code]


def test_a_file_without_records_excuses_no_name(tmp_path: Path) -> None:
    nothing = FileNames("", frozenset(), frozenset({"Microdata"}))
    body = '<rule context="Microdata"><assert id="only" test="not(Record[Age = 3])">x</assert></rule>'
    assert [reason["name"] for reason in reasons(schema_of(tmp_path, body), file=nothing)["only"]] == ["Record"]


@pytest.mark.parametrize(
    ("mark", "expected"), [("", False), (' cs:may-be-idle="true"', True), (' cs:may-be-idle="false"', False)]
)
def test_the_rule_file_marks_rules_that_may_be_idle(tmp_path: Path, mark: str, expected: bool) -> None:
    (assertion,) = schema_of(tmp_path, rule("Record", "Age > 3", mark)).assertions()
    assert assertion.may_be_idle is expected


def test_the_innermost_mark_counts(tmp_path: Path) -> None:
    body = (
        '<rule context="Record" cs:may-be-idle="true"><assert id="a" test="Age">x</assert>'
        '<assert id="b" test="Age" cs:may-be-idle="false">x</assert></rule>'
    )
    assert [a.may_be_idle for a in schema_of(tmp_path, body).assertions()] == [True, False]


@pytest.mark.parametrize("mark", [' cs:may-be-idel="true"', ' cs:may-be-idle="yes"'])
def test_a_misspelt_mark_is_an_error(tmp_path: Path, mark: str) -> None:
    with pytest.raises(RulesError, match="may-be-id"):
        schema_of(tmp_path, rule("Record", "Age > 3", mark))


@pytest.mark.parametrize("test", TESTS)
def test_what_a_test_reads_is_what_its_expression_reads(folder: Path, test: str) -> None:
    """The walk and the translation agree wherever both understand a test."""
    schema = schema_of(folder, rule("{Record}", test))
    names = rule_names(schema, FILE)["only"]
    (edit,) = understand(schema, record="Record", outside=FILE.outside)
    if edit.expression is not None and names.reads is not None:
        assert set(names.reads.names) == set(variables_of(edit.expression))
    looks_at_others = any(word in test for word in ("//", "../{Record}", "sibling", "ancestor"))
    assert (names.reads is None) == (looks_at_others and "document" not in test)


def test_a_chain_of_variables_costs_no_more_than_its_length(tmp_path: Path) -> None:
    lets = "".join(f'<let name="v{n}" value="$v{n + 1} + $v{n + 1}"/>' for n in range(60))
    schema = schema_of(tmp_path, rule("Record", "$v0 > Agee"), f'{lets}<let name="v60" value="//Taxs"/>')
    assert {reason["name"] for reason in reasons(schema)["only"]} >= {"Agee"}


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("record", "Record"),
        ("identifier", "@identifier"),
        ("Incmoe", "Income"),
        ("Zzz", None),
        ("{urn:x}Age", "Age"),
        ("Ageing", "Age"),
        ("Ageings", None),
    ],
)
def test_the_nearest_name(name: str, nearest: str | None) -> None:
    assert nearest_name(name, FILE.elements | FILE.inside) == nearest
