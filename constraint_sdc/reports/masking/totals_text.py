"""Totals for people: which are computed from which blocks, which are not and why, and both prices."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.plan.plan import ComputedTotal, Plan, TotalsPlan
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.reports.terminal import align, clean, fact, paint, wrapped


def totals_lines(plan: Plan, columns: int, colour: bool) -> Iterator[str]:
    """Yield what is computed for every record, and what is not; nothing if totals are masked with their parts."""
    totals = plan.totals
    if totals is None:
        return
    yield from ("", paint(f"totals: {totals_word(totals)}", "strong", colour))
    if totals.loss is not None:
        yield from fact("price", price_words(totals), columns)
    if totals.computed:
        head, *rows = align(
            [("variable", "rule", "computed from", "grid", "loss"), *map(_cells, totals.computed)], right=(4,)
        )
        yield "  " + paint(head, "faint", colour)
        yield from (f"  {row}" for row in rows)
    for one in totals.undone:
        said = f"{clean(one.name)} is not computed by {clean(one.rule)}: {clean(sentence(one.because))}"
        yield from wrapped(said, columns, "  - ", "    ")


def totals_word(totals: TotalsPlan) -> str:
    """Say how many totals are computed, and whether that was asked for or chosen."""
    chosen = "chosen by auto" if totals.asked == "auto" else "as asked"
    if not totals.computed:
        return f"none computed, all masked with their parts ({chosen})"
    return f"{counted(len(totals.computed), 'variable')} computed for every record ({chosen})"


def price_words(totals: TotalsPlan) -> str:
    """Return the loss of the file, and what it would be with all totals masked with their parts."""
    together = "not computed" if totals.together_loss is None else f"{totals.together_loss:.2f}"
    return f"information loss of all masked variables {totals.loss or 0.0:.2f}, with totals together {together}"


def source_words(total: ComputedTotal) -> str:
    """Say where the parts of a total are masked.

    >>> from constraint_sdc.data.series import Grid
    >>> from constraint_sdc.settings.words import Role
    >>> source_words(ComputedTotal("T", Role.CONFIDENTIAL, Grid(0), "sum", ("A", "B"), (2, 5)))
    'blocks 2 and 5'
    """
    numbers = [number(block) for block in total.blocks]
    if len(numbers) < 2:
        return f"block {numbers[0]}" if numbers else "unmasked variables"
    return f"blocks {', '.join(numbers[:-1])} and {numbers[-1]}"


def _cells(total: ComputedTotal) -> tuple[str, ...]:
    loss = "-" if total.loss is None else f"{total.loss:.2f}"
    return clean(total.name), clean(total.rule), source_words(total), str(total.grid), loss
