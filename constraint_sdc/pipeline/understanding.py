"""The rules of a file as understood against its records: typed, with the values they look up and who evaluates them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.model.confinement import Confinement
from constraint_sdc.model.constraint import EditRule
from constraint_sdc.model.expression import Outside
from constraint_sdc.model.schema import Schema
from constraint_sdc.model.table import Layout
from constraint_sdc.pipeline.check import CheckOptions
from constraint_sdc.pipeline.value_domains import load_domains
from constraint_sdc.rules.schematron.load import load_schema
from constraint_sdc.rules.understand import understand
from constraint_sdc.validate.routes import Routes, choose_routes


@dataclass(frozen=True, slots=True)
class Understood:
    """The rules as understood against one file; without rules there is neither schema nor routes."""

    schema: Schema | None
    rules: tuple[EditRule, ...]
    domains: Mapping[Outside, Domain]
    routes: Routes | None


def understand_rules(
    data: Path, rules: Path | None, check: CheckOptions, layout: Layout, outside: frozenset[str]
) -> Understood:
    """Return what the rules mean on the records of `data`; `outside` are names of elements around the records."""
    if rules is None:
        return Understood(None, (), {}, None)
    schema = load_schema(rules, phase=check.phase, allowed=check.allow)
    edits = understand(schema, record=layout.record, outside=outside, overridden=frozenset(check.parameters))
    domains = load_domains(edits, check.parameters, Confinement.around((schema.origin.file, data), check.allow))
    return Understood(schema, edits, domains, choose_routes(schema, edits, layout, domains.keys()))
