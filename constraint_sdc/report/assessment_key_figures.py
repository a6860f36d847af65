"""What a review board asks first of a masked file: six numbers, taken from the measures by their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from constraint_sdc.model.assessment import Assessment, Figure, Measured
from constraint_sdc.report.charts_sweep import UNMASKED
from constraint_sdc.report.figures_text import count, shown_figure
from constraint_sdc.report.wording import number

_NOT_DEFINED, _NOT_MEASURED = "not defined", "not measured"


def key_figures(assessment: Assessment) -> Iterator[tuple[str, str, bool]]:
    """Yield a label, a number in words, and whether it alone speaks against the file."""
    yield _newly_broken(assessment)
    yield _blocks_that_hold(assessment)
    smallest = _figure(assessment.risk, "achieved-k", "k")
    yield "Smallest group over all known variables", shown_or_why_not(smallest), False
    score, linked = (_figure((assessment.score,), "score", name) for name in ("score", "dbrl"))
    is_useless = score is not None and score.value is not None and score.value >= UNMASKED
    yield "SCORE (50: not masked)", shown_or_why_not(score).removesuffix("%"), is_useless
    yield "Records linked (DBRL)", shown_or_why_not(linked), False
    yield _certain(assessment)


def shown_or_why_not(figure: Figure | None) -> str:
    """Return a figure's number, or that it was not asked for, or is not defined for this file."""
    if figure is None:
        return _NOT_MEASURED
    return _NOT_DEFINED if figure.value is None else shown_figure(figure)


def _newly_broken(assessment: Assessment) -> tuple[str, str, bool]:
    if assessment.outcomes is None:
        return "Rules newly broken", "no rules given", False
    broken = assessment.newly_broken
    return "Rules newly broken", f"{number(broken)} of {number(len(assessment.outcomes))}", broken > 0


def _blocks_that_hold(assessment: Assessment) -> tuple[str, str, bool]:
    k = assessment.pair.k
    if k is None:
        return "Blocks that keep k", "no k promised", False
    label = f"Blocks with groups of at least k = {number(k)}"
    held, blocks = (_figure(assessment.risk, "achieved-k", name) for name in ("blocks-held", "blocks"))
    if held is None or blocks is None or held.value is None or blocks.value is None:
        return label, shown_or_why_not(held), False
    return label, f"{count(held.value)} of {count(blocks.value)}", held.value < blocks.value


def _certain(assessment: Assessment) -> tuple[str, str, bool]:
    """Return how many records the best informed of the intruders is certain of."""
    label = "Certain re-identifications, at worst"
    found = next((one for one in assessment.attacks if one.measure == "transparency"), None)
    if found is None:
        return label, _NOT_MEASURED, False
    certain = [f.value for f in found.figures if f.name.startswith("certain-records-") and f.value is not None]
    if not certain:
        return label, _NOT_DEFINED, False
    return label, f"{count(max(certain))} of {number(assessment.records)}", max(certain) > 0


def _figure(measured: Sequence[Measured], measure: str, name: str) -> Figure | None:
    return next((f for one in measured if one.measure == measure for f in one.figures if f.name == name), None)
