"""Mistakes in rules: every one leads to the author's file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from constraint_sdc.errors import RulesError
from constraint_sdc.judge.worker.bench import readable

if TYPE_CHECKING:
    from conftest import Desk

# Line 2 holds the mistake; line 4 holds a rule that is fine.
RULE = '<rule context="V1"><assert id="a" test="1">x</assert></rule>'
SHAPES = {
    "test": RULE.replace("<assert", "\n<assert").replace('"1"', '"{0}"'),
    "report": '<rule context="V1">\n<report id="a" test="{0}">x</report>\n</rule>',
    "pattern let": '\n<let name="v" value="{0}"/>\n' + RULE,
    "rule let": RULE.replace("<assert", '\n<let name="v" value="{0}"/>\n<assert'),
    "value-of": RULE.replace(">x<", '>\n<value-of select="{0}"/>\n<'),
    "name": RULE.replace(">x<", '>\n<name path="{0}"/>\n<'),
    "subject": RULE.replace("<assert", '\n<assert subject="{0}"'),
}
SHAPES = {shape: f"<pattern>{body}</pattern>" for shape, body in SHAPES.items()} | {
    "schema let": '\n<let name="v" value="{0}"/>\n',
    "documents": f'\n<pattern documents="{{0}}">\n{RULE}</pattern>',
    "diagnostic": f"<pattern>{RULE}</pattern>".replace("test=", 'diagnostics="d" test=')
    + '<diagnostics><diagnostic id="d">\n<value-of select="{0}"/>\n</diagnostic></diagnostics>',
}
MISTAKES = ["1 +", "no-such-function(.)", "$undeclared", "unknown:name", "a[", "1 to", "'open", "(: open"]
GOOD = '\n<pattern><rule context="V2"><assert id="good" test="true()">x</assert></rule></pattern>'


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_an_expression_names_its_file_and_line(desk: Desk, shape: str, mistake: str) -> None:
    with pytest.raises(RulesError) as caught:
        desk.judge(SHAPES[shape].format(mistake) + GOOD)
    assert (caught.value.file, caught.value.line) == (str(desk.rules), 2), str(caught.value)
    assert "{" not in caught.value.what.replace("{" + mistake + "}", ""), caught.value.what


@pytest.mark.parametrize("context", ["V1[", "1 + 1", "V1/following::x/..", "$undeclared", "unknown:V1", "V1)"])
def test_a_mistake_in_a_context_names_its_file_and_line(desk: Desk, context: str) -> None:
    with pytest.raises(RulesError) as caught:
        desk.judge(f'<pattern>\n<rule context="{context}"><assert id="a" test="1">x</assert></rule></pattern>{GOOD}')
    assert (caught.value.file, caught.value.line) == (str(desk.rules), 2), str(caught.value)


def test_a_mistake_in_an_included_file_names_that_file(desk: Desk) -> None:
    part = desk.write(
        "rules/part.sch",
        '<pattern xmlns="http://purl.oclc.org/dsdl/schematron">\n\n'
        '<rule context="V1"><assert id="a" test="1 +">x</assert></rule></pattern>',
    )
    with pytest.raises(RulesError) as caught:
        desk.judge('<include href="part.sch"/>')
    assert (caught.value.file, caught.value.line) == (str(part), 3)


def test_a_slip_cannot_reach_beyond_its_own_expression(desk: Desk) -> None:
    for test in ("true()) or (true()", "1]", "x'>"):
        with pytest.raises(RulesError):
            desk.judge(f'<pattern><rule context="V1"><assert id="a" test="{test}">x</assert></rule></pattern>')


def test_a_mistake_in_a_declaration_of_the_authors_names_its_line(desk: Desk) -> None:
    with pytest.raises(RulesError) as caught:
        desk.judge(f'\n<xsl:key name="k" match="a" use="1 +"/>{GOOD}')
    assert (caught.value.file, caught.value.line) == (str(desk.rules), 2)


@pytest.mark.parametrize(
    ("complaint", "text"),
    [
        (
            "Error at char 12 in expression in xsl:sequence/@select on line 4 column 44 of file:///x/:\n"
            '  FORG0001  Cannot convert string "x"\n  to an integer\nIn template main on line 2 column 27 of file:///x/:\n',
            'FORG0001: Cannot convert string "x" to an integer',
        ),
        (
            "  XPST0017  Cannot find a 1-argument function named\n  Q{urn:x}f()",
            "XPST0017: Cannot find a 1-argument function named Q{urn:x}f()",
        ),
    ],
)
def test_a_complaint_is_read_as_code_and_message(complaint: str, text: str) -> None:
    assert readable(complaint) == text
