"""Write microdata as XML rows: the metadata, then one record a line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraint_sdc.errors import DataError
from constraint_sdc.model.rows import Batch, Rows, Written, batch_length
from constraint_sdc.model.variable import VariableInfo
from constraint_sdc.model.xml_name import ILLEGAL_IN_XML, is_xml_name
from constraint_sdc.write.atomic import atomic_file
from constraint_sdc.write.markup import quoted, text_xml

RECORD = "Record"


def write_rows(path: Path, rows: Rows, *, overwrite: bool = False) -> Written:
    """Write the records as our microdata format in UTF-8, staged and renamed at the end.

    An absent value has no element, an empty one an empty element; every text reads back exactly as it was. A file
    without records is refused: nothing that reads rows could tell what its rows are.
    """
    for name in rows.names:
        if not is_xml_name(name) or name == RECORD:
            raise DataError(f"a variable cannot have the name {name!r}", file=str(path), hint="rename it")
    count = 0
    with atomic_file(path, overwrite) as file:
        file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<Microdata>\n')
        file.write(metadata_xml(rows.infos).encode())
        for batch in rows.batches():
            file.write(_records_xml(batch, rows.names, path, count).encode())
            count += batch_length(batch)
        file.write(b"</Microdata>\n")
        if not count:
            raise DataError("there are no records to write", file=str(path))
    return Written(count)


def metadata_xml(infos: Sequence[VariableInfo]) -> str:
    """Return the `Metadata` element, one variable a line.

    >>> print(metadata_xml([VariableInfo("V1", "integer", 0, None, "Age", ("-9",))]), end="")
    <Metadata>
    <Variable name="V1" type="integer" decimals="0" label="Age"><Missing code="-9"/></Variable>
    </Metadata>
    """
    return "".join(["<Metadata>\n", *map(_variable_xml, infos), "</Metadata>\n"])


def _variable_xml(info: VariableInfo) -> str:
    decimals = None if info.decimals is None else str(info.decimals)
    stated = {"name": info.name, "type": info.type, "decimals": decimals, "measure": info.measure, "label": info.label}
    attributes = "".join(f" {key}={quoted(value)}" for key, value in stated.items() if value is not None)
    codes = "".join(f"<Missing code={quoted(code)}/>" for code in info.missing)
    return f"<Variable{attributes}>{codes}</Variable>\n" if codes else f"<Variable{attributes}/>\n"


def _records_xml(batch: Batch, names: Sequence[str], path: Path, first: int) -> str:
    cells = [_cells(name, _escaped(name, batch[name], path, first)) for name in names]
    if not cells:
        return ""
    return "".join(f"<{RECORD}>{''.join(row)}</{RECORD}>\n" for row in zip(*cells, strict=True))


def _cells(name: str, texts: Sequence[str | None]) -> list[str]:
    return ["" if text is None else f"<{name}>{text}</{name}>" for text in texts]


def _escaped(name: str, texts: Sequence[str | None], path: Path, first: int) -> Sequence[str | None]:
    """Escape what must be escaped, or return the texts as they are when nothing does."""
    joined = "".join(text for text in texts if text)
    if ILLEGAL_IN_XML.search(joined):
        number = next(i for i, text in enumerate(texts) if text and ILLEGAL_IN_XML.search(text))
        raise DataError(f"{name} of record {first + number + 1} has a character that XML cannot hold", file=str(path))
    if any(character in joined for character in "&<>\r"):
        return [None if text is None else text_xml(text) for text in texts]
    return texts
