"""Texts and numbers that stand for a missing value: `NA`, `n/a`, `.`, `-9`, `99998`."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Positions
from constraint_sdc.evidence.profile import Profile
from constraint_sdc.evidence.thresholds import (
    FAR_AWAY,
    HIGHEST_CODE,
    LONGEST_MISSING,
    MOST_MISSING_TEXTS,
    MOSTLY_NUMBERS,
    OFTEN,
    SHARED_TEXT,
    STICKS_OUT,
)

_PLAIN_WORDS = """
    na|n/a|n.a.|n.a|#n/a|#na|<na>|nan|null|nil|missing|mis|unknown|unk|.|..|...|?|??|refused|dk|don't know|do not know
    not applicable|not available|not stated|no answer|no response|k.a.|k. a.|ka|keine angabe|unbekannt|weiß nicht|fehlt
    ns/nc|n.s.|n.c.|nd|n.d.|n/d|s/d|sin datos|no sabe|no contesta|no consta|desconocido|no disponible
    non disponible|inconnu|manquant|non réponse|sans réponse|non disponibile|mancante|sconosciuto|onbekend|nvt|n.v.t.
    ukjent|okänd|saknas|puuttuu|brak|brak danych|(blank)|empty|:"""
_AMONG_NUMBERS = "-|--|---|*|**|x|c|d|(d)|s|(s)|none|conf|ns|nc|nr|ref|r|."
_STATA = re.compile(r"\.[a-z]")
_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+|[+-]?[0-9]{1,3}([.,' ][0-9]{3})+([.,][0-9]+)?")
_SENTINEL = re.compile(r"-[1-9]|-?(?:9+[6-9]|8{2,}|7{2,})(?:[.][09]+)?")


def _split(words: str) -> frozenset[str]:
    return frozenset(word.strip() for line in words.splitlines() for word in line.split("|") if word.strip())


_KNOWN = _split(_PLAIN_WORDS)
_KNOWN_AMONG_NUMBERS = _KNOWN | _split(_AMONG_NUMBERS)


@dataclass(frozen=True, slots=True)
class Suspects:
    """Which distinct texts of a profile may be missing codes, which have decimal commas, and which are neither.

    `strange` are texts among numbers that are neither: some may be a person's, so they are counted and never named.
    """

    codes: Flags
    commas: Flags
    strange: Flags
    is_mostly_numbers: bool


def suspects(profile: Profile) -> Suspects:
    """Find what may be missing codes: texts first, then numbers if all else is numbers."""
    others = np.flatnonzero(~profile.is_number)
    read = dict(zip(others.tolist(), profile.strings(others), strict=True)) if _are_few(profile, others) else {}
    commas = _flags(profile, [place for place, text in read.items() if _COMMA.fullmatch(text)])
    in_numbers = int(profile.counts[profile.is_number | commas].sum())
    known = [place for place, text in read.items() if _is_known(text, is_among_numbers=in_numbers > 0)]
    beside = int(profile.counts.sum()) - int(profile.counts[known].sum())
    if in_numbers == 0 or in_numbers < MOSTLY_NUMBERS * beside:
        none = np.zeros(len(profile.counts), np.bool_)
        strict = [place for place, text in read.items() if _is_known(text, is_among_numbers=False)]
        return Suspects(_flags(profile, strict), none, none, is_mostly_numbers=False)
    codes = _flags(profile, known)
    codes |= _shared_texts(profile, {p: t for p, t in read.items() if not codes[p] and not commas[p]})
    strange = ~(profile.is_number | codes | commas)
    codes |= sentinels(profile)
    return Suspects(codes, commas, strange, is_mostly_numbers=True)


_MOST_READ = 10_000


def _are_few(profile: Profile, others: Positions) -> bool:
    """Tell whether the texts are few enough to be read one by one; missing codes are never so many."""
    return len(others) <= max(_MOST_READ, len(profile.counts) // 2)


def _flags(profile: Profile, places: list[int]) -> Flags:
    found = np.zeros(len(profile.counts), np.bool_)
    found[places] = True
    return found


def _is_known(text: str, *, is_among_numbers: bool) -> bool:
    word = text.casefold()
    return word in (_KNOWN_AMONG_NUMBERS if is_among_numbers else _KNOWN) or _STATA.fullmatch(word) is not None


def _shared_texts(profile: Profile, read: dict[int, str]) -> Flags:
    """Return the unknown texts that enough records share, if they are few and have no digit."""
    found = [
        place
        for place, text in read.items()
        if profile.counts[place] >= SHARED_TEXT
        and len(text) <= LONGEST_MISSING
        and not any(letter.isdigit() for letter in text)
    ]
    return _flags(profile, found if len(found) <= MOST_MISSING_TEXTS else [])


# Numbers that may be missing codes.


def sentinels(profile: Profile) -> Flags:
    """Return which numbers look like missing codes: written as such codes are, and apart from the other numbers.

    Negative ones are apart where all others are zero or more. Nines, eights and sevens are apart above all others. Both
    are suspicious anywhere if so many records have them that no measurement explains it.
    """
    places = np.flatnonzero(profile.is_number & _is_short(profile))
    written = [
        place for place, text in zip(places.tolist(), profile.strings(places), strict=True) if _SENTINEL.fullmatch(text)
    ]
    is_candidate = _flags(profile, written)
    is_candidate |= _single_digits(profile, is_candidate)
    others = profile.is_number & ~is_candidate
    if not others.any():
        return np.zeros(len(profile.counts), np.bool_)
    return is_candidate & (_is_apart(profile.numbers, others) | _is_frequent(profile, others))


def _single_digits(profile: Profile, left_out: Flags) -> Flags:
    """Return 8 and 9 where all other numbers are small codes, such as 1 to 5."""
    numbers = profile.numbers
    is_high = np.isin(numbers, (8.0, 9.0)) & ~left_out
    others = numbers[profile.is_number & ~is_high & ~left_out]
    is_small = bool(len(others)) and bool(
        np.all((others == np.rint(others)) & (others >= 0) & (others <= HIGHEST_CODE))
    )
    return is_high & is_small


def _is_short(profile: Profile) -> Flags:
    """Preselect by the first two letters, as `_SENTINEL` has them; so that few of a million texts are read."""
    word = profile.distinct.first_word
    first, second = (((word >> np.uint64(bits)) & np.uint64(0xFF)).astype(np.uint8) for bits in (0, 8))
    return _BEGINS[first, second] & (profile.distinct.length <= LONGEST_MISSING)


def _beginnings() -> Flags:
    """Return a table of the first two letters with which a sentinel begins."""
    found = np.zeros((256, 256), np.bool_)
    for pair in ("-123456789", "96789", "88", "77"):
        found[ord(pair[0]), [ord(letter) for letter in pair[1:]]] = True
    return found


_BEGINS = _beginnings()


def _is_apart(numbers: Floats, others: Flags) -> Flags:
    low, high = float(numbers[others].min()), float(numbers[others].max())
    is_below = (numbers < 0) & (low >= 0)
    is_above = (numbers > 0) & (numbers > max(high, 0.0) * FAR_AWAY)
    return is_below | is_above


def _is_frequent(profile: Profile, others: Flags) -> Flags:
    """Tell which numbers are far more frequent than nine in ten of the other numbers."""
    usual = float(np.quantile(profile.counts[others], 0.9))
    counts = profile.counts
    return (counts >= max(SHARED_TEXT, OFTEN * profile.values)) & (counts >= STICKS_OUT * usual)
