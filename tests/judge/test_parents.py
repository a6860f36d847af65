"""Rules about the records of each parent are added up parent by parent: the verdict is that of Saxon on the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraint_sdc.files.readings import Readings
from constraint_sdc.judge.across import parents
from tests.draws import draws
from tests.judge.test_across import LIMITS, ODD, OPERATORS, TEXTS, AcrossCase, both, without_engine

SCHEMA = (
    '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="{binding}">'
    '<ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>{patterns}</schema>'
)
ITEMS = [
    *(
        "{r}/A",
        "{r}[B]/A",
        "{r}/number(A)",
        "{r}/xs:decimal(A)",
        "{r}[number(B) &gt; 1]/A",
        "for $r in {r} return $r/A",
    ),
    *("{r}/@id", "{r}/xs:integer(B)", "{r}[1]/A", "{r}/A[. != '1']", "{r}/(A, B)", "{r}[A = B]/xs:decimal(B)", "//R/A"),
]
RECORDS = ["../R", "parent::H/R", "../child::R"]
PARENT_RECORDS = ["R", "./R", ".//R", "descendant::R"]
VALUES = ["../T", "../@n", "A", "number(../T)", "../R"]
PARENT_VALUES = ["T", "@n", "./T", "number(T)", "R"]
UNIQUE = [
    *("count(../R[A = current()/A]) = 1", "count(../R[current()/A = A]) &lt;= 1", "not(A = preceding-sibling::R/A)"),
    *("not(following-sibling::R/B = B)", "count(../R[A = current()/B]) = 1", "count(../R[@id = current()/@id]) lt 2"),
]


@st.composite
def aggregates(draw: st.DrawFn, at_parent: bool) -> str:
    records = draw(st.sampled_from(PARENT_RECORDS if at_parent else RECORDS))
    items = draw(st.sampled_from(ITEMS)).format(r=records)
    function = draw(st.sampled_from(["sum", "sum", "count", "min", "max", "avg", "count(distinct-values"]))
    return f"{function}({items})" + (")" if "distinct" in function else "")


@st.composite
def conditions(draw: st.DrawFn, at_parent: bool) -> str:
    records = draw(st.sampled_from(PARENT_RECORDS if at_parent else RECORDS))
    kind = draw(st.integers(0, 7))
    if kind == 0 and not at_parent:
        return draw(st.sampled_from(UNIQUE))
    if kind == 1:
        form = draw(st.sampled_from(["exists({r}[A])", "empty({r}[B])", "not({r}[A = '7'])", "boolean({r}[not(A)])"]))
        return form.format(r=records)
    if kind == 2:
        form = draw(st.sampled_from(["every $r in {r} satisfies $r/A", "some $r in {r}[B] satisfies $r/A = $r/B"]))
        return form.format(r=records)
    left = draw(aggregates(at_parent))
    others = [st.sampled_from(LIMITS), aggregates(at_parent), st.just("$mine")]
    right = draw(st.one_of(*others, st.sampled_from(PARENT_VALUES if at_parent else VALUES)))
    left = draw(st.sampled_from([left, left, f"{left} * 2 + 1", f"1 div {left}"]))
    test = f"{left} {draw(st.sampled_from(OPERATORS))} {right}"
    return draw(st.sampled_from([test, test, f"not({test})", f"if (exists({records})) then {test} else true()"]))


@st.composite
def parent_cases(draw: st.DrawFn) -> AcrossCase:
    patterns = []
    for _ in range(draw(st.integers(1, 3))):
        at_parent = draw(st.booleans())
        places = (
            ["H", "/D/H", "D/H", "H[T]", "H[count(R) &gt; 1]"] if at_parent else ["R", "H/R", "R[A]", "R[@id = '1']"]
        )
        kinds = [draw(st.sampled_from(["assert", "report"])) for _ in range(draw(st.integers(1, 2)))]
        asserts = "".join(f'<{kind} test="{draw(conditions(at_parent))}">s</{kind}>' for kind in kinds)
        let = f'<let name="mine" value="{draw(aggregates(at_parent))}"/>'
        context = draw(st.sampled_from(places))
        patterns.append(f'<pattern><rule context="{context}">{let}{asserts}</rule></pattern>')
    texts = st.sampled_from(TEXTS if draw(st.booleans()) else TEXTS + ODD)
    maybe = st.none() | texts
    families = draw(st.lists(st.tuples(maybe, st.lists(st.tuples(maybe, maybe), max_size=4)), min_size=1, max_size=4))
    families.append((None, [("1", "2")]))
    odd = draw(st.sampled_from([""] * 6 + ["<H/>", "<T>5</T>", "<!-- c -->", "<X><R><A>1</A></R></X>", "<R/>"]))
    binding = draw(st.sampled_from(["xslt2", "xslt2", "xslt3", "xslt"]))
    data = "<D>" + "".join(_family(*family) for family in families) + f"{odd}</D>"
    return AcrossCase(SCHEMA.format(binding=binding, patterns="".join(patterns)), data)


def _family(total: str | None, rows: list[tuple[str | None, str | None]]) -> str:
    records = "".join(
        f'<R id="{number}">'
        + "".join(f"<{n}>{t}</{n}>" for n, t in zip("AB", row, strict=True) if t is not None)
        + "</R>"
        for number, row in enumerate(rows)
    )
    value = "" if total is None else f"<T>{total}</T>"
    return f'<H n="{len(rows)}">{value}{records}</H>\n' if len(rows) % 2 else f"<H>{records}\n{value}</H>\n"


@settings(max_examples=draws(60, exploring=800), deadline=None, suppress_health_check=list(HealthCheck))
@given(case=parent_cases())
def test_what_is_added_up_by_parents_is_what_saxon_finds(case: AcrossCase) -> None:
    fast, slow = both(case)
    assert without_engine(fast) == without_engine(slow)


HOUSEHOLDS = (
    "<D><Head><X>1</X></Head>"
    "<H n='3'><T>0.6000000000000001</T><R><A>0.1</A><B>1</B></R><R><A>0.2</A><B>2</B></R><R><A>0.3</A></R></H>"
    "<H n='0'><T>0</T></H>"
    "<H n='1'><R><A>7</A><B>1</B></R><!-- c --><T>7</T></H></D>"
)
RULES = [
    ("H", "sum(R/A) = T", 3),
    ("H", "count(R) = @n and count(R[B = 1]) le 1", 3),
    ("H[R]", "min(R/A) &lt;= T and max(R/A) &lt;= number(T) and avg(R/A) &gt; 0.1", 2),
    ("H", "count(distinct-values(R/A)) = count(R/A)", 3),
    ("H[T &gt; 0]", "every $r in R satisfies $r/A &gt; 0", 2),
    ("R", "sum(../R/A) = ../T", 4),
    ("R", "A &lt;= sum(../R/A) and count(../R[B = 1]) = 1", 4),
    ("R[B]", "count(../R[B = current()/B]) = 1", 3),
    ("R", "not(A = preceding-sibling::R/A)", 4),
    ("R", "sum(../R/xs:decimal(A)) &lt;= xs:decimal(../T)", 4),
]


def _pattern(context: str, test: str) -> str:
    return f'<pattern><rule context="{context}"><assert test="{test}">s</assert></rule></pattern>'


def test_the_usual_forms_need_no_tree_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parents, "_MOST_RECORDS", 2)  # several batches
    patterns = "".join(_pattern(context, test) for context, test, _ in RULES)
    fast, slow = both(AcrossCase(SCHEMA.format(binding="xslt2", patterns=patterns), HOUSEHOLDS))
    assert without_engine(fast) == without_engine(slow)
    assert [(one.status, one.engine, one.fired) for one in fast.results] == [
        ("pass", "aggregated", fired) for _, _, fired in RULES
    ]


def test_other_forms_files_and_failures_are_left_to_saxon() -> None:
    others = [
        *(("H", "sum(R/A) = 1"), ("H", "count(R/A) = count(../H)"), ("R", "sum(../R/A) = ../../Head/X")),
        *(("R", "count(../R[A = current()/A and B = current()/B]) = 1"), ("H", "sum(R/A) = sum(//R/A)")),
        *(
            ("H", "sum(following-sibling::H/R/A) = 7"),
            ("R", "position() &lt; count(../R)"),
            ("H[count(R)]", "count(R) = 1"),
        ),
    ]
    patterns = "".join(_pattern(*other) for other in others)
    fast, slow = both(AcrossCase(SCHEMA.format(binding="xslt2", patterns=patterns), HOUSEHOLDS))
    assert without_engine(fast) == without_engine(slow)
    assert "aggregated" not in {one.engine for one in fast.results}


@pytest.mark.parametrize(
    "odd",
    [
        "<X><H><R><A>1</A></R></H></X>",  # a parent elsewhere
        "<H><T>1</T><T>2</T><R><A>1</A></R></H>",  # a value twice
        "<H><T><Y>1</Y></T><R><A>1</A></R></H>",  # no value
        "<H><T>1<!-- c -->2</T><R><A>12</A></R></H>",
    ],
)
def test_a_file_of_another_shape_is_left_to_saxon(odd: str) -> None:
    data = HOUSEHOLDS.replace("</D>", f"{odd}</D>")
    schema = SCHEMA.format(binding="xslt2", patterns=_pattern("H", "sum(R/A) &lt; 100 or T = 5"))
    fast, slow = both(AcrossCase(schema, data))
    assert without_engine(fast) == without_engine(slow)
    assert {one.engine for one in fast.results} == {"saxon"}


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    from constraint_sdc.files.microdata.microdata import open_microdata

    path = tmp_path / "data.xml"
    path.write_text("<D>" + "<H><T>1</T><R><A>1</A></R><R><A>2</A></R></H>\n" * 300 + "</D>", encoding="utf-8")
    layout = open_microdata(path, record="R").layout
    found = list(parents.read_families(path, layout, ["A"], ["T"], Readings()))
    assert sum(one.count for one in found) == 300
    assert found[0].parent[:4].tolist() == [0, 0, 1, 1]
