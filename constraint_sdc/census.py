"""Write census-like microdata of any size: the same seed without broken rules is the original of the broken file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Floats, Integers, Rows
from constraint_sdc.data.series import double_text
from constraint_sdc.data.variable import VariableInfo
from constraint_sdc.errors import UsageError

# Draw census-like numbers in blocks that hold the five census rules, and break chosen rules in chosen records.
#
# The variables are those of the census reference file of the disclosure-control literature; the numbers are drawn from
# simple skewed distributions and describe no real person.

BLOCK = 10_000
"""Records per block; a block depends on its seed and number alone, so a shorter file is a prefix of a longer."""

LOW_EARNINGS = 1115
V1_LIMIT = 1_500_000

CensusColumn: TypeAlias = Integers | Floats
CensusNumbers: TypeAlias = dict[str, CensusColumn]


def draw_block(seed: int, block: int) -> CensusNumbers:
    """Return V1..V16 for one whole block: V1..V14 int64, V15 and V16 float64.

    Guaranteed in every record, in double arithmetic: V9 + V10 = V14, V5 * V15 = V16, 0 <= V3 <= 7500, V13 <= V12 where
    V8 < 1115; moreover V10 = V8 + V9, V15 = 1 / V11, V5 <= V12 <= V2, V1..V13 positive and V1 below `V1_LIMIT`.
    """
    rng = np.random.default_rng([seed, block, 0])
    n = BLOCK
    ability = rng.standard_normal(n)
    household = 0.6 * ability + 0.8 * rng.standard_normal(n)

    earnings = np.exp(10.45 + 0.6 * ability).clip(LOW_EARNINGS, 400_000)
    earnings = np.where(rng.random(n) < 0.6, np.round(earnings, -2), earnings)
    earnings = np.where(rng.random(n) < 0.004, rng.uniform(80, LOW_EARNINGS, n), earnings)
    v8 = _whole(earnings)
    v7 = _whole(np.exp(5.7 + 1.9 * rng.standard_normal(n)).clip(1, 60_000))
    v9 = np.where(rng.random(n) < 0.28, v7, _whole(np.exp(7.3 + 1.8 * rng.standard_normal(n)).clip(1, 120_000)))
    v10 = v8 + v9

    v2 = _whole(v10 * np.exp(0.15 + 0.35 * household.clip(-2.5, 3)))
    v12 = _whole(v2 * rng.beta(4.8, 2.5, n))
    v5 = _whole(v12 * rng.normal(0.176, 0.03, n).clip(0.04, 0.25))
    v11 = _whole(v12 * np.exp(-2.77 + 0.4 * rng.standard_normal(n)).clip(0, 0.2))

    v13 = np.where(rng.random(n) < 0.94, v8, _whole(v8 * rng.uniform(0.3, 1.0, n)))
    v13 = np.where(v8 < LOW_EARNINGS, np.minimum(v13, v12), v13)
    v4 = np.where(rng.random(n) < 0.85, v13, _whole(v13 * rng.uniform(0.3, 1.0, n)))
    v15 = 1.0 / v11
    return {
        "V1": _whole(np.exp(12.04 + 0.57 * rng.standard_normal(n)).clip(13_000, V1_LIMIT - 1)),
        "V2": v2,
        "V3": _whole((3170 + 500 * ability + 1300 * rng.standard_normal(n)).clip(16, 7500)),
        "V4": v4,
        "V5": v5,
        "V6": _whole(0.0765 * v4),
        "V7": v7,
        "V8": v8,
        "V9": v9,
        "V10": v10,
        "V11": v11,
        "V12": v12,
        "V13": v13,
        "V14": v9 + v10,
        "V15": v15,
        "V16": v5 * v15,
    }


def _whole(values: CensusColumn) -> npt.NDArray[np.int64]:
    """Truncate to whole numbers of at least 1; a truncated share of a whole number is not above it."""
    return np.maximum(values, 1.0).astype(np.int64)


def break_rules(numbers: CensusNumbers, seed: int, block: int, count: int) -> None:
    """Break each of the five rules in exactly `count` records of the block, in place, chosen separately for each rule.

    No break touches a variable of another of the five rules, so a record breaks a rule only if it was chosen for it.
    """
    records = len(numbers["V1"])
    for number, break_rule in enumerate(_BREAKS, start=1):
        rng = np.random.default_rng([seed, block, number])
        break_rule(numbers, np.sort(rng.choice(records, count, replace=False)), rng)


def _break_sum(numbers: CensusNumbers, rows: Rows, rng: np.random.Generator) -> None:
    """V9 + V10 = V14 fails, by at least 1."""
    numbers["V14"][rows] += rng.integers(1, 500, len(rows))


def _break_product(numbers: CensusNumbers, rows: Rows, rng: np.random.Generator) -> None:
    """V5 * V15 = V16 fails, every other time by the last bit of the double only."""
    slightly = np.nextafter(numbers["V16"][rows], np.inf)
    clearly = numbers["V16"][rows] * rng.uniform(1.01, 2.0, len(rows))
    numbers["V16"][rows] = np.where(np.arange(len(rows)) % 2 == 0, slightly, clearly)


def _break_interval(numbers: CensusNumbers, rows: Rows, rng: np.random.Generator) -> None:
    """0 <= V3 <= 7500 fails, above or below."""
    above, below = rng.integers(7501, 20_000, len(rows)), rng.integers(-500, 0, len(rows))
    numbers["V3"][rows] = np.where(rng.random(len(rows)) < 0.5, above, below)


def _break_condition(numbers: CensusNumbers, rows: Rows, rng: np.random.Generator) -> None:
    """V8 < 1115 holds and V13 <= V12 does not."""
    numbers["V8"][rows] = rng.integers(80, LOW_EARNINGS, len(rows))
    numbers["V13"][rows] = numbers["V12"][rows] + rng.integers(1, 5000, len(rows))


def _break_domain(numbers: CensusNumbers, rows: Rows, rng: np.random.Generator) -> None:
    """V1 takes a value that no original record of any seed has."""
    numbers["V1"][rows] = rng.integers(V1_LIMIT, 2 * V1_LIMIT, len(rows))


_BREAKS: tuple[Callable[[CensusNumbers, Rows, np.random.Generator], None], ...] = (
    _break_sum,
    _break_product,
    _break_interval,
    _break_condition,
    _break_domain,
)


_LABELS = (
    "Final weight",
    "Adjusted gross income",
    "Employer contribution for health insurance",
    "Earnings",
    "Federal income tax",
    "Social security payroll deduction",
    "Interest income",
    "Total person earnings",
    "Total other persons income",
    "Total person income",
    "State income tax",
    "Taxable income",
    "Wage and salary",
    "Sum of other and person income, V9 + V10",
    "Reciprocal of state income tax, 1 / V11",
    "Federal by state income tax, V5 * V15",
)

VARIABLES: tuple[VariableInfo, ...] = tuple(
    VariableInfo(f"V{i}", "integer", 0, "scale", label, ())
    if i <= 14
    else VariableInfo(f"V{i}", "double", None, "scale", label, ())
    for i, label in enumerate(_LABELS, start=1)
)
"""The metadata of V1..V16."""


def generate(records: int, seed: int, break_share: float = 0.0) -> Iterator[Mapping[str, list[str]]]:
    """Yield V1..V16 as texts, in blocks of at most 10,000 records, each of the five rules broken in that share of them.

    With share 0 every rule holds; the same seed with share 0 gives the original of the broken records. Broken records
    are counted over the whole file: each rule fails in exactly `round(records * break_share)` of them.
    """
    if records < 0 or seed < 0:
        raise UsageError("the number of records and the seed must be whole numbers of at least 0")
    if not 0.0 <= break_share <= 1.0:
        raise UsageError(f"the share of broken records must be between 0 and 1, not {break_share}")
    for block, start in enumerate(range(0, records, BLOCK)):
        stop = min(start + BLOCK, records)
        numbers = {name: column[: stop - start] for name, column in draw_block(seed, block).items()}
        count = round(stop * break_share) - round(start * break_share)
        if count:
            break_rules(numbers, seed, block, count)
        yield {name: _texts(column) for name, column in numbers.items()}


def _texts(column: CensusColumn) -> list[str]:
    return list(map(str if column.dtype.kind == "i" else double_text, column.tolist()))


def generate_xml(records: int, seed: int, break_share: float = 0.0, indent: bool = False) -> Iterator[bytes]:
    """Yield a whole XML document piece by piece: one record per line, or one variable per line when indented."""
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<Microdata>\n'
    names = [info.name for info in VARIABLES]
    cells = [f"<{name}>%s</{name}>" for name in names]
    between, before_end = ("\n    ", "\n  ") if indent else ("", "")
    template = "  " * indent + "<Record>" + "".join(between + cell for cell in cells) + before_end + "</Record>\n"
    for batch in generate(records, seed, break_share):
        rows = zip(*(batch[name] for name in names), strict=True)
        yield "".join(map(template.__mod__, rows)).encode()
    yield b"</Microdata>\n"


def generate_file(path: Path, records: int, seed: int, *, break_share: float = 0.0, indent: bool = False) -> None:
    """Write a census-like file to `path`, replacing an existing one; seconds for a million records."""
    with path.open("wb") as file:
        file.writelines(generate_xml(records, seed, break_share, indent))
