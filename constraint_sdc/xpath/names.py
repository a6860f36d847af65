"""Which names of a file of rows an expression looks for, whether the file has them there, and what it reads.

The walk goes over the parse tree as written, so that it also covers expressions that are not translated. Every part of
the tree gets the places where its nodes may be. A name is looked for along an axis from these places; where its nodes
would be is known for elements, and for attributes of the record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from constraint_sdc.xpath.functions import IMPLICIT, PURE, words
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
class FileNames:
    """The names of a file of rows: the record, its variables ("@name" for an attribute), the elements around them.

    With `is_open` the variables are not known yet: any name that is not around the records may be one.
    """

    record: str
    inside: frozenset[str]
    outside: frozenset[str]
    is_open: bool = False

    def has_variable(self, name: str) -> bool:
        """Tell whether records have a variable of this name, or may have."""
        return name in self.inside or (self.is_open and name != self.record and name not in self.outside)

    @property
    def elements(self) -> frozenset[str]:
        """Return the names of all elements."""
        return self.outside | {self.record} | {name for name in self.inside if not name.startswith("@")}


class NodePlace(Enum):
    """Where nodes may be. NODE is the context node when it is a variable; ANYWHERE is not known."""

    RECORD = "record"
    NODE = "node"
    VARIABLE = "variable"
    OTHER_RECORD = "other record"
    OTHER_VARIABLE = "variable of another record"
    AROUND = "around"
    ELSEWHERE = "elsewhere"
    ANYWHERE = "anywhere"


NodePlaces = frozenset[NodePlace]
_P = NodePlace
NOTHING: NodePlaces = frozenset()
AROUND: NodePlaces = frozenset({_P.AROUND})
ELSEWHERE: NodePlaces = frozenset({_P.ELSEWHERE})
ANYWHERE: NodePlaces = frozenset({_P.ANYWHERE})
_RECORDS = frozenset({_P.RECORD, _P.OTHER_RECORD})
_VARIABLES = frozenset({_P.NODE, _P.VARIABLE, _P.OTHER_VARIABLE})
_OTHERS = frozenset({_P.OTHER_RECORD, _P.OTHER_VARIABLE})
_UNTOUCHED = frozenset({_P.ELSEWHERE, _P.ANYWHERE})

_DOWN = words("child descendant")
_SIDE = words("preceding-sibling following-sibling")
_EXISTENCE = words("not exists empty boolean count")
_JUNCTIONS = words("and or")
_SETS = words("| union intersect except")
_DOCUMENTS = words("doc document doc-available unparsed-text unparsed-text-available unparsed-text-lines")
_SEARCHES = {"key": 2, "id": 1, "idref": 1, "element-with-id": 1}
# They answer from a node's name or place; its value is not read.
_ABOUT_NODES = words(
    "name local-name namespace-uri node-name has-children position last lang generate-id path base-uri document-uri "
    "format-number error trace encode-for-uri true false current-date current-dateTime current-time regex-group"
)


@dataclass(frozen=True, slots=True)
class NameLooked:
    """A name that an expression looks for. `is_known` is false where the file's names do not tell whether it is there.

    `is_asked` if the expression asks whether there is such a node, so that its absence is an answer.
    """

    name: str
    is_found: bool
    is_known: bool = True
    is_asked: bool = False
    where: str = ""


@dataclass(slots=True)
class NamesRead:
    """What a walk has met: names looked for, values of its own record that are read, and whether there are others."""

    looked: dict[NameLooked, None] = field(default_factory=dict)
    values: dict[str, None] = field(default_factory=dict)
    reads_more: bool = False

    def add(self, other: NamesRead, *, asked: bool) -> None:
        """Add what a variable's own expression has met."""
        self.looked.update((replace(name, is_asked=name.is_asked or asked), None) for name in other.looked)
        self.values.update(other.values)
        self.reads_more |= other.reads_more


Bound = tuple[NodePlaces, NamesRead]
Resolve = Callable[[str], Bound | None]


