"""What the plan needs to know about a rule: the variables it reads, atom by atom, and whether we can evaluate it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias, assert_never

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.calendar import DateNotation
from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    Atom,
    ConditionAtom,
    DomainAtom,
    EditRule,
    Formula,
    IntegerAtom,
    Kind,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    Powers,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
    atoms,
)
from constraint_sdc.data.table import State, Table
from constraint_sdc.engines.running import scratch
from constraint_sdc.evaluate.distinct_texts import distinct_texts
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Call, CompareOp, Literal, Outside, Variable, variables_of
from constraint_sdc.evaluate.truth import evaluate_truth, refuses
from constraint_sdc.evaluate.value import Records
from constraint_sdc.xpath.reads import Reads

# The disjunctive normal form of a rule: the conjunctions of atoms of which every record satisfies at least one.

Term: TypeAlias = tuple[Atom, ...]

MOST_TERMS = 64
"""A rule with more conjunctions gets no strata; its representatives are checked one by one."""


def terms_of(formula: Formula) -> tuple[Term, ...] | None:
    """Return the conjunctions, `a != b` split into `a < b` and `a > b`; None when there are too many.

    >>> from fractions import Fraction
    >>> a, b = (LinearAtom(((name, Fraction(1)),), "<", Fraction(0)) for name in "ab")
    >>> [[atom.terms[0][0] for atom in term] for term in terms_of(AnyOf((a, AllOf((a, b))))) or ()]
    [['a'], ['a', 'b']]
    """
    found = _terms(formula)
    return None if found is None else tuple(dict.fromkeys(found))


def _terms(formula: Formula) -> list[Term] | None:
    match formula:
        case AllOf(items):
            parts = [_terms(item) for item in items]
            size = 1
            for part in parts:
                if part is None or (size := size * max(len(part), 1)) > MOST_TERMS:
                    return None
            return [sum(choice, ()) for choice in product(*(part or [] for part in parts))]
        case AnyOf(items):
            found: list[Term] = []
            for item in items:
                part = _terms(item)
                if part is None or len(found := found + part) > MOST_TERMS:
                    return None
            return found
        case LinearAtom(op="!=") | ProductAtom(op="!=") | PolynomialAtom(op="!="):
            sides: list[Term] = [(replace(formula, op="<"),), (replace(formula, op=">"),)]
            return sides
        case _:
            return [(formula,)]


_NUMERIC = (LinearAtom, ProductAtom, PolynomialAtom)


@dataclass(frozen=True, slots=True)
class RuleFacts:
    """`ties` are sets of variables whose values in a record must come from the same source: one for each atom.

    `terms` are the rule's conjunctions, None when there are too many or the rule cannot be evaluated here. `anything`
    are parts of the rule that may read variables which its text does not name. `asks_saxon` if the rule is not
    evaluated here, but Saxon can judge it on single records.
    """

    edit: EditRule
    says: str
    variables: tuple[str, ...]
    ties: tuple[tuple[str, ...], ...]
    terms: tuple[Term, ...] | None
    is_evaluable: bool
    anything: tuple[str, ...] = ()
    asks_saxon: bool = False

    @property
    def is_certain(self) -> bool:
        """Tell whether the rule reads no variable but those that are named."""
        return not self.anything

    @property
    def is_checked(self) -> bool:
        """Tell whether candidates can be judged by the rule."""
        return self.is_evaluable or self.asks_saxon

    @property
    def id(self) -> str:
        """Return the rule's id."""
        return self.edit.id

    @property
    def is_cross_record(self) -> bool:
        """Tell whether the rule looks outside its own record."""
        return self.edit.constraint.kind is Kind.CROSS_RECORD

    def reading_all_of(self, masked: Collection[str]) -> RuleFacts:
        """Return a rule that may read unnamed variables as one that reads every masked variable."""
        names = tuple(masked)
        return self if self.is_certain else replace(self, variables=names, ties=(names,))

    def only_bounds(self, name: str) -> bool:
        """Tell whether the rule compares the variable with others by inequalities, or in a way that is not known.

        Such a rule may hold for values that differ from record to record; one that needs an exact value does not.
        """
        mine = [atom for atom in self.atoms() if name in atom_variables(atom) and len(atom_variables(atom)) > 1]
        return self.is_evaluable and all(
            isinstance(a, OpaqueAtom) or (isinstance(a, _NUMERIC) and a.op not in ("=", "!=")) for a in mine
        )

    def atoms(self) -> tuple[Atom, ...]:
        """Return the rule's atoms."""
        return tuple(atoms(self.edit.constraint.formula))


