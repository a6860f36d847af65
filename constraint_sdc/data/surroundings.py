"""What stands in a document besides the variables of its records: each kind of thing by its path.

| thing | path |
|---|---|
| attribute outside records | `/Data/@created` |
| element outside records that has no child elements | `/Data/Household/HHIncome` |
| text between elements outside records | `/Data/text()` |
| attribute of a variable's element | `Income/@orig` |
| comment, processing instruction | `comments`, `comments in records`, `processing instructions`, ... |

Names are in Clark notation. Namespace declarations, `xsi:nil`, the schema location of the root, `xml:space` outside
records, the XML declaration and white space are not listed: they say nothing about anybody. Every other attribute can
hold a value, `xsi:type` too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

XSI = "http://www.w3.org/2001/XMLSchema-instance"
METADATA = "/Microdata/Metadata"
"""The path of the section of our own format that describes variables."""
STRUCTURE = "/Microdata/Structure"
"""The path of references to a data structure, as a table is presented."""
REFERENCE_VALUE = r"[\w.,:;/+=()~*#?&@$\[\]-]{0,512}"
"""What a reference to a data structure can be: names, versions and addresses, without blanks."""

_NIL = f"{{{XSI}}}nil"
_SCHEMA_LOCATIONS = (f"{{{XSI}}}schemaLocation", f"{{{XSI}}}noNamespaceSchemaLocation")
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_SAID = {_NIL: ("true", "false", "1", "0"), _SPACE: ("preserve", "default")}


class SurroundingKind(Enum):
    """What a thing around values is."""

    ATTRIBUTE = "attribute"
    VALUE = "value"
    TEXT = "text"
    VARIABLE_ATTRIBUTE = "attribute of a variable"
    COMMENT = "comment"
    RECORD_COMMENT = "comment in a record"
    INSTRUCTION = "processing instruction"
    RECORD_INSTRUCTION = "processing instruction in a record"
    METADATA = "metadata"
    STRUCTURE = "structure"
    OTHERS = "others"  # more kinds of things than are told apart


WITHIN_RECORDS = (
    SurroundingKind.VARIABLE_ATTRIBUTE,
    SurroundingKind.RECORD_COMMENT,
    SurroundingKind.RECORD_INSTRUCTION,
)

PATHS = {
    SurroundingKind.COMMENT: "comments",
    SurroundingKind.RECORD_COMMENT: "comments in records",
    SurroundingKind.INSTRUCTION: "processing instructions",
    SurroundingKind.RECORD_INSTRUCTION: "processing instructions in records",
    SurroundingKind.METADATA: METADATA,
    SurroundingKind.STRUCTURE: STRUCTURE,
    SurroundingKind.OTHERS: "others",
}
"""The paths of things that have no place of their own."""


@dataclass(frozen=True, slots=True)
class Surrounding:
    """Things of one kind at one path, and how many there are. `variable` is the one whose element has an attribute."""

    kind: SurroundingKind
    path: str
    count: int
    variable: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentSurroundings:
    """All of them in the order of their paths; `described` are the variables that the metadata names."""

    found: tuple[Surrounding, ...] = ()
    described: frozenset[str] = frozenset()

    def without(self, paths: Iterable[str], variables: frozenset[str] = frozenset()) -> DocumentSurroundings:
        """Return what remains if these paths and variables are taken out of the document.

        An element goes with its attributes, metadata with all descriptions.
        """
        gone = frozenset(paths)
        found = tuple(
            one
            for one in self.found
            if one.variable not in variables and one.path not in gone and one.path.rpartition("/@")[0] not in gone
        )
        return DocumentSurroundings(found, frozenset() if METADATA in gone else self.described - variables)

    def difference(self, found: DocumentSurroundings, taken_out: frozenset[str]) -> str | None:
        """Tell where a document without the paths `taken_out` does not have exactly these surroundings.

        Attributes of variables may come and go with their elements, and comments inside masked values go. An element of
        which everything was taken out has no child elements any more.
        """
        emptied = {path.rpartition("/")[0] for path in taken_out}
        paths = {one.path for one in found.found}
        for one in self.found:
            owner = one.path.removesuffix("/text()")
            is_there = one in found.found or (one.kind is SurroundingKind.TEXT and owner in emptied & paths)
            if one.kind not in WITHIN_RECORDS and not is_there:
                return f"{one.path} is not there as often as in the source"
        expected = {one.path for one in self.found}
        for one in found.found:
            if one.path in taken_out:
                return f"{one.path} was to be taken out"
            if one.path not in expected and one.path not in emptied:
                return f"{one.path} is new"
        return None if found.described == self.described else "the metadata describes other variables"


def tells_only_presence(attribute: str) -> bool:
    """Tell whether an attribute of a variable's element tells only whether there is a value: `xsi:nil`.

    >>> tells_only_presence("{http://www.w3.org/2001/XMLSchema-instance}nil")
    True
    >>> tells_only_presence("{http://www.w3.org/2001/XMLSchema-instance}type")
    False
    """
    return attribute == _NIL


def is_harmless(attribute: str, value: str, *, is_root: bool) -> bool:
    """Tell whether an attribute outside records says nothing about anybody, by its name and its value.

    >>> space = "{http://www.w3.org/XML/1998/namespace}space"
    >>> is_harmless(space, "preserve", is_root=False), is_harmless(space, "Bob", is_root=False)
    (True, False)
    """
    return (is_root and attribute in _SCHEMA_LOCATIONS) or value.strip() in _SAID.get(attribute, ())


def attribute_path(owner: str, attribute: str) -> str:
    """Return the path of an attribute; the owner is a variable's name or the path of another element.

    >>> attribute_path("/Data", "created"), attribute_path("Income", "orig")
    ('/Data/@created', 'Income/@orig')
    """
    return f"{owner}/@{attribute}"


def text_path(owner: str) -> str:
    """Return the path of the text directly inside an element.

    >>> text_path("/Data")
    '/Data/text()'
    """
    return f"{owner}/text()"
