"""A plan made by hand, with everything that a plan can say: the golden files and the JSON are written from it."""

from __future__ import annotations

from dataclasses import replace

from constraint_sdc.data.series import Grid
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.medoid import Medoid
from constraint_sdc.plan.plan import (
    Block,
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
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Division
from constraint_sdc.settings.words import Role, Scale, Standardise

MEAN, MEDOID = ArithmeticMean.name, Medoid.name


def variable(name: str, decimals: int | None = 0, operator: str = MEAN) -> VariablePlan:
    return VariablePlan(name, Role.CONFIDENTIAL, Scale.NUMERIC, Grid(decimals, pads=decimals == 2), operator)


def quick(records: int, *, is_largest: bool = False) -> Reason:
    why = because("mdav-is-quick", records=records)
    return because(
        "auto-partition", choices=(because("auto-choice", partition="mdav+refine", why=why, is_largest=is_largest),)
    )


def means(names: tuple[str, ...], derived: tuple[str, ...] = ()) -> Reason:
    parts = (because("operator-of", operator=MEAN, variables=names),)
    return because("strategy", parts=parts, derived=derived, has_rules=True)


def satisfies(formula: str, rule: str) -> Reason:
    return because("satisfies", formula=formula, rule=rule)


TOTAL = because("computed-by", variable="V14", rules=("EC-LC",))
SUM = BlockPlan(
    block=Block(1, ("V9", "V10", "V14"), because("tied-by-rules")),
    variables=(variable("V9"), variable("V10"), variable("V14")),
    strategy=means(("V9", "V10", "V14"), ("V14",)),
    partition=quick(1080),
    strata=(StratumPlan((), 1080, Formation.WHOLE, (TOTAL,)),),
    rules=(
        RulePlan(
            "EC-LC", "linear", "V9 + V10 = V14", ("V9", "V10", "V14"), Why.EXACT,
            because(
                "made-exact", is_stratified=False, operator=MEAN, reason=because("linear-is-convex"),
                derived=(TOTAL,), beside=(),
            ),
        ),
    ),
    price=Price(4.3125, 4.02, 108, 10, {ExactStep.DERIVED: 104, ExactStep.NUDGED: 4}),
)  # fmt: skip
GOVERNS = BlockPlan(
    block=Block(2, ("V8", "V12", "V13"), because("tied-by-rules-and-recipe")),
    variables=(variable("V8", 2), replace(variable("V12", None), weight=2.5), variable("V13", 2)),
    strategy=means(("V8", "V12", "V13")),
    partition=quick(1070, is_largest=True),
    strata=(
        StratumPlan((satisfies("V8 >= 1115", "EC-GV"),), 1070, Formation.WHOLE, ()),
        StratumPlan(
            (because("missing", variable="V8"), satisfies("V13 <= V12", "EC-GV")), 10, Formation.TOPPED_UP, ()
        ),
    ),
    rules=(
        RulePlan(
            "EC-GV", "governs", "if V8 < 1115 then V13 <= V12", ("V8", "V13", "V12"), Why.CHECKED,
            because("no-common-side", derived=()),
        ),
        RulePlan(
            "odd", "opaque", "opaque", ("V8",), Why.MEDOID,
            because(
                "not-evaluated", reason=because("copied-together", reads_any=False), quotes={"account": "last(): odd"}
            ),
        ),
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
        Kept("Id", Role.IDENTIFIER, because("recipe-role", role="identifier", is_removed=True), is_removed=True),
        Kept("Town", Role.UNTOUCHED, because("not-numbers")),
        Kept("Weight", Role.UNTOUCHED, because("weighs-records")),
    ),
    assumptions=(
        because("assumed-numbers", variables=("V8", "V9", "V10", "V12", "V13", "V14")),
        because("assumed-texts", variables=("Town",)),
    ),
    rules=(
        RulePlan("town", "possible values", "Town in ('A', 'B')", ("Town",), Why.UNTOUCHED, because("untouched")),
        RulePlan("unique", "cross-record", "cross-record", ("V9",), Why.JUDGED, because("beyond-record")),
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
            Block(1, ("A", "B"), because("groups-of-correlated", size=3)), (variable("A"), variable("B")),
            means(("A", "B")), because("partition-method", partition="mdav"),
            (StratumPlan((), 12, Formation.WHOLE, ()),), (),
        ),
    ),
    kept=(),
    assumptions=(),
    rules=(),
    inputs={"data": "d" * 64},
)  # fmt: skip
