"""Write translated rules as a Schematron file that any processor runs: one pattern for each rule."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from constraint_sdc.files.rows_file import element_name, xml_name
from constraint_sdc.languages.formula import own_columns, renamed
from constraint_sdc.languages.rule_book import BookRule, RuleBook
from constraint_sdc.languages.subject import RuleSubject, SharedParts
from constraint_sdc.languages.xpath_text import XPathWriter
from constraint_sdc.schematron.element import ISO_NAMESPACE, OUR_NAMESPACE, XSLT_NAMESPACE

_NAMESPACES = {"xs": "http://www.w3.org/2001/XMLSchema", "math": "http://www.w3.org/2005/xpath-functions/math"}
_NAME = re.compile(r"[^\W\d][\w.\-]*")
_PREFIX = "d"


def schematron_text(book: RuleBook, subject: RuleSubject, *, origins: bool = True) -> str:
    """Return the rules as Schematron; `origins` notes where each was written."""
    subject, namespace = _with_prefix(subject)
    shared = SharedParts()
    patterns = [_pattern(rule, subject, shared, origins=origins) for rule in book.rules]
    head = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<schema xmlns={quoteattr(ISO_NAMESPACE)}",
        f"        xmlns:sdc={quoteattr(OUR_NAMESPACE)}",
        *([f"        xmlns:xsl={quoteattr(XSLT_NAMESPACE)}"] if shared.keys else []),
        f'        queryBinding="{"xslt3" if shared.needs_xpath3 else "xslt2"}">',
        f"  <title>{_content(book.title)}</title>",
    ]
    spaces = [name for name in _NAMESPACES if name == "xs" or shared.needs_xpath3]
    head += [f'  <ns prefix="{name}" uri={quoteattr(_NAMESPACES[name])}/>' for name in spaces]
    if namespace:
        head.append(f'  <ns prefix="{_PREFIX}" uri={quoteattr(namespace)}/>')
    match = f"{subject.prefix}{subject.record}"
    head += [f'  <xsl:key name="{name}" match="{match}" use={quoteattr(use)}/>' for name, use in shared.keys.items()]
    head += [f'  <let name="{name}" value={quoteattr(value)}/>' for name, value in shared.lets.items()]
    return "\n".join((*head, *patterns, "</schema>", ""))


def _with_prefix(subject: RuleSubject) -> tuple[RuleSubject, str]:
    """Return the subject with a prefix for the names if the record has a namespace, and the namespace."""
    namespace, _, local = subject.record.rpartition("}")
    if not namespace:
        return subject, ""
    return replace(subject, record=local, prefix=f"{_PREFIX}:"), namespace.lstrip("{")


def _pattern(rule: BookRule, subject: RuleSubject, shared: SharedParts, *, origins: bool) -> str:
    rule = replace(rule, condition=renamed(rule.condition, _element))
    writer = XPathWriter(subject, shared)
    test = writer.test(rule.condition, is_unknown_true=rule.na != "fails")
    context = f"{subject.prefix}{subject.record}" if own_columns(rule.condition) else "/*"
    written = f"{Path(rule.origin.file).name}:{rule.origin.line}"
    origin = f" sdc:origin={quoteattr(written)}" if origins else ""
    role = f" role={quoteattr(rule.severity)}" if rule.severity else ""
    lines = [f"  <pattern id={quoteattr(rule.id)}{origin}>"]
    lines += [f"    <title>{_content(rule.label)}</title>"] if rule.label else []
    lines += [f"    <p>{_content(rule.description)}</p>"] if rule.description else []
    lines += [f'    <rule context="{context}">']
    lines += [f"      <let name={quoteattr(name)} value={quoteattr(value)}/>" for name, value in writer.lets.items()]
    lines += [f"      <assert test={quoteattr(test)}{role}>{_content(_message(rule))}</assert>"]
    return "\n".join((*lines, "    </rule>", "  </pattern>"))


def _element(name: str) -> str:
    """Return the element or attribute that a name in a rule means, which may be the header of a column."""
    return xml_name(name) if name.startswith("{") else element_name(name)


def _message(rule: BookRule) -> str:
    """Return the label and the rule as its author wrote it, on one line."""
    text = " ".join(rule.text.split())
    return f"{rule.label}: {text}" if rule.label else text


def _content(text: str) -> str:
    return escape(" ".join(text.split()))


def rule_id(wished: str, known: set[str]) -> str:
    """Return an id for a rule: the wished name with everything that XML ids cannot hold as a hyphen.

    >>> rule_id("total costs", set()), rule_id("7", set()), rule_id("a", {"a"})
    ('total-costs', 'rule-7', 'a.2')
    """
    plain = re.sub(r"[^\w.\-]+", "-", wished).strip("-") or "rule"
    start = plain if _NAME.match(plain) else f"rule-{plain}"
    name, number = start, 2
    while name in known:
        name, number = f"{start}.{number}", number + 1
    known.add(name)
    return name
