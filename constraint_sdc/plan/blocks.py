"""Roles and blocks: which variables are masked, and which of them together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Flags, Points
from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.groups import Union
from constraint_sdc.data.series import Series
from constraint_sdc.data.table import Column, Table
from constraint_sdc.data.text import Text
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.running import scratch
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.evaluate.distinct_texts import distinct_texts
from constraint_sdc.evaluate.lexical import scan
from constraint_sdc.evidence.structure import structural_columns
from constraint_sdc.plan.plan import Block, Kept
from constraint_sdc.plan.read_series import date_notation, is_measurable, not_numeric
from constraint_sdc.plan.rule_facts import RuleFacts
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Role, Scale, VariableWish

# Which variables are masked: those that the recipe selects; by default numbers, but not texts and identifiers.

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
    numeric = {name for name, column in table.columns.items() if _is_measurable(name, column, recipe)}
    structural = structural_columns(table)
    guessed: dict[str, list[str]] = {"numeric": [], "date": [], "typed": [], "text": [], "identifier": []}
    for name, column in table.columns.items():
        wish = recipe.variables.get(name, VariableWish())
        if name in structural and told_role(name, wish, recipe) is None and wish.scale is None:
            kept[name] = Kept(name, Role.UNTOUCHED, structural[name])
            pinned.add(name)
            continue
        role, reason = _role(name, column, wish, recipe, tied, numeric)
        if wish.role is None:
            is_category = wish.scale in (Scale.ORDINAL, Scale.NOMINAL)
            is_date = not is_category and _date_notation(name, column, recipe) is not None
            masked_as = "typed" if is_category else "date" if is_date else "numeric"
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


def _date_notation(name: str, column: Column, recipe: Recipe) -> DateNotation | None:
    return date_notation(column, recipe.variables.get(name, VariableWish()), recipe.missing.get(name, ()))


def _is_measurable(name: str, column: Column, recipe: Recipe) -> bool:
    return is_measurable(column, recipe.variables.get(name, VariableWish()), recipe.missing.get(name, ()))


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
    texts = Text.of_column(column)
    if not texts.length.all() or len(distinct_texts(column)) < len(texts):
        return False
    counted = _counted_from(texts)
    if counted is None:
        return False
    local = re.sub(r"^@?(\{.*\})?", "", name)
    return (counted <= 1 and len(texts) >= _LEAST_COUNT) or _ID_NAME.fullmatch(local) is not None


def _counted_from(texts: Text) -> float | None:
    """Return the first number if the texts count the records one by one, infinity if they do not.

    None if a text has anything but decimal digits, of whatever script.
    """
    scanned = scan(texts)
    if (scanned.plain & ~scanned.has_point & ~_has_sign(texts)).all():
        numbers = scanned.mantissa.astype(np.int64)
        return float(numbers[0]) if np.array_equal(numbers, numbers[0] + np.arange(len(numbers))) else math.inf
    strings = texts.strings
    if not all(map(str.isdecimal, strings)):
        return None
    first = int(strings[0])
    return float(first) if first <= 1 and all(int(s) == first + row for row, s in enumerate(strings)) else math.inf


def _has_sign(texts: Text) -> Flags:
    first = texts.first_word & np.uint64(0xFF)
    found: Flags = (first == ord("-")) | (first == ord("+"))
    return found


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
            hint = (
                "remove it from `groups` and its entries `operator`, `grid` and `weight`, "
                "or give it the role quasi-identifier or confidential"
            )
            raise PlanRefusedError(f"{name} is an identifier and cannot be averaged", hint=hint)
        if is_wished:
            hint = "give it the role quasi-identifier or confidential, or remove the entries"
            raise UsageError(f"the recipe has entries to mask {name}, but its role is {kind.role.value}", hint=hint)


def _assumptions(guessed: Mapping[str, list[str]]) -> tuple[Reason, ...]:
    names = {word: tuple(found) for word, found in guessed.items()}
    said = (
        because("assumed-numbers", variables=names["numeric"]),
        because("assumed-dates", variables=names["date"]),
        because("assumed-categories", variables=names["typed"]),
        because("assumed-texts", variables=names["text"]),
        because("assumed-identifiers", variables=names["identifier"]),
    )
    return tuple(reason for reason in said if reason["variables"])


# Blocks: variables masked together because rules tie them, because the recipe says so, or three by three.

# Categories in a plan: the association of two such variables, and a limit on their number for distances.

_MOST_CELLS = 200_000_000  # numbers in memory, one column for each category


def association(series: Sequence[Series]) -> npt.NDArray[np.float64]:
    """Return Cramér's V of every two variables, from 0 to 1; the names of the categories have no influence.

    A blank is a category of its own. H. Cramér, Mathematical Methods of Statistics, 1946, section 21.9.
    """
    codes = [np.unique(np.where(s.is_blank, -s.blank - 1.0, s.values), return_inverse=True)[1].ravel() for s in series]
    found = np.eye(len(codes))
    for i, one in enumerate(codes):
        for j in range(i):
            found[i, j] = found[j, i] = _cramers_v(one, codes[j])
    return found


def _cramers_v(one: npt.NDArray[np.intp], other: npt.NDArray[np.intp]) -> float:
    rows, columns = np.bincount(one), np.bincount(other)
    freedom = min(len(rows), len(columns)) - 1
    if freedom < 1:
        return 0.0
    cells, count = np.unique(one * len(columns) + other, return_counts=True)
    expected = rows[cells // len(columns)].astype(np.float64) * columns[cells % len(columns)]
    squared = float((count.astype(np.float64) ** 2 / expected).sum()) - 1.0
    return float(np.sqrt(min(max(squared / freedom, 0.0), 1.0)))


def refuse_too_many_categories(series: Sequence[Series], records: int) -> None:
    """Refuse a nominal variable with so many categories that their columns do not fit into memory."""
    columns = {one.name: _columns(one) for one in series}
    if records * sum(columns.values()) > _MOST_CELLS:
        worst = max(columns, key=lambda name: columns[name])
        hint = "leave it out, or convert it to fewer categories first"
        raise UsageError(f"{worst} has {columns[worst]:,} categories, too many for {records:,} records", hint=hint)


def _columns(series: Series) -> int:
    return int(np.nanmax(series.values, initial=0.0)) + 1 if series.scale is Scale.NOMINAL else 1


GROUP_SIZE = 3


def make_blocks(
    series: Mapping[str, Series],
    roles: Mapping[str, Role],
    rules: Sequence[RuleFacts],
    recipe: Recipe,
    key: tuple[str, ...] = (),
) -> tuple[Block, ...]:
    """Divide the masked variables into blocks; a rule's masked variables always share one, and so do those of the key.

    A key of one variable alone needs no block of its own.
    """
    wanted = (tuple(series),) if recipe.groups == "all" else recipe.groups
    known = tuple(name for name in key if name in series)
    tied = Union(series)
    for rule in rules:
        if not rule.is_cross_record:
            tied.join(name for name in rule.variables if name in series)
    by_rules = [part for part in tied.parts() if len(part) > 1]
    for group in wanted:
        tied.join(name for name in group if name in series)
    before_key = tied.parts()
    tied.join(known)
    parts = tied.parts()
    asked = {name for group in wanted for name in group} | (set(known) if len(known) > 1 else set())
    alone = [part[0] for part in parts if len(part) == 1 and part[0] not in asked]
    blocks = [
        (part, _because(part, by_rules) if part in before_key else because("shares-key"))
        for part in parts
        if part[0] not in alone
    ]
    size = recipe.group_size or GROUP_SIZE
    for group in _grouped(alone, series, roles, size):
        together = because("groups-of-correlated", size=size) if len(group) > 1 else because("alone")
        blocks.append((group, together))
    order = {name: place for place, name in enumerate(series)}
    blocks.sort(key=lambda block: order[block[0][0]])
    return tuple(Block(number, names, reason) for number, (names, reason) in enumerate(blocks, start=1))


def rules_of(block: Block, rules: Iterable[RuleFacts]) -> tuple[RuleFacts, ...]:
    """Return the rules that read one of the block's variables and nothing beyond the record."""
    return tuple(rule for rule in rules if not rule.is_cross_record and set(block.names) & set(rule.variables))


