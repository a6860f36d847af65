"""`$original` is the file that the rules name, for `mask` as for `check`; the data only where no such file exists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import constraint_sdc as cs
from constraint_sdc.commands.certificate.certificate import file_digest
from constraint_sdc.constraints.named_original import original_for
from constraint_sdc.errors import PlanRefusedError, RulesError
from constraint_sdc.schematron.load import load_schema
from constraint_sdc.settings.reason import because
from tests.maskers.extract import Extract, columns, data_xml, extract

RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">{schema}
<pattern>{pattern}<rule context="Record">{rule}
<assert id="occurs" test="A = $original//Record/A">A does not occur.</assert></rule></pattern></schema>
"""
DOCUMENT = '<let name="original" value="document(\'microdata.xml\')"/>'
COMPUTED = '<let name="original" value="(document(\'microdata.xml\'), /)[1]"/>'
VALUES = [10, 20, 30, 40, 50] * 4


def rules(schema: str = "", pattern: str = "", rule: str = "") -> str:
    return RULES.format(schema=schema, pattern=pattern, rule=rule)


def given(folder: Path, declared: str, other: list[int] | None = None) -> Extract:
    """Return an extract whose rules declare `$original`; `other` are the values of microdata.xml, if it exists."""
    if other is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "microdata.xml").write_text(data_xml(columns(A=other)), encoding="utf-8")
    return extract(folder, columns(A=VALUES), declared)


DECLARED = {"schema": rules(DOCUMENT), "pattern": rules(pattern=DOCUMENT), "rule": rules(rule=DOCUMENT)}


@pytest.mark.parametrize("declared", [*DECLARED.values(), rules(COMPUTED)], ids=[*DECLARED, "computed"])
def test_mask_refuses_what_check_finds_broken(tmp_path: Path, declared: str) -> None:
    one = given(tmp_path, declared, other=[10, 20, 99])
    assert one.rules is not None
    assert cs.check_file(one.data, one.rules).results[0].failed == 12
    with pytest.raises(PlanRefusedError, match="occurs: 12 of 20"):
        one.mask(4)


def test_mask_and_check_look_into_the_file_that_the_rules_name(tmp_path: Path) -> None:
    one = given(tmp_path, DECLARED["rule"], other=[*VALUES, 60])
    assert one.rules is not None
    result = one.mask(4)
    named = file_digest(tmp_path / "microdata.xml")
    assert result.plan.inputs["document: microdata.xml"] == named
    entries = json.loads(result.certificate.read_text("utf-8"))["inputs"]
    assert {"role": "document", "file": "microdata.xml", "sha256": named} in entries
    assert cs.check_file(one.output, one.rules).results[0].failed == 0
    assert not cs.verify_certificate(one.output, one.rules).mismatches


def test_a_certificate_is_verified_with_what_the_rules_name(tmp_path: Path) -> None:
    """With `--on-broken keep` the verdicts on the masked file tell which document was looked into."""
    one = given(tmp_path, DECLARED["schema"], other=[10, 20, 99])
    assert one.rules is not None
    result = one.mask(4, on_broken="keep")
    assert result.outcomes[0].broken_before == 12
    assert result.outcomes[0].still_broken > 0
    assert not cs.verify_certificate(one.output, one.rules, original=one.data).mismatches


def test_a_file_that_does_not_exist_is_replaced_by_the_data_and_the_plan_says_so(tmp_path: Path) -> None:
    one = given(tmp_path, DECLARED["schema"])
    assert one.rules is not None
    result = one.mask(4)
    note = because("data-for-original", file="microdata.xml")
    assert note in result.plan.assumptions
    certificate = json.loads(result.certificate.read_text("utf-8"))
    assert any(reason["code"] == note.code for reason in certificate["plan"]["assumption_reasons"])
    assert result.plan.inputs["data"] == file_digest(one.data)
    assert not cs.verify_certificate(one.output, one.rules, original=one.data).mismatches
    with pytest.raises(RulesError, match="there is no such file"):
        cs.check_file(one.output, one.rules)
    assert cs.check_file(one.output, one.rules, original=one.data).results[0].failed == 0


def test_a_file_given_on_the_command_line_goes_before_the_rules(tmp_path: Path) -> None:
    one = given(tmp_path, DECLARED["schema"], other=[10, 20, 99])
    result = one.mask(4, original=one.data)
    assert result.outcomes[0].broken_before == 0
    assert not [name for name in result.plan.inputs if name.startswith("document")]


@pytest.mark.parametrize(
    ("declared", "is_data", "is_named"),
    [
        (rules(), True, False),
        (rules('<let name="original" value=""/>'), True, False),
        (rules('<let name="original" value="doc(\'data.xml\')"/>'), True, False),
        (rules('<let name="file" value="\'gone.xml\'"/><let name="original" value="document($file)"/>'), False, True),
        (rules(DOCUMENT), False, True),
        (rules(rule=DOCUMENT), False, True),
        (rules('<let name="original" value="doc(\'gone.xml\')"/>', rule=DOCUMENT), False, True),
        (rules(COMPUTED), False, True),
        (rules().replace("$original//Record/A", "'10'"), False, False),
    ],
)
def test_what_the_rules_name(tmp_path: Path, declared: str, is_data: bool, is_named: bool) -> None:
    one = given(tmp_path, declared, other=VALUES)
    assert one.rules is not None
    found = original_for(load_schema(one.rules), one.data)
    assert (found.path == one.data, found.is_named) == (is_data, is_named)
