"""Distance-based record linkage of an intruder's own file, which holds some of the records and some of the variables.

The worst case of V. Torra, Transparency and microaggregation, section 2, takes the whole original as the intruder's
file. Here the file is given: it may hold strangers, blanks and values in another notation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Points
from constraint_sdc.data.intruder import NOBODY, IntruderFile
from constraint_sdc.data.pair import Compared, Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureInputs, MeasureTraits, Unit
from constraint_sdc.measures.nearest import links, nearest
from constraint_sdc.measures.points import Places, joined, place
from constraint_sdc.measures.risk.distance_linkage import not_linked
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

_LABEL = "records of the intruder's file linked to the right masked record"


@dataclass(frozen=True)
class IntruderLinks:
    """For every record of the intruder's file: how many masked records are nearest, 0 if it cannot be linked.

    `is_right` tells whether the true one is among them; never for a record that is not in the release.
    """

    ties: Codes
    is_right: Flags
    is_present: Flags

    @property
    def right(self) -> float:
        """Return how many links are right, to expect."""
        return float((self.is_right / np.maximum(self.ties, 1)).sum())

    @property
    def linked(self) -> int:
        """Return how many records are linked, rightly or not."""
        return int(np.count_nonzero(self.ties))

    @property
    def unique(self) -> int:
        """Return how many links have no tie."""
        return int(np.count_nonzero(self.ties == 1))

    @property
    def unique_right(self) -> int:
        """Return how many of these are right."""
        return int(np.count_nonzero((self.ties == 1) & self.is_right))


def intruder_links(pair: Pair, file: IntruderFile) -> IntruderLinks:
    """Link each record of the file to the nearest masked records, in the variables that it has a value of.

    Numbers are in standard deviations of the masked file, which the intruder has; two categories are one unit apart.
    """
    places = [_place(pair[name], values) for name, values in file.values.items()]
    ties, is_right = np.zeros(len(file), np.int64), np.zeros(len(file), np.bool_)
    patterns, which = np.unique(file.is_known, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        rows = np.flatnonzero(which.reshape(-1) == number)
        if not pattern.any():
            continue
        space = _joined([p for p, is_used in zip(places, pattern, strict=True) if is_used])
        here, strangers = rows[file.own[rows] != NOBODY], rows[file.own[rows] == NOBODY]
        if len(here):
            found = links(space.masked[here], space.original, file.own[here])
            ties[here], is_right[here] = found.ties, found.is_right
        if len(strangers):
            ties[strangers] = nearest(space.masked[strangers], space.original).ties
    return IntruderLinks(ties, is_right, file.own != NOBODY)


def _place(variable: Compared, values: Points) -> Places:
    """Return the masked file (as `original`) and the intruder's (as `masked`) as points of one space."""
    codes = (
        np.nan_to_num(values, nan=-1.0).astype(np.int64) if variable.scale is Scale.NOMINAL else variable.masked_code
    )
    return place(
        replace(
            variable,
            original=variable.masked,
            original_code=variable.masked_code,
            masked=values,
            masked_code=codes,
        )
    )


def _joined(places: list[Places]) -> Places:
    release = joined([Places(p.original, p.original) for p in places], len(places[0].original)).original
    own = joined([Places(p.masked, p.masked) for p in places], len(places[0].masked)).original
    return Places(release, own)


@dataclass(frozen=True)
class IntruderLinkage:
    """Link the records of an intruder's own file to the nearest masked records, and count right and false links."""

    name: ClassVar[str] = "intruder-linkage"
    title: ClassVar[str] = "Record linkage of the intruder's file"
    traits: ClassVar[MeasureTraits] = MeasureTraits("attack", needs_intruder=True)

    file: IntruderFile | None = None

    def prepared(self, inputs: MeasureInputs) -> IntruderLinkage | None:
        """Return the attack with the intruder's file, None without one."""
        return None if inputs.intruder is None else replace(self, file=inputs.intruder)

    def measure(self, pair: Pair) -> Measured:
        """Link every record of the intruder's file."""
        why = self._why_not(pair)
        if why is not None or self.file is None:
            return not_linked(self.name, self.title, why or because("no-intruder-file"), _LABEL)
        found = intruder_links(pair, self.file)
        notes = (*self.file.notes, *_notes(found))
        return Measured(self.name, self.title, _figures(found, len(pair)), _says(found, self.file), notes=notes)

    def _why_not(self, pair: Pair) -> Reason | None:
        if self.file is None:
            return because("no-intruder-file")
        if not len(pair) or not len(self.file):
            return because("no-record-to-link")
        return None if self.file.is_known.any() else because("nothing-known")


REGISTERED = {"intruder-linkage": IntruderLinkage()}


def _figures(found: IntruderLinks, released: int) -> tuple[Figure, ...]:
    records, present = len(found.ties), int(np.count_nonzero(found.is_present))
    return (
        Figure("linked", _LABEL, 100.0 * found.right / records),
        Figure("right", "right links to expect", found.right, Unit.PLAIN),
        Figure("false", "false links to expect", found.linked - found.right, Unit.PLAIN),
        Figure("not-linked", "records without a value to link by", records - found.linked, Unit.COUNT),
        Figure("records", "records of the intruder's file", records, Unit.COUNT),
        Figure("present", "of these, in the release", present, Unit.COUNT),
        Figure("found", "right links among these", 100.0 * found.right / present if present else None),
        Figure("unique", "links without a tie", found.unique, Unit.COUNT),
        Figure("sure", "right links among these", 100.0 * found.unique_right / found.unique if found.unique else None),
        Figure("chance", "right links by a random guess", 100.0 * present / records / released),
    )


def _says(found: IntruderLinks, file: IntruderFile) -> str:
    records = len(found.ties)
    strangers = records - int(np.count_nonzero(found.is_present))
    of = "1 record" if records == 1 else f"{records:,} records"
    said = (
        f"Of {of} in the intruder's file, {100.0 * found.right / records:.2f}% are linked to the right masked record "
        f"by {', '.join(file.values)}"
    )
    return f"{said}; not in the release, hence linked falsely: {strangers:,}." if strangers else f"{said}."


def _notes(found: IntruderLinks) -> Iterator[Reason]:
    if found.linked < len(found.ties):
        yield because("intruder-knows-nothing-of", records=len(found.ties) - found.linked)
    if not found.is_present.any():
        yield because("intruder-has-strangers-only")
    if not found.unique:
        yield because("no-single-possible")
