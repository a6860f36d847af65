"""Check: load the rules, read the data, send every rule to its engine, add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal as OneOf

from constraint_sdc.commands.value_domains import load_domains
from constraint_sdc.constraints.understand import understand
from constraint_sdc.data.table import Layout
from constraint_sdc.errors import ConstraintSdcError, NotRowsError, UsageError
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Outside
from constraint_sdc.files.microdata.microdata import Microdata, open_microdata
from constraint_sdc.files.microdata.source import open_binary
from constraint_sdc.judge.check_rows import RowsCheck, Wishes, check_document
from constraint_sdc.judge.finding import CheckResult, RuleResult
from constraint_sdc.judge.judge import Judge
from constraint_sdc.judge.routes import Routes, choose_routes, whole_file_routes
from constraint_sdc.reports.disclosure import hidden_error
from constraint_sdc.schematron.confinement import Confinement
from constraint_sdc.schematron.load import load_schema
from constraint_sdc.schematron.schema import Schema, Severity

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How to check. `original` and `domain` both stand for `$original`: the edited file, or its exported values."""

    phase: str | None = None
    original: Path | None = None
    domain: Path | None = None
    fail_on: Severity = "error"
    engine: OneOf["auto", "saxon"] = "auto"
    record: str | None = None
    key: str | None = None
    max_examples: int | None = 10
    show_values: bool = False
    allow: tuple[Path, ...] = ()
    time_limit: float | None = None

    @property
    def is_whole_story(self) -> bool:
        """Tell whether nothing is hidden, capped or left to another engine: Saxon's own SVRL may then be shown."""
        return self.engine == "saxon" and self.show_values and self.max_examples is None

    @property
    def parameters(self) -> Mapping[str, Path]:
        """Return the documents that override a rule's own variable of that name."""
        given = self.original or self.domain
        return {"original": given} if given else {}


def check_file(
    data: Path, rules: Path, options: CheckOptions | None = None, progress: Progress = lambda _: None
) -> CheckResult:
    """Judge an XML file against a Schematron file; `progress` hears the number of records judged so far."""
    options = options or CheckOptions()
    schema = load_schema(rules, phase=options.phase, allowed=options.allow)
    for given in options.parameters.values():
        open_binary(given).close()
    with compiling(schema, options), hiding_values(options):
        result = _check(data, rules, schema, options, progress)
    idle = [name for name in options.parameters if not schema.mentions(name)]
    notes = [f"no rule uses ${name}: {options.parameters[name]} was not looked at" for name in idle]
    return replace(result, notes=(*result.notes, *notes))


def full_svrl(data: Path, rules: Path, options: CheckOptions) -> str:
    """Return Saxon's own complete SVRL: every fired rule, marked-up messages, properties, and the values in them."""
    with _judge(load_schema(rules, phase=options.phase, allowed=options.allow), options, None) as judge:
        return judge.svrl_file(data)


@contextmanager
def compiling(schema: Schema, options: CheckOptions) -> Iterator[None]:
    """Let Saxon compile the whole schema meanwhile: a mistake that no vectorised rule would meet is still an error."""
    with ThreadPoolExecutor(1) as thread:
        compiled = thread.submit(lambda: _judge(schema, options, None).close())
        yield
        compiled.result()


@contextmanager
def hiding_values(options: CheckOptions) -> Iterator[None]:
    """Take the values of the data out of an error's text, unless the user asked for values."""
    try:
        yield
    except ConstraintSdcError as error:
        if options.show_values or not error.quotes_data:
            raise
        where, colon, why = error.what.partition(": ")
        what = f"{where}{colon}{hidden_error(why)}" if colon else hidden_error(where)
        raise type(error)(what, file=error.file, line=error.line, hint="--show-values shows what is hidden") from None


