"""Kinds of numbers: measurements, codes, years, months, weights, household numbers and identifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from constraint_sdc.arrays import Floats
from constraint_sdc.evidence.dates import as_dates
from constraint_sdc.evidence.kinds import ColumnKind, Resemblance
from constraint_sdc.evidence.names import NameHint, name_hints
from constraint_sdc.evidence.profile import Profile
from constraint_sdc.evidence.thresholds import (
    CODE_DECIMALS,
    CODE_DIGITS,
    DENSE,
    EVEN,
    FAR_ABOVE,
    FEW_CODES,
    FIRST_YEAR,
    LARGE,
    LAST_YEAR,
    LEAST_BESIDE,
    LEAST_DISTINCT,
    LEAST_RISING,
    LEAST_RUNS,
    NEARLY_UNIQUE,
    REPEATED,
    SPARSE,
)
from constraint_sdc.settings.reason import Reason, because

_TAKING_CERTAINTY = (
    NameHint.IDENTIFIER,
    NameHint.WEIGHT,
    NameHint.YEAR,
    NameHint.MONTH,
    NameHint.CODE,
)


def as_numbers(profile: Profile) -> Resemblance:
    """Return what a column of numbers looks like; the first look that recognises something decides."""
    with np.errstate(over="ignore"):  # sums and ranges of the largest doubles are infinite, which decides as well
        for look in _LOOKS:
            found = look(profile)
            if found is not None:
                return found
        return _as_measurement(profile)


def _as_weight(profile: Profile) -> Resemblance | None:
    numbers, counts = profile.numbers, profile.counts
    if NameHint.WEIGHT not in name_hints(profile.name) or float(numbers.min()) < 1:
        return None
    total = float(numbers @ counts)
    if total < FAR_ABOVE * profile.values:
        return None
    times = because("looks-weights", times=round(total / profile.values) if np.isfinite(total) else None)
    return Resemblance(ColumnKind.WEIGHT, (_named(NameHint.WEIGHT), times))


def _as_year(profile: Profile) -> Resemblance | None:
    numbers = profile.numbers
    if not _are_whole(numbers) or numbers.min() < FIRST_YEAR or numbers.max() > LAST_YEAR:
        return None
    named = [_named(NameHint.YEAR)] if NameHint.YEAR in name_hints(profile.name) else []
    return Resemblance(ColumnKind.YEAR, (*named, because("looks-years", first=FIRST_YEAR, last=LAST_YEAR)))


def _as_month(profile: Profile) -> Resemblance | None:
    numbers = profile.numbers
    if not _are_whole(numbers) or numbers.min() < 1 or numbers.max() > 12:
        return None
    is_named = NameHint.MONTH in name_hints(profile.name)
    if not is_named and len(numbers) < 12:
        return None
    named = [_named(NameHint.MONTH)] if is_named else []
    return Resemblance(ColumnKind.MONTH, (*named, because("looks-months", distinct=len(numbers))))


def _as_identifier(profile: Profile) -> Resemblance | None:
    """Return an identifier: numbers nobody shares that are given, not measured, or that the name calls so."""
    hints = name_hints(profile.name)
    is_named = NameHint.IDENTIFIER in hints and _are_whole(profile.numbers)
    is_unique = profile.alone >= NEARLY_UNIQUE * profile.values
    signs = [sign for sign in _id_signs(profile) if sign is not None] if is_unique else []
    if not signs and not is_named:
        return None
    named = [_named(NameHint.IDENTIFIER)] if is_named else []
    unique = because("looks-unique", alone=profile.alone, values=profile.values)
    runs = _runs(profile)
    is_household = not is_unique and NameHint.HOUSEHOLD in hints
    kind = ColumnKind.HOUSEHOLD_NUMBER if is_household else ColumnKind.IDENTIFIER
    return Resemblance(kind, (*named, unique, *signs, *([runs] if runs is not None else [])))


def _id_signs(profile: Profile) -> Iterator[Reason | None]:
    numbers = profile.numbers
    if not _are_whole(numbers):
        return
    width = numbers.max() - numbers.min() + 1
    digits = _equal_length(profile)
    yield because("looks-consecutive") if len(numbers) >= DENSE * width else None
    yield because("looks-equally-long", digits=digits) if digits >= 2 else None
    yield because("looks-rising") if _is_rising(profile) else None


def _as_household_number(profile: Profile) -> Resemblance | None:
    """Return numbers that stand side by side in the file far more often than by chance, as those of households do."""
    runs = _runs(profile)
    if runs is None or len(profile.counts) <= LEAST_DISTINCT:
        return None
    return Resemblance(ColumnKind.HOUSEHOLD_NUMBER, (runs,))


def _runs(profile: Profile) -> Reason | None:
    """Return how many runs there are, None if equal values do not stand side by side or the values are not whole."""
    order = profile.in_order
    if not _are_whole(profile.numbers) or len(profile.counts) in (1, profile.values):
        return None
    beside = int(np.count_nonzero(order[1:] == order[:-1]))
    by_chance = float((profile.counts * (profile.counts - 1)).sum()) / profile.values
    runs = profile.values - beside
    if beside < max(LEAST_RUNS * by_chance, (profile.values - len(profile.counts)) / 2, LEAST_BESIDE):
        return None
    return because("looks-runs", runs=runs, distinct=len(profile.counts))


def _as_few(profile: Profile) -> Resemblance | None:
    numbers, distinct = profile.numbers, len(profile.counts)
    if distinct > FEW_CODES or not _are_whole(numbers) or _are_amounts(profile):
        return None
    few = because("looks-few", distinct=distinct, values=profile.values)
    is_consecutive = numbers.min() in (0, 1) and numbers.max() - numbers.min() + 1 == distinct
    if NameHint.CODE in name_hints(profile.name):
        return Resemblance(ColumnKind.CODE, (_named(NameHint.CODE), few))
    if is_consecutive and distinct > 2:
        return Resemblance(ColumnKind.ORDINAL_CODE, (few, because("looks-ordinal-or-count")))
    return Resemblance(ColumnKind.CODE, (few,))


def _are_amounts(profile: Profile) -> bool:
    """Tell whether a small file has amounts: many different numbers of different lengths, some large."""
    lengths = profile.distinct.length
    return (
        len(profile.counts) >= LEAST_DISTINCT
        and len(profile.counts) > profile.values / 2
        and float(np.abs(profile.numbers).max()) >= LARGE
        and int(lengths.min()) < int(lengths.max())
    )


def _as_classification(profile: Profile) -> Resemblance | None:
    """Return codes of a classification: equally long, with gaps between repeated values, or equally often."""
    digits = _equal_length(profile) if _are_whole(profile.numbers) else 0
    signs = [because("looks-equally-long", digits=digits)] if digits >= CODE_DIGITS else []
    if _has_gaps(profile):
        signs.append(because("looks-gaps"))
    if _are_even(profile):
        signs.append(because("looks-even", distinct=len(profile.counts)))
    return Resemblance(ColumnKind.CODE, tuple(signs)) if signs else None


def _has_gaps(profile: Profile) -> bool:
    """Tell whether values repeat although many numbers of their grid between them do not occur."""
    decimals = int(profile.scanned.scale.max())
    if float(np.median(profile.counts)) < REPEATED or decimals > CODE_DECIMALS or not profile.scanned.plain.all():
        return False
    steps = profile.numbers * 10.0**decimals
    if float(np.abs(steps).max()) >= 2**53 or not _are_whole(steps := np.rint(steps)):
        return False
    order = np.argsort(steps)
    reached = np.cumsum(profile.counts[order]) / profile.values
    inside = steps[order][(reached >= 0.05) & (reached <= 0.95)].astype(np.int64)
    if len(inside) < 2:
        return False
    apart = np.diff(inside)
    return len(inside) < SPARSE * ((int(inside[-1]) - int(inside[0])) / int(np.gcd.reduce(apart)) + 1)


def _are_even(profile: Profile) -> bool:
    counts = profile.counts
    mean = float(counts.mean())
    return mean >= 2 and len(counts) > LEAST_DISTINCT and float(counts.var()) < EVEN * mean


def _as_measurement(profile: Profile) -> Resemblance:
    """Return a measurement: certain unless there are few values, the name objects, or the file is in their order."""
    distinct = len(profile.counts)
    doubts = [_named(hint) for hint in _TAKING_CERTAINTY if hint in name_hints(profile.name)]
    if distinct < LEAST_DISTINCT:
        doubts.append(because("looks-too-few", distinct=distinct))
    elif _is_rising(profile):
        doubts.append(because("looks-rising"))
    evidence = because("looks-measured", distinct=distinct, values=profile.values)
    return Resemblance(ColumnKind.MEASUREMENT, (evidence, *doubts), is_certain=not doubts)


_LOOKS: tuple[Callable[[Profile], Resemblance | None], ...] = (
    _as_weight,
    as_dates,
    _as_year,
    _as_month,
    _as_identifier,
    _as_household_number,
    _as_few,
    _as_classification,
)


def _named(hint: NameHint) -> Reason:
    return because("looks-named", what=hint.value)


def _are_whole(numbers: Floats) -> bool:
    return bool(np.all(numbers == np.rint(numbers)))


def _equal_length(profile: Profile) -> int:
    """Return the number of digits that all values have, 0 if they differ or some are negative."""
    sizes = np.abs(profile.numbers)
    low, high = float(sizes.min()), float(sizes.max())
    if profile.numbers.min() < 0 or high >= 1e18 or len(str(int(low))) != len(str(int(high))):
        return 0
    return len(str(int(low)))


def _is_rising(profile: Profile) -> bool:
    """Tell whether all values rise, or all fall, in the order of the file."""
    steps = np.diff(profile.in_order)
    return len(steps) + 1 >= LEAST_RISING and bool(np.all(steps > 0) or np.all(steps < 0))
