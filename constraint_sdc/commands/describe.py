"""Describe: read the whole file once and say what its variables look like."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from constraint_sdc.data.table import Chunk
from constraint_sdc.data.variable import Description, VariableDescription
from constraint_sdc.errors import UsageError
from constraint_sdc.files.microdata.metadata import read_metadata
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.files.summary import summarise
from constraint_sdc.settings.recipe import Recipe


def describe_file(data: Path, *, record: str | None = None, recipe: Path | None = None) -> Description:
    """Return the description; missing codes are those of the file's own metadata and of the recipe."""
    wishes = read_recipe(recipe) if recipe else Recipe()
    infos = {info.name: info for info in read_metadata(data)}
    codes: dict[str, tuple[str, ...]] = {name: info.missing for name, info in infos.items()}
    for name, given in wishes.missing.items():
        codes[name] = tuple(dict.fromkeys((*codes.get(name, ()), *given)))
    microdata = open_microdata(data, record=record or wishes.record)
    counter = _Counter()
    summaries = summarise(counter.through(microdata.chunks()), codes)
    unknown = [name for name in wishes.missing if name not in {summary.name for summary in summaries}]
    if unknown:
        raise UsageError(f"the recipe names a variable that no record has: {unknown[0]}", file=str(recipe))
    return Description(
        data=str(data),
        record=microdata.layout.record,
        wrappers=microdata.layout.wrappers,
        style=microdata.layout.style,
        encoding=microdata.how.name,
        records=counter.records,
        variables=tuple(
            VariableDescription(
                name=summary.name,
                form=summary.form.name.lower() if summary.form is not None else None,
                decimals=summary.decimals,
                values=summary.values,
                absent=summary.absent,
                empty=summary.empty,
                nil=summary.nil,
                codes=dict(summary.missing),
                label=infos[summary.name].label if summary.name in infos else None,
            )
            for summary in summaries
        ),
    )


class _Counter:
    """Counts the records that pass by: a file of records without any variable has records too."""

    def __init__(self) -> None:
        self.records = 0

    def through(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        for chunk in chunks:
            self.records += len(chunk)
            yield chunk
