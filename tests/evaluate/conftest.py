"""Saxon as the oracle: many expressions over many records in one compiled stylesheet."""

from __future__ import annotations

from collections.abc import Sequence as Rows
from dataclasses import dataclass
from decimal import Decimal
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pytest
from saxonche import PySaxonApiError, PySaxonProcessor

from constraint_sdc.data.table import column_of
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import (
    And,
    Arithmetic,
    Call,
    Castable,
    Compare,
    Expression,
    If,
    Literal,
    Negate,
    Not,
    Or,
    Outside,
    Sequence,
    Variable,
    walk,
)
from constraint_sdc.evaluate.truth import evaluate_truth, refuses
from constraint_sdc.evaluate.value import Records

Record = dict[str, str | None]

_VALUE_OPS = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_SHEET = """<xsl:stylesheet version="3.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
 xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:math="http://www.w3.org/2005/xpath-functions/math">
<xsl:output method="text"/>
<xsl:template match="/"><xsl:variable name="original" select="/all/original"/>
<xsl:for-each select="/all/record">{}<xsl:text>&#10;</xsl:text></xsl:for-each></xsl:template></xsl:stylesheet>"""
_TEST = """<xsl:try><xsl:choose><xsl:when version="{}" test={}>T</xsl:when><xsl:otherwise>F</xsl:otherwise></xsl:choose>
<xsl:catch>E</xsl:catch></xsl:try>"""

_VALUE = """<xsl:try><xsl:value-of version="{}" select={}/><xsl:catch/></xsl:try>"""


def render(expression: Expression) -> str:
    """Write an expression as XPath, every part in brackets."""
    match expression:
        case Literal(bool() as value):
            return "true()" if value else "false()"
        case Literal(str() as value):
            return "'" + value.replace("'", "''") + "'"
        case Literal(float() as value):
            return f"{value!r}e0" if "e" not in repr(value) else repr(value)
        case Literal(Decimal() as value):
            return f"{value:f}" if "." in f"{value:f}" else f"{value:f}.0"
        case Literal(value):
            return str(value)
        case Variable(name):
            return name
        case Outside():
            return "$original/value"
        case Sequence(items):
            return f"({', '.join(map(render, items))})"
        case Arithmetic(op, left, right):
            return f"({render(left)} {op} {render(right)})"
        case Negate(operand):
            return f"(- {render(operand)})"
        case Compare(op, left, right, value):
            return f"({render(left)} {_VALUE_OPS[op] if value else op} {render(right)})"
        case And(items):
            return f"({' and '.join(map(render, items))})"
        case Or(items):
            return f"({' or '.join(map(render, items))})"
        case Not(item):
            return f"not({render(item)})"
        case If(test, then, otherwise):
            return f"(if ({render(test)}) then {render(then)} else {render(otherwise)})"
        case Call(name, arguments):
            return f"{name}({', '.join(map(render, arguments))})"
        case Castable(operand, type_name, optional):
            return f"({render(operand)} castable as {type_name}{'?' if optional else ''})"


@dataclass(frozen=True)
class Agreement:
    """How the two engines compared: cases seen, cases that the evaluator left to Saxon."""

    cases: int
    unsure: int


