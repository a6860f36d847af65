"""Decide whether an expression reads only its own record: on the parse tree, with "no" whenever it is not proven.

Every part of the tree gets the set of places where its nodes may be. Any step inside a record or inside another
document is allowed; a step or a function that could leave the record ends the proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from constraint_sdc.xpath.functions import IMPLICIT, PURE, UNTRANSLATED, words
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
    is_plain_name,
)


class Region(Enum):
    """Where nodes may be: the record element, inside it, another document, the data's root; or no nodes at all."""

    RECORD = "record"
    INSIDE = "inside"
    ELSEWHERE = "elsewhere"
    ROOT = "root"
    VALUE = "value"


Regions = frozenset[Region]
VALUE: Regions = frozenset({Region.VALUE})
ELSEWHERE: Regions = frozenset({Region.ELSEWHERE})
CONSTANT: Regions = VALUE | ELSEWHERE
_DOWN = frozenset({"child", "attribute", "descendant", "descendant-or-self", "self"})
_SIBLING = frozenset({"preceding-sibling", "following-sibling"})
# Beyond the pure functions: these read a node's name or content, or a document that is the same for every record.
_NODE_READERS = frozenset({"name", "local-name", "namespace-uri", "node-name", "has-children"})
_OTHER_DOCUMENTS = frozenset({"doc", "document", "doc-available", "unparsed-text", "unparsed-text-available"})
# Known to depend on what surrounds the record.
_SEARCHERS = words(
    "position last root key id idref element-with-id generate-id path collection uri-collection lang base-uri "
    "document-uri accumulator-before accumulator-after"
)
_CONSTANTS = frozenset({"true", "false", "error", "math:pi"})


class LooksAroundError(Exception):
    """The expression reads outside its record; the message says where."""


class UnprovenError(LooksAroundError):
    """The expression may read outside its record: its effect is unknown."""


@dataclass(frozen=True, slots=True)
class Unproven(NotUnderstood):
    """The reason why it is unknown whether an expression reads outside its record."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the dot, current() and the variables may stand for; `in_predicate` allows position() and last().

    `names` collects the record's variables that the expression reads; `reads` are those behind each declared variable.
    `given` are variables whose value the command line gives.
    """

    focus: Regions
    current: Regions
    variables: Mapping[str, Regions | NotUnderstood] = field(default_factory=dict)
    in_predicate: bool = False
    names: dict[str, None] = field(default_factory=dict)
    reads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    given: frozenset[str] = frozenset()

    def at(self, focus: Regions) -> Surroundings:
        """Return the surroundings inside a predicate or after a slash."""
        return replace(self, focus=focus, in_predicate=True)


def regions_of(tree: Syntax | NotUnderstood, around: Surroundings) -> Regions | NotUnderstood:
    """Return where an expression's result may be, or why it may read outside the record."""
    if isinstance(tree, NotUnderstood):
        return tree
    try:
        return _regions(tree, around)
    except UnprovenError as why:
        return Unproven(str(why))
    except LooksAroundError as why:
        return NotUnderstood(str(why))


def _regions(tree: Syntax, around: Surroundings) -> Regions:
    match tree:
        case Constant():
            return VALUE
        case ContextItem():
            return around.focus
        case Root():
            return _root(around, tree)
        case Step():
            return _step(around.focus, tree, around)
        case Path():
            return _path(tree, around)
        case Filter(base, predicate):
            found = _regions(base, around)
            _regions(predicate, around.at(found))
            return found
        case Reference(name):
            return _reference(name, around)
        case FunctionCall():
            return _call(tree, around)
        case Binary("!", left, right):
            return _regions(right, around.at(_regions(left, around)))
        case Binary(op, left, right):
            found = _regions(left, around) | _regions(right, around)
            return found if op in ("|", "union", "intersect", "except") else _value_of(found, tree)
        case Unary(_, operand):
            return _value_of(_regions(operand, around), tree)
        case Listing(items):
            return frozenset(region for item in items for region in _regions(item, around)) or VALUE
        case Conditional(test, then, otherwise):
            _regions(test, around)
            return _regions(then, around) | _regions(otherwise, around)
        case LoopBinding(_, variables, body):
            for name, value in variables:
                around = replace(around, variables={**around.variables, name: _regions(value, around)})
            return _regions(body, around)
        case TypeOperation(keyword, operand):
            found = _regions(operand, around)
            return found if keyword == "treat" else _value_of(found, tree)
        case Foreign(what):
            raise UnprovenError(f"{what} may look anywhere: {tree.text}")


