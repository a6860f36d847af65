"""Whatever text stands in messages, keys, ids and titles, every report stays well-formed and quiet."""

from __future__ import annotations

import json
import re

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html

from constraint_sdc.constraints.show import RuleList, RuleRow
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.judge.finding import CheckResult, RuleResult, Violation
from constraint_sdc.reports.check.render import FORMATS, render
from constraint_sdc.reports.rules_list import render_rules_json, render_rules_text
from constraint_sdc.schematron.schema import Origin
from constraint_sdc.settings.reason import because
from tests.reports.text_of_report import text_of

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
NASTY = st.sampled_from(
    [
        "<script>", "]]>", "<!--", "&lt;", "&", '"', "'", "\x1b[31m", "\x1b]0;t\x07", "\x9b2J", "\x00", "\ufffe", "\n",
        "\r", "\t", "\u2028", "\u202e", "\ud800", "{{ 7 * 7 }}", "::error::", "##[error]", "%0A", "[a](b)",
        "é統\U0001f600", "x" * 1000,
    ]
)  # fmt: skip
any_text = st.lists(NASTY | st.text(max_size=5), max_size=3).map("".join)
maybe_text = st.none() | any_text
counts = st.integers(0, 10**7)
severities = st.sampled_from(("error", "warning", "information"))
origins = st.builds(Origin, any_text, st.integers(1, 10**6))
pairs = st.lists(st.tuples(any_text, any_text), max_size=1).map(tuple)
violations = st.builds(
    Violation, any_text, st.none() | st.integers(1, 10**7), maybe_text, st.none() | st.integers(1, 10**7), any_text,
    any_text, maybe_text, pairs,
)  # fmt: skip


@st.composite
def rule_results(draw: st.DrawFn) -> RuleResult:
    examples = draw(st.lists(violations, max_size=2).map(tuple))
    failed = len(examples) + draw(counts)
    errors = draw(st.sampled_from((0, 0, 3)))
    return RuleResult(
        rule=draw(any_text),
        pattern=draw(any_text),
        kind=draw(st.sampled_from(("assert", "report"))),
        severity=draw(severities),
        test=draw(any_text),
        origin=draw(origins),
        fired=failed + errors + draw(counts),
        failed=failed,
        errors=errors,
        error=draw(maybe_text) if errors else None,
        engine="saxon",
        violations=examples,
        context=draw(any_text),
    )


notes = any_text.map(lambda text: because("parameter-unused", parameter=text, quotes={"file": text}))
results = st.builds(
    CheckResult, any_text, any_text, any_text, any_text, any_text, st.none() | counts, severities,
    st.lists(rule_results(), max_size=3).map(tuple), st.booleans(), st.lists(notes, max_size=2).map(tuple),
    st.none() | counts,
)  # fmt: skip
HTML_TAGS = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "section", "footer", "h1", "h2", "p", "dl",
    "div", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "span", "bdi", "details", "summary", "code",
    "strong", "small", "br",
}  # fmt: skip
CHECK_SCHEMA = jsonschema.Draft202012Validator(
    json.loads(shipped_file("schemas", "check.schema.json").read_text("utf-8"))
)
RULES_SCHEMA = jsonschema.Draft202012Validator(
    json.loads(shipped_file("schemas", "rules.schema.json").read_text("utf-8"))
)


@settings(max_examples=60, deadline=None)
@given(results)
def test_every_report_is_well_formed_whatever_the_text(result: CheckResult) -> None:
    reports = {format: text_of(result, format) for format in FORMATS}
    for format, text in reports.items():
        text.encode("utf-8")
        assert not CONTROL.search(text)
        assert "\t" not in text or format in ("html", "svrl", "junit", "github")
    for format in ("svrl", "junit"):
        etree.fromstring(reports[format].encode())
    CHECK_SCHEMA.validate(json.loads(reports["json"]))
    json.loads(reports["sarif"])
    page = html.document_fromstring(reports["html"].encode())
    assert {str(node.tag) for node in page.iter()} <= HTML_TAGS


@settings(max_examples=50, deadline=None)
@given(results)
def test_every_command_for_github_is_ours(result: CheckResult) -> None:
    lines = render(result, "github").split("\n")
    commands = [line for line in lines if line.lstrip().startswith("::")]
    assert len(commands) <= 10
    assert all(re.match(r"::(error|warning|notice) [^:]*::", line) for line in commands)
    assert not any("##[" in line for line in lines if line not in commands)


rows = st.builds(
    RuleRow, any_text, st.sampled_from(("linear", "opaque", "cross-record")), st.sampled_from(("EC-LC", "-")),
    st.lists(any_text, max_size=2).map(tuple), any_text, severities, origins, any_text, any_text, any_text,
    st.booleans(), st.sampled_from(("vectorised", "saxon")),
)  # fmt: skip
rule_lists = st.builds(
    RuleList, st.lists(rows, max_size=3).map(tuple), st.lists(st.tuples(any_text, any_text), max_size=2).map(tuple),
    any_text, any_text, any_text, any_text,
)  # fmt: skip


@settings(max_examples=50, deadline=None)
@given(rule_lists, st.integers(0, 200))
def test_every_rule_list_is_well_formed_whatever_the_text(rules: RuleList, columns: int) -> None:
    RULES_SCHEMA.validate(json.loads(render_rules_json(rules)))
    text = render_rules_text(rules, columns=columns)
    text.encode("utf-8")
    assert not CONTROL.search(text + render_rules_json(rules))


SECRETS = st.text("0123456789", min_size=9, max_size=12).map(lambda digits: f"secret{digits}")


@settings(max_examples=60, deadline=None)
@given(results, SECRETS, st.sampled_from(tuple(FORMATS)))
def test_a_hidden_value_appears_in_no_report(result: CheckResult, secret: str, format: str) -> None:
    violation = Violation("r", 1, None, 1, "/a", "said", f"was {secret}", (("d", secret),))
    error = f'Cannot convert string "{secret}" to an integer'
    rule = RuleResult(
        "r", "p", "assert", "error", "t", Origin("f", 1), 2, 1, 1, error, "saxon", (violation,)
    )  # fmt: skip
    hidden = CheckResult("d", "r", "t", "#ALL", "xslt2", 2, "error", (rule, *result.results))
    assert secret not in text_of(hidden, format)
