"""Variables that are XML attributes, in every language, and masking under rules about them."""

from __future__ import annotations

from pathlib import Path

import pytest

import constraint_sdc as cs
from tests.languages.judged import failures

RULES = {
    "rules.txt": "sum: `@a` + b = `@c`\nset: `@t` in {'x', 'y'}\nown: `@b` = b\nkey: not `@a` is missing",
    "rules.R": (
        'validator(sum = `@a` + b == `@c`, set = `@t` %in% c("x", "y"), own = `@b` == b, key = !is.na(`@a`), '
        "unique = is_unique(`@a`))"
    ),
    "rules.sql": (
        'CREATE TABLE r (b INT, "@a" INT UNIQUE, "@c" INT, "@t" TEXT, CONSTRAINT "sum" CHECK ("@a" + b = "@c"), '
        'CONSTRAINT "set" CHECK ("@t" IN (\'x\', \'y\')), CONSTRAINT own CHECK ("@b" = b), '
        'CONSTRAINT "key" CHECK ("@a" IS NOT NULL));'
    ),
    "rules.json": '{"properties": {"@a": {"minimum": 0, "multipleOf": 1}, "@t": {"enum": ["x", "y"]}}, '
    '"required": ["@a"]}',
}
ROWS = (
    '<r:Record a="1" b="2" c="3" t="x"><r:b>2</r:b></r:Record>',
    '<r:Record a="1" b="2" c="4" t="z"><r:b>2</r:b></r:Record>',
    '<r:Record a=" " b="1" c="4" t="y"><r:b>2</r:b></r:Record>',
    '<r:Record a="-5" c="-3" t="x"><r:b>2</r:b></r:Record>',
)


@pytest.mark.parametrize("name", RULES)
def test_attributes_are_variables(tmp_path: Path, name: str) -> None:
    data = tmp_path / "data.xml"
    data.write_text(f'<r:Data xmlns:r="urn:rows">{"".join(ROWS)}</r:Data>')
    (tmp_path / name).write_text(RULES[name])
    found = failures(data, tmp_path / name)
    if name == "rules.json":
        assert found == {"a-minimum": {4}, "a-multipleOf": set(), "t-enum": {2}, "a-required": {3}}
        return
    assert {rule: found[rule] for rule in ("sum", "set", "own", "key")} == {
        "sum": {2},
        "set": {2},
        "own": {3},
        "key": {3},
    }
    assert name == "rules.txt" or {1, 2} in found.values()


def test_masking_under_rules_about_attributes(tmp_path: Path) -> None:
    rows = "".join(f'<Record a="{n}" c="{3 * n}"><b>{2 * n}</b></Record>' for n in range(1, 21))
    (tmp_path / "data.xml").write_text(f"<Data>{rows}</Data>")
    (tmp_path / "rules.txt").write_text("`@a` + b = `@c`")
    out = tmp_path / "masked.xml"
    result = cs.mask_file(tmp_path / "data.xml", tmp_path / "rules.txt", out, k=5, partition="mdav", undecided="guess")
    assert result.after is not None
    assert [rule.failed for rule in result.after.results] == [0]
    assert 'a="1"' not in out.read_text()
