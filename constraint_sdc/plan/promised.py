"""What is promised about people in a run: the recipe's `protect`, with defaults, settled against the file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from constraint_sdc.errors import UsageError
from constraint_sdc.partition.registry import takes_one_variable
from constraint_sdc.settings.masker import MaskerTraits
from constraint_sdc.settings.protect import KeyPromise, Protect
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Role


@dataclass(frozen=True, slots=True)
class Promised:
    """The promises of a run: `protect` with every default filled in, and why something is not promised."""

    protect: Protect
    missing: tuple[Reason, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        """Return the variables that k records share together; none if nothing is promised about them."""
        return key_of(self.protect)

    def at_most(self, k: int) -> Promised:
        """Return the promises with at most k records that share the key."""
        key = self.protect.key
        if key is None or (key.k or 0) <= k:
            return self
        return replace(self, protect=replace(self.protect, key=replace(key, k=k)))


def key_of(protect: Protect) -> tuple[str, ...]:
    """Return the variables of the key; none if there is no key."""
    return () if protect.key is None else protect.key.variables or ()


def settle_promises(recipe: Recipe, names: Collection[str], k: int, masker: MaskerTraits, partition: str) -> Promised:
    """Return the promises for a file with these variables; UsageError for one that this way of masking cannot keep.

    Without `protect` the key is every quasi-identifier, with the k of the run, and no group is represented by an actual
    record. A default that a masker cannot keep is not promised, and users are told.
    """
    _refuse_unknown(recipe.protect, recipe, names)
    protect, missing = _settle_verbatim(recipe.protect, masker, partition)
    wishes = recipe.variables
    quasi = tuple(n for n in names if n in wishes and wishes[n].role is Role.QUASI_IDENTIFIER)
    said = protect.key
    key = quasi if said is None or said.variables is None else said.variables
    protect = _with_known(protect, key)
    if not key:
        return Promised(replace(protect, key=None), (because("no-key"), *missing))
    least = k if said is None or said.k is None else said.k
    if masker.takes_k and least > k:
        hint = f"give -k {least}, or promise less"
        raise UsageError(f"the key promises that {least} records share it, but groups have {k} records", hint=hint)
    if not _shares(key, masker, partition, is_asked=said is not None):
        if said is None:
            return Promised(replace(protect, key=None), (because("key-not-shared", variables=key), *missing))
        way = partition if takes_one_variable(partition) else masker.name
        hint = "mask by microaggregation with a partition such as auto, or leave `key` out of `protect`"
        raise UsageError(f"with {way} no k records share the key ({', '.join(key)})", hint=hint)
    return Promised(replace(protect, key=KeyPromise(key, least)), missing)


def _settle_verbatim(protect: Protect, masker: MaskerTraits, partition: str) -> tuple[Protect, tuple[Reason, ...]]:
    """Promise that no representative is an actual record, unless every record has values of its own."""
    if protect.verbatim is not None:
        return protect, ()
    is_ranked = not masker.divides_itself and takes_one_variable(partition)
    if masker.gives_own_values or is_ranked or not masker.takes_k:
        return protect, (because("verbatim-not-promised"),)
    return replace(protect, verbatim=0), ()


def _with_known(protect: Protect, key: tuple[str, ...]) -> Protect:
    """Return the promises with what the intruder of the linkage knows: the key, if the recipe does not say it."""
    linkage = protect.linkage
    if linkage is None or linkage.known is not None:
        return protect
    if not key:
        hint = "name variables under `known`, or give variables the role quasi-identifier"
        raise UsageError("`linkage` does not say what an intruder knows", hint=hint)
    return replace(protect, linkage=replace(linkage, known=key))


def _shares(key: tuple[str, ...], masker: MaskerTraits, partition: str, *, is_asked: bool) -> bool:
    """Tell whether the masker lets k records share the values of the key.

    A partition that takes one variable at a time does so for a key of one variable, unless rules tie it to others: then
    it is not promised without being asked for.
    """
    if not masker.shares_values or masker.treats_records(key, partition):
        return False
    is_alone = len(key) == 1 and is_asked
    return is_alone or masker.divides_itself or not takes_one_variable(partition)


def _refuse_unknown(protect: Protect, recipe: Recipe, names: Collection[str]) -> None:
    for name in protect.names():
        if name not in names:
            known = ", ".join(list(names)[:20])
            raise UsageError(f"`protect` names {name!r}, which no record has", hint=f"the file has: {known}")
        if name in recipe.variables and recipe.variables[name].is_removed:
            hint = f"take {name} out of `protect`: what is not published needs no promise"
            raise UsageError(f"`protect` names {name}, which the recipe removes", hint=hint)


# A promise as it was counted on the written file.

Found: TypeAlias = int | float | str | None


@dataclass(frozen=True, slots=True)
class PromiseCount:
    """A promise of this name about the variables `of`: what was asked for, and what the written file has.

    `is_kept` is None for what is measured and not promised.
    """

    promise: str
    of: tuple[str, ...]
    asked: Mapping[str, Found]
    found: Mapping[str, Found]
    is_kept: bool | None


def people_to_json(counted: Collection[PromiseCount]) -> dict[str, object]:
    """Return the counted promises by name, each with a list of entries."""
    found: dict[str, list[dict[str, object]]] = {}
    for one in counted:
        entry: dict[str, object] = {
            "of": list(one.of),
            "asked": dict(one.asked),
            "found": dict(one.found),
            "is_kept": one.is_kept,
        }
        found.setdefault(one.promise, []).append(entry)
    return dict(found)


def people_from_json(content: Mapping[str, Any]) -> tuple[PromiseCount, ...]:
    """Return the counted promises from JSON values."""
    return tuple(
        PromiseCount(promise, tuple(entry["of"]), entry["asked"], entry["found"], entry["is_kept"])
        for promise, entries in content.items()
        for entry in entries
    )
