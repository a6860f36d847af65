"""Lookups that ask only whether a value occurs in another document: keys, `some`, and paths with one equality.

Each is equivalent to the general comparison `value = path`: texts are compared, and an absent value is never found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from lxml import etree

from constraint_sdc.evaluate.expression import Call, Compare, Expression, If, Not, Outside, Sequence, Variable
from constraint_sdc.schematron.schema import Schema
from constraint_sdc.xpath.functions import is_at_most_one, is_one
from constraint_sdc.xpath.scope import Document, RefusedError, Scope, ScopeValue, extend
from constraint_sdc.xpath.syntax import (
    Binary,
    Constant,
    ContextItem,
    Filter,
    FunctionCall,
    LoopBinding,
    NotUnderstood,
    Path,
    Reference,
    Root,
    Step,
    Syntax,
    step_name,
    walk_syntax,
)
from constraint_sdc.xpath.xpath import parse_xpath

Translate: TypeAlias = Callable[[Syntax, Scope], ScopeValue]


def lookup(tree: Syntax, scope: Scope, value: Translate) -> Expression | None:
    """Return the comparison that is equivalent to a lookup, or None when the tree is not a lookup."""
    match tree:
        case FunctionCall("key", (Constant(str() as name), wanted, source)):
            return _by_key(name, wanted, source, scope, value)
        case LoopBinding("some", ((name, source),), Binary(op, left, right)) if op in ("=", "eq"):
            return _by_some(name, source, (left, right), scope, value)
        case Filter(base, Binary(op, left, right)) if op in ("=", "eq"):
            return _by_filter(base, None, (left, right), scope, value)
        case Path(left_path, Filter(Step() as step, Binary(op, left, right)), deep) if op in ("=", "eq") and step_name(
            step
        ):
            return _by_filter(left_path, (step, deep), (left, right), scope, value)
        case Binary(op, FunctionCall("count", (counted,)), Constant(int() as limit)):
            return _by_count(op, counted, limit, scope, value)
        case _:
            return None


def _by_key(name: str, wanted: Syntax, source: Syntax, scope: Scope, value: Translate) -> Expression:
    declared = scope.keys.get(name)
    if declared is None:
        raise RefusedError("the key is not declared with plain names", f"key('{name}')")
    document = value(source, scope)
    if not isinstance(document, Document):
        raise RefusedError("looks a key up in something that is not another document", source.text)
    return Compare("=", _text_value(wanted, scope, value), replace(declared, href=document.href))


def _by_some(
    name: str, source: Syntax, sides: tuple[Syntax, Syntax], scope: Scope, value: Translate
) -> Expression | None:
    origin = value(source, scope)
    if not isinstance(origin, Outside):
        return None
    for mine, other in (sides, sides[::-1]):
        if mine == Reference(name, "") and not any(part == mine for part in walk_syntax(other)):
            return Compare("=", _text_value(other, scope, value), origin)
    return None


def _by_filter(
    base: Syntax, last: tuple[Step, bool] | None, sides: tuple[Syntax, Syntax], scope: Scope, value: Translate
) -> Expression | None:
    try:
        origin = value(base, scope)
    except RefusedError:
        return None
    if isinstance(origin, Document | Outside) and last is not None:
        origin = extend(origin, step_name(last[0]) or "", deep=last[1], text=last[0].text)
    if not isinstance(origin, Outside):
        return None
    for mine, other in (sides, sides[::-1]):
        target = _inside(mine, origin)
        if target is not None:
            return Compare("=", _text_value(other, scope.at(None), value), target)
    return None


def _inside(tree: Syntax, origin: Outside) -> Outside | None:
    match tree:
        case ContextItem():
            return origin
        case Step() if (name := step_name(tree)) is not None:
            return extend(origin, name, deep=False, text=tree.text)
        case Path(left, Step() as step, False):
            inner = _inside(left, origin)
            return _inside(step, inner) if inner is not None else None
        case _:
            return None


def _by_count(op: str, counted: Syntax, limit: int, scope: Scope, value: Translate) -> Expression | None:
    found = lookup(counted, scope, value)
    if found is None:
        return None
    if (op, limit) in ((">", 0), (">=", 1), ("!=", 0), ("gt", 0), ("ge", 1), ("ne", 0)):
        return found
    if (op, limit) in (("=", 0), ("<", 1), ("<=", 0), ("eq", 0), ("lt", 1), ("le", 0)):
        return Not(found)
    raise RefusedError("counts how often a value occurs in another document", counted.text)


def _text_value(tree: Syntax, scope: Scope, value: Translate) -> Expression:
    """Return the value looked for; it must be compared as text, as a key and an untyped node are."""
    wanted = value(tree, scope)
    if isinstance(wanted, Variable) or (isinstance(wanted, Call) and wanted.name in ("string", "normalize-space")):
        return wanted
    raise RefusedError("looks up something other than a variable's own text", tree.text)


# `xsl:key` declarations that say no more than "these elements by this child": enough to look up another document.

_KEY = "{http://www.w3.org/1999/XSL/Transform}key"
_UNDERSTOOD = frozenset({"name", "match", "use"})


def plain_keys(schema: Schema, namespaces: Mapping[str, str]) -> dict[str, Outside]:
    """Return the schema's keys as paths whose document is still open; a key of any other shape is left out."""
    # A key that uses numbers or several values does not compare as texts do: only plain names are accepted.
    declared = [_parse(text) for text, _ in schema.foreign]
    keys = [element for element in declared if element is not None and element.tag == _KEY]
    counts = Counter(element.get("name") for element in keys)
    found: dict[str, Outside] = {}
    for element in keys:
        name = element.get("name") or ""
        path = _path(element, namespaces)
        if path is not None and counts[name] == 1:
            found[name] = path
    return found


