"""Every measure and attack by name, in the order in which reports show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.data.intruder import IntruderFile
from constraint_sdc.data.pair import Pair
from constraint_sdc.errors import UsageError
from constraint_sdc.measures.assessment import Measure, Measured, MeasureInputs, MeasureWithInputs
from constraint_sdc.measures.points import places_of
from constraint_sdc.measures.risk.distance_linkage import DistanceLinkage, distance_linkage
from constraint_sdc.measures.risk.interval_disclosure import IntervalDisclosureRisk, RankBase
from constraint_sdc.measures.risk.subset_linkage import SubsetLinkage
from constraint_sdc.measures.score import AveragedLinkage, score, score_measured
from constraint_sdc.measures.utility.pil import PilBase, ProbabilisticLoss
from constraint_sdc.measures.utility.regressions import Regression
from constraint_sdc.measures.utility.sse import sse
from constraint_sdc.plugins import Registry
from constraint_sdc.settings.parameters import with_parameters

MEASURES = Registry[Measure](
    kind="measure",
    folders=("constraint_sdc.measures.utility", "constraint_sdc.measures.risk", "constraint_sdc.measures.attacks"),
    group="constraint_sdc.measures",
    protocol=Measure,
    first=(
        "pil",
        "sse",
        "il1s",
        "moments",
        "correlations",
        "unchanged",
        "tables",
        "entropy",
        "regressions",
        "achieved-k",
        "uniqueness",
        "special-uniques",
        "individual-risk",
        "distance-linkage",
        "mahalanobis-linkage",
        "subset-linkage",
        "probabilistic-linkage",
        "interval-disclosure",
        "transparency",
        "transparency-linkage",
        "single-ranking",
        "rule-inference",
        "inconsistency",
        "dominance",
        "intruder-linkage",
        "differencing",
    ),
)
"""Every measure and attack under its name, in the order in which reports show them."""


def attacks() -> tuple[str, ...]:
    """Return the names of all attacks."""
    return tuple(measure.name for measure in MEASURES.all() if measure.traits.family == "attack")


def prepared(measure: Measure, inputs: MeasureInputs) -> Measure | None:
    """Return a registered measure for a run, None where there is nothing to measure."""
    return measure.prepared(inputs) if isinstance(measure, MeasureWithInputs) else measure


ToldParameters: TypeAlias = Mapping[str, Mapping[str, object]]
"""Values of declared parameters, by the name of the measure."""
NOTHING: ToldParameters = MappingProxyType({})


def utility_measures(regressions: tuple[Regression, ...] = (), given: ToldParameters = NOTHING) -> tuple[Measure, ...]:
    """Return the utility measures; regressions only if some are named."""
    return _family("utility", MeasureInputs(regressions=regressions), given)


def risk_measures(seed: int = 0, given: ToldParameters = NOTHING) -> tuple[Measure, ...]:
    """Return the risk measures; `seed` draws samples where not all combinations can be tried."""
    return _family("risk", MeasureInputs(seed), given)


def attacks_on(
    rules: Sequence[EditRule],
    domains: Mapping[str, Floats],
    seed: int = 0,
    names: tuple[str, ...] | None = None,
    given: ToldParameters = NOTHING,
    intruder: IntruderFile | None = None,
    has_release: bool = False,
) -> tuple[Measure, ...]:
    """Return the attacks of these names; if None, all that apply and are tried by default.

    Rule inference needs rules that every original record satisfies; `domains` are the values of variables that
    value-domain rules restrict. Differencing needs another release of the file.
    """
    ready = _family("attack", MeasureInputs(seed, rules, domains, intruder=intruder), given)
    found = [attack for attack in ready if has_release or not attack.traits.needs_release]
    if names is None:
        return tuple(attack for attack in found if attack.traits.by_default)
    for name in names:
        if name not in attacks():
            raise UsageError(f"unknown attack {name!r}", hint=f"use one of: {', '.join(attacks())}, or none")
        if name not in [attack.name for attack in found]:
            if MEASURES[name].traits.needs_intruder:
                raise UsageError(f"{name} needs the file of an intruder", hint="give --intruder")
            if MEASURES[name].traits.needs_release:
                raise UsageError(f"{name} needs another release of the file", hint="give --release")
            raise UsageError(f"{name} needs rules that every original record satisfies", hint="give --rules")
    return tuple(attack for attack in found if attack.name in names)


def _family(family: str, inputs: MeasureInputs, given: ToldParameters) -> tuple[Measure, ...]:
    members = (
        with_parameters(measure, measure.name, given.get(measure.name, {}))
        for measure in MEASURES.all()
        if measure.traits.family == family
    )
    return tuple(ready for measure in members if (ready := prepared(measure, inputs)) is not None)


def score_of(utility: Sequence[Measured], risk: Sequence[Measured], known_at_most: int | None = None) -> Measured:
    """Return SCORE from results that were already measured.

    With `known_at_most`, to which the linkage by subsets was bound, there is a second one with that linkage.
    """
    found = {measured.measure: measured for measured in (*utility, *risk)}
    return score_measured(
        found[ProbabilisticLoss.name].value("pil"),
        found[DistanceLinkage.name].value("linked"),
        found[IntervalDisclosureRisk.name].value("rank"),
        None if known_at_most is None else _averaged(found[SubsetLinkage.name], known_at_most),
    )


def _averaged(linkage: Measured, known_at_most: int) -> AveragedLinkage:
    sizes = len(linkage.tables[0].rows) if linkage.tables else known_at_most
    return AveragedLinkage(linkage.value("linked"), sizes, linkage.notes)


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
    dbrl_averaged: float | None = None
    dr_averaged: float | None = None
    score_averaged: float | None = None


class SweepFigures:
    """Measures pairs that share their original; each set of masked variables has its own base.

    With `known_at_most`, linkage is also averaged over intruders who know up to so many variables; `seed` draws them.
    """

    def __init__(self, known_at_most: int | None = None, seed: int = 0) -> None:
        self._bases: dict[tuple[str, ...], tuple[PilBase, RankBase]] = {}
        self._subsets = None if known_at_most is None else SubsetLinkage(known_at_most, seed=seed)

    def of(self, pair: Pair) -> Figures:
        """Return the same figures as the measures of these names would."""
        original, masked = pair.numbers(pair.numeric)
        pil_base, rank_base = self._base(pair.numeric, original)
        found = score(pil_base.pil(masked).total, _linked(pair), rank_base.disclosure(masked).rank)
        figures = Figures(found.pil, found.dbrl, found.id, found.dr, found.score, sse(original, masked).loss)
        if self._subsets is None:
            return figures
        other = score(found.pil, self._subsets.measure(pair).value("linked"), found.id)
        return replace(figures, dbrl_averaged=other.dbrl, dr_averaged=other.dr, score_averaged=other.score)

    def _base(self, names: tuple[str, ...], original: Points) -> tuple[PilBase, RankBase]:
        if names not in self._bases:
            self._bases[names] = PilBase.of(original), RankBase.of(original)
        return self._bases[names]


def _linked(pair: Pair) -> float | None:
    if not pair.known:
        return None
    places = places_of([pair[name] for name in pair.known], len(pair))
    return distance_linkage(places.original, places.masked).percent
