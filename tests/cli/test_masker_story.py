"""Every masker from plan to certificate, as a user meets it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.maskers.extract import columns, extract
from tests.maskers.toys import install

MASKERS = {
    "microhybrid": "k: 8\nmask: {masker: microhybrid, partition: v-mdav, given: [W]}\n",
    "fuzzy-c-means": "k: 4\nmask: {masker: fuzzy-c-means, m1: 1.3, ensure_k: true}\n",
    "individual-ranking": "k: 4\nmask: {partition: individual-ranking}\n",
    "group-anonymity": (
        'mask:\n  masker: group-anonymity\n  goals:\n    - parameter: Town\n      vital: "A > 450"\n'
        "      change: [{move: {from: East, to: West}}]\n  influential: [{variable: W}]\n"
    ),
}
MASKERS["toy"] = "k: 4\nmask: {masker: toy, partition: v-mdav, strength: 2}\n"  # of another distribution
INPUTS = ("data.xml", "--rules", "rules.sch", "--recipe", "recipe.yml")


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 900, (2, 60))
    town = np.where(a > 450, "East", rng.choice(["East", "West", "North"], 60))
    rules = {"total": "number(A) + number(B) = number(C)", "town": "Town = ('East', 'West', 'North')"}
    extract(tmp_path, columns(A=a, B=b, C=a + b, W=rng.integers(1, 20, 60), Town=town), rules)
    install(tmp_path / "site", monkeypatch, "toy = tests.maskers.toys:Toy")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", MASKERS)
def test_a_saved_plan_is_carried_out_explained_and_confirmed(run: Run, workplace: Path, name: str) -> None:
    (workplace / "recipe.yml").write_text(MASKERS[name], encoding="utf-8")
    planned = run("plan", *INPUTS, "--out", "plan.json")
    kind = "partition" if name == "individual-ranking" else "masker"
    assert (planned.code, f"\n{kind} {name}" in planned.out) == (0, True)
    masked = run("mask", *INPUTS, "--plan", "plan.json", "-o", "masked.xml")
    assert (masked.code, masked.out.startswith("PUBLISHED: 60 records")) == (0, True), masked.err
    assert run("mask", *INPUTS, "--plan", "plan.json", "--partition", "mdav", "-o", "other.xml").code == 2
    certificate = ("--certificate", "masked.xml.certificate.json")
    checked = run("check", "masked.xml", "--rules", "rules.sch", *certificate)
    assert (checked.code, "certificate agrees" in checked.out) == (0, True)
    explained = run("explain", "data.xml", "--record", "7", *certificate, "--rules", "rules.sch")
    assert (explained.code, explained.out.startswith("record 7 of 60")) == (0, True), explained.err
    assert run("assess", "data.xml", "masked.xml", "--rules", "rules.sch").code == 0


def test_partition_says_how_a_masker_divides(run: Run, workplace: Path) -> None:
    del workplace
    given = ("plan", "data.xml", "--rules", "rules.sch", "-k", "8", "--masker", "microhybrid")
    assert "partition v-mdav" in run(*given, "--partition", "v-mdav").out
    assert "partition random" in run(*given, "--partition", "random").out
