"""Descriptions of variables: declared in a file's metadata, or found in its records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from constraint_sdc.data.table import Chunk
from constraint_sdc.shown import Shown, Tabled

VariableType = Literal["integer", "decimal", "double", "text"]
Measure = Literal["nominal", "ordinal", "scale"]


@dataclass(frozen=True, slots=True)
class VariableInfo:
    """The declared description of one variable: its type, measure, label and missing codes."""

    name: str
    type: VariableType
    decimals: int | None = None
    measure: Measure | None = None
    label: str | None = None
    missing: tuple[str, ...] = ()


# What a microdata file looks like, variable by variable.


@dataclass(frozen=True, slots=True)
class VariableDescription:
    """One variable: its lexical form in words, and how many records have a value, none, an empty one or a code.

    `form` is integer, decimal, scientific or text; None when no record has a value. `decimals` is the most digits after
    a point. `codes` counts the user-missing codes, which are not values.
    """

    name: str
    form: str | None
    decimals: int
    values: int
    absent: int
    empty: int
    nil: int
    codes: Mapping[str, int]
    label: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Description(Tabled):
    """A whole file: where its records are, and its variables in order of first appearance."""

    data: str
    record: str
    wrappers: tuple[str, ...]
    style: str
    encoding: str
    records: int
    variables: tuple[VariableDescription, ...]


# A variable's description as one line of JSON, for formats with metadata for each column.

KEY = b"constraint_sdc"
"""The key of the description in the column's metadata."""


def info_json(info: VariableInfo) -> bytes:
    """Return everything but the name."""
    stated = {"type": info.type, "decimals": info.decimals, "measure": info.measure, "label": info.label}
    return json.dumps({**stated, "missing": list(info.missing)}, ensure_ascii=False).encode()


def info_from_json(name: str, note: bytes) -> VariableInfo | None:
    """Return the description in the metadata, None if this program did not write it."""
    try:
        stated: Any = json.loads(note)
        info = VariableInfo(
            name, stated["type"], stated["decimals"], stated["measure"], stated["label"], tuple(stated["missing"])
        )
    except (ValueError, KeyError, TypeError):
        return None
    return info if _is_sound(info) else None


def _is_sound(info: VariableInfo) -> bool:
    return (
        info.type in get_args(VariableType)
        and (info.decimals is None or (isinstance(info.decimals, int) and info.decimals >= 0))
        and (info.measure is None or info.measure in get_args(Measure))
        and (info.label is None or isinstance(info.label, str))
        and all(isinstance(code, str) for code in info.missing)
    )


# Rows in conversion from one file format to another: texts in batches of columns, and notes about them.

Batch: TypeAlias = Mapping[str, Sequence[str | None]]
"""Variable name to texts, exactly as they stand in XML; None is absent. All columns are equally long."""


@dataclass(frozen=True, slots=True)
class RowSource:
    """The records of a file in any format. `batches` starts anew at the first record each time it is called.

    Every batch holds exactly the variables of `infos`, under their XML names. `notes` say what the format could not
    carry over.
    """

    infos: tuple[VariableInfo, ...]
    batches: Callable[[], Iterator[Batch]]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the variables' names in order."""
        return tuple(info.name for info in self.infos)


@dataclass(frozen=True, slots=True, repr=False)
class Written(Shown):
    """What a writer did: how many records, and in `notes` what the format could not carry over."""

    records: int
    notes: tuple[str, ...] = ()


def batches_of(chunks: Iterable[Chunk], names: Sequence[str]) -> Iterator[Batch]:
    """Yield each chunk as a batch of these variables; one that the chunk does not have is absent throughout it."""
    for chunk in chunks:
        absent: list[str | None] = [None] * len(chunk)
        yield {name: chunk.columns[name].texts() if name in chunk.columns else absent for name in names}


def batch_length(batch: Batch) -> int:
    """Count the batch's records."""
    return len(next(iter(batch.values()))) if batch else 0
