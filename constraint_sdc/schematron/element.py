"""A Schematron file as plain frozen elements that remember their file and line.

Includes and abstract patterns rewrite the tree, and an element taken from another file must still name its own line, so
the rewriting is done on these values and never on the parser's tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.sax.saxutils import escape

from lxml import etree

from constraint_sdc.errors import RulesError
from constraint_sdc.limits import RULE_DEPTH, RULE_FILE_BYTES
from constraint_sdc.schematron.schema import LintExemption, Origin

ISO_NAMESPACE = "http://purl.oclc.org/dsdl/schematron"
OLD_NAMESPACE = "http://www.ascc.net/xml/schematron"
XSLT_NAMESPACE = "http://www.w3.org/1999/XSL/Transform"
OUR_NAMESPACE = "urn:constraint-sdc:rules"
MAY_BE_IDLE = f"{{{OUR_NAMESPACE}}}may-be-idle"
RULE_ORIGIN = f"{{{OUR_NAMESPACE}}}origin"
"""On a pattern: file and line of the rule of another language that it was translated from."""
LINT_IGNORE = f"{{{OUR_NAMESPACE}}}lint-ignore"
OUR_MARKS = frozenset({MAY_BE_IDLE, LINT_IGNORE})
_XML_PREFIX = "{http://www.w3.org/XML/1998/namespace}"
# Names and references to them; the standard's types allow white space around these.
_NAMES = frozenset({"id", "xml:id", "rule", "is-a", "pattern", "abstract", "defaultPhase", "prefix"})


@dataclass(frozen=True, slots=True)
class Element:
    """One element; `kind` is its Schematron name in either namespace, or "" for an element of another namespace.

    `tag` is in Clark notation, always with the ISO namespace for Schematron. Attribute names are in Clark notation,
    except `xml:lang` and the like. `base` is the folder that references start from; `xml` is an outermost element
    of another namespace as text with every namespace it needs. `source` (file and position in it) stays the same
    however often the element is included or rewritten. `language` is the nearest `xml:lang` in its file, and
    `prefixes` are the namespace declarations in scope of an element that a fragment may name.
    """

    kind: str
    tag: str
    attributes: Mapping[str, str]
    children: tuple[Element | str, ...]
    origin: Origin
    base: Path
    source: tuple[str, int]
    xml: str = ""
    language: str | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict)

    def elements(self, *kinds: str) -> Iterator[Element]:
        """Yield the child elements of these kinds, or all of them."""
        for child in self.children:
            if isinstance(child, Element) and (not kinds or child.kind in kinds):
                yield child

    def walk(self) -> Iterator[Element]:
        """Yield the element and the Schematron elements inside, in document order.

        The content of an element of another namespace is documentation or data, even if it looks like Schematron.
        """
        yield self
        for child in self.elements():
            if child.kind:
                yield from child.walk()

    def find(self, wanted: str) -> Element | None:
        """Return the element with this id (or xml:id) at any depth."""
        if wanted in (self.get("id"), self.get("xml:id")):
            return self
        return next((found for child in self.elements() if (found := child.find(wanted))), None)

    def get(self, name: str) -> str | None:
        """Return an attribute, or None."""
        return self.attributes.get(name)

    def require(self, name: str) -> str:
        """Return an attribute that must be there and must not be empty."""
        value = self.attributes.get(name)
        if value is None:
            raise self.error(f"{self.kind} has no {name!r} attribute")
        if not value.strip():
            raise self.error(f"the {name!r} attribute of {self.kind} is empty")
        return value

    def flag(self, name: str) -> bool:
        """Read a true/false attribute, false when absent."""
        value = (self.attributes.get(name) or "false").strip()
        if value not in ("true", "false"):
            raise self.error(f"{name!r} of {self.kind} must be true or false, not {value!r}")
        return value == "true"

    def text(self) -> str:
        """Return all text inside, white space collapsed."""
        return " ".join(self._raw_text().split())

    def _raw_text(self) -> str:
        return "".join(child if isinstance(child, str) else child._raw_text() for child in self.children)

    def inner_xml(self) -> str:
        """Return the content as text with every namespace it needs."""
        return "".join(escape(child) if isinstance(child, str) else child.xml for child in self.children)

    def exemption(self) -> LintExemption:
        """Read `cs:lint-ignore="CODE CODE: reason"`; an exemption without a reason is an error."""
        codes, colon, why = self.attributes[LINT_IGNORE].partition(":")
        if not colon or not codes.split() or not why.strip():
            hint = 'write cs:lint-ignore="CODE: why it is right here"; several codes are separated by spaces'
            raise self.error(f"lint-ignore of {self.kind} does not give a code and a reason", hint=hint)
        return LintExemption(tuple(codes.split()), " ".join(why.split()), self.origin)

    def error(self, what: str, hint: str | None = None) -> RulesError:
        """Make an error that names this element's file and line."""
        return RulesError(what, file=self.origin.file, line=self.origin.line, hint=hint)


