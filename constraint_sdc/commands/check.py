"""Check: load the rules, read the data, send every rule to its engine, add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from constraint_sdc.constraints.named_original import original_for
from constraint_sdc.constraints.understand import understand
from constraint_sdc.data.table import Chunk, Layout, NoXmlError
from constraint_sdc.errors import ChangedFileError, ConstraintSdcError, NoRecordsError, NotRowsError, UsageError
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Outside
from constraint_sdc.files.dataset import Dataset
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.microdata import Microdata, open_microdata
from constraint_sdc.files.microdata.source import OnePass, open_binary
from constraint_sdc.files.publication.recovery import settle_publication
from constraint_sdc.files.readings import Readings
from constraint_sdc.judge.check_rows import NotAggregatedError, RowsCheck, Wishes, check_document
from constraint_sdc.judge.finding import CheckResult, Tally
from constraint_sdc.judge.idle import names_of, require_rules, with_idle
from constraint_sdc.judge.judge import Conditions, Judges, SaxonProcess
from constraint_sdc.judge.judged_rows import JudgedRows, JudgedRun, judge_run
from constraint_sdc.judge.missing import MissingValues, missing_values
from constraint_sdc.judge.routes import Routes, choose_routes, whole_file_routes
from constraint_sdc.judge.rule_set import RuleSet, Understood, load_rules
from constraint_sdc.judge.value_domains import load_domains
from constraint_sdc.named_copies import named
from constraint_sdc.reports.disclosure import hidden_error
from constraint_sdc.schematron.confinement import Confinement
from constraint_sdc.schematron.schema import Schema, Severity
from constraint_sdc.settings.reason import because
from constraint_sdc.stages import advance, stage
from constraint_sdc.xpath.names import FileNames

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """How to check. `original` and `domain` both stand for `$original`: the edited file, or its exported values.

    Without either, `masked_from` is the file before masking: `$original` then is what it was for `mask`, the file that
    the rules name if it exists, or `masked_from`. `allow_idle` are ids of rules that may check nothing, or "all".
    `missing_codes` are, by variable, texts that stand for a missing value.
    """

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
    allow_idle: tuple[str, ...] = ()
    missing_codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    masked_from: Path | None = None

    @property
    def is_whole_story(self) -> bool:
        """Tell whether nothing is capped or left to another engine: Saxon's own SVRL is then the report."""
        return self.engine == "saxon" and self.max_examples is None

    def settled(self, schema: Schema) -> CheckOptions:
        """Return the options with what `$original` stood for when `masked_from` was masked by these rules."""
        if self.masked_from is None or self.parameters or original_for(schema, self.masked_from).is_named:
            return self
        return replace(self, original=self.masked_from)

    @property
    def parameters(self) -> Mapping[str, Path]:
        """Return the documents that override a rule's own variable of that name."""
        given = self.original or self.domain
        return {"original": given} if given else {}

    def require_files(self) -> None:
        """Refuse documents that cannot be opened."""
        for given in self.parameters.values():
            open_binary(given).close()


def check_file(
    data: Path, rules: Path, options: CheckOptions | None = None, progress: Progress = lambda _: None
) -> CheckResult:
    """Judge an XML file against a Schematron file; `progress` hears the number of records judged so far."""
    options = options or CheckOptions()
    settle_publication(data)
    rule_set = _rules_for(data, rules, options)
    options = options.settled(rule_set.schema)
    with SaxonProcess() as saxon:
        return check_rules(data, rule_set, options, judges_of(rule_set.schema, options, saxon), progress)


def _rules_for(data: Path, rules: Path, options: CheckOptions) -> RuleSet:
    return load_rules(
        rules,
        phase=options.phase,
        allowed=options.allow,
        data=data,
        record=options.record,
        codes=options.missing_codes,
    )


def check_rules(
    data: Path, rule_set: RuleSet, options: CheckOptions, judges: Judges, progress: Progress = lambda _: None
) -> CheckResult:
    """Judge a file by rules that are loaded."""
    options.require_files()
    require_rules(rule_set.schema, options.allow_idle)
    rule_set.note(judges.readings)
    with compiling(judges), hiding_values(options):
        result = _check(data, rule_set, options, judges, progress)
    return replace(result, inputs=read_inputs(data, rule_set, options, judges.readings))


