"""Compact SVRL obeys a schema of the standard's elements, which refuses what is not SVRL."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lxml import etree

from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.render import render
from constraint_sdc.reports.check.svrl import with_unevaluated
from tests.svrl_schema import svrl_faults

_SVRL = "{http://purl.oclc.org/dsdl/svrl}"


def _tree(result: CheckResult) -> etree._Element:
    return etree.fromstring(render(result, "svrl").encode())


def test_a_broken_file_and_one_that_stops_a_rule(census: CheckResult, invoice: CheckResult) -> None:
    for result in (census, invoice, replace(census, results=()), replace(census, phase="fast", shows_values=True)):
        assert svrl_faults(_tree(result)) == []


def test_rules_of_one_pattern_that_do_not_stand_together(census: CheckResult) -> None:
    one, other, *rest = census.results
    assert svrl_faults(_tree(replace(census, results=(one, other, replace(rest[0], pattern=one.pattern))))) == []


def test_rules_added_to_the_complete_report(invoice: CheckResult) -> None:
    complete = render(replace(invoice, results=invoice.results[:1]), "svrl")
    added = with_unevaluated(complete, invoice)
    assert "not-evaluated" in added
    assert svrl_faults(etree.fromstring(added.encode())) == []


@pytest.mark.parametrize("place", ["location", "test"])
def test_the_schema_refuses_a_finding_without(census: CheckResult, place: str) -> None:
    tree = _tree(census)
    found = tree.find(f"{_SVRL}failed-assert")
    assert found is not None
    del found.attrib[place]
    assert svrl_faults(tree)


def test_the_schema_refuses_elements_out_of_order(census: CheckResult) -> None:
    tree = _tree(census)
    tree.append(tree[0])
    assert svrl_faults(tree)
