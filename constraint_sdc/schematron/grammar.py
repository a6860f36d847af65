"""Which elements and attributes Schematron knows, over all editions, so that a misspelt one is an error.

The tables are the union of 1.5, 1.6 and ISO 2006, 2016, 2020 and 2025. Order is not checked: no edition gives it a
meaning. Elements and attributes of other namespaces are free everywhere, as the standard says.
"""

from __future__ import annotations

from difflib import get_close_matches

from constraint_sdc.schematron.element import LINT_IGNORE, MAY_BE_IDLE, OUR_NAMESPACE, RULE_ORIGIN, Element

_MARKED = ("pattern", "group", "rule", "assert", "report")
_RICH = ("icon", "see", "fpi")
_LEVEL = ("role", "flag", "severity")
_ASSERTION = ("test", "id", "diagnostics", "properties", "subject", *_LEVEL, *_RICH)
_PATTERN = ("id", "name", "abstract", "is-a", "documents", *_LEVEL, *_RICH)
_INLINE = ("emph", "dir", "span")
_MESSAGE = ("name", "value-of", *_INLINE)
_BRING_IN = ("include", "extends")

_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "schema": (
        *("id", "schemaVersion", "defaultPhase", "queryBinding", "schematronEdition"),
        *("version", "ns"),  # 1.5
        *_RICH,
    ),
    "library": ("id", "schemaVersion", "schematronEdition", "queryBinding", *_RICH),
    "phase": ("id", "name", "from", "when", *_RICH),
    "active": ("pattern",),
    "pattern": _PATTERN,
    "group": _PATTERN,
    "rules": ("id", *_RICH),
    "rule": ("id", "name", "context", "abstract", "subject", "visit-each", *_LEVEL, *_RICH),
    "assert": _ASSERTION,
    "report": _ASSERTION,
    "let": ("name", "value", "as"),
    "param": ("name", "value", "as", "formal", "actual"),  # formal and actual: 1.6
    "ns": ("prefix", "uri"),
    "include": ("href",),
    "extends": ("rule", "href"),
    "key": ("name", "match", "path", "use", "icon"),
    "diagnostics": ("id", *_RICH),
    "diagnostic": ("id", "role", *_RICH),
    "properties": ("id", *_RICH),
    "property": ("id", "role", "scheme", *_RICH),
    "title": ("id", "class"),
    "p": ("id", "class", "icon"),
    "emph": ("class",),
    "dir": ("value", "class"),
    "span": ("class",),
    "name": ("path",),
    "value-of": ("select",),
}

_PATTERN_CONTENT = ("title", "p", "let", "param", "rule", "key", *_BRING_IN)
_SCHEMA_CONTENT = (
    *("title", "p", "ns", "let", "param", "phase", "pattern", "group", "rules", "key"),
    *("diagnostics", "properties", *_BRING_IN),
)
_CONTENT: dict[str, tuple[str, ...]] = {
    "schema": _SCHEMA_CONTENT,
    "library": _SCHEMA_CONTENT,
    "phase": ("title", "p", "let", "active", *_BRING_IN),
    "active": _INLINE,
    "pattern": _PATTERN_CONTENT,
    "group": _PATTERN_CONTENT,
    "rules": ("title", "p", "rule", *_BRING_IN),
    "rule": ("title", "p", "let", "assert", "report", "key", *_BRING_IN),
    "assert": _MESSAGE,
    "report": _MESSAGE,
    "diagnostics": ("title", "p", "diagnostic", *_BRING_IN),
    "diagnostic": _MESSAGE,
    "properties": ("title", "p", "property", *_BRING_IN),
    "property": _MESSAGE,
    "title": _INLINE,
    "p": _INLINE,
    "emph": _MESSAGE,
    "dir": _MESSAGE,
    "span": _MESSAGE,
}

_REQUIRED: dict[str, tuple[str, ...]] = {
    "phase": ("id",),
    "active": ("pattern",),
    "assert": ("test",),
    "report": ("test",),
    "let": ("name",),
    "ns": ("prefix", "uri"),
    "include": ("href",),
    "key": ("name",),
    "diagnostic": ("id",),
    "property": ("id",),
    "value-of": ("select",),
}


def check_grammar(element: Element) -> None:
    """Raise an error at the first element or attribute that no edition of Schematron allows where it stands."""
    _check_attributes(element)
    for name in _REQUIRED.get(element.kind, ()):
        element.require(name)
    if element.kind in ("rule", "pattern", "group"):
        _check_abstract(element)
    for child in element.elements():
        if child.kind:
            _check_place(child, element)
            check_grammar(child)


def _check_attributes(element: Element) -> None:
    _check_marks(element)
    known = _ATTRIBUTES[element.kind]
    for name in element.attributes:
        if name not in known and not name.startswith(("{", "xml:")):
            raise element.error(f"{element.kind} has no attribute {name!r}", hint=_did_you_mean(name, known))


def _check_marks(element: Element) -> None:
    """Raise an error at an attribute of our own namespace that is misspelt or has no effect where it stands."""
    for name in element.attributes:
        if name == MAY_BE_IDLE and element.kind in _MARKED:
            element.flag(name)
        elif name == RULE_ORIGIN and element.kind == "pattern":
            continue
        elif name == LINT_IGNORE and element.kind in _MARKED:
            element.exemption()
        elif name.startswith(f"{{{OUR_NAMESPACE}}}"):
            local = name.rpartition("}")[2]
            hint = f"{OUR_NAMESPACE} has may-be-idle and lint-ignore, on {', '.join(_MARKED)}, and origin, on pattern"
            raise element.error(f"{element.kind} has no attribute {local!r} in {OUR_NAMESPACE}", hint=hint)


def _check_place(child: Element, parent: Element) -> None:
    if child.kind not in _ATTRIBUTES:
        known = tuple(_ATTRIBUTES)
        raise child.error(f"Schematron has no element {child.kind!r}", hint=_did_you_mean(child.kind, known))
    if child.kind not in _CONTENT.get(parent.kind, ()):
        hint = "include its content with <extends href=...>" if child.kind in ("schema", "library") else None
        raise child.error(f"{child.kind} is not allowed inside {parent.kind}", hint=hint)


def _check_abstract(element: Element) -> None:
    is_abstract = element.flag("abstract")
    if is_abstract:
        if not (element.get("id") or "").strip():
            raise element.error(f"an abstract {element.kind} has no 'id' attribute")
        for name in ("context", "is-a"):
            if name in element.attributes:
                raise element.error(f"an abstract {element.kind} must not have a {name!r} attribute")
    elif element.kind == "rule":
        element.require("context")


def _did_you_mean(word: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(word, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
