"""XSLT elements at the top of a schema (`xsl:key`, `xsl:function`, ...), and the `key` element of Schematron 1.5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import quoteattr

from constraint_sdc.model.schema import Origin
from constraint_sdc.rules.schematron.element import XSLT_NAMESPACE, Element

_KEPT = frozenset({"key", "function", "variable", "param", "accumulator", "decimal-format", "character-map"})
_OTHER_FILES = frozenset({"include", "import", "import-schema", "use-package"})
_CONTAINERS = ("pattern", "group", "rules", "rule", "phase", "diagnostics", "properties")


def foreign_declarations(schema: Element, concrete: Sequence[Element]) -> tuple[tuple[str, Origin], ...]:
    """Return the schema's XSLT declarations as text, then the keys of 1.5 in the schema and its concrete patterns.

    Elements of any other namespace are documentation and have no effect, as the standard says. An XSLT element that we
    cannot honour is an error, because a rule may rely on it.
    """
    return (*_declarations(schema), *_keys(schema, concrete))


def _declarations(schema: Element) -> Iterator[tuple[str, Origin]]:
    for child in schema.elements(""):
        if _xslt_name(child):
            _check_honoured(child)
            yield child.xml, child.origin
    for element in schema.walk():
        for child in element.elements("") if element.kind in _CONTAINERS else ():
            if _xslt_name(child):
                raise child.error(f"xsl:{_xslt_name(child)} must stand directly under schema")


def _keys(schema: Element, concrete: Sequence[Element]) -> Iterator[tuple[str, Origin]]:
    rules = (rule for pattern in concrete for rule in pattern.elements("rule"))
    for parent in (schema, *concrete, *rules):
        for key in parent.elements("key"):
            yield _key(key, parent), key.origin


def declared_variables(schema: Element) -> frozenset[str]:
    """Return the names of the XSLT variables and parameters declared at the top of the schema."""
    return frozenset(
        e.attributes.get("name", "") for e in schema.elements("") if _xslt_name(e) in ("variable", "param")
    )


def _xslt_name(element: Element) -> str:
    namespace, _, name = element.tag.rpartition("}")
    return name if namespace == "{" + XSLT_NAMESPACE else ""


def _check_honoured(element: Element) -> None:
    name = _xslt_name(element)
    if name in _OTHER_FILES:
        hint = "copy what the rules need into the schema, or bring in Schematron with <include> or <extends>"
        raise element.error(f"xsl:{name} is refused: a schema must not load other stylesheets", hint=hint)
    if name not in _KEPT and not (name == "template" and "name" in element.attributes):
        known = ", ".join(f"xsl:{word}" for word in sorted(_KEPT))
        raise element.error(f"xsl:{name} at the top of a schema is not supported", hint=f"supported: {known}")


def _key(key: Element, parent: Element) -> str:
    """Write `<key name path>` of 1.5, whose nodes are those of the rule around it, or 1.6's with its own `match`."""
    match = key.get("match") or parent.get("context")
    use = key.get("path") or key.get("use")
    if match is None or use is None:
        raise key.error("key needs a 'path', and outside a rule also a 'match'")
    attributes = {"name": key.require("name"), "match": match, "use": use}
    written = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    return f'<xsl:key xmlns:xsl="{XSLT_NAMESPACE}" {written}/>'