def _because(part: tuple[str, ...], by_rules: Sequence[tuple[str, ...]]) -> Reason:
    if part in by_rules:
        return because("tied-by-rules")
    if any(set(tied) <= set(part) for tied in by_rules):
        return because("tied-by-rules-and-recipe")
    return because("grouped-by-recipe")


def _grouped(
    names: Sequence[str], series: Mapping[str, Series], roles: Mapping[str, Role], size: int
) -> list[tuple[str, ...]]:
    """Group the variables that no rule ties: by role, numbers apart from categories, most correlated together."""
    found: list[tuple[str, ...]] = []
    for role in Role:
        for is_number in (True, False):
            alike = [n for n in names if roles[n] is role and (series[n].scale is Scale.NUMERIC) == is_number]
            found += _by_correlation(alike, series, size)
    return found


def _by_correlation(names: list[str], series: Mapping[str, Series], size: int) -> list[tuple[str, ...]]:
    """Start each group with the most correlated pair left, and add the variable with the highest mean correlation."""
    if not names:
        return []
    matrix = _closeness([series[name] for name in names])
    np.fill_diagonal(matrix, -1.0)
    left = list(range(len(names)))
    groups: list[tuple[str, ...]] = []
    while len(left) > size > 1:
        among = matrix[np.ix_(left, left)]
        chosen = [left[i] for i in np.unravel_index(int(among.argmax()), among.shape)]
        while len(chosen) < size:
            rest = [i for i in left if i not in chosen]
            chosen.append(rest[int(matrix[np.ix_(rest, chosen)].mean(axis=1).argmax())])
        left = [i for i in left if i not in chosen]
        groups.append(tuple(names[i] for i in sorted(chosen)))
    if size == 1:
        return [(name,) for name in names]
    if len(left) == 1 and groups:
        # A variable in its own block changes so little that its ranks identify records: it joins the nearest group.
        nearest = max(range(len(groups)), key=lambda g: matrix[left[0], [names.index(n) for n in groups[g]]].mean())
        groups[nearest] = tuple(name for name in names if name in (*groups[nearest], names[left[0]]))
        return groups
    return [*groups, tuple(names[i] for i in left)] if left else groups


def _closeness(series: Sequence[Series]) -> npt.NDArray[np.float64]:
    """Return the correlation of every two numeric variables, or the association of every two categorical ones."""
    if any(one.scale is not Scale.NUMERIC for one in series):
        return association(series)
    points: Points = scratch().own((len(series), len(series[0].values)), np.float64)
    for row, one in zip(points, series, strict=True):
        row[:] = np.nan_to_num(one.standardised()[:, 0])
    products = np.zeros((len(series), len(series)))
    for part in windows(points.shape[1]):
        products += points[:, part] @ points[:, part].T
    matrix: npt.NDArray[np.float64] = np.abs(products) / max(points.shape[1], 1)
    return matrix
