"""The original and the masked file: each read once, paired, and judged by rules that are loaded once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from constraint_sdc.arrays import Floats
from constraint_sdc.commands.certificate.believed import phase_refusal, record_refusal
from constraint_sdc.commands.certificate.certificate import certificate_path, read_certificate
from constraint_sdc.commands.certificate.mirror import inconsistencies
from constraint_sdc.commands.certificate.verify import check_certificate
from constraint_sdc.commands.masking.judging import compare_verdicts
from constraint_sdc.commands.masking.preparation import Original, refuse_idle
from constraint_sdc.commands.measuring.pairing import Paired, pair_tables
from constraint_sdc.commands.measuring.records_file import Progress, is_table, read_records
from constraint_sdc.commands.measuring.second_release import SecondRelease, second_release
from constraint_sdc.constraints.constraint import DomainAtom, EditRule, atoms
from constraint_sdc.data.pair import Pair
from constraint_sdc.data.table import Table
from constraint_sdc.errors import UsageError
from constraint_sdc.files.dataset import Dataset
from constraint_sdc.files.publication.recovery import settle_publication
from constraint_sdc.files.recipe import recipe_from_json
from constraint_sdc.judge.judge import SaxonProcess
from constraint_sdc.maskers.masked import RuleOutcome
from constraint_sdc.measures.assessment import AssessOptions
from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.plan_json import plan_from_json
from constraint_sdc.settings.mask_settings import RulesSettings
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Judged:
    """Both files before their rules. `held` are the rules that every original record satisfies."""

    outcomes: tuple[RuleOutcome, ...] | None = None
    held: tuple[EditRule, ...] = ()
    mismatches: tuple[str, ...] = ()
    notes: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedFiles:
    """Both files read, paired and judged; what `assess` and the attacks start from.

    `table` is the original, `released` the masked file in its order.
    """

    table: Table
    released: Table
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
    for path in (original, masked):
        settle_publication(path)
    certificate = _certificate(masked, options)
    record = options.record or options.recipe.record
    with SaxonProcess() as saxon:
        if options.rules is not None:
            saxon.start()
        before, after = (read_records(path, record, progress, saxon.readings) for path in (original, masked))
        if certificate is not None and record is None:
            _require_found(certificate["options"]["record"], after)
        for path in (original, masked):
            if options.record is not None and certificate is None and is_table(path):
                raise UsageError("--record has no meaning here", file=str(path), hint="a table has no elements")
        mismatches = () if certificate is None else _mismatches(certificate, before, after, options)
        fitting = None if mismatches else certificate
        plan = None if fitting is None else plan_from_json(fitting["plan"])
        paired = pair_tables(before.table, after.table, options.recipe, plan, options.known)
        judged = _judge(before, after, options, fitting, saxon)
        second = None if options.release is None else _second(options.release, before, paired, options)
    judged = replace(judged, mismatches=(*mismatches, *judged.mismatches))
    pair, notes = paired.pair, paired.notes
    if second is not None:
        pair, notes = replace(pair, other=second.pair), (*notes, *second.notes)
    return ComparedFiles(before.table, paired.released, pair, certificate, plan, judged, notes)


def _second(release: Path, original: Dataset, first: Paired, options: AssessOptions) -> SecondRelease:
    """Return the other release, with what the certificate beside it says; one that does not fit is refused."""
    options = replace(options, certificate=None)
    settle_publication(release)
    read = read_records(release, options.record or options.recipe.record)
    certificate = _certificate(release, options)
    if certificate is not None and (wrong := _mismatches(certificate, original, read, options)):
        raise UsageError(wrong[0], file=str(release), hint="give the release that belongs to its certificate")
    plan = None if certificate is None else plan_from_json(certificate["plan"])
    return second_release(original.table, first, read.table, options.recipe, plan)


def _certificate(masked: Path, options: AssessOptions) -> Mapping[str, Any] | None:
    """Return the certificate named, or the one beside the masked file."""
    path = _certificate_file(masked, options)
    if options.certificate is None and not path.is_file():
        return None
    return read_certificate(path)


def _require_found(certified: str | None, masked: Dataset) -> None:
    """Refuse a certificate that alone says which elements are records: others would be measured than those found."""
    found = masked.layout.record
    if None not in (certified, found) and found != certified:
        raise record_refusal(str(certified), found)


def _certificate_file(masked: Path, options: AssessOptions) -> Path:
    return options.certificate or certificate_path(masked)


def _mismatches(
    certificate: Mapping[str, Any], original: Dataset, masked: Dataset, options: AssessOptions
) -> tuple[str, ...]:
    """Return where a certificate does not agree with itself, or with the bytes that were read of the two files."""
    name = _certificate_file(masked.path, options).name
    found = [f"{name}: {sentence}" for sentence in inconsistencies(certificate)]
    data = [entry["sha256"] for entry in certificate["inputs"] if entry["role"] == "data"]
    for file, digests, what in (
        (masked, [certificate["output"]["sha256"]], "is the certificate of another file"),
        (original, data, "is of a file masked from another original"),
    ):
        digest = file.sha256
        if digest not in digests:
            found.append(f"{name} {what}: the SHA-256 of {file.path.name} is not the one in it")
    return tuple(found)


def _judge(
    original: Dataset,
    masked: Dataset,
    options: AssessOptions,
    certificate: Mapping[str, Any] | None,
    saxon: SaxonProcess,
) -> Judged:
    rules = options.rules
    if rules is None:
        return Judged()
    source = Original(
        original.path, rules, options.record or options.recipe.record, _rules_settings(options, certificate), saxon
    )
    _require_phase(options.phase, source.rule_set.schema.phase, certificate)
    source.dataset, dataset = original, masked
    before, after = source.verdict, source.verdict_on(dataset)
    assert before is not None  # there are rules
    for verdict in (before, after):
        refuse_idle(verdict)
    broken = {result.rule for result in before.results if result.failed or result.status == "error"}
    mismatches: tuple[str, ...] = ()
    if certificate is not None:
        found = check_certificate(certificate, masked.path, rules, after, allow=source.check.allow, dataset=dataset)
        mismatches = found.mismatches
    return Judged(
        outcomes=compare_verdicts(before, after),
        held=tuple(rule for rule in source.understood.rules if rule.id not in broken),
        mismatches=mismatches,
        notes=(because("original-breaks", rules=tuple(sorted(broken))),) if broken else (),
    )


def _rules_settings(options: AssessOptions, certificate: Mapping[str, Any] | None) -> RulesSettings:
    """Return how both files are judged: what the options say. Of the certificate only missing codes are taken."""
    return RulesSettings(
        options.phase,
        allow=options.allow,
        time_limit=options.time_limit,
        allow_idle=(*options.allow_idle, *options.recipe.allow_idle),
        missing_codes=_missing_codes(options.recipe, certificate),
    )


def _require_phase(asked: str | None, own: str, certificate: Mapping[str, Any] | None) -> None:
    certified = None if certificate is None else certificate["options"]["phase"]
    if asked is None and certified not in (None, own):
        raise phase_refusal(str(certified), own)


def _missing_codes(recipe: Recipe, certificate: Mapping[str, Any] | None) -> Mapping[str, tuple[str, ...]]:
    """Return the missing codes of the recipe, else those that the file was masked with."""
    if recipe.missing or certificate is None:
        return recipe.missing
    return recipe_from_json(certificate["recipe"]).missing
