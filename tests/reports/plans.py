"""A plan made by hand, with everything that a plan can say: the golden files and the JSON are written from it."""

from __future__ import annotations

from dataclasses import replace

from constraint_sdc.data.grid import Grid
from constraint_sdc.plan.plan import (
    BlockPlan,
    ExactStep,
    Formation,
    Kept,
    Plan,
    Price,
    RulePlan,
    StratumPlan,
    VariablePlan,
    Why,
)
from constraint_sdc.settings.recipe import Division
from constraint_sdc.settings.words import OperatorName, Role, Scale, Standardise

MEAN, MEDOID = OperatorName.ARITHMETIC_MEAN, OperatorName.MEDOID


def variable(name: str, decimals: int | None = 0, operator: OperatorName = MEAN) -> VariablePlan:
    return VariablePlan(name, Role.CONFIDENTIAL, Scale.NUMERIC, Grid(decimals, pads=decimals == 2), operator)


SUM = BlockPlan(
    number=1,
    variables=(variable("V9"), variable("V10"), variable("V14")),
    because="rule EC-LC ties them",
    strategy="means, totals derived",
    partition="auto: mdav+refine (1,080 records: MDAV is a quick start)",
    strata=(StratumPlan((), 1080, Formation.WHOLE, ("V14 := V9 + V10",)),),
    rules=(
        RulePlan(
            "EC-LC", "linear", "V9 + V10 = V14", ("V9", "V10", "V14"), Why.EXACT,
            "the solutions of a linear equation are convex, so the mean of solutions is one; V14 is derived from the "
            "rounded parts by the rule's own sum",
        ),
    ),
    price=Price(4.3125, 4.02, 108, 10, {ExactStep.DERIVED: 104, ExactStep.NUDGED: 4}),
)  # fmt: skip
GOVERNS = BlockPlan(
    number=2,
    variables=(variable("V8", 2), replace(variable("V12", None), weight=2.5), variable("V13", 2)),
    because="rule EC-GV ties them",
    strategy="means within strata",
    partition="auto: mdav+refine (up to 1,070 records: MDAV is a quick start)",
    strata=(
        StratumPlan(("V8 >= 1115",), 1070, Formation.WHOLE, ()),
        StratumPlan(("V8 < 1115", "V13 <= V12"), 10, Formation.TOPPED_UP, ()),
    ),
    rules=(
        RulePlan(
            "EC-GV", "governs", "if V8 < 1115 then V13 <= V12", ("V8", "V13", "V12"), Why.CHECKED,
            "each stratum satisfies one branch, a conjunction of linear atoms",
        ),
        RulePlan("odd", "opaque", "opaque", ("V8",), Why.MEDOID, "every record satisfies it"),
    ),
    price=Price(9.5, None, 107, 10, {ExactStep.ROUNDED: 100, ExactStep.REPAIRED: 5, ExactStep.MEDOID: 2}),
)  # fmt: skip
FULL = Plan(
    k=10,
    division=Division("auto", "high", Standardise.ROBUST, "Weight"),
    seed=0,
    on_broken="keep",
    records=1080,
    blocks=(SUM, GOVERNS),
    kept=(
        Kept("Id", Role.IDENTIFIER, "the recipe says so", is_removed=True),
        Kept("Town", Role.UNTOUCHED, "it holds text, and nobody said what it is"),
        Kept("Weight", Role.UNTOUCHED, "it says how much each record counts"),
    ),
    assumptions=("numeric variables without a role are confidential: V8, V9, V10, V12, V13, V14", "Town is untouched"),
    rules=(
        RulePlan("town", "possible values", "Town in ('A', 'B')", ("Town",), Why.UNTOUCHED, "Town is not masked"),
        RulePlan("unique", "cross-record", "cross-record", ("V9",), Why.JUDGED, "it looks at other records"),
    ),
    broken={"EC-LC": 3, "EC-GV": 0},
    inputs={"data": "a" * 64, "rules": "b" * 64, "rules: constraints.sch": "c" * 64},
)
PLAIN = Plan(
    k=3,
    division=Division("mdav"),
    seed=0,
    on_broken="refuse",
    records=12,
    blocks=(
        BlockPlan(
            1, (variable("A"), variable("B")), "the most correlated of the rest", "means", "mdav", (
                StratumPlan((), 12, Formation.WHOLE, ()),
            ), (),
        ),
    ),
    kept=(),
    assumptions=(),
    rules=(),
    inputs={"data": "d" * 64},
)  # fmt: skip
