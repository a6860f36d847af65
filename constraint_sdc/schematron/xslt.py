"""Which XSLT a schema may contain: elements and attributes by a list; everything else is refused.

The standard's bindings admit `xsl:key` and `xsl:function` at the top of a schema, the edition of 2025 also
`xsl:accumulator`, and `xsl:copy-of` in content. Inside a function, the content of a variable and a message, the
instructions that compute a value from values are admitted. What is left out could reach the judge itself: templates and
modes take nodes from rules, `use-when`, `version` and attributes such as `_test` decide what is compiled, `xsl:message`
speaks on the judge's own channel, `xsl:assert` does nothing. An element that a later version of XSLT adds is refused
too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.errors import ConstraintSdcError, ResourceRefusedError, RulesError
from constraint_sdc.schematron.element import XSLT_NAMESPACE, Element
from constraint_sdc.schematron.schema import Origin, Schema

JUDGE = "urn:constraint-sdc:judge:internal"
"""The namespace of everything that the judge adds to a stylesheet; no rule may mention it."""

AttributeContent: TypeAlias = OneOf["expression", "template", "name", "plain"]
"""What an attribute holds: XPath, text with XPath in braces, the name of a declaration, or text of a fixed meaning."""

# fmt: off
_NUMBER: dict[str, AttributeContent] = {
    "value": "expression", "select": "expression", "count": "expression", "from": "expression", "level": "plain",
    "format": "template", "lang": "template", "letter-value": "template", "ordinal": "template",
    "start-at": "template", "grouping-separator": "template", "grouping-size": "template",
}
_DECLARATIONS: dict[str, dict[str, AttributeContent]] = {
    "key": {"name": "name", "match": "expression", "use": "expression", "composite": "plain"},
    "function": {"name": "name", "as": "plain"},
    "accumulator": {"name": "name", "as": "plain", "initial-value": "expression"},
}
_INSTRUCTIONS: dict[str, dict[str, AttributeContent]] = {
    "accumulator-rule": {"match": "expression", "phase": "plain", "select": "expression"},
    "analyze-string": {"select": "expression", "regex": "template", "flags": "template"},
    "attribute": {"name": "template", "namespace": "template", "select": "expression", "separator": "template"},
    "break": {"select": "expression"},
    "catch": {"errors": "plain", "select": "expression"},
    "choose": {},
    "comment": {"select": "expression"},
    "copy": {"select": "expression", "copy-namespaces": "plain"},
    "copy-of": {"select": "expression", "copy-namespaces": "plain"},
    "document": {},
    "element": {"name": "template", "namespace": "template"},
    "for-each": {"select": "expression"},
    "for-each-group": {
        "select": "expression", "group-by": "expression", "group-adjacent": "expression",
        "group-starting-with": "expression", "group-ending-with": "expression", "composite": "plain",
    },
    "if": {"test": "expression"},
    "iterate": {"select": "expression"},
    "map": {},
    "map-entry": {"key": "expression", "select": "expression"},
    "matching-substring": {},
    "next-iteration": {},
    "non-matching-substring": {},
    "number": _NUMBER,
    "on-completion": {"select": "expression"},
    "otherwise": {},
    "param": {"name": "name", "as": "plain", "select": "expression"},
    "perform-sort": {"select": "expression"},
    "processing-instruction": {"name": "template", "select": "expression"},
    "sequence": {"select": "expression"},
    "sort": {
        "select": "expression", "order": "template", "data-type": "template", "case-order": "template",
        "lang": "template", "stable": "template",
    },
    "text": {},
    "try": {"select": "expression"},
    "value-of": {"select": "expression", "separator": "template"},
    "variable": {"name": "name", "as": "plain", "select": "expression"},
    "when": {"test": "expression"},
    "with-param": {"name": "name", "as": "plain", "select": "expression"},
}
_OTHER_FILES = frozenset({"include", "import", "import-schema", "use-package"})
_OUTSIDE = frozenset({"evaluate", "result-document", "source-document", "stream", "merge"})
_WAYS_OUT = {
    "variable": "write it as <let name=... value=...>",
    "param": "write it as <let name=... value=...>",
    "template": "write it as xsl:function",
    "call-template": "write the template as xsl:function and call that",
    "message": "remove it: nobody would see it",
    "assert": "remove it: write an <assert> of Schematron",
    "decimal-format": "remove it: use translate() on the result of format-number()",
} | dict.fromkeys(
    _OTHER_FILES, "copy what the rules need into the schema, or include Schematron with <include> or <extends>"
)
# fmt: on
_FUNCTIONS = "http://www.w3.org/2005/xpath-functions"
_RESERVED = (
    *(_FUNCTIONS, f"{_FUNCTIONS}/math", f"{_FUNCTIONS}/map", f"{_FUNCTIONS}/array"),
    *("http://www.w3.org/2001/XMLSchema", "http://www.w3.org/2001/XMLSchema-instance", XSLT_NAMESPACE),
    *("http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2005/xqt-errors", "http://saxon.sf.net/"),
)
_BRACED = re.compile(r"\s*Q\{\s*([^{}]*?)\s*\}")


def xslt_name(tag: str) -> str:
    """Return the local name of an element of XSLT, or the empty string for any other.

    >>> xslt_name("{http://www.w3.org/1999/XSL/Transform}key"), xslt_name("key")
    ('key', '')
    """
    namespace, _, name = tag.rpartition("}")
    return name if namespace == "{" + XSLT_NAMESPACE else ""


def what_is_written(instruction: str, attribute: str) -> AttributeContent:
    """Return what an admitted attribute of an admitted element holds."""
    return (_DECLARATIONS | _INSTRUCTIONS)[instruction][attribute]


def refuse_strange(tag: str, attributes: Iterable[str], origin: Origin, *, is_declaration: bool = False) -> None:
    """Refuse an element in foreign content, or an attribute of it, that is not in the list; names are Clark names.

    An element of another namespace than XSLT is data, and so are its attributes, unless they are XSLT's own.
    """
    name = xslt_name(tag)
    known = _DECLARATIONS if is_declaration else _INSTRUCTIONS
    if name and name not in known:
        raise _not_admitted(name, origin, known, is_declaration)
    for attribute in attributes:
        if (name and attribute not in known[name]) or xslt_name(attribute):
            shown = f"xsl:{name}" if name else f"<{tag.rpartition('}')[2]}>"
            told = f"xsl:{xslt_name(attribute)}" if xslt_name(attribute) else attribute
            listed = f"it may have: {', '.join(known[name]) or 'none'}" if name else "remove the attribute"
            what = f"{shown} in rules must not have the attribute {told!r}"
            raise RulesError(what, file=origin.file, line=origin.line, hint=listed)


def _not_admitted(name: str, origin: Origin, known: Mapping[str, object], is_declaration: bool) -> ConstraintSdcError:
    kind = ResourceRefusedError if name in _OUTSIDE else RulesError
    place = "at the top of a schema" if is_declaration else "in rules"
    hint = _WAYS_OUT.get(name, f"admitted: {', '.join(f'xsl:{word}' for word in known)}")
    return kind(f"xsl:{name} is not allowed {place}", file=origin.file, line=origin.line, hint=hint)


def refuse_taken_name(name: str, scope: Mapping[str, str], origin: Origin) -> None:
    """Refuse the name of a function in a namespace of the language, where it could take the place of another."""
    braced = _BRACED.match(name)
    uri = braced[1] if braced else scope.get(name.partition(":")[0].strip(), "") if ":" in name else ""
    if uri in _RESERVED:
        what = f"function {name!r} has a name in {uri}, which belongs to the language"
        raise RulesError(what, file=origin.file, line=origin.line, hint="use a namespace of your own")


# Two places check: when a file is read, which knows every line, and when the stylesheet is written, which sees the
# text after the parameters of abstract patterns were put in.


def check_xslt(root: Element) -> None:
    """Refuse XSLT that is not admitted, wherever it would have an effect: declarations, variables, messages."""
    for child in root.elements(""):
        if xslt_name(child.tag):
            _check_foreign(child, is_declaration=True)
    for element in root.walk():
        for child in element.elements("") if element.kind in _WITH_CONTENT else ():
            _check_foreign(child)


_WITH_CONTENT = frozenset({"let", "assert", "report", "diagnostic", "property", "emph", "dir", "span"})


def _check_foreign(element: Element, *, is_declaration: bool = False) -> None:
    refuse_strange(element.tag, element.attributes, element.origin, is_declaration=is_declaration)
    for child in element.elements():
        if not child.kind:
            _check_foreign(child)


def refuse_our_names(schema: Schema) -> None:
    """Refuse a schema in which the judge's own namespace occurs anywhere, be it in a name, an expression or a text.

    A call or a variable of the judge's can be written only with it: what looks a name up while it runs is closed.
    """
    whole: list[tuple[object, Origin]] = [((schema.namespaces, schema.attributes), schema.origin)]
    whole += [(parameter, parameter.origin) for parameter in schema.parameters]
    whole += [(let, let.origin) for let in schema.lets]
    whole += [(note, note.origin) for note in (*schema.diagnostics, *schema.properties)]
    whole += schema.foreign
    for pattern in schema.patterns:
        whole.append(((pattern.documents, pattern.lets, pattern.attributes), pattern.origin))
        for rule in pattern.rules:
            whole.append(((rule.context, rule.lets, rule.attributes), rule.origin))
            whole += [(assertion, assertion.origin) for assertion in rule.assertions]
    for part, origin in whole:
        if JUDGE in repr(part):
            what = f"{JUDGE} is the judge's own namespace, and rules must not mention it"
            raise RulesError(what, file=origin.file, line=origin.line, hint="use a namespace of your own")
