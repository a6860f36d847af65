"""The registry of measures: nothing is forgotten, every one has its page, and all answer in the same form."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.constraints.constraint import LinearAtom
from constraint_sdc.data.intruder import NOBODY, IntruderFile
from constraint_sdc.errors import UsageError
from constraint_sdc.measures import attacks, risk, utility
from constraint_sdc.measures.assessment import Measure, Measured
from constraint_sdc.measures.registry import MEASURES, attacks_on, risk_measures, score_of, utility_measures
from constraint_sdc.measures.utility.regressions import parse_regression
from constraint_sdc.reports.sentences import worded
from tests.measures.attacks.edit_rules import rule_of
from tests.measures.pairs import group_means, pair_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
UTILITY = utility_measures((parse_regression("V1 ~ V2"),))
RISK = risk_measures()
POSITIVE = rule_of("positive", LinearAtom((("V1", Fraction(1)),), ">", Fraction(0)))
ATTACKS = (
    "transparency", "transparency-linkage", "single-ranking", "rule-inference", "inconsistency", "dominance",
    "intruder-linkage", "differencing",
)  # fmt: skip
STRANGER = IntruderFile({"V1": np.array([5.0])}, np.array([NOBODY]))
ALL_ATTACKS = attacks_on([POSITIVE], {}, names=ATTACKS, intruder=STRANGER, has_release=True)


def written() -> set[str]:
    """Return the names of all classes in the package that can measure."""
    found = set()
    for package in (utility, risk, attacks):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            for _, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
                if kind.__module__ == module.name and hasattr(kind, "measure") and hasattr(kind, "title"):
                    found.add(kind.name)
    return found


def test_every_measure_that_was_written_is_run() -> None:
    assert {measure.name for measure in (*UTILITY, *RISK, *ALL_ATTACKS)} == written()
    assert tuple(measure.name for measure in (*UTILITY, *RISK, *ALL_ATTACKS)) == MEASURES.names


def test_the_attacks_are_known_by_name() -> None:
    assert tuple(each.name for each in ALL_ATTACKS) == ATTACKS


@pytest.mark.parametrize("measure", [*UTILITY, *RISK], ids=lambda measure: measure.name)
def test_every_measure_has_its_page_and_the_overview_leads_there(measure: Measure) -> None:
    assert (DOCS / "measures" / f"{measure.name}.md").is_file()
    assert f"({measure.name}.md)" in (DOCS / "measures" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_has_its_page_and_the_overview_leads_there(name: str) -> None:
    assert (DOCS / "attacks" / f"{name}.md").is_file()
    assert f"({name}.md)" in (DOCS / "attacks" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("measure", [*UTILITY, *RISK, *ALL_ATTACKS], ids=lambda measure: measure.name)
def test_all_answer_in_the_same_form(measure: Measure) -> None:
    values = np.random.default_rng(1).lognormal(3, 1, (30, 3))
    found = measure.measure(pair_of(values, group_means(values, np.arange(30) // 3), k=3))
    assert found.measure == measure.name
    assert worded(found.says).endswith(".")
    names = [figure.name for figure in found.figures]
    assert len(set(names)) == len(names) > 0
    for table in found.tables:
        assert len(table.head) == len(table.units)
        assert all(len(row) == len(table.head) for row in table.rows)
    _require_plain_numbers(found)


def _require_plain_numbers(found: Measured) -> None:
    cells = [figure.value for figure in found.figures]
    cells += [cell for table in found.tables for row in table.rows for cell in row]
    for cell in cells:
        assert cell is None or type(cell) in (str, int, float)
        assert not isinstance(cell, float) or np.isfinite(cell)


def test_the_score_is_made_of_what_was_measured() -> None:
    values = np.random.default_rng(2).normal(size=(40, 2))
    pair = pair_of(values, group_means(values, np.arange(40) // 4))
    costs, risks = ([m.measure(pair) for m in part] for part in (utility_measures(), RISK))
    found = score_of(costs, risks)
    pil, dbrl, disclosed = (found.value(name) or 0.0 for name in ("pil", "dbrl", "id"))
    assert found.value("score") == pytest.approx((pil + (dbrl + disclosed) / 2) / 2)


def test_an_attack_that_is_not_tried_by_default_has_to_be_named() -> None:
    by_default = ["transparency", "single-ranking", "rule-inference", "inconsistency", "dominance"]
    assert [each.name for each in attacks_on([POSITIVE], {})] == by_default


def test_an_attack_without_rules_is_not_run_and_cannot_be_asked_for() -> None:
    assert [each.name for each in attacks_on([], {})] == ["transparency", "single-ranking", "dominance"]
    with pytest.raises(UsageError, match="needs rules"):
        attacks_on([], {}, names=("rule-inference",))
    with pytest.raises(UsageError, match="needs another release"):
        attacks_on([], {}, names=("differencing",))
