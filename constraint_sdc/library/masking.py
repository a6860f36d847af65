"""Plan and mask a file, divide its records, and explain what became of a rule or a record."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

from constraint_sdc.commands.certificate.certificate import certificate_path, envelope_path
from constraint_sdc.commands.certificate.certificate import read_certificate as read_certificate_file
from constraint_sdc.commands.certificate.inputs import certified_input, certified_options, certified_plan
from constraint_sdc.commands.certificate.keys import new_key as make_key
from constraint_sdc.commands.certificate.keys import read_signing_key
from constraint_sdc.commands.explain import explain_record as explain
from constraint_sdc.commands.mask import mask_file as mask
from constraint_sdc.commands.masking.carrying_out import options_of_plan, planned_rule, require_same_plan
from constraint_sdc.commands.masking.carrying_out import read_plan as read_plan_file
from constraint_sdc.commands.masking.goal_files import GoalFiles
from constraint_sdc.commands.masking.report_page import require_page, write_page
from constraint_sdc.commands.masking.settings import settle as settle_masking
from constraint_sdc.commands.partition import partition_file as partition
from constraint_sdc.commands.plan import plan_file as make_plan
from constraint_sdc.commands.reproduce import reproduce_file
from constraint_sdc.engines.running import some_engine
from constraint_sdc.errors import UsageError
from constraint_sdc.files.atomic import no_overwrite, publish_files
from constraint_sdc.library.addresses import reads_addresses
from constraint_sdc.library.keywords import File, MaskKeywords, OnRecords, PartitionKeywords
from constraint_sdc.library.settle import path_or_none, settle
from constraint_sdc.maskers.masked import (
    MaskOptions,
    MaskResult,
    Partitioned,
    PartitionOptions,
    RecordExplanation,
    Reproduction,
    RuleExplanation,
)
from constraint_sdc.plan.plan import Plan


@some_engine()
@reads_addresses
def plan_file(
    data: File,
    rules: File | None = None,
    options: MaskOptions | None = None,
    progress: OnRecords = lambda _: None,
    *,
    charts: File | None = None,
    **keywords: Unpack[MaskKeywords],
) -> Plan:
    """Return how a file would be masked: blocks, operators, why each rule survives, and the price. Nothing is masked.

    The options are a MaskOptions object or its fields as keywords; `recipe` may be the path of a recipe. `progress` is
    called with the number of records read. For group anonymity, `charts` is a directory for a chart of each goal.
    PlanRefusedError says what cannot be done and what to do instead.

    >>> import constraint_sdc as cs
    >>> plan = cs.plan_file("census.xml", "census.sch", k=5, partition="mdav")
    >>> plan
    <Plan: 16 variables of 200 records in 5 blocks, microaggregation with k = 5, 5 rules>
    >>> plan.to_frame()[["rule", "why"]].head(2)
        rule        why
    0  EC-PV      exact
    1  EC-VD  preserved
    >>> plan.to_frame("blocks").columns.to_list()
    ['block', 'variables', 'rules', 'strata', 'groups', 'smallest', 'loss', 'plain_loss']
    """
    chosen = settle(MaskOptions, options, keywords)
    file, schematron = Path(data), path_or_none(rules)
    pictures = GoalFiles(path_or_none(charts))
    settings = settle_masking(chosen)
    pictures.require(settings.masker, overwrite=True, taken=(file, schematron, chosen.recipe_file, chosen.original))
    plan = make_plan(file, schematron, settings, progress)
    publish_files(pictures.contents(plan), overwrite=True)
    return plan


@some_engine()
@reads_addresses
def mask_file(
    data: File,
    rules: File | None,
    output: File,
    options: MaskOptions | None = None,
    *,
    overwrite: bool = False,
    expected: Plan | File | None = None,
    charts: File | None = None,
    pairs: File | None = None,
    report: File | None = None,
    sign: File | None = None,
    passphrase: str | None = None,
    progress: OnRecords = lambda _: None,
    **keywords: Unpack[MaskKeywords],
) -> MaskResult:
    """Publish the masked file and its certificate, or nothing.

    The options are a MaskOptions object or its fields as keywords. `expected` is a plan, or the file of a saved one,
    that must still be the plan; what it decided need not be given again. For group anonymity, `charts` is a directory
    for a chart of each goal and `pairs` a file for the records that exchanged values, which is secret. `sign` is the
    file of a private key (see `new_key`) that signs the certificate, and `passphrase` is its passphrase. `report` is a
    file for the page of `assess_files`, written after the masked file is published.

    NotPublishedError if a rule is newly broken in the written file or fewer than k records share a block's values;
    PlanRefusedError if the file cannot be masked like this.

    >>> import constraint_sdc as cs
    >>> result = cs.mask_file("census.xml", "census.sch", "masked.xml", k=5, partition="mdav")
    >>> result
    <MaskResult: published masked.xml, 200 records in 5 blocks, microaggregation with k = 5; 0 of 5 rules newly broken>
    >>> min(result.smallest)
    5
    >>> result.certificate.name
    'masked.xml.certificate.json'
    """
    saved = None if expected is None or isinstance(expected, Plan) else Path(expected)
    plan = expected if isinstance(expected, Plan) else None if saved is None else read_plan_file(saved)
    given: dict[str, Any] = dict(keywords)
    if plan is not None and options is None:
        given = {**options_of_plan(plan), **given}
    chosen = settle(MaskOptions, options, given)
    file, schematron, target = Path(data), path_or_none(rules), Path(output)
    certificate = certificate_path(target)
    inputs = (file, schematron, saved, chosen.recipe_file, chosen.original, path_or_none(sign))
    for written in (target, certificate, envelope_path(certificate)):
        no_overwrite(inputs, written)
    if passphrase is not None and sign is None:
        raise UsageError("a passphrase without a key to sign with", hint="give `sign`, or leave `passphrase` out")
    key = None if sign is None else read_signing_key(Path(sign), lambda: _encoded(passphrase))
    beside = GoalFiles(path_or_none(charts), path_or_none(pairs))
    settings, page = settle_masking(chosen), path_or_none(report)
    if page is not None:
        require_page(page, target, (*inputs, beside.charts, beside.pairs), settings, overwrite)
    result = mask(
        file,
        schematron,
        target,
        settings,
        overwrite=overwrite,
        expected=plan,
        beside=beside,
        sign=key,
        progress=progress,
    )
    if page is not None:
        write_page(result, settings, page, overwrite)
    return result


@some_engine()
@reads_addresses
def reproduce(
    certificate: File,
    original: File,
    rules: File | None = None,
    *,
    recipe: File | None = None,
    output: File | None = None,
    allow: Iterable[File] = (),
    time_limit: float | None = None,
) -> Reproduction:
    """Mask again what a certificate describes, and compare the bytes with the certified ones.

    The rules are found as the certificate names them, or given. UsageError if an input is missing or not the certified
    one. With `output` the new file is kept.

    >>> import constraint_sdc as cs
    >>> result = cs.mask_file("census.xml", "census.sch", "masked.xml", k=5, partition="mdav")
    >>> cs.reproduce(result.certificate, "census.xml", "census.sch")
    <Reproduction of masked.xml.certificate.json: the same bytes>
    """
    return reproduce_file(
        Path(certificate),
        Path(original),
        path_or_none(rules),
        recipe=path_or_none(recipe),
        output=path_or_none(output),
        allow=tuple(map(Path, allow)),
        time_limit=time_limit,
    )


def new_key(file: File, passphrase: str | None = None) -> str:
    """Write a new Ed25519 key, the private half to `file` and the public half to `file` with .pub; return its id.

    The id is the SHA-256 of the public half. Neither file replaces one that exists.

    >>> import constraint_sdc as cs
    >>> len(cs.new_key("office.key"))
    64
    >>> _ = cs.mask_file("census.xml", "census.sch", "signed.xml", k=5, partition="mdav", sign="office.key")
    >>> found = cs.verify_certificate("signed.xml", "census.sch", original="census.xml", trust=["office.key.pub"])
    >>> found.mismatches
    ()
    """
    return make_key(Path(file), _encoded(passphrase)).key_id


def _encoded(passphrase: str | None) -> bytes | None:
    return None if passphrase is None else passphrase.encode("utf-8")


@some_engine()
@reads_addresses
def partition_file(
    data: File,
    options: PartitionOptions | None = None,
    progress: OnRecords = lambda _: None,
    **keywords: Unpack[PartitionKeywords],
) -> Partitioned:
    """Divide the records of a file (XML rows or a table) into groups of at least k, and measure what the groups lose.

    Nothing is masked and no rules are asked. The options are a PartitionOptions object or its fields as keywords.

    >>> import constraint_sdc as cs
    >>> cs.partition_file("census.xml", k=5, partition="mdav", variables=["V2", "V12"])
    <Partitioned of census.xml: 200 records in 40 groups of at least 5, loss 8.90>
    """
    return partition(Path(data), settle(PartitionOptions, options, keywords), progress)


def explain_rule(plan: Plan | File, rule: str) -> RuleExplanation:
    """Return why a rule survives a masking; `plan` is a plan or the file of a saved one.

    >>> import constraint_sdc as cs
    >>> plan = cs.plan_file("census.xml", "census.sch", k=5, partition="mdav")
    >>> explanation = cs.explain_rule(plan, "EC-PV")
    >>> explanation
    <RuleExplanation of EC-PV: exact>
    >>> print(cs.render(explanation).splitlines()[1])
      says         0 <= V3 <= 7500 (possible values)
    """
    made = plan if isinstance(plan, Plan) else read_plan_file(Path(plan))
    return RuleExplanation(made, planned_rule(made, rule))


@reads_addresses
def explain_record(
    data: File,
    rules: File | None,
    number: int,
    options: MaskOptions | None = None,
    **keywords: Unpack[MaskKeywords],
) -> RecordExplanation:
    """Repeat a masking in memory and return what becomes of one record; the first record has number 1.

    >>> import constraint_sdc as cs
    >>> explanation = cs.explain_record("census.xml", "census.sch", 17, k=5, partition="mdav")
    >>> explanation
    <RecordExplanation of record 17: 5 blocks, microaggregation with k = 5>
    >>> print(cs.render(explanation).splitlines()[0])
    record 17 of 200, k = 5
    """
    return explain(Path(data), path_or_none(rules), settle(MaskOptions, options, keywords), number)


@reads_addresses
def explain_certified_record(
    certificate: File,
    number: int,
    data: File | None = None,
    rules: File | None = None,
    *,
    original: File | None = None,
    allow: Iterable[File] = (),
    time_limit: float | None = None,
) -> RecordExplanation:
    """Repeat the masking that a certificate describes and return what became of one record.

    The confidential inputs are found as the certificate names them, or given as `data` and `rules`. PlanRefusedError
    if they or the program are not those of the masking.

    >>> import constraint_sdc as cs
    >>> result = cs.mask_file("census.xml", "census.sch", "masked.xml", k=5, partition="mdav")
    >>> cs.explain_certified_record(result.certificate, 17)
    <RecordExplanation of record 17: 5 blocks, microaggregation with k = 5>
    """
    file = Path(certificate)
    content = read_certificate_file(file)
    source = certified_input(content, "data", path_or_none(data), file)
    if source is None:
        raise UsageError("the certificate names no data", file=str(file))
    schematron = certified_input(content, "rules", path_or_none(rules), file)
    folders = tuple(map(Path, allow))
    options = certified_options(content, path_or_none(original), file, folders, time_limit)
    explanation = explain(source, schematron, options, number)
    require_same_plan(certified_plan(content), explanation.plan, "explaining needs the files and the program of then")
    return explanation