def _check(data: Path, rules: Path, schema: Schema, options: CheckOptions, progress: Progress) -> CheckResult:
    result = CheckResult(
        data=str(data),
        rules=str(rules),
        title=schema.title,
        phase=schema.phase,
        binding=schema.binding,
        records=None,
        fail_on=options.fail_on,
        results=(),
        shows_values=options.show_values,
    )
    try:
        records, results, broken = _check_rows(data, schema, options, progress)
        return replace(result, records=records, results=results, broken_records=broken)
    except NotRowsError as why:
        if options.record is not None:
            raise
        if options.key is not None:
            hint = f"there are no rows: {why.what}"
            raise UsageError(f"no record can have the key {options.key!r}", file=str(data), hint=hint) from None
        note = f"judged as a document, not as rows: {why.what}" + (f" (line {why.line})" if why.line else "")
        return replace(result, results=_check_as_document(data, schema, options), notes=(note,))


@dataclass(frozen=True, slots=True)
class _CheckContext:
    """What is known about the file around its records: element names outside them, and whether wrappers vary."""

    names: frozenset[str]
    is_uniform: bool


def _check_rows(
    data: Path, schema: Schema, options: CheckOptions, progress: Progress
) -> tuple[int, tuple[RuleResult, ...], int | None]:
    """Judge the rows; a second time if the file's end shows that a rule was sent down the wrong route."""
    microdata = open_microdata(data, record=options.record)
    seen = _CheckContext(frozenset(microdata.layout.wrappers), microdata.layout.is_uniform)
    while True:
        known = seen
        routes, domains = _routes(schema, microdata.layout, known, options, data)
        check, seen = _run_check(microdata, schema, routes, domains, options, progress)
        if known == seen or routes == _routes(schema, microdata.layout, seen, options, data, domains)[0]:
            return check.records, check.results(), check.broken_records


def _run_check(
    microdata: Microdata,
    schema: Schema,
    routes: Routes,
    domains: Mapping[Outside, Domain],
    options: CheckOptions,
    progress: Progress,
) -> tuple[RowsCheck, _CheckContext]:
    layout, data = microdata.layout, microdata.path
    wishes = Wishes(options.key, options.max_examples, options.show_values)
    outside: set[str] = set()
    is_uniform = layout.is_uniform
    with RowsCheck(schema, routes, layout, domains, lambda part: _judge(part, options, layout), data, wishes) as check:
        for chunk in microdata.chunks(outside):
            is_uniform &= chunk.layout.is_uniform and chunk.layout.wrappers == layout.wrappers
            check.take(chunk)
            progress(check.records)
        check.finish()
    return check, _CheckContext(frozenset(outside), is_uniform)


def _routes(
    schema: Schema,
    layout: Layout,
    around: _CheckContext,
    options: CheckOptions,
    data: Path,
    domains: dict[Outside, Domain] | None = None,
) -> tuple[Routes, dict[Outside, Domain]]:
    if options.engine == "saxon":
        return whole_file_routes(schema, "the Saxon engine was asked for"), {}
    overridden = frozenset(options.parameters)
    rules = understand(schema, record=layout.record, outside=around.names, overridden=overridden)
    if domains is None:
        domains = load_domains(rules, options.parameters, Confinement.around((schema.origin.file, data), options.allow))
    known = replace(layout, is_uniform=around.is_uniform)
    return choose_routes(schema, rules, known, domains.keys(), shows_values=options.show_values), domains


def _check_as_document(data: Path, schema: Schema, options: CheckOptions) -> tuple[RuleResult, ...]:
    with _judge(schema, options, None) as judge:
        return check_document(schema, judge, data, Wishes(None, options.max_examples, options.show_values))


def _judge(schema: Schema, options: CheckOptions, layout: Layout | None) -> Judge:
    return Judge(
        schema,
        record=layout.record if layout else None,
        parameters=options.parameters,
        allowed=options.allow,
        time_limit=options.time_limit,
        max_findings=options.max_examples,
    )
