"""Value domains: the ids of parents are found, values that chance puts into a range are not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import constraint_sdc as cs
from constraint_sdc.discovery.domains import _share_of_form, _share_of_grid
from constraint_sdc.discovery.proposal import Discovery
from constraint_sdc.reports.discovered_rules import proposal_label
from tests.discovery.files import write_rows

Row = dict[str, str | None]


def family_rows(count: int, form: str) -> list[Row]:
    """People, two in three with a parent among the others; ids have gaps."""
    chance = random.Random(7)
    ids = [form.format(number) for number in chance.sample(range(10_000, 99_999), count)]
    return [
        {
            "Id": name,
            "Parent": chance.choice(ids) if chance.random() < 0.67 else None,
            "Age": str(chance.randint(0, 90)),
            "Income": str(chance.randint(0, 50_000)),
            "Number": str(number),
        }
        for number, name in enumerate(ids, 1)
    ]


def domains(found: Discovery) -> set[str]:
    return {proposal_label(one) for one in found.proposals if one.kind == "value domain"}


@pytest.mark.parametrize("form", ["P{}", "{}", "{}/7"])
def test_the_parent_is_found_and_no_number_that_chance_puts_into_a_range(form: str, tmp_path: Path) -> None:
    """Every age is a number of a record: among numbers without gaps that is no surprise."""
    file = write_rows(tmp_path / "family.xml", family_rows(300, form))
    found = cs.discover_rules(file)
    assert domains(found) == {"every value of Parent occurs in Id"}
    rules = tmp_path / "found.sch"
    rules.write_text(found.schema, encoding="utf-8")
    verdict = cs.check_file(file, rules, engine="saxon")
    assert verdict.exit_code == 0
    (one,) = (result for result in verdict.results if result.rule == "value-domain-Id")
    assert one.fired == sum("<Parent>" in line for line in file.read_text("utf-8").splitlines())


def test_a_parent_in_no_record_refutes_the_rule_and_is_counted_as_an_exception(tmp_path: Path) -> None:
    rows = family_rows(300, "P{}")
    rows[250]["Parent"] = "P1"
    file = write_rows(tmp_path / "family.xml", rows)
    assert domains(cs.discover_rules(file)) == set()
    found = cs.discover_rules(file, exceptions=0.01)
    assert domains(found) == {"every value of Parent occurs in Id"}
    assert [one.exceptions for one in found.proposals if one.kind == "value domain"] == [1]


def test_equal_variables_are_no_domain_of_each_other(tmp_path: Path) -> None:
    rows = [{**row, "Again": row["Id"]} for row in family_rows(300, "{}")]
    found = cs.discover_rules(write_rows(tmp_path / "twice.xml", rows))
    assert "every value of Again occurs in Id" not in domains(found)
    assert "Id = Again" in {proposal_label(one) for one in found.proposals}


def test_shares_are_counted_by_hand() -> None:
    found, domain = frozenset(("10", "20", "40")), frozenset(("10", "20", "25", "40", "70", "x"))
    assert _share_of_grid(found, domain) == 3 / 4  # of 10, 20, 30, 40
    assert _share_of_form(frozenset(("A1",)), frozenset(("A1", "B2", "B3"))) == 3 / 6