def read_inputs(data: Path | None, rule_set: RuleSet, options: CheckOptions, readings: Readings) -> dict[str, str]:
    """Return the SHA-256 of all that was read for a judgement, by its role."""
    named = {"data": data, "original" if options.original else "domain": options.original or options.domain}
    digests = {role: readings.digest(path) for role, path in named.items() if path is not None}
    documents = readings.documents(Path(rule_set.schema.origin.file))
    known = {role: digest for role, digest in digests.items() if digest is not None}
    return {**known, **rule_set.digests(), **{f"document: {name}": digest for name, digest in documents.items()}}


def full_svrl(data: Path, rules: Path, options: CheckOptions, judged: CheckResult | None = None) -> str:
    """Return Saxon's own complete SVRL: every fired rule, marked-up messages, properties; values if they are asked for.

    `judged` is the verdict that goes with it: ChangedFileError if anything that was judged has other bytes now.
    """
    settle_publication(data)
    rule_set = _rules_for(data, rules, options)
    options = options.settled(rule_set.schema)
    with SaxonProcess() as saxon:
        judges = judges_of(rule_set.schema, options, saxon)
        with hiding_values(options):
            text = named(judges.of_all().svrl_file(data, show_values=options.show_values))
        if judged is not None:
            _require_same_files(judged.inputs, read_inputs(data, rule_set, options, judges.readings))
    return text


def _require_same_files(first: Mapping[str, str], second: Mapping[str, str]) -> None:
    """Refuse a second reading of other bytes."""
    for role in first.keys() & second.keys():
        if first[role] != second[role]:
            raise ChangedFileError(f"the file of the {role} has changed since it was judged", hint="run again")


def judges_of(schema: Schema, options: CheckOptions, saxon: SaxonProcess) -> Judges:
    """Return the judges of a schema."""
    return Judges(
        schema,
        saxon,
        parameters=options.parameters,
        allowed=options.allow,
        time_limit=options.time_limit,
        max_findings=options.max_examples,
    )


@contextmanager
def compiling(judges: Judges, record: str | None = None, missing: Conditions = ()) -> Iterator[None]:
    """Let Saxon compile the whole schema meanwhile: a mistake that no vectorised rule would meet is still an error."""
    with ThreadPoolExecutor(1) as thread:
        compiled = thread.submit(judges.of_all, record, missing)
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


def _check(data: Path, rule_set: RuleSet, options: CheckOptions, judges: Judges, progress: Progress) -> CheckResult:
    schema = rule_set.schema
    result = _nothing_judged(data, rule_set, options)
    try:
        found, file = _check_rows(data, schema, options, judges, progress)
        return idle_noted(replace(result, **found), schema, file, options)
    except NotRowsError as why:
        if options.record is not None:
            raise
        if options.key is not None:
            hint = f"there are no rows: {why.what}"
            raise UsageError(f"no record can have the key {options.key!r}", file=str(data), hint=hint) from None
        note = because("judged-as-document", line=why.line or None, quotes={"why": why.what})
        wishes = Wishes(None, options.max_examples, options.show_values)
        results = check_document(schema, judges.of_all(), data, wishes)
        result = replace(result, results=results, notes=(note, *result.notes))
        if not isinstance(why, NoRecordsError):
            return idle_noted(result, schema, None, options)
        nothing = FileNames("", frozenset(), frozenset({why.root}))
        return idle_noted(replace(result, records=0), schema, nothing, options)


def idle_noted(result: CheckResult, schema: Schema, file: FileNames | None, options: CheckOptions) -> CheckResult:
    """Return the verdict with the reasons why rules are idle; `file` is None for a document without rows."""
    return with_idle(result, schema, file, allowed=options.allow_idle, given=frozenset(options.parameters))


