"""Every result as text for people or for programs, by one function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from constraint_sdc.constraints.show import RuleList
from constraint_sdc.data.variable import Description
from constraint_sdc.discovery.proposal import Discovery
from constraint_sdc.errors import UsageError
from constraint_sdc.evidence.draft import RecipeDraft
from constraint_sdc.files.json_file import json_text
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.lint.finding import LintResult
from constraint_sdc.maskers.masked import (
    CertificateCheck,
    MaskResult,
    Partitioned,
    RecordExplanation,
    Reproduction,
    RuleExplanation,
)
from constraint_sdc.measures.assessment import Assessment, Measured
from constraint_sdc.measures.sweep_points import Sweep, SweepPoint
from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.plan_json import plan_to_json
from constraint_sdc.reports.assessment.html import render_assessment_html
from constraint_sdc.reports.assessment.json_format import render_assessment_json, render_attack_json
from constraint_sdc.reports.assessment.text import assessment_text, measured_text
from constraint_sdc.reports.check.json_format import certificate_json
from constraint_sdc.reports.check.render import FORMATS
from constraint_sdc.reports.check.render import render as render_check
from constraint_sdc.reports.demo import DemoResult, demo_text
from constraint_sdc.reports.description import render_description_json, render_description_text
from constraint_sdc.reports.discovery_text import render_discovery_json, render_discovery_text
from constraint_sdc.reports.exam import ExamResult, exam_text, render_exam_json
from constraint_sdc.reports.frame_results import CheckedFrame, MaskedFrame
from constraint_sdc.reports.lint.render import LINT_FORMATS, render_lint
from constraint_sdc.reports.masking.explain_text import record_text, rule_text
from constraint_sdc.reports.masking.mask_result import certificate_text, mask_text, render_mask_json, reproduction_text
from constraint_sdc.reports.masking.plan_text import plan_text
from constraint_sdc.reports.partition import partition_text, render_partition_json
from constraint_sdc.reports.rule_graph import graph_of_plan, graph_of_rules, render_graph_svg
from constraint_sdc.reports.rules_list import render_rules_json, render_rules_text
from constraint_sdc.reports.sweep import render_sweep_json, sweep_text


@dataclass(frozen=True, slots=True)
class Look:
    """How a report looks; each format uses what concerns it."""

    colour: bool = False
    show_values: bool = False
    details: bool = False
    sweep: Sequence[SweepPoint] = ()


Renderer = Callable[[Any, Look], str]


def render(
    result: object,
    format: str = "text",
    *,
    colour: bool = False,
    show_values: bool = False,
    details: bool = False,
    sweep: Sequence[SweepPoint] = (),
) -> str:
    """Return a result as a report: "text" and "json" for nearly all, more formats for a check and an assessment.

    A check has also "svrl", "junit", "sarif", "github" and "html", a rule set that was checked "sarif", "github" and
    "junit", a list of rules and a plan "svg". An assessment has also "html", whose map can show
    the points of a `sweep`. `colour` is for text on a terminal. `show_values` adds results that reveal single records
    to the report of an assessment, an attack or a record; for a check it is an option of the check itself. `details`
    adds all figures and tables to the text of an assessment.

    >>> import constraint_sdc as cs
    >>> result = cs.check_file("census.xml", "census.sch", original="census.xml")
    >>> cs.render(result).splitlines()[0]
    'PASS: all 5 rules hold on 200 records, each checked 200 times'
    >>> cs.render(cs.list_rules("census.sch"), "pdf")
    Traceback (most recent call last):
    constraint_sdc.errors.UsageError: RuleList has no format 'pdf' (use one of: text, json, svg)
    """
    formats = RENDERERS.get(type(result))
    if formats is None:
        known = ", ".join(kind.__name__ for kind in RENDERERS)
        raise UsageError(f"{type(result).__name__} is not a result that can be rendered", hint=f"those are: {known}")
    if format not in formats:
        name, known = type(result).__name__, ", ".join(formats)
        raise UsageError(f"{name} has no format {format!r}", hint=f"use one of: {known}")
    return formats[format](result, Look(colour, show_values, details, sweep))


def _check(format: str) -> Renderer:
    return lambda result, look: render_check(result, format, colour=look.colour)


def _check_of_frame(format: str) -> Renderer:
    return lambda checked, look: render_check(checked.result, format, colour=look.colour)


def _lint(format: str) -> Renderer:
    return lambda result, look: render_lint(result, format, colour=look.colour)


def _assessment(assessment: Assessment, look: Look) -> str:
    return assessment_text(assessment, details=look.details, show_values=look.show_values, colour=look.colour)


def _attack(measured: Measured, look: Look) -> str:
    lines = measured_text(measured, details=True, show_values=look.show_values, columns=100, colour=look.colour)
    return "\n".join(lines) + "\n"


RENDERERS: Mapping[type, Mapping[str, Renderer]] = MappingProxyType(
    {
        CheckResult: {format: _check(format) for format in FORMATS},
        CheckedFrame: {format: _check_of_frame(format) for format in FORMATS},
        RuleList: {
            "text": lambda rules, look: render_rules_text(rules, colour=look.colour),
            "json": lambda rules, _: render_rules_json(rules),
            "svg": lambda rules, _: render_graph_svg(graph_of_rules(rules)),
        },
        LintResult: {format: _lint(format) for format in LINT_FORMATS},
        Discovery: {
            "text": lambda found, _: render_discovery_text(found),
            "json": lambda found, _: render_discovery_json(found),
            "schematron": lambda found, _: found.schema,
        },
        CertificateCheck: {
            "text": lambda found, _: certificate_text(found),
            "json": lambda found, _: json_text(certificate_json(found)),
        },
        Reproduction: {"text": lambda found, _: reproduction_text(found)},
        Description: {
            "text": lambda description, look: render_description_text(description, colour=look.colour),
            "json": lambda description, _: render_description_json(description),
        },
        RecipeDraft: {"text": lambda draft, _: draft.text},
        Plan: {
            "text": lambda plan, look: plan_text(plan, colour=look.colour),
            "json": lambda plan, _: json_text(plan_to_json(plan)),
            "svg": lambda plan, _: render_graph_svg(graph_of_plan(plan)),
        },
        RuleExplanation: {"text": lambda one, look: rule_text(one.plan, one.rule, colour=look.colour)},
        RecordExplanation: {
            "text": lambda one, look: record_text(one, show_values=look.show_values, colour=look.colour)
        },
        MaskResult: {
            "text": lambda result, look: mask_text(result, colour=look.colour),
            "json": lambda result, _: render_mask_json(result),
        },
        MaskedFrame: {
            "text": lambda masked, look: mask_text(masked.result, colour=look.colour),
            "json": lambda masked, _: render_mask_json(masked.result),
        },
        Partitioned: {
            "text": lambda partitioned, look: partition_text(partitioned, colour=look.colour),
            "json": lambda partitioned, _: render_partition_json(partitioned),
        },
        Measured: {
            "text": _attack,
            "json": lambda measured, look: render_attack_json(measured, show_values=look.show_values),
        },
        Assessment: {
            "text": _assessment,
            "json": lambda found, look: render_assessment_json(found, show_values=look.show_values),
            "html": lambda found, look: render_assessment_html(found, sweep=look.sweep, show_values=look.show_values),
        },
        ExamResult: {"text": lambda result, _: exam_text(result), "json": lambda result, _: render_exam_json(result)},
        DemoResult: {"text": lambda result, _: demo_text(result)},
        Sweep: {
            "text": lambda sweep, look: sweep_text(sweep, colour=look.colour),
            "json": lambda sweep, _: render_sweep_json(sweep),
        },
    }
)
"""The formats of every result that can be rendered."""
