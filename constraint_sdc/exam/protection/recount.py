"""Count the promises about people on the bytes of an original and a published file.

Nothing here, in `written` or in `fates` imports other code of the package: records are read by lxml, numbers are exact
fractions, and every promise is counted by the words of its definition. The only thing that is believed is which
variables stand together in a block.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from constraint_sdc.exam.protection.fates import still_there, wrongly_changed
from constraint_sdc.exam.protection.written import Published, Row, Value, WrittenFile, read_files

_ROUNDING = Fraction(1, 10**9)


@dataclass(frozen=True)
class Recounted:
    """What is broken, by promise; and how many written records are verbatim, promised or not."""

    broken: tuple[tuple[str, str], ...]
    verbatim: int
    groups: int = 0
    verbatim_groups: int = 0


def recount(given: Published) -> Recounted:
    """Return everything that a published file promises and does not keep."""
    files = read_files(given)
    if len(files.before) != len(files.after):
        return Recounted((("records", f"{len(files.before)} became {len(files.after)}"),), 0)
    verbatim, groups, own_groups = count_verbatim(files)
    counted = {
        "removed": still_there(files),
        "kept": wrongly_changed(files),
        "key": _small_classes(files),
        "diversity": _uniform(files),
        "closeness": _distant(files),
        "dominance": _dominated(files),
        "linkage": _linked(files),
        "verbatim": _verbatim(files, verbatim),
    }
    broken = tuple((promise, fault) for promise, faults in counted.items() for fault in faults)
    return Recounted(broken, verbatim, groups, own_groups)


def _listed(entry: object) -> list[Mapping[str, Any]]:
    return entry if isinstance(entry, list) else [entry] if isinstance(entry, dict) else []


# The key, diversity and closeness: what the records that share the key have in common.


def _small_classes(files: WrittenFile) -> Iterator[str]:
    if not files.key:
        return
    k = files.protect.get("key", {}).get("k") or files.given.k
    small = {values: len(rows) for values, rows in files.classes(files.key).items() if len(rows) < k}
    if small:
        values, size = min(small.items(), key=lambda item: item[1])
        yield f"{len(small)} classes of ({', '.join(files.key)}) are below {k}: {size} records share {values}"


def _uniform(files: WrittenFile) -> Iterator[str]:
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


def _distant(files: WrittenFile) -> Iterator[str]:
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


def _dominated(files: WrittenFile) -> Iterator[str]:
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


def _has_amounts(files: WrittenFile, name: str) -> bool:
    values = [files.value(row, name) for row in files.before]
    return all(isinstance(value, Fraction) for value in values if value is not None)


def _dominated_groups(
    files: WrittenFile, name: str, groups: Iterable[Sequence[int]], rule: Mapping[str, Any]
) -> Iterator[str]:
    weights = files.given.recipe.get("weights")
    for group in groups:
        amounts = [_amount(files, files.before[number], name, weights) for number in group]
        if is_dominated(amounts, rule):
            shown = ", ".join(f"{float(amount):g}" for amount in sorted(amounts, reverse=True)[:4])
            yield f"{name}: a group of {len(group)} is dominated ({dict(rule)}), its largest are {shown}"
            return


def _amount(files: WrittenFile, row: Row, name: str, weights: str | None) -> Fraction:
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


def _verbatim(files: WrittenFile, found: int) -> Iterator[str]:
    said = files.protect.get("verbatim", 0)
    most = said["at most"] if isinstance(said, dict) else said
    if most != "allowed" and found > int(most):
        yield f"{found} records have the values of an actual record, above {most}"


def _counts_every(files: WrittenFile) -> bool:
    said = files.protect.get("verbatim")
    return isinstance(said, dict) and said.get("count") == "every"


def count_verbatim(files: WrittenFile) -> tuple[int, int, int]:
    """Return the records with a verbatim block, the groups of all blocks, and the verbatim ones of these.

    Values count if at least two of variables that vary are not missing, one of them a number or a date, and if at
    least one but fewer than k original records have all of them, unless a fifth of all possible combinations occur.
    Records that did not change in any block count too, if they are a tenth of those that stand alone (`_unchanged`). If
    the recipe counts every one, neither of the two exceptions is made.
    """
    blocks = [_own_combinations(files, block) for block in files.given.blocks]
    flagged = {number for own in blocks for numbers in own.values() for number in numbers or ()}
    flagged |= _unchanged(files, [name for block in files.given.blocks for name in block])
    return len(flagged), sum(map(len, blocks)), sum(numbers is not None for own in blocks for numbers in own.values())


def _own_combinations(files: WrittenFile, block: Sequence[str]) -> dict[tuple[object, ...], list[int] | None]:
    """Return the written combinations, each with its records if it is an actual record's, with None if it is not."""
    before = Counter(_combination(files, row, block) for row in files.before)
    varying = _varying(files, block)
    columns = [({files.value(row, name) for row in files.before}, files.is_measured(name)) for name in block]
    is_chance = not _counts_every(files) and is_crowded(columns, len(before))
    measured = [] if is_chance else [name for name in varying if files.is_measured(name)]
    own: dict[tuple[object, ...], list[int] | None] = {}
    for number, row in enumerate(files.after):
        combination = _combination(files, row, block)
        if combination not in own:
            is_record = _is_record(files, row, varying, measured)
            own[combination] = [] if is_record and 0 < before[combination] < max(2, files.given.k) else None
        if (numbers := own[combination]) is not None:
            numbers.append(number)
    return own


