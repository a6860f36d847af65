"""Kinds of texts: categories, identifiers and free text. A text is never certain."""

from __future__ import annotations

import numpy as np

from constraint_sdc.evidence.kinds import ColumnKind, Resemblance
from constraint_sdc.evidence.names import NameHint, name_hints
from constraint_sdc.evidence.profile import Profile
from constraint_sdc.evidence.thresholds import LEAST_DISTINCT, LONG_TEXT, MOSTLY_ALONE, SAMPLED_TEXTS, WORDS
from constraint_sdc.settings.reason import because


def as_texts(profile: Profile) -> Resemblance:
    """Return what a column of texts looks like."""
    hints = name_hints(profile.name)
    zeros = int(profile.counts[profile.has_zero].sum())
    signs = [because("looks-leading-zeros", records=zeros)] if zeros else []
    signs += [because("looks-named", what=hint.value) for hint in (NameHint.IDENTIFIER, NameHint.TEXT) if hint in hints]
    if NameHint.PERIOD in hints:
        few = because("looks-few", distinct=len(profile.counts), values=profile.values)
        return Resemblance(ColumnKind.CATEGORY, (because("looks-named", what=NameHint.PERIOD.value), few))
    words = _mean_words(profile)
    if _mean_length(profile) >= LONG_TEXT or words >= WORDS:
        return Resemblance(ColumnKind.FREE_TEXT, (*signs, because("looks-long", words=round(words))))
    is_alone = profile.alone > MOSTLY_ALONE * profile.values
    is_named = NameHint.IDENTIFIER in hints and len(profile.counts) > LEAST_DISTINCT
    if is_alone or is_named:
        unique = because("looks-unique", alone=profile.alone, values=profile.values)
        return Resemblance(ColumnKind.IDENTIFIER, (*signs, unique))
    few = because("looks-few", distinct=len(profile.counts), values=profile.values)
    return Resemblance(ColumnKind.CATEGORY, (*signs, few))


def _mean_words(profile: Profile) -> float:
    read = profile.strings(np.arange(min(len(profile.counts), SAMPLED_TEXTS)))
    return sum(len(text.split()) for text in read) / len(read)


def _mean_length(profile: Profile) -> float:
    return float(profile.distinct.length @ profile.counts) / profile.values
