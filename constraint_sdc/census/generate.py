"""Write census-like microdata of any size: the same seed without broken rules is the original of the broken file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from constraint_sdc.census.draw import BLOCK, Column, break_rules, draw_block
from constraint_sdc.errors import UsageError
from constraint_sdc.model.number_text import double_text
from constraint_sdc.model.variable import VariableInfo

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
"""What a microdata file's metadata says of V1..V16."""


def generate(records: int, seed: int, break_share: float = 0.0) -> Iterator[Mapping[str, list[str]]]:
    """Yield V1..V16 as texts, in blocks of at most 10,000 records, each of the five rules broken in that share of them.

    With share 0 every rule holds; the same seed with share 0 gives the original of the broken records. Broken records
    are counted over the whole file: each rule fails in exactly `round(records * break_share)` of them.
    """
    if records < 0 or seed < 0:
        raise UsageError("the number of records and the seed are whole numbers from 0 on")
    if not 0.0 <= break_share <= 1.0:
        raise UsageError(f"the share of broken records lies between 0 and 1, not {break_share}")
    for block, start in enumerate(range(0, records, BLOCK)):
        stop = min(start + BLOCK, records)
        numbers = {name: column[: stop - start] for name, column in draw_block(seed, block).items()}
        count = round(stop * break_share) - round(start * break_share)
        if count:
            break_rules(numbers, seed, block, count)
        yield {name: _texts(column) for name, column in numbers.items()}


def _texts(column: Column) -> list[str]:
    return list(map(str if column.dtype.kind == "i" else double_text, column.tolist()))


def generate_xml(records: int, seed: int, break_share: float = 0.0, indent: bool = False) -> Iterator[bytes]:
    """Yield a whole XML document piece by piece: one record a line, or one variable a line when indented."""
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
    """Write a census-like file under `path`, replacing what is there; seconds for a million records."""
    with path.open("wb") as file:
        file.writelines(generate_xml(records, seed, break_share, indent))
