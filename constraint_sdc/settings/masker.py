"""The ways to mask a file, with what each of them may be told.

Every masker promises that rules which held still hold. Whether k records share their values is a promise of its own,
which not every masker makes; see `docs/maskers`, one page each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, assert_never

from constraint_sdc.settings.goal import (
    AddedExtremum,
    Change,
    ChangedApproximation,
    GivenSignal,
    Goal,
    Influential,
    MovedExtremum,
    SignalKind,
    VitalSet,
)
from constraint_sdc.settings.words import Scale


@dataclass(frozen=True, slots=True)
class Microaggregation:
    """Records in groups of at least k, and every group shares one representative: the default."""

    name: ClassVar[str] = "microaggregation"


@dataclass(frozen=True, slots=True)
class Microhybrid:
    """Synthetic values in every cluster of at least k records, with the cluster's means and covariances.

    `given` are variables that stay as they are; the covariances with them are kept as well.
    """

    name: ClassVar[str] = "microhybrid"

    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FuzzyCMeans:
    """Every record becomes a centre, drawn by its memberships: `m1` says how fuzzy centres are, `m2` how fuzzy draws.

    `ensure_k` dissolves centres that fewer than k records drew; without it k is reported, not promised. `constrained`
    moves centres onto the linear rules while they are sought.
    """

    name: ClassVar[str] = "fuzzy-c-means"

    m1: float = 1.2
    m2: float = 1.3
    ensure_k: bool = False
    constrained: bool = False


@dataclass(frozen=True, slots=True)
class GroupAnonymity:
    """Parameter values swapped between records until goal signals are as wished; nothing else changes.

    `influential` are the variables in which the two records of a swap should be alike.
    """

    name: ClassVar[str] = "group-anonymity"

    goals: tuple[Goal, ...]
    influential: tuple[Influential, ...] = ()


Method: TypeAlias = Microaggregation | Microhybrid | FuzzyCMeans | GroupAnonymity

MASKERS: tuple[str, ...] = (Microaggregation.name, Microhybrid.name, FuzzyCMeans.name, GroupAnonymity.name)
"""The names that `--method` takes besides those of partitions, which stand for microaggregation."""


def draws(method: Method) -> bool:
    """Tell whether chance decides what a record gets, so that the seed must stay secret."""
    return isinstance(method, Microhybrid | FuzzyCMeans)


def divides_itself(method: Method) -> bool:
    """Tell whether the masker needs no partition method: it forms groups in its own way, or none."""
    return isinstance(method, FuzzyCMeans | GroupAnonymity)


# A masker and what it was told as JSON values: in recipes, plans and certificates alike.

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    Microaggregation.name: ("partition",),
    Microhybrid.name: ("partition", "given"),
    FuzzyCMeans.name: ("m1", "m2", "ensure_k", "constrained"),
    GroupAnonymity.name: ("goals", "influential"),
}
"""What may stand beside `method` under `mask`, by masker."""


def method_to_json(method: Method) -> dict[str, object]:
    """Return the masker as it stands under `mask`; numbers with a point are texts, as in every recipe."""
    match method:
        case Microaggregation():
            return {"method": method.name}
        case Microhybrid(given=given):
            return {"method": method.name, **({"given": list(given)} if given else {})}
        case FuzzyCMeans(m1=m1, m2=m2, ensure_k=ensure_k, constrained=constrained):
            told = {"m1": repr(m1), "m2": repr(m2), "ensure_k": ensure_k, "constrained": constrained}
            return {"method": method.name, **told}
        case GroupAnonymity(goals=goals, influential=influential):
            entry: dict[str, object] = {"method": method.name, "goals": [_goal_to_json(goal) for goal in goals]}
            if influential:
                entry["influential"] = [_influential_to_json(one) for one in influential]
            return entry
    assert_never(method)


def method_from_json(content: Mapping[str, Any]) -> Method:
    """Return the masker that an entry under the schema stands for; any other name is a partition's."""
    match content.get("method"):
        case Microhybrid.name:
            return Microhybrid(tuple(content.get("given", ())))
        case FuzzyCMeans.name:
            plain = FuzzyCMeans()
            return FuzzyCMeans(
                m1=float(content.get("m1", plain.m1)),
                m2=float(content.get("m2", plain.m2)),
                ensure_k=content.get("ensure_k", False),
                constrained=content.get("constrained", False),
            )
        case GroupAnonymity.name:
            return GroupAnonymity(
                tuple(_goal(entry) for entry in content.get("goals", ())),
                tuple(_influential(entry) for entry in content.get("influential", ())),
            )
    return Microaggregation()


