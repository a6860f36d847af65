"""The inventory: everything in the file has exactly one fate, or the plan refuses.

A variable is decided if the recipe gives it a role or a type, if it weighs the records or the masker needs it, or if
its values leave no doubt (`evidence/looks.py`). An identifier is decided if it is removed, or kept for a reason; what
looks like one and is to stay untouched needs the reason too. What stands around the variables is decided by the recipe,
except that attributes of masked variables and remarks inside records are removed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from constraint_sdc.data.surroundings import DocumentSurroundings, Surrounding, SurroundingKind
from constraint_sdc.data.table import Table
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.evidence.looks import Looks, looks
from constraint_sdc.evidence.structure import SAFE, structural_columns
from constraint_sdc.plan.plan import VARIABLE, Fate, InventoryEntry, Kept
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Role, SurroundingWish, Undecided, VariableWish

_REMOVED_BY_DEFAULT = (SurroundingKind.RECORD_COMMENT, SurroundingKind.RECORD_INSTRUCTION)


@dataclass(frozen=True, slots=True)
class Decisions:
    """On which variables the recipe decided, for which the values leave no doubt, and what the others look like.

    `order` are all variables. The values decide that a variable is to be masked, never that it is published.
    """

    decided: Mapping[str, Reason]
    certain: Mapping[str, Reason]
    undecided: Mapping[str, tuple[Reason, ...]]
    order: tuple[str, ...]

    def appearance(self, name: str) -> tuple[Reason, ...]:
        """Return what a variable looks like that nobody decided on; nothing of what is no variable."""
        return (self.certain[name], because("left-as-it-is")) if name in self.certain else self.undecided.get(name, ())


def decide(table: Table, recipe: Recipe, tied: frozenset[str], named: Collection[str] = ()) -> Decisions:
    """Tell on which variables is decided; rules compute with `tied`, and the masker is told about `named`."""
    decided: dict[str, Reason] = {}
    certain: dict[str, Reason] = {}
    undecided: dict[str, tuple[Reason, ...]] = {}
    structural = structural_columns(table)
    for name, column in table.columns.items():
        wish = recipe.variables.get(name, VariableWish())
        if wish.role is Role.IDENTIFIER or (name == recipe.key and wish.role is None):
            if wish.is_removed or wish.keep is not None:
                decided[name] = because("decided-by-recipe")
            else:
                undecided[name] = (because("identifier-stays"),)
        elif wish.role is Role.UNTOUCHED and wish.keep is None and name not in named:
            seen = looks(column, recipe.missing.get(name, ()), is_computed=name in tied)
            if seen.role is Role.IDENTIFIER:
                undecided[name] = (because("identifier-stays"), *_appearance(seen))
            else:
                decided[name] = because("decided-by-recipe")
        elif wish.role is not None or wish.scale is not None or name in named:
            decided[name] = because("decided-by-recipe")
        elif name in structural and structural[name].code == SAFE:
            decided[name] = structural[name]
        elif name in structural:
            undecided[name] = (structural[name],)
        else:
            seen = looks(column, recipe.missing.get(name, ()), is_computed=name in tied)
            if seen.is_certain:
                certain[name] = because("decided-by-values", kind=seen.kind.value)
            else:
                undecided[name] = _appearance(seen)
    return Decisions(decided, certain, undecided, tuple(table.columns))


def _appearance(seen: Looks) -> tuple[Reason, ...]:
    return because("looks-like", kind=seen.kind.value), *seen.evidence


# What stands around the variables.


def wish_for(path: str, recipe: Recipe) -> SurroundingWish | None:
    """Return what the recipe says of a path: by the whole path, its end, or the element above it; None if nothing.

    Of several entries the longest counts.
    """
    fitting = [key for key in recipe.surroundings if _fits(key, path)]
    return recipe.surroundings[max(fitting, key=len)] if fitting else None


def _fits(key: str, path: str) -> bool:
    if key == path or path.startswith(f"{key}/"):
        return True
    return not key.startswith("/") and (path.endswith(f"/{key}") or f"/{key}/" in path)


def taken_out(surroundings: DocumentSurroundings, recipe: Recipe, undecided: Undecided) -> frozenset[str]:
    """Return the paths that are left out of the masked file; the plan refuses if that is not decided of others."""
    found = set()
    for one in surroundings.found:
        wish = wish_for(one.path, recipe)
        is_default = one.kind in _REMOVED_BY_DEFAULT or one.kind is SurroundingKind.VARIABLE_ATTRIBUTE
        if (wish is not None and not wish.is_kept) or (wish is None and is_default and undecided == "refuse"):
            found.add(one.path)
    return frozenset(found)


def _refuse_unknown_surroundings(surroundings: DocumentSurroundings, recipe: Recipe) -> None:
    """Refuse a recipe that names something around the variables which the file does not have."""
    for key in recipe.surroundings:
        if not any(_fits(key, one.path) for one in surroundings.found):
            known = ", ".join([one.path for one in surroundings.found][:20]) or "nothing around its variables"
            what = f"the recipe names {key!r} in `surroundings`, which the file does not have"
            raise UsageError(what, hint=f"the file has: {known}")


# The inventory of a plan.


class UndecidedError(PlanRefusedError):
    """Nobody decided on something in the file; `things` are names or paths, with what they look like."""

    def __init__(
        self,
        what: str,
        *,
        things: tuple[tuple[str, tuple[Reason, ...]], ...],
        hint: str | None = None,
        advice: tuple[str, ...] = (),
    ) -> None:
        super().__init__(what, hint=hint, advice=advice)
        self.things = things


@dataclass(frozen=True, slots=True)
class Fates:
    """What a plan does with the variables: some are masked, some computed, all others kept or removed."""

    masked: Collection[str]
    computed: Collection[str]
    kept: Mapping[str, Kept]


def make_inventory(
    fates: Fates, decisions: Decisions, recipe: Recipe, surroundings: DocumentSurroundings, undecided: Undecided
) -> tuple[InventoryEntry, ...]:
    """Return the fate of everything in the file; UndecidedError if something is not decided and nothing is guessed."""
    _refuse_unknown_surroundings(surroundings, recipe)
    entries = (
        *(_variable(name, fates, decisions, recipe) for name in decisions.order),
        *(_surrounding(one, fates, recipe, undecided) for one in surroundings.found),
        InventoryEntry("names", "names", Fate.KEPT, because("names-are-structure")),
    )
    open_ones = [one for one in entries if one.fate is Fate.UNDECIDED]
    if open_ones and undecided == "refuse":
        things = tuple((one.what, decisions.appearance(one.what)) for one in open_ones)
        raise UndecidedError(f"nobody decided what becomes of {', '.join(name for name, _ in things)}", things=things)
    return entries


def with_recoded(inventory: Iterable[InventoryEntry], recoded: Collection[str]) -> tuple[InventoryEntry, ...]:
    """Return the inventory with categories of the key that are made coarser or emptied in some records as masked."""
    return tuple(
        replace(one, fate=Fate.MASKED) if one.is_variable and one.what in recoded and one.fate is Fate.KEPT else one
        for one in inventory
    )


def undecided_warnings(inventory: Iterable[InventoryEntry]) -> tuple[Reason, ...]:
    """Return the warning that nothing is promised for what nobody decided on, if there is such a thing."""
    things = tuple(one.what for one in inventory if one.fate is Fate.UNDECIDED)
    return (because("nobody-decided", things=things),) if things else ()


def _variable(name: str, fates: Fates, decisions: Decisions, recipe: Recipe) -> InventoryEntry:
    fate = Fate.COMPUTED if name in fates.computed else Fate.MASKED if name in fates.masked else Fate.KEPT
    if name in decisions.undecided or (name in decisions.certain and fate is Fate.KEPT):
        return InventoryEntry(name, VARIABLE, Fate.UNDECIDED, because("guessed", fate=fate.value))
    if fate is not Fate.KEPT:
        return InventoryEntry(name, VARIABLE, fate, decisions.decided.get(name) or decisions.certain[name])
    kept, why = fates.kept[name], recipe.variables.get(name, VariableWish()).keep
    fate = Fate.REMOVED if kept.is_removed else Fate.KEPT
    return InventoryEntry(name, VARIABLE, fate, kept.because if why is None else because("harmless", why=why))


def _surrounding(one: Surrounding, fates: Fates, recipe: Recipe, undecided: Undecided) -> InventoryEntry:
    fate, reason = _surrounding_fate(one, fates, recipe, undecided)
    return InventoryEntry(one.path, one.kind.value, fate, reason, one.count)


def _surrounding_fate(one: Surrounding, fates: Fates, recipe: Recipe, undecided: Undecided) -> tuple[Fate, Reason]:
    if one.variable is not None and one.variable in fates.kept and fates.kept[one.variable].is_removed:
        return Fate.REMOVED, because("goes-with-variable")
    wish = None if one.kind is SurroundingKind.OTHERS else wish_for(one.path, recipe)
    if wish is not None:
        reason = because("decided-by-recipe") if wish.why is None else because("harmless", why=wish.why)
        return (Fate.KEPT if wish.is_kept else Fate.REMOVED), reason
    if one.kind is SurroundingKind.METADATA:
        return Fate.KEPT, because("describes-variables")
    if one.kind is SurroundingKind.STRUCTURE:
        return Fate.KEPT, because("refers-to-structure")
    if undecided == "refuse":
        if one.kind in _REMOVED_BY_DEFAULT:
            return Fate.REMOVED, because("remarks-are-removed")
        if one.variable in fates.masked or one.variable in fates.computed:
            return Fate.REMOVED, because("markup-of-masked")
    return Fate.UNDECIDED, because("guessed", fate=Fate.KEPT.value)