class Oracle:
    """Runs Saxon, and compares the evaluator with it."""

    def __init__(self) -> None:
        self._processor = PySaxonProcessor(license=False)

    def render(self, expression: Expression) -> str:
        """Return an expression as XPath."""
        return render(expression)

    def verdicts(self, tests: Rows[str], records: Rows[Record], xpath1: bool, original: Rows[str] = ()) -> list[str]:
        """Return for each test a string with T, F, E (an XPath error) or X (Saxon broke) for each record."""
        version = "1.0" if xpath1 else "3.0"
        sheet = _SHEET.format("".join(_TEST.format(version, quoteattr(test)) for test in tests))
        try:
            compiled = self._processor.new_xslt30_processor().compile_stylesheet(stylesheet_text=sheet)
        except PySaxonApiError:
            # A type error that Saxon sees at compile time stops the whole stylesheet: find the culprit.
            return ["E" * len(records)] if len(tests) == 1 else self._halves(tests, records, xpath1, original)
        document = self._processor.parse_xml(xml_text=_document(records, original))
        try:
            lines = compiled.transform_to_string(xdm_node=document).split("\n")
        except PySaxonApiError:
            # Saxon has bugs of its own that no xsl:try catches; such a test has no verdict.
            return ["X" * len(records)] if len(tests) == 1 else self._halves(tests, records, xpath1, original)
        rows = [line.replace(" ", "") for line in lines if line]
        return ["".join(row[k] for row in rows) for k in range(len(tests))]

    def texts(self, select: str, records: Rows[Record], xpath1: bool) -> list[str | None]:
        """Return the string value of an expression for each record; None where it is empty or an error."""
        version = "1.0" if xpath1 else "3.0"
        sheet = _SHEET.format(_VALUE.format(version, quoteattr(select)))
        try:
            compiled = self._processor.new_xslt30_processor().compile_stylesheet(stylesheet_text=sheet)
            document = self._processor.parse_xml(xml_text=_document(records, ()))
            lines = compiled.transform_to_string(xdm_node=document).split("\n")
        except PySaxonApiError:
            return [None] * len(records)
        return [line.strip() or None for line in lines[: len(records)]]

    def _halves(self, tests: Rows[str], records: Rows[Record], xpath1: bool, original: Rows[str]) -> list[str]:
        half = len(tests) // 2
        first = self.verdicts(tests[:half], records, xpath1, original)
        return first + self.verdicts(tests[half:], records, xpath1, original)

    def compare(
        self, expressions: Rows[Expression], records: Rows[Record], *, xpath1: bool, original: Rows[str] = ()
    ) -> Agreement:
        """Require Saxon's verdict wherever the evaluator is sure, and no certainty where Saxon stops."""
        taken = [e for e in expressions if refuses(e, xpath1=xpath1) is None]
        if not taken:
            return Agreement(0, 0)
        names = sorted({name for record in records for name in record})
        columns = {name: column_of(name, [record.get(name) for record in records]) for name in names}
        ours = Records(columns, len(records))
        domain = Domain.of([column_of("value", original)])
        tests = [render(e) for e in taken]
        unsure = 0
        for expression, test, line in zip(taken, tests, self.verdicts(tests, records, xpath1, original), strict=True):
            outside = dict.fromkeys(_outsides(expression), domain)
            verdict = evaluate_truth(expression, ours, xpath1=xpath1, domains=outside)
            unsure += int(np.count_nonzero(verdict.unsure))
            expected = np.array([c == "T" for c in line])
            stopped = np.array([c == "E" for c in line])
            broken = np.array([c == "X" for c in line])
            wrong = ~verdict.unsure & ~broken & (stopped | (verdict.truth != expected))
            if wrong.any():
                row = int(np.flatnonzero(wrong)[0])
                ours_here = verdict.truth[row]
                raise AssertionError(
                    f"xpath1={xpath1} {test}\non {records[row]}: Saxon {line[row]}, we {ours_here}\n{expression}"
                )
        return Agreement(len(taken) * len(records), unsure)


def _outsides(expression: Expression) -> list[Outside]:
    return [part for part in walk(expression) if isinstance(part, Outside)]


def _document(records: Rows[Record], original: Rows[str]) -> str:
    rows = "".join(f"<record>{''.join(map(_element, record.items()))}</record>" for record in records)
    values = "".join(_element(("value", value)) for value in original)
    return f"<all><original>{values}</original>{rows}</all>"


def _element(pair: tuple[str, str | None]) -> str:
    name, value = pair
    references = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
    return "" if value is None else f"<{name}>{escape(value, references)}</{name}>"


@pytest.fixture(scope="session")
def oracle() -> Oracle:
    return Oracle()
