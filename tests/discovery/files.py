"""Files with planted rules, and files of noise."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

Row = Mapping[str, str | None]


def write_rows(path: Path, rows: Sequence[Row], opening: str = "<Data>", closing: str = "</Data>") -> Path:
    """Write records; None is an absent element."""
    lines = (
        "<Record>" + "".join(f"<{n}>{escape(t)}</{n}>" for n, t in row.items() if t is not None) + "</Record>"
        for row in rows
    )
    path.write_text("\n".join((opening, *lines, closing)), encoding="utf-8")
    return path


def cents(amount: int) -> str:
    return f"{amount // 100}.{amount % 100:02d}"


def planted_row(number: int, chance: random.Random) -> dict[str, str | None]:
    """A household: sums in cents, a ratio, a product, an order, codes, a table, a key, and values that depend."""
    food, rent, other = (chance.randint(1, 90_000) for _ in range(3))
    months = chance.randint(100, 900)
    rooms, price = chance.randint(1, 99), chance.randint(100, 999)
    town = chance.randint(10, 80)
    kind = chance.choice(("farm", "flat", "house"))
    works = chance.random() < 0.6
    return {
        "Id": f"h{number:05d}",
        "Food": cents(food),
        "Rent": cents(rent),
        "Other": cents(other),
        "Total": cents(food + rent + other),
        "Months": str(months),
        "Days": str(30 * months),
        "Rooms": str(rooms),
        "Price": str(price),
        "Value": str(rooms * price),
        "Young": str(chance.randint(0, 50)),
        "Old": None,
        "Town": str(town),
        "Region": "ABCDEFGH"[town // 10 - 1],
        "Kind": kind,
        "Land": str(chance.randint(1, 500)) if kind == "farm" else "0",
        "Works": "yes" if works else "no",
        "Wage": str(chance.randint(1000, 9000)) if works else None,
    }


def planted_rows(count: int, seed: int) -> list[Row]:
    chance = random.Random(seed)
    rows = [planted_row(number, chance) for number in range(count)]
    for row in rows:
        row["Old"] = str(int(row["Young"] or 0) + chance.randint(0, 50))
    return list(rows)


def noise_rows(count: int, seed: int) -> list[Row]:
    """Variables that have nothing to do with each other."""
    chance = random.Random(seed)
    return [
        {
            "A": str(chance.randint(0, 1000)),
            "B": str(chance.randint(0, 1000)),
            "C": str(chance.randint(500, 5000)),
            "D": cents(chance.randint(0, 10_000)),
            "E": chance.choice("xyz"),
            "F": chance.choice(("1", "2", "3", "4")),
            "G": str(chance.choice((0, 0, 5, 10))),
            "H": str(chance.randint(1, 9)) if chance.random() < 0.7 else None,
        }
        for _ in range(count)
    ]