def _nothing_judged(data: Path, rule_set: RuleSet, options: CheckOptions) -> CheckResult:
    """Return the verdict before any rule was judged; its notes warn of the rules and of documents that none reads."""
    schema, given = rule_set.schema, options.parameters
    idle = [name for name in given if not schema.mentions(name)]
    unused = (because("parameter-unused", parameter=name, quotes={"file": named(str(given[name]))}) for name in idle)
    return CheckResult(
        data=named(str(data)),
        rules=named(str(rule_set.path)),
        title=schema.title,
        phase=schema.phase,
        binding=schema.binding,
        records=None,
        fail_on=options.fail_on,
        results=(),
        shows_values=options.show_values,
        notes=(*schema.warnings, *unused),
    )


def contexts_on(
    data: Path, schema: Schema, options: CheckOptions, saxon: SaxonProcess
) -> tuple[dict[str, int], FileNames]:
    """Return how many nodes of a file of rows each rule judges, and the names of the file; no test is evaluated."""
    bare = schema.without_tests()
    judges = judges_of(bare, options, saxon)
    found, file = _check_rows(data, bare, options, judges, lambda _: None)
    return {one.rule: one.fired for one in found["results"]}, file


# A file whose records are in memory, or known to be rows: nothing is read that is not needed.


def check_dataset(
    dataset: Dataset, rule_set: RuleSet, understood: Understood, options: CheckOptions, judges: Judges
) -> CheckResult:
    """Judge a file that was read already; its XML is read again only where Saxon must see single records."""
    result = _nothing_judged(dataset.path, rule_set, options)
    routes, from_memory = understood.routes, not understood.routes.by_chunk
    with hiding_values(options):
        while True:
            chunks = dataset.chunks() if from_memory else dataset.chunks_with_xml(judges.readings)
            check = RowsCheck(
                rule_set.schema,
                routes,
                dataset.layout,
                understood.domains,
                judges,
                dataset.path,
                _wishes(options),
                understood.missing,
            )
            try:
                with check:
                    result = replace(result, **_taken(check, chunks, dataset))
                return idle_noted(result, rule_set.schema, names_of(dataset), options)
            except NoXmlError:
                from_memory = False
            except NotAggregatedError as doubtful:
                routes = routes.without_across(doubtful.rules)


def check_written(
    path: Path,
    rows: Chunk,
    rule_set: RuleSet,
    options: CheckOptions,
    judges: Judges,
    missing: MissingValues,
    judged: Mapping[str, Tally] | None = None,
) -> CheckResult:
    """Let Saxon judge the rules on a file as it was written; `rows` are its records, known from reading it back.

    `judged` has the totals of rules that Saxon has judged already, case by case.
    """
    result = _nothing_judged(path, rule_set, options)
    routes = whole_file_routes(rule_set.schema, "what is published is judged by Saxon", judged or ())
    with (
        hiding_values(options),
        RowsCheck(rule_set.schema, routes, rows.layout, {}, judges, path, _wishes(options), missing, judged) as check,
    ):
        return replace(result, **_taken(check, [rows]))


def _taken(check: RowsCheck, chunks: Iterable[Chunk], dataset: Dataset | None = None) -> dict[str, Any]:
    """Judge all chunks, which are of a data set if it is known, and return the fields of the verdict."""
    for chunk in chunks:
        check.take(chunk)
    if dataset is None:
        check.finish()
    else:
        check.finish(dataset.outside, dataset.surroundings)
    return _found(check)


def _found(check: RowsCheck) -> dict[str, Any]:
    return {"records": check.records, "results": check.results(), "broken_records": check.broken_records}


def _wishes(options: CheckOptions) -> Wishes:
    return Wishes(options.key, options.max_examples, options.show_values)


@dataclass(frozen=True, slots=True)
class _CheckContext:
    """What is known about the file around its records.

    `names` are those of elements outside them, `attributes` "@name" of those that other elements have, `is_uniform`
    tells whether all records are under the same elements.
    """

    names: frozenset[str]
    attributes: frozenset[str]
    is_uniform: bool


