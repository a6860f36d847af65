"""Questions to z3 about formulas over exact rationals. This is the only module that imports z3.

A record is four things for each variable: whether it is present, whether its text is a number, that number, and its
text among the texts that rules name. A part without a term of its own (a regular expression, a value domain, a
condition on one variable, a root) is a free truth value of the variable: the same part has the same truth wherever it
stands. So a contradiction that is found is one for every meaning of these parts; what only their meaning excludes is
not found.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias
from typing import Literal as OneOf

import z3

from constraint_sdc.constraints.compare_forms import NUMBER_TEXT
from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    Atom,
    ConditionAtom,
    DateReadings,
    DomainAtom,
    Formula,
    IntegerAtom,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    Powers,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atoms,
)
from constraint_sdc.evaluate.expression import CompareOp

SolverTerm: TypeAlias = Any
"""A term of z3, whose classes carry no useful types."""
Satisfiable: TypeAlias = OneOf["yes", "no", "unknown"]

# Of z3's own count of work for one question; the clock decides nothing. A step over products takes far longer.
_STEPS, _STEPS_OF_PRODUCTS = 2_000_000, 100_000
_MOST_OPEN = 3  # questions left open, after which no further one is asked of the same formulas

_COMPARED: dict[CompareOp, Callable[[SolverTerm, SolverTerm], SolverTerm]] = {
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
_EMPTY = ""


@dataclass(frozen=True, slots=True)
class Solved:
    """Whether some record satisfies formulas together.

    If not, `core` names formulas that are enough for that, not always the fewest. If so, `numbers` are those of one
    such record, for the variables that have a number there.
    """

    answer: Satisfiable
    core: tuple[str, ...] = ()
    numbers: Mapping[str, Fraction] = field(default_factory=dict)


class Solver:
    """Formulas under names, and questions about some of them. Equal questions in equal order get equal answers."""

    def __init__(self, formulas: Mapping[str, Formula]) -> None:
        self._encoder = Encoder()
        self._solver = z3.Solver()
        products = any(isinstance(a, ProductAtom | PolynomialAtom) for one in formulas.values() for a in atoms(one))
        self._solver.set("rlimit", _STEPS_OF_PRODUCTS if products else _STEPS)
        self._flags = {name: z3.Bool(f"formula {name}") for name in formulas}
        self._named = {flag.get_id(): name for name, flag in self._flags.items()}
        self._open_questions = 0
        self._asked: dict[Formula, SolverTerm] = {}
        self._axioms = 0
        for name, formula in formulas.items():
            self._solver.add(z3.Implies(self._flags[name], self._encoder.term(formula)))

    def solve(self, names: Collection[str], *also: Formula, wants_numbers: bool = False) -> Solved:
        """Tell whether a record satisfies the formulas of these names and those `also` given.

        With `wants_numbers` the answer "yes" comes with the numbers of such a record.
        """
        if self._open_questions >= _MOST_OPEN:
            return Solved("unknown")
        extra = [self._flag(formula) for formula in also]
        self._state_axioms()
        answer = self._solver.check(*(self._flags[name] for name in names), *extra)
        if answer == z3.unsat:
            core = {self._named.get(flag.get_id()) for flag in self._solver.unsat_core()}
            return Solved("no", tuple(name for name in names if name in core))
        if answer != z3.sat:
            self._open_questions += 1
            return Solved("unknown")
        return Solved("yes", numbers=self._numbers() if wants_numbers else {})

    def minimal(self, names: Collection[str], *also: Formula) -> tuple[str, ...]:
        """Return as few of the formulas as still contradict `also`: each is needed (a deletion filter)."""
        left = list(names)
        for name in names:
            if name in left:
                solved = self.solve([other for other in left if other != name], *also)
                left = list(solved.core) if solved.answer == "no" else left
        return tuple(left)

    def largest(self, names: Collection[str], variable: str, *, least: bool = False) -> Fraction | None:
        """Return the bound that a variable reaches or approaches under formulas, None if none is found."""
        optimum = z3.Optimize()
        optimum.set("rlimit", _STEPS)
        optimum.add(self._solver.assertions())
        optimum.add([self._flags[name] for name in names])
        optimum.add(self._encoder.is_number(variable))
        symbol = self._encoder.number(variable)
        goal = optimum.minimize(symbol) if least else optimum.maximize(symbol)
        if optimum.check() != z3.sat:
            return None
        infinite, value, _ = optimum.lower_values(goal) if least else optimum.upper_values(goal)
        return _fraction(value) if _fraction(infinite) == 0 else None

    def _flag(self, formula: Formula) -> SolverTerm:
        if formula not in self._asked:
            flag = z3.Bool(f"asked {len(self._asked)}")
            self._solver.add(z3.Implies(flag, self._encoder.term(formula)))
            self._asked[formula] = flag
        return self._asked[formula]

    def _state_axioms(self) -> None:
        axioms = self._encoder.axioms()
        self._solver.add(axioms[self._axioms :])
        self._axioms = len(axioms)

    def _numbers(self) -> dict[str, Fraction]:
        model = self._solver.model()
        found = {}
        for name in self._encoder.names():
            value = _fraction(model.eval(self._encoder.number(name), model_completion=True))
            if z3.is_true(model.eval(self._encoder.is_number(name))) and value is not None:
                found[name] = value
        return found


class Encoder:
    """Turns formulas into terms; what is known of a variable is one symbol each, whatever formula asks for it."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {_EMPTY: 0}
        self._axioms: list[SolverTerm] = []
        self._names: set[str] = set()
        self._tied: set[tuple[str, str]] = set()

    def axioms(self) -> list[SolverTerm]:
        """Return what holds of the variables of every record, in the order in which formulas asked for them."""
        return list(self._axioms)

    def names(self) -> list[str]:
        """Return the variables of all formulas so far."""
        return sorted(self._names)

    def term(self, formula: Formula) -> SolverTerm:
        """Return a formula as a term."""
        match formula:
            case AllOf(items):
                return z3.And([self.term(item) for item in items])
            case AnyOf(items):
                return z3.Or([self.term(item) for item in items])
            case _:
                return self._atom(formula)

    def number(self, name: str) -> SolverTerm:
        """Return the number that a variable's text is."""
        self._known(name)
        return z3.Real(f"number {name}")

    def is_number(self, name: str) -> SolverTerm:
        """Tell whether a variable's text is a number."""
        self._known(name)
        return z3.Bool(f"is number {name}")

    def is_present(self, name: str) -> SolverTerm:
        """Tell whether a variable's element or attribute exists."""
        self._known(name)
        return z3.Bool(f"present {name}")

    def _text(self, name: str, text: str) -> SolverTerm:
        """Tell whether a variable's text is this one; a text that is a number is tied to that number."""
        self._known(name)
        code = self._texts.setdefault(text, len(self._texts))
        symbol = z3.Int(f"text {name}")
        if (name, text) not in self._tied:
            self._tied.add((name, text))
            value = _number_in(text)
            is_number = z3.Bool(f"is number {name}")
            meant = z3.Not(is_number) if value is None else z3.And(is_number, z3.Real(f"number {name}") == _real(value))
            self._axioms.append(z3.Implies(symbol == code, meant))
        return symbol == code

    def _known(self, name: str) -> None:
        if name not in self._names:
            self._names.add(name)
            present, is_number = z3.Bool(f"present {name}"), z3.Bool(f"is number {name}")
            self._axioms += [z3.Implies(is_number, present), z3.Implies(is_number, z3.Int(f"text {name}") != 0)]

    def _atom(self, atom: Atom) -> SolverTerm:
        match atom:
            case LinearAtom(terms, op, constant, _, if_missing, dates):
                total = z3.Sum([_real(factor) * self._quantity(name, dates) for name, factor in terms])
                return self._where((n for n, _ in terms), _COMPARED[op](total, _real(constant)), if_missing, dates)
            case ProductAtom(left, left_factor, op, right, right_factor, _, if_missing):
                if not _is_whole(left + right):
                    return self._free(atom, "root", *(name for name, _ in left + right))
                sides = (self._product(left, left_factor), self._product(right, right_factor))
                return self._where((n for n, _ in left + right), _COMPARED[op](*sides), if_missing)
            case PolynomialAtom(sums, op, constant, _, if_missing):
                powers = tuple(pair for one, _ in sums for pair in one)
                if not _is_whole(powers):
                    return self._free(atom, "root", *(name for name, _ in powers))
                total = z3.Sum([self._product(one, factor) for one, factor in sums])
                return self._where((n for n, _ in powers), _COMPARED[op](total, _real(constant)), if_missing)
            case SetAtom():
                return self._set(atom)
            case IntegerAtom(name, modulus, remainder, negated, if_missing):
                whole = z3.IsInt((self.number(name) - _real(remainder)) / _real(modulus))
                return self._where((name,), z3.Not(whole) if negated else whole, if_missing)
            case _:
                return self._of_text(atom)

    def _of_text(self, atom: PatternAtom | PresentAtom | DomainAtom | ConditionAtom | OpaqueAtom) -> SolverTerm:
        match atom:
            case PresentAtom(name, negated, filled):
                present = self.is_present(name)
                truth = z3.And(present, z3.Not(self._text(name, _EMPTY))) if filled else present
            case PatternAtom(name, regex, flags, negated):
                truth = z3.And(self.is_present(name), self._free(atom, f"matches {regex} {flags}", name))
                if regex == NUMBER_TEXT:
                    # INF is such a text too, and no rational number.
                    truth = z3.Or(self.is_number(name), truth)
            case DomainAtom(name, source, negated):
                truth = z3.And(self.is_present(name), self._free(atom, f"occurs {source}", name))
            case ConditionAtom(name, text, _, is_xpath1, negated):
                truth = self._free(atom, f"condition {is_xpath1} {text}", name)
            case OpaqueAtom(text, names):
                return self._free(atom, f"opaque {text}", *names)
        return z3.Not(truth) if negated else truth

    def _free(self, atom: Atom, what: str, *names: str) -> SolverTerm:
        for name in names:
            self._known(name)
        return z3.Bool(f"{what} of {atom if what == 'root' else names}")

    def _set(self, atom: SetAtom) -> SolverTerm:
        name = atom.variable
        numbers = [value for value in atom.values if isinstance(value, Fraction)]
        texts = [value for value in atom.values if isinstance(value, str)]
        among = z3.Or([self.number(name) == _real(n) for n in numbers] + [self._text(name, text) for text in texts])
        truth = z3.Not(among) if atom.negated else among
        readable = self.is_number(name) if numbers else self.is_present(name)
        return z3.If(readable, truth, z3.BoolVal(atom.if_missing))

    def _where(self, names: Iterable[str], truth: SolverTerm, if_missing: bool, dates: DateReadings = ()) -> SolverTerm:
        """Return the truth of a comparison: as said where every operand is readable, else what a missing one makes."""
        notations = dict(dates)
        readable = [
            z3.Bool(f"date {notations[n].name} {n}") if n in notations else self.is_number(n)
            for n in dict.fromkeys(names)
        ]
        return z3.If(z3.And(readable), truth, z3.BoolVal(if_missing))

    def _quantity(self, name: str, dates: DateReadings) -> SolverTerm:
        notations = dict(dates)
        if name not in notations:
            return self.number(name)
        self._known(name)
        readable = z3.Bool(f"date {notations[name].name} {name}")
        axiom = z3.Implies(readable, self.is_present(name))
        if (name, notations[name].name) not in self._tied:
            self._tied.add((name, notations[name].name))
            self._axioms.append(axiom)
        return z3.ToReal(z3.Int(f"days {notations[name].name} {name}"))

    def _product(self, powers: Powers, factor: Fraction) -> SolverTerm:
        symbols = [self.number(name) for name, power in powers for _ in range(int(power))]
        return reduce(lambda left, right: left * right, symbols, _real(factor))


def _is_whole(powers: Powers) -> bool:
    return all(power == int(power) for _, power in powers)


def _fraction(value: SolverTerm) -> Fraction | None:
    if z3.is_int_value(value):
        return Fraction(value.as_long())
    if z3.is_rational_value(value):
        return Fraction(value.numerator_as_long(), value.denominator_as_long())
    return None


def _real(value: Fraction) -> SolverTerm:
    return z3.Q(value.numerator, value.denominator)


def _number_in(text: str) -> Fraction | None:
    try:
        return Fraction(text.strip()) if text.strip() and "/" not in text and "_" not in text else None
    except ValueError:
        return None
