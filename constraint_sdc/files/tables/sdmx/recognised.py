"""Whether an XML file is an SDMX message, and of which kind, by its root element."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from xml.parsers import expat

from constraint_sdc.files.tables.document import REMARKS
from constraint_sdc.files.xml_encoding import EncodingError, declare_utf8, encoding_of

_FIRST, _OPENING = 1 << 9, 1 << 14
_NAMESPACE = re.compile(r"http://www\.(?:sdmx|SDMX)\.org/resources/(?:sdmxml|SDMXML)/schemas/v([0-9])_([0-9])/message")
_WORDS = {
    "StructureSpecificData": "structure-specific data",
    "StructureSpecificTimeSeriesData": "structure-specific time series",
    "CompactData": "compact data",
    "GenericData": "generic data",
    "GenericTimeSeriesData": "generic time series",
}
GENERIC = ("GenericData", "GenericTimeSeriesData")
"""Messages that name variables in attributes; in the others the names of attributes are the variables."""
READ = tuple(_WORDS)
"""The kinds of messages that are read as rows."""
DEMANDED = tuple(f"{REMARKS}/Header/{one}" for one in ("ID", "Prepared", "Sender", "Sender/@id"))
"""The paths of what every message must have."""


@dataclass(frozen=True, slots=True)
class MessageKind:
    """The root element of a message, and the version of the standard in its namespace."""

    root: str
    version: str

    @property
    def words(self) -> str:
        """Say what it is.

        >>> MessageKind("CompactData", "2.0").words
        'SDMX-ML 2.0, compact data'
        """
        return f"SDMX-ML {self.version}, {_WORDS.get(self.root, self.root)}"


class _RootFound(Exception):  # noqa: N818  (the first element ends the look, and is no error)
    """The first element, in the notation of expat."""


def message_kind(path: Path) -> MessageKind | None:
    """Return the kind of the message in a file; None for a file that is none, or that nobody can read."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # what a pipe has given is gone
            return None
        return _kind_of_file(path, (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=64)
def _kind_of_file(path: Path, _: tuple[int, ...]) -> MessageKind | None:
    """Look at the opening of a file, once for each state of it."""
    with path.open("rb", buffering=0) as file:
        opening = file.read(_FIRST)
        name = _root(opening)
        if name is None and len(opening) == _FIRST:  # a long prolog, or many declarations
            name = _root(opening + file.read(_OPENING))
    found = None if name is None else _NAMESPACE.fullmatch(name.partition(" ")[0])
    return None if name is None or found is None else MessageKind(name.partition(" ")[2], f"{found[1]}.{found[2]}")


def _root(opening: bytes) -> str | None:
    """Return the name of the first element, if it begins there."""
    try:
        how = encoding_of(opening)
    except EncodingError:
        return None
    text = declare_utf8(opening[how.mark :].decode(how.codec, "ignore"))
    return _first_element(text)


def _first_element(text: str) -> str | None:
    parser = expat.ParserCreate("utf-8", " ")
    parser.StartElementHandler = _found
    parser.StartDoctypeDeclHandler = _refused
    try:
        parser.Parse(text.encode("utf-8"), False)
    except _RootFound as found:
        return str(found)
    except expat.ExpatError:
        return None
    return None


def _found(name: str, _: object) -> None:
    raise _RootFound(name)


def _refused(*_: object) -> None:
    raise expat.ExpatError("a document type is not read")
