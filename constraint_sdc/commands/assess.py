"""Assess: how much a masked file lost, how much is at risk, under which attack, and whether its rules still hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from constraint_sdc.arrays import Floats, Rows
from constraint_sdc.commands.certificate.certificate import certificate_path, file_digest, read_certificate
from constraint_sdc.commands.certificate.mirror import inconsistencies
from constraint_sdc.commands.certificate.verify import check_certificate
from constraint_sdc.commands.check import check_rules
from constraint_sdc.commands.mask import compare_verdicts
from constraint_sdc.commands.masking.preparation import open_original, refuse_idle
from constraint_sdc.commands.measuring.pairing import pair_tables
from constraint_sdc.commands.measuring.records_file import Progress, is_csv, read_records
from constraint_sdc.constraints.constraint import DomainAtom, EditRule, atoms
from constraint_sdc.data.pair import Pair
from constraint_sdc.data.table import Table
from constraint_sdc.errors import UsageError
from constraint_sdc.evaluate.subdomain import parse_subdomain
from constraint_sdc.files.publication.recovery import settle_publication
from constraint_sdc.files.recipe import recipe_from_json
from constraint_sdc.maskers.masked import RuleOutcome
from constraint_sdc.measures.assessment import Assessment, AssessOptions, Measure, Measured, SubdomainMeasured
from constraint_sdc.measures.registry import attacks_on, risk_measures, score_of, utility_measures
from constraint_sdc.measures.utility.regressions import Regression, parse_regression
from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.plan_json import plan_from_json
from constraint_sdc.plan.read_series import subdomain_rows
from constraint_sdc.settings.mask_settings import RulesSettings
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Scale


@dataclass(frozen=True, slots=True)
class Judged:
    """Both files before their rules. `held` are the rules that every original record satisfies."""

    outcomes: tuple[RuleOutcome, ...] | None = None
    held: tuple[EditRule, ...] = ()
    mismatches: tuple[str, ...] = ()
    notes: tuple[Reason, ...] = ()


def assess_files(
    original: Path, masked: Path, options: AssessOptions, progress: Progress = lambda _: None
) -> Assessment:
    """Return everything that is measured of a masked file; `progress` hears the number of records read."""
    compared = compare_files(original, masked, options, progress)
    pair, recipe = compared.pair, options.recipe
    regressions = tuple(_regression(text, pair) for text in recipe.assess.regressions)
    utility = _run(utility_measures(regressions), pair)
    risk = _run(risk_measures(options.seed), pair)
    return Assessment(
        original=original,
        masked=masked,
        records=len(pair),
        known=pair.known,
        rules=options.rules,
        outcomes=compared.judged.outcomes,
        certificate=compared.certificate,
        plan=compared.plan,
        mismatches=compared.judged.mismatches,
        score=score_of(utility, risk),
        utility=utility,
        subdomains=_subdomains(compared, options, regressions),
        risk=risk,
        attacks=_run(attacks_on(compared.judged.held, compared.domains, options.seed, options.attacks), pair),
        notes=(*compared.notes, *compared.judged.notes),
        pair=pair,
    )


@dataclass(frozen=True, slots=True)
class ComparedFiles:
    """Both files read, paired and judged; what `assess` and the attacks start from."""

    table: Table
    pair: Pair
    certificate: Mapping[str, Any] | None
    plan: Plan | None
    judged: Judged
    notes: tuple[Reason, ...]

    @property
    def domains(self) -> dict[str, Floats]:
        """Return the values of variables that must occur in the original: who checks that rule has them."""
        found = {}
        for atom in (atom for rule in self.judged.held for atom in atoms(rule.constraint.formula)):
            if isinstance(atom, DomainAtom) and atom.source.href is None and atom.variable in self.pair.numeric:
                values = self.pair[atom.variable].original
                found[atom.variable] = np.unique(values[~np.isnan(values)])
        return found


def compare_files(
    original: Path, masked: Path, options: AssessOptions, progress: Progress = lambda _: None
) -> ComparedFiles:
    """Read both files, pair their records, and let the rules judge them."""
    settle_publication(masked)
    certificate, mismatches = _certificate(original, masked, options)
    if certificate is not None and options.record is None:
        options = replace(options, record=certificate["options"]["record"])
    record = options.record or options.recipe.record
    table, after = (read_records(path, None if is_csv(path) else record, progress) for path in (original, masked))
    plan = None if certificate is None or mismatches else plan_from_json(certificate["plan"])
    for path in (original, masked):
        if options.record is not None and certificate is None and is_csv(path):
            raise UsageError("--record has no meaning here", file=str(path), hint="a CSV file has no elements")
    paired = pair_tables(table, after, options.recipe, plan, options.known)
    judged = _judge(original, masked, options, None if mismatches else certificate)
    judged = replace(judged, mismatches=(*mismatches, *judged.mismatches))
    return ComparedFiles(table, paired.pair, certificate, plan, judged, paired.notes)


def _certificate(
    original: Path, masked: Path, options: AssessOptions
) -> tuple[Mapping[str, Any] | None, tuple[str, ...]]:
    """Return the certificate named, or the one beside the masked file; and where it does not fit the two files."""
    path = options.certificate or certificate_path(masked)
    if options.certificate is None and not path.is_file():
        return None, ()
    certificate = read_certificate(path)
    found = [f"{path.name}: {sentence}" for sentence in inconsistencies(certificate)]
    data = [entry["sha256"] for entry in certificate["inputs"] if entry["role"] == "data"]
    for file, digests, what in (
        (masked, [certificate["output"]["sha256"]], "is the certificate of another file"),
        (original, data, "is of a file masked from another original"),
    ):
        if file.is_file() and file_digest(file) not in digests:
            found.append(f"{path.name} {what}: the SHA-256 of {file.name} is not the one in it")
    return certificate, tuple(found)


def _judge(original: Path, masked: Path, options: AssessOptions, certificate: Mapping[str, Any] | None) -> Judged:
    rules = options.rules
    if rules is None:
        return Judged()
    for path in (original, masked):
        if is_csv(path):
            hint = f"constraint-sdc convert {path.name} {path.with_suffix('.xml').name}"
            raise UsageError("rules judge XML, and this is CSV", file=str(path), hint=hint)
    phase = options.phase or (None if certificate is None else certificate["options"]["phase"])
    idle = (*options.allow_idle, *options.recipe.allow_idle, *_certified_idle(certificate))
    settings = RulesSettings(
        phase,
        allow=options.allow,
        time_limit=options.time_limit,
        allow_idle=idle,
        missing_codes=_missing_codes(options.recipe, certificate),
    )
    with open_original(original, rules, options.record or options.recipe.record, settings) as source:
        check = source.check
        before, after = (check_rules(path, source.rule_set, check, source.judges) for path in (original, masked))
        for verdict in (before, after):
            refuse_idle(verdict)
        understood = source.understood
    broken = {result.rule for result in before.results if result.failed or result.status == "error"}
    mismatches: tuple[str, ...] = ()
    if certificate is not None:
        found = check_certificate(certificate, masked, rules, after, record=check.record, allow=check.allow)
        mismatches = found.mismatches
    return Judged(
        outcomes=compare_verdicts(before, after),
        held=tuple(rule for rule in understood.rules if rule.id not in broken),
        mismatches=mismatches,
        notes=(because("original-breaks", rules=tuple(sorted(broken))),) if broken else (),
    )


def _missing_codes(recipe: Recipe, certificate: Mapping[str, Any] | None) -> Mapping[str, tuple[str, ...]]:
    """Return the missing codes of the recipe, else those that the file was masked with."""
    if recipe.missing or certificate is None:
        return recipe.missing
    return recipe_from_json(certificate["recipe"]).missing


def _certified_idle(certificate: Mapping[str, Any] | None) -> tuple[str, ...]:
    return () if certificate is None else tuple(certificate["options"]["allow_idle"])


def _run(measures: Sequence[Measure], pair: Pair) -> tuple[Measured, ...]:
    return tuple(measure.measure(pair) for measure in measures)


def _regression(text: str, pair: Pair) -> Regression:
    try:
        regression = parse_regression(text)
    except ValueError as problem:
        raise UsageError(f"the recipe's regression {text!r}: {problem}", hint="such as V12 ~ V8 + V13") from None
    names = {v.name: v for v in pair.variables}
    for name in (regression.response, *regression.predictors):
        if name not in names:
            hint = f"both files have: {', '.join(list(names)[:20])}"
            raise UsageError(f"the recipe's regression {text!r} names {name!r}, which is not in both files", hint=hint)
        if names[name].scale is not Scale.NUMERIC:
            hint = "regressions are computed from numbers alone"
            raise UsageError(f"the recipe's regression {text!r} names {name}, whose values are not numbers", hint=hint)
    return regression


def _subdomains(
    compared: ComparedFiles, options: AssessOptions, regressions: tuple[Regression, ...]
) -> tuple[SubdomainMeasured, ...]:
    """Measure the utility of every subdomain of the recipe; the original values decide who belongs to it."""
    measured = []
    for wish in options.recipe.assess.subdomains:
        for name, rows in _records_of(wish, compared.table, options.recipe):
            part = _run(utility_measures(regressions), compared.pair.of(rows)) if len(rows) else ()
            measured.append(SubdomainMeasured(wish, name, len(rows), part))
    return tuple(measured)


def _records_of(wish: str, table: Table, recipe: Recipe) -> tuple[tuple[str, Rows], ...]:
    """Return the subdomains of one wish, each with its records; missing codes are blanks here too."""
    try:
        return subdomain_rows(parse_subdomain(wish, tuple(table.columns)), table, recipe)
    except ValueError as problem:
        raise UsageError(f"the recipe's subdomain {wish!r}: {problem}") from None
