"""The same document with other values in some leaves: everything else is kept byte for byte.

The document is not parsed and written anew; its bytes are copied, and only the pieces that hold a masked value are
replaced. This keeps order, attributes and their quotes, comments, processing instructions, CDATA sections, white space,
line ends, the XML declaration, a byte order mark, prefixes and the encoding. Memory does not grow with the file.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.data.table import Column
from constraint_sdc.errors import DataError
from constraint_sdc.files.masked_document.alike_run import Opened
from constraint_sdc.files.masked_document.cells import MARKUP, UNFINISHED, Cells, EmptyCells
from constraint_sdc.files.masked_document.outside import OutsideWriter
from constraint_sdc.files.masked_document.record import RecordWriter, Whole, cut
from constraint_sdc.files.masked_document.shape import NamespaceScope, Shape, written_name
from constraint_sdc.files.publication.disk import open_to_write

# Convert a document's bytes to UTF-8 and back, so that unchanged parts keep every byte.


class Utf8Text:
    """Converts a file's bytes to UTF-8, byte order mark included; refuses text that would not convert back exactly."""

    def __init__(self, path: Path, codec: str) -> None:
        self._path = path
        self._codec = codec
        self._decoder = codecs.getincrementaldecoder(codec)("strict")
        self._encoder = codecs.getincrementalencoder(codec)("strict")
        self._unmatched = b""

    def feed(self, raw: bytes) -> bytes:
        """Return the next bytes as whole characters."""
        return raw if self._codec == "utf-8" else self._through(raw, final=False)

    def finish(self) -> bytes:
        """Return the remaining text, if any."""
        if self._codec == "utf-8":
            return b""
        text = self._through(b"", final=True)
        if self._unmatched:
            raise _no_way_back(self._path, self._codec)
        return text

    def _through(self, raw: bytes, *, final: bool) -> bytes:
        try:
            text = self._decoder.decode(raw, final=final)
            back = self._encoder.encode(text, final=final)
        except UnicodeError:
            raise _no_way_back(self._path, self._codec) from None
        self._unmatched += raw
        if not self._unmatched.startswith(back):
            raise _no_way_back(self._path, self._codec)
        self._unmatched = self._unmatched[len(back) :]
        return text.encode("utf-8")


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


BLOCK_BYTES = 1 << 20
_LEAST_RUN = 32  # records that make a search for runs worth while
_LONGEST_REST = 1 << 12  # records without a search


@dataclass(frozen=True, slots=True)
class Copied:
    """What was read while a document was copied: the digest of its bytes, and that of its skeleton."""

    sha256: str
    skeleton: bytes


def write_masked(
    source: Path,
    target: Path,
    *,
    record: str,
    codec: str,
    columns: Mapping[str, Column],
    removed: frozenset[str] = frozenset(),
    moved: frozenset[str] = frozenset(),
    taken_out: frozenset[str] = frozenset(),
    block_bytes: int = BLOCK_BYTES,
) -> Copied:
    """Copy the XML document at `source` into the staged file `target`, with the values of `columns`.

    `source` must be flat rows that have been read to the end; `record` is its record element in Clark notation, `codec`
    the Python name of its encoding (byte order included, such as utf-16-le). Each column covers all records, a value
    and a state for each. `removed` variables are taken out of every record, with the white space before them; `moved`
    are those that are added to some record or removed from one. `taken_out` are paths of surroundings that are left
    out; the metadata does not describe removed variables.

    A new text replaces everything between the tags, comments included. An element that is added to a record follows
    the variable that it followed when last seen, or ends the record if it was not seen yet, and is indented like the
    record's first. NIL is written as xsi:nil where a prefix for it is declared, else as an empty element, which XPath
    treats alike; an attribute cannot be nil and is written empty. Characters that the encoding lacks become character
    references. Raises DataError when the file and the columns differ in the number of records.
    """
    encode = from_utf8(codec)
    text, digest = Utf8Text(source, codec), hashlib.sha256()
    masked = Rewriting(
        record, RecordWriter(Cells(columns), removed, taken_out=taken_out), source, OutsideWriter(taken_out, removed)
    )
    skeleton = Skeleton(
        source,
        record=record,
        codec=codec,
        masked=frozenset(columns) - removed - moved,
        removed=removed | moved,
        outside=OutsideWriter(taken_out, removed),
        taken_out=taken_out,
    )
    with source.open("rb") as stream, open_to_write(target) as file:
        while raw := stream.read(block_bytes):
            digest.update(raw)
            skeleton.feed(raw)
            file.write(encode(masked.feed(text.feed(raw))))
        file.write(encode(masked.finish(text.finish())))
    return Copied(digest.hexdigest(), skeleton.digest())


