"""Describe: read the whole file once and say what its variables look like."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.data.table import Column
from constraint_sdc.data.variable import DescribedTable, Description, VariableDescription
from constraint_sdc.errors import UsageError
from constraint_sdc.evidence.looks import look_at
from constraint_sdc.evidence.profile import profile_of
from constraint_sdc.evidence.structure import structural_columns, structure_looks
from constraint_sdc.evidence.values_seen import ValuesSeen, values_seen
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.microdata.metadata import read_metadata
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.files.summary import ColumnSummary, summarise
from constraint_sdc.files.tables.registry import table_format, table_read_as
from constraint_sdc.files.tables.standard import standard_of
from constraint_sdc.settings.reason import Reason
from constraint_sdc.settings.recipe import Recipe


def describe_file(
    data: Path, *, record: str | None = None, recipe: Path | None = None, show_values: bool = False
) -> Description:
    """Return the description; missing codes are those of the file's own metadata and of the recipe.

    Ranges and examples, which are values of records, are part of it only with `show_values`.
    """
    wishes = read_recipe(recipe) if recipe else Recipe()
    infos = {info.name: info for info in read_metadata(data)}
    codes: dict[str, tuple[str, ...]] = {name: info.missing for name, info in infos.items()}
    for name, given in wishes.missing.items():
        codes[name] = tuple(dict.fromkeys((*codes.get(name, ()), *given)))
    dataset = read_dataset(data, record or wishes.record)
    summaries = summarise(dataset.chunks(), codes)
    unknown = [name for name in wishes.missing if name not in {summary.name for summary in summaries}]
    if unknown:
        raise UsageError(f"the recipe names a variable that no record has: {unknown[0]}", file=str(recipe))
    structural = structural_columns(dataset.table)
    microdata, reading = dataset.microdata, table_read_as(data)
    return Description(
        data=str(data),
        record=microdata.layout.record,
        wrappers=microdata.layout.wrappers,
        style=microdata.layout.style,
        encoding=(reading and reading.encoding) or microdata.how.name,
        records=dataset.table.records,
        variables=tuple(
            _described(
                summary,
                dataset.table.columns[summary.name],
                infos[summary.name].label if summary.name in infos else None,
                structural.get(summary.name),
                show_values=show_values,
            )
            for summary in summaries
        ),
        table=_described_table(data),
    )


def _described_table(data: Path) -> DescribedTable | None:
    known, reading = table_format(data), table_read_as(data)
    return None if known is None or reading is None else DescribedTable(known.name, reading, standard_of(data))


def _described(
    summary: ColumnSummary, column: Column, label: str | None, structural: Reason | None, *, show_values: bool
) -> VariableDescription:
    profile = profile_of(column, summary.missing)
    looks = look_at(profile) if structural is None else structure_looks(structural)
    seen = values_seen(profile) if show_values else ValuesSeen()
    return VariableDescription(
        name=summary.name,
        form=summary.form.name.lower() if summary.form is not None else None,
        decimals=summary.decimals,
        values=summary.values,
        absent=summary.absent,
        empty=summary.empty,
        nil=summary.nil,
        codes=dict(summary.missing),
        label=label,
        distinct=len(profile.counts),
        kind=looks.kind.value,
        is_certain=looks.is_certain,
        evidence=looks.evidence,
        possible_codes=dict(looks.missing),
        lowest=seen.lowest,
        highest=seen.highest,
        examples=seen.examples,
    )