def _parse(text: str) -> etree._Element | None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(text.encode("utf-8"), parser)
    except etree.XMLSyntaxError:
        return None


def _path(element: etree._Element, namespaces: Mapping[str, str]) -> Outside | None:
    if set(element.attrib) - _UNDERSTOOD or len(element):
        return None
    match = parse_xpath(element.get("match") or "", namespaces)
    use = parse_xpath(element.get("use") or "", namespaces)
    if isinstance(match, NotUnderstood) or isinstance(use, NotUnderstood):
        return None
    try:
        return _along(use, _along(match, None))
    except RefusedError:
        return None


def _along(tree: Syntax, origin: Outside | None) -> Outside:
    start: Document | Outside = origin if origin is not None else Document(None)
    match tree:
        case ContextItem() if origin is not None:
            return origin
        case Step():
            return extend(start, _name(tree), deep=origin is None, text=tree.text)
        case Path(Root(), Step() as step, deep) if origin is None:
            return extend(start, _name(step), deep=deep, text=tree.text)
        case Path(left, Step() as step, False):
            return extend(_along(left, origin), _name(step), deep=False, text=tree.text)
        case _:
            raise RefusedError("a key of this shape is not supported", tree.text)


def _name(step: Step) -> str:
    name = step_name(step)
    if name is None:
        raise RefusedError("a key of this shape is not supported", step.text)
    return name


# Fixed lists, unrolled: the items over which `every`, `some`, `for`, `!` and a slash iterate.


@dataclass(frozen=True, slots=True)
class ListItem:
    """One place in a fixed list; `optional` when the item may be absent."""

    value: Expression
    optional: bool


def fixed_items(source: Expression, text: str) -> tuple[ListItem, ...]:
    """Return the items of a list whose length does not depend on the record, except for absent ones."""
    parts = source.items if isinstance(source, Sequence) else (source,)
    for part in parts:
        if not is_at_most_one(part):
            raise RefusedError("iterates over a list whose length is not fixed", text)
    return tuple(ListItem(part, not is_one(part)) for part in parts)


def guarded(item: ListItem, result: Expression, skipped: Expression) -> Expression:
    """Return the body's result for an item, or what an absent item contributes."""
    return If(Call("exists", (item.value,)), result, skipped) if item.optional else result


def unordered_names(tree: Syntax) -> tuple[Expression, ...]:
    """Return the variables of a union `V1 | V2`, usable where neither order nor repetition matters; else ()."""
    names: dict[str, None] = {}
    rest: list[Syntax] = [tree] if isinstance(tree, Binary) and tree.op in ("|", "union") else []
    while rest:
        part = rest.pop(0)
        if isinstance(part, Binary) and part.op in ("|", "union"):
            rest[:0] = [part.left, part.right]
        elif isinstance(part, Step) and (name := step_name(part)) is not None:
            names[name] = None
        else:
            return ()
    return tuple(Variable(name) for name in names)
