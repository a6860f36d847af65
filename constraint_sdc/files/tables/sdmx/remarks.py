"""What a message says besides its observations: its header, attributes of its data set, groups.

It is presented in `<FileMetadata>` by local names, one part of the message after another. References to the data
structure, which say nothing about anybody, are presented in `<Structure>`; their values can only be names, versions and
addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from constraint_sdc.data.surroundings import REFERENCE_VALUE
from constraint_sdc.files.rows_file import quoted, text_xml
from constraint_sdc.files.tables.document import REMARKS
from constraint_sdc.files.tables.sdmx.places import CellPlace, pairs

_OF_HEADER = frozenset(("Structure", "Test", "DataSetAction", "KeyFamilyRef", "KeyFamilyAgency", "Truncated"))
_OF_DATA_SET = frozenset(("structureRef", "dataScope", "type", "action", "keyFamilyURI", "isPartial"))
_HARMLESS = ("schemaLocation", "noNamespaceSchemaLocation")
_SUCH_VALUE = re.compile(REFERENCE_VALUE)

Refuse = Callable[[str, str], Exception]
"""Makes an error of what is wrong and what to do, with the line of the message."""


@dataclass(slots=True)
class _OpenElement:
    """An element that is open. `drops` are the parts of it that are left out."""

    local: str
    path: str
    start: int
    begins: int  # in the presented pieces
    text: list[str] = field(default_factory=list)
    has_children: bool = False
    keeps_something: bool = False
    is_reference: bool = False


class MessageRemarks:
    """Takes the elements outside series and observations; `taken_out` are the paths of what is left out.

    `drops` are the places of what is left out; they are known if places are. `owners` are the elements in the data set
    that name a variable.
    """

    def __init__(self, taken_out: frozenset[str], refuse: Refuse) -> None:
        self._taken_out = taken_out
        self._refuse = refuse
        self._open: list[_OpenElement] = []
        self._pieces: list[str] = []
        self._references: list[tuple[str, str]] = []
        self._are_references = True
        self.drops: list[tuple[int, int]] = []
        self.owners: dict[str, set[str]] = {}
        self._is_in_data_set = False

    @property
    def is_open(self) -> bool:
        """Tell whether an element is open."""
        return bool(self._open)

    @property
    def start(self) -> int:
        """Return where the outermost open element begins."""
        return self._open[0].start

    def begin(
        self, local: str, attributes: Sequence[str], places: Sequence[CellPlace], start: int, *, is_in_data_set: bool
    ) -> None:
        """Take a start tag; `start` is where the white space before it begins."""
        if not self._open:
            self._is_in_data_set = is_in_data_set
        above = self._open[-1].path if self._open else f"{REMARKS}/DataSet" if is_in_data_set else REMARKS
        if self._open:
            self._open[-1].has_children = True
        element = _OpenElement(local, f"{above}/{local}", start, len(self._pieces))
        element.is_reference = self._begins_reference(element)
        if element.is_reference:
            self._references_from, self._are_references = len(self._references), True
        self._open.append(element)
        self._pieces.append(f"<{local}{self._attributes(element, attributes, places)}>")

    def _begins_reference(self, element: _OpenElement) -> bool:
        if any(one.is_reference for one in self._open):
            return False
        is_of_header = len(self._open) == 1 and self._open[0].local == "Header" and element.local in _OF_HEADER
        return is_of_header or (self._is_in_data_set and not self._open and element.local == "KeyFamilyRef")

    def _attributes(self, element: _OpenElement, attributes: Sequence[str], places: Sequence[CellPlace]) -> str:
        presented, seen = [], set[str]()
        for at, (name, value) in enumerate(pairs(attributes)):
            local = name.rpartition(" ")[2]
            if local in seen:
                what = f"{element.local} has two attributes {local}, which differ by their namespace alone"
                raise self._refuse(what, "remove one of them")
            seen.add(local)
            path = f"{element.path}/@{local}"
            self._reference(path, value)
            presented.append(f" {local}={quoted(value)}")
            self._owns(element, local, value)
            if path not in self._taken_out:
                element.keeps_something = True
            elif places:
                self.drops.append((places[at].start, places[at].stop))
        return "".join(presented)

    def _owns(self, element: _OpenElement, local: str, value: str) -> None:
        """Note that an element of the data set names a variable, in the name of an attribute or as `id`."""
        if self._is_in_data_set:
            for one in (local, value) if local in ("id", "concept") else (local,):
                self.owners.setdefault(one, set()).add(element.path)

    def _reference(self, path: str, value: str) -> None:
        if any(one.is_reference for one in self._open) or not self._open:
            self._are_references &= _SUCH_VALUE.fullmatch(value.strip()) is not None
            self._references.append((path.removeprefix(f"{REMARKS}/"), value.strip()))

    def text(self, data: str) -> None:
        """Take text inside the element that is open."""
        self._open[-1].text.append(data)

    def end(self, stop: int) -> str:
        """Take an end tag; return what is presented if it is that of the outermost element."""
        element = self._open.pop()
        text = "".join(element.text)
        if not text.strip(" \t\r\n"):
            text = ""
        if text and (element.is_reference or any(one.is_reference for one in self._open)):
            self._open.append(element)
            self._reference(element.path, text)
            self._open.pop()
        if text and element.has_children and f"{element.path}/text()" in self._taken_out:
            raise self._refuse(f"the text between the elements of {element.local} cannot be left out", "keep it")
        if element.has_children:
            element.keeps_something |= bool(text)
        else:  # an element without others goes with its attributes
            element.keeps_something = element.path not in self._taken_out
        self._pieces.append(f"{text_xml(text).replace(chr(10), '&#10;')}</{element.local}>")
        if element.is_reference and self._are_references:
            del self._pieces[element.begins :]
        elif element.is_reference:
            del self._references[self._references_from :]
        if not element.keeps_something:
            self.drops.append((element.start, stop))
        elif self._open:
            self._open[-1].keeps_something = True
        return "" if self._open else self._presented()

    def _presented(self) -> str:
        xml, self._pieces = "".join(self._pieces), []
        return self._remark(xml) + self.references()

    def _remark(self, xml: str) -> str:
        if not xml:
            return ""
        inside = f"<DataSet>{xml}</DataSet>" if self._is_in_data_set else xml
        return f"<FileMetadata>{inside}</FileMetadata>"

    def references(self) -> str:
        """Return the references that were found since the last time."""
        found, self._references = self._references, []
        if not found:
            return ""
        listed = "".join(f"<Reference name={quoted(name)} value={quoted(value)}/>" for name, value in found)
        return f"<Structure>{listed}</Structure>"

    def of_element(self, owner: str, attributes: Sequence[str], places: Sequence[CellPlace]) -> str:
        """Return what is presented of the attributes of the message or its data set, each as an element."""
        remarks = []
        for at, (name, value) in enumerate(pairs(attributes)):
            local = name.rpartition(" ")[2]
            if owner == "DataSet" and local in _OF_DATA_SET and _SUCH_VALUE.fullmatch(value):
                self._references.append((f"{owner}/@{local}", value))
                continue
            if owner == "Message" and local in _HARMLESS:
                continue
            path = f"{REMARKS}/{owner}/{local}"
            if owner == "DataSet":
                self.owners.setdefault(local, set()).add(path)
            remarks.append(f"<{local}>{text_xml(value).replace(chr(10), '&#10;')}</{local}>")
            if path in self._taken_out and places:
                self.drops.append((places[at].start, places[at].stop))
        found = f"<FileMetadata><{owner}>{''.join(remarks)}</{owner}></FileMetadata>" if remarks else ""
        return found + self.references()

    def note_type(self, owner: str, value: str) -> str:
        """Return what is presented of the type of an element that holds variables."""
        if _SUCH_VALUE.fullmatch(value) is None:
            raise self._refuse(f"the type of {owner} is {value!r}, which is no name", "remove it")
        self._references.append((f"{owner}/@type", value))
        return self.references()
