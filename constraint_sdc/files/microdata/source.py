"""Open a microdata file: refuse what is not XML, detect the encoding, and read the text as UTF-8."""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Protocol, cast

from lxml import etree

from constraint_sdc.errors import DataError

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_DECLARED = re.compile(rb"""<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']""")
_CODECS = {"utf-8": "utf-8", "utf8": "utf-8", "us-ascii": "ascii", "ascii": "ascii", "iso-8859-1": "latin-1"}
_MOST_KEPT = 1 << 20  # bytes of an opening; a longer one is read again
_UTF32_BOM = {codecs.BOM_UTF32_LE: "utf-32-le", codecs.BOM_UTF32_BE: "utf-32-be"}
_UTF16_BOM = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, slots=True)
class Encoding:
    """How bytes become text: `codec` when we can turn the file into UTF-8 exactly as the XML parser would, else None.

    `is_ascii_based` tells whether markup bytes mean themselves, so that lines and tags can be found without decoding.
    """

    codec: str | None
    bom: int
    is_ascii_based: bool

    @property
    def is_foreign(self) -> bool:
        """Tell whether libxml2's push parser cannot read the bytes themselves (it takes UTF-32 for UTF-16)."""
        return self.codec in _UTF32_BOM.values()


def open_binary(path: Path) -> BinaryIO:
    """Open the file for reading, or raise an error with the reason."""
    try:
        return path.open("rb", buffering=0)
    except FileNotFoundError:
        raise DataError("no such file", file=str(path), hint="check the path") from None
    except IsADirectoryError:
        raise DataError("is a directory, not a file", file=str(path), hint="name one microdata file") from None
    except PermissionError:
        raise DataError("permission denied", file=str(path), hint="check the read permission of the file") from None
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", file=str(path)) from None
    except ValueError as error:
        raise DataError(f"cannot be opened: {error}", file=str(path)) from None


class ByteSource(Protocol):
    """Anything that gives the next bytes of a file."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none only at the end."""
        ...


class OnePass:
    """A file that is read once, from its first byte to its last; the digest covers the bytes that were returned.

    Its opening may be looked at before: these bytes are kept, up to a limit, and come again after `begin`. From then on
    `watch` sees every byte once, in order.
    """

    def __init__(self, path: Path, watch: Callable[[bytes], None] = lambda _: None) -> None:
        self._stream = open_binary(path)
        self._watch = watch
        self._digest = hashlib.sha256()
        self._has_begun = False
        self._opening = b""
        self._is_kept = True

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none only at the end."""
        if not self._has_begun:
            return self._looked_at(self._stream.read(size))
        part, self._opening = self._opening[:size], self._opening[size:]
        part = part or self._stream.read(size)
        self._digest.update(part)
        self._watch(part)
        return part

    def _looked_at(self, part: bytes) -> bytes:
        self._is_kept &= len(self._opening) + len(part) <= _MOST_KEPT
        self._opening = self._opening + part if self._is_kept else b""
        return part

    def begin(self) -> None:
        """Go back to the first byte, where reading begins."""
        if not self._is_kept:
            self._stream.seek(0)
        self._has_begun = True

    @property
    def sha256(self) -> str:
        """Return the digest of the bytes returned since `begin`."""
        return self._digest.hexdigest()

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


def refuse_foreign(opening: bytes, path: Path) -> None:
    """Refuse an empty file and a compressed one, whatever its name says."""
    if not opening:
        raise DataError("the file is empty", file=str(path), hint="expected XML rows")
    for magic, name in _COMPRESSED.items():
        if opening.startswith(magic):
            raise DataError(f"is {name} data, not XML", file=str(path), hint="decompress it first")


def sniff_encoding(opening: bytes) -> Encoding:
    """Return the encoding, from a byte order mark and the XML declaration."""
    declared = _declared(opening)
    for bom, codec in _UTF32_BOM.items():
        if opening.startswith(bom):
            return Encoding(codec, 4, False)
    if opening.startswith(codecs.BOM_UTF8):
        return Encoding("utf-8" if declared in ("utf-8", "utf8", None) else None, 3, True)
    for bom, codec in _UTF16_BOM.items():
        if opening.startswith(bom):
            return Encoding(codec if _is_utf16(opening[2:], codec) else None, 2, False)
    if b"\x00" in opening[:4] or not opening.lstrip(b" \t\r\n").startswith(b"<"):
        return Encoding(None, 0, False)
    if declared is None:
        return Encoding("utf-8", 0, True)
    return Encoding(
        _CODECS.get(declared), 0, declared.startswith(("iso-8859", "windows-125", "utf", "us-ascii", "koi8"))
    )


def _declared(opening: bytes) -> str | None:
    found = _DECLARED.match(opening.removeprefix(codecs.BOM_UTF8)[:1024])
    return found[1].decode("ascii").lower() if found else None


def _is_utf16(text: bytes, codec: str) -> bool:
    """Tell whether the declaration, if there is one, agrees with the byte order mark."""
    opening = text[: 1024 & ~1].decode(codec, "replace").encode("utf-8")
    return _declared(opening) in ("utf-16", None)


def declare_utf8(opening: bytes) -> bytes:
    """Return the opening of a file, read as UTF-8, with an XML declaration that says so."""
    found = _DECLARED.match(opening)
    return opening if found is None else opening[: found.start(1)] + b"UTF-8" + opening[found.end(1) :]


class Utf8Reader:
    """The file's text as UTF-8 bytes, without byte order mark, a block at a time."""

    def __init__(self, stream: ByteSource, path: Path, encoding: Encoding) -> None:
        assert encoding.codec is not None
        self._stream = stream
        self._path = path
        self._codec = encoding.codec
        self._decoder = None if self._codec == "utf-8" else codecs.getincrementaldecoder(self._codec)("strict")
        self._line = 1
        read_up_to(stream, encoding.bom, path)

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

    def _decode(self, raw: bytes) -> str:
        assert self._decoder is not None
        try:
            text = self._decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            line = self._line + error.object[: error.start].decode(self._codec, "replace").count("\n")
            raise DataError(
                f"the bytes are not {self._codec}, the encoding that the file declares",
                file=str(self._path),
                line=line,
                hint="correct the encoding in the XML declaration or convert the file",
            ) from None
        self._line += text.count("\n")
        return text


