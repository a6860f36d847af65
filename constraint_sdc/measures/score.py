"""SCORE: J. Domingo-Ferrer and V. Torra, in Confidentiality, Disclosure and Data Access, 111-133, 2001.

The loss is PIL: J. M. Mateo-Sanz, J. Domingo-Ferrer and F. Sebe, Data Mining and Knowledge Discovery 11, 181-193, 2005.
One number for loss and risk together, by which methods are compared in the literature. Lower is better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from constraint_sdc.measures.assessment import Figure, Measured
from constraint_sdc.settings.reason import Reason, because

NAME = "score"
TITLE = "SCORE: loss and risk in one number"

UNMASKED = 50.0
"""The score of a file that was not masked: no loss, full risk. Only a lower score is an improvement."""


@dataclass(frozen=True, slots=True)
class Score:
    """All in percent; None where a part is missing."""

    pil: float | None
    dbrl: float | None
    id: float | None

    @property
    def dr(self) -> float | None:
        """Return the disclosure risk: the mean of linkage and interval disclosure."""
        return _mean(self.dbrl, self.id)

    @property
    def score(self) -> float | None:
        """Return the mean of loss and risk."""
        return _mean(self.pil, self.dr)


@dataclass(frozen=True, slots=True)
class AveragedLinkage:
    """DBRL averaged over intruders who know 1 to `most` variables, in percent; `notes` say what was drawn."""

    dbrl: float | None
    most: int
    notes: tuple[Reason, ...] = ()

    @property
    def words(self) -> str:
        """Return over which intruders it was averaged."""
        known = "1 variable" if self.most == 1 else f"1 to {self.most} variables"
        return f"with linkage averaged over intruders who know {known}"


def score(pil: float | None, dbrl: float | None, id: float | None) -> Score:
    """Combine the loss (PIL), the linkage (DBRL) and the interval disclosure (ID).

    >>> score(38.43, 31.30, 37.24).score
    36.35
    >>> score(0.0, 100.0, 100.0).score
    50.0
    """
    return Score(pil, dbrl, id)


def _mean(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else (one + other) / 2.0


def score_measured(
    pil: float | None, dbrl: float | None, id: float | None, averaged: AveragedLinkage | None = None
) -> Measured:
    """Return the score as a result for reports, with a second one if the linkage was averaged."""
    found = score(pil, dbrl, id)
    figures = (
        Figure("score", "SCORE, the mean of PIL and DR", found.score),
        Figure("pil", "PIL, information lost", found.pil),
        Figure("dr", "DR, disclosure risk: the mean of DBRL and ID", found.dr),
        Figure("dbrl", "DBRL, records linked", found.dbrl),
        Figure("id", "ID, values within the rank interval", found.id),
    )
    if averaged is None:
        return Measured(NAME, TITLE, figures, _says(found), notes=tuple(_notes(found)))
    other = score(pil, averaged.dbrl, id)
    averages = (
        Figure("score-averaged", f"SCORE averaged: as above, {averaged.words}", other.score),
        Figure("dr-averaged", "DR averaged: the mean of DBRL averaged and ID", other.dr),
        Figure("dbrl-averaged", "DBRL averaged: records linked, mean over sizes", other.dbrl),
    )
    says = f"{_says(found)} {_says_averaged(other, averaged)}"
    return Measured(NAME, TITLE, (*figures, *averages), says, notes=(*_notes(found), *averaged.notes))


def _says(found: Score) -> str:
    if found.score is None:
        return "Not measured: the SCORE needs PIL, DBRL and ID, and not all of them are defined for this file."
    side = "better than" if found.score < UNMASKED else "no better than"
    return (
        f"The SCORE is {found.score:.2f} (lower is better): {side} the {UNMASKED:.0f} of a file that was not masked; "
        f"loss {found.pil:.2f}%, risk {found.dr:.2f}%."
    )


def _says_averaged(found: Score, averaged: AveragedLinkage) -> str:
    if found.score is None:
        return f"Not measured either {averaged.words}."
    return f"It is {found.score:.2f} {averaged.words}: risk {found.dr:.2f}%."


def _notes(found: Score) -> Iterator[Reason]:
    missing = [name for name, part in (("PIL", found.pil), ("DBRL", found.dbrl), ("ID", found.id)) if part is None]
    if missing:
        yield because("score-parts-missing", parts=tuple(missing))
    yield because("score-of-unmasked", score=UNMASKED)
