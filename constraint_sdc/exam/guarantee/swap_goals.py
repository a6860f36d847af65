"""Goals of group anonymity for a generated case: parameters and conditions that its data have records for."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from constraint_sdc.data.table import column_of
from constraint_sdc.exam.guarantee.case import ExamCase
from constraint_sdc.exam.guarantee.judging import cells
from constraint_sdc.plan.read_series import is_numeric

_MOST_VALUES = 40


@dataclass(frozen=True)
class _SwapVariable:
    """A variable of the case; `values` has None where a record has no value."""

    name: str
    values: list[float | str | None]
    texts: list[str]

    @property
    def is_number(self) -> bool:
        return any(isinstance(value, float) for value in self.values)

    @property
    def different(self) -> int:
        return len({value for value in self.values if value is not None})


def random_mask(case: ExamCase, missing: Mapping[str, Sequence[str]], rng: random.Random) -> dict[str, Any] | None:
    """Return `mask` of a recipe with one or two goals; None where no two records could be swapped."""
    variables = _variables(case, missing)
    parameters = [v for v in variables if 2 <= v.different <= _MOST_VALUES]
    rng.shuffle(parameters)
    if rng.random() < 0.6:  # few values have many records each, and most to swap
        parameters.sort(key=lambda v: v.different)
    for parameter in parameters:
        others = [v for v in variables if v.name != parameter.name]
        if goal := _goal(parameter, others, rng):
            goals, swapped = [goal], {parameter.name}
            read = goal.pop("reads")
            for second in parameters[: rng.choice((0, 0, 1, 2))]:
                if second.name in read:
                    continue
                rest = [v for v in variables if v.name not in swapped | {second.name}]
                if more := _goal(second, rest, rng):
                    read |= more.pop("reads")
                    goals.append(more)
                    swapped.add(second.name)
            mask: dict[str, Any] = {"masker": "group-anonymity", "goals": goals}
            near = [v.name for v in variables if v.name not in swapped]
            if chosen := rng.sample(near, min(len(near), rng.choice((0, 1, 3)))):
                mask["influential"] = [{"variable": name, "weight": rng.choice((1, "0.5", 3))} for name in chosen]
            return mask
    return None


def _variables(case: ExamCase, missing: Mapping[str, Sequence[str]]) -> list[_SwapVariable]:
    rows = [cells(record) for record in etree.fromstring(case.data.encode("utf-8")).iter(case.record)]
    found = []
    for name in dict.fromkeys(name for row in rows for name in row):
        blank = {*missing.get(name, ()), "", "xsi:nil"}
        raw = [row.get(name, "") for row in rows]
        is_number = is_numeric(
            column_of(name, ["" if text == "xsi:nil" else text for text in raw]), tuple(missing.get(name, ()))
        )
        values = [_value(text, blank, is_number) for text in raw]
        found.append(_SwapVariable(name, values, [text.strip() if is_number else text for text in raw]))
    return found


def _value(text: str, blank: set[str], is_number: bool) -> float | str | None:
    if text.strip(" \t\r\n") in blank:
        return None
    if not is_number:
        return text
    return float(text) if text.strip() not in ("NaN", "INF", "-INF", "+INF") else None


def _goal(parameter: _SwapVariable, others: Sequence[_SwapVariable], rng: random.Random) -> dict[str, Any] | None:
    """Return a goal over the parameter whose group is some, not all, of the records with a value of it."""
    for other in rng.sample(list(others), len(others)):
        known = sorted({v for v in other.values if v is not None}, key=lambda v: (str(type(v)), v))
        if not known:
            continue
        pick = rng.choice(known)
        is_in = [value is not None and (value >= pick if other.is_number else value == pick) for value in other.values]  # type: ignore[operator]
        has = [value is not None for value in parameter.values]
        if not any(a and b for a, b in zip(is_in, has, strict=True)) or not any(
            b and not a for a, b in zip(is_in, has, strict=True)
        ):
            continue
        literal = repr(pick) if other.is_number else "'" + str(pick).replace("'", "''") + "'"
        condition = f"`{other.name}` {'>=' if other.is_number else '='} {literal}"
        return {
            "parameter": parameter.name,
            "vital": condition,
            "signal": rng.choice(("quantity", "concentration")),
            "change": _changes(parameter, is_in, rng),
            "reads": {other.name},
        }
    return None


def _changes(parameter: _SwapVariable, is_in: Sequence[bool], rng: random.Random) -> list[dict[str, Any]]:
    """Return one change; mostly the highest and the lowest number of the signal change places."""
    labels = {v: t for v, t in zip(parameter.values, parameter.texts, strict=True) if v is not None}
    kind = rng.random()
    if kind < 0.2:
        return [{"signal": [rng.randrange(20) for _ in labels]}]
    if kind < 0.35 and len(labels) >= 4 and len(labels) % 2 == 0:
        return [{"wavelet": {"wavelet": "haar", "approximation": rng.choice(("reverse", "flat"))}}]
    if kind < 0.6:
        return [{"add": {"at": rng.choice(list(labels.values()))}}]
    counts = Counter(value for value, vital in zip(parameter.values, is_in, strict=True) if vital)
    ordered = sorted(labels, key=lambda value: counts[value])
    source, target = labels[ordered[-1]], labels[ordered[0]]
    return [{"move": {"from": source, "to": target}}]
