"""The verdict on a masked file: bounds on what was measured, of the recipe or by default, and whether they are met.

A file is accepted if every criterion was measured and met. What was not run is not met.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from constraint_sdc.errors import UsageError
from constraint_sdc.measures.assessment import Assessment, Figure, Measured, Unit
from constraint_sdc.measures.registry import MEASURES
from constraint_sdc.settings.accept import AcceptBound
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Role

_LEAST_CLASS = 2
"""A class of one hides nothing: no recipe can accept it."""
_SMALLEST = "achieved-k.k"

DEFAULTS = (
    AcceptBound(_SMALLEST, at_least=3),
    AcceptBound("distance-linkage.linked", at_most=9),
    AcceptBound("individual-risk.highest", at_most=9),
    AcceptBound("transparency.certain-records-published", at_most=0),
    AcceptBound("dominance.exposed", at_most=0),
)
"""Bounds where the recipe says nothing; docs/assess.md has their sources."""
_ONLY_WARNS = frozenset({"dominance.exposed"})
"""Defaults that lead to a warning: the recipe promises nothing about them."""


class Standing(Enum):
    """How a file stands by one criterion, or by all."""

    MET = "met"
    WARNED = "warned"
    MISSED = "missed"
    NOT_RUN = "not run"


class VerdictWord(Enum):
    """The word of a verdict."""

    ACCEPTED = "ACCEPTED"
    INCOMPLETE = "INCOMPLETE"
    WARNED = "WARNED"
    NOT_ACCEPTED = "NOT ACCEPTED"
    OBJECTION = "OBJECTION"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One figure with its bound. `value` is None if it was not run; `why` says why not.

    `misses` says what the figure does not cover.
    """

    bound: AcceptBound
    label: str
    unit: Unit
    value: float | None
    standing: Standing
    is_default: bool
    why: Reason | str | None = None
    misses: Reason | None = None


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """The word, and the criteria it rests on."""

    word: VerdictWord
    criteria: tuple[Criterion, ...]

    def of(self, standing: Standing) -> tuple[Criterion, ...]:
        """Return the criteria of one standing."""
        return tuple(one for one in self.criteria if one.standing is standing)

    @property
    def tone(self) -> str:
        """Return the colour: green ("pass") only if everything was run and met."""
        if self.word is VerdictWord.ACCEPTED:
            return "pass"
        return "fail" if self.word in (VerdictWord.OBJECTION, VerdictWord.NOT_ACCEPTED) else "warn"

    @property
    def breaks_recipe(self) -> bool:
        """Tell whether a bound that the recipe states is not met, or was not run."""
        return any(not one.is_default and one.standing is not Standing.MET for one in self.criteria)


def require_bounds(bounds: Sequence[AcceptBound]) -> None:
    """Refuse bounds on what no measure says, and a smallest class of one: UsageError."""
    for bound in bounds:
        if bound.measure not in MEASURES:
            hint = f"such as {DEFAULTS[1].name}; the measures are: {', '.join(MEASURES.names)}"
            raise UsageError(f"the recipe accepts {bound.name!r}, which no measure is called", hint=hint)
        if bound.name == _SMALLEST and (bound.at_least or 0) < _LEAST_CLASS:
            raise UsageError(
                f"the recipe accepts {_SMALLEST} below {_LEAST_CLASS}: a record alone in its class is not hidden",
                hint=f"write {_SMALLEST}: {{at least: {_LEAST_CLASS}}} or more",
            )


def verdict_of(assessment: Assessment) -> FileVerdict:
    """Return the verdict; UsageError for a bound on a figure that its measure does not have."""
    criteria = (*_of_file(assessment), *_of_measures(assessment))
    return FileVerdict(_word(assessment, criteria), criteria)


def _word(assessment: Assessment, criteria: Sequence[Criterion]) -> VerdictWord:
    if assessment.newly_broken or assessment.mismatches:
        return VerdictWord.OBJECTION
    found = {one.standing for one in criteria}
    for standing, word in (
        (Standing.MISSED, VerdictWord.NOT_ACCEPTED),
        (Standing.NOT_RUN, VerdictWord.INCOMPLETE),
        (Standing.WARNED, VerdictWord.WARNED),
    ):
        if standing in found:
            return word
    return VerdictWord.ACCEPTED


