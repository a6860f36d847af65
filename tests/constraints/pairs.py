"""Text pairs `XPath => kind: constraint`, with headers that say how the XPath is used.

`binding xslt1|xslt2|xslt3`, `test assert|report` and `context ...` hold until the next header of the same word.
A line that starts with # is a comment. The last `=>` of a line divides it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.constraints.show import show_constraint
from constraint_sdc.constraints.understand import understand
from constraint_sdc.schematron.schema import Assertion, Binding, Let, Origin, Pattern, Rule, Schema

FILE = "/rules/fixture.sch"
HERE = Origin(FILE, 1)
KEY = '<xsl:key xmlns:xsl="http://www.w3.org/1999/XSL/Transform" name="by-V1" match="Record" use="V1"/>'
NAMESPACES = (("xs", "http://www.w3.org/2001/XMLSchema"), ("c", "urn:census"))


@dataclass(frozen=True)
class Pair:
    binding: Binding
    kind: str
    context: str
    xpath: str
    expected: str
    where: str


def read_pairs(path: Path, *, need_expected: bool = True) -> list[Pair]:
    headers = {"binding": "xslt2", "test": "assert", "context": "Record"}
    pairs = []
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = raw.strip()
        word, _, rest = line.partition(" ")
        if not line or line.startswith("#"):
            continue
        if word in headers and (word != "context" or "=>" not in rest):
            headers[word] = rest.strip()
            continue
        xpath, divider, expected = line.rpartition(" => ")
        if not divider:
            assert not need_expected, f"{path.name}:{number}: no => in this line"
            xpath, expected = line, ""
        where = f"{path.stem}:{number}"
        pairs.append(
            Pair(headers["binding"], headers["test"], headers["context"], xpath.strip(), expected.strip(), where)
        )
    return pairs


def assertion(test: str, kind: str = "assert", name: str = "r1", **more: object) -> Assertion:
    fields: dict[str, object] = {
        "parts": (),
        "severity": "error",
        "diagnostics": (),
        "properties": (),
        "attributes": (),
        "origin": HERE,
    }
    return Assertion(id=name, has_own_id=True, kind=kind, test=test, **{**fields, **more})


def rule(context: str, *tests: str, lets: tuple[Let, ...] = (), kind: str = "assert", first: int = 1) -> Rule:
    assertions = tuple(assertion(test, kind, f"r{first + i}") for i, test in enumerate(tests))
    return Rule(None, context, lets, assertions, (), HERE)


def pattern(*rules: Rule, lets: tuple[Let, ...] = (), is_group: bool = False, documents: str | None = None) -> Pattern:
    return Pattern("p", "p", documents, is_group, lets, rules, (), HERE)


def schema(*patterns: Pattern, binding: Binding = "xslt2", lets: tuple[Let, ...] = (), **more: object) -> Schema:
    fields: dict[str, object] = {
        "title": "",
        "namespaces": NAMESPACES,
        "parameters": (),
        "phase": "#ALL",
        "phases": (),
        "diagnostics": (),
        "properties": (),
        "foreign": ((KEY, HERE),),
        "origin": HERE,
    }
    return Schema(binding=binding, lets=lets, patterns=patterns, **{**fields, **more})


def let(name: str, value: str | None = None, content: str | None = None, type_name: str | None = None) -> Let:
    return Let(name, value, content, type_name, HERE)


def rule_of(pair: Pair) -> EditRule:
    described = schema(pattern(rule(pair.context, pair.xpath, kind=pair.kind)), binding=pair.binding)
    return understand(described, record="Record", outside=("Data",))[0]


def answer(pair: Pair) -> str:
    constraint = rule_of(pair).constraint
    if constraint.kind.value in ("opaque", "cross-record"):
        return f"{constraint.kind.value}: {constraint.reason}"
    return f"{constraint.kind.value}: {show_constraint(constraint)}"
