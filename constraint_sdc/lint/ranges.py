"""Variables that rules together fix, bound or forbid, although no rule about them alone says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal as OneOf

from constraint_sdc.constraints.constraint import AnyOf, Formula, LinearAtom, PresentAtom, SetAtom
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.lint.solver import Solved, Solver
from constraint_sdc.lint.stated import StatedRule

_FAR = Fraction(10**15)
"""Beyond it a variable counts as unbounded."""


@dataclass(frozen=True, slots=True)
class Range:
    """What follows for a variable from rules: one value, a least or largest value, or that it is never there."""

    variable: str
    kind: OneOf["fixed", "at least", "at most", "never present"]
    value: Fraction
    rules: tuple[str, ...]


class RangeSearch:
    """Looks for such variables under rules that do not contradict each other.

    One question asks about all candidates at once; a record that answers it rules out every candidate that it refutes.
    """

    def __init__(self, solver: Solver, rules: Sequence[StatedRule]) -> None:
        self._solver = solver
        self._rules = {rule.id: rule for rule in rules if rule.strictness == 0}
        self.undecided: list[str] = []

    def found(self) -> Iterator[Range]:
        """Yield the variables in the order in which the rules name them."""
        names = list(dict.fromkeys(name for rule in self._rules.values() for name in rule.variables))
        numbers = self._solver.solve(tuple(self._rules), wants_numbers=True).numbers
        absent = [name for name in names if name not in numbers and self._core(PresentAtom(name))]
        fixed = self._fixed([name for name in names if name not in absent], dict(numbers))
        for name in names:
            if name in absent:
                yield from self._told(Range(name, "never present", Fraction(0), ()), PresentAtom(name))
            elif name in fixed:
                yield from self._told(Range(name, "fixed", fixed[name], ()), _other(name, fixed[name]))
        rest = [name for name in names if name not in absent and name not in fixed]
        for is_least in (True, False):
            yield from self._bounded(rest, is_least)

    def _fixed(self, names: list[str], numbers: dict[str, Fraction]) -> dict[str, Fraction]:
        for name in names:
            if name not in numbers:
                other = self._solver.solve(tuple(self._rules), _is_number(name), wants_numbers=True).numbers
                numbers |= {name: other[name]} if name in other else {}
        return self._surviving({name: numbers[name] for name in names if name in numbers})

    def _surviving(self, left: dict[str, Fraction]) -> dict[str, Fraction]:
        """Return the variables that no record gives another value."""
        while left:
            solved = self._asked(_other(*pair) for pair in left.items())
            if solved.answer == "no":
                return left
            if solved.answer == "unknown":
                self.undecided += left
                return {}
            left = {name: value for name, value in left.items() if solved.numbers.get(name, value) == value}
        return {}

    def _bounded(self, names: Iterable[str], is_least: bool) -> Iterator[Range]:
        left = [name for name in names if not self._says_itself(name, is_least)]
        while left:
            solved = self._asked(_far(name, is_least) for name in left)
            if solved.answer == "unknown":
                self.undecided += left
                return
            if solved.answer == "no":
                break
            left = [name for name in left if not _is_far(solved.numbers.get(name), is_least)]
        for name in left:
            value = self._solver.largest(tuple(self._rules), name, least=is_least)
            if value is not None:
                bound = Range(name, "at least" if is_least else "at most", value, ())
                yield from self._told(bound, _bound(name, "<" if is_least else ">", value))

    def _asked(self, any_of: Iterable[Formula]) -> Solved:
        """Tell whether some record satisfies the rules and one of the formulas, and return its numbers."""
        return self._solver.solve(tuple(self._rules), AnyOf(tuple(any_of)), wants_numbers=True)

    def _says_itself(self, name: str, is_least: bool) -> bool:
        """Tell whether rules about the variable alone bound it."""
        own = [rule.id for rule in self._rules.values() if rule.variables == (name,)]
        return bool(own) and self._solver.solve(own, _far(name, is_least)).answer == "no"

    def _told(self, found: Range, against: Formula) -> Iterator[Range]:
        """Yield what is found with the rules it follows from, unless one rule about the variable alone says it."""
        core = self._core(against)
        own = [name for name in core if self._rules[name].variables == (found.variable,)]
        if core and len(own) < len(core):
            yield Range(found.variable, found.kind, found.value, core)

    def _core(self, against: Formula) -> tuple[str, ...]:
        """Return a minimal set of rules that excludes a formula, or nothing."""
        solved = self._solver.solve(tuple(self._rules), against)
        if solved.answer != "no":
            return ()
        needed = self._solver.minimal(solved.core, against)
        return tuple(name for name in self._rules if name in needed)


def _bound(name: str, op: CompareOp, value: Fraction) -> LinearAtom:
    return LinearAtom(((name, Fraction(1)),), op, value)


def _is_number(name: str) -> Formula:
    return AnyOf((_bound(name, ">=", Fraction(0)), _bound(name, "<", Fraction(0))))


def _other(name: str, value: Fraction) -> Formula:
    return SetAtom(name, (value,), negated=True)


def _far(name: str, is_least: bool) -> Formula:
    return _bound(name, "<", -_FAR) if is_least else _bound(name, ">", _FAR)


def _is_far(value: Fraction | None, is_least: bool) -> bool:
    return value is not None and (value < -_FAR if is_least else value > _FAR)
