"""Gather what stands around the values of a file while it is read: names, attributes, values, comments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from lxml import etree

from constraint_sdc.data.surroundings import (
    METADATA,
    PATHS,
    REFERENCE_VALUE,
    STRUCTURE,
    DocumentSurroundings,
    Surrounding,
    SurroundingKind,
    attribute_path,
    is_harmless,
    tells_only_presence,
    text_path,
)
from constraint_sdc.files.microdata.source import is_comment, is_element
from constraint_sdc.limits import SURROUNDINGS

_BLANK = " \t\r\n"
_SECTION = ("Metadata", "Variable", "Missing")
_SECTION_ATTRIBUTES = (
    frozenset[str](),
    frozenset(("name", "type", "decimals", "measure", "label")),
    frozenset(("code",)),
)


class Around:
    """Everything outside values, counted by kind and path. `elements` are the names of elements outside records.

    `attributes` are "@name" of those that other elements than records have. Memory is bounded: what exceeds the limit
    of different paths is counted without its path.
    """

    def __init__(self) -> None:
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.described: set[str] = set()
        self._counts: Counter[SurroundingKind] = Counter()
        self._attributes: Counter[str] = Counter()
        self._of_variables: Counter[tuple[str, str]] = Counter()
        self._texts: Counter[str] = Counter()
        self._empty: Counter[str] = Counter()
        self._containers: set[str] = set()

    def add(self, other: Around) -> None:
        """Add what another has gathered."""
        self.elements |= other.elements
        self.attributes |= other.attributes
        self.described |= other.described
        self._counts.update(other._counts)
        for mine, found in zip(self._counters(), other._counters(), strict=True):
            for key, count in found.items():
                self._count(mine, key, count)
        self._containers |= other._containers

    def _counters(self) -> tuple[Counter[str] | Counter[tuple[str, str]], ...]:
        return self._attributes, self._of_variables, self._texts, self._empty

    def _count(self, counter: Counter, key: str | tuple[str, str], count: int = 1) -> None:  # type: ignore[type-arg]
        if key not in counter and sum(map(len, self._counters())) >= SURROUNDINGS:
            self._counts[SurroundingKind.OTHERS] += count
        else:
            counter[key] += count

    def note_variable(self, variable: str, attributes: Iterable[str], count: int = 1) -> None:
        """Note the attributes of a variable's element, in so many records."""
        for name in attributes:
            self.attributes.add("@" + name)
            if not tells_only_presence(name):
                self._count(self._of_variables, (variable, name), count)

    def note_in_record(self, node: etree._Element) -> None:
        """Note a comment or processing instruction inside a record."""
        self._counts[SurroundingKind.RECORD_COMMENT if is_comment(node) else SurroundingKind.RECORD_INSTRUCTION] += 1

    def note_wrappers(self, wrappers: tuple[str, ...]) -> None:
        """Note the elements around a record, from the root down."""
        path = ""
        for name in wrappers:
            path = f"{path}/{name}"
            self._containers.add(path)

    def note_document(self, root: etree._Element, record: str) -> None:
        """Note a whole document; the root is never a record, even with that name."""
        for node in (*root.itersiblings(), *root.itersiblings(preceding=True)):
            self._note_remark(node)
        self._note_element(root, "", record)

    def note_child(self, node: etree._Element, parent: str, record: str) -> None:
        """Note a complete child of the element at this path, with everything inside it and the text after it."""
        if is_element(node):
            self._containers.add(parent)
            if node.tag != record:
                self._note_element(node, parent, record)
        else:
            self._note_remark(node)
        self.note_text(node.tail, parent)

    def _note_remark(self, node: etree._Element) -> None:
        self._counts[SurroundingKind.COMMENT if is_comment(node) else SurroundingKind.INSTRUCTION] += 1

    def _note_element(self, element: etree._Element, parent: str, record: str) -> None:
        path = f"{parent}/{element.tag}"
        self.elements.add(str(element.tag))
        if path == METADATA and _describes_variables(element):
            self._note_metadata(element)
            return
        if path == STRUCTURE and _refers_to_structure(element):
            self._counts[SurroundingKind.STRUCTURE] += 1
            return
        for name, value in ((str(name), str(value)) for name, value in element.attrib.items()):
            self.attributes.add("@" + name)
            if not is_harmless(name, value, is_root=not parent):
                self._count(self._attributes, attribute_path(path, name))
        self.note_text(element.text, path)
        for child in element:
            self.note_child(child, path, record)
        if not (element.text or "").strip(_BLANK):
            self._count(self._empty, path)

    def note_text(self, text: str | None, path: str) -> None:
        """Note a text directly inside the element at this path."""
        if text and text.strip(_BLANK):
            self._count(self._texts, path)

    def _note_metadata(self, metadata: etree._Element) -> None:
        for node in metadata.iter():
            if is_element(node):
                self.elements.add(str(node.tag))
                self.attributes.update("@" + str(name) for name in node.attrib)
            else:
                self._note_remark(node)
        names = [str(variable.get("name")) for variable in metadata.iterchildren("Variable")]
        self.described.update(names)
        self._counts[SurroundingKind.METADATA] += 1

    def surroundings(self) -> DocumentSurroundings:
        """Return everything, in the order of paths; call it after the last byte."""
        found = [
            *(Surrounding(kind, PATHS[kind], count) for kind, count in self._counts.items()),
            *(Surrounding(SurroundingKind.ATTRIBUTE, path, count) for path, count in self._attributes.items()),
            *(
                Surrounding(SurroundingKind.VARIABLE_ATTRIBUTE, attribute_path(*key), count, key[0])
                for key, count in self._of_variables.items()
            ),
            *(Surrounding(SurroundingKind.VALUE, *one) for one in self._values().items()),
            *(
                Surrounding(SurroundingKind.TEXT, text_path(path), count)
                for path, count in self._texts.items()
                if path in self._containers
            ),
        ]
        return DocumentSurroundings(tuple(sorted(found, key=lambda one: one.path)), frozenset(self.described))

    def _values(self) -> Counter[str]:
        """Return the elements that never have child elements, also empty ones: that they are there is a value."""
        both = self._texts + self._empty
        return Counter({path: count for path, count in both.items() if path not in self._containers})


def _describes_variables(metadata: etree._Element) -> bool:
    """Tell whether the section holds what our own format has there, and nothing else."""
    for node in metadata.iter():
        if (node is not metadata and (node.tail or "").strip(_BLANK)) or not _is_ours(node, metadata):
            return False
    return True


def _refers_to_structure(section: etree._Element) -> bool:
    """Tell whether the section holds references, and nothing else."""
    return not (section.text or "").strip(_BLANK) and not section.attrib and all(map(_is_reference, section))


def _is_reference(node: etree._Element) -> bool:
    if not is_element(node) or node.tag != "Reference" or set(node.attrib) != {"name", "value"} or len(node):
        return False
    is_bare = not (node.text or "").strip(_BLANK) and not (node.tail or "").strip(_BLANK)
    return is_bare and re.fullmatch(REFERENCE_VALUE, str(node.get("value"))) is not None


def _is_ours(node: etree._Element, metadata: etree._Element) -> bool:
    if not is_element(node):
        return True
    depth = 0 if node is metadata else 1 if node.getparent() is metadata else 2
    names = {str(name) for name in node.attrib}
    is_known = node.tag == _SECTION[depth] and names <= _SECTION_ATTRIBUTES[depth] and (depth < 2 or not len(node))
    return is_known and not (node.text or "").strip(_BLANK)
