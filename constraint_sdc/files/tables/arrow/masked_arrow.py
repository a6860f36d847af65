"""The same Parquet or Arrow file with other values in some columns.

The file is written anew: schema, types, metadata, order of columns, groups of rows and compression are those of the
source. A dictionary column that is masked lists only values that it has, in the order of the source.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from constraint_sdc.data.table import Column, State, column_of
from constraint_sdc.errors import DataError
from constraint_sdc.files.rows_file import xml_name
from constraint_sdc.files.tables.arrow.arrow_texts import NoValueError, array_of, is_text, texts_of, value_type
from constraint_sdc.files.tables.arrow.container import ArrowContainer
from constraint_sdc.files.tables.document import REMARKS
from constraint_sdc.files.tables.table_format import TableChange, is_same_number

_PANDAS = b"pandas"


def spelled_columns(schema: Any, names: Sequence[str], change: TableChange, path: Path) -> TableChange:
    """Return the change with every value as its column spells it; DataError for one that the column cannot hold."""
    columns = {}
    for name, field in zip(names, schema, strict=True):
        if name not in change.columns or name in change.removed:
            continue
        column = change.columns[name]
        texts = _texts(column, slice(0, len(column)), field.type)
        try:
            spelled = texts_of(field, path)(array_of(texts, value_type(field.type)))
        except NoValueError as error:
            raise _no_value(field, texts[error.row], error.row, path) from None
        for row, (text, other) in enumerate(zip(texts, spelled, strict=True)):
            if text != other and not is_same_number(text, other):
                raise _no_value(field, text, row, path)
        columns[name] = column_of(name, spelled)
    return TableChange(columns, change.removed, change.taken_out)


def _no_value(field: Any, text: str | None, row: int, path: Path) -> DataError:
    what = f"column {field.name!r} is of type {field.type}, which cannot hold the masked value {text} of row {row + 1}"
    hint = "give the variable a coarser grid in the recipe, or store the column with another type"
    return DataError(what, file=str(path), hint=hint)


def _texts(column: Column, rows: slice, type_: Any) -> list[str | None]:
    """Return the texts to store, None for null; only a column of texts can hold one of no length."""
    part = column.of(rows)
    stored = (State.VALUE, State.EMPTY) if is_text(value_type(type_)) else (State.VALUE,)
    return [text if state in stored else None for text, state in zip(part.texts(), part.state, strict=True)]


def write_masked_arrow(
    container: ArrowContainer, names: Sequence[str], target: Path, change: TableChange, source: Path
) -> bytes:
    """Write the staged file; return the digest of the skeleton of the source."""
    schema = _schema(container.schema, names, change)
    if not len(schema):
        raise DataError("no column would be left", file=str(source), hint="keep a variable")
    dictionaries = _Dictionaries(container, names, change)
    done = 0
    with container.writer(str(target), schema) as writer:
        for group in container.groups():
            rows = slice(done, done + group.num_rows)
            if any(rows.stop > len(column) for column in change.columns.values()):
                raise _changed(source)
            columns = [
                dictionaries.column(name, field.type, _texts(change.columns[name], rows, field.type))
                if name in change.columns
                else group.column(at)
                for at, (name, field) in enumerate(zip(names, container.schema, strict=True))
                if name not in change.removed
            ]
            writer.write_table(pa.table(columns, schema=schema))
            done = rows.stop
    if any(len(column) != done for column in change.columns.values()):
        raise _changed(source)
    return arrow_skeleton(container, names, change, source, is_source=True)


def _changed(path: Path) -> DataError:
    what = "the file has changed since it was read: it has another number of rows"
    return DataError(what, file=str(path), hint="run again")


def _schema(schema: Any, names: Sequence[str], change: TableChange) -> Any:
    """Return the schema of the copy: without removed columns, also in what pandas notes about columns."""
    kept = [field for name, field in zip(names, schema, strict=True) if name not in change.removed]
    gone = {field.name for name, field in zip(names, schema, strict=True) if name in change.removed}
    metadata = {
        key: _without(value, gone) if key == _PANDAS else value
        for key, value in (schema.metadata or {}).items()
        if f"{REMARKS}/{xml_name(key.decode('utf-8', 'backslashreplace'))}" not in change.taken_out
    }
    return pa.schema(kept, metadata or None)


def _without(noted: bytes, gone: set[str]) -> bytes:
    if not gone:
        return noted
    try:
        content = json.loads(noted)
        content["columns"] = [one for one in content["columns"] if not {one.get("name"), one.get("field_name")} & gone]
        content["index_columns"] = [one for one in content["index_columns"] if str(one) not in gone]
    except (ValueError, KeyError, TypeError, AttributeError):
        return b"{}"
    return json.dumps(content).encode()


class _Dictionaries:
    """Makes the arrays of masked columns; one of a dictionary type has the same dictionary in the whole file."""

    def __init__(self, container: ArrowContainer, names: Sequence[str], change: TableChange) -> None:
        self._values: dict[str, Any] = {}
        fields = dict(zip(names, container.schema, strict=True))
        wanted = [name for name in change.columns if name in fields and pa.types.is_dictionary(fields[name].type)]
        for name in wanted:
            column = change.columns[name]
            texts = _texts(column, slice(0, len(column)), fields[name].type)
            used = dict.fromkeys(text for text in texts if text is not None)
            known = [text for text in _listed(container, fields[name].name) if text in used]
            self._values[name] = list(dict.fromkeys((*known, *used)))

    def column(self, name: str, type_: Any, texts: Sequence[str | None]) -> Any:
        """Return the values of some rows."""
        if name not in self._values:
            return array_of(texts, type_)
        places = {text: place for place, text in enumerate(self._values[name])}
        codes = pa.array([None if text is None else places[text] for text in texts], type_.index_type)
        values = array_of(self._values[name], type_.value_type)
        return pa.DictionaryArray.from_arrays(codes, values, ordered=type_.ordered)


def _listed(container: ArrowContainer, header: str) -> list[str]:
    """Return the values that the dictionaries of a column list, in order."""
    found: dict[str, None] = {}
    field = container.schema.field(header)
    for group in container.groups():
        for chunk in group.column(header).chunks:
            found |= dict.fromkeys(text for text in texts_of(field, Path())(chunk.dictionary) if text is not None)
    return list(found)


def arrow_skeleton(
    container: ArrowContainer, names: Sequence[str], change: TableChange, path: Path, *, is_source: bool
) -> bytes:
    """Return a digest of everything but the values of masked columns, and removed columns.

    That is the schema with all metadata, the layout of the file, and each value and dictionary of the other columns.
    """
    schema = _schema(container.schema, names, change if is_source else TableChange({}))
    layout = container.outline, [pair for pair in container.codecs if pair[0] in schema.names]
    digest = hashlib.sha256(repr((layout, _shown(schema))).encode("utf-8", "surrogatepass"))
    columns = [
        (at, texts_of(field, path), hashlib.sha256())
        for at, (name, field) in enumerate(zip(names, container.schema, strict=True))
        if name not in change.columns and name not in change.removed
    ]
    for group in container.groups():
        for at, texts, found in columns:
            for chunk in group.column(at).chunks:
                for part in _parts(chunk, texts):
                    found.update(part.encode("utf-8", "surrogatepass"))
    for _, _, found in columns:
        digest.update(found.digest())
    return digest.digest()


def _shown(schema: Any) -> list[object]:
    fields = [(field.name, str(field.type), field.nullable, sorted((field.metadata or {}).items())) for field in schema]
    return [*fields, sorted((schema.metadata or {}).items())]


def _parts(chunk: Any, texts: Any) -> Iterator[str]:
    """Yield the values of an array as text in which neither a null nor an end can be mistaken."""
    yield "".join(["\x01\x00" if text is None else f"{text}\x00" for text in texts(chunk)])
    if pa.types.is_dictionary(chunk.type):
        yield "".join(["\x02", *(f"{text}\x00" for text in texts(chunk.dictionary))])
