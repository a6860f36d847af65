"""Judge a file by its rules: check it, list what its rules mean, verify a certificate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from constraint_sdc.commands.certificate.certificate import certificate_path
from constraint_sdc.commands.certificate.claim import read_claim
from constraint_sdc.commands.certificate.keys import read_public_key
from constraint_sdc.commands.check import CheckOptions
from constraint_sdc.commands.check import check_file as check
from constraint_sdc.commands.check import full_svrl as saxon_svrl
from constraint_sdc.commands.convert_rules import convert_rules as convert
from constraint_sdc.commands.rules import list_rules as listed_rules
from constraint_sdc.constraints.show import RuleList
from constraint_sdc.engines.running import some_engine
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.library.addresses import reads_addresses
from constraint_sdc.library.keywords import CheckKeywords, File, OnRecords, RecipeGiven
from constraint_sdc.library.settle import path_or_none, recipe_of, settle
from constraint_sdc.maskers.masked import CertificateCheck


@some_engine()
@reads_addresses
def check_file(
    data: File,
    rules: File,
    options: CheckOptions | None = None,
    progress: OnRecords = lambda _: None,
    *,
    recipe: RecipeGiven | None = None,
    **keywords: Unpack[CheckKeywords],
) -> CheckResult:
    """Judge an XML file by the rules of a Schematron file.

    The options are a CheckOptions object or its fields as keywords. A `recipe` names the record element and the key of
    the data. `progress` is called with the number of records judged so far.

    >>> import constraint_sdc as cs
    >>> result = cs.check_file("damaged.xml", "census.sch", original="census.xml", max_examples=1)
    >>> result
    <CheckResult of damaged.xml: FAIL: 5 of 5 rules broken, 10 violations in 10 of 200 records>
    >>> result.exit_code
    1
    >>> result.to_frame("violations")[["rule", "record"]].head(2)
         rule  record
    0   EC-LC     139
    1  EC-NLC      28
    """
    chosen = settle(CheckOptions, options, keywords)
    known = recipe_of(recipe)
    chosen = replace(
        chosen,
        record=chosen.record or known.record,
        key=chosen.key or known.key,
        allow_idle=(*chosen.allow_idle, *known.allow_idle),
        missing_codes=chosen.missing_codes or known.missing,
    )
    return check(Path(data), Path(rules), chosen, progress)


@reads_addresses
def full_svrl(data: File, rules: File, options: CheckOptions | None = None, **keywords: Unpack[CheckKeywords]) -> str:
    """Return the complete SVRL report of Saxon: every fired rule and every message.

    Values of the data are hidden unless `show_values` is true. `render(result, "svrl")` gives the compact SVRL of a
    check.

    >>> import constraint_sdc as cs
    >>> cs.full_svrl("damaged.xml", "census.sch", original="census.xml").count("failed-assert ")
    10
    """
    return saxon_svrl(Path(data), Path(rules), settle(CheckOptions, options, keywords))


@reads_addresses
def list_rules(
    rules: File,
    *,
    phase: str | None = None,
    data: File | None = None,
    record: str | None = None,
    allow: Iterable[File] = (),
) -> RuleList:
    """Return what each rule of a Schematron file means: kind, variables, normal form, engine.

    With `data` the record element and the engines are those of that file.

    >>> import constraint_sdc as cs
    >>> rules = cs.list_rules("census.sch")
    >>> rules
    <RuleList of census.sch: 5 rules, 5 understood>
    >>> rules.rows[0].normal_form
    'V9 + V10 = V14'
    """
    folders = tuple(map(Path, allow))
    return listed_rules(Path(rules), phase=phase, data=path_or_none(data), record=record, allow=folders)


@reads_addresses
def convert_rules(
    source: File,
    target: File,
    *,
    record: str | None = None,
    data: File | None = None,
    recipe: File | None = None,
    phase: str | None = None,
    allow: Iterable[File] = (),
    overwrite: bool = False,
) -> Path:
    """Write rules in another language, by the endings of the names, and return the path of the new file.

    Any language becomes Schematron. Schematron becomes another language where each rule has a typed constraint. What
    has no translation raises UntranslatedRulesError, whose `faults` name every rule, and nothing is written. `record`
    names the record element, by default that of `data`, else "Record"; the missing codes of a `recipe` become part of
    the rules.

    >>> from pathlib import Path
    >>> import constraint_sdc as cs
    >>> _ = Path("rules.R").write_text("V9 + V10 == V14")
    >>> cs.convert_rules("rules.R", "rules.sch", data="census.xml", overwrite=True).name
    'rules.sch'
    >>> cs.check_file("census.xml", "rules.sch").exit_code
    0
    """
    convert(
        Path(source),
        Path(target),
        record=record,
        data=path_or_none(data),
        recipe=path_or_none(recipe),
        phase=phase,
        allow=tuple(map(Path, allow)),
        overwrite=overwrite,
    )
    return Path(target)


@reads_addresses
def verify_certificate(
    data: File,
    rules: File | None,
    certificate: File | None = None,
    options: CheckOptions | None = None,
    progress: OnRecords = lambda _: None,
    *,
    recipe: File | None = None,
    trust: Iterable[File] = (),
    **keywords: Unpack[CheckKeywords],
) -> CertificateCheck:
    """Compare a masked file with its certificate, by default the one beside it; None for a file masked without rules.

    The file is judged again, its groups are counted again, and the digests are compared. With `original`, the original
    is masked again, and bytes and numbers are compared; with `recipe`, the file of the recipe is compared. `stated`
    names what was not checked. `trust` are public keys, of which one must have signed the certificate: NotTrustedError
    if none did. Phase, record element and idle rules come from a trusted certificate; a phase, record element or idle
    rule that only an untrusted one names is refused.

    >>> import constraint_sdc as cs
    >>> _ = cs.mask_file("census.xml", "census.sch", "masked.xml", k=5, partition="mdav")
    >>> cs.verify_certificate("masked.xml", "census.sch", original="census.xml")
    <CertificateCheck: agrees, 6 statements confirmed, 0 refuted>
    """
    file = Path(data)
    chosen = settle(CheckOptions, options, keywords)
    beside = certificate_path(file) if certificate is None else Path(certificate)
    keys = tuple(read_public_key(Path(key)) for key in trust)
    claim = read_claim(beside, file, chosen.original, path_or_none(recipe), keys)
    chosen = claim.adopted(replace(chosen, original=claim.judged_with))
    with claim.reading():
        if rules is None:
            return claim.verify_without_rules(file, chosen)
        return claim.verify(file, Path(rules), check(file, Path(rules), chosen, progress), chosen)
