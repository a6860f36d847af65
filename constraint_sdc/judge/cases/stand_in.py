"""A small file in place of `$original`, for rules that only ask whether a value occurs in it.

Saxon keeps a tree of every document that a rule names, so the original would take as much memory as it has records. A
rule that the evaluator understands looks a text up and nothing else: its verdict is the same on a file in the shape of
the original that has, of the values of the variable, those that records look up. `domain` exports such files too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from constraint_sdc.arrays import Rows
from constraint_sdc.constraints.lets import ORIGINAL
from constraint_sdc.data.table import Table, column_of
from constraint_sdc.evaluate.domain import Asked, Domain, sought_outside
from constraint_sdc.evaluate.expression import Call, Expression, Outside, Variable, walk
from constraint_sdc.files.domain_file import write_domain
from constraint_sdc.judge.rule_set import Understood

_NAME = "original.xml"
_DOCUMENT = re.compile(r"\b(?:doc|document|unparsed-text|unparsed-text-lines|json-doc)\s*\(")


def needs_original(understood: Understood, rules: frozenset[str]) -> bool:
    """Tell whether some of these rules use `$original` by more than looking values up in it, as far as is known."""
    assert understood.schema is not None
    opaque = rules - understood.routes.vectorised_ids()
    return bool(opaque) and understood.schema.only(opaque).mentions(ORIGINAL)


def names_documents(understood: Understood, rules: frozenset[str]) -> bool:
    """Tell whether these rules may read other documents than `$original`, by the text of their schema."""
    assert understood.schema is not None
    return _DOCUMENT.search(repr(understood.schema.only(rules))) is not None


def write_stand_in(understood: Understood, rules: frozenset[str], records: Rows, table: Table, folder: Path) -> Path:
    """Write what these rules look up in the original for these records of a table; they may look up nothing."""
    values: dict[str, set[str]] = {}
    for asked in _lookups(understood, rules):
        found = values.setdefault(asked.outside.steps[-1], set())
        found.update(_texts(asked, understood.domains, records, table))
    layout, path = understood.layout, folder / _NAME
    write_domain(path, {n: sorted(v) for n, v in values.items()}, layout.record, wrappers=layout.wrappers)
    return path


def _lookups(understood: Understood, rules: frozenset[str]) -> Iterator[Asked]:
    for match in understood.routes.vectorised:
        if any(rule.id in rules for rule in match.rules):
            tests = (rule.expression for rule in match.rules)
            for expression in (match.context.condition, *tests):
                yield from _asked(expression)


def _asked(expression: Expression | None) -> Iterator[Asked]:
    for part in () if expression is None else walk(expression):
        asked = sought_outside(part)
        if asked is not None and asked.outside.href is None:
            yield asked


def _texts(asked: Asked, domains: Mapping[Outside, Domain], records: Rows, table: Table) -> Iterator[str]:
    """Yield the values of the original that are looked up; all of them if what is looked up is computed."""
    domain, name = domains[asked.outside], _variable(asked.sought)
    if name not in table.columns:
        yield from domain.texts()
        return
    sought = table.columns[name].take(records)
    nothing = column_of(name, [""])  # the text of a variable that is absent
    for column in (sought, nothing):
        yield from Domain.of([column.take(np.flatnonzero(domain.contains(column)))]).texts()


def _variable(sought: Expression) -> str:
    """Return the variable whose text is looked up, "" if the text is computed."""
    match sought:
        case Variable(name) | Call("string", (Variable(name),)):
            return name
        case _:
            return ""
