"""What is promised about people and what was counted, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.promised import Found, PromiseCount
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.reports.terminal import align, clean, paint, wrapped
from constraint_sdc.settings.protect import Protect, protect_to_json

_MOST_NAMES = 6  # of a promise; certificate and JSON have them all
_VERDICT = {True: "kept", False: "NOT KEPT", None: "measured"}


def people_lines(counted: tuple[PromiseCount, ...], colour: bool) -> Iterator[str]:
    """Yield a table of the promises as they were counted on the written file; nothing if there are none."""
    if not counted:
        return
    yield from ("", paint("people: counted in the written file", "strong", colour))
    rows = [("promise", "", "of", "asked", "found"), *map(_cells, counted)]
    head, *lines = align(rows)
    yield paint(head, "faint", colour)
    for one, line in zip(counted, lines, strict=True):
        yield line if one.is_kept else paint(line, "doubtful", colour)


def counted_line(one: PromiseCount) -> str:
    """Return a promise and what was counted in one line.

    >>> counted_line(PromiseCount("key", ("Age", "Sex"), {"k": 5}, {"smallest": 1, "below_k": 3}, False))
    'key (Age, Sex): asked k = 5, found smallest = 1, below k = 3'
    """
    return f"{one.promise} ({clean(', '.join(one.of))}): asked {_entries(one.asked)}, found {_entries(one.found)}"


def _cells(one: PromiseCount) -> tuple[str, ...]:
    return (
        one.promise,
        "WARNING" if _is_warned(one) else _VERDICT[one.is_kept],
        clean(", ".join(one.of)) if len(one.of) <= _MOST_NAMES else f"{len(one.of)} variables",
        _entries(one.asked),
        _entries(one.found),
    )


def _is_warned(one: PromiseCount) -> bool:
    """Tell whether something was found that a promise would forbid."""
    return one.is_kept is None and bool(one.found.get("dominated"))


def _entries(entries: Mapping[str, Found]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} = {_shown(value)}" for name, value in entries.items()) or "nothing"


def _shown(value: Found) -> str:
    if value is None:
        return "not known"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else clean(value)


def promised_lines(plan: Plan, columns: int, colour: bool) -> Iterator[str]:
    """Yield what a plan promises about people, and what it does not."""
    yield from recoded_lines(plan, colour)
    if plan.protect == Protect() and not plan.not_promised:
        return
    yield from ("", paint("promised about people", "strong", colour))
    for promise in promise_words(plan.protect):
        yield from wrapped(clean(promise), columns, "  ", "    ")
    for line in sentences(plan.not_promised):
        yield from (paint(one, "doubtful", colour) for one in wrapped(clean(line), columns, "  ", "    "))


def recoded_lines(plan: Plan, colour: bool) -> Iterator[str]:
    """Yield the categories of the key that are made coarser; nothing if there are none."""
    if not plan.recoded:
        return
    yield from ("", paint("made coarser for the key", "strong", colour))
    rows = [("variable", "level", "emptied cells", "loss")]
    rows += [
        (clean(one.name), f"{one.level} of {one.levels}", f"{one.emptied:,}", f"{one.loss:.2f}") for one in plan.recoded
    ]
    yield from align(rows, right=(2, 3))


def promise_words(protect: Protect) -> Iterator[str]:
    """Yield each promise in words."""
    for name, entry in protect_to_json(protect).items():
        for one in entry if isinstance(entry, list) else [entry]:
            yield f"{name}: {_said(one)}"


def _said(entry: object) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    shown = {name: ", ".join(value) if isinstance(value, list) else str(value) for name, value in entry.items()}
    return "; ".join(f"{name} {value}" for name, value in shown.items())