class NameWalk:
    """Walks expressions of one rule. `current` is the context node, `variable` its name when it is a variable.

    `resolve` gives what a declared variable stands for; `where` says which part of the rule is walked.
    """

    def __init__(
        self,
        file: FileNames,
        met: NamesRead,
        *,
        current: NodePlaces = ANYWHERE,
        variable: str | None = None,
        resolve: Resolve = lambda _: None,
        where: str = "",
    ) -> None:
        self._file = file
        self._met = met
        self._current = current
        self._variable = variable
        self._resolve = resolve
        self._where = where
        self._bound: Mapping[str, NodePlaces] = {}

    def walk(self, tree: Syntax | NotUnderstood, focus: NodePlaces, *, asked: bool = False) -> NodePlaces:
        """Return where the nodes of the result may be."""
        if isinstance(tree, NotUnderstood):
            self._met.reads_more = True
            return ANYWHERE
        return self._walk(tree, focus, asked)

    def _walk(self, tree: Syntax, focus: NodePlaces, asked: bool) -> NodePlaces:
        match tree:
            case Constant():
                return NOTHING
            case ContextItem():
                return self._item(focus)
            case Root():
                return _root(focus)
            case Step():
                return self._step(focus, tree, asked)
            case Path(left, right, deep):
                start = self._start(left, focus, asked)
                return self._walk(right, _descended(start) if deep else start, asked)
            case Filter(base, predicate):
                found = self._walk(base, focus, asked)
                self._walk(predicate, found, True)
                return found
            case Reference(name):
                return self._reference(name, asked)
            case FunctionCall():
                return self._call(tree, focus)
            case Binary():
                return self._binary(tree, focus, asked)
            case Unary(_, operand):
                self._walk(operand, focus, False)
                return NOTHING
            case Listing(items):
                return frozenset[NodePlace]().union(*(self._walk(item, focus, asked) for item in items))
            case Conditional(test, then, otherwise):
                self._walk(test, focus, True)
                return self._walk(then, focus, asked) | self._walk(otherwise, focus, asked)
            case LoopBinding():
                return self._loop(tree, focus, asked)
            case TypeOperation(keyword, operand):
                found = self._walk(operand, focus, asked)
                return found if keyword == "treat" else NOTHING
            case Foreign(_, parts):
                for part in parts:
                    self._walk(part, ANYWHERE, False)
                self._met.reads_more = True
                return ANYWHERE

    def _item(self, focus: NodePlaces) -> NodePlaces:
        """Read the value of the context item."""
        if _P.NODE in focus and self._variable is not None:
            self._met.values[self._variable] = None
        if focus & (_RECORDS | _OTHERS):
            self._met.reads_more = True
        return focus

    def _start(self, left: Syntax, focus: NodePlaces, asked: bool) -> NodePlaces:
        """Return where a path starts; a node that is only stepped from is not read."""
        match left:
            case ContextItem():
                return focus
            case FunctionCall("current", ()):
                return self._current
            case _:
                return self._walk(left, focus, asked)

    def _reference(self, name: str, asked: bool) -> NodePlaces:
        if name in self._bound:
            return self._bound[name]
        found = self._resolve(name)
        if found is None:
            self._met.reads_more = True
            return ANYWHERE
        places, met = found
        self._met.add(met, asked=asked)
        return places

    def _loop(self, tree: LoopBinding, focus: NodePlaces, asked: bool) -> NodePlaces:
        outer = self._bound
        for name, value in tree.variables:
            self._bound = {**self._bound, name: self._walk(value, focus, False)}
        found = self._walk(tree.body, focus, asked or tree.keyword in ("some", "every"))
        self._bound = outer
        return found if tree.keyword in ("for", "let") else NOTHING

    def _binary(self, tree: Binary, focus: NodePlaces, asked: bool) -> NodePlaces:
        if tree.op == "!":
            return self._walk(tree.right, self._walk(tree.left, focus, asked), asked)
        is_asked = tree.op in _JUNCTIONS or (tree.op in _SETS and asked)
        found = self._walk(tree.left, focus, is_asked) | self._walk(tree.right, focus, is_asked)
        return found if tree.op in _SETS else NOTHING

    def _call(self, tree: FunctionCall, focus: NodePlaces) -> NodePlaces:
        name, arguments = tree.name, tree.arguments
        if name == "current" and not arguments:
            return self._item(self._current)
        if name in _ABOUT_NODES:
            for argument in arguments:
                self._start(argument, focus, False)
            return NOTHING
        found = [self._walk(argument, focus, name in _EXISTENCE) for argument in arguments]
        if name in _DOCUMENTS:
            return ELSEWHERE
        if name in IMPLICIT and not arguments:
            self._item(focus)
            return NOTHING
        if name == "root":
            return _root(found[0] if found else focus)
        if name in _SEARCHES and len(found) > _SEARCHES[name] and found[_SEARCHES[name]] <= ELSEWHERE:
            return ELSEWHERE
        if name in PURE or name.startswith("math:"):
            return frozenset[NodePlace]().union(*found)
        self._met.reads_more = True
        return ANYWHERE

    def _step(self, focus: NodePlaces, step: Step, asked: bool) -> NodePlaces:
        known = focus - _UNTOUCHED
        kept = focus & _UNTOUCHED
        if not known:
            return kept
        if not is_plain_name(step.test):
            reached = frozenset(place for origin in known for place in _reach(origin, step.axis))
            self._note_reach(reached, known, step)
            return reached | kept
        name = "@" + step.test if step.axis == "attribute" else step.test
        reached = frozenset(
            place
            for origin in known
            for place in _reach(origin, step.axis)
            if self._is_there(name, origin, step.axis, place)
        )
        is_known = step.axis != "attribute" or known <= _RECORDS
        is_found = bool(reached or kept)
        self._met.looked[NameLooked(name, is_found, is_known and not kept, asked, self._where)] = None
        self._note_reach(reached, known, step, name)
        return reached | kept if is_found else ANYWHERE

    def _is_there(self, name: str, origin: NodePlace, axis: str, place: NodePlace) -> bool:
        if name.startswith("@"):
            return origin not in _RECORDS or self._file.has_variable(name)
        if axis in _DOWN and origin in _VARIABLES:
            return False  # a value has no element inside
        if place in _RECORDS:
            return name == self._file.record
        return self._file.has_variable(name) if place in _VARIABLES else name in self._file.outside

    def _note_reach(self, reached: NodePlaces, origins: NodePlaces, step: Step, name: str | None = None) -> None:
        if reached & _OTHERS:
            self._met.reads_more = True
        from_own = _P.RECORD in origins and step.axis not in ("self", "parent", "ancestor")
        beside = bool(origins & {_P.NODE, _P.VARIABLE}) and step.axis in _SIDE
        if not from_own and not beside:
            return
        if name is None:
            self._met.reads_more = True
        else:
            self._met.values[name] = None


