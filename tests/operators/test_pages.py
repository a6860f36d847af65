"""The pages of the operators quote the reasons that plans give: word for word, and each operator its own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from constraint_sdc.operators.order_statistic import OrderStatistic
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.reports.sentences import SENTENCES

TOP = Path(__file__).resolve().parents[2]
PAGES = TOP / "docs" / "operators"
ROOM = TOP / "constraint_sdc" / "operators"
_TABLE = re.compile(r"^\| rule \| reason in the plan \|\n\|---\|---\|\n((?:\|.*\|\n)+)", re.MULTILINE)


def page_of(name: str) -> str:
    return (PAGES / f"{name.replace(' ', '-')}.md").read_text("utf-8")


def quoted(text: str) -> list[str]:
    """Return the reasons that a page quotes, row by row."""
    rows = [row for table in _TABLE.findall(text) for row in table.splitlines()]
    return [re.split(r"(?<!\\)\|", row)[2].strip() for row in rows]


def modules_of(name: str) -> tuple[Path, ...]:
    """Return an operator's own module, and that of all order statistics if it registers one of them."""
    own = ROOM / f"{name.replace(' ', '_')}.py"
    return (own, ROOM / "order_statistic.py") if isinstance(OPERATORS[name], OrderStatistic) else (own,)


def codes_given(name: str) -> set[str]:
    """Return the codes that an operator's modules give, and those that all operators share."""
    calls = [
        node
        for path in (*modules_of(name), ROOM / "operator.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    ]
    return {
        str(node.args[0].value)
        for node in calls
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "because"
        and isinstance(node.args[0], ast.Constant)
    }


@pytest.mark.parametrize("name", OPERATORS.own_names)
def test_every_quoted_reason_is_what_the_program_prints(name: str) -> None:
    own = {SENTENCES[code] for code in codes_given(name)}
    found = quoted(page_of(name))
    assert found
    assert [reason for reason in found if reason not in own] == []


@pytest.mark.parametrize("name", OPERATORS.own_names)
def test_every_reason_of_the_operator_itself_is_on_its_page(name: str) -> None:
    own = [code for path in modules_of(name) for code in re.findall(r'because\("([a-z-]+)"', path.read_text("utf-8"))]
    found = quoted(page_of(name))
    special = {"never-true-of-positive"}  # a rule that no positive record satisfies is broken before masking
    assert [code for code in dict.fromkeys(own) if code not in special and SENTENCES[code] not in found] == []


def test_a_reason_in_old_words_would_be_noticed() -> None:
    text = page_of("mode").replace(str(SENTENCES["modes-of-several"]), "modes come from anywhere")
    assert "modes come from anywhere" in quoted(text)
