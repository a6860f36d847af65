"""How generated data are written: figures as text, and records as XML."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from xml.sax.saxutils import escape, quoteattr

import numpy as np

# Figures as text: how a variable of the generated data is written, and how its values are drawn.

Number = int | float | Decimal | Fraction


@dataclass(frozen=True)
class Writing:
    """Digits after the point (None: as many as the double needs), and whether closing zeros are written."""

    decimals: int | None
    pads: bool = False

    def text(self, value: Number) -> str:
        """Return the text of the nearest number that can be written."""
        if self.decimals is None:
            return double_text(float(value))
        with localcontext() as context:
            context.prec = 60
            exact = Decimal(value) if not isinstance(value, Fraction) else Decimal(value.numerator) / value.denominator
            rounded = exact.quantize(Decimal(1).scaleb(-self.decimals), ROUND_HALF_EVEN)
        return decimal_text(rounded, pads=self.pads)


def double_text(value: float) -> str:
    """Return the shortest positional text of a double."""
    return "0" if value == 0 else str(np.format_float_positional(value, trim="-"))


def decimal_text(value: Decimal, *, pads: bool = False) -> str:
    """Return a decimal number without an exponent; closing zeros stay only on demand."""
    text = format(value, "f")
    if "." in text and not pads:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


INTEGER = Writing(0)
Draw = Callable[[random.Random], Number]

WRITINGS = (
    INTEGER,
    INTEGER,
    INTEGER,
    Writing(1),
    Writing(2),
    Writing(2, pads=True),
    Writing(2, pads=True),
    Writing(3),
    Writing(6),
    Writing(None),
)


def integer_draws(rng: random.Random) -> tuple[str, Draw]:
    """Choose a distribution of whole numbers, with a name for it."""
    low, step = rng.choice((0, 1, 3, -20)), rng.choice((2, 5, 10))
    kinds: list[tuple[str, Draw]] = [
        ("small integers", lambda r: low + r.randrange(6)),
        ("integers", lambda r: r.randrange(1, 200)),
        ("ages", lambda r: r.randrange(0, 100)),
        (f"multiples of {step}", lambda r: step * r.randrange(0, 40)),
        ("skewed integers", lambda r: int(10 ** r.uniform(0, 5))),
        ("integers around zero", lambda r: r.randrange(-60, 61)),
        ("many zeros", lambda r: 0 if r.random() < 0.4 else r.randrange(1, 500)),
        ("large integers", lambda r: 10**9 + r.randrange(10**9)),
        ("huge integers", lambda r: r.randrange(10**12)),
    ]
    return rng.choices(kinds, (4, 6, 3, 3, 4, 2, 3, 1, 1))[0]


def decimal_draws(rng: random.Random) -> tuple[str, Draw]:
    """Choose a distribution of numbers with a fraction, with a name for it."""
    kinds: list[tuple[str, Draw]] = [
        ("money", lambda r: r.lognormvariate(5, 1.2)),
        ("shares", lambda r: r.uniform(0, 1)),
        ("measurements", lambda r: r.gauss(20, 6)),
        ("few decimals", lambda r: r.randrange(1, 12) / 2),
        ("wide range", lambda r: 10 ** r.uniform(-2, 7)),
        ("around zero", lambda r: r.gauss(0, 3)),
        ("zeros and money", lambda r: 0.0 if r.random() < 0.35 else r.uniform(1, 900)),
        ("positive", lambda r: r.uniform(0.5, 60)),
    ]
    return rng.choices(kinds, (4, 2, 3, 2, 2, 2, 2, 4))[0]


def with_outliers(draw: Draw, rng: random.Random) -> Draw:
    """Make one value in forty a thousand times larger."""
    factor = rng.choice((50, 1000))
    return lambda r: (lambda value: value * factor if r.random() < 0.025 else value)(draw(r))


# How generated records are written: as elements or attributes, with a namespace, comments, nil values.

NAMESPACE = "urn:example:microdata"
INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
NIL = "\0nil"
"""The cell of an empty value that is written with xsi:nil (an empty attribute in the attribute style)."""


@dataclass(frozen=True)
class DrawnLayout:
    """`style` is elements or attributes; `prefix` is the one that rules use for the data's namespace, or nothing."""

    style: str
    prefix: str
    record: str
    wrappers: tuple[str, ...]
    decoration: bool

    def path(self, name: str) -> str:
        """Return the XPath from a record to a variable."""
        if name.startswith("@"):
            return name
        return f"@{name}" if self.style == "attributes" else self.prefix + name

    @property
    def record_path(self) -> str:
        """Return the record element as rules name it."""
        return self.prefix + self.record

    @property
    def clark_record(self) -> str:
        """Return the Clark name of the record element."""
        return f"{{{NAMESPACE}}}{self.record}" if self.prefix else self.record

    def variable(self, name: str) -> str:
        """Return the name that the reader gives to a variable."""
        if name.startswith("@"):
            return name
        if self.style == "attributes":
            return f"@{name}"
        return f"{{{NAMESPACE}}}{name}" if self.prefix else name


def random_layout(rng: random.Random) -> DrawnLayout:
    """Draw how a file is written."""
    return DrawnLayout(
        style="attributes" if rng.random() < 0.12 else "elements",
        prefix="d:" if rng.random() < 0.15 else "",
        record=rng.choice(("Record", "Record", "Person", "Bokföring")),
        wrappers=rng.choice((("Data",), ("Data",), ("Survey", "Records"))),
        decoration=rng.random() < 0.3,
    )


def data_xml(layout: DrawnLayout, records: Sequence[Mapping[str, str | None]], rng: random.Random) -> str:
    """Return the document of these records; a variable that is None in a record is absent from it."""
    declarations = f' xmlns="{NAMESPACE}"' if layout.prefix else ""
    if any(NIL in record.values() for record in records):
        declarations += f' xmlns:xsi="{INSTANCE}"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    if layout.decoration:
        lines.append("<!-- edited extract, ä€ -->")
    for depth, wrapper in enumerate(layout.wrappers):
        lines.append(f"<{wrapper}{declarations if depth == 0 else ''}>")
    for record in records:
        if layout.decoration and rng.random() < 0.05:
            lines.append("<!-- 1 < 2 & more -->" if rng.random() < 0.5 else "<?note here?>")
        lines.append(_record(layout, record, rng))
    lines += [f"</{wrapper}>" for wrapper in reversed(layout.wrappers)]
    return "\n".join(lines) + "\n"


def _record(layout: DrawnLayout, record: Mapping[str, str | None], rng: random.Random) -> str:
    as_attribute = [name for name in record if name.startswith("@") or layout.style == "attributes"]
    attributes = "".join(
        f" {name.removeprefix('@')}={quoteattr('' if cell == NIL else cell)}"
        for name in as_attribute
        if (cell := record[name]) is not None
    )
    leaves = [_leaf(name, cell) for name, cell in record.items() if name not in as_attribute and cell is not None]
    if layout.decoration and leaves and rng.random() < 0.1:
        leaves.insert(rng.randrange(len(leaves) + 1), "<!-- checked -->")
    if not leaves:
        return f"<{layout.record}{attributes}/>"
    separator = "\n    " if layout.decoration and rng.random() < 0.5 else ""
    inside = separator + separator.join(leaves) + separator
    return f"  <{layout.record}{attributes}>{inside}</{layout.record}>"


def _leaf(name: str, cell: str) -> str:
    if cell == NIL:
        return f'<{name} xsi:nil="true"/>'
    return f"<{name}>{escape(cell)}</{name}>" if cell else f"<{name}/>"
