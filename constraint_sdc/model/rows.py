"""Rows on their way from one file format to another: texts in batches of columns, and what to say about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from constraint_sdc.model.table import Chunk
from constraint_sdc.model.variable import VariableInfo

Batch: TypeAlias = Mapping[str, Sequence[str | None]]
"""Variable name to texts, exactly as they stand in XML; None is absent. All columns are equally long."""


@dataclass(frozen=True, slots=True)
class Rows:
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


@dataclass(frozen=True, slots=True)
class Written:
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
