"""A program of a user, for the type checker of `make types`; nobody runs it.

Its mistakes are marked. mypy is strict and reports a mark without a mistake, so a mistake that passes is an error too.
"""

from __future__ import annotations

from pathlib import Path

import constraint_sdc as cs


def correct() -> None:
    result: cs.MaskResult = cs.mask_file("data.xml", "rules.sch", "out.xml", k=5, masker="microhybrid", allow=["rules"])
    plan: cs.Plan = cs.plan_file(Path("data.xml"), None, cs.MaskOptions(k=5))
    check: cs.CheckResult = cs.check_file("data.xml", Path("rules.sch"), original="data.xml", max_examples=None)
    names: list[str] = [violation.rule for rule in check.failing for violation in rule.violations]
    found: cs.Assessment = cs.assess_files("data.xml", "out.xml", rules="rules.sch", known=("V1", "V2"))
    points: tuple[cs.SweepPoint, ...] = cs.sweep_file("data.xml", ks=range(2, 10), recipe="recipe.yml").points
    rows: int = len(result.to_frame("blocks"))
    page: str = cs.render(found, "html", sweep=points)
    try:
        cs.verify_certificate("out.xml", "rules.sch")
    except cs.NotPublishedError as error:
        code: int = error.exit_code
        print(plan, names, rows, page, code)


def mistaken() -> None:
    cs.mask_file("data.xml", "rules.sch", "out.xml", kk=5)  # type: ignore[call-arg]
    cs.mask_file("data.xml", "rules.sch", 3)  # type: ignore[arg-type]
    cs.check_file("data.xml", "rules.sch", fail_on="never")  # type: ignore[arg-type]
    cs.Judge()  # type: ignore[attr-defined]
    cs.explain_record("data.xml", "rules.sch", 1, k=5).to_frame()  # type: ignore[attr-defined]
