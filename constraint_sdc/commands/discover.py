"""Discover: read the data, search rules in one part, test them on the other, let the judge confirm what is written.

The judge confirms the Schematron, and if the rules are wanted in another language, their translation back too.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from constraint_sdc.commands.check import CheckOptions, check_rules, judges_of
from constraint_sdc.constraints.understand import understand
from constraint_sdc.discovery.discover import discover, split
from constraint_sdc.discovery.proposal import Discovery, Proposal
from constraint_sdc.discovery.sample import most_exceptions
from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.files.atomic import atomic_file, no_overwrite, require_place
from constraint_sdc.files.dataset import Dataset, read_dataset
from constraint_sdc.files.rows_file import element_name, header_of
from constraint_sdc.judge.finding import RuleResult
from constraint_sdc.judge.judge import SaxonProcess
from constraint_sdc.judge.rule_set import load_rules, record_name
from constraint_sdc.languages.formula import renamed
from constraint_sdc.languages.from_constraints import book_rule
from constraint_sdc.languages.registry import written_language
from constraint_sdc.languages.rule_book import BookRule, RuleLanguage, UntranslatedRulesError, UnwritableError
from constraint_sdc.reports.check.wording import counted
from constraint_sdc.reports.discovered_rules import discovered_schema, proposal_label, proposal_support
from constraint_sdc.schematron.load import load_schema

_FEWEST = 60
MOST_EXCEPTIONS = 0.1
"""The largest share of exceptions: a rule that every tenth record breaks is none."""
_SCHEMATRON = ".sch"


@dataclass(frozen=True, slots=True)
class DiscoverOptions:
    """How to search: the share of records that is kept aside, the seed that deals them out, the record element.

    `exceptions` is the share of the records that test a rule and may break it.
    """

    holdout: float = 0.5
    seed: int = 1
    record: str | None = None
    exceptions: float = 0.0


def discover_rules(data: Path, options: DiscoverOptions | None = None) -> Discovery:
    """Propose rules that hold in the data; the same options give the same rules.

    What is proposed holds on every record, searched or kept aside, as `check` judges it, except for the records that
    `exceptions` allows: their number is that of `check`.
    """
    options = options or DiscoverOptions()
    if not 0 <= options.holdout <= 0.9:
        raise UsageError(f"holdout is {options.holdout:g}", hint="give a share from 0 to 0.9")
    if options.seed < 0:
        raise UsageError(f"seed is {options.seed}", hint="give a whole number of at least 0")
    if not 0 <= options.exceptions <= MOST_EXCEPTIONS:
        hint = f"give a share from 0 to {100 * MOST_EXCEPTIONS:g}%"
        raise UsageError(f"exceptions is {100 * options.exceptions:g}%", hint=hint)
    dataset = read_dataset(data, options.record)
    records = dataset.table.records
    if records < _FEWEST:
        hint = f"at least {_FEWEST} are needed to tell a rule from chance"
        raise DataError(f"the file has {records} records", file=str(data), hint=hint)
    parts = split(records, options.holdout, options.seed)
    found = discover(dataset.table.columns, parts, options.seed, options.exceptions)
    discovery = Discovery(
        data=str(data),
        records=records,
        searched=len(parts.searched),
        kept=len(parts.kept),
        seed=options.seed,
        proposals=found.proposals,
        refuted=found.refuted,
        unsurprising=found.unsurprising,
        implied=found.implied,
        allowed=options.exceptions,
    )
    return _confirmed(discovery, dataset, options)


def write_discovered(
    found: Discovery,
    data: Path,
    target: Path,
    options: DiscoverOptions | None = None,
    *,
    overwrite: bool = False,
) -> Discovery:
    """Write the rules in the language of the target's ending; return what was found, with what could not be written.

    What another language than Schematron says is judged too. A rule that it has no words for, or that does not hold as
    it says it, is named in `unwritten` with the reason. A rule is labelled with its support.
    """
    language = language_of_target(data, target, overwrite=overwrite)
    if language is None:
        written, text = found, found.schema
    else:
        written, text = _in_language(found, language, data, target.suffix, options or DiscoverOptions())
    with atomic_file(target, overwrite=overwrite) as stream:
        stream.write(text.encode("utf-8"))
    return written


def language_of_target(data: Path, target: Path, *, overwrite: bool) -> RuleLanguage | None:
    """Return the language in which rules are to be written, None for Schematron; refuse a target that cannot be."""
    no_overwrite((data,), target)
    require_place(target, overwrite)
    language = written_language(target)
    if language is not None:
        language.write((), "Record")
    return language


def _confirmed(discovery: Discovery, dataset: Dataset, options: DiscoverOptions) -> Discovery:
    """Leave out what the judge finds broken in too many records, and write the rest as Schematron."""
    record = dataset.layout.record
    if not discovery.proposals:
        return replace(discovery, schema=discovered_schema(discovery, record))
    verdicts = _verdicts(discovered_schema(discovery, record), _SCHEMATRON, dataset.path, options)
    kept = tuple(replace(one, exceptions=verdicts[one.id].failed) for one in discovery.proposals)
    kept = tuple(one for one in kept if _is_kept(one, verdicts.get(one.id), options))
    refuted = discovery.refuted + len(discovery.proposals) - len(kept)
    fewer = replace(discovery, proposals=kept, refuted=refuted)
    return replace(fewer, schema=discovered_schema(fewer, record))


def _verdicts(text: str, ending: str, data: Path, options: DiscoverOptions) -> dict[str, RuleResult]:
    """Return the judge's verdict on each rule of a text in the language of the ending."""
    with tempfile.TemporaryDirectory() as folder, SaxonProcess() as saxon:
        file = Path(folder) / f"found{ending}"
        file.write_text(text, encoding="utf-8")
        checking = CheckOptions(record=options.record, max_examples=0)
        rule_set = load_rules(file, data=data, record=options.record)
        verdict = check_rules(data, rule_set, checking, judges_of(rule_set.schema, checking, saxon))
    return {one.rule: one for one in verdict.results}


