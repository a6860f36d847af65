"""Rules: how each rule of a schema is understood, in words, and which engine judges it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal as OneOf

from constraint_sdc.commands.check import CheckOptions, compiling, contexts_on, judges_of
from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.constraints.show import RuleList, RuleRow, blocks, show_constraint
from constraint_sdc.constraints.understand import understand
from constraint_sdc.evaluate.truth import refuses
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.judge.idle import idle_reasons
from constraint_sdc.judge.judge import SaxonProcess
from constraint_sdc.judge.routes import Routes, choose_routes
from constraint_sdc.judge.rule_set import load_rules
from constraint_sdc.judge.value_domains import load_domains
from constraint_sdc.schematron.confinement import Confinement
from constraint_sdc.schematron.schema import Schema
from constraint_sdc.settings.reason import Reason


def list_rules(
    rules: Path,
    *,
    phase: str | None = None,
    data: Path | None = None,
    record: str | None = None,
    allow: tuple[Path, ...] = (),
) -> RuleList:
    """Return the typed list. With `data` the record element, the engines and the idle rules are those of that file."""
    schema = load_rules(rules, phase=phase, allowed=allow, data=data, record=record).schema
    with SaxonProcess() as saxon:
        judges = judges_of(schema, CheckOptions(allow=allow), saxon)
        with compiling(judges):
            if data is None:
                return _rule_list(schema, rules, understand(schema, record=record), None, {})
            return _list_on_data(schema, rules, data, CheckOptions(record=record, allow=allow), saxon)


def _list_on_data(schema: Schema, rules: Path, data: Path, options: CheckOptions, saxon: SaxonProcess) -> RuleList:
    microdata = open_microdata(data, record=options.record)
    around = Around()
    uniform = [chunk.layout.is_uniform for chunk in microdata.chunks(around)]
    layout = replace(microdata.layout, is_uniform=all(uniform))
    edits = understand(schema, record=layout.record, outside=around.elements, attributes=around.attributes)
    domains = load_domains(edits, {}, Confinement.around((rules, data), options.allow), saxon.readings)
    routes = choose_routes(schema, edits, layout, domains.keys())
    fired, file = contexts_on(data, schema, options, saxon)
    idle = idle_reasons(schema, file, fired)
    found = {name: (count, idle.get(name, ())) for name, count in fired.items()}
    return _rule_list(schema, rules, edits, routes, found)


def _rule_list(
    schema: Schema,
    rules: Path,
    edits: tuple[EditRule, ...],
    routes: Routes | None,
    found: Mapping[str, tuple[int, tuple[Reason, ...]]],
) -> RuleList:
    return RuleList(
        rows=tuple(_row(edit, schema, routes, *found.get(edit.id, (None, ()))) for edit in edits),
        blocks=blocks(edits),
        title=schema.title,
        binding=schema.binding,
        phase=schema.phase,
        file=str(rules),
        warnings=schema.warnings,
    )


def _row(
    edit: EditRule, schema: Schema, routes: Routes | None, checked: int | None, idle: tuple[Reason, ...]
) -> RuleRow:
    constraint = edit.constraint
    return RuleRow(
        id=edit.id,
        kind=constraint.kind.value,
        paper_name=constraint.kind.paper_name,
        variables=constraint.variables,
        normal_form=show_constraint(constraint),
        severity=edit.assertion.severity,
        origin=edit.origin,
        reason=constraint.reason,
        context=edit.context_text,
        test=edit.assertion.test,
        is_record_local=edit.is_record_local,
        engine=_engine(edit, schema, routes),
        checked=checked,
        idle=idle,
        may_be_idle=edit.assertion.may_be_idle,
    )


def _engine(edit: EditRule, schema: Schema, routes: Routes | None) -> OneOf["vectorised", "saxon", "aggregated"]:
    if routes is not None and edit.id in routes.across_ids() | routes.parent_ids():
        return "aggregated"
    return "vectorised" if _is_vectorised(edit, schema, routes) else "saxon"


def _is_vectorised(edit: EditRule, schema: Schema, routes: Routes | None) -> bool:
    if routes is not None:
        return edit.id in routes.vectorised_ids()
    return edit.expression is not None and refuses(edit.expression, xpath1=schema.is_xpath1) is None