def read_rule_file(path: Path) -> bytes:
    """Return the bytes of a file of rules."""
    try:
        with path.open("rb") as stream:
            content = stream.read(RULE_FILE_BYTES + 1)
    except OSError as error:
        hint = "name one file of rules" if path.is_dir() else "check the path of the file of rules"
        raise RulesError(f"cannot read the file: {error.strerror or error}", file=str(path), hint=hint) from error
    if len(content) > RULE_FILE_BYTES:
        raise RulesError(f"larger than {RULE_FILE_BYTES >> 20} MB, the limit of a file of rules", file=str(path))
    return content


def read_element(data: bytes, path: Path) -> Element:
    """Turn the bytes of one XML file into elements; refuses a DOCTYPE, fetches no other file, decompresses nothing."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise _unreadable(path, data, error) from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise _doctype(path, data)
    return _Reader(str(path)).convert(root, path.parent)


def _unreadable(path: Path, data: bytes, error: etree.XMLSyntaxError) -> RulesError:
    if b"<!DOCTYPE" in data:
        return _doctype(path, data)
    if not data.strip():
        return RulesError("the file is empty", file=str(path), hint="write rules of Schematron, or name another file")
    return RulesError(f"not well-formed XML: {error.msg}", file=str(path), line=error.lineno or None)


def _doctype(path: Path, data: bytes) -> RulesError:
    at = data.find(b"<!DOCTYPE")
    line = data.count(b"\n", 0, at) + 1 if at >= 0 else None
    hint = "remove it, and write characters in place of entities"
    return RulesError("a rule file must not have a DOCTYPE", file=str(path), line=line, hint=hint)


@dataclass(slots=True)
class _Reader:
    file: str
    serial: Iterator[int] = field(default_factory=count)

    def convert(
        self, node: etree._Element, base: Path, path: tuple[str, ...] = (), language: str | None = None
    ) -> Element:
        """Convert a node; `path` holds the kinds of the elements around it, `language` is theirs."""
        line = _line(node)
        if len(path) > RULE_DEPTH:
            raise RulesError(f"elements are nested more than {RULE_DEPTH} deep", file=self.file, line=line)
        name = etree.QName(node)
        # The content of a let is data, whatever its namespace.
        is_ours = name.namespace in (ISO_NAMESPACE, OLD_NAMESPACE) and "let" not in path
        kind = name.localname if is_ours else ""
        attributes = {str(key).replace(_XML_PREFIX, "xml:"): str(value) for key, value in node.attrib.items()}
        if kind:
            attributes |= {name: attributes[name].strip() for name in _NAMES & attributes.keys()}
        base = _rebased(base, attributes.get("xml:base"))
        language = attributes.get("xml:lang", language)
        serial = next(self.serial)
        children: list[Element | str] = [node.text] if node.text else []
        for child in node:
            children.append(self.convert(child, base, (*path, kind), language))
            if child.tail:
                children.append(child.tail)
        return Element(
            kind=kind,
            tag=f"{{{ISO_NAMESPACE}}}{kind}" if kind else str(node.tag),
            attributes=attributes,
            children=tuple(children),
            origin=Origin(self.file, line),
            base=base,
            source=(self.file, serial),
            xml="" if kind or "" in path else etree.tostring(node, encoding="unicode", with_tail=False),
            language=language,
            prefixes=_prefixes(node) if not path or {"id", "xml:id"} & attributes.keys() else {},
        )


def _prefixes(node: etree._Element) -> dict[str, str]:
    return {prefix: uri for prefix, uri in node.nsmap.items() if prefix}


def _line(node: etree._Element) -> int:
    line: int | None = getattr(node, "sourceline", None)  # the stubs do not know its type
    return line or 1


def _rebased(base: Path, xml_base: str | None) -> Path:
    """Apply xml:base, whose last segment names a file unless it ends in a slash."""
    if not xml_base:
        return base
    parts = urlsplit(xml_base)
    if parts.scheme not in ("", "file"):
        return base
    path = unquote(parts.path)
    return base / path if path.endswith("/") else (base / path).parent
