"""Lint: load the rules, understand them, check them against data if there are any, look for every kind of finding."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from constraint_sdc.commands.check import CheckOptions, check_rules, compiling, judges_of
from constraint_sdc.constraints.understand import understand
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.judge.judge import SaxonProcess
from constraint_sdc.judge.rule_set import RuleSet, load_rules
from constraint_sdc.languages.loading import language_of_file
from constraint_sdc.lint.finding import LintResult
from constraint_sdc.lint.lint import LintWish, find_all, sift, undecided_reasons
from constraint_sdc.lint.subject import LintData, LintSubject
from constraint_sdc.named_copies import named
from constraint_sdc.schematron.schema import Severity


@dataclass(frozen=True, slots=True)
class LintOptions:
    """How to check a rule set. `severity` is the least that is shown, `fail_on` the least that makes the exit code 1.

    `ignore` are codes of findings to leave out.
    """

    phase: str | None = None
    record: str | None = None
    fail_on: Severity = "warning"
    severity: Severity = "information"
    ignore: tuple[str, ...] = ()
    allow: tuple[Path, ...] = field(default_factory=tuple)


def lint_rules(rules: Path, data: Path | None = None, options: LintOptions | None = None) -> LintResult:
    """Check a rule set. With `data`, also look for rules that the data never exercise or that they show to be wrong."""
    options = options or LintOptions()
    wish = LintWish(options.severity, options.ignore)
    wish.require_codes()
    rule_set = load_rules(rules, phase=options.phase, allowed=options.allow, data=data, record=options.record)
    with SaxonProcess() as saxon:
        if data is None:
            with compiling(judges_of(rule_set.schema, CheckOptions(allow=options.allow), saxon)):
                understood = understand(rule_set.schema, record=options.record)
                subject = LintSubject(rule_set.schema, understood, are_translated=_are_translated(rule_set))
                return _linted(rule_set, subject, wish, options, None)
        subject = _on_data(rule_set, data, options, saxon)
    return _linted(rule_set, subject, wish, options, data)


def _on_data(rule_set: RuleSet, data: Path, options: LintOptions, saxon: SaxonProcess) -> LintSubject:
    """Check the data, and read the rules as their records show them to be meant; `$original` is the file itself."""
    checking = CheckOptions(record=options.record, allow=options.allow, max_examples=0, masked_from=data)
    checking = checking.settled(rule_set.schema)
    verdict = check_rules(data, rule_set, checking, judges_of(rule_set.schema, checking, saxon))
    dataset = read_dataset(data, options.record)
    rules = understand(
        rule_set.schema,
        record=dataset.layout.record,
        outside=dataset.outside,
        attributes=dataset.attributes,
        overridden=frozenset(checking.parameters),
    )
    results = {result.rule: result for result in verdict.results}
    known = LintData(dataset.table.records, dataset.table.columns, results)
    return LintSubject(rule_set.schema, rules, known, _are_translated(rule_set))


def _are_translated(rule_set: RuleSet) -> bool:
    return language_of_file(rule_set.path) is not None


def _linted(
    rule_set: RuleSet, subject: LintSubject, wish: LintWish, options: LintOptions, data: Path | None
) -> LintResult:
    schema = rule_set.schema
    kinds = wish.kinds(has_data=data is not None)
    codes = tuple(kind.name for kind in kinds)
    sifted = sift(find_all(subject, kinds), schema, codes)
    shown = tuple(finding for finding in sifted.findings if wish.wants(finding))
    return LintResult(
        rules=named(str(rule_set.path)),
        title=schema.title,
        phase=schema.phase,
        binding=schema.binding,
        count=len(subject.rules),
        findings=shown,
        codes=codes,
        fail_on=options.fail_on,
        left_out=subject.left_out(),
        undecided=undecided_reasons(subject),
        exempted=sifted.exempted,
        unused=sifted.unused,
        unseen=len(sifted.findings) - len(shown),
        data=None if data is None else str(data),
        records=None if subject.data is None else subject.data.records,
    )
