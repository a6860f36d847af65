"""The two engines are one judge: whatever the rules and the data, `auto` says what Saxon on the whole file says."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.judge.finding import CheckResult, RuleResult, Violation
from tests.draws import draws

PLAIN = ["0", "1", "5", "7.5", "-3", "1e3", " 5 ", "", "abc", "NaN", "INF", "-0", "0.1", "0.30000000000000004", "007"]
ODD = ["12345678901234567890", "9007199254740993", "é", "5<!--c-->0", "<![CDATA[7]]>", "&#49;0", "1_0"]
VALUES = st.sampled_from([*PLAIN, *ODD])
NAMES = ("A", "B", "C")

# Per record: understood, record-local but opaque, and cross-record tests; some raise errors on text that is no number.
TESTS = st.sampled_from(
    [
        "number(A) + number(B) = number(C)",
        "number(A) &lt; number(B)",
        "A &lt;= 7",
        "A = B",
        "A &lt; B",
        "not(number(A) &gt; 5) or number(B) &lt;= number(C)",
        "xs:decimal(A) + xs:decimal(B) = xs:decimal(C)",
        "xs:integer(A) mod 2 = 0",
        "A castable as xs:integer",
        "exists(A) and string-length(A) &gt; 1",
        "every $v in (A, B, C) satisfies number($v) &gt;= 0",
        "sum((A, B)) &lt;= 20",
        "matches(A, '^[0-9]+$')",
        "if (B) then number(A) = (1, 5, 7.5) else true()",
        "string-join((A, B), '-') != '5-5'",
        "tokenize(A, '0')[1] = '5'",
        "count(*) &gt;= 2",
        "count(preceding-sibling::R) &lt; 3",
        "not(A = preceding-sibling::R/A)",
        "sum(//R/A[. castable as xs:double]/xs:double(.)) &gt; 3",
        "position() &lt; 4",
        "@id != '2'",
    ]
)
VARIABLE_TESTS = st.sampled_from([". = '5'", "number(.) &lt; 6", "number(../B) &gt; number(.)", "string-length(.) = 1"])
CONTEXTS = st.sampled_from(
    [
        "R",
        "//R",
        "/D/R",
        "D/R",
        "R[number(A) &gt; 1]",
        "R[A &gt; 1]",
        "R[xs:integer(B) lt 7]",
        "R[A]",
        "R[B = '5']",
        "*[A]",
        "R[last()]",
    ]
)
VARIABLE_CONTEXTS = st.sampled_from(["R/A", "A", "R/B[. != '']", "A | B", "R/@id"])


@dataclass(frozen=True)
class Case:
    """A schema and a file of rows."""

    schema: str
    data: str

    def __repr__(self) -> str:
        return f"\n{self.schema}\n{self.data}\n"


@st.composite
def rules(draw: st.DrawFn) -> str:
    on_variable = draw(st.booleans())
    context = draw(VARIABLE_CONTEXTS if on_variable else CONTEXTS)
    tests = draw(st.lists(VARIABLE_TESTS if on_variable else TESTS, min_size=1, max_size=3))
    kinds = [draw(st.sampled_from(["assert", "report"])) for _ in tests]
    asserts = "".join(f'<{k} test="{t}">says <value-of select="A"/></{k}>' for k, t in zip(kinds, tests, strict=True))
    return f'<rule context="{context}">{asserts}</rule>'


@st.composite
def cases(draw: st.DrawFn) -> Case:
    binding = draw(st.sampled_from(["xslt", "xslt2", "xslt3"]))
    boxes = draw(st.lists(st.tuples(st.sampled_from(["pattern", "group"]), st.lists(rules(), min_size=1, max_size=3)),
                          min_size=1, max_size=3))  # fmt: skip
    patterns = "".join(f"<{box}>{''.join(inside)}</{box}>" for box, inside in boxes)
    rows = draw(st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES), min_size=1, max_size=6))
    order = [draw(st.permutations(list(row))) for row in rows]
    lines = "\n".join(
        f'<R id="{i}">\n' + "\n".join(f"<{n}>{row[n]}</{n}>" for n in names) + "</R>"
        for i, (row, names) in enumerate(zip(rows, order, strict=True))
    )
    header = draw(st.sampled_from(["", "<H><A>5</A></H>", "<!-- opening -->"]))
    schema = (
        f'<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="{binding}">'
        f'<ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>{patterns}</schema>'
    )
    return Case(schema, f"<D>{header}\n{lines}\n</D>")


def shown(violation: Violation) -> tuple[object, ...]:
    return (violation.record, violation.line, violation.location, violation.message)


def found(result: RuleResult) -> tuple[tuple[object, ...], ...]:
    return tuple(map(shown, result.violations))


def verdicts(result: CheckResult) -> list[tuple[object, ...]]:
    return [
        (r.rule, r.fired, r.failed, r.errors, r.status, r.idle, r.held_missing, r.failed_missing, found(r))
        for r in result.results
    ]


def both(case: Case, show_values: bool) -> tuple[CheckResult, CheckResult]:
    with tempfile.TemporaryDirectory() as folder:
        data, schema = Path(folder, "data.xml"), Path(folder, "rules.sch")
        data.write_text(case.data, encoding="utf-8")
        schema.write_text(case.schema, encoding="utf-8")
        fast, judge = (
            check_file(
                data, schema, CheckOptions(engine=engine, max_examples=None, show_values=show_values, record="R")
            )
            for engine in ("auto", "saxon")
        )
        return fast, judge


@settings(max_examples=draws(60, exploring=400), deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases(), show_values=st.booleans())
def test_auto_and_saxon_give_the_same_counts_records_lines_and_messages(case: Case, show_values: bool) -> None:
    fast, judge = both(case, show_values)
    assert verdicts(fast) == verdicts(judge)
    assert (fast.records, fast.exit_code) == (judge.records, judge.exit_code)