def _unchanged(files: WrittenFile, names: Sequence[str]) -> set[int]:
    """Return the records that stand alone and are what they were, if they are a tenth of those that stood alone."""
    before, after = ([_combination(files, row, names) for row in rows] for rows in (files.before, files.after))
    old, new, k = Counter(before), Counter(after), max(2, files.given.k)
    varying = _varying(files, names)
    alone = [number for number, combination in enumerate(before) if old[combination] < k]
    found = {
        number
        for number in alone
        if before[number] == after[number]
        and new[after[number]] < k
        and _is_record(files, files.after[number], varying, varying)
    }
    return found if 10 * len(found) >= len(alone) or _counts_every(files) else set()


def _varying(files: WrittenFile, names: Sequence[str]) -> list[str]:
    return [name for name in names if len({files.value(row, name) for row in files.before}) > 1]


def _combination(files: WrittenFile, row: Row, block: Sequence[str]) -> tuple[object, ...]:
    """Return the values of a block; numbers are compared as numbers, and a missing value by its text."""
    return tuple(row.get(name) if (value := files.value(row, name)) is None else value for name in block)


def is_crowded(columns: Iterable[tuple[set[Value], bool]], occurring: int) -> bool:
    """Tell whether the occurring combinations are a fifth or more of all that the columns of a block allow.

    A column is its values and whether they are measured: then a number may be anything from the least to the greatest
    on the decimal grid of all, and a date anything. Of categories those that occur are possible.

    >>> is_crowded([({"n", "s"}, False), ({Fraction(3), Fraction(4), Fraction(8)}, True)], 6)
    True
    """
    return occurring * 5 >= math.prod(_possible(*column) for column in columns)


def _possible(values: set[Value], is_measured: bool) -> float:
    given = values - {None}
    if not is_measured or not given:
        return len(values)
    numbers = [value for value in given if isinstance(value, Fraction)]
    decimals = [d for d in range(10) if all((value * 10**d).denominator == 1 for value in numbers)]
    is_small = decimals and all(abs(value) * 10 ** decimals[0] < 2**53 for value in numbers)
    if not is_small or len(numbers) < len(given):
        return math.inf
    return int((max(numbers) - min(numbers)) * 10 ** decimals[0]) + 1 + len(values - given)


def _is_record(files: WrittenFile, row: Row, varying: Sequence[str], telling: Sequence[str]) -> bool:
    known = [name for name in varying if files.value(row, name) is not None]
    return len(known) > 1 and not set(telling).isdisjoint(known)


# Linkage: an intruder who knows the original values of some numbers looks for the nearest record.


def _linked(files: WrittenFile) -> Iterator[str]:
    promise = files.protect.get("linkage")
    if promise is None:
        return
    most = float(str(promise["at most"]).removesuffix("%"))
    names = promise.get("known") or files.key
    before, after = (_places(files, rows, names) for rows in (files.before, files.after))
    percent = max(linked_percent(before, after), linked_percent(after, before))
    if percent > most + 1e-6:
        yield f"{percent:.2f}% of the records are linked by {', '.join(names)}, above {most}%"


def _places(files: WrittenFile, rows: Sequence[Row], names: Sequence[str]) -> list[tuple[float, ...]]:
    """Return the numbers of each record in standard deviations of the original; there are no missing ones."""
    columns = []
    for name in names:
        known = [Fraction(files.value(row, name) or 0) for row in files.before]
        mean = sum(known) / len(known)
        spread = math.sqrt(sum((one - mean) ** 2 for one in known) / len(known)) or 1.0
        columns.append([float(Fraction(files.value(row, name) or 0) - mean) / spread for row in rows])
    return list(zip(*columns, strict=True))


def linked_percent(some: Sequence[tuple[float, ...]], others: Sequence[tuple[float, ...]]) -> float:
    """Return the percentage of `some` whose nearest among the others is the same record; m equally near ones share it.

    >>> linked_percent([(1.0,), (1.0,), (8.0,)], [(0.0,), (2.0,), (9.0,)])
    66.66666666666667
    """
    right = 0.0
    for number, one in enumerate(some):
        apart = [math.dist(one, other) for other in others]
        nearest = min(apart) * (1 + 1e-9)
        right += (apart[number] <= nearest) / sum(distance <= nearest for distance in apart)
    return 100 * right / len(some)
