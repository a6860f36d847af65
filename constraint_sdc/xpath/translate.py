"""Translate syntax to expressions: the same computation in the same order, or a reason why not.

Nothing is simplified here. A path that names a variable of the record becomes that variable; fixed lists are unrolled
with a guard for absent elements, because XPath does not iterate over absent nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from constraint_sdc.evaluate.expression import (
    EMPTY,
    FALSE,
    TRUE,
    And,
    Arithmetic,
    Call,
    Castable,
    Compare,
    CompareOp,
    Expression,
    If,
    Literal,
    Negate,
    Not,
    Or,
    Outside,
    Sequence,
    Variable,
)
from constraint_sdc.xpath.functions import IMPLICIT, PURE, can_fail, is_predicate, is_too_large
from constraint_sdc.xpath.lookups import ListItem, fixed_items, guarded, lookup, unordered_names
from constraint_sdc.xpath.scope import AtRoot, Document, Here, RefusedError, Scope, ScopeValue, resolve_href, take_step
from constraint_sdc.xpath.syntax import (
    Binary,
    Conditional,
    Constant,
    ContextItem,
    Filter,
    Foreign,
    FunctionCall,
    Listing,
    LoopBinding,
    NotUnderstood,
    Path,
    Reference,
    Root,
    Step,
    Syntax,
    TypeOperation,
    Unary,
)
from constraint_sdc.xpath.xpath import parse_xpath

GENERAL: dict[str, CompareOp] = {"=": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
VALUE: dict[str, CompareOp] = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
LOOKS_AROUND = "looks outside its own record"
_LONGEST_RANGE = 1000
# What an absent item contributes.
_SKIPPED: dict[str, Expression] = {"every": TRUE, "some": FALSE, "for": EMPTY}


def translate(text: str, scope: Scope, namespaces: Mapping[str, str]) -> Expression | NotUnderstood:
    """Translate one XPath test, of which only the effective boolean value matters.

    >>> from constraint_sdc.xpath.scope import record_scope
    >>> translate("./V1 + 1", record_scope("."), {})
    Arithmetic(op='+', left=Variable(name='V1'), right=Literal(value=1))
    """
    return translate_tree(parse_xpath(text, namespaces), scope)


def translate_tree(tree: Syntax | NotUnderstood, scope: Scope) -> Expression | NotUnderstood:
    """Translate a parsed test, of which only the effective boolean value matters."""
    if isinstance(tree, NotUnderstood):
        return tree
    try:
        return _measured(_truth(tree, scope), tree)
    except RefusedError as refused:
        return refused.answer


def translate_value(tree: Syntax | NotUnderstood, scope: Scope) -> ScopeValue | NotUnderstood:
    """Translate a parsed expression that may also stand for a node, as the value of a variable does."""
    if isinstance(tree, NotUnderstood):
        return tree
    try:
        value = _value(tree, scope)
        return value if isinstance(value, Here | AtRoot | Document) else _measured(value, tree)
    except RefusedError as refused:
        return refused.answer


def _measured(expression: Expression, tree: Syntax) -> Expression:
    if is_too_large(expression):
        raise RefusedError("becomes too large when its variables are substituted", tree.text)
    return expression


def _truth(tree: Syntax, scope: Scope) -> Expression:
    """Translate where only the effective boolean value matters: lookups in other documents are allowed here."""
    found = lookup(tree, scope, _value)
    return found if found is not None else _expression(tree, scope)


def _expression(tree: Syntax, scope: Scope) -> Expression:
    value = _value(tree, scope)
    match value:
        case Here() | AtRoot():
            raise RefusedError("uses a whole element as a value", tree.text)
        case Document():
            raise RefusedError("uses a whole document as a value", tree.text)
        case _:
            return value


def _value(tree: Syntax, scope: Scope) -> ScopeValue:
    match tree:
        case Constant(value):
            return Literal(value)
        case ContextItem():
            return _focus(scope, tree.text)
        case Root():
            raise RefusedError(LOOKS_AROUND, tree.text)
        case Step():
            return take_step(_focus(scope, tree.text), tree, scope, deep=False)
        case Path():
            return _path(tree, scope)
        case Filter():
            return _filter(tree, _value(tree.base, scope), scope)
        case Reference(name):
            return _reference(name, tree.text, scope)
        case FunctionCall():
            return _call(tree, scope)
        case Binary():
            return _binary(tree, scope)
        case Unary(op, operand):
            inner = Negate(_expression(operand, scope))
            return inner if op == "-" else Negate(inner)
        case Listing(items):
            return _sequence(tuple(_expression(item, scope) for item in items))
        case Conditional(test, then, otherwise):
            return If(_truth(test, scope), _expression(then, scope), _expression(otherwise, scope))
        case LoopBinding():
            return _binding(tree, scope)
        case TypeOperation():
            return _type_operation(tree, scope)
        case Foreign(what):
            raise RefusedError(f"{what} is not supported", tree.text)


def _focus(scope: Scope, text: str) -> ScopeValue:
    if scope.focus is None:
        raise RefusedError("reads nodes of another document in a way that is not supported", text)
    return scope.focus


def _reference(name: str, text: str, scope: Scope) -> ScopeValue:
    bound = scope.variables.get(name)
    if bound is None:
        raise RefusedError("the variable is not declared in the schema", text)
    if isinstance(bound, NotUnderstood):
        raise RefusedError(f"{text}: {bound.reason}", bound.text or text)
    return bound


def _path(tree: Path, scope: Scope) -> ScopeValue:
    if isinstance(tree.left, Root):
        raise RefusedError(LOOKS_AROUND, tree.text)
    left = _value(tree.left, scope)
    match tree.right:
        case ContextItem() if not tree.deep:
            return left
        case Step():
            return take_step(left, tree.right, scope, deep=tree.deep)
        case Filter(Step() as step, _):
            return _filter(tree.right, take_step(left, step, scope, deep=tree.deep), scope)
        case _ if tree.deep or isinstance(left, AtRoot | Document | Outside):
            raise RefusedError("a path of this shape is not supported", tree.text)
        case _:
            return _map(left, tree.right, scope, tree.text)


def _map(left: ScopeValue, right: Syntax, scope: Scope, text: str) -> ScopeValue:
    """Evaluate `right` once for each item of `left`: the slash before a function call, and the `!` operator."""
    if isinstance(left, Here):
        return _value(right, scope.at(left))
    if isinstance(left, AtRoot | Document):
        raise RefusedError("a path of this shape is not supported", text)
    items = fixed_items(left, text)
    scope = scope.repeated(len(items), text)
    return _sequence(tuple(guarded(item, _expression(right, scope.at(item.value)), EMPTY) for item in items))


def _filter(tree: Filter, base: ScopeValue, scope: Scope) -> ScopeValue:
    if not isinstance(base, Variable):
        raise RefusedError("a predicate of this shape is not supported", tree.text)
    if isinstance(tree.predicate, Constant) and isinstance(tree.predicate.value, int):
        return base if tree.predicate.value == 1 else EMPTY
    test = _truth(tree.predicate, scope.at(base))
    if not is_predicate(test):
        raise RefusedError("a predicate that may be a position", tree.text)
    if base.name in scope.present or not can_fail(test):
        return If(test, base, EMPTY)
    return If(Call("exists", (base,)), If(test, base, EMPTY), EMPTY)


def _call(tree: FunctionCall, scope: Scope) -> ScopeValue:
    name, arguments = tree.name, tree.arguments
    match name:
        case "true" | "false":
            return TRUE if name == "true" else FALSE
        case "current" if scope.current is not None:
            return scope.current
        case "doc" | "document":
            return _document(tree, scope)
        case "not" | "boolean":
            inner = _truth_of_nodes(arguments[0], scope)
            return Not(inner) if name == "not" else Call("boolean", (inner,))
        case "exists" | "empty" | "count":
            return _about_presence(tree, scope)
        case _ if name not in PURE:
            raise RefusedError(f"{name}() is not supported", tree.text)
        case _ if not arguments and name in IMPLICIT:
            return Call(name, (_expression(ContextItem(tree.text), scope),))
        case _:
            return Call(name, tuple(_expression(argument, scope) for argument in arguments))


def _about_presence(tree: FunctionCall, scope: Scope) -> Expression:
    found = lookup(tree.arguments[0], scope, _value)
    if found is not None and tree.name != "count":
        return found if tree.name == "exists" else Not(found)
    names = unordered_names(tree.arguments[0])
    argument = _sequence(names) if names and scope.focus == Here() else _expression(tree.arguments[0], scope)
    return Call(tree.name, (argument,))


def _truth_of_nodes(tree: Syntax, scope: Scope) -> Expression:
    names = unordered_names(tree)
    return Call("exists", (_sequence(names),)) if names and scope.focus == Here() else _truth(tree, scope)


def _document(tree: FunctionCall, scope: Scope) -> Document:
    match tree.arguments:
        case (Constant(str() as href),):
            return Document(resolve_href(href, scope.base, tree.text))
        case _:
            raise RefusedError("another document must be named by one literal text", tree.text)


def _binary(tree: Binary, scope: Scope) -> ScopeValue:
    op = tree.op
    match op:
        case "or" | "and":
            return _junction(tree, scope)
        case "!":
            return _map(_value(tree.left, scope), tree.right, scope, tree.text)
        case "to":
            return _range(tree)
        case "||":
            return Call("concat", (_expression(tree.left, scope), _expression(tree.right, scope)))
        case "+" | "-" | "*" | "div" | "idiv" | "mod":
            return Arithmetic(op, _expression(tree.left, scope), _expression(tree.right, scope))
        case _ if op in GENERAL or op in VALUE:
            found = lookup(tree, scope, _value)
            if found is not None:
                return found
            word = GENERAL[op] if op in GENERAL else VALUE[op]
            return Compare(word, _expression(tree.left, scope), _expression(tree.right, scope), op in VALUE)
        case _:
            raise RefusedError(f"the operator {op} is not supported", tree.text)


def _junction(tree: Binary, scope: Scope) -> Expression:
    """Collect `a and b and c`, which the syntax nests, into one conjunction in the order of writing."""
    items: list[Expression] = []
    rest: list[Syntax] = [tree]
    while rest:
        part = rest.pop(0)
        if isinstance(part, Binary) and part.op == tree.op:
            rest[:0] = [part.left, part.right]
        else:
            items.append(_truth(part, scope))
    return And(tuple(items)) if tree.op == "and" else Or(tuple(items))


def _range(tree: Binary) -> Expression:
    match tree.left, tree.right:
        case Constant(int() as first), Constant(int() as last) if last - first < _LONGEST_RANGE:
            return Sequence(tuple(Literal(value) for value in range(first, last + 1)))
        case _:
            raise RefusedError("a range needs two literal whole numbers, at most a thousand apart", tree.text)


def _sequence(items: tuple[Expression, ...]) -> Expression:
    flat = tuple(part for item in items for part in (item.items if isinstance(item, Sequence) else (item,)))
    return flat[0] if len(flat) == 1 else Sequence(flat)


def _binding(tree: LoopBinding, scope: Scope) -> ScopeValue:
    if tree.keyword == "let":
        for name, source in tree.variables:
            value = _value(source, scope)
            is_node = isinstance(value, Here | AtRoot | Document)
            scope = scope.bind(name, value if is_node else _measured(_expression(source, scope), source))
        return _value(tree.body, scope)
    found = lookup(tree, scope, _value)
    return found if found is not None else _iterate(tree.keyword, tree.variables, tree.body, scope)


def _iterate(keyword: str, variables: tuple[tuple[str, Syntax], ...], body: Syntax, scope: Scope) -> Expression:
    if not variables:
        return _expression(body, scope) if keyword == "for" else _truth(body, scope)
    (name, source), *rest = variables
    items = fixed_items(_measured(_expression(source, scope), source), source.text)
    scope = scope.repeated(len(items), source.text)
    skipped: Expression = _SKIPPED[keyword]
    parts = tuple(
        guarded(item, _iterate(keyword, tuple(rest), body, _bound(scope, name, item)), skipped) for item in items
    )
    if keyword == "for":
        return _sequence(parts)
    return And(parts) if keyword == "every" else Or(parts)


def _bound(scope: Scope, name: str, item: ListItem) -> Scope:
    bound = scope.bind(name, item.value)
    if isinstance(item.value, Variable):
        return replace(bound, present=bound.present | {item.value.name})
    return bound


def _type_operation(tree: TypeOperation, scope: Scope) -> Expression:
    operand = _expression(tree.operand, scope)
    if tree.type == "?" or tree.keyword not in ("cast", "castable"):
        raise RefusedError(f"{tree.keyword} with this type is not supported", tree.text)
    if tree.keyword == "castable":
        return Castable(operand, tree.type, tree.optional)
    # Without "?" an absent operand is an error; the constructor function would return an empty sequence.
    if not tree.optional and not _surely_one(operand, scope):
        return Call(tree.type, (Call("exactly-one", (operand,)),))
    return Call(tree.type, (operand,))


def _surely_one(operand: Expression, scope: Scope) -> bool:
    return not isinstance(operand, Variable) or operand.name in scope.present