class Skeleton:
    """A document's text without the values of `masked` and without `removed` variables, as a SHA-256.

    All emptied elements have the same form, so two documents with the same digest differ only in masked values. What
    `taken_out` and `outside` leave out is left out of the skeleton too: give them for the source, not for its copy.
    Feed it the bytes of the file; a document that cannot be followed is refused when the digest is asked for.
    """

    def __init__(
        self,
        path: Path,
        *,
        record: str,
        codec: str,
        masked: frozenset[str],
        removed: frozenset[str] = frozenset(),
        outside: OutsideWriter | None = None,
        taken_out: frozenset[str] = frozenset(),
    ) -> None:
        self._text = Utf8Text(path, codec)
        writer = RecordWriter(EmptyCells(masked), removed, taken_out=taken_out, is_skeleton=True)
        self._rewriting = Rewriting(record, writer, path, outside)
        self._digest = hashlib.sha256()
        self._refusal: DataError | None = None

    def feed(self, raw: bytes) -> None:
        """Take the next bytes of the file."""
        if self._refusal is None:
            try:
                self._digest.update(self._rewriting.feed(self._text.feed(raw)))
            except DataError as refusal:
                self._refusal = refusal

    def digest(self) -> bytes:
        """Return the digest of the whole document; call it after its last byte."""
        if self._refusal is not None:
            raise self._refusal
        self._digest.update(self._rewriting.finish(self._text.finish()))
        return self._digest.digest()


class Rewriting:
    """Rewrites the document as far as it is complete, always in whole characters."""

    def __init__(self, record: str, writer: RecordWriter, path: Path, outside: OutsideWriter | None = None) -> None:
        self._walk = _Walk(record, writer, path, outside)
        self._rest = b""
        self._waiting: list[bytes] = []
        self._size = 0

    def feed(self, block: bytes) -> bytes:
        """Return what can be written after the next bytes."""
        self._waiting.append(block)
        self._size += len(block)
        # An incomplete rest is examined again only after it has doubled, so the time is linear in its length.
        if self._size < len(self._rest):
            return b""
        written, self._rest = self._through()
        self._waiting, self._size = [], 0
        return written

    def finish(self, block: bytes = b"") -> bytes:
        """Return the end of the document; refuse one that is not complete."""
        self._waiting.append(block)
        written, rest = self._through()
        self._walk.finish(rest)
        return written + rest

    def _through(self) -> tuple[bytes, bytes]:
        data = b"".join((self._rest, *self._waiting))
        written, taken = self._walk.through(data)
        return written, data[taken:]


