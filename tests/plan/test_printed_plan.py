"""The plan of an awkward census extract as it is printed, and that the same inputs make the same plan."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from lxml import etree

from constraint_sdc.census import generate_file
from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.plan import plan_file
from constraint_sdc.files.json_file import json_text, shipped_file
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.plan.plan import Formation, Plan, Why
from constraint_sdc.plan.plan_json import plan_from_json, plan_to_json
from constraint_sdc.reports.masking.plan_text import plan_text
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.settings.reason import because
from tests.maskers.extract import columns, extract, the_block, the_rule

GOLDEN = Path(__file__).with_name("golden") / "awkward-census.txt"
RECORDS = 120


@pytest.fixture(scope="module")
def awkward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_awkward(tmp_path_factory.mktemp("awkward"))


def write_awkward(folder: Path) -> Path:
    """Write an extract with three records below V8 = 1115, V11 absent in six records and V4 empty in two."""
    generate_file(folder / "extract.xml", RECORDS, 1)
    for name in ("census.sch", "constraints.sch"):
        shutil.copy(shipped_file("rules", name), folder)
    document = etree.parse(folder / "extract.xml")
    records = document.getroot().findall("Record")
    for record in records[10:13]:
        low, high = sorted((int(record.findtext("V12") or 0), int(record.findtext("V13") or 0)))
        for name, value in (("V8", 900), ("V12", high), ("V13", low)):
            leaf = record.find(name)
            assert leaf is not None
            leaf.text = str(value)
    for record in records[40:46]:
        record.remove(record.findall("V11")[0])
    for record in records[50:52]:
        record.findall("V4")[0].text = None
    document.write(folder / "data.xml", encoding="utf-8", xml_declaration=True)
    return folder


def test_the_awkward_extract_is_what_it_says(awkward: Path) -> None:
    checked = check_file(awkward / "data.xml", awkward / "census.sch", CheckOptions(original=awkward / "data.xml"))
    assert (checked.exit_code, checked.records) == (0, RECORDS)
    rows = etree.parse(awkward / "data.xml").getroot().findall("Record")
    assert sum(float(row.findtext("V8") or "nan") < 1115 for row in rows) == 3


def test_the_plan_of_an_awkward_extract_reads_as_the_golden_file(awkward: Path) -> None:
    """After a change on purpose: `python -m tests.plan.test_printed_plan > tests/plan/golden/awkward-census.txt`."""
    assert printed(awkward) == GOLDEN.read_text("utf-8")


def printed(folder: Path) -> str:
    return plan_text(plan_of(folder, k=5, partition="mdav"), columns=100)


def plan_of(folder: Path, **options: Any) -> Plan:
    return plan_file(folder / "data.xml", folder / "census.sch", MaskOptions(**options))


def test_the_golden_plan_shows_what_is_awkward(awkward: Path) -> None:
    plan = plan_of(awkward, k=5, partition="mdav")
    governed = the_block(plan, "V8")
    whole, few = governed.strata
    assert (whole.formation, few.formation) == (Formation.WHOLE, Formation.TOPPED_UP)
    assert (whole.size + few.size, 5 <= few.size <= 15) == (RECORDS, True)
    assert the_rule(plan, "EC-GV").why is Why.EXACT
    missing = {condition for block in plan.blocks for stratum in block.strata for condition in stratum.conditions}
    assert because("missing", variable="V11") in missing
    merged = [s for s in the_block(plan, "V4").strata if s.formation is Formation.MERGED]
    assert [s.size for s in merged] == [5], "two records without V4 are too few for a group of their own"


def test_the_same_inputs_make_the_same_plan(awkward: Path) -> None:
    one, two = (plan_of(awkward, k=4, effort="fast") for _ in "ab")
    content = json_text(plan_to_json(one))
    assert content == json_text(plan_to_json(two))
    assert plan_text(plan_from_json(json.loads(content))) == plan_text(two)


def test_auto_says_what_it_chose_and_why(awkward: Path) -> None:
    """Sizes of strata make no sentences of their own: a block may have hundreds of strata."""
    plan = plan_of(awkward, k=5, effort="fast")
    assert sentence(the_block(plan, "V9").partition) == "auto: mdav+refine (120 records: MDAV is a quick start)"
    assert sentence(the_block(plan, "V8").partition) == "auto: mdav+refine (up to 115 records: MDAV is a quick start)"
    text = plan_text(plan, columns=100)
    assert "\npartition auto at fast effort, seed 0, 5 rules: 1 preserved, 4 exact\n" in text
    assert "  partition    auto: mdav+refine (120 records: MDAV is a quick start); at least 5 records to a" in text


def test_auto_computes_the_least_loss_of_one_variable(tmp_path: Path) -> None:
    rows = columns(A=[(i * 7 % 20) ** 2 for i in range(20)], Town=["a", "b"] * 10)
    given = extract(tmp_path, rows, recipe="mask: {partition: auto}\nvariables: {Town: {type: nominal}}")
    plan = given.plan(3)
    assert sentence(the_block(plan, "A").partition).startswith("auto: optimal-univariate (only one variable varies")
    assert sentence(the_block(plan, "Town").partition) == "auto: k-modes (categories only)"


def test_the_order_of_rules_changes_no_block(tmp_path: Path) -> None:
    numbers = columns(A=[i * 7 % 20 for i in range(20)], B=[i * 3 % 20 for i in range(20)], C=[40] * 20)
    rules = {"one": "number(A) <= number(C)", "two": "number(B) <= number(C)", "three": "number(A) < 100"}
    forwards = extract(tmp_path / "1", numbers, rules).plan(3)
    backwards = extract(tmp_path / "2", numbers, dict(reversed(rules.items()))).plan(3)
    assert [b.variables for b in forwards.blocks] == [b.variables for b in backwards.blocks]
    assert {r.rule: r.why for r in forwards.all_rules()} == {r.rule: r.why for r in backwards.all_rules()}


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        print(printed(write_awkward(Path(place))), end="")
