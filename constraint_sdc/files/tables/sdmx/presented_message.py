"""An SDMX message as XML rows: one record for each observation, on the line of the message where it begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from constraint_sdc.errors import DataError
from constraint_sdc.files.rows_file import ILLEGAL_IN_XML, RECORD, text_xml, xml_name
from constraint_sdc.files.tables.document import CLOSING, OPENING
from constraint_sdc.files.tables.sdmx.message import SdmxMessage
from constraint_sdc.files.tables.sdmx.places import SdmxCell
from constraint_sdc.files.tables.sdmx.text import MessageText
from constraint_sdc.limits import VARIABLES


class _ObservationRows:
    """Writes records as a message is read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._line = 1
        self._tags: dict[str, tuple[str, str]] = {}
        self._of_series = ""
        self.out: list[str] = []

    def series(self, cells: Sequence[SdmxCell], line: int) -> None:
        self._of_series = self._elements(cells, line)

    def series_end(self) -> None:
        self._of_series = ""

    def observation(self, _: Sequence[SdmxCell], own: Sequence[SdmxCell], line: int, _at: int, inside: str) -> None:
        if line > self._line:
            self.out.append("\n" * (line - self._line))
            self._line = line
        self.out.append(f"<{RECORD}>{self._of_series}{self._elements(own, line)}{inside}</{RECORD}>")

    def wrapper(self, names: Sequence[str], start: int, stop: int) -> None:
        """Pass over it: its cells are known."""

    def around(self, xml: str) -> None:
        self.out.append(xml)

    def note(self, path: str, start: int, stop: int) -> None:
        """Pass over it: it is presented where it stands."""

    def _elements(self, cells: Sequence[SdmxCell], line: int) -> str:
        joined = "".join([cell.value for cell in cells])
        is_plain = not any(sign in joined for sign in "&<>\r\n")
        found = []
        for cell in cells:
            if cell.is_no_value:
                continue
            before, after = self._tags.get(cell.name) or self._tags_of(cell.name, line)
            value = cell.value if is_plain else text_xml(cell.value).replace("\n", "&#10;")
            found.append(f"{before}{value}{after}")
        return "".join(found)

    def _tags_of(self, name: str, line: int) -> tuple[str, str]:
        if name == RECORD or not name or ILLEGAL_IN_XML.search(name):
            what = f"a variable cannot have the name {name!r}"
            raise DataError(what, file=str(self._path), line=line, hint="it is the name of a row in rules: rename it")
        if len(self._tags) >= VARIABLES:
            raise DataError(f"more than {VARIABLES:,} variables", file=str(self._path), line=line)
        element = xml_name(name)
        self._tags[name] = (f"<{element}>", f"</{element}>")
        return self._tags[name]


class PresentedMessage:
    """A message on its way to a reader of XML."""

    def __init__(self, path: Path) -> None:
        self._text = MessageText(path)
        self._rows = _ObservationRows(path)
        self._message = SdmxMessage(path, self._text.root, self._rows, has_places=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Return none: observations have to be read for that."""
        return ()

    def presented(self) -> Iterator[bytes]:
        """Yield the document."""
        yield OPENING
        yield from self._blocks()
        yield CLOSING

    def _blocks(self) -> Iterator[bytes]:
        for block in self._text.blocks():
            self._message.feed(block)
            yield self._given()
        self._message.feed(b"")
        yield self._given()

    def _given(self) -> bytes:
        given, self._rows.out[:] = "".join(self._rows.out), []
        return given.encode()

    @property
    def sha256(self) -> str:
        """Return the digest of the message."""
        return self._text.sha256

    @property
    def share(self) -> float | None:
        """Return what share of the message was read."""
        return self._text.share

    def close(self) -> None:
        """Close the file."""
        self._text.close()
