"""Faults that can be planted in a source file: one comparison, arithmetic, bitwise or boolean operator exchanged.

A fault changes a few bytes of one line and nothing else, so that line numbers, texts and doctests stay as they are.
Left out are places where an operator does not compute: annotations, unions of types, f-strings (their positions are
unknown before Python 3.12) and code for type checkers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

EXCHANGES: dict[type[ast.AST], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">")),
    ast.LtE: ("<=", ("<", ">=")),
    ast.Gt: (">", (">=", "<")),
    ast.GtE: (">=", (">", "<=")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
    ast.Add: ("+", ("-",)),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("/",)),
    ast.Div: ("/", ("*",)),
    ast.FloorDiv: ("//", ("*",)),
    ast.Mod: ("%", ("//",)),
    ast.Pow: ("**", ("*",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)),
    ast.BitXor: ("^", ("|",)),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
    ast.And: ("and", ("or",)),
    ast.Or: ("or", ("and",)),
    ast.Not: ("not", ("",)),
    ast.USub: ("-", ("",)),
    ast.Invert: ("~", ("",)),
}

_TYPE_TESTS = ("isinstance", "issubclass", "cast")


@dataclass(frozen=True)
class Fault:
    """One operator of one line exchanged; `nth` counts the same exchange within the line."""

    path: str
    within: str
    line: int
    text: str
    before: str
    after: str
    nth: int
    start: int
    end: int

    @property
    def name(self) -> str:
        """What identifies the fault as long as its line stays as it is, wherever the line moves."""
        return f"{self.path} | {self.within} | {self.text} | {self.before} -> {self.after or 'nothing'} | {self.nth}"

    @property
    def room(self) -> str:
        """The folder of the package that the fault is in."""
        parts = self.path.split("/")
        return parts[1] if len(parts) > 2 else "top"

    def planted(self, source: bytes) -> bytes:
        """The source with this fault in it."""
        return source[: self.start] + self.after.encode() + source[self.end :]

    def is_other_program(self, source: bytes) -> bool:
        """Whether the source with this fault is a program, and not the same one."""
        try:
            return ast.dump(ast.parse(self.planted(source))) != ast.dump(ast.parse(source))
        except SyntaxError:
            return False


def find_faults(path: str, source: bytes) -> list[Fault]:
    """Every fault that can be planted in a source file.

    >>> [fault.name for fault in find_faults("a/b.py", b"def f(x: int | None) -> int:\\n    return x + 1\\n")]
    ['a/b.py | f | return x + 1 | + -> - | 1']
    """
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    faults: list[Fault] = []
    seen: dict[tuple[int, str, str], int] = {}
    for within, kind, begin, end in sorted(_operators(ast.parse(source), "module"), key=lambda found: found[2]):
        written, exchanges = EXCHANGES.get(kind, ("", ()))
        span = _written_at(source, starts[begin[0] - 1] + begin[1], starts[end[0] - 1] + end[1], written)
        if span is None:
            continue
        number = source.count(b"\n", 0, span[0]) + 1
        for after in exchanges:
            nth = seen[number, written, after] = seen.get((number, written, after), 0) + 1
            text = " ".join(lines[number - 1].decode().split())
            faults.append(Fault(path, within, number, text, written, after, nth, *span))
    return faults


_Position = tuple[int, int]


def _operators(node: ast.AST, within: str) -> Iterator[tuple[str, type[ast.AST], _Position, _Position]]:
    """Each operator below a node: where it is, its kind, and the stretch of source that holds it."""
    match node:
        case ast.BinOp(left, op, right) if not (isinstance(op, ast.BitOr) and within == "module"):
            yield within, type(op), _end(left), _start(right)
        case ast.AugAssign(target, op, value):
            yield within, type(op), _end(target), _start(value)
        case ast.BoolOp(op, values):
            for left, right in pairwise(values):
                yield within, type(op), _end(left), _start(right)
        case ast.Compare(left, ops, comparators):
            for op, one, other in zip(ops, [left, *comparators], comparators, strict=False):
                yield within, type(op), _end(one), _start(other)
        case ast.UnaryOp(op, operand) if type(op) in EXCHANGES:
            yield within, type(op), _start(node), _start(operand)
    for child, name in _parts(node, within):
        yield from _operators(child, name)


def _parts(node: ast.AST, within: str) -> Iterator[tuple[ast.AST, str]]:
    """The children of a node that compute something, each with the name of the function or class that it is in."""
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.If) and _names(node.test) == "TYPE_CHECKING"):
        return
    inside = within
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        inside = node.name if within == "module" else f"{within}.{node.name}"
    is_type_test = isinstance(node, ast.Call) and _names(node.func) in _TYPE_TESTS
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "bases") or (is_type_test and field == "args"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child, inside
    if is_type_test:
        yield node.args[0], within  # type: ignore[attr-defined]


def _names(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _start(node: ast.AST) -> _Position:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> _Position:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def _written_at(source: bytes, begin: int, end: int, written: str) -> tuple[int, int] | None:
    """Where an operator is written between its operands; comments in between do not count."""
    between = re.sub(rb"#[^\n]*", lambda found: b" " * len(found.group()), source[begin:end])
    pattern = rb"\s+".join(re.escape(word) for word in written.encode().split())
    found = re.search(pattern, between)
    return (begin + found.start(), begin + found.end()) if found else None