def _of_file(assessment: Assessment) -> Iterator[Criterion]:
    """Yield what no recipe can change: rules, certificate, published identifiers, the promise of every block."""
    broken = None if assessment.outcomes is None else float(assessment.newly_broken)
    yield _fixed("rules.newly-broken", "rules newly broken", broken, 0, because("no-rules-given"))
    if assessment.certificate is not None:
        yield _fixed("certificate.mismatches", "contradictions of the certificate", len(assessment.mismatches), 0)
    kept = [v for v in assessment.pair.variables if v.role is Role.IDENTIFIER and not v.is_masked]
    published = sum(v.name not in assessment.harmless for v in kept)
    yield _fixed("identifiers.published", "identifiers that are published", published, 0)
    held, blocks = (_figure(assessment, "achieved-k", name) for name in ("blocks-held", "blocks"))
    if held is not None and blocks is not None and held.value is not None and blocks.value is not None:
        below = blocks.value - held.value
        yield _fixed("achieved-k.blocks-below", "blocks with groups smaller than promised", below, 0)


def _fixed(name: str, label: str, value: float | None, most: float, why: Reason | None = None) -> Criterion:
    bound = AcceptBound(name, at_most=most)
    standing = Standing.NOT_RUN if value is None else Standing.MET if bound.allows(value) else Standing.MISSED
    return Criterion(bound, label, Unit.COUNT, value, standing, is_default=True, why=why if value is None else None)


def _of_measures(assessment: Assessment) -> Iterator[Criterion]:
    """Yield the bounds of the recipe and the defaults that it does not replace."""
    own = {bound.name: bound for bound in assessment.accept}
    for default in DEFAULTS:
        if default.name in own:
            continue
        if default.measure == "individual-risk" and assessment.pair.weights is None:
            continue  # a file without sampling weights is no sample
        yield _criterion(assessment, default, is_default=True)
    for bound in own.values():
        yield _criterion(assessment, bound, is_default=False)


def _criterion(assessment: Assessment, bound: AcceptBound, is_default: bool) -> Criterion:
    misses = MEASURES[bound.measure].traits.misses
    found = _measured(assessment, bound.measure)
    if found is None:
        why = next((one.why for one in assessment.not_run if one.measure == bound.measure), None)
        return Criterion(bound, bound.name, Unit.PLAIN, None, Standing.NOT_RUN, is_default, why, misses)
    figures = _figures(found, bound)
    values = [figure.value for figure in figures if figure.value is not None]
    label, unit = figures[0].label, figures[0].unit
    if not values:
        return Criterion(bound, label, unit, None, Standing.NOT_RUN, is_default, found.says, misses)
    value = bound.worst(values)
    bad = Standing.WARNED if is_default and bound.name in _ONLY_WARNS else Standing.MISSED
    return Criterion(bound, label, unit, value, Standing.MET if bound.allows(value) else bad, is_default, misses=misses)


def _figures(found: Measured, bound: AcceptBound) -> list[Figure]:
    """Return the figure, or all whose names begin with its name and a hyphen."""
    figures = [f for f in found.figures if f.name == bound.figure or f.name.startswith(f"{bound.figure}-")]
    exact = [figure for figure in figures if figure.name == bound.figure]
    if not figures:
        has = ", ".join(figure.name for figure in found.figures)
        what = f"the recipe accepts {bound.name!r}, but {bound.measure} has no such figure"
        raise UsageError(what, hint=f"it has: {has}")
    return exact or figures


def _measured(assessment: Assessment, name: str) -> Measured | None:
    every = (*assessment.utility, *assessment.risk, *assessment.attacks)
    return next((one for one in every if one.measure == name), None)


def _figure(assessment: Assessment, measure: str, name: str) -> Figure | None:
    found = _measured(assessment, measure)
    return None if found is None else next((f for f in found.figures if f.name == name), None)
