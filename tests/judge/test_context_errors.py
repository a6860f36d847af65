"""An error inside the predicate of a context is seen: the rule could not be judged there, whatever XSLT says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.judge.finding import CheckResult

VALUES = ["1", "5", "x", "9", "", "y", "12"]
ROWS = "".join(f'<R id="{value}"><A>{value}</A><B>3</B></R>' for value in VALUES)
DATA = f"<D>{ROWS}</D>"
HEAD = '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">'
ENGINES: list[Literal["auto", "saxon"]] = ["auto", "saxon"]


def judged(folder: Path, rules: str, engine: Any, data: str = DATA, **options: Any) -> CheckResult:
    (folder / "data.xml").write_text(data, encoding="utf-8")
    (folder / "rules.sch").write_text(f"{HEAD}{rules}</schema>", encoding="utf-8")
    return check_file(folder / "data.xml", folder / "rules.sch", CheckOptions(engine=engine, **options))


def counts(result: CheckResult) -> dict[str, tuple[int, int, int]]:
    return {one.rule: (one.fired, one.failed, one.errors) for one in result.results}


def rule(context: str, name: str = "r", test: str = "B = 3") -> str:
    return f'<rule context="{context}"><assert id="{name}" test="{test}">x</assert></rule>'


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("context", "fired", "errors"),
    [
        ("R[xs:integer(A) gt 4]", 3, 3),
        ("R[A &gt; 4]", 3, 3),
        ("R[A castable as xs:integer][xs:integer(A) gt 4]", 3, 0),
        ("R[A castable as xs:integer and xs:integer(A) gt 4]", 3, 0),
        ("R[number(A) &gt; 4]", 3, 0),
        ("D/R[xs:integer(A) gt 4]", 3, 3),
        ("/D/R[xs:integer(A) gt 4]", 3, 3),
        ("D//R[xs:integer(A) gt 4]", 3, 3),
        ("*[xs:integer(A) gt 4]", 3, 3),
        ("R[xs:integer(@id) gt 4]", 3, 3),
        ("R[if (B) then xs:integer(A) gt 4 else false()]", 3, 3),
        ("R[let $a := A return xs:integer($a) gt 4]", 3, 3),
        ("R[some $a in A satisfies xs:integer($a) gt 4]", 3, 3),
        ("R[current()/xs:integer(A) gt 4]", 3, 3),
        ("R[xs:integer(A) gt 4] | R[xs:integer(A) lt 2]", 4, 3),
        (".[self::R][xs:integer(A) gt 4]", 3, 3),
    ],
)
def test_a_record_whose_context_stops_is_counted(
    tmp_path: Path, engine: Any, context: str, fired: int, errors: int
) -> None:
    result = judged(tmp_path, f"<pattern>{rule(context)}</pattern>", engine)
    assert counts(result) == {"r": (fired + errors, 0, errors)}
    assert result.results[0].passed == fired
    assert result.exit_code == (2 if errors else 0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("context", "fired", "errors"),
    [
        ("R/A[xs:integer(.) gt 4]", 3, 3),
        ("A[. &gt; 4]", 3, 3),
        ("R[xs:integer(A) gt 4]/B", 3, 3),
        ("R/@id[. &gt; 4]", 3, 3),
    ],
)
def test_contexts_inside_a_record(tmp_path: Path, engine: Any, context: str, fired: int, errors: int) -> None:
    result = judged(tmp_path, f"<pattern>{rule(context, test='true()')}</pattern>", engine)
    assert counts(result) == {"r": (fired + errors, 0, errors)}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_node_that_an_earlier_rule_takes_is_no_error(tmp_path: Path, engine: Any) -> None:
    rules = rule("R[not(A castable as xs:integer)]", "text") + rule("R[xs:integer(A) gt 4]", "number")
    result = judged(tmp_path, f"<pattern>{rules}</pattern>", engine)
    assert counts(result) == {"text": (3, 0, 0), "number": (3, 0, 0)}
    assert result.exit_code == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_later_rule_still_judges_what_an_earlier_one_stops_on(tmp_path: Path, engine: Any) -> None:
    rules = rule("R[xs:integer(A) gt 4]", "number") + rule("R", "rest", "A = '1'")
    result = judged(tmp_path, f"<pattern>{rules}</pattern>", engine)
    assert counts(result) == {"number": (6, 0, 3), "rest": (4, 3, 0)}
    assert result.exit_code == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_every_assertion_of_the_rule_and_every_rule_of_a_group(tmp_path: Path, engine: Any) -> None:
    two = rule("R[xs:integer(A) gt 4]", "one").replace("</rule>", '<assert id="two" test="B = 4">x</assert></rule>')
    result = judged(tmp_path, f"<group>{two}{rule('R[xs:integer(A) lt 4]', 'three')}</group>", engine)
    assert counts(result) == {"one": (6, 0, 3), "two": (6, 3, 3), "three": (4, 0, 3)}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_position_is_left_to_the_pattern(tmp_path: Path, engine: Any) -> None:
    """The limit: what asks for positions among siblings is matched as XSLT says."""
    rules = "".join(
        f"<pattern>{rule(context, f'r{n}')}</pattern>"
        for n, context in enumerate(("R[2]", "R[last()]", "R[position() gt 5]", "R[count(A) + 1]"))
    )
    result = judged(tmp_path, rules, engine)
    assert counts(result) == {"r0": (1, 0, 0), "r1": (1, 0, 0), "r2": (2, 0, 0), "r3": (1, 0, 0)}


@pytest.mark.parametrize("engine", ENGINES)
def test_documents_without_rows(tmp_path: Path, engine: Any) -> None:
    data = "<I><L><P>x</P></L><M><P>3</P><Q><P>4</P></Q></M></I>"
    result = judged(tmp_path, f"<pattern>{rule('P[xs:integer(.) gt 1]', test='true()')}</pattern>", engine, data)
    assert counts(result) == {"r": (3, 0, 1)}
    assert result.exit_code == 2


def test_the_complete_svrl_tells_it(tmp_path: Path) -> None:
    from constraint_sdc.commands.check import full_svrl

    judged(tmp_path, f"<pattern>{rule('R[xs:integer(A) gt 4]')}</pattern>", "saxon")
    options = CheckOptions(engine="saxon", show_values=True, max_examples=None)
    text = full_svrl(tmp_path / "data.xml", tmp_path / "rules.sch", options)
    assert text.count("fired-rule ") == 3
    assert text.count("FORG0001") == 3