# lxml configured for hostile input: no DTD, no entities, no network, libxml2's limits on depth and text size.
#
# The limits are libxml2's own without `huge_tree`: 256 levels, 10 MB for a text, comment or attribute.

_HINTS = (
    ("encoding", "correct the encoding in the XML declaration or convert the file"),
    ("not proper UTF-8", "correct the encoding in the XML declaration or convert the file"),
    ("invalid byte", "correct the encoding in the XML declaration or convert the file"),
    ("Premature end", "the file is cut off: write or copy it again"),
    ("Excessive depth", "at most 256 levels are read"),
    ("Huge", "at most 10 MB are read as one text"),
    ("too long", "at most 10 MB are read as one text"),
    ("Entity", "entities are not read: write the text itself"),
)


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


def parse_bytes(data: bytes) -> etree._Element:
    """Return the root of a small document that this program built."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, collect_ids=False)
    return etree.fromstring(data, parser)


def refuse(
    error: etree.XMLSyntaxError, file: str, lines_before: int = 0, parser: etree.XMLPullParser | None = None
) -> NoReturn:
    """Raise the parser's error as a DataError; `lines_before` is added to its line."""
    message, line = (error.msg or "cannot be parsed").split(", line ")[0], error.lineno or 0
    # A push parser reports some errors only at the end, without their place; its own log has it.
    log = list(cast("Any", parser).feed_error_log) if parser is not None and not line else []
    if log:
        message, line = str(log[0].message), int(log[0].line)
    hint = next((hint for word, hint in _HINTS if word in message), "correct the file at this line")
    raise DataError(f"not well-formed XML: {message}", file=file, line=max(line, 1) + lines_before, hint=hint) from None


def refuse_doctype(root: etree._Element, file: str) -> None:
    """Refuse a document type declaration, which allows entity bombs and external files."""
    if root.getroottree().docinfo.internalDTD is not None:
        raise DataError("DOCTYPE is not allowed", file=file, line=1, hint="remove the document type declaration")


def refuse_version(root: etree._Element, file: str) -> None:
    """Refuse XML 1.1, in which some characters are line ends that libxml2 treats as text."""
    version = root.getroottree().docinfo.xml_version
    if version not in (None, "1.0"):
        raise DataError(f"XML {version} is not read", file=file, line=1, hint="write the file as XML 1.0")
