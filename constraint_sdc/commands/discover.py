"""Discover: read the data, search rules in one part, test them on the other, let the judge confirm what is written."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from constraint_sdc.commands.check import CheckOptions, check_rules, judges_of
from constraint_sdc.discovery.discover import discover, split
from constraint_sdc.discovery.proposal import Discovery
from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.files.dataset import Dataset, read_dataset
from constraint_sdc.judge.judge import SaxonProcess
from constraint_sdc.judge.rule_set import load_rules
from constraint_sdc.reports.discovered_rules import discovered_schema

_FEWEST = 60


@dataclass(frozen=True, slots=True)
class DiscoverOptions:
    """How to search: the share of records that is kept aside, the seed that deals them out, the record element."""

    holdout: float = 0.5
    seed: int = 1
    record: str | None = None


def discover_rules(data: Path, options: DiscoverOptions | None = None) -> Discovery:
    """Propose rules that hold in the data; the same options give the same rules.

    What is proposed holds on every record, searched or kept aside, as `check` judges it.
    """
    options = options or DiscoverOptions()
    if not 0 <= options.holdout <= 0.9:
        raise UsageError(f"holdout is {options.holdout:g}", hint="give a share from 0 to 0.9")
    if options.seed < 0:
        raise UsageError(f"seed is {options.seed}", hint="give a whole number of at least 0")
    dataset = read_dataset(data, options.record)
    records = dataset.table.records
    if records < _FEWEST:
        hint = f"at least {_FEWEST} are needed to tell a rule from chance"
        raise DataError(f"the file has {records} records", file=str(data), hint=hint)
    parts = split(records, options.holdout, options.seed)
    found = discover(dataset.table.columns, parts, options.seed)
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
    )
    return _confirmed(discovery, dataset, options)


def _confirmed(discovery: Discovery, dataset: Dataset, options: DiscoverOptions) -> Discovery:
    """Leave out what the judge finds broken in some record, and write the rest as Schematron."""
    written = replace(discovery, schema=discovered_schema(discovery, dataset.layout.record))
    broken = _broken(written, dataset.path, options)
    if not broken:
        return written
    kept = tuple(one for one in discovery.proposals if one.id not in broken)
    fewer = replace(discovery, proposals=kept, refuted=discovery.refuted + len(broken))
    return replace(fewer, schema=discovered_schema(fewer, dataset.layout.record))


def _broken(discovery: Discovery, data: Path, options: DiscoverOptions) -> frozenset[str]:
    if not discovery.proposals:
        return frozenset()
    with tempfile.TemporaryDirectory() as folder, SaxonProcess() as saxon:
        file = Path(folder) / "found.sch"
        file.write_text(discovery.schema, encoding="utf-8")
        checking = CheckOptions(record=options.record, max_examples=0)
        rule_set = load_rules(file)
        verdict = check_rules(data, rule_set, checking, judges_of(rule_set.schema, checking, saxon))
    return frozenset(one.rule for one in verdict.results if one.status not in ("pass", "not applicable"))
