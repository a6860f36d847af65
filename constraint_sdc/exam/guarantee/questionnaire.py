"""Generated questionnaires: records that satisfy a fixed set of rules, as files of the guarantee exam.

A rule is written as an editor writes it, `Wages + Social = Staff`; names of numeric variables are spelt as XPath when
the schema is made. Amounts are whole numbers of hundredths here, so that sums are exact.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from constraint_sdc.exam.guarantee.generator import ExamCase
from constraint_sdc.exam.guarantee.schematron import SCHEMATRON

Answers = Mapping[str, int | str]
"""The cells of a record: a text, a count, or an amount in hundredths."""

_NAME = re.compile(r"'[^']*'|\b[A-Z][A-Za-z]*\b")
_HUNDRED = 100


@dataclass(frozen=True)
class Questionnaire:
    """The rules of a survey, which variables are published as they are, and which of the others are amounts."""

    record: str
    rules: Mapping[str, str]
    untouched: Collection[str]
    amounts: Collection[str]
    counts: Collection[str]


@dataclass
class Amounts:
    """Draws amounts in hundredths: of whole units only, or with cents."""

    rng: random.Random
    has_cents: bool

    def between(self, low: float, high: float) -> int:
        """Return an amount between two numbers of units."""
        return self.rounded(_HUNDRED * self.rng.uniform(low, high))

    def share(self, amount: int, low: float, high: float) -> int:
        """Return a share of an amount."""
        return self.rounded(amount * self.rng.uniform(low, high))

    def rounded(self, hundredths: float) -> int:
        """Return whole units, or whole cents."""
        return int(hundredths) if self.has_cents else int(hundredths / _HUNDRED) * _HUNDRED


def case_of(
    seed: int, questionnaire: Questionnaire, records: Sequence[Answers], k: int, *, has_cents: bool, recipe: str = ""
) -> ExamCase:
    """Return the case of these records; sums of cents are decimals, because doubles would not add up."""
    cast = "xs:decimal" if has_cents else "number"
    numeric = {*questionnaire.amounts, *questionnaire.counts}
    rules = {name: spelt(test, numeric, cast) for name, test in questionnaire.rules.items()}
    roles = ", ".join(f"{name}: {{role: untouched}}" for name in questionnaire.untouched)
    cells = [_cells(record, questionnaire.amounts, has_cents=has_cents) for record in records]
    return ExamCase(
        seed=seed,
        data=data_xml(questionnaire.record, cells),
        rules=schema_xml(questionnaire.record, rules),
        recipe=f"variables: {{{roles}}}\n{recipe or 'mask: {partition: mdav}'}\n",
        k=k,
        records=len(records),
        record=questionnaire.record,
        says=tuple(f"{name}: {test}" for name, test in rules.items()),
    )


def spelt(rule: str, numeric: Collection[str], cast: str) -> str:
    """Return a rule with the names of numeric variables as XPath numbers; texts in quotes stay.

    >>> spelt("Tax <= 0.5 * Income or Region = 'North'", {"Tax", "Income"}, "number")
    "number(Tax) <= 0.5 * number(Income) or Region = 'North'"
    """
    return _NAME.sub(lambda found: f"{cast}({found[0]})" if found[0] in numeric else found[0], rule)


def _cells(record: Answers, amounts: Collection[str], *, has_cents: bool) -> dict[str, str]:
    return {
        name: _amount(value, has_cents=has_cents) if name in amounts and isinstance(value, int) else str(value)
        for name, value in record.items()
    }


def _amount(hundredths: int, *, has_cents: bool) -> str:
    units, cents = divmod(abs(hundredths), _HUNDRED)
    sign = "-" if hundredths < 0 else ""
    return f"{sign}{units}.{cents:02d}" if has_cents else f"{sign}{units}"


def data_xml(record: str, rows: Sequence[Mapping[str, str | int]]) -> str:
    """Return a file of records without attributes."""
    lines = ("".join(f"<{name}>{value}</{name}>" for name, value in row.items()) for row in rows)
    return "\n".join(["<Survey>", *(f"  <{record}>{line}</{record}>" for line in lines), "</Survey>", ""])


def schema_xml(record: str, rules: Mapping[str, str]) -> str:
    """Return a schema with one assertion for each rule."""
    asserts = "\n".join(
        f"    <assert id={quoteattr(name)} test={quoteattr(test)}>{name} does not hold</assert>"
        for name, test in rules.items()
    )
    return (
        f'<schema xmlns="{SCHEMATRON}" queryBinding="xslt2">\n'
        '  <ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>\n'
        f'  <pattern><rule context="{record}">\n{asserts}\n  </rule></pattern>\n</schema>\n'
    )