def _is_kept(one: Proposal, verdict: RuleResult | None, options: DiscoverOptions) -> bool:
    """Tell whether the judge agrees that a rule has no more exceptions than it may have."""
    if verdict is None or verdict.status not in ("pass", "not applicable", "fail"):
        return False
    return verdict.failed <= most_exceptions(options.exceptions, one.tested)


# Another language than Schematron.


def _in_language(
    found: Discovery, language: RuleLanguage, data: Path, ending: str, options: DiscoverOptions
) -> tuple[Discovery, str]:
    """Return what was found, with what the language cannot say, and the text of the rest."""
    record = record_name(data, options.record)
    proposals = {one.id: one for one in found.proposals}
    book: dict[str, BookRule] = {}
    unwritten: dict[str, str] = {}
    for rule in _book_rules(found, record, unwritten):
        try:
            language.write([rule], record)
            book[rule.id] = rule
        except UntranslatedRulesError as error:
            unwritten[rule.id] = error.faults[0].what.partition(": ")[2]
    if book:
        verdicts = _verdicts(language.write(list(book.values()), record), ending, data, options)
        for name in list(book):
            verdict = verdicts.get(name)
            if verdict is None or verdict.errors or verdict.failed != proposals[name].exceptions:
                broken = 0 if verdict is None else verdict.failed + verdict.errors
                unwritten[name] = f"as {language.name} says it, {counted(broken, 'record')} would break it"
                del book[name]
    if not book:
        hint = "write .sch, which has words for all of them"
        raise UsageError(f"{language.name} has words for none of the rules that were found", hint=hint)
    named = tuple((one.id, unwritten[one.id]) for one in found.proposals if one.id in unwritten)
    return replace(found, unwritten=named), language.write(list(book.values()), record)


def _book_rules(found: Discovery, record: str, unwritten: dict[str, str]) -> list[BookRule]:
    """Return the proposals as rules of a book, named as the columns are; note why one has no such form."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.sch"
        file.write_text(found.schema, encoding="utf-8")
        understood = {rule.id: rule for rule in understand(load_schema(file), record=record)}
    rules: list[BookRule] = []
    for one in found.proposals:
        if one.candidate.across:
            unwritten[one.id] = f"{proposal_label(one)}: compares records with each other"
            continue
        try:
            rule = book_rule(understood[one.id])
        except UnwritableError as error:
            unwritten[one.id] = str(error)
            continue
        condition = renamed(rule.condition, _column_name)
        rules.append(replace(rule, condition=condition, label=f"{one.kind}; {proposal_support(one)}"))
    return rules


def _column_name(name: str) -> str:
    """Return the header that a column has in a table, if it means the same variable."""
    header = header_of(name)
    return header if element_name(header) == name else name
