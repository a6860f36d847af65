"""Lookups in other documents that only ask "is it there": keys, `some`, and paths with one equality in brackets.

Each of them is the general comparison `value = path`: texts are compared, and nothing is found for an absent value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from constraint_sdc.model.expression import Call, Compare, Expression, Not, Outside, Variable
from constraint_sdc.rules.scope import Document, RefusedError, Scope, Value, extend
from constraint_sdc.rules.syntax import (
    Binary,
    Binding,
    Constant,
    ContextItem,
    Filter,
    FunctionCall,
    Path,
    Reference,
    Step,
    Syntax,
    step_name,
    walk_syntax,
)

Translate: TypeAlias = Callable[[Syntax, Scope], Value]


def lookup(tree: Syntax, scope: Scope, value: Translate) -> Expression | None:
    """Return the comparison that a lookup amounts to, or None when the tree is no lookup."""
    match tree:
        case FunctionCall("key", (Constant(str() as name), wanted, source)):
            return _by_key(name, wanted, source, scope, value)
        case Binding("some", ((name, source),), Binary(op, left, right)) if op in ("=", "eq"):
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
