"""Count the promises about people on the bytes of an original and a published file.

Nothing here imports the package: records are read by lxml, numbers are exact fractions, and every promise is
counted by the words of its definition. The only thing that is believed is which variables stand together in a block.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from lxml import etree

Row = Mapping[str, str]
Value = Fraction | str | None
_NUMBER = re.compile(r"[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ROUNDING = Fraction(1, 10**9)
_SEARCHED = 5
"""A removed value of at least so many characters is searched for in the bytes; shorter ones occur by chance."""


@dataclass(frozen=True)
class Published:
    """What is compared, and what was asked for.

    `recipe` is the recipe as YAML values. `blocks` are the masked variables whose values a group shares, `averaged`
    those of them that are means, and `computed` variables that are computed for every record.
    """

    original: bytes
    masked: bytes
    record: str
    recipe: Mapping[str, Any]
    k: int
    blocks: Sequence[Sequence[str]]
    averaged: frozenset[str] = frozenset()
    computed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recounted:
    """What is broken, by promise; and how many written records are verbatim, promised or not."""

    broken: tuple[tuple[str, str], ...]
    verbatim: int
    groups: int = 0
    verbatim_groups: int = 0


@dataclass(frozen=True)
class _Files:
    """The records of both files, and how their values are read."""

    given: Published
    before: list[Row]
    after: list[Row]
    wishes: Mapping[str, Mapping[str, Any]]
    missing: Mapping[str, frozenset[str]]
    protect: Mapping[str, Any]
    scales: dict[str, bool] = field(default_factory=dict)

    def is_measured(self, name: str) -> bool:
        """Tell whether a variable has numbers or dates; the recipe may call it nominal or ordinal all the same."""
        if name not in self.scales:
            cells = [row.get(name, "") for row in self.before]
            values = [cell for cell in cells if not self._is_missing(name, cell)]
            is_category = self.wishes.get(name, {}).get("type") in ("nominal", "ordinal")
            kinds = (_NUMBER, _DATE)
            self.scales[name] = not is_category and any(all(kind.fullmatch(v) for v in values) for kind in kinds)
        return self.scales[name]

    def value(self, row: Row, name: str) -> Value:
        """Return a number as a fraction, anything else as text, None for a missing value."""
        cell = row.get(name, "").strip()
        if self._is_missing(name, cell):
            return None
        is_number = self.is_measured(name) and _NUMBER.fullmatch(cell)
        return Fraction(cell) if is_number else cell

    def _is_missing(self, name: str, cell: str) -> bool:
        return not cell.strip() or cell.strip() in self.missing.get(name, frozenset())

    def classes(self, names: Sequence[str]) -> dict[tuple[str, ...], list[Row]]:
        """Return the written records by the texts of these variables."""
        found: dict[tuple[str, ...], list[Row]] = defaultdict(list)
        for row in self.after:
            found[tuple(row.get(name, "") for name in names)].append(row)
        return found

    @property
    def key(self) -> tuple[str, ...]:
        """Return the variables of the key: those that `protect` names, or every quasi-identifier."""
        named = self.protect.get("key", {}).get("variables")
        quasi = (name for name, wish in self.wishes.items() if wish.get("role") == "quasi-identifier")
        return tuple(quasi if named is None else named)


def recount(given: Published) -> Recounted:
    """Return everything that a published file promises and does not keep."""
    recipe = given.recipe
    files = _Files(
        given,
        read_rows(given.original, given.record),
        read_rows(given.masked, given.record),
        recipe.get("variables", {}),
        {name: frozenset(map(str, codes)) for name, codes in recipe.get("missing", {}).items()},
        recipe.get("protect", {}),
    )
    if len(files.before) != len(files.after):
        return Recounted((("records", f"{len(files.before)} became {len(files.after)}"),), 0)
    verbatim, groups, own_groups = count_verbatim(files)
    counted = {
        "removed": _left(files),
        "kept": _changed(files),
        "key": _small_classes(files),
        "diversity": _uniform(files),
        "closeness": _distant(files),
        "dominance": _dominated(files),
        "verbatim": _verbatim(files, verbatim),
    }
    broken = tuple((promise, fault) for promise, faults in counted.items() for fault in faults)
    return Recounted(broken, verbatim, groups, own_groups)


def read_rows(content: bytes, record: str) -> list[Row]:
    """Return the values of every record by variable, `@name` for an attribute."""
    rows: list[Row] = []
    for element in etree.fromstring(content).iter(record):
        values = {f"@{name!s}": str(text) for name, text in element.items()}
        for leaf in element.iterchildren(etree.Element):
            values[str(leaf.tag)] = "".join(map(str, leaf.itertext(etree.Element)))
        rows.append(values)
    return rows


def _listed(entry: object) -> list[Mapping[str, Any]]:
    return entry if isinstance(entry, list) else [entry] if isinstance(entry, dict) else []


# What is removed and what is kept.


def _left(files: _Files) -> Iterator[str]:
    """A removed variable is nowhere: no element or attribute has its name, and no part of the file is a value of it."""
    content = files.given.masked
    for name, wish in files.wishes.items():
        if not wish.get("remove"):
            continue
        local = name.removeprefix("@")
        names = {str(node.tag) for node in etree.fromstring(content).iter(etree.Element)}
        attributes = {f"@{at!s}" for row in files.after for at in row if at.startswith("@")}
        if name in names | attributes or any(name in row for row in files.after):
            yield f"{name} should be gone"
        elif re.search(rb"\b" + re.escape(local.encode()) + rb"\b", content) and len(local) >= _SEARCHED:
            yield f"the name {local} stands somewhere in the file"
        values = {row.get(name, "") for row in files.before}
        found = [value for value in sorted(values) if len(value) >= _SEARCHED and value.encode() in content]
        if found:
            yield f"{len(found)} values of {name} stand in the file, such as {found[0]!r}"


def _changed(files: _Files) -> Iterator[str]:
    """A variable that is neither masked, computed nor removed has the value that it had, in every record.

    A quasi-identifier may be coarser, all values on the same level of its hierarchy, or empty.
    """
    masked = {name for block in (*files.given.blocks, files.given.computed) for name in block}
    removed = {name for name, wish in files.wishes.items() if wish.get("remove")}
    for name in sorted({name for row in files.before for name in row} - masked - removed):
        pairs = {(a.get(name), b.get(name)) for a, b in zip(files.before, files.after, strict=True)}
        changed = {(old, new) for old, new in pairs if old != new}
        wish = files.wishes.get(name, {})
        is_coarser = wish.get("role") == "quasi-identifier" and _is_coarser(changed, pairs, wish.get("hierarchy", {}))
        if changed and not is_coarser:
            yield f"{name} is not masked, yet {len(changed)} different values changed, such as {min(changed, key=str)}"
    for name in sorted(masked):
        if files.wishes.get(name, {}).get("role") in ("untouched", "identifier"):
            yield f"{name} was masked against its role"


Cells = set[tuple[str | None, str | None]]


def _is_coarser(changed: Cells, pairs: Cells, hierarchy: Mapping[str, Any]) -> bool:
    """Tell whether all values are on one level, empty cells apart; level 0 are the values themselves."""
    if all(new == "" for _, new in changed):
        return True
    written = [(old or "", new) for old, new in pairs if new != ""]
    return any(all(level(old) == new for old, new in written) for level in _levels(hierarchy))


def _levels(hierarchy: Mapping[str, Any]) -> Iterator[Callable[[str], str | None]]:
    """Yield a function for each level: the first characters of a code, the band of a whole number, a named level."""
    for kept in hierarchy.get("prefix", ()):
        yield lambda old, kept=kept: old if len(old) <= kept else f"{old[:kept]}*"  # type: ignore[misc]
    for width in hierarchy.get("bands", ()):
        yield lambda old, width=width: f"{int(old) // width * width}-{int(old) // width * width + width - 1}"  # type: ignore[misc]
    rows = hierarchy.get("levels", ())
    for level in range(1, len(rows[0]) if rows else 0):
        yield {str(row[0]): str(row[level]) for row in rows}.get


# The key, diversity and closeness: what the records that share the key have in common.


def _small_classes(files: _Files) -> Iterator[str]:
    if not files.key:
        return
    k = files.protect.get("key", {}).get("k") or files.given.k
    small = {values: len(rows) for values, rows in files.classes(files.key).items() if len(rows) < k}
    if small:
        values, size = min(small.items(), key=lambda item: item[1])
        yield f"{len(small)} classes of ({', '.join(files.key)}) are below {k}: {size} records share {values}"


def _uniform(files: _Files) -> Iterator[str]:
    for promise in _listed(files.protect.get("diversity")):
        name, least = promise["of"], float(promise["l"])
        kind, c = promise.get("kind", "distinct"), float(promise.get("c", 2))
        for values, rows in files.classes(files.key).items():
            seen = Counter(value for row in rows if (value := files.value(row, name)) is not None)
            if not is_diverse(list(seen.values()), kind, least, c):
                yield f"{name} is not diverse ({kind}, l = {least}): {dict(seen)} in the class {values}"
                break


def is_diverse(counts: Sequence[int], kind: str, least: float, c: float = 2.0) -> bool:
    """Tell whether values that occur so often are diverse (Machanavajjhala et al. 2007).

    >>> is_diverse([3, 1], "distinct", 2), is_diverse([3, 1], "entropy", 2), is_diverse([3, 1], "recursive", 2, 4)
    (True, False, True)
    """
    ordered, total = sorted(counts, reverse=True), sum(counts)
    if not total:
        return False
    if kind == "distinct":
        return len(ordered) >= least
    if kind == "entropy":
        return -math.fsum(n / total * math.log(n / total) for n in ordered) >= math.log(least) - 1e-8
    return ordered[0] < c * sum(ordered[int(least) - 1 :])


def _distant(files: _Files) -> Iterator[str]:
    for promise in _listed(files.protect.get("closeness")):
        name, most = promise["of"], float(promise["t"])
        is_ordered = files.is_measured(name)
        everyone = [files.value(row, name) for row in files.after]
        for values, rows in files.classes(files.key).items():
            apart = distance([files.value(row, name) for row in rows], everyone, is_ordered=is_ordered)
            if apart > most + 1e-8:
                yield f"{name} has a distance of {float(apart):.4f}, above t = {most}, in the class {values}"
                break


def distance(some: Sequence[Value], everyone: Sequence[Value], *, is_ordered: bool) -> Fraction:
    """Return the earth mover's distance of two distributions (Li et al. 2007); a missing value is below all others.

    >>> distance([Fraction(1)], [Fraction(1), Fraction(2), Fraction(3)], is_ordered=True)
    Fraction(1, 2)
    >>> distance(["a"], ["a", "b", "b"], is_ordered=False)
    Fraction(2, 3)
    """
    values = sorted(set(everyone), key=lambda value: (value is not None, value if value is not None else 0))
    here, there = Counter(some), Counter(everyone)
    differences = [Fraction(here[v], len(some)) - Fraction(there[v], len(everyone)) for v in values]
    if not is_ordered:
        return sum(map(abs, differences), Fraction(0)) / 2
    moved, way = Fraction(0), Fraction(0)
    for difference in differences:
        moved += difference
        way += abs(moved)
    return way / max(1, len(values) - 1)


# Dominance: what the groups' means tell about their largest members.


def _dominated(files: _Files) -> Iterator[str]:
    rule = files.protect.get("dominance")
    if rule is None:
        return
    for block in files.given.blocks:
        groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, row in enumerate(files.after):
            groups[tuple(row.get(name, "") for name in block)].append(number)
        for name in block:
            if name in files.given.averaged and _has_amounts(files, name):
                yield from _dominated_groups(files, name, groups.values(), rule)


def _has_amounts(files: _Files, name: str) -> bool:
    values = [files.value(row, name) for row in files.before]
    return all(isinstance(value, Fraction) for value in values if value is not None)


def _dominated_groups(
    files: _Files, name: str, groups: Iterable[Sequence[int]], rule: Mapping[str, Any]
) -> Iterator[str]:
    weights = files.given.recipe.get("weights")
    for group in groups:
        amounts = [_amount(files, files.before[number], name, weights) for number in group]
        if is_dominated(amounts, rule):
            shown = ", ".join(f"{float(amount):g}" for amount in sorted(amounts, reverse=True)[:4])
            yield f"{name}: a group of {len(group)} is dominated ({dict(rule)}), its largest are {shown}"
            return


def _amount(files: _Files, row: Row, name: str, weights: str | None) -> Fraction:
    value = files.value(row, name)
    weight = Fraction(row[weights]) if weights is not None else Fraction(1)
    return abs(value) * weight if isinstance(value, Fraction) else Fraction(0)


def is_dominated(amounts: Sequence[Fraction], rule: Mapping[str, Any]) -> bool:
    """Tell whether a sum tells too much about its parts: by the p% rule, or by the share of the n largest.

    >>> is_dominated([Fraction(90), Fraction(8), Fraction(1)], {"p": 10})
    True
    >>> is_dominated([Fraction(90), Fraction(8), Fraction(9)], {"p": 5})
    False
    """
    ordered, total = sorted(amounts, reverse=True), sum(amounts, Fraction(0))
    if not total:
        return False
    slack = _ROUNDING * total
    if "p" in rule and 100 * sum(ordered[2:], Fraction(0)) < Fraction(str(rule["p"])) * ordered[0] - slack:
        return True
    largest = sum(ordered[: int(rule.get("n", 0))], Fraction(0))
    return "n" in rule and 100 * largest > Fraction(str(rule["share"])) * total + 100 * slack


# Verbatim records: written values of a block that fewer than k original records have.


def _verbatim(files: _Files, found: int) -> Iterator[str]:
    most = files.protect.get("verbatim", 0)
    if most != "allowed" and found > int(most):
        yield f"{found} records have the values of an actual record, above {most}"


def count_verbatim(files: _Files) -> tuple[int, int, int]:
    """Return the records with a verbatim block, the groups of all blocks, and the verbatim ones of these.

    Values count if at least two of variables that vary are not missing, one of them a number or a date, and if at
    least one but fewer than k original records have all of them.
    """
    flagged: set[int] = set()
    groups = own_groups = 0
    for block in files.given.blocks:
        before = Counter(_combination(files, row, block) for row in files.before)
        varying = [name for name in block if len({files.value(row, name) for row in files.before}) > 1]
        own: dict[tuple[object, ...], bool] = {}
        for number, row in enumerate(files.after):
            combination = _combination(files, row, block)
            if combination not in own:
                is_rare = 0 < before[combination] < max(2, files.given.k)
                own[combination] = is_rare and _is_record(files, row, varying)
            if own[combination]:
                flagged.add(number)
        groups, own_groups = groups + len(own), own_groups + sum(own.values())
    return len(flagged), groups, own_groups


def _combination(files: _Files, row: Row, block: Sequence[str]) -> tuple[object, ...]:
    """Return the values of a block; numbers are compared as numbers, and a missing value by its text."""
    return tuple(row.get(name) if (value := files.value(row, name)) is None else value for name in block)


def _is_record(files: _Files, row: Row, varying: Sequence[str]) -> bool:
    known = [name for name in varying if files.value(row, name) is not None]
    return len(known) > 1 and any(files.is_measured(name) for name in known)
