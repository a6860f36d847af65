"""The verdict of an assessment in words: what speaks against a file, the bounds, and what figures do not cover."""

from __future__ import annotations

from constraint_sdc.measures.assessment import Unit
from constraint_sdc.measures.verdict import Criterion, FileVerdict, Standing
from constraint_sdc.reports.assessment.figures_text import shown
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.reports.terminal import align, clean, paint, wrapped


def against(verdict: FileVerdict) -> str:
    """Say which criteria are not met, and how many were not run."""
    missed = [f"{clean(one.label)} {shown(one.value, one.unit)} ({bound_text(one)})" for one in _missed(verdict)]
    not_run = [clean(one.bound.name) for one in verdict.of(Standing.NOT_RUN)]
    said = f"Speaks against it: {'; '.join(missed)}. " if missed else ""
    return said + (f"Not run: {', '.join(not_run)}. " if not_run else "")


def _missed(verdict: FileVerdict) -> tuple[Criterion, ...]:
    return tuple(
        one
        for one in (*verdict.of(Standing.MISSED), *verdict.of(Standing.WARNED))
        if one.bound.name not in ("rules.newly-broken", "certificate.mismatches")  # the sentence says these anyway
    )


def bound_text(criterion: Criterion) -> str:
    """Return the bound of a criterion in words."""
    bound = criterion.bound
    side, value = ("at least", bound.at_least) if bound.at_least is not None else ("at most", bound.at_most)
    limit = 0.0 if value is None else value
    return f"{side} {limit:g}%" if criterion.unit is Unit.PERCENT else f"{side} {limit:g}"


def criteria_lines(verdict: FileVerdict, columns: int, colour: bool) -> list[str]:
    """Return the criteria as a table, and what their figures do not cover."""
    rows = [
        (one.standing.value, clean(one.bound.name), shown(one.value, one.unit), bound_text(one), _source(one))
        for one in verdict.criteria
    ]
    first, *lines = align([("standing", "criterion", "found", "accepted", "bound by"), *rows], right=(2,))
    found = [paint(first, "faint", colour), *lines]
    for one in verdict.criteria:
        if one.misses is not None and one.value is not None:
            found += wrapped(f"{one.bound.name} does not cover {sentence(one.misses)}", columns, "  ", "    ")
    return found


def _source(criterion: Criterion) -> str:
    return "default" if criterion.is_default else "recipe"
