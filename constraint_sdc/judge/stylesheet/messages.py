"""For each assertion a function from a node to its report: subject, message, diagnostics, properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import assert_never

from constraint_sdc.judge.stylesheet.expressions import ERRORS, Author, ours, write_rule_variables
from constraint_sdc.judge.stylesheet.foreign import confine_attribute
from constraint_sdc.judge.stylesheet.levels import note_levels
from constraint_sdc.judge.stylesheet.sheet import SheetPlace, literal, quoted
from constraint_sdc.judge.stylesheet.xpath1_numbers import TEXT
from constraint_sdc.schematron.schema import (
    Assertion,
    MarkupPart,
    MessagePart,
    NamePart,
    Origin,
    Rule,
    TextPart,
    ValuePart,
)
from constraint_sdc.schematron.xslt import refuse_strange, xslt_name
from constraint_sdc.xpath.tokens import rename_variables

# Messages, diagnostics and properties as XSLT: their text with values, and their mark-up.

SVRL = "http://purl.oclc.org/dsdl/svrl"
_SCHEMATRON = ("http://purl.oclc.org/dsdl/schematron", "http://www.ascc.net/xml/schematron")
_SVRL_NAMES = {("dir", "value"): "dir"}
_XML = "http://www.w3.org/XML/1998/namespace"


def write_parts(author: Author, parts: tuple[MessagePart, ...], scope: Mapping[str, str], origin: Origin) -> None:
    """Write the parts of a message as a sequence constructor."""
    for part in parts:
        match part:
            case TextPart(text):
                author.sheet.text(text)
            case ValuePart(select, where):
                _write_value(author, select, where, scope)
            case NamePart(path, where):
                _write_name(author, path, where, scope)
            case MarkupPart():
                _write_markup(author, part, scope, origin)
            case _:
                assert_never(part)


def _write_value(author: Author, select: str, origin: Origin, scope: Mapping[str, str]) -> None:
    place = SheetPlace(f"value-of select={select!r}", origin)
    if not author.schema.is_xpath1:
        author.leaf("xsl:value-of", "select", select, place, scope)
        return
    name = ours("value")
    author.variable_of(name, select, place, scope)
    author.sheet.leaf("xsl:value-of", {"select": f"{TEXT}(${name})", "version": author.version})


def _write_name(author: Author, path: str | None, origin: Origin, scope: Mapping[str, str]) -> None:
    if path is None:
        author.sheet.leaf("xsl:value-of", {"select": "name()", "version": author.our_version})
        return
    # The path has a variable of its own, so that it is compiled separately and a mistake in it stays local.
    name = ours("named")
    author.variable_of(name, path, SheetPlace(f"name path={path!r}", origin), scope)
    author.sheet.leaf("xsl:value-of", {"select": f"{ours('name')}(${name})", "version": author.our_version})


def _write_markup(author: Author, part: MarkupPart, scope: Mapping[str, str], origin: Origin) -> None:
    refuse_strange(part.name, (key for key, _ in part.attributes), origin)
    uri, name = split_clark(part.name)
    if xslt_name(part.name):
        _write_instruction(author, name, part, scope, origin)
        return
    attributes = part.attributes
    if uri in _SCHEMATRON:
        uri = SVRL
        attributes = tuple((_SVRL_NAMES.get((name, key), key), value) for key, value in attributes)
    with author.sheet.element(name, {"xmlns": uri} | written_names(attributes), SheetPlace(f"<{name}>", origin)):
        write_parts(author, part.parts, scope, origin)


def _write_instruction(author: Author, name: str, part: MarkupPart, scope: Mapping[str, str], origin: Origin) -> None:
    """Write an XSLT instruction without the white-space-only text inside it (xsl:choose must not have any)."""
    attributes = _instruction(author, name, part.attributes, scope, origin)
    texts = [piece.text for piece in part.parts if isinstance(piece, TextPart)]
    if name == "text" and len(texts) == len(part.parts):
        author.sheet.text("".join(texts))
        return
    inside = tuple(piece for piece in part.parts if not isinstance(piece, TextPart) or piece.text.strip())
    with author.sheet.element(f"xsl:{name}", attributes, SheetPlace(f"<xsl:{name}>", origin)):
        write_parts(author, inside, scope, origin)


def _instruction(
    author: Author, name: str, attributes: tuple[tuple[str, str], ...], scope: Mapping[str, str], origin: Origin
) -> dict[str, str | None]:
    written: dict[str, str | None] = author.stated(origin)
    for key, value in attributes:
        confined = confine_attribute(name, key, value, origin, author.namespaces)
        author.note(confined)
        written[key] = rename_variables(confined.text, scope)
    return written


def written_names(attributes: tuple[tuple[str, str], ...]) -> dict[str, str | None]:
    """Return attributes for a literal element: Clark names become prefixed ones, values are escaped."""
    written: dict[str, str | None] = {}
    for index, (clark, value) in enumerate(attributes):
        uri, name = split_clark(clark)
        if clark.startswith("xml:"):
            name = clark
        elif uri == _XML:
            name = f"xml:{name}"
        elif uri:
            written[f"xmlns:n{index}"] = uri
            name = f"n{index}:{name}"
        written[name] = literal(value)
    return written


def split_clark(name: str) -> tuple[str, str]:
    """Split a Clark name.

    >>> split_clark("{urn:a}b"), split_clark("b")
    (('urn:a', 'b'), ('', 'b'))
    """
    if not name.startswith("{"):
        return "", name
    uri, _, local = name[1:].partition("}")
    return uri, local


_NOTHING = "function($node as node(), $item as item()) as map(*) { map{} }"


def write_details(
    author: Author, scopes: list[dict[str, str]], *, svrl: bool, guarded: bool, hides: bool = False
) -> None:
    """Write the functions, and a variable that lists them by the assertion's number; `hides` if errors are not told."""
    number = 0
    for scope, pattern in zip(scopes, author.schema.patterns, strict=True):
        for rule in pattern.rules:
            for assertion in rule.assertions:
                number += 1
                _write_detail(author, number, rule, assertion, scope, svrl=svrl, guarded=guarded, hides=hides)
    # The last function is never called: it gives the list a known type when there are no assertions.
    functions = ", ".join([*(f"{ours(f'detail{n + 1}')}#2" for n in range(number)), _NOTHING])
    author.sheet.leaf("xsl:variable", {"name": ours("details"), "as": "function(*)*", "select": f"({functions})"})


