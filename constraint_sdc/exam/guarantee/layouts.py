"""How generated records are written: as elements or attributes, with a namespace, comments, nil values."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

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
