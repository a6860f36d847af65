"""The judge's control: rules with a known verdict in every stylesheet, and an account of every node visited.

A stylesheet gets one pattern more, written by the same functions as the author's: one rule over two records of a small
document of its own, with an assertion that must hold on the first and fail on the second. Its tokens, counts, message
and location take the same way as those of the author's rules. Besides, for each pattern, the nodes visited are counted
apart from the templates: every one must have been taken by the template of a rule, or by the one for nodes that no rule
matches. A verdict counts only if both are as they must be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from constraint_sdc.errors import JudgeError
from constraint_sdc.schematron.schema import Assertion, Origin, Pattern, Rule, Schema, TextPart
from constraint_sdc.schematron.xslt import JUDGE

_HOLDS, _FAILS = "holds", "fails"
_MESSAGE = "the control fails"
_HERE = Origin("the judge's control", 1)
_RECORDS = "".join(f"<c:record><c:value>{value}</c:value></c:record>" for value in (_HOLDS, _FAILS))

CONTROL = Pattern(
    id="control",
    name="control",
    documents=None,
    is_group=False,
    lets=(),
    rules=(
        Rule(
            id=None,
            context=f"Q{{{JUDGE}}}record",
            lets=(),
            assertions=(
                Assertion(
                    id="control",
                    has_own_id=False,
                    kind="assert",
                    test=f"Q{{{JUDGE}}}value = '{_HOLDS}'",
                    parts=(TextPart(_MESSAGE),),
                    severity="error",
                    diagnostics=(),
                    properties=(),
                    attributes=(),
                    origin=_HERE,
                ),
            ),
            attributes=(),
            origin=_HERE,
        ),
    ),
    attributes=(),
    origin=_HERE,
)
CONTROL_DOCUMENT = (
    f'<xsl:variable name="c:control" as="document-node()" xmlns:c="{JUDGE}"><xsl:document>'
    f"<c:control>{_RECORDS}</c:control></xsl:document></xsl:variable>"
)
SHOWN_IN_SVRL = f"fired-rule,fired-rule,failed-assert {_MESSAGE}"


def with_control(schema: Schema) -> Schema:
    """Return the schema with the control as its last pattern."""
    return replace(schema, patterns=(*schema.patterns, CONTROL))


def prove(schema: Schema, rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise JudgeError unless the rows of a verdict show that the judge was on; `schema` is without the control."""
    _prove_control(with_control(schema), rows)
    _prove_visits(with_control(schema), rows)


def prove_svrl(shown: str) -> None:
    """Raise JudgeError unless the control appears in a report as it must."""
    if shown != SHOWN_IN_SVRL:
        raise _broken("is not in the report as it must be")


def _prove_control(schema: Schema, rows: Sequence[Mapping[str, Any]]) -> None:
    number, rule = len(schema.assertions()), sum(len(pattern.rules) for pattern in schema.patterns)
    own = [row for row in rows if row.get("assertion") == number]
    fired = sum(row["count"] for row in rows if row["kind"] == "fired" and row["rule"] == rule)
    counts = [(row["failed"], row["errors"]) for row in own if row["kind"] == "complaints"]
    said = [row["text"] for row in own if row["kind"] == "finding"]
    if fired != 2:
        raise _broken("did not fire")
    if not counts or counts[0][0] + counts[0][1] == 0:
        raise _broken("did not fail")
    if counts != [(1, 0)]:
        raise _broken("did not hold where it must")
    if said not in ([], [_MESSAGE]):
        raise _broken("did not say why it failed")


def _prove_visits(schema: Schema, rows: Sequence[Mapping[str, Any]]) -> None:
    """Compare the nodes visited with those that templates took, pattern by pattern.

    A rule leaves its number once for each node, and one with `visit-each` its negative number; 0 is a node that no rule
    matches.
    """
    rules = [rule for pattern in schema.patterns for rule in pattern.rules]
    by_item = {number for number, rule in enumerate(rules, start=1) if rule.attribute("visit-each")}
    taken: Counter[int] = Counter()
    for row in rows:
        if row["kind"] == "fired" and row["rule"] not in by_item:
            taken[row["pattern"]] += row["count"]
    visited = {row["pattern"]: row["count"] for row in rows if row["kind"] == "visited"}
    for number, pattern in enumerate(schema.patterns):
        if number not in visited or visited[number] != taken[number]:
            counts = f"{visited.get(number, 'no')} nodes of pattern {pattern.id!r} were visited, {taken[number]} judged"
            raise _broken(f"found that {counts}")


def _broken(how: str) -> JudgeError:
    return JudgeError(
        f"the judge's control {how}: nothing is judged", hint="this is a defect, in the program or in Saxon: report it"
    )
