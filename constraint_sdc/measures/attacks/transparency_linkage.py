"""Record linkage inside the sets of the transparency attack: V. Torra, Transparency and microaggregation, section 4.

The method rules out masked records that an original cannot have become. An intruder who knows it links each original to
the nearest of the masked records that are left. The true one is always left, so no link becomes worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Points, Rows
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureInputs, MeasureTraits, Unit
from constraint_sdc.measures.attacks.transparency import KNOWLEDGE
from constraint_sdc.measures.attacks.transparency_reach import Reach, uses_of
from constraint_sdc.measures.nearest import SAME, Links
from constraint_sdc.measures.parameters import measure_parameter
from constraint_sdc.measures.points import place
from constraint_sdc.measures.risk.distance_linkage import Linkage, not_linked
from constraint_sdc.measures.risk.subset_linkage import sampled_rows
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

_PAIRS = 1 << 21
"""Pairs of an original and a masked record that are compared at a time."""


@dataclass(frozen=True)
class Axes:
    """The records of both files as points: coordinates of numbers, and codes of categories, which are 0 or 1 apart."""

    original: Points
    masked: Points
    original_codes: Codes
    masked_codes: Codes

    @staticmethod
    def of(pair: Pair) -> tuple[Axes, tuple[Reason, ...]]:
        """Return the axes of all known variables, and notes on simplifications."""
        places = [(pair[name].scale is Scale.NOMINAL, place(pair[name])) for name in pair.known]
        n = len(pair)
        numbers = [p for is_nominal, p in places if not is_nominal]
        categories = [p for is_nominal, p in places if is_nominal]
        sides = [
            (
                np.concatenate([np.zeros((n, 0)), *(getattr(p, side) for p in numbers)], axis=1),
                np.array([getattr(p, side).argmax(axis=1) for p in categories], np.int64).reshape(-1, n).T,
            )
            for side in ("original", "masked")
        ]
        axes = Axes(sides[0][0], sides[1][0], sides[0][1], sides[1][1])
        return axes, tuple(note for _, p in places for note in p.notes)

    def apart(self, originals: Rows, masked: Rows) -> Floats:
        """Return the distance of each pair."""
        total = np.zeros(len(originals))
        for before, after in zip(self.original.T, self.masked.T, strict=True):
            total += (before[originals] - after[masked]) ** 2
        for ours, theirs in zip(self.original_codes.T, self.masked_codes.T, strict=True):
            total += ours[originals] != theirs[masked]
        distances: Floats = np.sqrt(total)
        return distances


def links_within(axes: Axes, reaches: Sequence[Reach], rows: Rows) -> Links:
    """Link some originals to the nearest masked records within all reaches, which must be sound: ties are shared."""
    records = len(axes.original)
    ties, is_right = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.bool_)
    step = max(1, _PAIRS // max(1, records))
    for first in range(0, len(rows), step):
        part = slice(first, first + step)
        ties[part], is_right[part] = _nearest_within(axes, reaches, rows[part])
    return Links(ties, is_right)


def _nearest_within(axes: Axes, reaches: Sequence[Reach], rows: Rows) -> tuple[Codes, Flags]:
    possible = np.ones((len(rows), len(axes.original)), np.bool_)
    for one in reaches:
        possible &= one.low_y <= one.high_x[rows, None]
        possible &= one.high_y >= one.low_x[rows, None]
    which, candidate = np.nonzero(possible)
    apart = axes.apart(rows[which], candidate)
    starts = np.searchsorted(which, np.arange(len(rows)))
    least = np.minimum.reduceat(apart, starts) * SAME
    own = axes.apart(rows, rows)
    return np.add.reduceat((apart <= least[which]).astype(np.int64), starts), own <= least


@dataclass(frozen=True)
class TransparencyLinkage:
    """Link each original to the nearest of the masked records that the method leaves possible."""

    name: ClassVar[str] = "transparency-linkage"
    title: ClassVar[str] = "Record linkage inside the transparency sets"
    traits: ClassVar[MeasureTraits] = MeasureTraits("attack", draws=True, by_default=False)

    records: int = measure_parameter("Originals linked, at most.", 2_000, least=1)
    seed: int = 0

    def prepared(self, inputs: MeasureInputs) -> TransparencyLinkage:
        """Return the attack with the seed of the run."""
        return replace(self, seed=inputs.seed)

    def measure(self, pair: Pair) -> Measured:
        """Link with what is published, with what rerunning tells, and with distances alone."""
        if not pair.known or not len(pair):
            why = because("no-record-to-link") if pair.known else because("nothing-known")
            return not_linked(self.name, self.title, why, "originals linked to the right masked record")
        axes, notes = Axes.of(pair)
        rows = sampled_rows(len(pair), self.records, self.seed)
        known = {each: [use.reach for use in uses_of(pair, each) if use.reach is not None] for each in KNOWLEDGE}
        published, rerun = (_linkage(links_within(axes, known[each], rows)) for each in KNOWLEDGE)
        alone = _linkage(links_within(axes, (), rows))
        notes = (*notes, *_notes(len(rows), len(pair), self.seed, published))
        return Measured(self.name, self.title, _figures(published, rerun, alone), _says(published, alone), notes=notes)


REGISTERED = {"transparency-linkage": TransparencyLinkage()}


def _linkage(found: Links) -> Linkage:
    unique = found.ties == 1
    right = int(np.count_nonzero(unique & found.is_right))
    return Linkage(len(unique), float(found.credit.sum()), int(np.count_nonzero(unique)), right)


def _figures(published: Linkage, rerun: Linkage, alone: Linkage) -> tuple[Figure, ...]:
    return (
        Figure("linked", "originals linked right by an intruder who knows the method", published.percent),
        Figure("linked-rerun", "the same by an intruder who has the whole original and runs the method", rerun.percent),
        Figure("unrestricted", "the same by distance alone", alone.percent),
        Figure("unique", "links without a tie, method known", published.unique, Unit.COUNT),
        Figure("sure", "share of right links among these", published.sure),
        Figure("records", "originals linked", published.records, Unit.COUNT),
    )


def _says(published: Linkage, alone: Linkage) -> str:
    return (
        "An intruder who knows the method and links each original to the nearest masked record that it can have become "
        f"is right for {published.percent:.2f}% of {published.records:,} records; by distance alone for "
        f"{alone.percent:.2f}%."
    )


def _notes(linked: int, records: int, seed: int, published: Linkage) -> Iterator[Reason]:
    yield because("sets-hold-truth")
    if linked < records:
        yield because("linked-originals-drawn", linked=linked, records=records, seed=seed)
    if published.sure is None:
        yield because("no-single-possible")
