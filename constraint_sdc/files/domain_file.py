"""Export value domains: the values that each variable takes, so that a gate does not need the original microdata.

The file is plain rows that any Schematron processor can use in place of the original. Row i holds the i-th value of
each variable in sorted order, so a row says nothing about any one record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from constraint_sdc.data.table import Chunk
from constraint_sdc.data.variable import Written
from constraint_sdc.errors import UsageError
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.files.atomic import atomic_file
from constraint_sdc.files.rows_file import quoted, text_xml

_ROWS_AT_ONCE = 20_000


def distinct_values(chunks: Iterable[Chunk], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the distinct texts of each variable, sorted by code points; "" if some record has the variable empty.

    Texts are compared as XPath compares untyped values: `1` and `1.0` differ. A variable that no record has is refused.
    """
    domains = {name: Domain() for name in names}
    known: dict[str, None] = {}
    for chunk in chunks:
        known.update(dict.fromkeys(chunk.columns))
        for name, domain in domains.items():
            if name in chunk.columns:
                domain.add(chunk.columns[name])
    for name in names:
        if name not in known:
            raise UsageError(f"no record has a variable {name!r}", hint=f"the variables are {', '.join(known)}")
    return {name: sorted(domain.texts()) for name, domain in domains.items()}


def write_domain(
    path: Path,
    values: Mapping[str, Sequence[str]],
    record: str = "Record",
    *,
    wrappers: Sequence[str] = ("Microdata",),
    overwrite: bool = False,
) -> Written:
    """Write the values as rows in the shape of the original: its wrappers from the root down, and its record name.

    Names are in Clark notation, "@name" for an attribute. A variable with fewer values than another is absent from the
    later rows. The values are written in the order given: sort them, or the rows link variables.
    """
    prefixes = _prefixes([*wrappers, record, *values])
    names = {name: _prefixed(name.removeprefix("@"), prefixes) for name in (*wrappers, record, *values)}
    declarations = "".join(f" xmlns:{prefix}={quoted(uri)}" for uri, prefix in prefixes.items())
    opening = "".join(f"<{names[wrapper]}>\n" for wrapper in wrappers).replace(">", f"{declarations}>", 1)
    closing = "".join(f"</{names[wrapper]}>\n" for wrapper in reversed(wrappers))
    count = 0
    with atomic_file(path, overwrite) as file:
        file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{opening}'.encode())
        for start in range(0, max(map(len, values.values()), default=0), _ROWS_AT_ONCE):
            part = {name: list_[start : start + _ROWS_AT_ONCE] for name, list_ in values.items()}
            rows = _plain_rows(part, names, names[record])
            if rows is None:
                each = zip_longest(*part.values())
                rows = "".join(_row(row, list(values), names, names[record]) for row in each)
            file.write(rows.encode())
            count += max(map(len, part.values()))
        file.write(closing.encode())
    return Written(count)


def _plain_rows(values: Mapping[str, Sequence[str]], names: Mapping[str, str], record: str) -> str | None:
    """Return the rows of a single variable whose texts need no escape, None for any other."""
    if len(values) != 1:
        return None
    ((name, texts),) = values.items()
    whole = "".join(texts)
    if name.startswith("@") or text_xml(whole) != whole:
        return None
    opening, closing = f"<{record}><{names[name]}>", f"</{names[name]}></{record}>\n"
    return f"{opening}{f'{closing}{opening}'.join(texts)}{closing}"


def _row(row: tuple[str | None, ...], variables: Sequence[str], names: Mapping[str, str], record: str) -> str:
    cells = [(name, text) for name, text in zip(variables, row, strict=True) if text is not None]
    attributes = "".join(f" {names[n]}={quoted(text)}" for n, text in cells if n.startswith("@"))
    elements = "".join(f"<{names[n]}>{text_xml(text)}</{names[n]}>" for n, text in cells if not n.startswith("@"))
    return f"<{record}{attributes}>{elements}</{record}>\n" if elements else f"<{record}{attributes}/>\n"


def _prefixes(names: Iterable[str]) -> dict[str, str]:
    uris = dict.fromkeys(uri for uri in map(_namespace, names) if uri)
    return {uri: f"ns{number}" for number, uri in enumerate(uris, start=1)}


def _namespace(name: str) -> str:
    return name.removeprefix("@").removeprefix("{").rpartition("}")[0]


def _prefixed(name: str, prefixes: Mapping[str, str]) -> str:
    uri, _, local = name.removeprefix("{").rpartition("}")
    return f"{prefixes[uri]}:{local}" if uri else local
