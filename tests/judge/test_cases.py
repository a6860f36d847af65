"""By cases or record by record: whatever the rules and the data, the verdict on a file is the same, field by field."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraint_sdc.commands.check import check_written
from constraint_sdc.commands.masking.by_cases import Cases, JudgedCases, cases_of, find_cases, judge_cases
from constraint_sdc.commands.masking.preparation import Original, open_original
from constraint_sdc.commands.masking.staged import ReadBack
from constraint_sdc.data.table import Chunk, Table, column_of
from constraint_sdc.errors import JudgeError
from constraint_sdc.judge.cases import classes as classes_module
from constraint_sdc.judge.cases.classes import classes_of, representatives
from constraint_sdc.judge.cases.outlines import Outlines, outline_of
from constraint_sdc.judge.finding import CheckResult, RuleResult
from constraint_sdc.settings.mask_settings import RulesSettings
from tests.draws import draws
from tests.judge.test_engines_agree import CONTEXTS, TESTS, VALUES, VARIABLE_CONTEXTS, VARIABLE_TESTS

SCHEMA = (
    '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="{binding}">'
    '<ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>{patterns}</schema>'
)
# Tests that look at more than texts: the order of variables, their attributes, comments, nil, names, other documents.
SHAPE_TESTS = st.sampled_from(
    [
        "A &lt;&lt; B",
        "B/preceding-sibling::A",
        "(A | B)[1] = '5'",
        "A/@unit = 'kg'",
        "count(A/text()) = 1",
        "not(A/comment())",
        "name(A) = 'A'",
        "@id = '1'",
        "number(@id) &gt; 0",
        "string-length(@class) = 1",
        "A = $original//R/A",
        "exists(index-of($original/D/R/B, B))",
        "not(string(C) = $original//R/C)",
        "some $v in $original//R/A satisfies number($v) = number(A)",
        "empty($original//R/A[. = current()/B])",
    ]
)
CELLS = {
    "A": ["<A>{}</A>", '<A unit="kg">{}</A>', '<A xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/>'],
    "B": ["<B>{}</B>", "<B>{}<!--c--></B>", "<B/>"],
    "C": ["<C>{}</C>"],
}


@dataclass(frozen=True)
class RulesAndRows:
    """A schema and a file of rows, many of which are alike."""

    schema: str
    data: str

    def __repr__(self) -> str:
        return f"\n{self.schema}\n{self.data}\n"


@st.composite
def rule(draw: st.DrawFn) -> str:
    on_variable = draw(st.booleans())
    context = draw(VARIABLE_CONTEXTS if on_variable else CONTEXTS)
    choice = VARIABLE_TESTS if on_variable else st.one_of(TESTS, SHAPE_TESTS)
    tests = draw(st.lists(choice, max_size=3))
    roles = st.sampled_from(["", ' role="warning"'])
    asserts = "".join(f'<{kind} test="{test}"{draw(roles)}>says</{kind}>' for test in tests for kind in [draw(KINDS)])
    let = draw(st.sampled_from(["", '<let name="v" value="A"/>']))
    return f'<rule context="{context}">{let}{asserts}</rule>'


KINDS = st.sampled_from(["assert", "report", ["assert", 'role="warning"'][0]])


@st.composite
def row(draw: st.DrawFn) -> str:
    names = draw(st.lists(st.sampled_from("ABC"), unique=True, max_size=3))
    cells = [draw(st.sampled_from(CELLS[name])).format(draw(VALUES)) for name in names]
    attributes = draw(st.sampled_from(["", ' id="1"', ' id="2" class="x"', " id='3'", ' class="a&gt;b"']))
    return f"<R{attributes}>{''.join(cells)}</R>"


@st.composite
def rules_and_rows(draw: st.DrawFn) -> RulesAndRows:
    boxes = draw(st.lists(st.tuples(st.sampled_from(["pattern", "group"]), st.lists(rule(), min_size=1, max_size=3)),
                          min_size=1, max_size=3))  # fmt: skip
    patterns = "".join(f"<{box}>{''.join(inside)}</{box}>" for box, inside in boxes)
    different = draw(st.lists(row(), min_size=1, max_size=5))
    rows = draw(st.lists(st.sampled_from(different), min_size=1, max_size=12))
    schema = SCHEMA.format(binding=draw(st.sampled_from(["xslt", "xslt2", "xslt3"])), patterns=patterns)
    return RulesAndRows(schema, "<D><H><A>5</A></H>\n" + "\n".join(rows) + "\n</D>")


@contextmanager
def opened(case: RulesAndRows) -> Iterator[Original]:
    with tempfile.TemporaryDirectory() as folder:
        data, schema = Path(folder, "data.xml"), Path(folder, "rules.sch")
        data.write_text(case.data, encoding="utf-8")
        schema.write_text(case.schema, encoding="utf-8")
        with open_original(data, schema, "R", RulesSettings(judge="every-case", missing_codes={"A": ("7.5",)})) as file:
            yield file


def read_back(original: Original, cases: Cases) -> ReadBack:
    """Return the file as if it had been written and read back."""
    dataset = original.dataset
    for chunk in dataset.chunks_with_xml(original.readings):
        cases.outlines.take(chunk)
    return ReadBack(dataset.layout, dataset.lines, dataset.sha256, (), dataset.table)


def judged(original: Original, by_case: JudgedCases) -> CheckResult:
    rows = Chunk.without_xml(original.dataset.layout, {}, original.dataset.lines)
    missing, path = original.understood.missing, original.dataset.path
    return check_written(path, rows, original.rule_set, original.check, original.judges, missing, by_case.tallies)


def by_cases(original: Original) -> JudgedCases:
    cases = cases_of(original)
    assert cases is not None
    data, written = original.dataset.path, read_back(original, cases)
    return judge_cases(find_cases(cases, original, data, written), original, data, written)


def both_ways(case: RulesAndRows) -> tuple[CheckResult, CheckResult, JudgedCases]:
    """Return both verdicts; a rule that was added up has another engine, and nothing else that differs."""
    with opened(case) as original:
        found = by_cases(original)
        short, long = judged(original, found), judged(original, JudgedCases())
    for result in short.results:
        assert (result.engine == "aggregated") == (result.rule in found.aggregated and result.fired > 0)
    by_saxon = (replace(one, engine="saxon") if one.engine == "aggregated" else one for one in short.results)
    return replace(short, results=tuple(by_saxon)), long, found


@settings(max_examples=draws(60, exploring=600), deadline=None, suppress_health_check=list(HealthCheck))
@given(case=rules_and_rows())
def test_by_cases_and_record_by_record_give_the_same_verdict(case: RulesAndRows) -> None:
    short, long, _ = both_ways(case)
    assert short == long


PATTERNS = """
<pattern>
<rule context="R[number(A) &gt; 1]"><assert id="sum" test="number(A) + number(B) = number(C)">s</assert></rule>
<rule context="R"><assert id="cast" test="xs:integer(A) ge 0">c</assert></rule>
</pattern>
<pattern>
<rule context="R">
<assert id="domain" test="A = $original//R/A">d</assert>
<assert id="once" test="count(//R[A = current()/A]) = 1">o</assert>
</rule>
</pattern>
"""
ROWS = [*[(2, 3, 5)] * 4, *[("x", 1, 1)] * 2, (2, 3, 6), (1, 0, 0)]
CENSUS = RulesAndRows(
    SCHEMA.format(binding="xslt2", patterns=PATTERNS),
    "<D>" + "\n".join(f"<R><A>{a}</A><B>{b}</B><C>{c}</C></R>" for a, b, c in ROWS) + "</D>",
)
APART = RulesAndRows(
    SCHEMA.format(
        binding="xslt2",
        patterns='<pattern><rule context="R"><assert id="a" test="A = 1">a</assert>'
        '<assert id="b" test="B = 1">b</assert></rule></pattern>',
    ),
    "<D><R><A>1</A><B>1</B></R><R><A>2</A><B>2</B></R></D>",
)


def result_of(verdict: CheckResult, rule: str) -> RuleResult:
    return next(result for result in verdict.results if result.rule == rule)


def test_every_different_case_is_judged_once_and_counts_for_all_its_records() -> None:
    short, long, found = both_ways(CENSUS)
    assert short == long
    assert (set(found.tallies), found.records) == ({"sum", "cast", "domain"}, 4)
    assert [v.record for v in result_of(short, "sum").violations] == [7]
    assert (result_of(short, "cast").fired, result_of(short, "cast").errors) == (3, 2)
    assert "x" in str(result_of(short, "cast").error)


def test_a_pattern_whose_rules_test_nothing_moves_no_verdict_to_another_rule() -> None:
    empty = '<pattern><rule context="R[A = 1]"/></pattern>'
    tested = '<pattern><rule context="R"><assert id="sign" test="number(B) &gt;= 0">s</assert></rule></pattern>'
    case = RulesAndRows(SCHEMA.format(binding="xslt2", patterns=empty + tested), CENSUS.data)
    short, long, _ = both_ways(case)
    assert short == long
    assert result_of(short, "sign").fired == len(ROWS)


def test_what_is_about_all_records_is_added_up_on_the_values_that_were_read_back() -> None:
    patterns = (
        '<pattern><rule context="D"><assert id="sum" test="sum(R/B) = 17">s</assert>'
        '<assert id="broken" test="count(R) = 7">b</assert></rule></pattern>'
        '<pattern><rule context="R"><assert id="sign" test="B &gt;= 0">s</assert></rule></pattern>'
    )
    short, long, found = both_ways(RulesAndRows(SCHEMA.format(binding="xslt2", patterns=patterns), CENSUS.data))
    assert short == long
    assert (found.aggregated, set(found.tallies)) == ({"sum"}, {"sum", "sign"})
    assert result_of(short, "broken").failed == 1


def test_what_is_about_the_records_of_each_parent_is_added_up_on_the_written_bytes() -> None:
    patterns = (
        '<pattern><rule context="R"><assert id="sum" test="sum(../R/B) &lt; ../T">s</assert>'
        '<assert id="broken" test="count(../R) = 7">b</assert></rule></pattern>'
    )
    family = "<H><T>9</T><R><A>1</A><B>3</B></R><R><A>2</A><B>5</B></R></H>"
    short, long, found = both_ways(
        RulesAndRows(SCHEMA.format(binding="xslt2", patterns=patterns), f"<D>{family * 2}</D>")
    )
    assert short == long
    assert (found.aggregated, result_of(short, "sum").fired, result_of(short, "broken").failed) == ({"sum"}, 4, 4)


def test_records_that_are_joined_although_they_differ_are_found_by_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class with records of two kinds is caught, if Saxon has judged one of each for another rule."""
    monkeypatch.setattr(classes_module, "_is_exact", lambda *_: True)
    whole = classes_module._fingerprints
    is_first = iter([True])

    def joined(columns: object, outlines: object, seed: int) -> object:
        marks = whole(columns, outlines, seed)  # type: ignore[arg-type]
        return np.zeros_like(marks) if next(is_first, False) else marks

    monkeypatch.setattr(classes_module, "_fingerprints", joined)
    with opened(APART) as original, pytest.raises(JudgeError, match="different verdicts"):
        by_cases(original)


