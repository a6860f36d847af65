"""What a rule can read, by its syntax: Saxon's verdict never changes with a variable that the tree says is not read."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from constraint_sdc.constraints.rule_reads import rule_reads
from constraint_sdc.errors import RulesError
from constraint_sdc.judge.judge import Judge, SaxonProcess
from constraint_sdc.schematron.load import load_schema
from constraint_sdc.schematron.schema import Schema
from constraint_sdc.xpath.reads import Reads
from tests.constraints.random_xpath import CODES_XML, KEY, NAMES, TEXTS, random_tests, record_xml
from tests.draws import IS_EXPLORING, draws

HEAD = (
    '<schema xmlns="http://purl.oclc.org/dsdl/schematron" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" '
    f'queryBinding="xslt2">{KEY}<let name="codes" value="document(\'codes.xml\')"/>'
)


def read_by(folder: Path, test: str, *, context: str = "Record", lets: str = "", outside: str = "Data") -> Reads:
    rule = f'<rule context="{context}">{lets}<assert id="r" test="{test}"/></rule>'
    (folder / "rules.sch").write_text(f"{HEAD}<pattern>{rule}</pattern></schema>", encoding="utf-8")
    return rule_reads(load_schema(folder / "rules.sch"), "Record", frozenset({outside}))["r"]


@pytest.mark.parametrize(
    ("test", "names"),
    [
        ("exists(document('codes.xml')//c[@a = current()/Nace and @b = current()/Size])", "Nace Size"),
        ("exists(document('codes.xml')//c[A = B])", ""),
        ("exists(document('codes.xml')//c[A = current()/B]/../C)", "B"),
        ("$codes//c[@a = 1]/b = A", "A"),
        ("exists(key('k', string(A), $codes))", "A"),
        ("some $x in (A, B) satisfies $x/../C = 1", "A B C"),
        ("let $r := . return $r/A = 1", "A"),
        ("every $c in $codes//c satisfies $c/A != current()/B", "B"),
        ("A[. = ../B]", "A B"),
        ("exists(.//A)", "A"),
        (".//A[. = ../B][../C] = 1", "A B C"),
        ("not(self::Record) or @id = '1'", "@id"),
        ("if (A) then document(B)//x else C", "A B C"),
        ("format-number(number(A), '0') = 'x' and name() = 'Record'", "A"),
        ("head((A, B)) = 1 and count(.) = 1", "A B"),
        ("A/following-sibling::B = 1", "A B"),
        ("sort((A, B))[1]/../C = 1", "A B C"),
        ("exists(parse-xml(A)/x[B = 1])", "A"),
        ("true()", ""),
    ],
)
def test_the_variables_that_a_test_can_read(tmp_path: Path, test: str, names: str) -> None:
    found = read_by(tmp_path, test)
    assert found.anything == ()
    assert {name for name in found.names if not name.startswith("@{")} == set(names.split())


@pytest.mark.parametrize(
    ("test", "part"),
    [
        ("string(.) != ''", "."),
        ("count(*) = 3", "*"),
        ("node()/.. = 1", "node()"),
        ("exists(..//A)", ".."),
        (".//@id = 1", ".//@id"),
        ("A/following-sibling::* = 1", "following-sibling::*"),
        ("string-length() > 2", "string-length()"),
        ("exists(//Record[A = 1])", "//Record[A = 1]"),
        ("exists(key('k', A))", "key('k', A)"),
        ("let $r := . return $r = 'x'", "$r"),
        ("map{'a': A}?a = 1", "?"),
        ("remove((A, B), .) = 1", "."),
        ("$nobody = 1", "$nobody"),
    ],
)
def test_a_part_that_may_read_anything_is_named(tmp_path: Path, test: str, part: str) -> None:
    assert any(part in named for named in read_by(tmp_path, test).anything)


def test_contexts_and_variables_are_read_too(tmp_path: Path) -> None:
    assert read_by(tmp_path, "B = 1", context="Record[A = 2]") == Reads(("A", "B"))
    assert read_by(tmp_path, ". = 1", context="Record/A[. > ../C]") == Reads(("A", "C"))
    lets = '<let name="x" value="A"/><let name="y" value="$x + B"/><let name="z" value="C"/>'
    assert read_by(tmp_path, "$y = 1", lets=lets) == Reads(("A", "B"))
    assert read_by(tmp_path, "$y = 1", lets='<let name="y" value="." as="xs:string"/>').anything == (".",)
    assert not read_by(tmp_path, "A = 1", context="Data").is_certain


def test_an_earlier_rule_that_may_take_the_node_is_read_too(tmp_path: Path) -> None:
    rules = "".join(
        f'<rule context="{context}"><assert id="r{n}" test="A = 1"/></rule>'
        for n, context in enumerate(("Record[B = 1]", "C[. = 1]", "Record"))
    )
    (tmp_path / "rules.sch").write_text(f"{HEAD}<pattern>{rules}</pattern></schema>", encoding="utf-8")
    found = rule_reads(load_schema(tmp_path / "rules.sch"), "Record", frozenset({"Data"}))
    assert (set(found["r0"].names), set(found["r2"].names)) == ({"A", "B"}, {"A", "B"})
    assert set(found["r1"].names) == {"C"}, "its node is C: A is looked for inside it"


# Random expressions on random records.

Record = dict[str, str | None]


def changed(random: Random, record: Record, name: str) -> Record:
    """Return the record with another value of one variable, or without it."""
    others = [text for text in (*TEXTS, "4 4", None) if text != record[name]]
    return {**record, name: random.choice(others)}


def verdicts(
    folder: Path, patterns: dict[str, str], document: str, saxon: SaxonProcess
) -> tuple[Schema, dict[str, frozenset[int]]]:
    """Return which records break each rule, by Saxon; rules with a static error are left out."""
    while True:
        text = "".join(patterns.values())
        (folder / "rules.sch").write_text(f"{HEAD}{text}</schema>", encoding="utf-8")
        schema = load_schema(folder / "rules.sch")
        try:
            judge = Judge(schema, record="Record", saxon=saxon, first="records")
            return schema, judge.broken_records(document.encode(), folder / "data.xml")
        except RulesError as error:
            del patterns[next(name for name in re.findall(r"r\d+", error.what) if name in patterns)]


@pytest.mark.parametrize("seed", range(100, 200) if IS_EXPLORING else range(draws(2)))
def test_a_variable_that_is_not_read_never_changes_the_verdict(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    (tmp_path / "codes.xml").write_text(CODES_XML, encoding="utf-8")
    bases: list[Record] = [{n: random.choice(TEXTS) for n in (*NAMES, "@id")} for _ in range(8)]
    variants = [(b, name, changed(random, base, name)) for b, base in enumerate(bases) for name in base for _ in "123"]
    document = f"<Data>{''.join(map(record_xml, [*bases, *(one for _, _, one in variants)]))}</Data>"
    with SaxonProcess() as saxon:
        schema, broken = verdicts(tmp_path, random_tests(random, 150), document, saxon)
    reads = rule_reads(schema, "Record", frozenset({"Data"}))
    tests = {
        rule.assertions[0].id: (rule.context, rule.assertions[0].test) for p in schema.patterns for rule in p.rules
    }
    certain = [name for name, read in reads.items() if read.is_certain and re.fullmatch(r"r\d+", name)]
    moved = 0
    for name in certain:
        for place, (base, variable, _) in enumerate(variants, start=len(bases) + 1):
            is_same = (base + 1 in broken[name]) == (place in broken[name])
            moved += not is_same
            assert is_same or variable in reads[name].names, (tests[name], variable, reads[name])
    assert len(certain) > 50, "most expressions tell what they read"
    assert moved > 300, "verdicts depend on what is read, or the test proves nothing"