def _write_detail(
    author: Author,
    number: int,
    rule: Rule,
    assertion: Assertion,
    scope: Mapping[str, str],
    *,
    svrl: bool,
    guarded: bool,
    hides: bool,
) -> None:
    sheet = author.sheet
    node = ours("node")
    with sheet.element("xsl:function", {"name": ours(f"detail{number}"), "as": "map(*)"}):
        sheet.leaf("xsl:param", {"name": node, "as": "node()"})
        sheet.leaf("xsl:param", {"name": ours("item"), "as": "item()"})
        with sheet.element("xsl:for-each", {"select": f"${node}"}):
            if not guarded:
                _write_body(author, rule, assertion, scope, svrl=svrl)
                return
            with sheet.element("xsl:try"):
                _write_body(author, rule, assertion, scope, svrl=svrl)
                with sheet.element("xsl:catch", {"errors": "*"}):
                    why = "'[hidden]'" if hides else f"$Q{{{ERRORS}}}description"
                    text = f"'[the message cannot be evaluated: ' || {why} || ']'"
                    empty = "'notes': ()" if svrl else "'diagnostics': []"
                    sheet.leaf("xsl:sequence", {"select": f"map{{'subject': ${node}, 'text': {text}, {empty}}}"})


def _write_body(author: Author, rule: Rule, assertion: Assertion, scope: Mapping[str, str], *, svrl: bool) -> None:
    sheet = author.sheet
    inner = write_rule_variables(author, rule.lets, scope)
    with sheet.element("xsl:for-each", {"select": f"${ours('item')}"}):
        subject = _write_subject(author, rule, assertion, inner)
        text = _write_text(author, "text", assertion.parts, inner, assertion.origin)
        entries = {"subject": subject, "text": text if svrl else f"normalize-space(string({text}))"}
        if svrl:
            entries["notes"] = _write_references(author, rule, assertion, inner)
        else:
            entries["diagnostics"] = _write_diagnostics(author, assertion, inner)
        with sheet.element("xsl:map"):
            for key, select in entries.items():
                sheet.leaf("xsl:map-entry", {"key": quoted(key), "select": select})