class _Walk:
    """Walks the document tag by tag and passes the records to their writer.

    A record is any element with the record's name except the root, as in the reader. Without `outside` everything
    outside records is copied.
    """

    def __init__(self, record: str, writer: RecordWriter, path: Path, outside: OutsideWriter | None) -> None:
        self._outside = outside
        self._record = record
        self._writer = writer
        self._path = path
        self._scopes = [NamespaceScope.outermost()]
        self._ends: dict[bytes, re.Pattern[bytes]] = {}
        self._count = 0
        self._runs = _RunSearch()

    def through(self, data: bytes) -> tuple[bytes, int]:
        """Return the complete part of the data, rewritten, and the length of that part in the data."""
        written: list[bytes] = []
        copied = at = 0
        self._runs.begin(data)
        while (found := MARKUP.search(data, at)) and (tag := found[0]) != UNFINISHED:
            scope = self._scopes[-1]
            if tag[1:2] == b"/":
                self._scopes.pop()
            elif tag[1] not in b"!?":
                scope = scope.inside(tag)
                if len(self._scopes) > 1 and scope.element(written_name(tag)) == self._record:
                    whole = self._run(found, scope) or self._whole(data, found, scope)
                    if whole is None:
                        break
                    written += self._text(data[copied : found.start()]), whole[0]
                    copied = at = whole[1]
                    continue
                if not tag.endswith(b"/>"):
                    self._scopes.append(scope)
            at = found.end()
            if self._outside is not None:
                written += self._text(data[copied : found.start()]), self._outside.markup(tag, scope)
                copied = at
        written.append(data[copied:at])
        return b"".join(written), at

    def _run(self, start: re.Match[bytes], scope: NamespaceScope) -> Whole | None:
        """Return the run of records that starts here, rewritten, and its end; None where there is no such run."""
        opened = self._runs.opened(self._count)
        run = None if opened is None else self._writer.write_run(opened, start, scope, self._count)
        if run is None:
            return None
        self._runs.passed(self._count, run.records)
        self._count += run.records
        return run.text, run.stop

    def _text(self, text: bytes) -> bytes:
        return text if self._outside is None else self._outside.text(text)

    def finish(self, rest: bytes) -> None:
        """Refuse a document that is not complete, or has fewer records than there are values."""
        if UNFINISHED in rest or len(self._scopes) != 1:
            raise self._changed("it ends too early")
        if self._writer.expects not in (None, self._count):
            raise self._changed(f"it has {self._count} records where {self._writer.expects} are expected")

    def _whole(self, data: bytes, start: re.Match[bytes], scope: NamespaceScope) -> Whole | None:
        """Return the record that starts here, rewritten, and its end; None when the data end before it does."""
        row = self._writer.row(self._count)
        if row is None:
            raise self._changed(f"it has more than the {self._writer.expects} records expected")
        whole = self._writer.write_alike(data, start, scope, row)
        if whole is None:
            taken = self._apart(data, start, scope)
            if taken is None:
                return None
            pieces, shape, end = taken
            whole = self._writer.write(pieces, shape, scope, row), end
        self._runs.passed(self._count, 1)
        self._count += 1
        return whole

    def _apart(
        self, data: bytes, start: re.Match[bytes], scope: NamespaceScope
    ) -> tuple[list[bytes], Shape, int] | None:
        """Return the pieces of the record that starts here, its shape and its end."""
        for find_end in (self._probable_end, _counted_end):
            if end := find_end(data, start):
                pieces = cut(data[start.start() : end])
                shape = self._writer.shape(pieces, scope)
                if shape is not None:
                    return pieces, shape, end
        if end:
            raise self._changed(f"record {self._count + 1} is not flat")
        return None

    def _probable_end(self, data: bytes, start: re.Match[bytes]) -> int:
        """Return where the next end tag of the same written name ends, 0 if there is none.

        The tag may be inside a comment, or close a variable with the record's name; the pieces then show it.
        """
        if start[0].endswith(b"/>"):
            return start.end()
        name = written_name(start[0])
        if name not in self._ends:
            self._ends[name] = re.compile(rb"</" + re.escape(name) + rb"\s*>")
        found = self._ends[name].search(data, start.end())
        return found.end() if found else 0

    def _changed(self, what: str) -> DataError:
        return DataError(f"the file has changed since it was read: {what}", file=str(self._path), hint="run again")


class _RunSearch:
    """Decides where to look for runs: less and less often in a document whose records differ.

    A search takes time with the length of the data, so without this the time would not be linear.
    """

    def __init__(self) -> None:
        self._data = b""
        self._opened: Opened | None = None
        self._misses = 0
        self._next = 0

    def begin(self, data: bytes) -> None:
        """Take the next data."""
        self._data, self._opened = data, None

    def opened(self, record: int) -> Opened | None:
        """Return the data if a run is to be looked for at this record."""
        if record < self._next:
            return None
        if self._opened is None:
            self._opened = Opened(self._data)
        return self._opened

    def passed(self, record: int, records: int) -> None:
        """Note how many records were written together; few are a miss if a run was looked for."""
        if record >= self._next:
            self._misses = 0 if records >= _LEAST_RUN else self._misses + 1
            self._next = record + records + (min(1 << self._misses, _LONGEST_REST) if self._misses else 0)


def _counted_end(data: bytes, start: re.Match[bytes]) -> int:
    """Return where the element with this start tag ends, counting tags; 0 when the data end before it does."""
    depth = 0
    for found in MARKUP.finditer(data, start.start()):
        tag = found[0]
        if tag == UNFINISHED:
            return 0
        if tag[1:2] == b"/":
            depth -= 1
        elif tag[1] not in b"!?" and not tag.endswith(b"/>"):
            depth += 1
        if not depth:
            return found.end()
    return 0
