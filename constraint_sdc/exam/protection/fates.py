"""What is removed from a published file is nowhere in it, and what is kept is as it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lxml import etree

from constraint_sdc.exam.protection.written import WrittenFile

_SEARCHED = 5
"""A removed value of at least so many characters is searched for in the bytes; shorter ones occur by chance."""

_REMOVED, _KEPT = b"SECRET", b"PUBLIC"
"""Marks in everything around the variables that the recipe removes, and that it keeps."""


def still_there(files: WrittenFile) -> Iterator[str]:
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
    left = content.count(_REMOVED)
    if left:
        yield f"{left} attributes, comments or values around the variables should be gone"


def wrongly_changed(files: WrittenFile) -> Iterator[str]:
    """A variable that is neither masked, computed nor removed has the value that it had, in every record.

    A quasi-identifier may be coarser, all values on the same level of its hierarchy, or empty.
    """
    before, after = (content.count(_KEPT) for content in (files.given.original, files.given.masked))
    if before != after:
        yield f"{before} things around the variables are kept, yet {after} are in the file"
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
