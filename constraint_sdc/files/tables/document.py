"""The document as which a table is presented: our own row format, with nothing but rows in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from constraint_sdc.data.variable import Batch, VariableInfo, batch_length
from constraint_sdc.errors import DataError
from constraint_sdc.files.rows_file import ILLEGAL_IN_XML, RECORD, metadata_xml, text_xml
from constraint_sdc.files.tables.table_format import OpenTable

OPENING = b'<?xml version="1.0" encoding="UTF-8"?><Microdata>'
CLOSING = b"</Microdata>\n"
REMARKS = "/Microdata/FileMetadata"
"""The path of what a file says besides its columns."""


class PresentedFile:
    """A table as a stream of the bytes of its presentation."""

    def __init__(self, table: OpenTable) -> None:
        self._table = table
        self._blocks: Iterator[bytes] = table.presented()
        self._rest = b""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none only at the end."""
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return b""
            self._rest = block
        part, self._rest = self._rest[:size], self._rest[size:]
        return part

    def blocks(self) -> Iterator[bytes]:
        """Yield what is left, in blocks of any size."""
        while self._rest:
            part, self._rest = self._rest, b""
            yield part
        yield from self._blocks

    @property
    def names(self) -> tuple[str, ...]:
        """Return the XML names of the columns."""
        return self._table.names

    @property
    def sha256(self) -> str:
        """Return the digest of the table's own bytes; what is left of the presentation is passed over."""
        self._rest = b""
        for _ in self._blocks:
            pass
        return self._table.sha256

    @property
    def share(self) -> float | None:
        """Return what share of the table was read."""
        return self._table.share

    def close(self) -> None:
        """Close the table."""
        self._table.close()

    def __enter__(self) -> PresentedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class NumberedRows:
    """Writes batches of texts as records, the one with number i on line i; `headers` are for messages."""

    def __init__(self, path: Path, headers: Sequence[str], names: Sequence[str]) -> None:
        self._path = path
        self._headers = dict(zip(names, headers, strict=True))
        self._count = 0

    def opening(self, infos: Sequence[VariableInfo], remarks: Mapping[str, str]) -> bytes:
        """Return the beginning of the document: what is known of the variables, and remarks, all on the first line."""
        described = metadata_xml(infos).replace("\n", "")  # a line end in a label is a reference
        listed = "".join(f"<{name}>{text_xml(value)}</{name}>" for name, value in remarks.items())
        said = f"<FileMetadata>{listed}</FileMetadata>" if listed else ""
        return OPENING + f"{described}{said}".encode()

    def records(self, batch: Batch) -> bytes:
        """Return the next records."""
        cells = [self._cells(name, texts) for name, texts in batch.items()]
        self._count += batch_length(batch)
        return "".join([f"<{RECORD}>{''.join(row)}</{RECORD}>\n" for row in zip(*cells, strict=True)]).encode()

    def closing(self) -> bytes:
        """Return the end of the document."""
        return CLOSING

    def _cells(self, name: str, texts: Sequence[str | None]) -> list[str]:
        joined = "".join(text for text in texts if text)
        if found := ILLEGAL_IN_XML.search(joined):
            row = next(at for at, text in enumerate(texts) if text and ILLEGAL_IN_XML.search(text))
            what = f"{self._headers[name]} of row {self._count + row + 1} has the character U+{ord(found[0]):04X}"
            raise DataError(f"{what}, which XML cannot hold", file=str(self._path), hint="remove it")
        if any(sign in joined for sign in "&<>\r\n"):
            texts = [None if text is None else text_xml(text).replace("\n", "&#10;") for text in texts]
        return ["" if text is None else f"<{name}>{text}</{name}>" for text in texts]
