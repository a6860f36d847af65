"""Prefixes of fragments: what an included element of another file means by a prefix that the schema does not declare.

The schema's own `ns` come first, as the standard says. For any other prefix that a fragment uses, its own file tells:
the `ns` of the schema or library around it, else the namespace declarations in scope of the fragment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from constraint_sdc.schematron.element import Element

_PREFIX = re.compile(r"(?<![\w.\-:])([^\W\d][\w.\-]*):(?=[^\W\d]|\*)")


@dataclass(frozen=True, slots=True)
class BorrowedPrefix:
    """A prefix as the file of a fragment declares it; `element` is what names the fragment."""

    prefix: str
    uri: str
    element: Element


def borrowed_prefixes(fragment: Element, root: Element, named_by: Element) -> Iterator[BorrowedPrefix]:
    """Yield the prefixes that the expressions of a fragment use and its file declares; `root` is that file's root."""
    declared = dict(fragment.prefixes)
    if root.kind in ("schema", "library"):
        declared |= {ns.require("prefix"): ns.require("uri") for ns in root.elements("ns")}
    for prefix in sorted(_used(fragment) & declared.keys()):
        yield BorrowedPrefix(prefix, declared[prefix], named_by)


def _used(element: Element) -> set[str]:
    own = {prefix for value in element.attributes.values() for prefix in _PREFIX.findall(value)}
    return own.union(*map(_used, element.elements()))


def lent_prefixes(borrowed: Iterator[BorrowedPrefix], declared: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the prefixes that the schema does not declare itself; one for two namespaces is an error."""
    seen: dict[str, BorrowedPrefix] = {}
    for one in borrowed:
        if one.prefix in declared:
            continue
        first = seen.setdefault(one.prefix, one)
        if first is one:
            yield one.prefix, one.uri
        elif first.uri != one.uri:
            hint = f"the other is of the file named at {first.element.origin}; declare it with ns in the schema"
            raise one.element.error(f"prefix {one.prefix!r} stands for two namespaces in included files", hint=hint)