def _value_of(found: Regions, tree: Syntax) -> Regions:
    if Region.ROOT in found:
        raise LooksAroundError(f"reads the whole document: {tree.text}")
    return VALUE


def _root(around: Surroundings, tree: Syntax) -> Regions:
    if around.focus <= CONSTANT:
        return ELSEWHERE
    raise LooksAroundError(f"starts from the root of the data: {tree.text}")


def _path(tree: Path, around: Surroundings) -> Regions:
    left = _root(around, tree) if isinstance(tree.left, Root) else _regions(tree.left, around)
    if tree.deep:
        left = _step(left, Step("descendant-or-self", "node()", tree.text), around)
    return _regions(tree.right, around.at(left))


def _step(focus: Regions, step: Step, around: Surroundings) -> Regions:
    if Region.RECORD in focus and step.axis in ("child", "attribute", "descendant") and is_plain_name(step.test):
        around.names["@" + step.test if step.axis == "attribute" else step.test] = None
    return frozenset(region for origin in focus for region in _step_from(origin, step))


def _step_from(origin: Region, step: Step) -> Regions:
    match origin:
        case Region.ELSEWHERE | Region.VALUE:
            return frozenset({origin})
        case Region.RECORD if step.axis in _DOWN:
            stays = step.axis in ("self", "descendant-or-self")
            return frozenset({Region.RECORD, Region.INSIDE}) if stays else frozenset({Region.INSIDE})
        case Region.INSIDE if step.axis in _DOWN or step.axis in _SIBLING:
            return frozenset({Region.INSIDE})
        case Region.INSIDE if step.axis == "parent":
            return frozenset({Region.RECORD, Region.INSIDE})
        case Region.ROOT if step.axis == "self":
            return frozenset({Region.ROOT})
        case _:
            raise LooksAroundError(f"leaves the record: {step.text}")


def _reference(name: str, around: Surroundings) -> Regions:
    found = around.variables.get(name)
    if found is None:
        raise UnprovenError(f"the variable ${name} is not declared")
    if isinstance(found, Unproven):
        raise UnprovenError(f"${name}: {found}")
    if isinstance(found, NotUnderstood):
        raise LooksAroundError(f"${name}: {found}")
    if Region.ROOT in found:
        raise LooksAroundError(f"${name} stands for the whole document")
    around.names.update(dict.fromkeys(around.reads.get(name, ())))
    return found


def _call(tree: FunctionCall, around: Surroundings) -> Regions:
    name, arguments = tree.name, tree.arguments
    found = frozenset(region for argument in arguments for region in _regions(argument, around))
    if name == "current":
        return around.current
    if name in ("position", "last") and around.in_predicate:
        return VALUE
    if name in _OTHER_DOCUMENTS and len(arguments) == 1:
        return ELSEWHERE
    if name in ("root", "key", "id", "element-with-id") and _asks_elsewhere(name, arguments, around):
        return ELSEWHERE
    if name in PURE or name in _NODE_READERS or name in UNTRANSLATED or name.startswith("math:"):
        if not arguments and name not in IMPLICIT | _NODE_READERS | _CONSTANTS:
            raise UnprovenError(f"{name}() without an argument: {tree.text}")
        _value_of(found if arguments else around.focus, tree)
        return found or VALUE
    if name in _SEARCHERS:
        raise LooksAroundError(f"{name}() looks outside the record: {tree.text}")
    raise UnprovenError(f"{name}() may look outside the record: {tree.text}")


def _asks_elsewhere(name: str, arguments: tuple[Syntax, ...], around: Surroundings) -> bool:
    """Tell whether a function that searches a whole tree is given a node of another document."""
    places = {"root": 0, "key": 2, "id": 1, "element-with-id": 1}
    if len(arguments) <= places[name]:
        return False
    return _regions(arguments[places[name]], around) <= CONSTANT
