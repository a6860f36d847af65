"""A test about all records of a file or of each parent, in parts that can be added up record by record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.evaluate.expression import Expression
from constraint_sdc.xpath.scope import Scope
from constraint_sdc.xpath.syntax import Syntax

AggregateKind: TypeAlias = OneOf["sum", "count", "min", "max", "avg", "distinct"]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate over the records that satisfy `condition` (None: all of them), of one item of each.

    `item` is None for the records themselves. A record in which the item is empty does not count.
    """

    kind: AggregateKind
    condition: Expression | None
    item: Expression | None


@dataclass(frozen=True, slots=True)
class ComputedTest:
    """A test that is computed from aggregates: `tree` refers to them as variables, by these names, in `scope`."""

    tree: Syntax
    scope: Scope
    aggregates: tuple[tuple[str, Aggregate], ...]


@dataclass(frozen=True, slots=True)
class UniqueTest:
    """A test that no other record has the same text of a variable; `is_required` if every record must have one."""

    variable: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class FileTest:
    """The test of one rule, and where the rule fires: once, at the root element, or at the records of a condition.

    `alone` are elements that must stand outside records nowhere else than as the root; `nowhere` those that must not
    stand outside records at all. Both are known after the last byte of a file.
    """

    rule: str
    test: ComputedTest | UniqueTest
    at_root: bool
    condition: Expression | None = None
    alone: frozenset[str] = frozenset()
    nowhere: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ParentTest:
    """A test about the records of each parent, at the parent or at each of its records, where `condition` holds.

    `test` and `condition` refer to aggregates over the records of the parent as variables by their names, and to its
    values as variables whose names begin with `PARENT`. Other variables are those of the record.
    """

    rule: str
    test: Expression | UniqueTest
    at_parent: bool
    condition: Expression | None = None
    aggregates: tuple[tuple[str, Aggregate], ...] = ()


PARENT = "../"
"""What the name of a parent's value begins with; no variable of a record does."""
