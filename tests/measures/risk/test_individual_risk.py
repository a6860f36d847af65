"""Individual risk against the series of its definition, numerical integration, and a simulation of samples."""

from __future__ import annotations

from dataclasses import replace
from math import exp, lgamma, log

import numpy as np
import pytest
from scipy.integrate import quad

from constraint_sdc.measures.risk.individual_risk import IndividualRisk, expected_inverse, weighted_risk
from tests.measures.pairs import group_means, pair_of


def by_definition(f: int, p: float) -> float:
    """Return the sum over F of 1 / F times the negative binomial probability of F."""
    if p == 1.0:
        return 1 / f
    total, population = 0.0, f
    while population < f / p + 60 / p * (1 + f) ** 0.5 + 100:
        ways = lgamma(population) - lgamma(f) - lgamma(population - f + 1)
        total += exp(ways + f * log(p) + (population - f) * log(1 - p)) / population
        population += 1
    return total


@pytest.mark.parametrize("f", [1, 2, 3, 7, 40, 60])
@pytest.mark.parametrize("p", [1.0, 0.999, 0.5, 0.11, 0.09, 0.02])
def test_the_risk_is_the_expectation_that_defines_it(f: int, p: float) -> None:
    found = expected_inverse(np.array([f]), np.array([f / p]))[0]
    assert found == pytest.approx(by_definition(f, p), rel=1e-9)


@pytest.mark.parametrize("f", [1, 3, 49, 50, 500])
@pytest.mark.parametrize("p", [0.5, 1e-3, 1e-6])
def test_the_risk_is_the_integral(f: int, p: float) -> None:
    a = (1 - p) / p
    told, _ = quad(lambda u: u ** (f - 1) / (1 + a * u), 0, 1, points=[1 / a] if a > 1 else None, epsabs=0, limit=500)
    assert expected_inverse(np.array([f]), np.array([f / p]))[0] == pytest.approx(told, rel=1e-7)


def test_the_closed_forms_of_mu_argus() -> None:
    p = 0.3
    one, two = (expected_inverse(np.array([f]), np.array([f / p]))[0] for f in (1, 2))
    assert one == pytest.approx(p / (1 - p) * log(1 / p))
    assert two == pytest.approx(p / (1 - p) ** 2 * (p * log(p) + 1 - p))


def test_without_a_population_beyond_the_sample_the_risk_is_one_in_the_class() -> None:
    found = weighted_risk([np.array([0, 0, 0, 1])], np.array([1.0, 0.5, 1.0, 1.0]))
    assert found.risk == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1.0])
    assert found.expected == pytest.approx(2.0)


def test_masking_lowers_the_risk_and_the_measure_says_by_how_much() -> None:
    random = np.random.default_rng(5)
    values = np.round(random.lognormal(2, 1, (60, 2)))
    order = np.argsort(np.argsort(values[:, 0], kind="stable"))
    pair = replace(pair_of(values, group_means(values, order // 5), k=5), weights=np.full(60, 10.0))
    found = IndividualRisk().measure(pair)
    before, after = found.value("global-before"), found.value("global")
    assert before is not None
    assert after is not None
    assert after == pytest.approx(100 * expected_inverse(np.array([5]), np.array([50.0]))[0])
    assert before > 2 * after
    assert sum(row[2] for row in found.tables[0].rows) == 60


def test_without_weights_nothing_is_claimed() -> None:
    pair = pair_of(np.ones((3, 1)), np.ones((3, 1)))
    assert str(IndividualRisk().measure(pair).says) == "not-measured(why=no-sampling-weights)"
    wrong = replace(pair, weights=np.array([1.0, np.nan, 2.0]))
    assert str(IndividualRisk().measure(wrong).says) == "not-measured(why=weights-not-positive)"
