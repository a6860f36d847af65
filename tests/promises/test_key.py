"""The key: at least k records share all its values together, in the written file, masked and unmasked ones alike."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from copy import deepcopy
from hashlib import sha256
from pathlib import Path

import pytest
from lxml import etree

import constraint_sdc as cs
from constraint_sdc.cli import main
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.reports.masking.mask_result import mask_text
from tests.in_process import run_in_process

RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="P">
<assert id="tax" test="number(Tax) le number(Income)">tax</assert></rule></pattern></schema>"""
KEY = ("Age", "Sex", "Region", "Income")
ROLES = """
variables:
  Age: {role: quasi-identifier}
  Income: {role: quasi-identifier}
  Region: {role: quasi-identifier, type: nominal}
  Sex: {role: untouched}
  Diagnosis: {role: untouched}
"""


@pytest.fixture
def persons(tmp_path: Path) -> Path:
    draw = random.Random(5)
    rows = []
    for _ in range(120):
        income = draw.randint(8000, 90000)
        values = {"Age": draw.randint(18, 80), "Sex": draw.choice("FM"), "Region": draw.choice(["N", "S", "E", "W"])}
        values |= {"Income": income, "Tax": income * draw.randint(5, 40) // 100, "Diagnosis": draw.choice("ABC")}
        rows.append("".join(f"<{name}>{value}</{name}>" for name, value in values.items()))
    path = tmp_path / "persons.xml"
    path.write_text("<D>" + "".join(f"<P>{row}</P>" for row in rows) + "</D>", "utf-8")
    (tmp_path / "rules.sch").write_text(RULES, "utf-8")
    return path


def masked(persons: Path, recipe: str, k: int = 5, **options: object) -> cs.MaskResult:
    written = persons.with_name("recipe.yml")
    written.write_text(recipe, "utf-8")
    rules = persons.with_name("rules.sch")
    return cs.mask_file(persons, rules, persons.with_name("masked.xml"), k=k, recipe=written, **options)  # type: ignore[arg-type]


def smallest_class(path: Path, names: tuple[str, ...]) -> int:
    """Count by the document tree, in no way of ours."""
    records = etree.parse(str(path)).getroot()
    return min(Counter(tuple(record.findtext(name) for name in names) for record in records).values())


def test_k_records_share_the_whole_key_unmasked_variables_included(persons: Path) -> None:
    result = masked(persons, ROLES + "protect: {key: {variables: [Age, Sex, Region, Income]}}")
    (counted,) = [one for one in result.people if one.promise == "key"]
    assert (counted.of, counted.asked["k"], counted.is_kept) == (KEY, 5, True)
    assert counted.found["smallest"] == smallest_class(result.output, KEY) >= 5
    assert {**cs.read_certificate(result.certificate)}["people"]["key"][0]["found"] == counted.found


def test_by_default_all_quasi_identifiers_are_the_key_and_share_a_block(persons: Path) -> None:
    result = masked(persons, ROLES)
    assert result.plan.protect.key is not None
    assert result.plan.protect.key.variables == ("Age", "Region", "Income")
    assert smallest_class(result.output, ("Age", "Region", "Income")) >= 5


def test_blocks_of_three_do_not_keep_the_key(persons: Path) -> None:
    """What was published before: without a declared key the records are unique over what an intruder knows."""
    roles = "variables: {Region: {type: nominal}, Sex: {role: untouched}, Diagnosis: {role: untouched}}"
    result = masked(persons, roles)
    assert smallest_class(result.output, KEY) == 1
    assert [reason.code for reason in result.plan.not_promised] == ["no-key"]
    assert "nothing is promised about linkage" in " ".join(mask_text(result).split("\n\n")[0].split())


def test_unmasked_variables_of_the_key_with_rare_values_are_refused_with_what_to_do(persons: Path) -> None:
    text = persons.read_text("utf-8").replace("<Sex>F</Sex>", "<Sex>X</Sex>", 1)
    persons.write_text(text, "utf-8")
    with pytest.raises(PlanRefusedError, match="values of Sex are too rare") as refused:
        masked(persons, ROLES + "protect: {key: {variables: [Age, Sex]}}")
    assert "role quasi-identifier" in (refused.value.hint or "")
    assert not persons.with_name("masked.xml").exists()


@pytest.mark.parametrize(
    ("protect", "k", "message"),
    [
        ("{key: {variables: [Age, Shoe]}}", 5, "'Shoe', which no record has"),
        ("{key: {variables: [Age, Income], k: 7}}", 5, "promises that 7 records share it, but groups have 5"),
    ],
)
def test_a_key_that_means_nothing_is_refused(persons: Path, protect: str, k: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        masked(persons, f"{ROLES}protect: {protect}", k=k)


def test_a_masker_that_shares_no_values_promises_no_key_and_refuses_a_stated_one(persons: Path) -> None:
    recipe = "variables: {Age: {role: quasi-identifier}, Income: {role: quasi-identifier}}\n"
    rest = "mask: {partition: individual-ranking}\n"
    result = masked(persons, recipe + rest)
    assert [reason.code for reason in result.plan.not_promised] == ["key-not-shared", "verbatim-not-promised"]
    with pytest.raises(UsageError, match="no k records share the key"):
        masked(persons, recipe + rest + "protect: {key: {variables: [Age, Income]}}", overwrite=True)


def test_a_certificate_that_counts_the_key_otherwise_is_refuted(persons: Path) -> None:
    result = masked(persons, ROLES)
    content = json.loads(result.certificate.read_text("utf-8"))
    assert _refuted(result, content) == 0
    content["people"]["key"][0]["found"]["smallest"] += 1
    assert _refuted(result, content) == 1
    del content["people"]["key"]
    assert _refuted(result, content) == 1


def test_diversity_and_closeness_of_a_certificate_are_counted_in_the_masked_file_alone(persons: Path) -> None:
    promises = "{diversity: {of: Diagnosis, l: 2, kind: entropy}, closeness: {of: Diagnosis, t: 0.6}}"
    result = masked(persons, f"{ROLES}protect: {promises}")
    content = json.loads(result.certificate.read_text("utf-8"))
    check = cs.verify_certificate(result.output, result.output.with_name("rules.sch"), result.certificate)
    assert any("diversity and closeness" in one for one in check.confirmed)
    assert not {"people.diversity", "people.closeness"} & set(check.stated)
    for promise, figure in (("diversity", "l"), ("closeness", "t"), ("diversity", "classes")):
        changed = deepcopy(content)
        changed["people"][promise][0]["found"][figure] += 0.01
        assert _refuted(result, changed) == 1
    for promise in ("diversity", "closeness"):
        assert _refuted(result, {**content, "people": {n: e for n, e in content["people"].items() if n != promise}})


def test_a_certificate_of_a_file_that_does_not_keep_its_diversity_is_refuted_without_the_original(
    persons: Path,
) -> None:
    result = masked(persons, f"{ROLES}protect: {{diversity: {{of: Diagnosis, l: 2}}}}")
    content = json.loads(result.certificate.read_text("utf-8"))
    forged = re.sub(r"<Diagnosis>.", "<Diagnosis>A", result.output.read_text("utf-8"))
    result.output.write_text(forged, "utf-8")
    content["output"]["sha256"] = sha256(forged.encode()).hexdigest()
    result.certificate.write_text(json.dumps(content), "utf-8")
    check = cs.verify_certificate(result.output, result.output.with_name("rules.sch"), result.certificate)
    assert check.mismatches == (
        "people: the diversity of Diagnosis is not kept",
        "people: the diversity of Diagnosis is certified otherwise than the file has it",
    )


def test_the_certificate_of_a_file_masked_without_rules_needs_none(persons: Path) -> None:
    def checked(name: str) -> tuple[int, str]:
        words = ["constraint-sdc", "check", name, "--certificate", f"{name}.certificate.json"]
        code, out, err = run_in_process(main, words, persons.parent)
        return code, out + err

    recipe = persons.with_name("recipe.yml")
    recipe.write_text(ROLES, "utf-8")
    result = cs.mask_file(persons, None, persons.with_name("plain.xml"), k=5, recipe=recipe)
    assert checked("plain.xml")[0] == 0
    assert cs.verify_certificate(result.output, None).exit_code == 0
    result.output.write_text(result.output.read_text("utf-8").replace("<Sex>F", "<Sex>M", 1), "utf-8")
    assert checked("plain.xml")[0] == 1
    masked(persons, ROLES)
    code, said = checked("masked.xml")
    assert (code, "names rules (rules.sch), and none are given (give --rules)" in said) == (2, True)


def _refuted(result: cs.MaskResult, content: dict[str, object]) -> int:
    result.certificate.write_text(json.dumps(content), "utf-8")
    rules = result.output.with_name("rules.sch")
    return cs.verify_certificate(result.output, rules, result.certificate).exit_code
