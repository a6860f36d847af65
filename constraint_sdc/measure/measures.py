"""Every measure and attack by name, in the order in which reports show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constraint_sdc.errors import UsageError
from constraint_sdc.measure.attack.rule_inference import RuleInference
from constraint_sdc.measure.attack.single_ranking import SingleRanking
from constraint_sdc.measure.attack.transparency import Transparency
from constraint_sdc.measure.measure import Measure
from constraint_sdc.measure.risk.achieved_k import AchievedKRisk
from constraint_sdc.measure.risk.distance_linkage import DistanceLinkage
from constraint_sdc.measure.risk.interval_disclosure import IntervalDisclosureRisk
from constraint_sdc.measure.risk.mahalanobis_linkage import MahalanobisLinkage
from constraint_sdc.measure.risk.probabilistic_linkage import ProbabilisticLinkage
from constraint_sdc.measure.risk.subset_linkage import SubsetLinkage
from constraint_sdc.measure.risk.uniqueness import UniquenessRisk
from constraint_sdc.measure.score import score_measured
from constraint_sdc.measure.utility.correlations import Correlations
from constraint_sdc.measure.utility.il1s import AbsoluteError
from constraint_sdc.measure.utility.moments import Moments
from constraint_sdc.measure.utility.pil import ProbabilisticLoss
from constraint_sdc.measure.utility.regressions import Regression, Regressions
from constraint_sdc.measure.utility.sse import SquaredError
from constraint_sdc.measure.utility.unchanged import Unchanged
from constraint_sdc.model.assessment import Measured
from constraint_sdc.model.constraint import EditRule
from constraint_sdc.model.pair import Floats

ATTACKS = (Transparency.name, SingleRanking.name, RuleInference.name)


def utility_measures(regressions: tuple[Regression, ...] = ()) -> tuple[Measure, ...]:
    """Return the measures of what masking cost; regressions only where some are named."""
    measures: tuple[Measure, ...] = (
        ProbabilisticLoss(),
        SquaredError(),
        AbsoluteError(),
        Moments(),
        Correlations(),
        Unchanged(),
    )
    return (*measures, Regressions(regressions)) if regressions else measures


def risk_measures(seed: int = 0) -> tuple[Measure, ...]:
    """Return the measures of what could be linked or narrowed down; `seed` draws where not all can be tried."""
    return (
        AchievedKRisk(),
        UniquenessRisk(),
        DistanceLinkage(),
        MahalanobisLinkage(),
        SubsetLinkage(seed=seed),
        ProbabilisticLinkage(seed=seed),
        IntervalDisclosureRisk(),
    )


def attacks_on(
    rules: Sequence[EditRule],
    domains: Mapping[str, Floats],
    seed: int = 0,
    names: tuple[str, ...] | None = None,
) -> tuple[Measure, ...]:
    """Return the attacks of these names, all that apply if None.

    What rules give away needs rules that every original record satisfies; `domains` are the values of variables that
    value-domain rules restrict.
    """
    attacks: tuple[Measure, ...] = (Transparency(), SingleRanking(setting="full", seed=seed))
    attacks += (RuleInference(rules, domains),) if rules else ()
    if names is None:
        return attacks
    for name in names:
        if name not in ATTACKS:
            raise UsageError(f"unknown attack {name!r}", hint=f"use one of: {', '.join(ATTACKS)}, or none")
        if name not in [attack.name for attack in attacks]:
            raise UsageError(f"{name} needs rules that every original record satisfies", hint="give --rules")
    return tuple(attack for attack in attacks if attack.name in names)


def score_of(utility: Sequence[Measured], risk: Sequence[Measured]) -> Measured:
    """Return SCORE from what was measured already."""
    found = {measured.measure: measured for measured in (*utility, *risk)}
    return score_measured(
        found[ProbabilisticLoss.name].value("pil"),
        found[DistanceLinkage.name].value("linked"),
        found[IntervalDisclosureRisk.name].value("rank"),
    )
