"""Open a microdata file: refuse what is not XML, and read the text as UTF-8."""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Protocol, cast

from lxml import etree

from constraint_sdc.errors import DataError
from constraint_sdc.files.tables.document import PresentedFile
from constraint_sdc.files.tables.foreign import refuse_foreign, refuse_text
from constraint_sdc.files.tables.raw_file import open_binary as open_binary
from constraint_sdc.files.tables.registry import current_reading, table_format
from constraint_sdc.files.xml_encoding import Encoding, EncodingError, declare_utf8, encoding_of, not_decoded
from constraint_sdc.files.xml_names import LateName, late_name

_MOST_KEPT = 1 << 20  # bytes of an opening; a longer one is read again


def open_rows(path: Path) -> BinaryIO | PresentedFile:
    """Open a file as XML rows: XML itself, or a table as it is presented."""
    known = table_format(path)
    return open_binary(path) if known is None else PresentedFile(known.open(path, current_reading()))


class ByteSource(Protocol):
    """Anything that gives the next bytes of a file."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none only at the end."""
        ...


class OnePass:
    """A file that is read once, from its first byte to its last; the digest covers the bytes that were returned.

    A table is read as it is presented, and the digest is that of its own bytes. The opening may be looked at before:
    these bytes are kept, up to a limit, and come again after `begin`. From then on `watch` sees every byte once, in
    order.
    """

    def __init__(self, path: Path, watch: Callable[[bytes], None] = lambda _: None) -> None:
        self._path = path
        self._stream = open_rows(path)
        self._watch = watch
        self._digest = hashlib.sha256()
        self._has_begun = False
        self._opening = b""
        self._is_kept = True
        self._returned = 0
        self._size = 0 if isinstance(self._stream, PresentedFile) else os.fstat(self._stream.fileno()).st_size

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none only at the end."""
        if not self._has_begun:
            return self._looked_at(self._stream.read(size))
        part, self._opening = self._opening[:size], self._opening[size:]
        part = part or self._stream.read(size)
        self._digest.update(part)
        self._returned += len(part)
        self._watch(part)
        return part

    def _looked_at(self, part: bytes) -> bytes:
        self._is_kept &= len(self._opening) + len(part) <= _MOST_KEPT
        self._opening = self._opening + part if self._is_kept else b""
        return part

    def begin(self) -> None:
        """Go back to the first byte, where reading begins."""
        if not self._is_kept:
            self._rewind()
        self._has_begun = True

    def _rewind(self) -> None:
        if isinstance(self._stream, PresentedFile):
            self._stream.close()
            self._stream = open_rows(self._path)
        else:
            self._stream.seek(0)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns of a table; none for XML, whose records have to be read for that."""
        return self._stream.names if isinstance(self._stream, PresentedFile) else ()

    @property
    def share(self) -> float | None:
        """Return what share of the file was returned since `begin`; None if its size is not known."""
        if isinstance(self._stream, PresentedFile):
            return self._stream.share
        return min(1.0, self._returned / self._size) if self._size else None

    @property
    def sha256(self) -> str:
        """Return the digest of the bytes returned since `begin`; of a table, that of all its bytes."""
        return self._stream.sha256 if isinstance(self._stream, PresentedFile) else self._digest.hexdigest()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def __enter__(self) -> OnePass:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Continued:
    """Bytes that were read already, and then the rest of their file."""

    def __init__(self, opening: bytes, rest: ByteSource) -> None:
        self._opening = opening
        self._rest = rest

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none only at the end."""
        part, self._opening = self._opening[:size], self._opening[size:]
        return part or self._rest.read(size)


def read_up_to(stream: ByteSource, size: int, path: Path) -> bytes:
    """Return the next `size` bytes, fewer only at the end of the file."""
    parts = []
    try:
        while size > 0 and (part := stream.read(size)):
            parts.append(part)
            size -= len(part)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(path)) from None
    return parts[0] if len(parts) == 1 else b"".join(parts)


def refuse_other(opening: bytes, path: Path) -> None:
    """Refuse an empty file, a compressed one, and one of a format that is no XML, whatever its name says."""
    if not opening:
        raise DataError("the file is empty", file=str(path), hint="expected XML rows")
    refuse_foreign(opening, path, "XML")
    refuse_text(opening, path)


def find_encoding(opening: bytes, path: Path) -> Encoding:
    """Return the encoding, or raise an error that names the file."""
    with naming(path):
        return encoding_of(opening)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn an error of the decoder into one that names the file."""
    try:
        yield
    except EncodingError as error:
        raise DataError(error.what, file=str(path), line=error.line, hint=error.hint) from None


