"""Every planted fault is found, and nothing else: the small form of `benchmarks/lint.py`."""

from __future__ import annotations

import random
from pathlib import Path

from constraint_sdc.commands.lint import lint_rules
from constraint_sdc.lint.kind import KINDS
from tests.lint.planted import FAULTS, PlantedRules, compare_with_planted, planted_rules, sound_section


def test_planted_faults_are_all_found_and_none_is_invented(tmp_path: Path) -> None:
    made = planted_rules(faults=22, rules=60, seed=5)
    file = tmp_path / "planted.sch"
    file.write_text(made.schema(), encoding="utf-8")
    compared = compare_with_planted(made, lint_rules(file))
    assert compared.missed == []
    assert compared.invented == []


def test_sound_rules_give_no_finding(tmp_path: Path) -> None:
    made = PlantedRules()
    for number in range(3):
        sound_section(made, number, random.Random(number))
    file = tmp_path / "sound.sch"
    file.write_text(made.schema(), encoding="utf-8")
    assert lint_rules(file).findings == ()


def test_a_fault_is_planted_for_every_kind_that_needs_no_data() -> None:
    made = PlantedRules()
    for place, fault in enumerate(FAULTS):
        fault(made, f"K{place}", ["A", "B", "C", "D", "E"])
    assert {fault.code for fault in made.faults} == {name for name in KINDS.names if not KINDS[name].needs_data}
