"""Which variables of its record an expression can read: on the parse tree, "any of them" whenever it does not tell.

Every part of the tree gets the places where its nodes may be. A step from the record by a name reads that variable. A
step inside another document reads nothing of the record: there only `current()` and variables lead back. The record
itself may be passed on and stepped from; where its value is used, every variable is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True)
class Reads:
    """The variables that can change a verdict; `anything` are the parts of the text that may read every variable."""

    names: tuple[str, ...]
    anything: tuple[str, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Tell whether no variable but the named ones can change the verdict."""
        return not self.anything


class ReadPlace(Enum):
    """Where nodes may be: the record element, a variable that is noted as read, another document, around the record."""

    RECORD = "record"
    VARIABLE = "variable"
    ELSEWHERE = "elsewhere"
    AROUND = "around"


ReadPlaces = frozenset[ReadPlace]
NO_NODES: ReadPlaces = frozenset()
ELSEWHERE: ReadPlaces = frozenset({ReadPlace.ELSEWHERE})
RECORD: ReadPlaces = frozenset({ReadPlace.RECORD})
VARIABLE: ReadPlaces = frozenset({ReadPlace.VARIABLE})
AROUND: ReadPlaces = frozenset({ReadPlace.AROUND})

_WHOLE = RECORD | AROUND
_BELOW = words("child attribute descendant")
_INSIDE = _BELOW | words("self descendant-or-self")
_BESIDE = words("preceding-sibling following-sibling")
_SETS = words("| union intersect except")
_IDENTITY = words("is << >>")
_JUNCTIONS = words("and or")
# They return items of the first argument, and `insert-before` those of the third.
_PASSING = words(
    "head tail reverse subsequence insert-before remove zero-or-one one-or-more exactly-one trace unordered innermost "
    "outermost"
)
# They ask whether nodes are there, or for their names; values are not read.
_ASKING = words("exists empty boolean not count")
_NAMING = words("name local-name namespace-uri node-name")
_DOCUMENTS = words("doc document doc-available unparsed-text unparsed-text-available unparsed-text-lines json-doc")
_SEARCHES = {"root": 0, "key": 2, "id": 1, "idref": 1, "element-with-id": 1}
_PLACES = words("position last true false")
_XML_BASE = "@{http://www.w3.org/XML/1998/namespace}base"


@dataclass(slots=True)
class ReadsMet:
    """What a walk has met so far."""

    names: dict[str, None] = field(default_factory=dict)
    anything: dict[str, None] = field(default_factory=dict)

    def add(self, other: ReadsMet) -> None:
        """Add what another walk has met."""
        self.names.update(other.names)
        self.anything.update(other.anything)

    def found(self) -> Reads:
        """Return the result."""
        return Reads(tuple(self.names), tuple(self.anything))


BoundReads = tuple[ReadPlaces, ReadsMet]