def _root(focus: NodePlaces) -> NodePlaces:
    if focus & _UNTOUCHED or not focus:
        return ELSEWHERE if focus == ELSEWHERE else ANYWHERE
    return AROUND


def _descended(start: NodePlaces) -> NodePlaces:
    """Return the places themselves and everything below them: what `//` adds to a path."""
    return frozenset(place for origin in start for place in _reach(origin, "descendant-or-self"))


def _reach(origin: NodePlace, axis: str) -> NodePlaces:
    """Return where an axis leads in a file of rows, whatever the names."""
    if origin in _UNTOUCHED:
        return frozenset({origin})
    if axis == "self":
        return frozenset({origin})
    if axis in ("preceding", "following"):
        own = {_P.VARIABLE} if origin in (_P.NODE, _P.VARIABLE) else set()
        return frozenset({_P.OTHER_RECORD, _P.OTHER_VARIABLE, _P.AROUND, *own})
    if axis == "descendant-or-self":
        return _below(origin) | {origin}
    if axis in _DOWN:
        return _below(origin) - {_P.OTHER_VARIABLE} if axis == "child" and origin is _P.AROUND else _below(origin)
    if axis == "attribute":
        return frozenset({_P.AROUND}) if origin is _P.AROUND else _inside(origin)
    if axis in _SIDE:
        return _inside(origin) if origin in _VARIABLES else frozenset({_P.OTHER_RECORD, _P.AROUND})
    above = _above(origin)
    if axis == "parent":
        return frozenset({_record_of(origin)}) if origin in _VARIABLES else above
    return above | {origin} if axis == "ancestor-or-self" else above if axis == "ancestor" else NOTHING


def _inside(origin: NodePlace) -> NodePlaces:
    return frozenset({_P.OTHER_VARIABLE if origin in _OTHERS else _P.VARIABLE})


def _record_of(origin: NodePlace) -> NodePlace:
    return _P.OTHER_RECORD if origin in _OTHERS else _P.RECORD


def _above(origin: NodePlace) -> NodePlaces:
    return frozenset({_record_of(origin), _P.AROUND}) if origin in _VARIABLES else AROUND


def _below(origin: NodePlace) -> NodePlaces:
    """Return what is below a node: values have no element inside, only their text."""
    if origin is _P.AROUND:
        return frozenset({_P.AROUND, _P.OTHER_RECORD, _P.OTHER_VARIABLE})
    return _inside(origin)
