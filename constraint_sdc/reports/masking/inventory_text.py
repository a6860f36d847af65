"""What becomes of everything in the file, for a terminal, and what to do about things that nobody decided on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from constraint_sdc.plan.plan import Fate, InventoryEntry, Plan
from constraint_sdc.reports.check.wording import number
from constraint_sdc.reports.sentences import sentence, sentences
from constraint_sdc.reports.terminal import align, clean, padded, paint, width, wrapped
from constraint_sdc.settings.reason import Reason

_MOST_NAMED = 20


def inventory_lines(plan: Plan, columns: int, colour: bool) -> Iterator[str]:
    """Yield how many things have which fate, then what stands around the variables and what is kept for a reason."""
    if not plan.inventory:
        return
    told = [one for one in plan.inventory if told_by_inventory(one)]
    yield from ("", *wrapped(f"everything in the file: {fate_counts(plan.inventory)}", columns, "", "  "))
    names = align([(clean(one.what), _count(one), one.fate.value) for one in told], right=(1,))
    cells = max(map(width, names), default=0)
    for one, name in zip(told, names, strict=True):
        lines = wrapped(clean(sentence(one.because)), columns, f"  {padded(name, cells)}  ", " " * (cells + 4))
        style = "doubtful" if one.fate is Fate.UNDECIDED else "plain"
        yield from (paint(line, "doubtful", colour) if style == "doubtful" else line for line in lines)


def fate_counts(inventory: Sequence[InventoryEntry]) -> str:
    """Return how many things have which fate.

    >>> from constraint_sdc.settings.reason import because
    >>> fate_counts([InventoryEntry("V1", "variable", Fate.MASKED, because("decided-by-recipe"))])
    '1 masked'
    """
    counts = Counter(one.fate for one in inventory if one.kind != "names")
    return ", ".join(f"{number(counts[fate])} {fate.value}" for fate in Fate if counts[fate]) or "nothing"


def told_by_inventory(one: InventoryEntry) -> bool:
    """Tell whether a thing is not told of elsewhere: variables are in their blocks or under `not masked`."""
    if one.kind == "names":
        return False
    return not one.is_variable or one.fate is Fate.UNDECIDED or one.because.code == "harmless"


def _count(one: InventoryEntry) -> str:
    return "" if one.count is None else number(one.count)


def undecided_lines(things: Sequence[tuple[str, tuple[Reason, ...]]]) -> tuple[str, ...]:
    """Return what nobody decided on and what it looks like, one line each; the first of many."""
    lines = [
        f"{name}: {'; '.join(sentences(reasons)) or 'stands around the variables; decide under `surroundings`'}"
        for name, reasons in things[:_MOST_NAMED]
    ]
    more = len(things) - len(lines)
    return (*lines, f"and {number(more)} more") if more > 0 else tuple(lines)
