"""Microhybrid under edit rules: J. Domingo-Ferrer, Microaggregation-based numerical hybrid data, UNECE/Eurostat, 2009.

A cluster whose synthetic values break a rule is drawn again, then closer to the original; both keep its moments. Single
records are repaired only if that does not help; afterwards the moments of the cluster are restored as far as the rules
allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np

from constraint_sdc.arrays import Points, Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.exact.candidates import NOT_COPIED, Candidates
from constraint_sdc.exact.ladder import Representatives
from constraint_sdc.maskers.inputs import MaskInputs
from constraint_sdc.maskers.masked import MaskedBlock
from constraint_sdc.maskers.microaggregation.mask_block import divide_strata, price_of
from constraint_sdc.maskers.microhybrid.draws import ClusterDraws, Trials
from constraint_sdc.maskers.microhybrid.ipso import Restored, promises, restored, round_keeping_sums
from constraint_sdc.maskers.microhybrid.masker import Told
from constraint_sdc.maskers.microhybrid.products import from_logarithms, in_logarithms
from constraint_sdc.maskers.own_values import OwnValues
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.plan.plan import Promise
from constraint_sdc.settings.reason import Reason, because


def mask_hybrid(design: BlockDesign, inputs: MaskInputs, alpha: Told | None = None) -> MaskedBlock:
    """Return the block with synthetic values for every record, the moments that are kept, and the price.

    `alpha` is how much of the original stays.
    """
    clusters, stratum = divide_strata(design, inputs)
    own = OwnValues(design, inputs, clusters, stratum)
    trials = Trials(own, ClusterDraws(design, clusters, stratum, inputs.seed, alpha))
    trials.run()
    found = own.finish(trials.best, trials.targets, trials.step)
    restored_clusters = _restore(own, trials, found)
    row = own.records.label
    price = price_of(
        design,
        inputs,
        clusters,
        found.candidates.values,
        found.step,
        row,
        _promises(design, trials.draws, found.candidates, clusters),
        (*_notes(trials, restored_clusters, found.candidates), *own.judge.notes()),
    )
    return MaskedBlock(design.plan, clusters, stratum, found.step, found.candidates.columns(), price, row)


def _restore(own: OwnValues, trials: Trials, found: Representatives) -> Counter[Restored]:
    """Restore the moments of clusters with repaired records, where all their records then satisfy every rule.

    The first ways of all clusters are judged, then the second ways of those that fail, and so on; if Saxon is asked,
    those of all clusters together.
    """
    clusters = [cluster for cluster, closeness in trials.closeness.items() if closeness is None]
    outcome = dict.fromkeys(clusters, Restored.NOTHING)
    values = found.candidates.values
    ways = {c: _restorations(trials.draws, c, values[own.clusters.rows(c)]) for c in clusters}
    while tried := {c: way for c, rest in ways.items() if (way := next(rest, None)) is not None}:
        together = [tried] if own.saxon is not None else [{cluster: way} for cluster, way in tried.items()]
        settled = [cluster for some in together for cluster in _settle(own, found.candidates, some)]
        outcome |= {cluster: tried[cluster].what for cluster in settled}
        ways = {cluster: ways[cluster] for cluster in tried if cluster not in settled}
    return Counter(outcome[cluster] for cluster in clusters)


@dataclass(frozen=True, slots=True)
class _Restoration:
    """What is restored, which variables change, and their values."""

    what: Restored
    usable: list[int]
    values: Points


def _restorations(draws: ClusterDraws, cluster: int, masked: Points) -> Iterator[_Restoration]:
    """Yield ways to restore the moments of a cluster.

    A product is restored in logarithms like it is drawn, and not at all if a repaired record has no logarithm.
    """
    original = draws.values[draws.clusters.rows(cluster)]
    parts = draws.logarithmic(cluster, original, masked)
    lost = {j for part in draws.logarithmic(cluster, original) if part not in parts for j in part}
    finite = np.isfinite(np.concatenate([original, masked])).all(axis=0).tolist()
    usable = [j for j in draws.synthesised if finite[j] and j not in lost]
    seen = in_logarithms(masked, parts)
    for what, values in restored(in_logarithms(original, parts)[:, usable], seen[:, usable]):
        seen[:, usable] = values
        yield _Restoration(what, usable, from_logarithms(seen, parts, original)[:, usable])


def _settle(own: OwnValues, best: Candidates, tried: Mapping[int, _Restoration]) -> list[int]:
    """Use the restored values of clusters all of whose records satisfy their rules with them; return these clusters."""
    members = {cluster: own.clusters.rows(cluster) for cluster in tried}
    rows = np.concatenate(list(members.values()))
    proposed, source = best.values[rows], best.source[rows]
    ends = np.cumsum([len(own_rows) for own_rows in members.values()])
    for way, values, copied in zip(
        tried.values(), np.split(proposed, ends[:-1]), np.split(source, ends[:-1]), strict=True
    ):
        together = Groups(np.zeros(len(values), np.int64))
        for place, j in enumerate(way.usable):
            values[:, j] = round_keeping_sums(way.values[:, place], own.design.series[j].grid, together)
            copied[:, j] = NOT_COPIED
    candidates = own.proposed(rows, proposed, source)
    passing = np.split(own.passing(candidates), ends[:-1])
    settled = [cluster for cluster, its in zip(tried, passing, strict=True) if its.all()]
    for cluster in settled:
        best.put(members[cluster], candidates.take(np.flatnonzero(np.isin(rows, members[cluster]))))
    return settled


def _promises(design: BlockDesign, draws: ClusterDraws, masked: Candidates, clusters: Groups) -> tuple[Promise, ...]:
    """Return which moments are kept, measured on the values as written.

    Variables with a value in every record are compared together; any other one separately, among the records with a
    value.
    """
    everyone = np.arange(len(masked))
    has = {j: np.isfinite(masked.values[:, j]) & ~design.series[j].is_blank for j in draws.synthesised}
    whole = [j for j in draws.synthesised if has[j].all()]
    found = _compared(design, whole, everyone, masked, clusters) if whole else ()
    for j in draws.synthesised:
        if j not in whole and has[j].any():
            found += _compared(design, [j], np.flatnonzero(has[j]), masked, clusters)
    return found


def _compared(
    design: BlockDesign, chosen: list[int], rows: Rows, masked: Candidates, clusters: Groups
) -> tuple[Promise, ...]:
    """Return what is kept for some variables among some records."""
    groups = Groups(np.unique(clusters.label[rows], return_inverse=True)[1].astype(np.int64))
    series = [design.series[j].of(rows) for j in chosen]
    given = [one.of(rows) for one in design.given]
    said = promises(series, masked.values[np.ix_(rows, np.array(chosen))], given, groups)
    if len(rows) == len(masked):
        return said
    return tuple(
        replace(promise, what=because("among-records", what=promise.what, records=len(rows))) for promise in said
    )


def _notes(trials: Trials, restored_clusters: Counter[Restored], masked: Candidates) -> tuple[Reason, ...]:
    """Return how the clusters were drawn, and how many records are unchanged."""
    mixed = len(trials.draws.mixed)
    counts = Counter(trials.closeness.values())
    parts = [
        _drawn(closeness, counts[closeness]) for closeness in dict.fromkeys(trials.draws.ladder) if counts[closeness]
    ]
    if counts[None]:
        moments = tuple(_restored(how, count) for how, count in restored_clusters.items())
        parts.append(because("records-repaired", clusters=counts[None], moments=moments))
    if mixed:
        parts.append(because("blanks-differ", clusters=mixed))
    notes = [because("clusters-drawn", clusters=len(trials.own.clusters), parts=tuple(parts))]
    if logarithmic := trials.draws.in_logarithms():
        notes.append(because("drawn-in-logarithms", variables=logarithmic))
    unchanged = int(trials.is_same(np.arange(len(masked)), masked).sum())
    if unchanged:
        notes.append(because("records-unchanged", records=unchanged))
    return tuple(notes)


def _drawn(closeness: float, clusters: int) -> Reason:
    if closeness == 0:
        return because("drawn-freely", clusters=clusters)
    return because("drawn-close", clusters=clusters, closeness=closeness)


def _restored(how: Restored, clusters: int) -> Reason:
    match how:
        case Restored.MOMENTS:
            return because("moments-restored", clusters=clusters)
        case Restored.MEANS:
            return because("means-restored", clusters=clusters)
        case Restored.NOTHING:
            return because("moments-not-restored", clusters=clusters)
    assert_never(how)