def _goal(entry: Mapping[str, Any]) -> Goal:
    against = entry.get("against")
    return Goal(
        parameter=entry["parameter"],
        group=VitalSet(entry["vital"], entry.get("base")),
        signal=SignalKind(entry.get("signal", SignalKind.QUANTITY.value)),
        against=None if against is None else VitalSet(against["vital"], against.get("base")),
        order=tuple(str(value) for value in entry.get("order", ())),
        changes=tuple(_change(change) for change in entry.get("change", ())),
        normalise=entry.get("normalise", False),
    )


def _goal_to_json(goal: Goal) -> dict[str, object]:
    entry: dict[str, object] = {"parameter": goal.parameter, **_set_to_json(goal.group), "signal": goal.signal.value}
    if goal.against is not None:
        entry["against"] = _set_to_json(goal.against)
    if goal.order:
        entry["order"] = list(goal.order)
    entry["change"] = [_change_to_json(change) for change in goal.changes]
    if goal.normalise:
        entry["normalise"] = True
    return entry


def _set_to_json(group: VitalSet) -> dict[str, object]:
    return {"vital": group.vital, **({} if group.base is None else {"base": group.base})}


def _change(entry: Mapping[str, Any]) -> Change:
    ((kind, told),) = entry.items()
    match kind:
        case "move":
            return MovedExtremum(str(told["from"]), str(told["to"]))
        case "add":
            return AddedExtremum(str(told["at"]), float(told["height"]) if "height" in told else None)
        case "wavelet":
            wish = told.get("approximation", "reverse")
            if not isinstance(wish, str):
                wish = tuple(float(number) for number in wish)
            return ChangedApproximation(told.get("wavelet", "haar"), told.get("level", 1), wish)
        case "signal":
            return GivenSignal(tuple(float(number) for number in told))
    raise ValueError(f"the schema knows no change {kind!r}")


def _change_to_json(change: Change) -> dict[str, object]:
    match change:
        case MovedExtremum(source, target):
            return {"move": {"from": source, "to": target}}
        case AddedExtremum(at, height):
            return {"add": {"at": at, **({} if height is None else {"height": repr(height)})}}
        case ChangedApproximation(wavelet, level, approximation):
            wish = approximation if isinstance(approximation, str) else [repr(number) for number in approximation]
            return {"wavelet": {"wavelet": wavelet, "level": level, "approximation": wish}}
        case GivenSignal(values):
            return {"signal": [repr(number) for number in values]}
    assert_never(change)


def _influential(entry: Mapping[str, Any]) -> Influential:
    return Influential(
        name=entry["variable"],
        weight=float(entry.get("weight", 1)),
        scale=Scale(entry["type"]) if "type" in entry else None,
        same=float(entry.get("same", 0)),
        different=float(entry.get("different", 1)),
    )


def _influential_to_json(one: Influential) -> dict[str, object]:
    entry: dict[str, object] = {"variable": one.name, "weight": repr(one.weight)}
    if one.scale is not None:
        entry["type"] = one.scale.value
    if one.scale in (None, Scale.NOMINAL):
        entry |= {"same": repr(one.same), "different": repr(one.different)}
    return entry
