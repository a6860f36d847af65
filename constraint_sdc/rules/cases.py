"""The cases of an operand: `if` lifted out of arithmetic, lists into their items."""

from __future__ import annotations

from dataclasses import dataclass

from constraint_sdc.model.expression import Arithmetic, Call, Expression, If, Negate, Sequence

_MOST = 1000


class _TooManyError(Exception):
    """The cases multiply beyond what anybody would read."""


@dataclass(frozen=True, slots=True)
class Case:
    """One value that an operand may have, and the tests (with the answer wanted) under which it has it."""

    value: Expression
    tests: tuple[tuple[Expression, bool], ...] = ()


def alternatives(operand: Expression) -> tuple[Case, ...] | None:
    """Return the operand's cases; a list counts as one case for each item. None when there are too many.

    The empty list is a case of its own, so that every operand has at least one.
    """
    try:
        return _cases(operand)
    except _TooManyError:
        return None


def _cases(operand: Expression) -> tuple[Case, ...]:
    match operand:
        case If(test, then, otherwise):
            return _few(_under(test, True, _cases(then)) + _under(test, False, _cases(otherwise)))
        case Sequence(items) if items:
            return _few(tuple(case for item in items for case in _cases(item)))
        case Arithmetic(op, left, right) if not _has_list(operand):
            return _few(
                tuple(
                    Case(Arithmetic(op, one.value, other.value), one.tests + other.tests)
                    for one in _cases(left)
                    for other in _cases(right)
                )
            )
        case Negate(inner) if not _has_list(operand):
            return tuple(Case(Negate(case.value), case.tests) for case in _cases(inner))
        case Call(name, (inner,)) if name in ("number", "abs", "xs:decimal", "xs:double") and not _has_list(operand):
            return tuple(Case(Call(name, (case.value,)), case.tests) for case in _cases(inner))
        case _:
            return (Case(operand),)


def _few(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    if len(cases) > _MOST:
        raise _TooManyError
    return cases


def _under(test: Expression, wanted: bool, cases: tuple[Case, ...]) -> tuple[Case, ...]:
    return tuple(Case(case.value, ((test, wanted), *case.tests)) for case in cases)


def _has_list(operand: Expression) -> bool:
    """Tell whether a list, also an empty one, stands in the operand of an operation that wants one item."""
    match operand:
        case Sequence():
            return True
        case Arithmetic(_, left, right):
            return _has_list(left) or _has_list(right)
        case Negate(inner) | Call(_, (inner,)):
            return _has_list(inner)
        case If(_, then, otherwise):
            return _has_list(then) or _has_list(otherwise)
        case _:
            return False