def _check_rows(
    data: Path, schema: Schema, options: CheckOptions, judges: Judges, progress: Progress
) -> tuple[dict[str, Any], FileNames]:
    """Judge the rows; a second time if the file's end shows that a rule was sent down the wrong route.

    Return the fields of the verdict, and the names of the file.
    """
    seen: _CheckContext | None = None
    doubtful: frozenset[str] = frozenset()
    while True:
        with OnePass(data) as source:
            microdata = open_microdata(data, record=options.record, source=source)
            source.begin()
            layout = microdata.layout
            known = seen or _CheckContext(frozenset(layout.wrappers), frozenset(), layout.is_uniform)
            routes, domains = _routes(schema, microdata, known, options, judges.readings, doubtful)
            missing = _missing(schema, layout, known, options)
            try:
                check, seen = _run_check(microdata, source, schema, routes, domains, missing, options, judges, progress)
            except NotAggregatedError as error:
                judges.readings.note(data, source.sha256)
                doubtful |= error.rules
                continue
        judges.readings.note(data, source.sha256)
        is_right = known == seen or (
            routes == _routes(schema, microdata, seen, options, judges.readings, doubtful, domains)[0]
            and missing == _missing(schema, layout, seen, options)
        )
        if is_right:
            return _found(check), FileNames(layout.record, frozenset(check.names), seen.names)


@stage("judging")
def _run_check(
    microdata: Microdata,
    source: OnePass,
    schema: Schema,
    routes: Routes,
    domains: Mapping[Outside, Domain],
    missing: MissingValues,
    options: CheckOptions,
    judges: Judges,
    progress: Progress,
) -> tuple[RowsCheck, _CheckContext]:
    layout, data = microdata.layout, microdata.path
    around = Around()
    is_uniform = layout.is_uniform
    with RowsCheck(schema, routes, layout, domains, judges, data, _wishes(options), missing) as check:
        for found in _judged_or_not(microdata, check, around, source):
            if isinstance(found, JudgedRows):
                check.take_judged(found)
            else:
                is_uniform &= found.layout.is_uniform and found.layout.wrappers == layout.wrappers
                check.take(found)
            progress(check.records)
            advance(check.records, source.share)
        check.finish(around.elements, around.surroundings())
    return check, _CheckContext(frozenset(around.elements), frozenset(around.attributes), is_uniform)


def _judged_or_not(
    microdata: Microdata, check: RowsCheck, around: Around, source: OnePass
) -> Iterator[JudgedRows | Chunk]:
    """Yield the records in order: verdicts of workers where there is enough to divide, else chunks to be judged."""
    context = check.divisible
    if context is None or not microdata.is_worth_dividing:
        yield from microdata.chunks(around, source)
        return
    for place, found in microdata.mapped(judge_run, context, around, source):
        yield found.at(place) if isinstance(found, JudgedRun) else found


def _missing(schema: Schema, layout: Layout, around: _CheckContext, options: CheckOptions) -> MissingValues:
    given = frozenset(options.parameters)
    return missing_values(schema, layout.record, around.names, codes=options.missing_codes, given=given)


def _routes(
    schema: Schema,
    microdata: Microdata,
    around: _CheckContext,
    options: CheckOptions,
    readings: Readings,
    doubtful: frozenset[str],
    domains: dict[Outside, Domain] | None = None,
) -> tuple[Routes, dict[Outside, Domain]]:
    """Return the routes and what rules look up; rules that are `doubtful` do not hold when they are added up."""
    layout = microdata.layout
    if options.engine == "saxon":
        return whole_file_routes(schema, "the Saxon engine was asked for"), {}
    overridden = frozenset(options.parameters)
    rules = understand(
        schema, record=layout.record, outside=around.names, attributes=around.attributes, overridden=overridden
    )
    if domains is None:
        confinement = Confinement.around((schema.origin.file, microdata.path), options.allow)
        domains = load_domains(rules, options.parameters, confinement, readings)
    known = replace(layout, is_uniform=around.is_uniform)
    routes = choose_routes(schema, rules, known, domains.keys(), shows_values=options.show_values)
    return routes.without_across(doubtful & routes.across_ids()), domains
