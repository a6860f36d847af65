"""For each assertion a function from a node to what is said about it: subject, message, diagnostics, properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from constraint_sdc.model.schema import Assertion, MessagePart, Note, Origin, Rule
from constraint_sdc.validate.expressions import ERRORS, Author, ours, write_rule_variables
from constraint_sdc.validate.messages import SVRL, write_parts, written_names
from constraint_sdc.validate.sheet import Place, literal, quoted

_NOTHING = "function($node as node(), $item as item()) as map(*) { map{} }"


def write_details(author: Author, scopes: list[dict[str, str]], *, svrl: bool, guarded: bool) -> None:
    """Write the functions, and a variable that lists them by the assertion's number."""
    number = 0
    for scope, pattern in zip(scopes, author.schema.patterns, strict=True):
        for rule in pattern.rules:
            for assertion in rule.assertions:
                number += 1
                _write_detail(author, number, rule, assertion, scope, svrl=svrl, guarded=guarded)
    # The last function is never called: it keeps the type of the list known where there are no assertions.
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
                    text = f"'[the message cannot be evaluated: ' || $Q{{{ERRORS}}}description || ']'"
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
            entries["notes"] = _write_references(author, assertion, inner)
        else:
            entries["diagnostics"] = _write_diagnostics(author, assertion, inner)
        with sheet.element("xsl:map"):
            for key, select in entries.items():
                sheet.leaf("xsl:map-entry", {"key": quoted(key), "select": select})


@contextmanager
def visited_items(author: Author, rule: Rule, scope: Mapping[str, str]) -> Iterator[None]:
    """Write what follows for each item that the rule's `visit-each` selects; without one, for the node itself."""
    visited = rule.attribute("visit-each")
    if not visited:
        yield
        return
    place = Place(f"visit-each {visited!r}", rule.origin)
    select = {"select": author.expression(visited, rule.origin, scope)} | author.stated(rule.origin)
    with author.sheet.element("xsl:for-each", select, place):
        yield


def _write_subject(author: Author, rule: Rule, assertion: Assertion, scope: Mapping[str, str]) -> str:
    """Write the subject as a variable and return an expression for its first node, or for the node asked about."""
    own = assertion.attribute("subject")
    subject, origin = (own, assertion.origin) if own else (rule.attribute("subject"), rule.origin)
    if not subject:
        return f"(.[. instance of node()], ${ours('node')})[1]"
    author.variable_of(ours("subject"), subject, Place(f"subject {subject!r}", origin), scope)
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
    for index, note in enumerate(_named(author.schema.diagnostics, assertion.diagnostics)):
        text = _write_text(author, f"diagnostic{index}", note.parts, scope, note.origin)
        pairs.append(f"[{quoted(note.id)}, normalize-space(string({text}))]")
    return f"[{', '.join(pairs)}]"


def _write_references(author: Author, assertion: Assertion, scope: Mapping[str, str]) -> str:
    """Write diagnostics and properties as SVRL elements in a variable, and return the reference to it."""
    sheet = author.sheet
    diagnostics = _named(author.schema.diagnostics, assertion.diagnostics)
    properties = _named(author.schema.properties, assertion.properties)
    with sheet.element("xsl:variable", {"name": ours("notes"), "as": "element()*"}):
        for kind, notes in (("diagnostic", diagnostics), ("property", properties)):
            for note in notes:
                own = tuple(pair for pair in note.attributes if pair[0] in ("role", "scheme"))
                said = tuple(pair for pair in note.attributes if pair not in own)
                head = {"xmlns:svrl": SVRL, kind: literal(note.id)} | written_names(own)
                with sheet.element(f"svrl:{kind}-reference", head), sheet.element("svrl:text", written_names(said)):
                    write_parts(author, note.parts, scope, note.origin)
    return f"${ours('notes')}"


def _named(notes: tuple[Note, ...], ids: tuple[str, ...]) -> list[Note]:
    by_id = {note.id: note for note in notes}
    return [by_id[name] for name in ids if name in by_id]
