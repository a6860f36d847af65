"""Every measure and attack by name, in the order in which reports show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.data.pair import Pair
from constraint_sdc.errors import UsageError
from constraint_sdc.measures.assessment import Measure, Measured
from constraint_sdc.measures.attacks.rule_inference.attack import RuleInference
from constraint_sdc.measures.attacks.single_ranking import SingleRanking
from constraint_sdc.measures.attacks.transparency import Transparency
from constraint_sdc.measures.points import places_of
from constraint_sdc.measures.risk.achieved_k import AchievedKRisk
from constraint_sdc.measures.risk.distance_linkage import DistanceLinkage, distance_linkage
from constraint_sdc.measures.risk.interval_disclosure import IntervalDisclosureRisk, RankBase
from constraint_sdc.measures.risk.mahalanobis_linkage import MahalanobisLinkage
from constraint_sdc.measures.risk.probabilistic_linkage import ProbabilisticLinkage
from constraint_sdc.measures.risk.subset_linkage import SubsetLinkage
from constraint_sdc.measures.risk.uniqueness import UniquenessRisk
from constraint_sdc.measures.score import score, score_measured
from constraint_sdc.measures.utility.correlations import Correlations
from constraint_sdc.measures.utility.il1s import AbsoluteError
from constraint_sdc.measures.utility.moments import Moments
from constraint_sdc.measures.utility.pil import PilBase, ProbabilisticLoss
from constraint_sdc.measures.utility.regressions import Regression, Regressions
from constraint_sdc.measures.utility.sse import SquaredError, sse
from constraint_sdc.measures.utility.unchanged import Unchanged

ATTACKS = (Transparency.name, SingleRanking.name, RuleInference.name)


def utility_measures(regressions: tuple[Regression, ...] = ()) -> tuple[Measure, ...]:
    """Return the utility measures; regressions only if some are named."""
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
    """Return the risk measures; `seed` draws samples where not all combinations can be tried."""
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

    Rule inference needs rules that every original record satisfies; `domains` are the values of variables that
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
    """Return SCORE from results that were already measured."""
    found = {measured.measure: measured for measured in (*utility, *risk)}
    return score_measured(
        found[ProbabilisticLoss.name].value("pil"),
        found[DistanceLinkage.name].value("linked"),
        found[IntervalDisclosureRisk.name].value("rank"),
    )


# The figures of a sweep: PIL, DBRL, ID and the loss of many masked versions of one file.
# Results that depend on the original alone are computed once.


@dataclass(frozen=True, slots=True)
class Figures:
    """The loss and risk of one masked version in per cent; None where not defined."""

    pil: float | None
    dbrl: float | None
    id: float | None
    dr: float | None
    score: float | None
    loss: float | None


class SweepFigures:
    """Measures pairs that share their original; each set of masked variables has its own base."""

    def __init__(self) -> None:
        self._bases: dict[tuple[str, ...], tuple[PilBase, RankBase]] = {}

    def of(self, pair: Pair) -> Figures:
        """Return the same figures as the measures of these names would."""
        original, masked = pair.numbers(pair.numeric)
        pil_base, rank_base = self._base(pair.numeric, original)
        found = score(pil_base.pil(masked).total, _linked(pair), rank_base.disclosure(masked).rank)
        return Figures(found.pil, found.dbrl, found.id, found.dr, found.score, sse(original, masked).loss)

    def _base(self, names: tuple[str, ...], original: Points) -> tuple[PilBase, RankBase]:
        if names not in self._bases:
            self._bases[names] = PilBase.of(original), RankBase.of(original)
        return self._bases[names]


def _linked(pair: Pair) -> float | None:
    if not pair.known:
        return None
    places = places_of([pair[name] for name in pair.known], len(pair))
    return distance_linkage(places.original, places.masked).percent
