"""`missing-guard`: a value that may be missing breaks a rule, or silently satisfies it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from constraint_sdc.constraints.compare_forms import NUMBER_TEXT
from constraint_sdc.constraints.constraint import AllOf, Formula, PatternAtom, PresentAtom, atoms
from constraint_sdc.constraints.normalise import normalise
from constraint_sdc.constraints.simplify import negate
from constraint_sdc.data.table import State
from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.solver import Solver
from constraint_sdc.lint.stated import StatedRule
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.schematron.schema import Severity
from constraint_sdc.settings.reason import because


@dataclass(frozen=True, slots=True)
class _MayMiss:
    """Why a variable may be missing: records of the data in which it is, or a rule that asks whether it is there."""

    records: int = 0
    guarded_by: str = ""


def find_missing_guards(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the rules that do not ask whether a variable is there, although it may be missing.

    A variable may be missing if it is in some record of the data, or if another rule asks whether it is there and no
    rule demands it. Only rules are named whose verdict the missing value alone decides. Rules of other languages than
    Schematron say what a missing value means by their policy.
    """
    if subject.are_translated:
        return
    optional = _optional(subject)
    for rule in subject.stated:
        if rule.id in subject.hidden:
            continue
        for name in rule.variables:
            if name in optional and optional[name].guarded_by != rule.id and not _asks(rule.formula, name):
                yield from _finding(subject, rule, name, optional[name])


def _finding(subject: LintSubject, rule: StatedRule, name: str, why: _MayMiss) -> Iterator[LintFinding]:
    solver, absent = Solver({rule.id: rule.formula}), PresentAtom(name, negated=True)
    breaks = solver.solve((rule.id,), absent).answer == "no"
    if not breaks and solver.solve((), negate(rule.formula), absent).answer != "no":
        return
    severity: Severity = "warning" if breaks else "information"
    reason = because(
        "lint-missing-guard", variable=name, breaks=breaks, records=why.records, guarded_by=why.guarded_by or None
    )
    related = subject.places(why.guarded_by) if why.guarded_by else ()
    yield LintFinding("missing-guard", severity, subject.place(rule.id), reason, related)


def _optional(subject: LintSubject) -> Mapping[str, _MayMiss]:
    found: dict[str, _MayMiss] = {}
    demanded = {name for rule in subject.stated for name in _demanded(rule.formula)}
    for rule in subject.rules:
        # The context is not asked: a rule on V3 says nothing about records without V3.
        test = None if rule.expression is None else normalise(rule.expression, xpath1=subject.is_xpath1)
        for atom in () if test is None else atoms(test):
            if _is_guard(atom) and atom.variable not in demanded:
                found.setdefault(atom.variable, _MayMiss(guarded_by=rule.id))
    columns = {} if subject.data is None else subject.data.columns
    for name, column in columns.items():
        missing = int(np.count_nonzero(column.state != State.VALUE))
        if missing:
            found[name] = _MayMiss(records=missing)
    return found


def _demanded(formula: Formula) -> Iterator[str]:
    for item in formula.items if isinstance(formula, AllOf) else (formula,):
        if _is_guard(item) and not item.negated:
            yield item.variable


def _asks(formula: Formula, name: str) -> bool:
    return any(_is_guard(atom) and atom.variable == name for atom in atoms(formula))


def _is_guard(atom: Formula) -> TypeGuard[PresentAtom | PatternAtom]:
    return isinstance(atom, PresentAtom) or (isinstance(atom, PatternAtom) and atom.regex == NUMBER_TEXT)


REGISTERED = {"missing-guard": LintKind("missing-guard", "warning", find_missing_guards)}
