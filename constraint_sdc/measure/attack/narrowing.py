"""From an edit rule to what it does to boxes, and on which records an intruder can rely on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.measure.attack.atom_bounds import Scene, atom_narrower
from constraint_sdc.measure.attack.box_bounds import Box, Narrowed, Narrower, hull, narrow_in_turn
from constraint_sdc.model.constraint import AllOf, AnyOf, EditRule, Formula, atom_variables, atoms
from constraint_sdc.model.pair import Floats, Mask


@dataclass(frozen=True)
class Every:
    """All conditions hold."""

    conditions: tuple[Narrower, ...]

    def narrow(self, box: Box) -> Narrowed:
        """Return what is left after each in turn."""
        return narrow_in_turn(box, self.conditions)


@dataclass(frozen=True)
class Some:
    """At least one condition holds: those refuted for a record drop out, what the others leave is joined."""

    conditions: tuple[Narrower, ...]

    def narrow(self, box: Box) -> Narrowed:
        """Return the smallest box around what each condition leaves."""
        return hull(box, tuple(condition.narrow(box) for condition in self.conditions))


def formula_narrower(formula: Formula, scene: Scene) -> Narrower | None:
    """Return what a formula does to boxes; None when it tells nothing.

    Of a conjunction we use the parts that tell something. A disjunction with a part that tells nothing tells nothing.
    """
    match formula:
        case AllOf(items):
            found = [formula_narrower(item, scene) for item in items]
            telling = tuple(one for one in found if one is not None)
            return Every(telling) if telling else None
        case AnyOf(items):
            found = [formula_narrower(item, scene) for item in items]
            telling = tuple(one for one in found if one is not None)
            return Some(telling) if len(telling) == len(items) else None
        case _:
            return atom_narrower(formula, scene)


@dataclass(frozen=True)
class AppliedRule:
    """A rule that an intruder can use: on the `rows` in which every variable that it reads is filled."""

    id: str
    variables: tuple[str, ...]
    narrower: Narrower
    rows: Mask


@dataclass(frozen=True)
class UsableRules:
    """The rules that tell something, those that tell nothing, and those that the original itself breaks (ids)."""

    rules: tuple[AppliedRule, ...]
    silent: tuple[str, ...]
    broken: tuple[str, ...]


def usable_rules(
    rules: Sequence[EditRule], scene: Scene, original: Mapping[str, Floats], filled: Mapping[str, Mask]
) -> UsableRules:
    """Divide rules by whether an intruder can use them.

    A rule's formula holds for every record, because the condition of its context is part of it. It is tried on the box
    that is the original record itself. What is possible there loses that record from no larger box (see `Narrower`), so
    the rules returned are safe to use, however their own arithmetic rounds.
    """
    usable: list[AppliedRule] = []
    silent: list[str] = []
    broken: list[str] = []
    for rule in rules:
        applied = _applied(rule, scene, filled)
        if applied is None:
            silent.append(rule.id)
        elif _holds(applied, scene, original):
            usable.append(applied)
        else:
            broken.append(rule.id)
    return UsableRules(tuple(usable), tuple(silent), tuple(broken))


def _applied(rule: EditRule, scene: Scene, filled: Mapping[str, Mask]) -> AppliedRule | None:
    formula = rule.constraint.formula
    narrower = formula_narrower(formula, scene)
    if narrower is None:
        return None
    read = dict.fromkeys(name for atom in atoms(formula) for name in atom_variables(atom) if name in scene.names)
    rows: Mask = np.logical_and.reduce([filled[name] for name in read])
    return AppliedRule(rule.id, tuple(name for name in read if name in scene.numbers), narrower, rows)


def _holds(rule: AppliedRule, scene: Scene, original: Mapping[str, Floats]) -> bool:
    points = {name: (original[name][rule.rows],) * 2 for name in rule.variables}
    box = Box(points, int(rule.rows.sum()), scene.lattices)
    return bool(rule.narrower.narrow(box).possible.all())
