"""A set of rules: loaded once, with the digests of the bytes that were read, and understood once for a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Flags
from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.constraints.rule_reads import rule_reads
from constraint_sdc.constraints.understand import understand
from constraint_sdc.data.table import Chunk, Column, Layout
from constraint_sdc.errors import NotRowsError
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Outside
from constraint_sdc.files.dataset import Dataset
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.files.readings import Readings
from constraint_sdc.judge.first_match import FirstMatch, judge_chunk
from constraint_sdc.judge.idle import names_of, never_fires
from constraint_sdc.judge.missing import MissingValues, missing_values
from constraint_sdc.judge.routes import Routes, choose_routes
from constraint_sdc.judge.value_domains import load_domains
from constraint_sdc.languages.loading import load_any_schema
from constraint_sdc.languages.subject import RuleSubject
from constraint_sdc.schematron.confinement import Confinement, real_path
from constraint_sdc.schematron.schema import Schema

_RECORD = "Record"

Evaluate: TypeAlias = Callable[[Mapping[str, Column], int], Mapping[str, Flags]]
"""Tells where each rule that it can evaluate certainly holds, for a number of records given as columns."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of a file and all that it includes; every file is read once."""

    path: Path
    schema: Schema

    def note(self, readings: Readings) -> None:
        """Add the files of the rules to what a run has read."""
        for name, digest in zip(self.schema.files, self.schema.sha256, strict=True):
            readings.note(Path(name), digest)

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of every file of the rules, of the bytes that were read, by its role."""
        main = real_path(self.schema.origin.file)
        found = {real_path(name): digest for name, digest in zip(self.schema.files, self.schema.sha256, strict=True)}
        names = sorted(str(path) for path in found if path != main)
        others = {f"rules: {os.path.relpath(name, main.parent)}": found[Path(name)] for name in names}
        return {"rules": found[main], **others}


def load_rules(
    path: Path,
    *,
    phase: str | None = None,
    allowed: tuple[Path, ...] = (),
    data: Path | None = None,
    record: str | None = None,
    codes: Mapping[str, tuple[str, ...]] | None = None,
) -> RuleSet:
    """Load the rules of a schema and one of its phases; see `load_schema`.

    Rules of another language say nothing of the records that they are about: these are called `record`, or as in
    `data`, or "Record". `codes` are, by variable, texts that stand for a missing value in such rules.
    """

    def subject() -> RuleSubject:
        return RuleSubject(record_name(data, record), codes=codes or {})

    return RuleSet(path, load_any_schema(path, subject, phase=phase, allowed=allowed))


def record_name(data: Path | None, record: str | None) -> str:
    """Return the name of the record element: as in the data, else as given, else "Record"."""
    if data is None:
        return record or _RECORD
    try:
        return open_microdata(data, record=record).layout.record
    except NotRowsError:
        return record or _RECORD


@dataclass(frozen=True, slots=True)
class Understood:
    """The rules as understood against the records of one file: typed, with the values they look up and their routes.

    Without rules there is no schema.
    """

    layout: Layout
    schema: Schema | None = None
    rules: tuple[EditRule, ...] = ()
    domains: Mapping[Outside, Domain] = field(default_factory=dict)
    routes: Routes = field(default_factory=lambda: Routes((), frozenset(), frozenset(), {}))
    missing: MissingValues = field(default_factory=MissingValues)

    @property
    def is_xpath1(self) -> bool:
        """Tell whether the tests follow XPath 1.0."""
        return self.schema is not None and self.schema.is_xpath1

    def holds(self, columns: Mapping[str, Column], count: int) -> Mapping[str, Flags]:
        """Tell where each rule that needs no Saxon certainly holds, for a number of records given as columns."""
        return self.evaluator([rule.id for rule in self.rules])(columns, count)

    def applies(self, ids: Collection[str], columns: Mapping[str, Column], count: int) -> Mapping[str, Flags]:
        """Tell to which records these rules apply, for those rules whose contexts the evaluator is certain of."""
        matches = restricted(self.routes.vectorised, ids)
        chunk = Chunk.without_xml(self.layout, columns, np.zeros(count, np.int64))
        verdict = judge_chunk(matches, chunk, xpath1=self.is_xpath1, domains=self.domains)
        return {} if verdict.unsure.any() else verdict.fired

    def evaluator(self, ids: Collection[str]) -> Evaluate:
        """Return the evaluator of some rules: each with its context, and what earlier rules of its pattern take."""
        matches = restricted(self.routes.vectorised, ids)

        def evaluate(columns: Mapping[str, Column], count: int) -> Mapping[str, Flags]:
            chunk = Chunk.without_xml(self.layout, columns, np.zeros(count, np.int64))
            verdict = judge_chunk(matches, chunk, xpath1=self.is_xpath1, domains=self.domains)
            return {rule: ~failed & ~verdict.unsure for rule, failed in verdict.failed.items()}

        return evaluate


def understand_rules(
    rule_set: RuleSet,
    dataset: Dataset,
    parameters: Mapping[str, Path],
    allowed: tuple[Path, ...],
    readings: Readings,
    codes: Mapping[str, tuple[str, ...]],
    looked_up: Dataset | None = None,
) -> Understood:
    """Return the meaning of the rules on the records of a file; `parameters` are documents as values of variables.

    `codes` are, by variable, texts that stand for a missing value. `looked_up` is a file in memory in which rules look
    up values, if it is another than the one that they judge.
    """
    schema, layout = rule_set.schema, dataset.layout
    rules = understand(
        schema,
        record=layout.record,
        outside=dataset.outside,
        attributes=dataset.attributes,
        overridden=frozenset(parameters),
    )
    never = never_fires(schema, names_of(dataset))
    reads = rule_reads(schema, layout.record, dataset.outside | dataset.attributes, frozenset(parameters))
    rules = tuple(replace(rule, never_fires=rule.id in never, reads=reads[rule.id]) for rule in rules)
    confinement = Confinement.around((schema.origin.file, dataset.path), allowed)
    domains = load_domains(rules, parameters, confinement, readings, looked_up or dataset)
    routes = choose_routes(schema, rules, layout, domains.keys())
    given, names = frozenset(parameters), dataset.outside
    missing = missing_values(schema, layout.record, names, codes=codes, given=given, table=dataset.table)
    return Understood(layout, schema, rules, domains, routes, missing)


def restricted(matches: tuple[FirstMatch, ...], ids: Collection[str]) -> tuple[FirstMatch, ...]:
    """Keep the patterns that have one of these rules; contexts stay, because an earlier one takes its nodes."""
    patterns = {match.pattern for match in matches if any(rule.id in ids for rule in match.rules)}
    return tuple(
        replace(match, rules=tuple(rule for rule in match.rules if rule.id in ids))
        for match in matches
        if match.pattern in patterns
    )
