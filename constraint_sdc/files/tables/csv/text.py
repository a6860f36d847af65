"""The text of a CSV file as rows of cells: opened once, hashed, decoded and cut a block at a time."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from pathlib import Path

from constraint_sdc.errors import DataError
from constraint_sdc.files.tables.csv.cells import CsvBlock, CsvRow, MalformedCsvError, cut_blocks
from constraint_sdc.files.tables.csv.dialect import OPENING, Dialect, find_dialect, malformed, not_text
from constraint_sdc.files.tables.raw_file import BLOCK, HashedFile
from constraint_sdc.settings.table_reading import TableReading


class CsvText:
    """A CSV file that is read once. `dialect` is known from its opening."""

    def __init__(self, path: Path, reading: TableReading, *, is_tsv: bool) -> None:
        self._path = path
        self._file = HashedFile(path)
        try:
            self._opening = self._file.read(OPENING)
            self.dialect: Dialect = find_dialect(path, self._opening, reading, is_tsv=is_tsv)
        except BaseException:
            self._file.close()
            raise

    def blocks(self, watch: Callable[[bytes], None] = lambda _: None) -> Iterator[CsvBlock]:
        """Yield all rows, the headers first; rows of another length than the headers are refused.

        Blank lines are allowed at the end of the file only, where each is a row of one empty cell. `watch` sees every
        byte after the byte order mark.
        """
        blank: CsvRow | None = None
        width = len(self.dialect.names)
        try:
            for block in cut_blocks(self._texts(watch), self.dialect.delimiter):
                for row in block.rows:
                    if blank is not None and row.cells != [""]:
                        raise self._blank(blank)
                    if len(row.cells) != width or (width == 1 and row.cells == [""]):
                        if row.cells != [""]:
                            raise self._ragged(row, width)
                        blank = blank or row
                yield block
        except MalformedCsvError as error:
            raise malformed(error, self._path) from None

    def _blank(self, row: CsvRow) -> DataError:
        hint = 'remove it, or write "" for one empty cell'
        return DataError("blank line", file=str(self._path), line=row.line, hint=hint)

    def _ragged(self, row: CsvRow, width: int) -> DataError:
        found = len(row.cells)
        what = f"the line has {found} cells, the header has {width}"
        headers = self.dialect.headers
        hint = f"the first without a cell is {headers[found]!r}" if found < width else f"the last is {headers[-1]!r}"
        if len(headers) == 1 or found == 1:
            hint = f"cells are separated by {self.dialect.delimiter!r}; name another with --delimiter"
        return DataError(what, file=str(self._path), line=row.line, hint=hint)

    def _texts(self, watch: Callable[[bytes], None]) -> Iterator[str]:
        codec = self.dialect.codec
        decoder = codecs.getincrementaldecoder(codec)("strict")
        data, line = self._opening[len(self.dialect.mark) :], 1
        self._opening = b""
        while True:
            watch(data)
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                good = error.object[: error.start].decode(codec, "replace")
                raise not_text(self._path, codec, line + good.count("\n")) from None
            line += text.count("\n")
            yield text
            if not data:
                return
            data = self._file.read(BLOCK)

    @property
    def sha256(self) -> str:
        """Return the digest of the file; call it after the last block."""
        return self._file.sha256

    @property
    def share(self) -> float | None:
        """Return what share of the file was read."""
        return self._file.share

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> CsvText:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
