"""The judging itself: it finds nothing wrong with a good masking, and every fault that is planted in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from constraint_sdc.errors import JudgeError, NotPublishedError
from constraint_sdc.exam.guarantee import judging
from constraint_sdc.exam.guarantee.exam import _wrongly_withheld
from constraint_sdc.exam.guarantee.generator import ExamCase, write_case
from constraint_sdc.exam.guarantee.judging import BorrowedWorker, Maskable, faults

RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <pattern><rule context="Record">
    <assert id="sum" test="number(A) + number(B) = number(C)">does not add up</assert>
    <assert id="domain" test="document('data.xml')//Record/Sex = Sex">unknown</assert>
  </rule></pattern>
</schema>"""
ORIGINAL = [(1, "2.50", "3.50", "F"), (3, "2.50", "5.50", "M"), (2, "4.20", "6.20", "M"), (4, "4.20", "8.20", "F")]
MASKED = [(2, "2.50", "4.50", "F"), (2, "2.50", "4.50", "M"), (3, "4.20", "7.20", "M"), (3, "4.20", "7.20", "F")]


def document(rows: list[tuple[int, str, str, str]]) -> str:
    lines = "\n".join(
        f"  <Record id='{i}'><A>{a}</A><!-- ok --><B>{b}</B><C>{c}</C><Sex>{s}</Sex></Record>"
        for i, (a, b, c, s) in enumerate(rows)
    )
    return f"<!-- head --><Data>\n{lines}\n</Data>\n"


@pytest.fixture
def judged(tmp_path: Path) -> Callable[..., list[str]]:
    def judge(masked: str, blocks: list[list[str]] | None = None, recipe: str | None = None) -> list[str]:
        (tmp_path / "data.xml").write_text(document(ORIGINAL), encoding="utf-8")
        (tmp_path / "rules.sch").write_text(RULES, encoding="utf-8")
        (tmp_path / "masked.xml").write_text(masked, encoding="utf-8")
        (tmp_path / "recipe.yml").write_text(recipe or "", encoding="utf-8")
        return faults(
            Maskable(
                original=tmp_path / "data.xml",
                masked=tmp_path / "masked.xml",
                rules=tmp_path / "rules.sch",
                recipe=tmp_path / "recipe.yml",
                k=2,
                record="Record",
                blocks=blocks or [["A", "B", "C"]],
            )
        )

    return judge


GOOD = document(MASKED)


def swapped(old: str, new: str, times: int = -1) -> str:
    changed = GOOD.replace(old, new, times)
    assert changed != GOOD
    return changed


def test_a_good_masking_has_no_fault(judged: Callable[..., list[str]]) -> None:
    recipe = "variables: {'@id': {role: untouched}}"
    assert judged(GOOD, recipe=recipe) == []


@pytest.mark.parametrize(
    ("masked", "says"),
    [
        (swapped("<C>4.50", "<C>4.60"), "rule sum: 2 records broken"),
        (
            swapped("<A>2</A><!-- ok --><B>2.50</B><C>4.50", "<A>1</A><!-- ok --><B>2.50</B><C>3.50", 1),
            "only 1 records",
        ),
        (swapped(GOOD.splitlines()[1] + "\n", ""), "4 records became 3"),
        (swapped("<C>4.50", "<C>4.500"), "at most 2 decimals became 4.500"),
        (swapped("<A>2<", "<A>2.0<"), "A: at most 0 decimals became 2.0"),
        (swapped("<Sex>", "<Sex note='new'>", 1), "the document around the values changed at node"),
        (swapped("4.50", "4.5"), "all values had 2 decimals"),
        (swapped("<A>2<", "<A>2e0<"), "'2e0' is not a number"),
        (swapped("<Sex>M", "<Sex>F", 1), "unmasked values changed"),
        (swapped("<Sex>M", "<Sex>X", 1), "rule domain: 1 records broken"),
        (swapped("id='0'", "id='9'"), "unmasked values changed"),
        (swapped("<!-- ok -->", "", 1), "the document around the values changed"),
        (swapped("<!-- head -->", ""), "the document around the values changed"),
        (swapped("\n  <Record", " <Record"), "white space between elements changed"),
        (swapped("<B>2.50</B>", "", 1), "only 1 records"),
    ],
)
def test_a_planted_fault_is_found(judged: Callable[..., list[str]], masked: str, says: str) -> None:
    assert any(says in fault for fault in judged(masked))


