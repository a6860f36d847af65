"""`inexact-equality`: `=` on sums or products in double arithmetic, where correct records with decimals fail."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from constraint_sdc.constraints.constraint import (
    AllOf,
    EditRule,
    Formula,
    IntegerAtom,
    LinearAtom,
    Number,
    ProductAtom,
    atom_variables,
)
from constraint_sdc.constraints.normalise import normalise
from constraint_sdc.constraints.show_atom import show_expression
from constraint_sdc.evaluate.expression import Compare, walk
from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.lint.trial import decimal_text, is_tried, made_columns, truths
from constraint_sdc.schematron.schema import Severity
from constraint_sdc.settings.reason import because

_TRIALS = 300
_FEWEST = 20  # records that could be made
_ASSUMED = 2  # decimals of a variable about which nothing is known
_NUMBER = re.compile(r"\s*[+-]?[0-9]*(?:\.([0-9]*))?\s*")


@dataclass(frozen=True, slots=True)
class _Tried:
    """Made-up records that satisfy an equation exactly: how many, how many fail, and the shortest that fails."""

    correct: int
    failing: int
    shortest: Mapping[str, str]


def find_inexact_equalities(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the rules of which exactly correct records fail; such records are made up and tried.

    Variables that rules declare whole, or that have no decimals in the data, get whole numbers. Where nothing is known
    of the decimals of a variable, two are assumed and the finding is information.
    """
    known = _known_decimals(subject)
    for rule in subject.rules:
        for comparison in _equations(rule):
            equation = normalise(comparison, xpath1=subject.is_xpath1)
            tried = _tried(comparison, equation, known, subject.is_xpath1)
            if tried is not None and tried.failing:
                is_known = all(name in known for name in tried.shortest)
                severity: Severity = "warning" if is_known else "information"
                reason = because(
                    "lint-inexact",
                    failing=tried.failing,
                    correct=tried.correct,
                    example=tuple(f"{name} = {text}" for name, text in tried.shortest.items()),
                    is_known=is_known,
                    quotes={"comparison": show_expression(comparison)},
                )
                yield LintFinding("inexact-equality", severity, subject.place(rule.id), reason)
                break


def _equations(rule: EditRule) -> Iterator[Compare]:
    for part in () if rule.expression is None else walk(rule.expression):
        if isinstance(part, Compare) and part.op == "=":
            yield part


def _tried(comparison: Compare, equation: Formula, known: Mapping[str, int], xpath1: bool) -> _Tried | None:
    if not isinstance(equation, LinearAtom | ProductAtom) or equation.number is not Number.DOUBLE:
        return None
    if len(atom_variables(equation)) < 2 or not is_tried(comparison, xpath1=xpath1):
        return None
    chance = random.Random(20)  # the same records every time
    drawn = (_correct_record(equation, known, chance) for _ in range(_TRIALS))
    records = [record for record in drawn if record is not None]
    if len(records) < _FEWEST:
        return None
    _, false = truths(comparison, made_columns(records), len(records), xpath1=xpath1)
    failing = [record for record, fails in zip(records, false.tolist(), strict=True) if fails]
    shortest = min(failing, key=lambda record: sum(map(len, record.values())), default={})
    return _Tried(len(records), len(failing), shortest)


def _correct_record(
    equation: LinearAtom | ProductAtom, known: Mapping[str, int], chance: random.Random
) -> dict[str, str] | None:
    """Return a record that satisfies an equation exactly, None if the draw has none with so many decimals."""
    *free, last = atom_variables(equation)
    values = {name: _drawn(known.get(name, _ASSUMED), chance) for name in free}
    solved = _solved(equation, last, values)
    if solved is None:
        return None
    texts = {name: decimal_text(value) for name, value in values.items()}
    texts[last] = decimal_text(solved, known.get(last, 2 * _ASSUMED))
    return {name: text for name, text in texts.items() if text is not None} if None not in texts.values() else None


def _drawn(decimals: int, chance: random.Random) -> Fraction:
    return Fraction(chance.randint(1, 10 ** chance.randint(1, 5)), 10**decimals)


def _solved(equation: LinearAtom | ProductAtom, last: str, values: Mapping[str, Fraction]) -> Fraction | None:
    """Solve an equation for one variable."""
    if isinstance(equation, LinearAtom):
        factors = dict(equation.terms)
        rest = sum((factors[name] * value for name, value in values.items()), Fraction(0))
        return (equation.constant - rest) / factors[last]
    sides = [(equation.left, equation.left_factor), (equation.right, equation.right_factor)]
    mine, other = sides if last in dict(sides[0][0]) else sides[::-1]
    if (
        dict(mine[0])[last] != 1
        or last in dict(other[0])
        or any(power != int(power) for _, power in (*mine[0], *other[0]))
    ):
        return None
    above = other[1] * prod((values[name] ** int(power) for name, power in other[0]), start=Fraction(1))
    below = mine[1] * prod((values[name] ** int(power) for name, power in mine[0] if name != last), start=Fraction(1))
    return above / below if below else None


def _known_decimals(subject: LintSubject) -> dict[str, int]:
    """Return the decimals of the variables of which they are known: 0 where a rule asks for whole numbers."""
    known = {name: 0 for rule in subject.stated for name in _whole(rule.formula)}
    columns = {} if subject.data is None else subject.data.columns
    for name, column in columns.items():
        found = [_NUMBER.fullmatch(text) for text in set(column.texts()) if text is not None and text.strip()]
        read = [match for match in found if match is not None]
        if read:
            known[name] = max(len((match[1] or "").rstrip("0")) for match in read)
    return known


def _whole(formula: Formula) -> Iterator[str]:
    for item in formula.items if isinstance(formula, AllOf) else (formula,):
        if isinstance(item, IntegerAtom) and not item.negated and item.modulus.denominator == 1:
            yield item.variable


REGISTERED = {"inexact-equality": LintKind("inexact-equality", "warning", find_inexact_equalities)}
