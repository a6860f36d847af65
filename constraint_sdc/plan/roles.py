"""Which variables are masked: those that the recipe selects; by default numbers, but not texts and identifiers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from constraint_sdc.data.table import Column, Table
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.plan.plan import Kept
from constraint_sdc.plan.read_series import is_numeric, not_numeric
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Role, Scale, VariableWish

_LEAST_COUNT = 10
_ID_NAME = re.compile(r"(?i)(?:.*[_.-])?(?:id|key|uuid|serial|recordnumber|record_?no)")


@dataclass(frozen=True, slots=True)
class Roles:
    """The decision for every variable of the file: `masked` with role and scale, `kept` with the reason.

    `pinned` are kept because the recipe says so or because they are identifiers; the other kept variables still join a
    block if a rule ties them to a masked one. `numeric` are the variables whose values are numbers.
    """

    masked: Mapping[str, tuple[Role, Scale]]
    kept: Mapping[str, Kept]
    pinned: frozenset[str]
    numeric: frozenset[str]
    assumptions: tuple[Reason, ...]


def decide_roles(table: Table, recipe: Recipe, tied: frozenset[str]) -> Roles:
    """Decide for every variable; `tied` are variables that rules compute with, and therefore not identifiers."""
    refuse_unknown(table, recipe)
    masked: dict[str, tuple[Role, Scale]] = {}
    kept: dict[str, Kept] = {}
    pinned: set[str] = set()
    numeric = {name for name, column in table.columns.items() if is_numeric(column, recipe.missing.get(name, ()))}
    guessed: dict[str, list[str]] = {"numeric": [], "typed": [], "text": [], "identifier": []}
    for name, column in table.columns.items():
        wish = recipe.variables.get(name, VariableWish())
        role, reason = _role(name, column, wish, recipe, tied, numeric)
        if wish.role is None:
            is_category = wish.scale in (Scale.ORDINAL, Scale.NOMINAL)
            masked_as = "typed" if is_category else "numeric"
            word = role.value if role is Role.IDENTIFIER else masked_as if role.is_masked else "text"
            guessed[word].append(name)
        if role is Role.IDENTIFIER or (wish.role is not None and not role.is_masked):
            pinned.add(name)
        if not role.is_masked:
            kept[name] = Kept(name, role, reason, wish.is_removed)
            continue
        masked[name] = role, _scale(name, wish, numeric)
    _refuse_averaged_identifiers(kept, recipe)
    return Roles(masked, kept, frozenset(pinned), frozenset(numeric), _assumptions(guessed))


def _role(
    name: str,
    column: Column,
    wish: VariableWish,
    recipe: Recipe,
    tied: frozenset[str],
    numeric: set[str],
) -> tuple[Role, Reason]:
    """Return the role, and for a variable that is not masked the reason."""
    if (told := told_role(name, wish, recipe)) is not None:
        return told
    if name in numeric and name not in tied and _looks_like_identifier(name, column):
        return Role.IDENTIFIER, because("looks-like-identifier")
    is_masked = name in numeric or wish.scale is not None
    return Role.CONFIDENTIAL if is_masked else Role.UNTOUCHED, because("not-numbers")


def told_role(name: str, wish: VariableWish, recipe: Recipe) -> tuple[Role, Reason] | None:
    """Return what the recipe says about a variable; None if it says nothing."""
    if wish.role is not None:
        return wish.role, because("recipe-role", role=wish.role.value, is_removed=wish.is_removed)
    return (Role.IDENTIFIER, because("record-key")) if name == recipe.key else None


def _scale(name: str, wish: VariableWish, numeric: set[str]) -> Scale:
    if wish.scale is Scale.NUMERIC and name not in numeric:
        raise not_numeric(name)
    return wish.scale or (Scale.NUMERIC if name in numeric else Scale.NOMINAL)


def _looks_like_identifier(name: str, column: Column) -> bool:
    """Tell whether all values differ, and the name suggests an identifier or the values number the records."""
    texts = column.texts()
    if len(set(texts)) < len(texts) or not all(text and text.isdecimal() for text in texts):
        return False
    numbers = [int(text or "0") for text in texts]
    is_count = numbers[0] <= 1 and numbers == list(range(numbers[0], numbers[0] + len(texts)))
    local = re.sub(r"^@?(\{.*\})?", "", name)
    return (is_count and len(texts) >= _LEAST_COUNT) or _ID_NAME.fullmatch(local) is not None


def refuse_unknown(table: Table, recipe: Recipe) -> None:
    """Refuse a recipe that names variables which no record has."""
    groups = () if recipe.groups == "all" else recipe.groups
    key = () if recipe.key is None else (recipe.key,)
    for name in (*key, *recipe.variables, *(name for group in groups for name in group), *recipe.missing):
        if name not in table.columns:
            known = ", ".join(list(table.columns)[:20])
            raise UsageError(f"the recipe names {name!r}, which no record has", hint=f"the file has: {known}")


def _refuse_averaged_identifiers(kept: Mapping[str, Kept], recipe: Recipe) -> None:
    groups = () if recipe.groups == "all" else recipe.groups
    for name, kind in kept.items():
        wish = recipe.variables.get(name, VariableWish())
        is_wished = any(name in group for group in groups) or any(
            said is not None for said in (wish.operator, wish.decimals, wish.weight)
        )
        if is_wished and kind.role is Role.IDENTIFIER:
            hint = "remove it from `groups` and its entries `operator`, `grid` and `weight`, or give it another role"
            raise PlanRefusedError(f"{name} is an identifier and cannot be averaged", hint=hint)
        if is_wished:
            hint = "give it the role quasi-identifier or confidential, or remove the entries"
            raise UsageError(f"the recipe has entries to mask {name}, but its role is {kind.role.value}", hint=hint)


def _assumptions(guessed: Mapping[str, list[str]]) -> tuple[Reason, ...]:
    names = {word: tuple(found) for word, found in guessed.items()}
    said = (
        because("assumed-numbers", variables=names["numeric"]),
        because("assumed-categories", variables=names["typed"]),
        because("assumed-texts", variables=names["text"]),
        because("assumed-identifiers", variables=names["identifier"]),
    )
    return tuple(reason for reason in said if reason["variables"])
