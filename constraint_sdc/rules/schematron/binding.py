"""`queryBinding`: the query language in which a schema's tests are written."""

from __future__ import annotations

from constraint_sdc.model.schema import Binding
from constraint_sdc.rules.schematron.element import Element

# A binding to XPath alone runs under the XSLT of the same generation, which knows all of it.
_BINDINGS: dict[str, Binding] = {
    "xslt": "xslt1",
    "xslt1": "xslt1",
    "xslt2": "xslt2",
    "xslt3": "xslt3",
    "xpath": "xslt1",
    "xpath1": "xslt1",
    "xpath2": "xslt2",
    "xpath3": "xslt3",
    "xpath31": "xslt3",
}


def read_binding(schema: Element) -> Binding:
    """Return the schema's binding; the standard's default is XSLT 1.0, and letter case does not count."""
    written = schema.get("queryBinding")
    if written is None:
        return "xslt1"
    binding = _BINDINGS.get(written.strip().lower())
    if binding is None:
        raise schema.error(f"unknown queryBinding {written!r}", hint=f"use one of: {', '.join(_BINDINGS)}")
    return binding