class ReadsWalk:
    """Walks the expressions of one rule. `current` is where current() may be.

    `resolve` gives what a declared variable stands for, None for one that is not known.
    """

    def __init__(self, met: ReadsMet, current: ReadPlaces, resolve: Callable[[str], BoundReads | None]) -> None:
        self._met = met
        self._current = current
        self._resolve = resolve
        self._bound: Mapping[str, ReadPlaces] = {}

    def truth(self, tree: Syntax | NotUnderstood, focus: ReadPlaces, text: str = "") -> None:
        """Walk an expression of which only the effective boolean value matters; a node is true, whatever its value."""
        self.nodes(tree, focus, text)

    def value(self, tree: Syntax | NotUnderstood, focus: ReadPlaces, text: str = "") -> ReadPlaces:
        """Walk an expression whose value is used; return where its nodes may be."""
        found = self.nodes(tree, focus, text)
        if found & _WHOLE and not isinstance(tree, NotUnderstood):
            self._anything(tree.text)
        return found - _WHOLE

    def nodes(self, tree: Syntax | NotUnderstood, focus: ReadPlaces, text: str = "") -> ReadPlaces:
        """Walk an expression whose nodes are passed on; return where they may be."""
        if isinstance(tree, NotUnderstood):
            return self._anything(text or str(tree))
        return self._nodes(tree, focus)

    def _anything(self, text: str) -> ReadPlaces:
        """Note a part that may read every variable; nothing more can be read, so it does not matter where it leads."""
        self._met.anything[" ".join(text.split())] = None
        return NO_NODES

    def _values(self, trees: Iterable[Syntax], focus: ReadPlaces) -> ReadPlaces:
        return frozenset[ReadPlace]().union(*[self.value(tree, focus) for tree in trees])

    def _nodes(self, tree: Syntax, focus: ReadPlaces) -> ReadPlaces:
        match tree:
            case Constant():
                return NO_NODES
            case ContextItem():
                return focus
            case Root(text):
                return ELSEWHERE if focus == ELSEWHERE else self._anything(text)
            case Step():
                return self._step(focus, tree)
            case Path():
                return self._path(tree, focus)
            case Filter(base, predicate):
                found = self._nodes(base, focus)
                self.truth(predicate, found)
                return found
            case Reference():
                return self._reference(tree)
            case FunctionCall():
                return self._call(tree, focus)
            case Binary():
                return self._binary(tree, focus)
            case Unary(_, operand):
                self.value(operand, focus)
                return NO_NODES
            case Listing(items):
                return frozenset[ReadPlace]().union(*[self._nodes(item, focus) for item in items])
            case Conditional(test, then, otherwise):
                self.truth(test, focus)
                return self._nodes(then, focus) | self._nodes(otherwise, focus)
            case LoopBinding():
                return self._loop(tree, focus)
            case TypeOperation(keyword, operand):
                if keyword == "treat":
                    return self._nodes(operand, focus)
                self.value(operand, focus)
                return NO_NODES
            case Foreign(_, _, text):
                return self._anything(text)

    def _binary(self, tree: Binary, focus: ReadPlaces) -> ReadPlaces:
        if tree.op == "!":
            return self._nodes(tree.right, self._nodes(tree.left, focus))
        if tree.op in _SETS | _IDENTITY | _JUNCTIONS:
            found = self._nodes(tree.left, focus) | self._nodes(tree.right, focus)
            return found if tree.op in _SETS else NO_NODES
        self._values((tree.left, tree.right), focus)
        return NO_NODES

    def _loop(self, tree: LoopBinding, focus: ReadPlaces) -> ReadPlaces:
        outer = self._bound
        for name, value in tree.variables:
            self._bound = {**self._bound, name: self._nodes(value, focus)}
        found = self._nodes(tree.body, focus)
        self._bound = outer
        return found if tree.keyword in ("for", "let") else NO_NODES

    def _reference(self, tree: Reference) -> ReadPlaces:
        if tree.name in self._bound:
            return self._bound[tree.name]
        found = self._resolve(tree.name)
        if found is None:
            return self._anything(tree.text)
        self._met.add(found[1])
        return found[0]

    def _path(self, tree: Path, focus: ReadPlaces) -> ReadPlaces:
        if isinstance(tree.left, Root):
            left = ELSEWHERE if focus == ELSEWHERE else self._anything(tree.text)
        else:
            left = self._nodes(tree.left, focus)
        if not tree.deep or left <= ELSEWHERE:
            return self._nodes(tree.right, left)
        return self._deep(tree.right, left, tree.text)

    def _deep(self, right: Syntax, left: ReadPlaces, text: str) -> ReadPlaces:
        """Follow `left//right`: a name below the record is a variable, because values have no elements inside."""
        if isinstance(right, Filter):
            found = self._deep(right.base, left, text)
            self.truth(right.predicate, found)
            return found
        if isinstance(right, Step) and right.axis == "child" and is_plain_name(right.test):
            return self._step(left, Step("descendant", right.test, text))
        return self._anything(text) if left & _WHOLE else self._nodes(right, left)

    def _step(self, focus: ReadPlaces, step: Step) -> ReadPlaces:
        return frozenset[ReadPlace]().union(*[self._step_from(origin, step) for origin in focus])

    def _step_from(self, origin: ReadPlace, step: Step) -> ReadPlaces:
        match origin:
            case ReadPlace.ELSEWHERE:
                return ELSEWHERE
            case ReadPlace.RECORD if step.axis == "self":
                return RECORD
            case ReadPlace.RECORD if step.axis in _BELOW and is_plain_name(step.test):
                return self._named(step)
            case ReadPlace.VARIABLE if step.axis in _INSIDE:
                return VARIABLE
            case ReadPlace.VARIABLE if step.axis == "parent":
                return RECORD | VARIABLE
            case ReadPlace.VARIABLE if step.axis in _BESIDE and is_plain_name(step.test):
                return self._named(step)
            case _:
                return self._anything(step.text)

    def _named(self, step: Step) -> ReadPlaces:
        self._met.names["@" + step.test if step.axis == "attribute" else step.test] = None
        return VARIABLE

    def _call(self, tree: FunctionCall, focus: ReadPlaces) -> ReadPlaces:
        name, arguments = tree.name, tree.arguments
        if name == "current" and not arguments:
            return self._current
        if name in IMPLICIT and not arguments:
            self.value(ContextItem(tree.text), focus)
            return NO_NODES
        if name in _PASSING:
            self._values(arguments[1:2] if name == "insert-before" else arguments[1:], focus)
            passed = (arguments[0], *arguments[2:]) if name == "insert-before" else arguments[:1]
            return frozenset[ReadPlace]().union(*[self._nodes(argument, focus) for argument in passed])
        if name in _ASKING or name in _NAMING or (name in _PLACES and not arguments):
            for argument in arguments:
                self._nodes(argument, focus)
            return NO_NODES
        if name in _DOCUMENTS:
            return self._document(tree, focus)
        if name in _SEARCHES:
            return self._search(tree, focus)
        if arguments and (name in PURE | UNTRANSLATED or name.startswith("math:")):
            found = self._values(arguments, focus)
            return found if name == "sort" else NO_NODES
        return NO_NODES if name in ("error", "math:pi") else self._anything(tree.text)

    def _document(self, tree: FunctionCall, focus: ReadPlaces) -> ReadPlaces:
        """Read another document; a name that a node gives is relative to the node, whose base an attribute may set."""
        found = self._values(tree.arguments, focus)
        if found - ELSEWHERE:
            self._met.names[_XML_BASE] = None
        return ELSEWHERE

    def _search(self, tree: FunctionCall, focus: ReadPlaces) -> ReadPlaces:
        """Search a whole document: that of the last argument, or of the context node."""
        place = _SEARCHES[tree.name]
        wanted, where = tree.arguments[:place], tree.arguments[place:]
        self._values(wanted, focus)
        found = self._nodes(where[0], focus) if where else focus
        return ELSEWHERE if found == ELSEWHERE else self._anything(tree.text)
