"""The Schematron of a case: candidate rules in patterns, as asserts or as reports."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from constraint_sdc.exam.guarantee.bounds import KEY
from constraint_sdc.exam.guarantee.drafting import RuleText
from constraint_sdc.exam.guarantee.layouts import NAMESPACE, DrawnLayout

SCHEMATRON = "http://purl.oclc.org/dsdl/schematron"


@dataclass(frozen=True)
class PlacedRule:
    """A rule with its dress: assert or report, and the way in which its context is written."""

    id: str
    rule: RuleText
    is_report: bool
    anywhere: bool

    def __str__(self) -> str:
        where = f" in [{self.rule.predicate}]" if self.rule.predicate else ""
        where += f" on {self.rule.variable}" if self.rule.variable else ""
        lets = "".join(f" with ${name} = {value}" for name, value in self.rule.lets)
        return f"{self.id} ({self.rule.idea}{', report' if self.is_report else ''}){where}: {self.rule.test}{lets}"


@dataclass(frozen=True)
class Frame:
    """What surrounds the patterns: a phase to be chosen, lets of the schema, and the ids of mere warnings.

    `across` are rules by id that look at other records, `opaque` those that only Saxon evaluates. With a phase, one
    pattern lies outside it and is not checked.
    """

    phase: str | None = None
    lets: tuple[tuple[str, str], ...] = ()
    warnings: frozenset[str] = frozenset()
    across: tuple[tuple[str, str], ...] = ()
    opaque: tuple[tuple[str, str], ...] = ()


PLAIN = Frame()


def dress(rules: Sequence[RuleText], rng: random.Random) -> list[PlacedRule]:
    """Give every rule an id and a form: assert or report, in its own context or anywhere."""
    return [
        PlacedRule(f"R{number}", rule, is_report=rng.random() < 0.12, anywhere=rng.random() < 0.15)
        for number, rule in enumerate(rules, start=1)
    ]


def schema_xml(
    placed: Sequence[PlacedRule],
    layout: DrawnLayout,
    binding: str,
    rng: random.Random | None = None,
    frame: Frame = PLAIN,
) -> str:
    """Return the schema with these rules, each in a pattern of its own.

    With `rng` some of them share a pattern with their predecessor. The first rule of a pattern that matches a node
    wins, so those that share one are asked about fewer records, and hold on all of them as before.
    """
    keys = sorted({_key_variable(item.rule.test) for item in placed if "key('" in item.rule.test})
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<schema xmlns="{SCHEMATRON}" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" queryBinding="{binding}">',
    ]
    if binding != "xslt":
        lines.append('  <ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>')
    if layout.prefix:
        lines.append(f'  <ns prefix="d" uri="{NAMESPACE}"/>')
    lines += [_key(name, layout) for name in keys]
    patterns: list[list[PlacedRule]] = []
    for item in placed:
        if rng is not None and patterns and rng.random() < 0.12:
            patterns[-1].append(item)
        else:
            patterns.append([item])
    lines += [_let(name, value) for name, value in frame.lets]
    framed = {name: rules for name, rules in (("PX", frame.across), ("PS", frame.opaque)) if rules}
    lines += _phase([*(f"P{items[0].id}" for items in patterns), *framed], frame)
    lines += [_pattern(items, layout, frame.warnings) for items in patterns]
    context = layout.record_path
    for pattern, rules in framed.items():
        asserts = "".join(_assertion("assert", name, test, "", "") for name, test in rules)
        lines.append(_one_rule(pattern, context, asserts))
    if frame.phase is not None:
        lines.append(_one_rule("PDormant", context, _assertion("assert", "dormant", "false()", "", "")))
    return "\n".join([*lines, "</schema>", ""])


def without_rules(rules: str, left_out: tuple[str, ...]) -> str:
    """Return a schema without these asserts and reports; their rules still take the records that they match."""
    root = etree.fromstring(rules.encode("utf-8"))
    for element in [*root.iter(f"{{{SCHEMATRON}}}assert"), *root.iter(f"{{{SCHEMATRON}}}report")]:
        parent = element.getparent()
        if element.get("id") in left_out and parent is not None:
            parent.remove(element)
    return etree.tostring(root, encoding="unicode")


def _key_variable(test: str) -> str:
    return test.partition(f"key('{KEY}-")[2].partition("'")[0]


def _key(name: str, layout: DrawnLayout) -> str:
    prefixed = f' xmlns:d="{NAMESPACE}"' if layout.prefix else ""
    use = layout.path(name)
    return f'  <xsl:key{prefixed} name="{KEY}-{name}" match="{layout.record_path}" use="string({use})"/>'


def _phase(patterns: Sequence[str], frame: Frame) -> list[str]:
    if frame.phase is None:
        return []
    active = "".join(f"<active pattern={quoteattr(name)}/>" for name in patterns)
    return [f"  <phase id={quoteattr(frame.phase)}>{active}</phase>"]


def _one_rule(pattern: str, context: str, inside: str) -> str:
    return f"  <pattern id={quoteattr(pattern)}><rule context={quoteattr(context)}>{inside}</rule></pattern>"


def _pattern(items: Sequence[PlacedRule], layout: DrawnLayout, warnings: frozenset[str]) -> str:
    """Return a pattern; rules without a condition of their own that follow one another are asserts of one rule."""
    rules: list[tuple[str, str]] = []
    for item in items:
        context, inside = _context(item, layout), _inside(item, is_warning=item.id in warnings)
        if rules and rules[-1][0] == context and not item.rule.lets:
            rules[-1] = (context, rules[-1][1] + inside)
        else:
            rules.append((context, inside))
    text = "\n    ".join(f"<rule context={quoteattr(context)}>{inside}</rule>" for context, inside in rules)
    return f"  <pattern id={quoteattr('P' + items[0].id)}>\n    {text}\n  </pattern>"


def _context(item: PlacedRule, layout: DrawnLayout) -> str:
    context = ("//" if item.anywhere else "") + layout.record_path
    if item.rule.predicate is not None:
        context += f"[{item.rule.predicate}]"
    return context + (f"/{layout.path(item.rule.variable)}" if item.rule.variable is not None else "")


def _inside(item: PlacedRule, *, is_warning: bool) -> str:
    rule = item.rule
    lets = "".join(_let(name, value).strip() for name, value in rule.lets)
    kind, test = ("report", f"not({rule.test})") if item.is_report else ("assert", rule.test)
    return lets + _assertion(kind, item.id, test, rule.idea, ' role="warning"' if is_warning else "")


def _let(name: str, value: str) -> str:
    return f"  <let name={quoteattr(name)} value={quoteattr(value)}/>"


def _assertion(kind: str, name: str, test: str, idea: str, role: str) -> str:
    says = f"{escape(idea or name)} does not hold"
    return f"<{kind} id={quoteattr(name)} test={quoteattr(test)}{role}>{says}</{kind}>"
