"""What is published: a whole file that the judge has passed, with its certificate, or nothing at all."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.commands import mask as pipeline
from constraint_sdc.commands.masking.carrying_out import carry_out
from constraint_sdc.commands.masking.preparation import Prepared
from constraint_sdc.data.table import column_of
from constraint_sdc.errors import NotPublishedError, UsageError
from constraint_sdc.maskers.masked import Masked
from constraint_sdc.plan.plan import Plan, Why
from tests.maskers.extract import Extract, columns, extract, schema, the_rule

N = 24


def amounts(seed: int = 1) -> list[dict[str, str]]:
    rng = np.random.default_rng(seed)
    return columns(A=rng.integers(0, 400, N).tolist(), B=rng.integers(0, 400, N).tolist())


def names(given: Extract) -> set[str]:
    return {path.name for path in given.folder.iterdir()}


BROKEN_BY_MASKING = {
    "all values differ": "count(distinct-values(//Record/A)) = count(//Record)",
    "the largest value stays": f"max(//Record/number(A)) = {max(int(r['A']) for r in amounts())}",
    "nobody has the same before him": "not(preceding-sibling::Record[1]/A = A)",
}
KEPT_BY_MASKING = {
    "the number of records": f"count(//Record) = {N}",
    "a bound on the sum": "sum(//Record/A) < 1000000",
    "a bound on the mean": "avg(//Record/A) >= 0",
    "values are below the largest B": "number(A) <= 2 * max(//Record/number(B)) + 1000",
}


def unlike_neighbours() -> list[dict[str, str]]:
    """No record has the A of the one before it, and all values differ."""
    rows = amounts()
    taken: set[str] = set()
    for row in rows:
        while row["A"] in taken:
            row["A"] = str(int(row["A"]) - 1)
        taken.add(row["A"])
    return rows


@pytest.mark.parametrize("rule", BROKEN_BY_MASKING)
def test_a_rule_across_records_that_masking_breaks_publishes_nothing(tmp_path: Path, rule: str) -> None:
    given = extract(tmp_path, unlike_neighbours(), {"across": BROKEN_BY_MASKING[rule]})
    assert given.broken(given.data) == {"across": set()}
    before = names(given)
    with pytest.raises(NotPublishedError) as refusal:
        given.mask(3)
    assert refusal.value.exit_code == 1
    assert "the masked file breaks rules that held; masked.xml was not written" in str(refusal.value)
    assert "across: " in str(refusal.value)
    assert names(given) == before, "no file, no certificate, no staged file"


@pytest.mark.parametrize("rule", KEPT_BY_MASKING)
def test_a_rule_across_records_that_masking_keeps_is_published(tmp_path: Path, rule: str) -> None:
    given = extract(tmp_path, amounts(), {"across": KEPT_BY_MASKING[rule]})
    result = given.mask(3)
    given.requires_all_rules()
    assert the_rule(result.plan, "across").why is Why.JUDGED
    assert names(given) == {"data.xml", "rules.sch", "masked.xml", "masked.xml.certificate.json"}


def test_a_masking_that_fails_leaves_the_old_file_in_its_place(tmp_path: Path) -> None:
    given = extract(tmp_path, unlike_neighbours(), {"across": BROKEN_BY_MASKING["all values differ"]})
    old = {"masked.xml": b"<old/>", "masked.xml.certificate.json": b"{}"}
    for name, content in old.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(NotPublishedError):
        given.mask(3, overwrite=True)
    assert {name: (tmp_path / name).read_bytes() for name in old} == old
    assert names(given) == {"data.xml", "rules.sch", *old}


def test_a_local_rule_that_masking_would_break_publishes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plant a fault in what is written: the judge on the written bytes is the last to be asked, and says no."""
    given = extract(tmp_path, columns(A=range(0, 48, 2), B=range(0, 96, 4)), {"twice": "number(B) = 2 * number(A)"})

    def faulty(prepared: Prepared) -> tuple[Plan, Masked]:
        plan, masked = carry_out(prepared)
        (block,) = masked.blocks
        sevens = column_of("B", ["7"] * len(block.groups))
        return plan, Masked((replace(block, columns={**block.columns, "B": sevens}),))

    monkeypatch.setattr(pipeline, "carry_out", faulty)
    before = names(given)
    with pytest.raises(NotPublishedError, match=r"twice: .* newly broken of 24"):
        given.mask(3)
    assert names(given) == before


def test_an_existing_file_needs_overwrite(tmp_path: Path) -> None:
    given = extract(tmp_path, amounts())
    given.mask(3)
    first = given.output.read_bytes()
    with pytest.raises(UsageError, match="exists already"):
        given.mask(4)
    assert given.output.read_bytes() == first
    given.mask(4, overwrite=True)
    assert given.output.read_bytes() != first
    certificate = json.loads((tmp_path / "masked.xml.certificate.json").read_text("utf-8"))
    assert certificate["options"]["k"] == 4


def test_the_certificate_is_of_the_file_beside_it(tmp_path: Path) -> None:
    given = extract(tmp_path, amounts(), {"small": "number(A) <= 400"})
    given.mask(3)
    certificate = json.loads((tmp_path / "masked.xml.certificate.json").read_text("utf-8"))
    assert certificate["output"]["sha256"] == hashlib.sha256(given.output.read_bytes()).hexdigest()
    assert [rule["newly_broken"] for rule in certificate["rules"]] == [0]


def test_a_warning_is_kept_like_any_other_rule(tmp_path: Path) -> None:
    rules = schema({"across": BROKEN_BY_MASKING["all values differ"]}, attributes=' role="warning"')
    given = extract(tmp_path, unlike_neighbours(), rules)
    with pytest.raises(NotPublishedError, match="across: 24 newly broken of 24"):
        given.mask(3)