def test_a_collision_of_fingerprints_joins_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = classes_module._fingerprints
    tried: list[int] = []

    def colliding(columns: object, outlines: object, seed: int) -> object:
        tried.append(seed)
        marks = whole(columns, outlines, seed)  # type: ignore[arg-type]
        return np.zeros_like(marks) if seed == 0 else marks

    monkeypatch.setattr(classes_module, "_fingerprints", colliding)
    short, long, _ = both_ways(CENSUS)
    assert short == long
    assert set(tried) == {0, 1}


def test_fingerprints_that_always_collide_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes_module, "_fingerprints", lambda _, outlines, __: np.zeros(len(outlines), np.uint64))
    with opened(CENSUS) as original, pytest.raises(JudgeError, match="fingerprints"):
        by_cases(original)


TEXTS = st.one_of(
    st.none(), st.sampled_from(["", "1", "12345678", "123456789", "1234567890123456", "1234567890123457"])
)


@given(rows=st.lists(st.tuples(TEXTS, TEXTS, st.integers(0, 1)), min_size=1, max_size=40))
def test_classes_are_those_of_a_dictionary(rows: list[tuple[str | None, str | None, int]]) -> None:
    table = Table(
        {"A": column_of("A", [row[0] for row in rows]), "B": column_of("B", [row[1] for row in rows])}, len(rows)
    )
    found = classes_of(table, np.array([row[2] for row in rows], np.int32), ("A", "B", "nowhere"))
    assert len(found) == len(set(rows))
    assert [rows[first] for first in found.first[found.of_record].tolist()] == rows
    assert [rows.index(row) for row in rows] == found.first[found.of_record].tolist()
    assert found.sizes[found.of_record].tolist() == [rows.count(row) for row in rows]


