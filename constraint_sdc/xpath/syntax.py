"""An XPath expression as written: the parser's tree as our own frozen classes, with names resolved.

Translation, contexts and locality all read this tree; none of them depends on the parser.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Why an XPath text is not supported, and the part that is not."""

    reason: str
    text: str = ""

    def __str__(self) -> str:
        return f"{self.reason}: {self.text}" if self.text else self.reason


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal number or text."""

    value: int | Decimal | float | str
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class ContextItem:
    """The dot."""

    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Root:
    """The root of the tree that holds the context node: a leading slash."""

    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Step:
    """An axis step; `test` is a Clark name, or "*", "node()", "text()", "?" for any other node test."""

    axis: str
    test: str
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Path:
    """`left/right`, or `left//right` when `deep`."""

    left: Syntax
    right: Syntax
    deep: bool
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Filter:
    """`base[predicate]`."""

    base: Syntax
    predicate: Syntax
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Reference:
    """`$name`, the name in Clark notation."""

    name: str
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call; names of the standard functions are bare, `xs:` and `math:` ones keep the prefix, others are Clark."""

    name: str
    arguments: tuple[Syntax, ...]
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """Any binary operator, by its symbol."""

    op: str
    left: Syntax
    right: Syntax
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """Unary plus or minus."""

    op: str
    operand: Syntax
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Listing:
    """A comma list in parentheses; nested lists are already flat."""

    items: tuple[Syntax, ...]
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    """`if (test) then ... else ...`."""

    test: Syntax
    then: Syntax
    otherwise: Syntax
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class LoopBinding:
    """`every`, `some`, `for` or `let` with its variables in order, and the body after them."""

    keyword: str
    variables: tuple[tuple[str, Syntax], ...]
    body: Syntax
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class TypeOperation:
    """`cast`, `castable`, `instance` or `treat` with a type written `xs:name`; "?" stands for any other type."""

    keyword: str
    operand: Syntax
    type: str
    optional: bool
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Foreign:
    """A construct without a class of its own: maps, arrays, inline functions, function items, lookups."""

    what: str
    parts: tuple[Syntax, ...]
    text: str = field(compare=False)


Syntax: TypeAlias = (
    Constant
    | ContextItem
    | Root
    | Step
    | Path
    | Filter
    | Reference
    | FunctionCall
    | Binary
    | Unary
    | Listing
    | Conditional
    | LoopBinding
    | TypeOperation
    | Foreign
)


def parts_of(tree: Syntax) -> tuple[Syntax, ...]:
    """Return the direct parts of a tree, in writing order."""
    match tree:
        case Constant() | ContextItem() | Root() | Step() | Reference():
            return ()
        case Path(left, right) | Binary(_, left, right) | Filter(left, right):
            return (left, right)
        case FunctionCall(_, items) | Listing(items) | Foreign(_, items):
            return items
        case Unary(_, operand) | TypeOperation(_, operand):
            return (operand,)
        case Conditional(test, then, otherwise):
            return (test, then, otherwise)
        case LoopBinding(_, variables, body):
            return (*(value for _, value in variables), body)


def walk_syntax(tree: Syntax) -> Iterator[Syntax]:
    """Yield the tree and everything inside it, outermost first."""
    yield tree
    for part in parts_of(tree):
        yield from walk_syntax(part)


def depth_of(tree: Syntax) -> int:
    """Return how many levels a tree has."""
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [part for node in level for part in parts_of(node)]
    return depth


def is_plain_name(test: str) -> bool:
    """Tell whether a node test is one fixed name."""
    return test not in ("*", "?", "node()", "text()")


def step_name(step: Step) -> str | None:
    """Return the name of the child element or attribute ("@name") that a step asks for, None for any other step."""
    if step.axis not in ("child", "attribute") or not is_plain_name(step.test):
        return None
    return "@" + step.test if step.axis == "attribute" else step.test