@pytest.mark.parametrize(
    ("blocks", "recipe", "says"),
    [
        ([["A", "B"]], "", "C is numeric, yet it was not masked"),
        ([["A", "B", "C"], ["C"]], "", "C stands in 2 blocks"),
        ([["A", "B", "C"]], "variables: {A: {role: untouched}}", "A is untouched in the recipe, yet it was masked"),
        ([["A", "B", "C"]], "weights: A", "A is untouched in the recipe, yet it was masked"),
        ([["A", "B", "C"]], "variables: {'@id': {role: identifier, remove: true}}", "@id should be gone"),
    ],
)
def test_a_variable_treated_against_the_recipe_is_found(
    judged: Callable[..., list[str]], blocks: list[list[str]], recipe: str, says: str
) -> None:
    assert says in judged(GOOD, blocks, recipe)


DAMAGED = document([(1, "2.50", "9.50", "F"), *ORIGINAL[1:]])


@pytest.mark.parametrize(
    ("masked", "says"),
    [
        (GOOD, []),
        (swapped("<C>4.50", "<C>4.60"), ["rule sum: 1 records broken, 0 stopped, of 4"]),
        (swapped("<C>7.20", "<C>7.30"), ["rule sum: 2 records broken, 0 stopped, of 4"]),
    ],
    ids=["repaired", "one of two was clean", "two were clean"],
)
def test_a_damaged_record_may_stay_broken_and_no_other_may_become_so(
    judged: Callable[..., list[str]], tmp_path: Path, masked: str, says: list[str]
) -> None:
    judged(GOOD)
    (tmp_path / "data.xml").write_text(DAMAGED, encoding="utf-8")
    (tmp_path / "masked.xml").write_text(masked, encoding="utf-8")
    files = (tmp_path / "data.xml", tmp_path / "masked.xml", tmp_path / "rules.sch")
    found = faults(Maskable(*files, None, 2, "Record", [["A", "B", "C"]], is_damaged=True))
    assert [fault for fault in found if fault.startswith("rule")] == says


def test_withholding_is_fair_for_rules_across_records_alone(tmp_path: Path) -> None:
    case = ExamCase(0, "", "", "", 2, 4, "Record", (), across=frozenset({"X1"}))
    files = write_case(case, tmp_path)
    fair = NotPublishedError("broken", details=("X1: 3 newly broken of 4",))
    assert _wrongly_withheld(case, files, fair) == ()
    unfair = NotPublishedError("broken", details=("X1: 3 newly broken of 4", "R1: 1 newly broken of 4"))
    (fault,) = _wrongly_withheld(case, files, unfair)
    assert "R1: 1 newly broken" in fault
    (tmp_path / ".5f.masked.xml").touch()
    assert _wrongly_withheld(case, files, fair) == ("left behind: .5f.masked.xml",)


def test_a_process_that_served_another_judge_knows_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a pool of its own: a process of the shared one may have served so often that its next service is refused."""
    pool = judging._Pool()
    monkeypatch.setattr(judging, "_POOL", pool)
    sheet = b'<xsl:stylesheet version="3.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>'
    first = BorrowedWorker()
    process = first._worker
    assert first.ask({"do": "compile", "sheet": "1 counts"}, sheet) == {}
    first.kill()
    second = BorrowedWorker()
    assert second._worker is process
    with pytest.raises(JudgeError, match="ended before it was finished"):
        second.ask({"do": "run", "sheet": "1 counts", "namespace": "urn:x", "parameters": {}})
    pool.close()
