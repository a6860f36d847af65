"""The bytes of an SDMX message: read once, hashed, and decoded as every XML file is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from constraint_sdc.errors import DataError
from constraint_sdc.files.microdata.source import Continued, Utf8Reader, find_encoding
from constraint_sdc.files.tables.raw_file import BLOCK, HashedFile
from constraint_sdc.files.tables.sdmx.recognised import READ, message_kind

_OPENING = 1 << 14


class MessageText:
    """A message that is open at its first byte; `codec` and `mark` say how its text became bytes."""

    def __init__(self, path: Path) -> None:
        kind = message_kind(path)
        if kind is None:
            raise DataError("is not an SDMX message", file=str(path), hint="expected the root of SDMX-ML, as before")
        if kind.root not in READ:
            hint = f"write the data as one of: {', '.join(READ)}"
            raise DataError(f"is an SDMX message of the kind {kind.root}, which is not read", file=str(path), hint=hint)
        self.root = kind.root
        self._file = HashedFile(path)
        try:
            opening = self._file.read(_OPENING)
            how = find_encoding(opening, path)
        except BaseException:
            self._file.close()
            raise
        self.codec, self.mark = how.codec, opening[: how.mark]
        self._reader = Utf8Reader(Continued(opening, self._file), path, how)

    def blocks(self) -> Iterator[bytes]:
        """Yield the text as UTF-8, without byte order mark; its declaration may name another encoding."""
        return self._reader.blocks(BLOCK)

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

    def __enter__(self) -> MessageText:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
