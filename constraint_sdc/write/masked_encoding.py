"""A document's bytes as UTF-8 and back again, so that what is not changed is the same to the last byte."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from pathlib import Path

from constraint_sdc.errors import DataError


def utf8_blocks(path: Path, codec: str, size: int) -> Iterator[bytes]:
    """Yield the file as UTF-8, byte order mark included; refuse text that would not go back to the same bytes."""
    with path.open("rb") as stream:
        if codec == "utf-8":
            yield from iter(lambda: stream.read(size), b"")
            return
        decoder = codecs.getincrementaldecoder(codec)("strict")
        encoder = codecs.getincrementalencoder(codec)("strict")
        unmatched = b""
        while True:
            raw = stream.read(size)
            try:
                text = decoder.decode(raw, final=not raw)
                back = encoder.encode(text, final=not raw)
            except UnicodeError:
                raise _no_way_back(path, codec) from None
            unmatched += raw
            if not unmatched.startswith(back):
                raise _no_way_back(path, codec)
            unmatched = unmatched[len(back) :]
            if text:
                yield text.encode("utf-8")
            if not raw:
                break
        if unmatched:
            raise _no_way_back(path, codec)


def from_utf8(codec: str) -> Callable[[bytes], bytes]:
    """Return a function that turns whole characters in UTF-8 into the codec's bytes, one block after another.

    A character that the codec lacks becomes a character reference: only a new value can hold one.
    """
    if codec == "utf-8":
        return bytes
    encoder = codecs.getincrementalencoder(codec)("xmlcharrefreplace")
    return lambda block: encoder.encode(block.decode("utf-8"))


def _no_way_back(path: Path, codec: str) -> DataError:
    what = f"its {codec} text cannot be written back byte for byte"
    return DataError(what, file=str(path), hint="convert the file to UTF-8 first")
