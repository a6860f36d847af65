"""Which records satisfy an atom, computed in doubles: precise enough to choose strata, but not a proof.

A non-strict comparison ignores the last digits, so that it accepts a sum that the rule's own arithmetic accepts. The
rules' own expressions, evaluated on the texts that are written, decide whether a rule holds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import assert_never

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.constraints.constraint import (
    Atom,
    DomainAtom,
    IntegerAtom,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    Powers,
    PresentAtom,
    ProductAtom,
    SetAtom,
)
from constraint_sdc.data.table import State, Table
from constraint_sdc.data.text import Text
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Call, CompareOp, Literal, Outside, Variable
from constraint_sdc.evaluate.lexical import Reading
from constraint_sdc.evaluate.truth import evaluate_truth, refuses
from constraint_sdc.evaluate.value import Records

_FORGIVEN = 1e-9
_COMPARE: dict[CompareOp, Callable[[Floats, Floats], Flags]] = {
    "=": lambda gap, slack: np.abs(gap) <= slack,
    "!=": lambda gap, slack: np.abs(gap) > slack,
    "<=": lambda gap, slack: gap <= slack,
    ">=": lambda gap, slack: gap >= -slack,
    "<": lambda gap, _: operator.lt(gap, 0.0),
    ">": lambda gap, _: operator.gt(gap, 0.0),
}


class AtomTruth:
    """The truth of atoms on the records of a table, each variable read once."""

    def __init__(self, table: Table, domains: Mapping[Outside, Domain]) -> None:
        self._table = table
        self._domains = domains
        self._numbers: dict[str, Floats] = {}
        self._known: dict[Atom, Flags | None] = {}

    def of(self, atom: Atom) -> Flags | None:
        """Tell where the atom holds; None when it is not understood."""
        if atom not in self._known:
            with np.errstate(all="ignore"):
                self._known[atom] = self._truth(atom)
        return self._known[atom]

    def numbers(self, name: str) -> Floats:
        """Return a variable as XPath's number(): NaN where the value is not a number."""
        if name not in self._numbers:
            column = self._table.columns.get(name)
            nothing = np.full(self._table.records, np.nan)
            self._numbers[name] = nothing if column is None else Reading(Text.of_column(column)).doubles.values
        return self._numbers[name]

    def _truth(self, atom: Atom) -> Flags | None:
        match atom:
            case LinearAtom(terms, op, constant, _, if_missing):
                parts = [float(c) * self.numbers(name) for name, c in terms]
                return _compare(parts, op, float(constant), if_missing)
            case ProductAtom(left, left_factor, op, right, right_factor, _, if_missing):
                sides = [float(left_factor) * self._product(left), -float(right_factor) * self._product(right)]
                return _compare(sides, op, 0.0, if_missing)
            case PolynomialAtom(sums, op, constant, _, if_missing):
                parts = [float(c) * self._product(powers) for powers, c in sums]
                return _compare(parts, op, float(constant), if_missing)
            case SetAtom(variable, values, negated, if_missing):
                return self._member(variable, values, negated, if_missing)
            case IntegerAtom(variable, modulus, remainder, negated, if_missing):
                value = self.numbers(variable)
                rest = np.mod(value - float(remainder), float(modulus))
                near = np.minimum(rest, float(modulus) - rest) <= _FORGIVEN * float(modulus)
                return np.where(np.isfinite(value), near ^ negated, if_missing)
            case PresentAtom(variable, negated, filled):
                return self._present(variable, filled) ^ negated
            case DomainAtom(variable, source, negated):
                column = self._table.columns.get(variable)
                domain = self._domains.get(source)
                return None if column is None or domain is None else domain.contains(column) ^ negated
            case PatternAtom():
                return self._matches(atom)
            case OpaqueAtom():
                return None
            case _:
                assert_never(atom)

    def _product(self, powers: Powers) -> Floats:
        result = np.ones(self._table.records)
        for name, power in powers:
            result = result * self.numbers(name) ** power
        return result

    def _member(self, variable: str, values: tuple[object, ...], negated: bool, if_missing: bool) -> Flags:
        if values and isinstance(values[0], str):
            column = self._table.columns.get(variable)
            texts = [None] * self._table.records if column is None else column.texts()
            return np.array([if_missing if t is None else (t in values) ^ negated for t in texts], np.bool_)
        numbers = self.numbers(variable)
        found = np.isin(numbers, [float(v) for v in values])  # type: ignore[arg-type]  # numbers all, or texts all
        return np.where(np.isnan(numbers), if_missing, found ^ negated)

    def _present(self, variable: str, filled: bool) -> Flags:
        column = self._table.columns.get(variable)
        if column is None:
            return np.zeros(self._table.records, np.bool_)
        return column.state == State.VALUE if filled else column.present()

    def _matches(self, atom: PatternAtom) -> Flags | None:
        flags = (Literal(atom.flags),) if atom.flags else ()
        call = Call("matches", (Variable(atom.variable), Literal(atom.regex), *flags))
        if refuses(call, xpath1=False) is not None:
            return None
        records = Records(self._table.columns, self._table.records)
        return evaluate_truth(call, records, xpath1=False, domains={}).truth ^ atom.negated


def _compare(parts: list[Floats], op: CompareOp, constant: float, if_missing: bool) -> Flags:
    gap = sum(parts, np.zeros(1)) - constant
    size = sum((np.abs(part) for part in parts), np.zeros(1)) + abs(constant)
    return np.where(np.isnan(gap), if_missing, _COMPARE[op](gap, _FORGIVEN * size))
