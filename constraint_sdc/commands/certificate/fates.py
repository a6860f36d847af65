"""Compare the inventory of a certificate with its plan and with the masked file."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.data.surroundings import DocumentSurroundings, Surrounding, SurroundingKind
from constraint_sdc.plan.plan import Fate, InventoryEntry, Plan


def fate_differences(
    plan: Plan | None, names: frozenset[str], found: DocumentSurroundings, absent: frozenset[str]
) -> Iterator[str]:
    """Yield where the file or the plan is not as the inventory says; `names` are the variables of the masked file.

    `absent` are masked or computed variables of which the certificate says that no record has them.
    """
    if plan is None:
        return
    entries = {one.what: one for one in plan.inventory if one.is_variable}
    for name in sorted(names - entries.keys()):
        yield f"inventory: {name} is in the file, but not in the inventory"
    for name, one in entries.items():
        if name in absent:
            if name in names:
                yield f"inventory: {name} is in the file, certified as absent from every record"
            elif _planned(name, plan) not in (Fate.MASKED, Fate.COMPUTED):
                yield f"inventory: {name} is certified as absent from every record, but it is not masked"
        elif (name in names) == (one.fate is Fate.REMOVED):
            yield f"inventory: {name} is {'' if name in names else 'not '}in the file, certified as {one.fate.value}"
        elif one.fate is not Fate.UNDECIDED and one.fate is not _planned(name, plan):
            yield f"inventory: {name} is certified as {one.fate.value}, which is not what the plan does"
    for name in sorted(absent - entries.keys()):
        yield f"inventory: {name} is certified as absent from every record, but not in the inventory"
    if plan.undecided == "refuse" and any(one.fate is Fate.UNDECIDED for one in plan.inventory):
        yield "inventory: something is undecided, although that is certified to be refused"
    yield from _around(plan, found)


def _planned(name: str, plan: Plan) -> Fate:
    kept = {one.name: one for one in plan.kept}
    if name in {one.name for one in plan.recoded}:
        return Fate.MASKED
    if name in kept:
        return Fate.REMOVED if kept[name].is_removed else Fate.KEPT
    return Fate.COMPUTED if name in {total.name for total in plan.computed} else Fate.MASKED


def _around(plan: Plan, found: DocumentSurroundings) -> Iterator[str]:
    """Yield where what stands around the variables is not as the inventory says."""
    around = [one for one in plan.inventory if not one.is_variable and one.kind != "names"]
    removed = frozenset(one.what for one in around if one.fate is Fate.REMOVED)
    taken_out = frozenset(one.what for one in plan.inventory if one.is_variable and one.fate is Fate.REMOVED)
    if described := sorted(found.described & taken_out):
        yield f"inventory: the metadata describes {described[0]}, which is certified as removed"
    stays = tuple(_surrounding(one) for one in around if one.fate is not Fate.REMOVED)
    expected = DocumentSurroundings(stays, found.described).without(removed)
    now = tuple(Surrounding(one.kind, one.path, one.count) for one in found.found)
    if difference := expected.difference(DocumentSurroundings(now, expected.described), removed):
        yield f"inventory: {difference}"


def _surrounding(one: InventoryEntry) -> Surrounding:
    return Surrounding(SurroundingKind(one.kind), one.what, one.count or 0)
