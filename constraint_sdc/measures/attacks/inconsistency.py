"""Inconsistency: masked records that break a rule, or lie on the boundary of one, betray that they were changed.

The intruder has the masked file and its rules, which hold in every original record, and wants to know which cells were
changed. N. Shlomo and T. de Waal, Protection of micro-data subject to edit constraints, 2008, ask for consistent
masking for this reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.constraints.constraint import EditRule, LinearAtom, atom_variables, atoms
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureInputs, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.attacks.rule_inference.narrowing import Scene, formula_narrower
from constraint_sdc.measures.attacks.rule_inference.value_bounds import Box
from constraint_sdc.plan.calendar_rules import rules_on_calendar
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

_EXACT = 1e-12
"""A sum is on a boundary if it misses it by less than this part of its largest term."""
_BROKEN = 1_000.0
"""A broken rule weighs more than any number of boundaries."""


@dataclass(frozen=True)
class Suspicion:
    """How suspicious every cell is, and whether it was changed: one entry per cell of the variables that rules read.

    `broken` and `on_boundary` are numbers of records.
    """

    score: Floats
    is_changed: Flags
    broken: int
    on_boundary: int
    by_rule: tuple[tuple[str, int, int], ...]

    @property
    def auc(self) -> float | None:
        """Return the chance that a changed cell is more suspicious than an unchanged one, ties counted half."""
        return area_under_curve(self.score, self.is_changed)

    @property
    def advantage(self) -> float | None:
        """Return how much more often a changed cell is accused than an unchanged one, with the best threshold."""
        return best_advantage(self.score, self.is_changed)


def area_under_curve(score: Floats, is_positive: Flags) -> float | None:
    """Return the area under the ROC curve (the statistic of Mann and Whitney); None if one side is empty.

    >>> area_under_curve(np.array([0.0, 0.0, 1.0, 1.0]), np.array([False, True, True, True]))
    0.8333333333333334
    """
    positives, negatives = int(is_positive.sum()), int((~is_positive).sum())
    if not positives or not negatives:
        return None
    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2.0)[place]
    return float((rank[is_positive].sum() - positives * (positives + 1) / 2.0) / (positives * negatives))


def best_advantage(score: Floats, is_positive: Flags) -> float | None:
    """Return the largest difference of the rates of right and false accusations, at least 0 (accuse nobody)."""
    if not is_positive.any() or is_positive.all():
        return None
    levels, place = np.unique(score, return_inverse=True)
    right = np.bincount(place[is_positive], minlength=len(levels))[::-1].cumsum() / is_positive.sum()
    false = np.bincount(place[~is_positive], minlength=len(levels))[::-1].cumsum() / (~is_positive).sum()
    return max(0.0, float((right - false).max()))


def suspicions(pair: Pair, rules: Sequence[EditRule], domains: Mapping[str, Floats]) -> Suspicion | None:
    """Return the suspicion against every masked cell that a rule reads; None if no rule reads a masked number."""
    numbers = {v.name: v.masked for v in pair.variables if v.scale is Scale.NUMERIC}
    names = frozenset(v.name for v in pair.variables)
    scene = Scene(names, frozenset(numbers), {}, domains)
    dates = {name: notation for name in numbers if (notation := pair[name].grid.notation) is not None}
    score = {name: np.zeros(len(pair)) for name in numbers if pair[name].is_masked}
    read: set[str] = set()
    broken, edge = np.zeros(len(pair), np.bool_), np.zeros(len(pair), np.bool_)
    told = []
    for rule in rules_on_calendar(rules, dates):
        variables = dict.fromkeys(n for atom in atoms(rule.constraint.formula) for n in atom_variables(atom))
        breaks, touches = _breaks(rule, scene, pair), _touches(rule, numbers, len(pair))
        told.append((rule.id, int(breaks.sum()), int(touches.sum())))
        broken, edge = broken | breaks, edge | touches
        for name in variables:
            if name in score:
                read.add(name)
                score[name] += _BROKEN * breaks + touches
    cells = [(score[name], ~pair[name].unchanged, np.isfinite(numbers[name])) for name in sorted(read)]
    if not cells or not len(pair):
        return None
    flat = np.concatenate([s[filled] for s, _, filled in cells])
    changed = np.concatenate([c[filled] for _, c, filled in cells])
    return Suspicion(flat, changed, int(broken.sum()), int(edge.sum()), tuple(told))


def _breaks(rule: EditRule, scene: Scene, pair: Pair) -> Flags:
    """Tell which masked records certainly break a rule: all that it reads is filled, and no rounding excuses them."""
    formula, broken = rule.constraint.formula, np.zeros(len(pair), np.bool_)
    narrower = formula_narrower(formula, scene)
    if narrower is None:
        return broken
    read = dict.fromkeys(name for atom in atoms(formula) for name in atom_variables(atom) if name in scene.names)
    rows: Flags = np.logical_and.reduce([~broken, *(np.isfinite(pair[name].masked) for name in read)])
    points = {name: (pair[name].masked[rows],) * 2 for name in read if name in scene.numbers}
    broken[rows] = ~narrower.narrow(Box(points, int(rows.sum()), scene.lattices)).possible
    return broken


def _touches(rule: EditRule, masked: Mapping[str, Floats], records: int) -> Flags:
    """Tell which masked records lie on the boundary of an inequality of the rule."""
    found = np.zeros(records, np.bool_)
    for atom in atoms(rule.constraint.formula):
        if isinstance(atom, LinearAtom) and atom.op not in ("=", "!=") and all(n in masked for n, _ in atom.terms):
            terms = [float(c) * masked[name] for name, c in atom.terms]
            largest = np.maximum.reduce(
                [np.abs(term) for term in terms] + [np.full(records, abs(float(atom.constant)))]
            )
            with np.errstate(over="ignore", invalid="ignore"):
                found |= np.abs(np.sum(terms, axis=0) - float(atom.constant)) <= _EXACT * largest
    return found


@dataclass(frozen=True)
class Inconsistency:
    """Accuse the cells of masked records that break rules or lie on their boundaries, and count right accusations."""

    name: ClassVar[str] = "inconsistency"
    title: ClassVar[str] = "Inconsistency"
    traits: ClassVar[MeasureTraits] = MeasureTraits("attack", needs_rules=True)

    rules: tuple[EditRule, ...] = ()
    domains: Mapping[str, Floats] | None = None

    def prepared(self, inputs: MeasureInputs) -> Inconsistency | None:
        """Return the attack with the rules of the run, None without any."""
        return Inconsistency(tuple(inputs.rules), inputs.domains) if inputs.rules else None

    def measure(self, pair: Pair) -> Measured:
        """Return how well suspicion separates changed from unchanged cells."""
        found = suspicions(pair, self.rules, self.domains or {}) if len(pair) and self.rules else None
        why = _why_not(found)
        if why is not None or found is None:
            why = why or because("rules-read-no-masked")
            said = because("not-run", why=why)
            return Measured(self.name, self.title, _figures(found), said, notes=(why,))
        says = (
            f"Changed cells are accused {100 * (found.advantage or 0.0):.2f} percentage points more often than "
            f"unchanged ones (AUC {found.auc:.3f}; 0.5 is a random guess); {found.broken:,} masked records break a "
            "rule that held before."
        )
        return Measured(self.name, self.title, _figures(found), says, (_table(found),), (because("rules-public"),))


REGISTERED = {"inconsistency": Inconsistency()}


def _why_not(found: Suspicion | None) -> Reason | None:
    if found is None:
        return because("rules-read-no-masked")
    if found.is_changed.all():
        return because("every-cell-changed", broken=found.broken)
    return None if found.is_changed.any() else because("no-cell-changed")


def _figures(found: Suspicion | None) -> tuple[Figure, ...]:
    auc, advantage = (None, None) if found is None else (found.auc, found.advantage)
    return (
        Figure("advantage", "changed cells accused more often than unchanged ones", _percent(advantage)),
        Figure("auc", "area under the ROC curve", auc, Unit.PLAIN),
        Figure("broken", "masked records that break a rule", None if found is None else found.broken, Unit.COUNT),
        Figure(
            "boundary",
            "masked records on a boundary of a rule",
            None if found is None else found.on_boundary,
            Unit.COUNT,
        ),
        Figure("cells", "cells that rules read", None if found is None else len(found.score), Unit.COUNT),
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100.0 * share


def _table(found: Suspicion) -> ResultTable:
    head, units = ("rule", "records that break it", "records on its boundary"), (None, Unit.COUNT, Unit.COUNT)
    return ResultTable("rules", "Suspicious records by rule", head, units, found.by_rule)
