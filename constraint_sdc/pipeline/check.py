"""Check: load the rules, read the data, send every rule to its engine, add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal as OneOf

from constraint_sdc.errors import ConstraintSdcError, NotRowsError, UsageError
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.model.constraint import EditRule
from constraint_sdc.model.expression import Outside, walk
from constraint_sdc.model.finding import CheckResult, RuleResult
from constraint_sdc.model.schema import Schema, Severity
from constraint_sdc.model.table import Layout
from constraint_sdc.read.microdata import Microdata, open_microdata
from constraint_sdc.read.source import open_binary
from constraint_sdc.report.disclosure import hidden_error
from constraint_sdc.rules.schematron.load import load_schema
from constraint_sdc.rules.understand import understand
from constraint_sdc.validate.confine import is_allowed
from constraint_sdc.validate.document_check import check_document
from constraint_sdc.validate.judge import Judge
from constraint_sdc.validate.routes import Routes, choose_routes, whole_file_routes
from constraint_sdc.validate.rows_check import RowsCheck, Wishes

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
class _Surroundings:
    """What is known about the file around its records: element names outside them, and whether wrappers vary."""

    names: frozenset[str]
    is_uniform: bool


def _check_rows(
    data: Path, schema: Schema, options: CheckOptions, progress: Progress
) -> tuple[int, tuple[RuleResult, ...], int | None]:
    """Judge the rows; a second time if the file's end shows that a rule was sent down the wrong route."""
    microdata = open_microdata(data, record=options.record)
    seen = _Surroundings(frozenset(microdata.layout.wrappers), microdata.layout.is_uniform)
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
) -> tuple[RowsCheck, _Surroundings]:
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
    return check, _Surroundings(frozenset(outside), is_uniform)


def _routes(
    schema: Schema,
    layout: Layout,
    around: _Surroundings,
    options: CheckOptions,
    data: Path,
    domains: dict[Outside, Domain] | None = None,
) -> tuple[Routes, dict[Outside, Domain]]:
    if options.engine == "saxon":
        return whole_file_routes(schema, "the Saxon engine was asked for"), {}
    overridden = frozenset(options.parameters)
    rules = understand(schema, record=layout.record, outside=around.names, overridden=overridden)
    if domains is None:
        domains = load_domains(rules, options, (schema.origin.file, data))
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


def load_domains(
    rules: tuple[EditRule, ...], options: CheckOptions, beside: tuple[str | Path, ...]
) -> dict[Outside, Domain]:
    """Read the values that value-domain rules compare with, each file once.

    `beside` are the rules and the data, in whose directories rules may read. A file that is not there, not allowed or
    not rows is left out: Saxon then says what is wrong with it, or judges it as a document.
    """
    wanted: dict[Path, list[Outside]] = {}
    for outside in _outsides(rules):
        path = options.parameters["original"] if outside.href is None else Path(outside.href)
        if outside.href is None or (path.exists() and is_allowed(path, beside, options.allow)):
            wanted.setdefault(path, []).append(outside)
    domains: dict[Outside, Domain] = {}
    for path, outsides in wanted.items():
        try:
            domains.update(_read_domains(open_microdata(path), outsides))
        except NotRowsError:
            continue
    return domains


def _outsides(rules: tuple[EditRule, ...]) -> Iterator[Outside]:
    expressions = (e for rule in rules for e in (rule.expression, rule.context and rule.context.condition) if e)
    for expression in expressions:
        yield from (part for part in walk(expression) if isinstance(part, Outside))


def _read_domains(microdata: Microdata, outsides: list[Outside]) -> dict[Outside, Domain]:
    layout = microdata.layout
    domains = {outside: Domain() for outside in dict.fromkeys(outsides)}
    names: set[str] = set()
    is_uniform = layout.is_uniform
    for chunk in microdata.chunks(names):
        is_uniform &= chunk.layout.is_uniform and chunk.layout.wrappers == layout.wrappers
        for outside, domain in domains.items():
            column = chunk.columns.get(outside.steps[-1])
            if column is not None:
                domain.add(column)
    path = (*layout.wrappers, layout.record)
    if layout.record in layout.wrappers:
        return {}  # a path that names the record finds the root's own values too
    return {outside: d for outside, d in domains.items() if _selects_variable(outside, path, is_uniform, names)}


def _selects_variable(outside: Outside, path: tuple[str, ...], is_uniform: bool, names: set[str]) -> bool:
    """Tell whether the steps select exactly one variable of every record and nothing outside the records."""
    above, last = outside.steps[:-1], outside.steps[-1]
    if not above and not outside.absolute:
        return last not in names and not last.startswith("@")
    if outside.absolute and above != path:
        return False
    return above == path[-len(above) :] and (is_uniform or len(above) == 1)
