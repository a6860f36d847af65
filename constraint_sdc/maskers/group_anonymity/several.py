"""Several groups, one after the other, so that the swaps of one do not change the signals of all others.

Two records with the same status (vital, base) in another group over the same parameter are interchangeable in its
signal. A swap is allowed only between such records, so every group that reaches its wish keeps it, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Flags, Rows
from constraint_sdc.maskers.group_anonymity.influence import Allowed, Influence
from constraint_sdc.maskers.group_anonymity.swaps import EXACT_UP_TO, SwapTrace, choose_swaps, swapped
from constraint_sdc.maskers.group_anonymity.thresholds import cut, shared

RulesOf: TypeAlias = Callable[[str, Mapping[str, Rows]], Allowed]


@dataclass(frozen=True)
class Wish:
    """A group, its wished counts over a parameter, the cost of a swap, and the variables that define the group.

    `reference` is the vital and base set (a) of a difference signal, which the swaps of group (b) must not change.
    `threshold` is the most that the swaps may cost, `weight` what their cost counts in that of all wishes.
    """

    group: str
    parameter: str
    vital: Flags
    base: Flags
    counts: Counts
    influence: Influence
    reads: frozenset[str] = frozenset()
    reference: tuple[Flags, Flags] | None = None
    weight: float = 1.0
    threshold: float | None = None


@dataclass(frozen=True)
class Realised:
    """The parameters after all swaps, and the trace of every group, in the order of the wishes.

    `sources` has, for each parameter, the record whose original value each record has in the end.
    """

    codes: dict[str, Codes]
    sources: dict[str, Rows]
    traces: tuple[SwapTrace, ...]


def realise(
    wishes: Sequence[Wish],
    codes: Mapping[str, Codes],
    rules_of: RulesOf | None = None,
    *,
    exact_up_to: int = EXACT_UP_TO,
    threshold: float | None = None,
) -> Realised:
    """Return the parameters after the swaps of every wish; the swaps of one do not change the signal of another.

    With a `threshold` of the weighted total, wishes are carried out again, each with the share that is left to it.

    `rules_of` takes a parameter and, for all parameters, the record whose value each record has at that time. It
    returns which pairs may swap the parameter.
    """
    require_independent(wishes)
    now = dict(codes)
    sources = {name: np.arange(len(own), dtype=np.int64) for name, own in codes.items()}
    traces = []
    for number, wish in enumerate(wishes):
        status = _status(wish, [other for place, other in enumerate(wishes) if place != number])
        allowed = _alike_and(status, rules_of(wish.parameter, dict(sources)) if rules_of else None)
        trace = choose_swaps(
            now[wish.parameter], wish.vital, wish.base, wish.counts, wish.influence, allowed, exact_up_to=exact_up_to
        )
        trace = cut(trace, now[wish.parameter], wish.threshold)
        now[wish.parameter] = swapped(now[wish.parameter], trace)
        sources[wish.parameter] = swapped(sources[wish.parameter], trace)
        traces.append(trace)
    shares = None if threshold is None else shared(traces, [wish.weight for wish in wishes], threshold)
    if shares is None:
        return Realised(now, sources, tuple(traces))
    bound = [replace(wish, threshold=share) for wish, share in zip(wishes, shares, strict=True)]
    return realise(bound, codes, rules_of, exact_up_to=exact_up_to)


def require_independent(wishes: Sequence[Wish]) -> None:
    """Raise ValueError if membership in a group depends on a parameter that is swapped."""
    for wish in wishes:
        for other in wishes:
            if other.parameter in wish.reads:
                whom = "the group itself" if other is wish else f"group '{other.group}'"
                raise ValueError(
                    f"membership in group '{wish.group}' depends on '{other.parameter}', which is swapped for {whom}, "
                    "so its signal cannot be kept; define the group by other variables, or mask in separate runs"
                )


def _status(wish: Wish, others: Sequence[Wish]) -> Codes:
    """Return a number for each record; equal numbers mean the same status in every signal that must not change."""
    sets = [mask for other in others if other.parameter == wish.parameter for mask in (other.vital, other.base)]
    references = [one.reference for one in (wish, *others) if one.parameter == wish.parameter and one.reference]
    sets += [mask for reference in references for mask in reference]
    if not sets:
        return np.zeros(len(wish.vital), np.int64)
    return np.unique(np.column_stack(sets), axis=0, return_inverse=True)[1].reshape(-1)


def _alike_and(status: Codes, rules: Allowed | None) -> Allowed:
    """Return which pairs have the same status and are allowed by the rules, which are evaluated for no other pairs."""

    def allowed(rows: Rows, others: Rows) -> Flags:
        is_allowed: Flags = status[rows] == status[others]
        if rules is not None and is_allowed.any():
            is_allowed[is_allowed] = rules(rows[is_allowed], others[is_allowed])
        return is_allowed

    return allowed