@given(rows=st.lists(st.tuples(*[st.sampled_from("abcd")] * 3), min_size=1, max_size=60))
def test_representatives_stand_for_every_class_of_every_question(rows: list[tuple[str, str, str]]) -> None:
    table = Table({n: column_of(n, [row["ABC".index(n)] for row in rows]) for n in "ABC"}, len(rows))
    same = np.zeros(len(rows), np.int32)
    questions = [classes_of(table, same, names) for names in (("A", "B"), ("B", "C"), ("C",))]
    chosen = representatives(questions)
    assert chosen.tolist() == sorted(set(chosen.tolist()))
    for one in questions:
        assert set(one.of_record[chosen].tolist()) == set(range(len(one)))
    assert len(chosen) <= sum(map(len, questions))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<R><A>1</A><B>2</B></R>", "<R><B>2</B><A>1</A></R>"),
        ("<R><A>1</A></R>", '<R><A unit="kg">1</A></R>'),
        ("<R><A>1</A></R>", "<R><A>1<!--c--></A></R>"),
        ("<R><A>1<!--c--></A></R>", "<R><A>1<!--d--></A></R>"),
        ("<R><A/></R>", '<R><A nil="true"/></R>'),
        ('<R xml:lang="de"><A/></R>', '<R xml:lang="en"><A/></R>'),
        ("<R><A x='>1'>1</A></R>", "<R><A x='>2'>1</A></R>"),
        ("<R id='1'><A>1</A></R>", "<R id='2'><A>1</A></R>"),
    ],
)
def test_what_is_not_the_text_of_a_variable_is_in_the_outline(one: str, other: str) -> None:
    assert outline_of(one.encode()) != outline_of(other.encode())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<R><A>1</A><B>2</B></R>", "<R><A>7 &gt; 3</A>\n<B/></R>".replace("<B/>", "<B></B>")),
        ('<R id="1" x="a>b"><A>1</A></R>', '<R id="2" x="c"><A>2</A></R>'),
    ],
)
def test_the_texts_of_variables_are_not_in_the_outline(one: str, other: str) -> None:
    assert outline_of(one.encode()) == outline_of(other.encode())


def test_a_file_of_too_many_outlines_is_not_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraint_sdc.judge.cases.outlines.MOST_OUTLINES", 1)
    short, long, found = both_ways(RulesAndRows(CENSUS.schema, CENSUS.data.replace("<A>x</A>", "<A y='1'>x</A>")))
    assert short == long
    assert found.records == 0


def test_outlines_of_rows_that_look_the_same_are_known_from_the_reader() -> None:
    with opened(CENSUS) as original:
        outlines = Outlines()
        for chunk in original.dataset.chunks_with_xml(original.readings):
            assert chunk.outline is not None
            outlines.take(chunk)
        numbers = outlines.of_records()
    assert numbers is not None
    assert numbers.tolist() == [0] * 8