@contextmanager
def visited_items(author: Author, rule: Rule, scope: Mapping[str, str]) -> Iterator[None]:
    """Write the body for each item that the rule's `visit-each` selects; without one, for the node itself."""
    visited = rule.attribute("visit-each")
    if not visited:
        yield
        return
    place = SheetPlace(f"visit-each {visited!r}", rule.origin)
    select = {"select": author.expression(visited, rule.origin, scope)} | author.stated(rule.origin)
    with author.sheet.element("xsl:for-each", select, place):
        yield


def _write_subject(author: Author, rule: Rule, assertion: Assertion, scope: Mapping[str, str]) -> str:
    """Write the subject as a variable and return an expression for its first node, or for the tested node."""
    own = assertion.attribute("subject")
    subject, origin = (own, assertion.origin) if own else (rule.attribute("subject"), rule.origin)
    if not subject:
        return f"(.[. instance of node()], ${ours('node')})[1]"
    author.variable_of(ours("subject"), subject, SheetPlace(f"subject {subject!r}", origin), scope)
    return f"(${ours('subject')}[. instance of node()], ${ours('node')})[1]"


def _write_text(
    author: Author, name: str, parts: tuple[MessagePart, ...], scope: Mapping[str, str], origin: Origin
) -> str:
    """Write a message as a variable that holds it as a tree, and return the reference to it."""
    with (
        author.sheet.element("xsl:variable", {"name": ours(name), "as": "document-node()"}),
        author.sheet.element("xsl:document"),
    ):
        write_parts(author, parts, scope, origin)
    return f"${ours(name)}"


def _write_diagnostics(author: Author, assertion: Assertion, scope: Mapping[str, str]) -> str:
    """Write the diagnostics as variables and return an array of [id, text]."""
    pairs = []
    for index, note in enumerate(author.schema.diagnostics_of(assertion)):
        text = _write_text(author, f"diagnostic{index}", note.parts, scope, note.origin)
        pairs.append(f"[{quoted(note.id)}, normalize-space(string({text}))]")
    return f"[{', '.join(pairs)}]"


def _write_references(author: Author, rule: Rule, assertion: Assertion, scope: Mapping[str, str]) -> str:
    """Write diagnostics and properties as SVRL elements in a variable, and return the reference to it."""
    sheet = author.sheet
    diagnostics = author.schema.diagnostics_of(assertion)
    properties = author.schema.properties_of(assertion)
    with sheet.element("xsl:variable", {"name": ours("notes"), "as": "element()*"}):
        for kind, notes in (("diagnostic", diagnostics), ("property", properties)):
            for note in notes:
                own = tuple(pair for pair in note.attributes if pair[0] in ("role", "scheme"))
                said = tuple(pair for pair in note.attributes if pair not in own)
                computed = dict(note_levels(author, note, rule, scope))
                head = {"xmlns:svrl": SVRL, kind: literal(note.id)} | written_names(own) | computed
                with sheet.element(f"svrl:{kind}-reference", head), sheet.element("svrl:text", written_names(said)):
                    write_parts(author, note.parts, scope, note.origin)
    return f"${ours('notes')}"
