"""Where the cells of a message stand in its bytes, so that they can be written again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from constraint_sdc.files.rows_file import quoted, text_xml
from constraint_sdc.files.tables.csv.sdmx_csv import MEASURE, NO_VALUE

_NAME = re.compile(rb"<[^ \t\r\n/>]+")
_ATTRIBUTE = re.compile(rb"""[ \t\r\n]+([^ \t\r\n=/>]+)[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')""")
_TAG_END = re.compile(rb"[ \t\r\n]*(/?)>")
_BLANK = b" \t\r\n"


class CellPlace(NamedTuple):
    """Bytes of a message: from `start` to `stop` goes if the cell goes, and its value is inside.

    `quote` stands around the value of an attribute; it is empty around the text of an element.
    """

    start: int
    value_start: int
    value_stop: int
    stop: int
    quote: bytes

    def written(self, value: str) -> bytes:
        """Return a value as it stands between `value_start` and `value_stop`."""
        if not self.quote:
            return text_xml(value).encode()
        inside = quoted(value)[1:-1]
        return (inside if self.quote == b'"' else inside.replace("'", "&#39;")).encode()


class SdmxCell(NamedTuple):
    """The value of a variable; its place only if places were asked for."""

    name: str
    value: str
    place: CellPlace | None = None

    @property
    def is_no_value(self) -> bool:
        """Tell whether it is the observed value, and says that there is none."""
        return self.name == MEASURE and self.value == NO_VALUE


class StartTag(NamedTuple):
    """The places of the attributes of a start tag, declarations left out, and where one could be added.

    `is_empty` tells a tag that is start and end in one.
    """

    places: list[CellPlace]
    add_at: int
    is_empty: bool


class MessageWindow:
    """The bytes of a message that are not done with, by their places in the whole message."""

    def __init__(self) -> None:
        self.data = b""
        self.base = 0

    def feed(self, block: bytes) -> None:
        """Take the next bytes."""
        self.data += block

    def drop(self, until: int) -> bytes:
        """Return the bytes before a place, and forget them."""
        done, self.data = self.data[: until - self.base], self.data[until - self.base :]
        self.base += len(done)
        return done

    @property
    def stop(self) -> int:
        """Return the place after the last byte."""
        return self.base + len(self.data)

    def before_blank(self, place: int) -> int:
        """Return where the white space before a place begins."""
        at = place - self.base
        while at > 0 and self.data[at - 1] in _BLANK:
            at -= 1
        return self.base + at

    def after_end(self, place: int, *, is_empty: bool) -> int:
        """Return where an element ends whose end is reported here: after an empty tag, or before an end tag."""
        return place if is_empty else self.after(b">", place)

    def after(self, mark: bytes, place: int) -> int:
        """Return the place after the next mark."""
        return self.base + self.data.index(mark, place - self.base) + len(mark)

    def start_tag(self, place: int) -> StartTag:
        """Return the start tag that begins at a place."""
        found = _NAME.match(self.data, place - self.base)
        assert found is not None
        at, places = found.end(), list[CellPlace]()
        while (one := _ATTRIBUTE.match(self.data, at)) is not None:
            at = one.end()
            if not (one[1] == b"xmlns" or one[1].startswith(b"xmlns:")):
                start, stop = one.span(2)
                base = self.base
                places.append(CellPlace(base + one.start(), base + start + 1, base + stop - 1, base + stop, one[2][:1]))
        end = _TAG_END.match(self.data, at)
        assert end is not None
        return StartTag(places, self.base + at, is_empty=end[1] == b"/")


def pairs(attributes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield names and values as expat lists them.

    >>> list(pairs(["A", "1", "B", "2"]))
    [('A', '1'), ('B', '2')]
    """
    return zip(attributes[::2], attributes[1::2], strict=True)
