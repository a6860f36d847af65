"""`attack` as a user tries it: how many records are re-identified, and how sure the intruder is."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from constraint_sdc.files.json_file import shipped_file
from tests.cli.conftest import Run

SCHEMA = json.loads(shipped_file("schemas", "attack.schema.json").read_text("utf-8"))
FILES = ("extract.xml", "ranked.xml")
RULES = """\
<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <pattern><rule context="Record">
    <assert id="total" test="number(A) + number(B) = number(T)">parts</assert>
    <assert id="sign" test="number(B) &gt;= 0">sign</assert>
  </rule></pattern>
</schema>
"""


def write(path: str, columns: dict[str, np.ndarray]) -> None:
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    cells = ["".join(f"<{n}>{v}</{n}>" for n, v in zip(columns, row, strict=True)) for row in rows]
    text = "\n".join(f"<Record>{c}</Record>" for c in cells)
    Path(path).write_text(f"<Microdata>\n{text}\n</Microdata>\n", "utf-8")


def ranked(values: np.ndarray, k: int) -> np.ndarray:
    """Return one variable masked by individual ranking: means of k neighbours."""
    masked, order = np.empty(len(values)), np.argsort(values)
    for part in np.array_split(order, len(values) // k):
        masked[part] = values[part].mean()
    return masked


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An extract of skewed variables, each masked alone."""
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(3).lognormal(5, 1.5, (300, 5)).round(2)
    write("extract.xml", {f"V{j}": values[:, j] for j in range(5)})
    write("ranked.xml", {f"V{j}": ranked(values[:, j], 3) for j in range(5)})
    Path("alone.yml").write_text(
        "mask: {partition: individual-ranking}\ngroups: [[V0], [V1], [V2], [V3], [V4]]\n", "utf-8"
    )
    return tmp_path


def found(run: Run, *arguments: object) -> dict[str, dict[str, float]]:
    ran = run("attack", *arguments, "--json")
    assert ran.code == 0, ran.err
    content = json.loads(ran.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    return {name: figure["value"] for name, figure in content["figures"].items()}


def test_individually_ranked_records_are_nearly_all_found(run: Run) -> None:
    figures = found(run, "single-ranking", "extract.xml", "ranked.xml", "--setting", "full")
    assert figures["re-identified"] > 95


def test_an_intruder_may_bring_his_own_file(run: Run) -> None:
    given = ("single-ranking", "extract.xml", "ranked.xml", "--share", "0.1")
    assert found(run, *given, "--against", "extract.xml")["re-identified"] > 95
    ran = run("attack", *given, "--against", "extract.xml", "--setting", "full")
    assert (ran.code, "--against has no meaning here" in ran.err) == (2, True)


def test_certain_links_are_counted_for_both_kinds_of_knowledge(run: Run) -> None:
    figures = found(run, "transparency", "extract.xml", "ranked.xml", "--recipe", "alone.yml")
    assert figures["certain-links-rerun"] >= figures["certain-links-published"] > 90


def test_a_foreign_certificate_is_noted_for_machines_too(run: Run) -> None:
    assert run("mask", "extract.xml", "-k", "3", "--partition", "mdav", "-o", "masked.xml").code == 0
    given = ("attack", "transparency", "extract.xml", "ranked.xml", "--certificate", "masked.xml.certificate.json")
    notes = json.loads(run(*given, "--json").out)["notes"]
    assert "certificate of another file" in notes[0]


def test_a_released_part_bounds_a_masked_total(run: Run) -> None:
    draw = np.random.default_rng(5)
    a, b = draw.integers(10, 99, 60), draw.integers(0, 5, 60)
    write("sums.xml", {"A": a, "B": b, "T": a + b})
    b2 = ranked(b, 3)
    write("masked.xml", {"A": a, "B": b2, "T": a + b2})
    Path("sums.sch").write_text(RULES, "utf-8")
    ran = run("attack", "rule-inference", "sums.xml", "masked.xml", "--rules", "sums.sch")
    assert ran.code == 0
    assert "total" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rule-inference", "extract.xml", "ranked.xml"), "without rules nothing can be inferred"),
        (("single-ranking", "extract.xml", "ranked.xml", "--share", "0"), "share"),
        (("single-ranking", "extract.xml", "ranked.xml", "--off", "-1"), "cannot be -1"),
        (
            ("single-ranking", "extract.xml", "ranked.xml", "--setting", "full", "--metric", "within"),
            "does not apply to full",
        ),
        (("single-ranking", *FILES, "--setting", "full", "--share", "0.5"), "--share has no meaning here"),
        (("single-ranking", *FILES, "--setting", "sample", "--off", "2"), "--off has no meaning here"),
        (("single-ranking", *FILES, "--against", "extract.xml", "--deviation", "0.1"), "--deviation has no meaning"),
        (("transparency", *FILES, "--seed", "3"), "--seed"),
        (("transparency", "extract.xml", "nowhere.xml"), "nowhere.xml"),
        (("transparency", "extract.xml"), "MASKED"),
        (("teleport", "extract.xml", "ranked.xml"), "teleport"),
    ],
)
def test_mistakes_end_in_one_message(run: Run, arguments: tuple[str, ...], said: str) -> None:
    ran = run("attack", *arguments)
    assert ran.code == 2
    assert said in ran.err
