"""A small masking made by hand, with real files and real verdicts, and stand-ins for the engine that hand it out."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from constraint_sdc.commands.certificate.certificate import certificate_path, certificate_text
from constraint_sdc.commands.check import check_file
from constraint_sdc.commands.masking.settings import settle
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import Grid
from constraint_sdc.data.table import column_of
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.maskers.masked import (
    Judgement,
    Masked,
    MaskedBlock,
    MaskOptions,
    MaskResult,
    RecordExplanation,
    RuleOutcome,
)
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.plan.plan import (
    Block,
    BlockPlan,
    ExactStep,
    Fate,
    Formation,
    InventoryEntry,
    Kept,
    Plan,
    Price,
    RulePlan,
    StratumPlan,
    VariablePlan,
    Why,
)
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.recipe import Division, Recipe
from constraint_sdc.settings.words import Role, Scale

SECRET = "987651"
ORIGINAL = [("a", "1", "2", "3"), ("b", "2", "3", "5"), ("c", "4", "5", "9"), ("d", "10", SECRET, "987661")]
MASKED = [("a", "2", "3", "5"), ("b", "2", "3", "5"), ("c", "7", "493828", "493835"), ("d", "7", "493828", "493835")]
RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<pattern><rule context="Record">
<assert id="total" test="number(A) + number(B) = number(C)">not a total</assert>
<extends href="more.sch#more"/>
</rule></pattern></schema>
"""
MORE = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<pattern><rule id="more" abstract="true"><assert id="positive" test="number(A) &gt; 0">A is not positive</assert></rule>
</pattern></schema>
"""


def write_rows(path: Path, rows: list[tuple[str, ...]]) -> Path:
    records = "\n".join(
        "<Record>" + "".join(f"<{name}>{text}</{name}>" for name, text in zip(("Id", "A", "B", "C"), row, strict=True))
        + "</Record>"
        for row in rows
    )  # fmt: skip
    path.write_text(f"<Microdata>\n{records}\n</Microdata>\n", encoding="utf-8")
    return path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True)
class HandMade:
    """Everything about the masking; the files stand in the working directory under relative names."""

    plan: Plan
    result: MaskResult
    options: MaskOptions
    explanation: RecordExplanation

    @property
    def certificate(self) -> Path:
        return self.result.certificate


def _variable(name: str) -> VariablePlan:
    return VariablePlan(name, Role.CONFIDENTIAL, Scale.NUMERIC, Grid(0), ArithmeticMean.name)


def _plan(inputs: dict[str, str]) -> Plan:
    price = Price(12.5, 12.25, 2, 2, {ExactStep.DERIVED: 2})
    computed = because("computed-by", variable="C", rules=("total",))
    block = BlockPlan(
        Block(1, ("A", "B", "C"), because("tied-by-rules")), tuple(map(_variable, "ABC")),
        because("operator-of", operator="arithmetic mean", variables=("A", "B", "C")),
        because("partition-method", partition="mdav"),
        (StratumPlan((because("satisfies", formula="A > 0", rule="positive"),), 4, Formation.WHOLE, (computed,)),),
        (
            RulePlan("total", "linear", "A + B = C", ("A", "B", "C"), Why.EXACT, because("linear-is-convex")),
            RulePlan("positive", "possible values", "A > 0", ("A",), Why.PRESERVED, because("equal-members")),
        ),
        price,
    )  # fmt: skip
    kept = (Kept("Id", Role.IDENTIFIER, because("record-key")),)
    inventory = (
        *(InventoryEntry(name, "variable", Fate.MASKED, because("decided-by-recipe")) for name in "ABC"),
        InventoryEntry("Id", "variable", Fate.KEPT, because("record-key")),
    )
    return Plan(2, Division("mdav"), 0, "refuse", 4, (block,), kept, (), (), {}, inputs, inventory=inventory)


def _write_rules(folder: Path) -> Path:
    (folder / "more.sch").write_text(MORE, encoding="utf-8")
    (folder / "rules.sch").write_text(RULES, encoding="utf-8")
    return folder / "rules.sch"


@cache
def _judged(rows: tuple[tuple[str, ...], ...]) -> CheckResult:
    """Judge rows by the rules; once per run, since every judgement starts Saxon."""
    with TemporaryDirectory() as folder:
        return check_file(write_rows(Path(folder, "rows.xml"), list(rows)), _write_rules(Path(folder)))


def make_by_hand() -> HandMade:
    """Write data, rules, masked file and certificate into the working directory."""
    data, output = write_rows(Path("data.xml"), ORIGINAL), write_rows(Path("masked.xml"), MASKED)
    rules = _write_rules(Path())
    inputs = {"data": digest(data), "rules": digest(rules), "rules: more.sch": digest(Path("more.sch"))}
    plan = _plan(inputs)
    columns = {name: column_of(name, [MASKED[0][i], MASKED[2][i]]) for i, name in enumerate(("A", "B", "C"), 1)}
    price = plan.blocks[0].price
    assert price is not None
    block = MaskedBlock(
        plan.blocks[0], Groups(np.array([0, 0, 1, 1])), (0, 0), (ExactStep.DERIVED,) * 2, columns, price
    )
    result = MaskResult(
        plan=plan,
        masked=Masked((block,)),
        before=_judged(tuple(ORIGINAL)),
        after=_judged(tuple(MASKED)),
        outcomes=tuple(RuleOutcome(rule, "error", 4, 0, 0, 0, 0, missing=0) for rule in ("total", "positive")),
        smallest=(2,),
        digests=inputs | {"output": digest(output)},
        data=data,
        rules=rules,
        output=output,
        certificate=certificate_path(output),
        judgement=Judgement("every-record", 4, 0, ("total", "positive")),
    )
    options = MaskOptions(k=2, recipe=Recipe(variables={}))
    result.certificate.write_text(certificate_text(result, settle(options)), encoding="utf-8")
    original = dict(zip(("Id", "A", "B", "C"), ORIGINAL[3], strict=True))
    return HandMade(plan, result, options, RecordExplanation(4, plan, result.masked, original))


def without_rules(made: HandMade) -> MaskResult:
    """Return the same masking as if no rules had been given."""
    block = replace(made.plan.blocks[0], rules=())
    inputs = {"data": made.plan.inputs["data"]}
    plan = replace(made.plan, blocks=(block,), inputs=inputs)
    digests = {"data": inputs["data"], "output": made.result.digests["output"]}
    gone = replace(made.result, rules=None, before=None, after=None, outcomes=(), judgement=None)
    return replace(gone, plan=plan, digests=digests)


Calls = list[tuple[tuple[Any, ...], dict[str, Any]]]


def stand_in(monkeypatch: pytest.MonkeyPatch, function: str, module: str, answer: Callable[[], Any]) -> Calls:
    """Put a function in place of the engine's; it answers and notes what it was asked."""
    calls: Calls = []

    def call(*arguments: Any, **named: Any) -> Any:
        calls.append((arguments, named))
        return answer()

    fake = ModuleType(f"constraint_sdc.commands.{module}")
    setattr(fake, function, call)
    monkeypatch.setitem(sys.modules, fake.__name__, fake)
    return calls
