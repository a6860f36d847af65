"""What a column looks like, and what it proposes for the recipe: role, scale, grid and missing codes.

Only three things are certain: measurements, ISO dates, and numbers that rules compute with. Everything else is a
proposal that a person has to confirm.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal as OneOf
from typing import TypeAlias

import numpy as np

from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.table import Column
from constraint_sdc.evidence.dates import as_dates
from constraint_sdc.evidence.kinds import ColumnKind, Resemblance
from constraint_sdc.evidence.missing_codes import Suspects, suspects
from constraint_sdc.evidence.names import NameHint, name_hints
from constraint_sdc.evidence.numbers import as_numbers
from constraint_sdc.evidence.profile import Profile, profile_of
from constraint_sdc.evidence.texts import as_texts
from constraint_sdc.evidence.thresholds import LEAST_DISTINCT
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Role, Scale

_MOST_DECIMALS = 15
_EXACT = 1e15  # steps of a grid that a double tells apart


@dataclass(frozen=True, slots=True)
class Looks:
    """What a variable looks like. `is_certain` if no person has to confirm it.

    `role`, `scale` and `grid` are proposals in the words of a recipe; None is for the plan to decide. `missing` are
    texts that may be missing codes, with the number of records of each. `evidence` never has a value of a record.
    """

    kind: ColumnKind
    is_certain: bool
    role: Role
    scale: Scale | None
    grid: int | OneOf["free"] | DateNotation | None
    missing: tuple[tuple[str, int], ...]
    evidence: tuple[Reason, ...]

    @property
    def missing_codes(self) -> tuple[str, ...]:
        """Return the texts that may be missing codes."""
        return tuple(code for code, _ in self.missing)


def looks(column: Column, missing: Iterable[str] = (), *, is_computed: bool = False) -> Looks:
    """Return what a column looks like; `missing` are its known missing codes.

    With `is_computed` rules compare the variable with others or compute with it: its numbers are numbers then, unless
    its name calls them an identifier, all are dates such as 20241231, or some look like missing codes.

    >>> from constraint_sdc.data.table import column_of
    >>> found = looks(column_of("sex", ["1", "2"] * 30))
    >>> found.kind.value, found.is_certain, found.scale.value
    ('code', False, 'nominal')
    >>> found = looks(column_of("turnover", [*(str(i * i % 7919) for i in range(60, 120)), "n/a"]))
    >>> found.kind.value, found.is_certain, found.missing
    ('numbers with missing codes', False, (('n/a', 1),))
    """
    known, asked = _known_of(column), (tuple(missing), is_computed)
    if asked not in known:
        known[asked] = look_at(profile_of(column, asked[0]), is_computed=is_computed)
    return known[asked]


_LooksAsked: TypeAlias = tuple[tuple[str, ...], bool]

_KNOWN: dict[int, tuple[weakref.ref[Column], dict[_LooksAsked, Looks]]] = {}
"""What columns look like, by their identity, for as long as they live: a sweep asks for every point."""


def _known_of(column: Column) -> dict[_LooksAsked, Looks]:
    place = id(column)
    found = _KNOWN.get(place)
    if found is not None and found[0]() is column:
        return found[1]
    _KNOWN[place] = weakref.ref(column, lambda gone: _forget(place, gone)), {}
    return _KNOWN[place][1]


def _forget(place: int, gone: weakref.ref[Column]) -> None:
    """Drop what is known of a column that is no more, unless another one has taken its place in memory."""
    if place in _KNOWN and _KNOWN[place][0] is gone:
        del _KNOWN[place]


def look_at(profile: Profile, *, is_computed: bool = False) -> Looks:
    """Return what a profile looks like, as `looks` does for a column."""
    found = suspects(profile)
    rest = profile.without(found.codes)
    like = _resemblance(rest, found, profile, is_computed=is_computed)
    codes = np.flatnonzero(found.codes)
    proposed = dict(zip(profile.strings(codes), profile.counts[codes].tolist(), strict=True))
    return _proposed(rest, like, tuple(sorted(proposed.items())))


def _resemblance(rest: Profile, found: Suspects, whole: Profile, *, is_computed: bool) -> Resemblance:
    """Return what the values look like beside their missing codes; with such codes nothing is certain."""
    evidence = _suspicions(found, whole)
    if not rest.values:
        return Resemblance(ColumnKind.EMPTY, (because("looks-empty"), *evidence))
    like = _kind(rest, found, is_computed=is_computed)
    if not evidence:
        return like
    is_renamed = like.kind is ColumnKind.MEASUREMENT
    kind = ColumnKind.NUMBERS_WITH_MISSING_CODES if is_renamed else like.kind
    return replace(like, kind=kind, evidence=(*evidence, *like.evidence), is_certain=False)


def _suspicions(found: Suspects, whole: Profile) -> tuple[Reason, ...]:
    codes, commas, strange = (int(whole.counts[f].sum()) for f in (found.codes, found.commas, found.strange))
    reasons = []
    if codes:
        reasons.append(because("looks-missing-codes", records=codes, codes=int(np.count_nonzero(found.codes))))
    if commas:
        reasons.append(because("looks-decimal-commas", records=commas))
    if strange:
        reasons.append(because("looks-strange-texts", records=strange))
    return tuple(reasons)


def _kind(rest: Profile, found: Suspects, *, is_computed: bool) -> Resemblance:
    if len(rest.counts) == 1:
        return Resemblance(ColumnKind.CONSTANT, (because("looks-constant", values=rest.values),))
    if found.is_mostly_numbers:
        numbers = rest.without(~rest.is_number)
        if not numbers.values:  # all numbers have decimal commas
            return Resemblance(ColumnKind.MEASUREMENT, ())
        if is_computed and NameHint.IDENTIFIER not in name_hints(rest.name) and as_dates(numbers) is None:
            return Resemblance(ColumnKind.MEASUREMENT, (because("looks-computed"),), is_certain=True)
        return _as_measure(as_numbers(numbers), numbers)
    return as_dates(rest) or as_texts(rest)


def _as_measure(like: Resemblance, numbers: Profile) -> Resemblance:
    """Return numbers that SDMX calls the observed value as a measurement, which a person has to confirm."""
    if NameHint.MEASURE not in name_hints(numbers.name) or like.kind is ColumnKind.MEASUREMENT:
        return like
    return Resemblance(ColumnKind.MEASUREMENT, (because("looks-named", what=NameHint.MEASURE.value),))


# What the kind proposes for the recipe.

_IDENTIFYING = (ColumnKind.IDENTIFIER, ColumnKind.HOUSEHOLD_NUMBER, ColumnKind.FREE_TEXT)
_NUMERIC = (ColumnKind.MEASUREMENT, ColumnKind.NUMBERS_WITH_MISSING_CODES, ColumnKind.DATE, ColumnKind.YEAR)
_KEPT = (ColumnKind.WEIGHT, ColumnKind.CONSTANT, ColumnKind.EMPTY)


def _proposed(rest: Profile, like: Resemblance, missing: tuple[tuple[str, int], ...]) -> Looks:
    hints = name_hints(rest.name)
    is_known = NameHint.KNOWN in hints and NameHint.SENSITIVE not in hints and like.kind not in (*_IDENTIFYING, *_KEPT)
    known = (because("looks-known-to-others"),) if is_known else ()
    return Looks(
        kind=like.kind,
        is_certain=like.is_certain,
        role=_role(like, hints),
        scale=(scale := _scale(like, len(rest.counts))),
        grid=_grid(rest, like) if scale is Scale.NUMERIC else None,
        missing=missing,
        evidence=(*like.evidence, *known),
    )


def _role(like: Resemblance, hints: frozenset[NameHint]) -> Role:
    """Propose what masking does without a recipe where it is certain; else the more careful role."""
    if like.kind in _IDENTIFYING:
        return Role.IDENTIFIER
    if like.kind in _KEPT:
        return Role.UNTOUCHED
    if like.is_certain or NameHint.SENSITIVE in hints:
        return Role.CONFIDENTIAL
    is_amount = like.kind in (ColumnKind.MEASUREMENT, ColumnKind.NUMBERS_WITH_MISSING_CODES)
    return Role.CONFIDENTIAL if is_amount and NameHint.KNOWN not in hints else Role.QUASI_IDENTIFIER


def _scale(like: Resemblance, distinct: int) -> Scale | None:
    """Propose how values are masked; few years are an order, such as two waves of a survey, and have no mean."""
    if like.kind in (*_IDENTIFYING, *_KEPT):
        return None
    if like.kind is ColumnKind.YEAR and distinct < LEAST_DISTINCT:
        return Scale.ORDINAL
    if like.kind in _NUMERIC:
        return Scale.NUMERIC
    return Scale.ORDINAL if like.kind in (ColumnKind.ORDINAL_CODE, ColumnKind.MONTH) else Scale.NOMINAL


def _grid(rest: Profile, like: Resemblance) -> int | OneOf["free"] | DateNotation | None:
    """Return the notation of dates, or the digits after the point as the file writes them; None if they vary."""
    if like.notation is not None:
        return like.notation
    if like.kind not in _NUMERIC or not rest.is_number.all() or not rest.scanned.plain.all():
        return None
    written = set(np.unique(rest.scanned.scale).tolist())
    decimals = max(written)
    is_exact = float(np.abs(rest.numbers).max()) * 10.0**decimals < _EXACT
    return decimals if len(written - {0}) <= 1 and decimals <= _MOST_DECIMALS and is_exact else None