def rule_facts(
    rules: Iterable[EditRule],
    says: Mapping[str, str],
    known: Collection[str],
    evaluable: Collection[str],
    asking_saxon: Collection[str] = (),
) -> tuple[RuleFacts, ...]:
    """Gather the facts; `known` are the file's variables, `evaluable` the rules that we can evaluate on any record.

    Of the others, Saxon judges those `asking_saxon` on single records.
    """
    return tuple(_facts(edit, says[edit.id], known, edit.id in evaluable, edit.id in asking_saxon) for edit in rules)


def _facts(edit: EditRule, says: str, known: Collection[str], is_evaluable: bool, asks_saxon: bool) -> RuleFacts:
    if edit.never_fires:
        return RuleFacts(edit, says, (), (), None, is_evaluable=is_evaluable)
    if not is_evaluable and edit.constraint.kind is not Kind.CROSS_RECORD:
        return _facts_of_tree(edit, says, known, asks_saxon)
    names = tuple(name for name in _variables(edit) if name in known)
    ties = [atom_variables(atom) for atom in atoms(edit.constraint.formula)] if is_evaluable else [names]
    return RuleFacts(
        edit,
        says,
        names,
        tuple(tuple(name for name in tie if name in known) for tie in ties),
        terms_of(edit.constraint.formula) if is_evaluable else None,
        is_evaluable,
    )


def _facts_of_tree(edit: EditRule, says: str, known: Collection[str], asks_saxon: bool) -> RuleFacts:
    """Return the facts of a rule whose meaning is not known: what it reads is known from its syntax."""
    reads = edit.reads or Reads((), (edit.assertion.test,))
    names = tuple(name for name in reads.names if name in known)
    return RuleFacts(
        edit,
        says,
        names,
        (names,),
        None,
        is_evaluable=False,
        anything=reads.anything,
        asks_saxon=asks_saxon,
    )


def _variables(edit: EditRule) -> tuple[str, ...]:
    """Return every variable on which the verdict may depend, the context's included."""
    names = dict.fromkeys(edit.constraint.variables)
    for atom in atoms(edit.constraint.formula):
        names.update(dict.fromkeys(atom_variables(atom)))
    context = edit.context
    for expression in (edit.expression, context.condition if context else None):
        if expression is not None:
            names.update(dict.fromkeys(variables_of(expression)))
    if context is not None and context.variable is not None:
        names[context.variable] = None
    return tuple(names)


def computed_with(rules: Iterable[RuleFacts]) -> frozenset[str]:
    """Return the variables that some rule compares with another variable or computes with."""
    found = (a for rule in rules if not rule.is_cross_record for a in rule.atoms() if isinstance(a, _NUMERIC))
    return frozenset(name for atom in found if len(atom_variables(atom)) > 1 for name in atom_variables(atom))


# Which records satisfy an atom, computed in doubles: precise enough to choose strata, but not a proof.
#
# A non-strict comparison ignores the last digits, so that it accepts a sum that the rule's own arithmetic accepts. The
# rules' own expressions, evaluated on the texts that are written, decide whether a rule holds.

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
            if column is None:
                self._numbers[name] = np.full(self._table.records, np.nan)
            else:
                seen = distinct_texts(column)
                self._numbers[name] = scratch().taken(seen.numbers, seen.codes)
        return self._numbers[name]

    def _days(self, name: str, notation: DateNotation) -> Floats:
        """Return a variable as days or months; NaN where the value is not a date."""
        column = self._table.columns.get(name)
        texts = [None] * self._table.records if column is None else column.texts()
        known = {text: notation.number(text.strip()) for text in set(texts) if text is not None}
        found = (None if text is None else known[text] for text in texts)
        return np.array([np.nan if number is None else number for number in found], np.float64)

    def _truth(self, atom: Atom) -> Flags | None:
        match atom:
            case LinearAtom(terms, op, constant, _, if_missing, dates):
                read = dict(dates)
                numbers = (self._days(name, read[name]) if name in read else self.numbers(name) for name, _ in terms)
                parts = [float(c) * values for values, (_, c) in zip(numbers, terms, strict=True)]
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
            case ConditionAtom():
                return self._condition(atom)
            case OpaqueAtom():
                return None
            case _:
                assert_never(atom)

    def _product(self, powers: Powers) -> Floats:
        result = np.ones(self._table.records)
        for name, power in powers:
            result = result * self.numbers(name) ** (power if isinstance(power, int) else float(power))
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

    def _condition(self, atom: ConditionAtom) -> Flags:
        """Return the truth of a condition; where only Saxon can decide, the record counts as one that fails it."""
        records = Records(self._table.columns, self._table.records)
        found = evaluate_truth(atom.expression, records, xpath1=atom.is_xpath1, domains={})
        return (found.truth ^ atom.negated) & ~found.unsure

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
