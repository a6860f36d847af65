"""What a finding says: the parts of messages, and the diagnostics and properties that assertions name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from constraint_sdc.schematron.abstract import with_parameters
from constraint_sdc.schematron.element import XSLT_NAMESPACE, Element
from constraint_sdc.schematron.schema import MarkupPart, MessagePart, NamePart, Note, Notes, TextPart, ValuePart

# The content of an assertion, diagnostic or property: text, values, names and markup.


def message_parts(element: Element) -> tuple[MessagePart, ...]:
    """Return the content of an element as message parts, white space as written."""
    return tuple(_parts(element))


def _parts(element: Element) -> Iterator[MessagePart]:
    for child in element.children:
        if isinstance(child, str):
            yield TextPart(child)
        elif child.kind == "value-of":
            yield ValuePart(child.require("select"), child.origin)
        elif child.kind == "name":
            yield NamePart(child.get("path"), child.origin)
        elif child.tag == f"{{{XSLT_NAMESPACE}}}value-of" and set(child.attributes) == {"select"}:
            # As a ValuePart its value is hidden in reports like any other.
            yield ValuePart(child.attributes["select"], child.origin)
        else:
            yield MarkupPart(child.tag, tuple(child.attributes.items()), message_parts(child))


@dataclass(frozen=True, slots=True)
class WrittenNotes:
    """The elements of a schema's diagnostics and properties by id."""

    diagnostics: Mapping[str, Element]
    properties: Mapping[str, Element]

    def read(self) -> Notes:
        """Return the notes as they are written."""
        return Notes(tuple(map(_note, self.diagnostics.values())), tuple(map(_note, self.properties.values())))

    def of_instance(self, assertion: Element, pattern: Element) -> Notes:
        """Return those that an assertion names and that the parameters of its pattern change."""
        return Notes(
            tuple(_changed(self.diagnostics, assertion.get("diagnostics"), pattern)),
            tuple(_changed(self.properties, assertion.get("properties"), pattern)),
        )


def find_notes(schema: Element) -> WrittenNotes:
    """Find the schema's diagnostics and properties; of one that is included twice the first counts."""
    return WrittenNotes(_notes(schema, "diagnostics", "diagnostic"), _notes(schema, "properties", "property"))


def nearest_language(*levels: str | None) -> tuple[tuple[str, str], ...]:
    """Return the first language that is known as an attribute: those of a text, then of what brings it in."""
    known = [language for language in levels if language is not None]
    return (("xml:lang", known[0]),) if known else ()


def _notes(schema: Element, box: str, kind: str) -> dict[str, Element]:
    notes: dict[str, Element] = {}
    for container in schema.elements(box):
        for element in container.elements(kind):
            language = nearest_language(element.language, container.language, schema.language)
            spoken = replace(element, attributes={**element.attributes, **dict(language)})
            notes.setdefault(element.require("id"), spoken)
    return notes


def _changed(written: Mapping[str, Element], ids: str | None, pattern: Element) -> Iterator[Note]:
    for name in (ids or "").split():
        made = with_parameters(written[name], pattern)
        if made != written[name]:
            yield _note(made)


def _note(element: Element) -> Note:
    attributes = tuple((key, value) for key, value in element.attributes.items() if key != "id")
    return Note(element.require("id"), message_parts(element), attributes, element.origin)
