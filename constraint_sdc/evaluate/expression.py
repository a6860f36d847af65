"""The small expression type that every rule's XPath is translated into.

An expression has the meaning of the XPath, in the order in which XPath computes it, so that the vectorised evaluator
can reproduce the result bit for bit. Normal forms for reasoning are constraints, not expressions.
Paths are already resolved: a `Variable` is a child element (or attribute) of the record that the rule looks at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal as OneOf
from typing import TypeAlias

ArithmeticOp: TypeAlias = OneOf["+", "-", "*", "div", "idiv", "mod"]
CompareOp: TypeAlias = OneOf["=", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; its XPath type follows the Python type.

    bool is xs:boolean, int is xs:integer, Decimal is xs:decimal, float is xs:double, str is xs:string.
    """

    value: bool | int | Decimal | float | str


@dataclass(frozen=True, slots=True)
class Variable:
    """The record's own child element, or attribute if the name starts with "@": zero or one untyped node.

    Names with a namespace are in Clark notation: `{urn:census}V1`, `@{urn:census}V1`.
    """

    name: str


@dataclass(frozen=True, slots=True)
class Outside:
    """The values of a path into another document: a sequence of untyped nodes that is the same for every record.

    `href` is the argument of document()/doc() resolved to an absolute path, or None for the `$original` parameter
    given on the command line. `steps` are the element names (Clark notation, "@name" for an attribute) from the
    outermost named one, the last naming the values; `absolute` is true for a path from the root, false for a `//` path.
    """

    href: str | None
    steps: tuple[str, ...]
    absolute: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """A comma list, flattened as XPath does; `Sequence(())` is the empty sequence."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A binary arithmetic operation, kept in the order in which the rule writes it."""

    op: ArithmeticOp
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Negate:
    """Unary minus."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison: general (`=`, `<`), or value (`eq`, `lt`) when `value` is true. `op` uses the general spelling."""

    op: CompareOp
    left: Expression
    right: Expression
    value: bool = False


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction of effective boolean values."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction of effective boolean values."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Negation of an effective boolean value."""

    item: Expression


@dataclass(frozen=True, slots=True)
class If:
    """`if (test) then ... else ...`."""

    test: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """A function call; `name` as XPath writes it without the `fn:` prefix, casts as `xs:decimal`, `xs:integer`.

    `$x cast as xs:T` is translated to the constructor call `xs:T($x)`.
    """

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Castable:
    """`operand castable as type` or, when `optional`, `castable as type?`."""

    operand: Expression
    type: str
    optional: bool = False


Expression: TypeAlias = (
    Literal | Variable | Outside | Sequence | Arithmetic | Negate | Compare | And | Or | Not | If | Call | Castable
)

TRUE = Literal(True)
FALSE = Literal(False)
EMPTY = Sequence(())


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct parts of an expression, in writing order."""
    match expression:
        case Literal() | Variable() | Outside():
            return ()
        case Sequence(items) | And(items) | Or(items):
            return items
        case Arithmetic(_, left, right) | Compare(_, left, right):
            return (left, right)
        case Negate(operand) | Castable(operand):
            return (operand,)
        case Not(item):
            return (item,)
        case If(test, then, otherwise):
            return (test, then, otherwise)
        case Call(_, arguments):
            return arguments


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and everything inside it, outermost first."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def variables_of(expression: Expression) -> tuple[str, ...]:
    """Return the names of the record's variables in the expression, each once, in order of first use."""
    return tuple(dict.fromkeys(part.name for part in walk(expression) if isinstance(part, Variable)))
