"""What operators claim is true, what they do not claim is named, and a false claim does not pass the exam."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from constraint_sdc.arrays import Points, Rows, Weights
from constraint_sdc.constraints.compare_forms import NUMBER_TEXT
from constraint_sdc.constraints.constraint import AllOf, AnyOf, Formula, LinearAtom, OpaqueAtom, SetAtom
from constraint_sdc.constraints.texts import DECIMAL_TEXT
from constraint_sdc.constraints.understand import understand
from constraint_sdc.data.groups import Groups
from constraint_sdc.exam.formulas import draw_formula
from constraint_sdc.exam.operators import examine
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.convex_median import ConvexMedian
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.operators.lower_median import LowerMedian
from constraint_sdc.operators.medoid import Medoid
from constraint_sdc.operators.mode import Mode
from constraint_sdc.operators.operator import NUMBER_TEXTS, NeedsExact, NotCovered, Operator, OperatorVerdict, Preserved
from constraint_sdc.operators.order_statistic import OrderStatistic
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.settings.reason import because
from tests.constraints.pairs import pattern, rule, schema
from tests.draws import draws

EXAMINED = {
    ArithmeticMean.name: ["NeedsExact LinearAtom", "NeedsExact AllOf", "NeedsExact IntegerAtom"],
    GeometricMean.name: ["NeedsExact LinearAtom", "NeedsExact ProductAtom", "NeedsExact PolynomialAtom"],
    LowerMedian.name: ["Preserved LinearAtom", "Preserved SetAtom", "Preserved AllOf", "Preserved AnyOf"],
    Mode.name: ["Preserved LinearAtom", "Preserved PatternAtom", "Preserved DomainAtom", "Preserved AllOf"],
    Medoid.name: ["Preserved OpaqueAtom", "Preserved AnyOf", "Preserved PolynomialAtom", "Preserved AllOf"],
    ConvexMedian.name: ["Preserved LinearAtom", "Preserved PatternAtom", "Preserved DomainAtom", "Preserved AllOf"],
    "minimum": ["Preserved LinearAtom", "Preserved SetAtom", "Preserved AllOf", "Preserved AnyOf"],
    "lower quartile": ["Preserved LinearAtom", "Preserved SetAtom", "Preserved AllOf", "Preserved AnyOf"],
    "upper quartile": ["Preserved LinearAtom", "Preserved SetAtom", "Preserved AllOf", "Preserved AnyOf"],
    "maximum": ["Preserved LinearAtom", "Preserved SetAtom", "Preserved AllOf", "Preserved AnyOf"],
}
RANKS = ("minimum", "lower quartile", "upper quartile", "maximum")


def formula_of(test: str) -> Formula:
    read = understand(schema(pattern(rule("Record", test))), record="Record", overridden=frozenset({"original"}))
    return read[0].constraint.formula


def test_every_operator_is_found_and_examined() -> None:
    assert OPERATORS.names == tuple(EXAMINED)


@pytest.mark.parametrize("name", OPERATORS.names)
def test_every_claim_survives_the_exam(name: str) -> None:
    survived = examine(OPERATORS[name], claims=draws(200))
    assert [claim for claim in EXAMINED[name] if survived[claim] < 15] == []


@pytest.mark.parametrize("name", OPERATORS.names)
def test_every_claim_survives_weights_of_records(name: str) -> None:
    survived = examine(OPERATORS[name], claims=draws(200), groups=4, seed=2, is_weighted=True)
    assert [claim for claim in EXAMINED[name] if survived[claim] < 7] == []


class Lying:
    """An operator with a claim too many."""

    def __init__(self, honest: Operator, claim: OperatorVerdict, about: Callable[[Formula], bool]) -> None:
        self.honest, self.claim, self.about, self.name = honest, claim, about, honest.name
        self.traits = honest.traits
        self.representatives = honest.representatives

    def verdict(self, formula: Formula) -> OperatorVerdict:
        return self.claim if self.about(formula) else self.honest.verdict(formula)


class LyingMedian(LowerMedian):
    """Claims that medians keep every linear condition between two variables."""

    def verdict(self, formula: Formula) -> OperatorVerdict:
        is_pair = isinstance(formula, LinearAtom) and len(formula.terms) == 2 and formula.op != "!="
        return Preserved("") if is_pair else super().verdict(formula)


class MedianOfUnequals(LowerMedian):
    """Claims that medians of differing variables differ."""

    def verdict(self, formula: Formula) -> OperatorVerdict:
        differs = isinstance(formula, LinearAtom) and formula.op == "!="
        return Preserved("") if differs else super().verdict(formula)


class UpperAndLower(LowerMedian):
    """Claims what order statistics of the same rank keep, and takes the upper median of some variables."""

    def choose(self, values: Points, groups: Groups, weights: Weights | None = None) -> Rows:
        return super().choose(values if values[0] > 2 else -values, groups, weights)


class WeighsSome(LowerMedian):
    """Claims what order statistics of the same rank keep, and lets weights count for some variables only."""

    def choose(self, values: Points, groups: Groups, weights: Weights | None = None) -> Rows:
        return super().choose(values, groups, weights if values[0] > 2 else None)


class LyingMode(Mode):
    """Claims that modes keep an order."""

    def verdict(self, formula: Formula) -> OperatorVerdict:
        return LowerMedian().verdict(formula)


class LyingConvexMedian(ConvexMedian):
    """Claims that convex medians keep an order."""

    def verdict(self, formula: Formula) -> OperatorVerdict:
        return LowerMedian().verdict(formula)


class LyingQuartile(OrderStatistic):
    """Claims that quartiles keep every linear condition between two variables."""

    def verdict(self, formula: Formula) -> OperatorVerdict:
        is_pair = isinstance(formula, LinearAtom) and len(formula.terms) == 2 and formula.op != "!="
        return Preserved("") if is_pair else super().verdict(formula)


class Patchwork(Mode):
    """Claims what an actual record keeps, with values from several."""

    def verdict(self, formula: Formula) -> OperatorVerdict:
        return Medoid().verdict(formula)


LIES: dict[str, Operator] = {
    "a mean avoids what its members avoid": Lying(
        ArithmeticMean(), NeedsExact(""), lambda f: isinstance(f, LinearAtom) and f.op == "!="
    ),
    "a mean is one of the listed values": Lying(ArithmeticMean(), NeedsExact(""), lambda f: isinstance(f, SetAtom)),
    "a mean of products": Lying(
        ArithmeticMean(), NeedsExact(""), lambda f: not isinstance(GeometricMean().verdict(f), NotCovered)
    ),
    "a mean needs no exact step": Lying(
        ArithmeticMean(), Preserved(""), lambda f: isinstance(f, LinearAtom) and f.op == "="
    ),
    "a mean of a disjunction": Lying(ArithmeticMean(), NeedsExact(""), lambda f: isinstance(f, AnyOf)),
    "a geometric mean of a sum": Lying(
        GeometricMean(), NeedsExact(""), lambda f: isinstance(f, LinearAtom) and f.op == "="
    ),
    "a geometric mean of a sum above": Lying(
        GeometricMean(), NeedsExact(""), lambda f: isinstance(f, LinearAtom) and f.op == ">="
    ),
    "medians of a sum": LyingMedian(),
    "medians differ": MedianOfUnequals(),
    "order statistics of different ranks": UpperAndLower(),
    "modes in order": LyingMode(),
    "quartiles of a sum": LyingQuartile("lower quartile", 1, 4),
    "a record of patches": Patchwork(),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_false_claim_does_not_pass(lie: str) -> None:
    with pytest.raises(AssertionError, match="claims"):
        examine(LIES[lie])


def test_convex_medians_that_claim_an_order_do_not_pass() -> None:
    """They differ from medians in few groups, so that not every draw has one: this one has."""
    with pytest.raises(AssertionError, match="claims"):
        examine(LyingConvexMedian(), seed=2)


def test_weights_that_count_for_some_variables_only_do_not_pass() -> None:
    with pytest.raises(AssertionError, match="claims"):
        examine(WeighsSome(), is_weighted=True)


P, E, N = Preserved, NeedsExact, NotCovered
TABLE: list[tuple[str, type, type, type, type]] = [
    # rule, arithmetic mean, geometric mean, lower median (and other ranks), mode (and convex median)
    ("number(V1) + number(V2) = number(V3)", E, N, N, N),
    ("number(V1) + number(V2) <= number(V3)", E, E, N, N),
    ("number(V1) + number(V2) >= number(V3)", E, N, N, N),
    ("number(V1) + number(V2) <= 100", E, E, N, N),
    ("abs(number(V1) + number(V2) - number(V3)) <= 0.5", E, N, N, N),
    ("abs(number(V1) - number(V2)) <= 0.5", E, N, P, N),
    ("number(V1) < number(V2)", E, E, P, N),
    ("number(V1) <= 2 * number(V2)", E, E, P, N),
    ("number(V1) = 2 * number(V2) + 1", E, N, P, N),
    ("number(V1) != number(V2)", N, N, N, N),
    ("number(V1) * number(V2) = number(V3)", N, E, N, N),
    ("number(V1) * number(V2) != number(V3)", N, N, N, N),
    ("number(V1) div number(V2) = number(V3)", N, E, N, N),
    ("number(V1) * number(V2) + number(V3) = 8", N, N, N, N),
    ("0 <= number(V1) and number(V1) <= 7500", E, E, P, P),
    ("number(V1) < 5 or number(V1) > 10", N, N, P, P),
    ("number(V1) != 5", N, N, P, P),
    ("number(V1) != 0", N, E, P, P),
    ("number(V1) = 5", E, E, P, P),
    ("V1 = (1, 2, 3)", N, N, P, P),
    ("V1 = ('A', 'B')", N, N, P, P),
    ("number(V1) mod 1 = 0", E, E, P, P),
    ("number(V1) mod 5 = 0", N, N, P, P),
    ("round(number(V1) * 100) = number(V1) * 100", E, E, P, P),
    ("number(V1) * number(V1) <= 100", N, E, P, P),
    ("matches(V1, '^[0-9]{4}$')", N, N, P, P),
    ("number(V1) = number(V1)", P, P, P, P),
    ("V1 castable as xs:decimal", P, P, P, P),
    ("exists(V1)", P, P, P, P),
    ("exists(index-of($original//Record/V1, V1))", N, N, P, P),
    ("not(number(V1) < 5) or number(V2) <= number(V3)", N, N, N, N),
    ("upper-case(V1) = 'A'", N, N, P, P),
    ("upper-case(V1) = V2", N, N, N, N),
]


@pytest.mark.parametrize(("test", "arithmetic", "geometric", "median", "mode"), TABLE)
def test_the_verdicts_on_rules(test: str, arithmetic: type, geometric: type, median: type, mode: type) -> None:
    formula = formula_of(test)
    verdicts = {operator.name: type(operator.verdict(formula)) for operator in OPERATORS.all()}
    assert verdicts == {
        ArithmeticMean.name: arithmetic,
        GeometricMean.name: geometric,
        LowerMedian.name: median,
        Mode.name: mode,
        Medoid.name: Preserved,
        ConvexMedian.name: mode,
        **dict.fromkeys(RANKS, median),
    }


def test_a_conjunction_is_as_good_as_its_weakest_part_and_names_it() -> None:
    sum_and_product = formula_of("number(V1) + number(V2) = number(V3) and number(V4) * number(V5) = number(V6)")
    answer = ArithmeticMean().verdict(sum_and_product)
    assert answer == NotCovered(
        because("of-variables", variables=("V4", "V5", "V6"), reason=because("product-of-means"))
    )
    assert isinstance(ArithmeticMean().verdict(formula_of("exists(V1) and number(V1) <= 5")), NeedsExact)


@pytest.mark.parametrize("name", OPERATORS.names)
def test_a_rule_that_demands_nothing_is_preserved(name: str) -> None:
    assert isinstance(OPERATORS[name].verdict(AllOf(())), Preserved)


def test_a_disjunction_across_variables_needs_strata_except_for_a_record() -> None:
    if_then = formula_of("not(number(V1) < 5) or number(V2) <= number(V3)")
    others = [operator for operator in OPERATORS.all() if operator.name != Medoid.name]
    assert {operator.verdict(if_then) for operator in others} == {NotCovered(because("disjunction"))}


def test_the_number_patterns_are_those_of_the_rules() -> None:
    assert NUMBER_TEXTS == (NUMBER_TEXT, DECIMAL_TEXT)


def test_an_opaque_part_may_read_more_than_it_names() -> None:
    part = OpaqueAtom("count(*[. = 'x']) < 3 and V1 != 'x'", ("V1",), "counts")
    assert isinstance(LowerMedian().verdict(part), NotCovered)
    assert isinstance(Mode().verdict(part), NotCovered)
    assert isinstance(Medoid().verdict(part), Preserved)


def test_every_verdict_gives_its_reason() -> None:
    random = Random(3)
    formulas = [draw_formula(random) for _ in range(500)]
    assert all(sentence(operator.verdict(formula).because) for formula in formulas for operator in OPERATORS.all())


@pytest.mark.parametrize("op", ["<=", "<", "=", ">=", ">"])
def test_medians_keep_an_order_in_double_arithmetic_to_the_last_bit(op: str) -> None:
    """Members sit on the rule's edge or one bit beside it, so that nothing but monotony of rounding can save it."""
    random = Random(op)
    checks = {"<=": np.less_equal, "<": np.less, "=": np.equal, ">=": np.greater_equal, ">": np.greater}
    for _ in range(300):
        factor, offset, size = (
            random.choice((1.0, 0.1, 3.3, 1 / 3)),
            random.choice((0.0, 0.7, -2.1)),
            random.randint(1, 9),
        )
        y = np.array([random.choice((random.uniform(-5, 5), 0.1, 0.2, 0.3)) for _ in range(size)])
        x = factor * y + offset
        if op != "=":
            x = np.array([math.nextafter(v, random.choice((-9.0, v, 9.0))) for v in x])
        kept = checks[op](x, factor * y + offset)
        members = np.column_stack((x, y))[kept]
        if len(members):
            median = LowerMedian().representatives(members, Groups(np.zeros(len(members), np.int64)))[0]
            assert checks[op](median[0], factor * median[1] + offset)


def test_the_example_in_the_convex_median_docstring_is_true() -> None:
    members = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [2.0, 3.0], [3.0, 3.0], [3.0, 3.0]])
    assert ConvexMedian().representatives(members, Groups(np.zeros(6, np.int64))).tolist() == [[2.0, 0.0]]
    in_order = LinearAtom((("V1", Fraction(1)), ("V2", Fraction(-1))), "<=", Fraction(0))
    assert isinstance(ConvexMedian().verdict(in_order), NotCovered)


def test_the_example_in_the_mode_docstring_is_true() -> None:
    members = np.array([[1.0, 2.0], [1.0, 3.0], [0.0, 1.0], [5.0, 1.0]])
    assert Mode().representatives(members, Groups(np.zeros(4, np.int64))).tolist() == [[1.0, 1.0]]
    differs = LinearAtom((("V1", Fraction(1)), ("V2", Fraction(-1))), "!=", Fraction(0))
    assert isinstance(Mode().verdict(differs), NotCovered)
