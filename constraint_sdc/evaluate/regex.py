"""matches(): a subset of XPath regular expressions that Python's `re` decides alike on ASCII text."""

from __future__ import annotations

from constraint_sdc.evaluate.value import NotMine, Value
from constraint_sdc.model.expression import Expression


def matches(subject: Value, pattern: tuple[Expression, ...], *, xpath1: bool) -> Value:
    """Return whether the subject matches a constant pattern."""
    raise NotMine("function matches()")
