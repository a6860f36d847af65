"""`rules convert`: the written file means what the read one means."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import constraint_sdc as cs
from constraint_sdc.cli import main
from constraint_sdc.errors import UsageError
from tests.in_process import run_in_process
from tests.languages.judged import failures, write_rows

TEXT = """balance "Income adds up": V9 + V10 = V14
govern: if V8 < 1115 then V13 <= V12
range: V3 in [0, 7500]  @warning
code: Sex in {1, 2}     @missing fails
both: (V1 + 2) * 3 > 0 and not (V2 = 3 or V3 is missing)  @missing fails
texts: Region in {'N', "S"} or V1 * V2 >= 1.5
"""
NUMBERS = ("V1", "V2", "V3", "V8", "V9", "V10", "V12", "V13", "V14", "Sex")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = random.Random(1)

    def record() -> dict[str, object]:
        numbers = {name: draw.choice([None, *range(-1, 4), 1114, 7600]) for name in NUMBERS}
        return {**numbers, "Region": draw.choice([None, "N", "S", "NW"])}

    return write_rows(tmp_path_factory.mktemp("convert") / "data.xml", [record() for _ in range(120)])


@pytest.mark.parametrize("ending", [".sch", ".yml", ".txt"])
def test_the_new_file_has_the_same_verdicts(data: Path, tmp_path: Path, ending: str) -> None:
    source, target = tmp_path / "rules.txt", tmp_path / f"new{ending}"
    source.write_text(TEXT)
    assert cs.convert_rules(source, target, data=data) == target
    expected = failures(data, source)
    assert failures(data, target) == expected
    assert all(expected.values())


SCHEMA = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="Record">
<assert id="sum" test="number(V9) + number(V10) = number(V14)">Parts and total differ.</assert>
<assert id="if" test="not(number(V8) &lt; 1115) or number(V13) &lt;= number(V12)"/>
<assert id="set" role="warning" test="not(number(V1) = (1, 2))"/>
<assert id="texts" test="Region = ('N', 'S')"/>
<assert id="whole" test="number(V3) mod 2 = 0"/>
<assert id="product" test="number(V1) * number(V2) &lt;= 2 * number(V3)"/>
<assert id="third" test="number(V1) div 3 &lt;= number(V2)"/>
<assert id="length" test="string-length(Region) &lt;= 1"/>
<assert id="long" test="string-length(V8) >= 4"/>
<assert id="filled" test="normalize-space(V1) != ''"/>
<assert id="near" test="abs(number(V1) - number(V2)) &lt;= 1.5"/>
</rule></pattern></schema>"""


@pytest.mark.parametrize("ending", [".yml", ".txt"])
def test_the_way_back_keeps_the_verdicts(data: Path, tmp_path: Path, ending: str) -> None:
    source, target = tmp_path / "rules.sch", tmp_path / f"new{ending}"
    source.write_text(SCHEMA)
    cs.convert_rules(source, target, record="Record")
    expected = failures(data, source)
    assert failures(data, target) == expected
    assert all(expected.values())
    kept = {row.id: row.severity for row in cs.list_rules(target).rows}
    assert kept == {row.id: row.severity for row in cs.list_rules(source).rows}


def test_what_has_no_typed_constraint_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    source, target = tmp_path / "rules.sch", tmp_path / "new.yml"
    source.write_text(SCHEMA.replace("number(V9) + number(V10) = number(V14)", "V9 = concat(V10, V14)"))
    with pytest.raises(cs.UntranslatedRulesError, match="rule sum has no typed constraint: opaque"):
        cs.convert_rules(source, target, record="Record")
    assert not target.exists()


def convert(folder: Path) -> tuple[int, str, str]:
    return run_in_process(main, ["constraint-sdc", "rules", "convert", "rules.R", "-o", "new.sch"], folder)


def test_the_command_names_every_rule_that_it_cannot_translate(tmp_path: Path) -> None:
    (tmp_path / "rules.R").write_text("x > 0\nsd(x) < 1\nvar(x) < 1")
    code, printed, complained = convert(tmp_path)
    assert (code, printed) == (2, "")
    assert "rules.R:2:1: sd() is a statistic" in complained
    assert "rules.R:3:1: var() is a statistic" in complained


def test_the_command_says_what_it_wrote_and_replaces_nothing(tmp_path: Path) -> None:
    (tmp_path / "rules.R").write_text("x > 0")
    assert convert(tmp_path) == (0, "new.sch: 1 rule\n", "")
    assert convert(tmp_path)[0] == 2


def test_an_unknown_ending_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "rules.R").write_text("x > 0")
    with pytest.raises(UsageError, match=r"use one of: \.sch, \.r, \.yml"):
        cs.convert_rules(tmp_path / "rules.R", tmp_path / "rules.docx")


def test_a_name_with_a_namespace_is_written_with_a_prefix(tmp_path: Path) -> None:
    (tmp_path / "rules.R").write_text("x > 0")
    (tmp_path / "data.xml").write_text('<D xmlns="urn:d"><R><x>1</x></R><R><x>-1</x></R></D>')
    cs.convert_rules(tmp_path / "rules.R", tmp_path / "rules.sch", data=tmp_path / "data.xml")
    assert failures(tmp_path / "data.xml", tmp_path / "rules.sch") == {"V1": {2}}
    assert failures(tmp_path / "data.xml", tmp_path / "rules.R") == {"V1": {2}}


def test_missing_codes_of_a_recipe_become_part_of_the_schema(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("x > 0")
    (tmp_path / "recipe.yml").write_text('missing:\n  x: ["-9"]\n')
    data = write_rows(tmp_path / "data.xml", [{"x": "-9"}, {"x": "-1"}])
    cs.convert_rules(tmp_path / "rules.txt", tmp_path / "new.sch", recipe=tmp_path / "recipe.yml")
    assert failures(data, tmp_path / "new.sch") == {"rule-1": {2}}
    with pytest.raises(UsageError, match="missing codes"):
        cs.convert_rules(tmp_path / "rules.txt", tmp_path / "new.yml", recipe=tmp_path / "recipe.yml")


@pytest.mark.parametrize(("ending", "instead"), [(".R", ".yml"), (".xlsx", ".csv")])
def test_what_is_only_read_is_refused_with_what_is_written(tmp_path: Path, ending: str, instead: str) -> None:
    (tmp_path / "rules.txt").write_text("x > 0")
    with pytest.raises(UsageError, match=rf"is read and not written \(write {instead}\)"):
        cs.convert_rules(tmp_path / "rules.txt", tmp_path / f"new{ending}")
