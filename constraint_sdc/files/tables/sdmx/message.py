"""An SDMX message, read from its first byte to its last: observations with their series, and what stands around them.

The parser is expat, without a document type, entities or a network. In structure-specific messages the attributes of
`Obs` and `Series` are the variables; in generic ones `Value` elements name variable and value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, Protocol
from xml.parsers import expat

from constraint_sdc.errors import DataError
from constraint_sdc.files.tables.sdmx.places import CellPlace, MessageWindow, SdmxCell, StartTag, pairs
from constraint_sdc.files.tables.sdmx.recognised import GENERIC
from constraint_sdc.files.tables.sdmx.remarks import MessageRemarks
from constraint_sdc.limits import RECORD_BYTES

_DEPTH = 256
_TEXT = 10 << 20
_ADDRESS = re.compile(r"[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+")
_ACTIONS = frozenset(("", "append", "replace", "information", "merge"))
_TYPE = "http://www.w3.org/2001/XMLSchema-instance type"
_HINTS = {expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]: "entities are not read: write the text itself"}
_SECTIONS = {"Series": ("SeriesKey", "Attributes"), "Obs": ("ObsKey", "Attributes")}


class Listener(Protocol):
    """Hears of the parts of a message in their order; places are known if the message is read with them."""

    def series(self, cells: Sequence[SdmxCell], line: int) -> None:
        """Hear of a series whose variables are all known."""

    def observation(
        self, series: Sequence[SdmxCell], own: Sequence[SdmxCell], line: int, add_at: int, inside: str
    ) -> None:
        """Hear of an observation. `add_at` is where an attribute could be added, and `inside` are its comments."""

    def series_end(self) -> None:
        """Hear that the series ends."""

    def wrapper(self, names: Sequence[str], start: int, stop: int) -> None:
        """Hear of an element that holds nothing but the cells of these variables."""

    def around(self, xml: str) -> None:
        """Hear of what is presented of other things."""

    def note(self, path: str, start: int, stop: int) -> None:
        """Hear of a comment or processing instruction."""


class SdmxMessage:
    """Reads a message whose UTF-8 bytes come in blocks, without a byte order mark."""

    def __init__(
        self, path: Path, root: str, listener: Listener, taken_out: frozenset[str] = frozenset(), *, has_places: bool
    ) -> None:
        self._file = path
        self._root = root
        self._is_generic = root in GENERIC
        self._listener = listener
        self._path: list[str] = []
        self._are_empty: list[bool] = []
        self._is_empty = False
        self._tag = StartTag([], 0, is_empty=False)
        self.window = MessageWindow()
        self._has_places = has_places
        self.remarks = MessageRemarks(taken_out, self._error)
        self._data_sets = 0
        self._dimension: str | None = None
        self._series: list[SdmxCell] = []
        self._own: list[SdmxCell] = []
        self._section: list[SdmxCell] = []
        self._begun: dict[str, int] = {}
        self._has_told_series = False
        self._line = self._add_at = self._observations = 0
        self._inside: list[str] = []
        self._types: dict[tuple[str, str], None] = {}
        self._text: list[str] | None = None
        self._waiting: tuple[str, str, CellPlace | None] | None = None
        self._last = self._fed = 0
        self._parser = self._prepared()

    def _prepared(self) -> expat.XMLParserType:
        parser = expat.ParserCreate("utf-8", " ")
        parser.ordered_attributes = True
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._instruction
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartNamespaceDeclHandler = self._namespace
        return parser

    # The bytes.

    def feed(self, block: bytes) -> None:
        """Take the next bytes; none at the end."""
        self._fed += len(block)
        if self._fed - self._last > RECORD_BYTES or len(self.window.data) > RECORD_BYTES:
            self._refuse(f"a text or a series is longer than {RECORD_BYTES >> 20} MB", "write shorter series, or none")
        if self._has_places:
            self.window.feed(block)
        try:
            self._parser.Parse(block, not block)
        except expat.ExpatError as error:
            what = f"not well-formed XML: {expat.ErrorString(error.code)}"
            hint = (
                "the file is cut off: write or copy it again"
                if not block
                else _HINTS.get(error.code, "mend the XML there")
            )
            raise DataError(what, file=str(self._file), line=error.lineno, hint=hint) from None
        if not block and not self._observations:
            self._refuse("the message has no observations", "name a message with data")

    @property
    def settled(self) -> int:
        """Return the place before which nothing of the message is looked at again."""
        starts = [self._last, *self._begun.values()]
        if self.remarks.is_open:
            starts.append(self.remarks.start)
        return self.window.before_blank(min(starts))

    def _error(self, what: str, hint: str | None = None) -> DataError:
        return DataError(what, file=str(self._file), line=self._parser.CurrentLineNumber, hint=hint)

    def _refuse(self, what: str, hint: str | None = None) -> NoReturn:
        raise self._error(what, hint)

    # What expat reports.

    def _start(self, name: str, attributes: list[str]) -> None:
        path, local = self._path, name[name.rfind(" ") + 1 :]
        depth = len(path)
        if depth >= _DEPTH:
            self._refuse("excessive depth", f"at most {_DEPTH} levels are read")
        if not depth and local != self._root:
            self._refuse("the file changed while it was read", "run again")
        path.append(local)
        self._last = self._parser.CurrentByteIndex
        if self._has_places:
            self._tag = self.window.start_tag(self._last)
            self._are_empty.append(self._tag.is_empty)
        if self.remarks.is_open or (depth == 1 and local != "DataSet") or (depth == 2 and local not in _SECTIONS):
            self._begin_remark(local, attributes, is_in_data_set=depth > 1)
        elif depth < 2:
            self._message(local, attributes)
        elif local == "Obs" and (depth == 2 or path[2] == "Series") and depth < 4:
            self._begin_observation(attributes)
        elif depth == 2:
            self._begin_series(attributes)
        elif self._is_generic:
            self._generic(local, path[-2], attributes)
        else:
            self._refuse_inside(local)

    def _refuse_inside(self, local: str) -> NoReturn:
        what = f"{local} inside a series or an observation is not read"
        hint = "components with several values and annotations have no place in a table: take them out of the message"
        self._refuse(what, hint)

    def _end(self, _: str) -> None:
        local, depth = self._path.pop(), len(self._path)
        self._last = self._parser.CurrentByteIndex
        self._is_empty = bool(self._are_empty) and self._are_empty.pop()
        if self.remarks.is_open:
            self._around(self.remarks.end(self._after_end()))
        elif self._waiting is not None and local == self._waiting[0]:
            self._end_cell()
        elif local == "Obs" and depth in (2, 3):
            self._end_observation()
        elif local == "Series" and depth == 2:
            self._end_series()
        elif self._section_is(local):
            self._end_section(local)

    def _after_end(self) -> int:
        index = self._parser.CurrentByteIndex
        return self.window.after_end(index, is_empty=self._is_empty) if self._has_places else 0

    def _characters(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)
        elif self.remarks.is_open:
            self.remarks.text(data)
        elif data.strip(" \t\r\n"):
            self._refuse(f"text inside {self._path[-1]}", "take it out of the message")

    def _comment(self, _: str) -> None:
        self._note("comments", "<!---->", b"-->")

    def _instruction(self, *_: str) -> None:
        self._note("processing instructions", "<?instruction?>", b"?>")

    def _note(self, path: str, xml: str, mark: bytes) -> None:
        is_inside = "Obs" in self._path[2:4] and not self.remarks.is_open
        start = self._last = self._parser.CurrentByteIndex
        stop = self.window.after(mark, start) if self._has_places else 0
        if self._text is not None or self.remarks.is_open:
            self._refuse(f"{path} inside a text or the header are not read", "take them out of the message")
        self._listener.note(f"{path} in records" if is_inside else path, start, stop)
        if is_inside:
            self._inside.append(xml)
        else:
            self._around(xml)

    def _namespace(self, prefix: str | None, address: str | None) -> None:
        if address and _ADDRESS.fullmatch(address) is None:
            what = f"the namespace of the prefix {prefix}" if prefix else "the default namespace"
            self._refuse(f"{what} is no URI", "correct the declaration")

    def _doctype(self, *_: object) -> None:
        self._refuse("DOCTYPE is not allowed", "remove it: entities and external files are not read")

    def _around(self, xml: str) -> None:
        if xml:
            self._listener.around(xml)

    # The message, its data set, and what is no observation.

    def _places(self, attributes: Sequence[str]) -> tuple[list[CellPlace], int]:
        if not self._has_places:
            return [], 0
        places, add_at, _ = self._tag
        assert 2 * len(places) == len(attributes)
        return places, add_at

    def _message(self, local: str, attributes: list[str]) -> None:
        if local == "DataSet":
            self._data_sets += 1
            if self._data_sets > 1:
                self._refuse("a second data set", "write each data set to a file of its own")
        for name, value in pairs(attributes):
            self._check_meaning(name.rpartition(" ")[2], value)
        owner = "DataSet" if len(self._path) == 2 else "Message"
        self._around(self.remarks.of_element(owner, attributes, self._places(attributes)[0]))

    def _begin_remark(self, local: str, attributes: list[str], *, is_in_data_set: bool) -> None:
        start = self.window.before_blank(self._parser.CurrentByteIndex) if self._has_places else 0
        for name, value in pairs(attributes):
            self._check_meaning(name.rpartition(" ")[2], value)
        self.remarks.begin(local, attributes, self._places(attributes)[0], start, is_in_data_set=is_in_data_set)

    def _check_meaning(self, local: str, value: str) -> None:
        """Take what says how observations are written, and refuse what makes something else of them."""
        if local == "dimensionAtObservation":
            self._dimension = value
        elif local == "explicitMeasures" and value in ("true", "1"):
            hint = "write the measure as a dimension, with OBS_VALUE beside it"
            self._refuse("explicit measures are not read", hint)
        elif local == "action" and value.casefold() not in _ACTIONS:
            hint = "only messages that append, replace, merge or inform have observations to publish"
            self._refuse(f"the action of the message is {value}", hint)

    # Series and observations.

    def _cells(self, owner: str, attributes: list[str]) -> tuple[list[SdmxCell], int]:
        places, add_at = self._places(attributes)
        cells = []
        for at, (name, value) in enumerate(pairs(attributes)):
            if " " not in name:
                cells.append(SdmxCell(name, value, places[at] if places else None))
            elif name == _TYPE:
                self._note_type(owner, value)
            else:
                what = f"the attribute {name.rpartition(' ')[2]} of {owner} has a namespace, so it is no variable"
                self._refuse(what, "take it out of the message")
        return cells, add_at

    def _note_type(self, owner: str, value: str) -> None:
        if (owner, value) in self._types:
            return
        if any(one == owner for one, _ in self._types):
            self._refuse(f"{owner} has several types", "write each kind of observation to a file of its own")
        self._types[owner, value] = None
        self._around(self.remarks.note_type(owner, value))

    def _begin_series(self, attributes: list[str]) -> None:
        self._begun["Series"] = self._parser.CurrentByteIndex
        self._series_line, self._in_series = self._parser.CurrentLineNumber, 0
        self._series, self._has_told_series = self._cells("Series", attributes)[0], False
        self._refuse_attributes(self._series)

    def _refuse_attributes(self, cells: Sequence[SdmxCell]) -> None:
        if self._is_generic and cells:
            self._refuse(f"the attribute {cells[0].name} has no place in a generic message", "take it out")

    def _tell_series(self) -> None:
        if not self._has_told_series and "Series" in self._begun:
            self._listener.series(self._series, self._series_line)
            self._has_told_series = True

    def _end_series(self) -> None:
        if not self._in_series:
            hint = "an empty series publishes its variables without an observation: take it out of the message"
            raise DataError("a series without observations", file=str(self._file), line=self._series_line, hint=hint)
        self._listener.series_end()
        del self._begun["Series"]
        self._series = []

    def _begin_observation(self, attributes: list[str]) -> None:
        self._tell_series()
        self._begun["Obs"] = self._parser.CurrentByteIndex
        self._line = self._parser.CurrentLineNumber
        self._own, self._add_at = self._cells("Obs", attributes)
        self._refuse_attributes(self._own)

    def _end_observation(self) -> None:
        series, own = self._series, self._own
        names = [cell.name for cell in (*series, *own)]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            what, hint = f"{twice} is in the observation twice", "a series and its observations have different ones"
            raise DataError(what, file=str(self._file), line=self._line, hint=hint)
        self._listener.observation(series, own, self._line, self._add_at, "".join(self._inside))
        self._inside = []
        self._observations += 1
        self._in_series = 1
        del self._begun["Obs"]

    # Generic messages.

    def _generic(self, local: str, parent: str, attributes: list[str]) -> None:
        if local in _SECTIONS.get(parent, ()):
            if parent == "Series" and self._has_told_series:
                self._refuse(f"{local} after the observations of its series", "write it before them")
            self._section = []
            self._begun["section"] = self._parser.CurrentByteIndex
        elif local == "Value" and parent in ("SeriesKey", "ObsKey", "Attributes"):
            self._begin_cell(local, attributes, None)
        elif parent == "Obs" and local in ("ObsDimension", "ObsValue", "Time"):
            defaults = {"ObsDimension": self._dimension, "ObsValue": "OBS_VALUE", "Time": "TIME_PERIOD"}
            self._section = self._own
            self._begin_cell(local, attributes, defaults[local])
        else:
            self._refuse_inside(local)

    def _begin_cell(self, local: str, attributes: list[str], name: str | None) -> None:
        places, add_at = self._places(attributes)
        value, place = None, None
        for at, (attribute, said) in enumerate(pairs(attributes)):
            if attribute in ("id", "concept"):
                name = said
            elif attribute == "value" and local != "Time":
                value, place = said, places[at] if places else None
            elif attribute != _TYPE:
                self._refuse(f"the attribute {attribute.rpartition(' ')[2]} of {local} is not read", "take it out")
        if local == "Time":
            self._text, value = [], ""
            text_at = self.window.after(b">", add_at) if self._has_places else 0
            place = CellPlace(0, text_at, text_at, 0, b"") if self._has_places else None
        if not name or value is None:
            self._refuse(f"{local} does not say which variable has which value", "it needs the attributes id and value")
        start = self._begun["cell"] = self._parser.CurrentByteIndex
        if place is not None:
            place = place._replace(start=self.window.before_blank(start))
        self._waiting = (local, name, place)
        self._value = value

    def _end_cell(self) -> None:
        assert self._waiting is not None
        _, name, place = self._waiting
        value = self._value
        if self._text is not None:
            value, self._text = "".join(self._text), None
            if place is not None:
                stop = self._parser.CurrentByteIndex
                if self._is_empty:
                    self._refuse("Time is empty", "write the period, or leave the element out")
                place = place._replace(value_stop=stop)
        if place is not None:
            place = place._replace(stop=self._after_end())
        self._section.append(SdmxCell(name, value, place))
        self._waiting = None
        del self._begun["cell"]

    def _section_is(self, local: str) -> bool:
        return "section" in self._begun and local in ("SeriesKey", "ObsKey", "Attributes")

    def _end_section(self, local: str) -> None:
        start = self._begun.pop("section")
        owner = self._own if "Obs" in self._begun else self._series
        owner.extend(self._section)
        if self._has_places and local == "Attributes":
            names = [cell.name for cell in self._section]
            self._listener.wrapper(names, self.window.before_blank(start), self._after_end())
