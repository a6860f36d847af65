"""Rules about all records are added up with XPath's arithmetic: the verdict is that of Saxon on the whole file."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.judge.finding import CheckResult
from tests.draws import draws

SCHEMA = (
    '<schema xmlns="http://purl.oclc.org/dsdl/schematron" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" '
    'queryBinding="{binding}"><ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>'
    '<xsl:key name="by-A" match="R" use="A"/><let name="total" value="sum(//R/number(A))"/>{patterns}</schema>'
)
TEXTS = ["0", "1", "2", "0.1", "0.2", "0.30000000000000004", "-3", "1e3", "1e308", " 5 ", "-0", "7.25", "123456789.123"]
ODD = ["", "abc", "NaN", "INF", "99999999999999999999", "é"]

# Items of every record, seen from anywhere, and from the root.
ITEMS = [
    *("//R/A", "/D/R/A", "//R/number(A)", "//R/A/number(.)", "//R/xs:decimal(A)", "//R/A/xs:double(.)", "//A"),
    *("//R[B]/A", "//R[number(B) &gt; 1]/A", "for $r in //R return $r/A", "//R/xs:integer(B)", "//R ! number(A)"),
    *("for $r in //R[A] return xs:decimal($r/A) * 2", "//R/@id", "//R/B[. != '1']", "//R/(A, B)", "//R[1]/A", "//B[1]"),
]
ROOT_ITEMS = ["R/A", "./R/A", ".//R/A", "R/number(A)", "R[A = '1']/B", "descendant::R/A", "R/A[number(.) &gt; 1]"]
LIMITS = ["0", "1", "2", "3", "0.3", "1.5e0", "-1", "1000000"]
OPERATORS = ["=", "!=", "&lt;", "&lt;=", "&gt;", "&gt;=", "eq", "le", "gt"]
UNIQUE = [
    *("count(//R[A = current()/A]) = 1", "count(/D/R[current()/A = A]) &lt;= 1", "not(A = preceding-sibling::R/A)"),
    *("not(following-sibling::R/B = B)", "count(key('by-A', A)) = 1", "count(key('by-A', A)) lt 2"),
    *("count(//R[@id = current()/@id]) eq 1", "not(A eq preceding-sibling::R/A)", "count(//R[A = current()/B]) = 1"),
]


@dataclass(frozen=True)
class AcrossCase:
    """A schema and a file of rows."""

    schema: str
    data: str

    def __repr__(self) -> str:
        return f"\n{self.schema}\n{self.data}\n"


@st.composite
def aggregates(draw: st.DrawFn, at_root: bool) -> str:
    items = draw(st.sampled_from(ITEMS + (ROOT_ITEMS if at_root else [])))
    function = draw(st.sampled_from(["sum", "count", "min", "max", "avg", "count(distinct-values"]))
    return f"{function}({items})" + (")" if "distinct" in function else "")


@st.composite
def conditions(draw: st.DrawFn, at_root: bool) -> str:
    if not at_root and draw(st.booleans()):
        return draw(st.sampled_from(UNIQUE))
    if draw(st.integers(0, 7)) == 0:
        return draw(st.sampled_from(["exists", "empty"])) + f"({draw(st.sampled_from(ITEMS))})"
    left = draw(aggregates(at_root))
    right = draw(st.one_of(st.sampled_from(LIMITS), aggregates(at_root), st.just("$total")))
    if draw(st.booleans()):
        left = f"{left} * 2 + 1"
    test = f"{left} {draw(st.sampled_from(OPERATORS))} {right}"
    return draw(st.sampled_from([test, test, f"not({test})", f"{test} or count(//R) &gt; 2"]))


@st.composite
def across_cases(draw: st.DrawFn) -> AcrossCase:
    patterns = []
    for _ in range(draw(st.integers(1, 3))):
        at_root = draw(st.booleans())
        context = draw(st.sampled_from(["D", "/D"] if at_root else ["R", "D/R", "R[A]", "R[number(B) &gt; 1]"]))
        kinds = [draw(st.sampled_from(["assert", "report"])) for _ in range(draw(st.integers(1, 2)))]
        asserts = "".join(f'<{kind} test="{draw(conditions(at_root))}">s</{kind}>' for kind in kinds)
        patterns.append(f'<pattern><rule context="{context}">{asserts}</rule></pattern>')
    texts = st.sampled_from(TEXTS if draw(st.booleans()) else TEXTS + ODD)
    rows = draw(st.lists(st.tuples(st.none() | texts, st.none() | texts), min_size=1, max_size=7))
    lines = [
        f'<R id="{number}">' + "".join(f"<{n}>{t}</{n}>" for n, t in zip("AB", row, strict=True) if t is not None)
        for number, row in enumerate(rows)
    ]
    head = draw(st.sampled_from(["", "", "<H/>", "<H><A>5</A></H>", "<H><D><X>1</X></D></H>"]))
    binding = draw(st.sampled_from(["xslt2", "xslt2", "xslt3", "xslt"]))
    data = f"<D>{head}" + "".join(f"{line}</R>\n" for line in lines) + "</D>"
    return AcrossCase(SCHEMA.format(binding=binding, patterns="".join(patterns)), data)


def both(case: AcrossCase) -> tuple[CheckResult, CheckResult]:
    with tempfile.TemporaryDirectory() as folder:
        data, schema = Path(folder, "data.xml"), Path(folder, "rules.sch")
        data.write_text(case.data, encoding="utf-8")
        schema.write_text(case.schema, encoding="utf-8")
        options = CheckOptions(max_examples=None, record="R")
        fast, slow = (check_file(data, schema, replace(options, engine=name)) for name in ("auto", "saxon"))
        return fast, slow


def without_engine(result: CheckResult) -> CheckResult:
    results = tuple(replace(one, engine="saxon") for one in result.results)
    return replace(result, results=results, broken_records=None)


@settings(max_examples=draws(60, exploring=800), deadline=None, suppress_health_check=list(HealthCheck))
@given(case=across_cases())
def test_what_is_added_up_is_what_saxon_finds(case: AcrossCase) -> None:
    fast, slow = both(case)
    assert without_engine(fast) == without_engine(slow)


ROWS = "".join(f"<R><A>{a}</A><B>{b}</B></R>" for a, b in [("0.1", 1), ("0.2", 2), ("0.3", 3), ("1e2", 4)])


@pytest.mark.parametrize(
    ("context", "test"),
    [
        ("D", "sum(R/A) = 100.6e0"),
        ("D", "sum(R/A) = 0.1e0 + 0.2e0 + 0.3e0 + 100"),
        ("D", "sum(//R[B &lt; 4]/xs:decimal(A)) = 0.6"),
        ("D", "count(R) = 4 and max(R/B) le 4 and min(//R/A) ge 0.1e0 and avg(R/B) = 2.5"),
        ("D", "count(distinct-values(//R/A)) = count(//R/A)"),
        ("D", "sum(for $r in //R return number($r/A) * number($r/B)) &gt; 400"),
        ("R", "count(//R[A = current()/A]) = 1"),
        ("R", "not(A = preceding-sibling::R/A)"),
        ("R", "count(key('by-A', A)) = 1"),
        ("R[B &gt; 1]", "$total &lt; 101"),
        ("D", "empty(R[not(A)])"),
    ],
)
def test_the_usual_forms_need_no_tree_of_the_file(context: str, test: str) -> None:
    pattern = f'<pattern><rule context="{context}"><assert id="a" test="{test}">s</assert></rule></pattern>'
    fast, slow = both(AcrossCase(SCHEMA.format(binding="xslt2", patterns=pattern), f"<D>{ROWS}</D>"))
    assert without_engine(fast) == without_engine(slow)
    assert fast.results[0].status == "pass"
    assert fast.results[0].engine == "aggregated"


@pytest.mark.parametrize(
    ("context", "test"),
    [
        ("D", "sum(R/A) = 1"),  # fails: Saxon says where
        ("D", "sum(R/C) = 0"),  # C has texts that are no numbers
        ("D", "count(R) = count(H)"),
        ("D", "sum(R/A) &gt; number(../@total)"),
        ("R", "count(//R[A = current()/A and B = current()/B]) = 1"),
        ("R", "position() &lt; 10"),
        ("D", "avg(R/xs:decimal(B)) = 2.5"),
        ("D", "string-join(R/B, '') = '1234'"),
    ],
)
def test_other_forms_and_failures_are_left_to_saxon(context: str, test: str) -> None:
    pattern = f'<pattern><rule context="{context}"><assert id="a" test="{test}">s</assert></rule></pattern>'
    data = f"<D total='5'>{ROWS}<R><A>0</A><B>5</B><C>no</C></R></D>"
    fast, slow = both(AcrossCase(SCHEMA.format(binding="xslt2", patterns=pattern), data))
    assert without_engine(fast) == without_engine(slow)
    assert fast.results[0].engine == "saxon"
