"""The report as Parquet: one row per violation, for data tools; binary, so that it needs a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.check.violation_table import CellKind, violation_table
from constraint_sdc.reports.check.wording import verdict

if TYPE_CHECKING:
    import pyarrow as pa


def render_parquet(result: CheckResult) -> bytes:
    """Return one row per violation; the verdict stands in the metadata of the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = violation_table(result)
    fields = [pa.field(name, _type(kind)) for name, kind in table.columns.items()]
    schema = pa.schema(fields, metadata={"constraint-sdc": verdict(result)})
    columns = [list(column) for column in zip(*table.rows, strict=True)] or [[] for _ in fields]
    stream = pa.BufferOutputStream()
    pq.write_table(pa.table(columns, schema=schema), stream)
    content: bytes = stream.getvalue().to_pybytes()
    return content


def _type(kind: CellKind) -> pa.DataType:
    import pyarrow as pa

    return {"number": pa.int64(), "text": pa.string(), "names": pa.list_(pa.string())}[kind]


REGISTERED = {
    "parquet": CheckFormat(
        "parquet", render_parquet, syntax="parquet", names_every_rule=False, lists_every_violation=True
    )
}