class Utf8Reader:
    """The file's text as UTF-8 bytes, without byte order mark, a block at a time."""

    def __init__(self, stream: ByteSource, path: Path, encoding: Encoding) -> None:
        self._stream = stream
        self._path = path
        self._how = encoding
        is_utf8 = encoding.codec == "utf-8"
        self._decoder = None if is_utf8 else codecs.getincrementaldecoder(encoding.codec)("strict")
        self._line = 1
        read_up_to(stream, encoding.mark, path)

    def read(self, size: int) -> bytes:
        """Return the next block, b"" only at the end; UTF-8 itself is passed on unverified."""
        raw = read_up_to(self._stream, size, self._path)
        if self._decoder is None:
            return raw
        while True:
            text = self._decode(raw)
            if text or not raw:
                return text.encode("utf-8")
            raw = read_up_to(self._stream, size, self._path)

    def blocks(self, size: int) -> Iterator[bytes]:
        """Yield the rest of the file."""
        while block := self.read(size):
            yield block

    def declared_blocks(self, size: int) -> Iterator[bytes]:
        """Yield the whole file; its XML declaration, if any, names UTF-8."""
        opening = self.read(size)
        yield declare_utf8(opening.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        yield from self.blocks(size)

    def _decode(self, raw: bytes) -> str:
        assert self._decoder is not None
        try:
            text = self._decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            line = self._line + error.object[: error.start].decode(self._how.codec, "replace").count("\n")
            with naming(self._path):
                raise not_decoded(self._how.name, line) from None
        self._line += text.count("\n")
        return text


# lxml configured for hostile input: no DTD, no entities, no network, libxml2's limits on depth and text size.
#
# The limits are libxml2's own without `huge_tree`: 256 levels, 10 MB for a text, comment or attribute.

_HINTS = (
    ("Premature end", "the file is cut off: write or copy it again"),
    ("Excessive depth", "at most 256 levels are read"),
    ("Huge", "at most 10 MB are read as one text"),
    ("too long", "at most 10 MB are read as one text"),
    ("Entity", "entities are not read: write the text itself"),
)


# The parser gets UTF-8 only; these are its words for bytes that are not.
_NOT_UTF8 = ("Invalid bytes in character encoding", "Incomplete UTF-8 sequence")


def pull_parser(tag: tuple[str, ...] | None = None) -> etree.XMLPullParser:
    """Return a strict push parser that reports the start and end of these elements (of all by default)."""
    # A repeated xml:id does not affect well-formedness, and the table of ids would grow with the file.
    return etree.XMLPullParser(
        ("start", "end"),
        tag=tag,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        collect_ids=False,
    )


def element_events(parser: etree.XMLPullParser) -> Iterator[tuple[str, etree._Element]]:
    """Yield what the parser has met since the last call."""
    return cast("Iterator[tuple[str, etree._Element]]", parser.read_events())


def source_line(element: etree._Element) -> int:
    """Return the line that libxml2 noted for the element, exact up to line 65,535."""
    return cast("int | None", element.sourceline) or 1


def is_element(node: etree._Element) -> bool:
    """Tell an element from a comment or processing instruction, which lxml hands out as the same class."""
    return isinstance(node.tag, str)


def is_comment(node: etree._Element) -> bool:
    """Tell a comment from elements and processing instructions."""
    return isinstance(node, etree._Comment)


def parse_bytes(data: bytes) -> etree._Element:
    """Return the root of a small document that this program built from parts of a file."""
    late = late_name(data)
    if late is not None:
        raise _syntax_error(late.what, late.lines_before + 1)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, collect_ids=False)
    root = etree.fromstring(data, parser)
    logged = parser.error_log.filter_from_errors()
    if len(logged):
        raise _syntax_error(str(logged[0].message), int(logged[0].line))
    return root


def close_parser(parser: etree.XMLPullParser) -> None:
    """Say that the document is complete; XMLSyntaxError unless it is well-formed, namespaces included.

    lxml raises an error of namespaces only if no warning of the parser follows it; its log has them all.
    """
    parser.close()
    logged = cast("Any", parser).feed_error_log.filter_from_errors()
    if len(logged):
        raise _syntax_error(str(logged[0].message), int(logged[0].line))


def _syntax_error(message: str, line: int) -> etree.XMLSyntaxError:
    return cast("etree.XMLSyntaxError", cast("Any", etree.XMLSyntaxError)(message, 0, line, 0))


def refuse(
    error: etree.XMLSyntaxError, file: str, lines_before: int = 0, parser: etree.XMLPullParser | None = None
) -> NoReturn:
    """Raise the parser's error as a DataError; `lines_before` is added to its line."""
    message, line = (error.msg or "cannot be parsed").split(", line ")[0], error.lineno or 0
    # A push parser reports some errors only at the end, without their place; its own log has it.
    log = list(cast("Any", parser).feed_error_log) if parser is not None and not line else []
    if log:
        message, line = str(log[0].message), int(log[0].line)
    if message.startswith(_NOT_UTF8):
        with naming(Path(file)):
            raise not_decoded("UTF-8", max(line, 1) + lines_before)
    hint = next((hint for word, hint in _HINTS if word in message), "correct the file at this line")
    raise DataError(f"not well-formed XML: {message}", file=file, line=max(line, 1) + lines_before, hint=hint) from None


def refuse_late(late: LateName | None, file: str, lines_before: int = 0) -> None:
    """Refuse a name that Saxon's parser does not read."""
    if late is not None:
        raise DataError(late.what, file=file, line=late.lines_before + 1 + lines_before, hint=late.hint)


def refuse_doctype(root: etree._Element, file: str) -> None:
    """Refuse a document type declaration, which allows entity bombs and external files."""
    if root.getroottree().docinfo.internalDTD is not None:
        raise DataError("DOCTYPE is not allowed", file=file, line=1, hint="remove the document type declaration")
