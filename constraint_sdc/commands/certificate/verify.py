"""Verify a certificate: all that the masked file, the rules, the recipe and a new masking can confirm or refute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constraint_sdc.arrays import Counts
from constraint_sdc.commands.certificate.again import MASKED_AGAIN, MaskedAgain, recipe_differences
from constraint_sdc.commands.certificate.basis import Basis, names_recipe, stated_fields, way_to_check
from constraint_sdc.commands.certificate.believed import SIGNED, record_refusal
from constraint_sdc.commands.certificate.certificate import file_digest
from constraint_sdc.commands.certificate.computed import total_differences, totals_said
from constraint_sdc.commands.certificate.fates import fate_differences
from constraint_sdc.commands.certificate.leaves import LAST_DIGITS
from constraint_sdc.commands.certificate.mirror import self_comparison
from constraint_sdc.commands.certificate.people import class_differences, classes_said, counts_classes
from constraint_sdc.commands.certificate.versions import differing_versions
from constraint_sdc.commands.masking.staged import group_sizes
from constraint_sdc.data.surroundings import DocumentSurroundings
from constraint_sdc.data.table import Chunk
from constraint_sdc.errors import ChangedFileError
from constraint_sdc.files.dataset import Dataset, read_dataset
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.files.microdata.source import OnePass
from constraint_sdc.files.microdata.whole_table import read_table
from constraint_sdc.files.recipe import recipe_from_json
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.judge.rule_set import load_rules
from constraint_sdc.maskers.masked import CertificateCheck
from constraint_sdc.maskers.masker import Recount
from constraint_sdc.maskers.registry import DEFAULT, MASKERS
from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.plan_json import plan_from_json
from constraint_sdc.reports.check.wording import counted, number, or_unknown
from constraint_sdc.schematron.confinement import Confinement, real_path
from constraint_sdc.settings.masker import make_masker


def check_certificate(
    certificate: Mapping[str, Any],
    data: Path,
    rules: Path,
    result: CheckResult,
    *,
    record: str | None = None,
    allow: tuple[Path, ...] = (),
    recipe: Path | None = None,
    again: MaskedAgain | None = None,
    dataset: Dataset | None = None,
) -> CertificateCheck:
    """Compare a certificate with the file it should belong to; `result` is the judgement made now on that file.

    `recipe` is the file of the recipe. `again` masks the original once more; it is called only if everything else
    agrees. Without it, what needs the original is stated. `dataset` is the masked file if it is in memory; else it is
    read, and ChangedFileError says that it is no longer the one that was judged.
    """
    contradictions, otherwise = self_comparison(certificate)
    plan = None if contradictions else plan_from_json(certificate["plan"])
    if dataset is None and plan is not None and (plan.masker.recounts or plan.computed or counts_classes(plan)):
        dataset = _read_again(data, record, result)
    recount = Recount(is_counted=False) if plan is None else _recount(certificate, plan, dataset)
    parts: list[tuple[str, Iterable[str]]] = [
        ("the file is the one that was certified", _output(certificate, data, result)),
        (_rules_said(certificate), _rule_files(certificate, rules, result, allow)),
        (_documents_said(certificate), _documents(certificate, data, rules, result, allow)),
        (_verdicts_said(certificate), _verdicts(certificate, result)),
        (_blocks_said(certificate), _blocks(certificate, plan, data, record, result, dataset)),
        (totals_said(plan), total_differences(certificate, plan, dataset, rules, result.phase, allow)),
        (classes_said(plan), class_differences(certificate, plan, dataset)),
        (recount.said, recount.differs),
        ("the certificate agrees with itself: plan, inputs, blocks and counts", contradictions),
    ]
    verified = {Basis.FILE, *([Basis.COUNTED] if recount.is_counted else []), *([] if otherwise else [Basis.WORDS])}
    if recipe is not None and names_recipe(certificate):
        parts.append(("the recipe is the certified one, digest and content", recipe_differences(certificate, recipe)))
        verified.add(Basis.RECIPE)
    confirmed, mismatches = _added_up(parts)
    notes = _wording_note(otherwise)
    if again is not None and not mismatches:
        said, wrong = _added_up([(MASKED_AGAIN, again(certificate))])
        confirmed, mismatches = confirmed + said, mismatches + wrong
        verified |= {Basis.ORIGINAL, Basis.COUNTED}
    stated = stated_fields(certificate, frozenset(verified))
    if Basis.ORIGINAL in verified:
        notes += _version_notes(certificate)
    notes += () if mismatches else way_to_check(certificate, frozenset(verified))
    return CertificateCheck(tuple(confirmed), tuple(mismatches), stated, notes)


def _wording_note(otherwise: tuple[str, ...]) -> tuple[str, ...]:
    if not otherwise:
        return ()
    many = counted(len(otherwise), "sentence")
    return (f"this version words {many} otherwise than the certificate, the first at {otherwise[0]}: go by the codes",)


def _version_notes(certificate: Mapping[str, Any]) -> tuple[str, ...]:
    """Say where numbers were compared less strictly: a certificate chooses that by the versions that it states."""
    differing = tuple(differing_versions(certificate))
    if not differing:
        return ()
    return (f"numbers are compared up to a relative difference of {LAST_DIGITS}, because versions differ", *differing)


def _added_up(parts: Iterable[tuple[str, Iterable[str]]]) -> tuple[list[str], list[str]]:
    """Return what is confirmed and what differs."""
    confirmed: list[str] = []
    mismatches: list[str] = []
    for name, found in parts:
        wrong = list(found)
        mismatches += wrong
        confirmed += [] if wrong or not name else [name]
    return confirmed, mismatches


def _read_again(data: Path, record: str | None, result: CheckResult) -> Dataset:
    """Read the masked file, which must be the one that was judged."""
    dataset = read_dataset(data, record)
    _require_judged(data, dataset.sha256, result)
    return dataset


def _require_judged(data: Path, sha256: str, result: CheckResult) -> None:
    if result.inputs.get("data", sha256) != sha256:
        raise ChangedFileError("the file has changed since it was judged", file=str(data), hint="run again")


def _recount(certificate: Mapping[str, Any], plan: Plan, dataset: Dataset | None) -> Recount:
    """Return what the masker counts in the file, if it counts."""
    if not plan.masker.recounts or dataset is None:
        return Recount()
    masker = make_masker(MASKERS[plan.masker.name], plan.masker.told())
    return masker.recount(plan, dataset.table, recipe_from_json(certificate["recipe"]))


def _output(certificate: Mapping[str, Any], data: Path, result: CheckResult) -> Iterator[str]:
    claimed = certificate["output"]
    actual = result.inputs.get("data") or file_digest(data)
    if actual != claimed["sha256"]:
        yield f"output: the SHA-256 of {data} is {actual}, the certificate is for {claimed['sha256']}"
    if result.records != claimed["records"]:
        found = "no rows" if result.records is None else counted(result.records, "record")
        yield f"output: {data} has {found}, the certificate is for {counted(claimed['records'], 'record')}"


def _is_plain(certificate: Mapping[str, Any]) -> bool:
    return not any(entry["role"] == "rules" for entry in certificate["inputs"])


def _rules_said(certificate: Mapping[str, Any]) -> str:
    if _is_plain(certificate):
        plain = " (plain microaggregation)" if certificate["options"]["masker"] == DEFAULT else ""
        return f"the certificate names no rules{plain}: it vouches for the groups alone"
    return "the rules are the certified ones, file by file"


def _rule_files(
    certificate: Mapping[str, Any], rules: Path, result: CheckResult, allow: tuple[Path, ...]
) -> Iterator[str]:
    if _is_plain(certificate):
        return
    claimed = {entry["sha256"]: entry["file"] for entry in certificate["inputs"] if entry["role"] == "rules"}
    read = result.inputs or load_rules(rules, phase=result.phase, allowed=allow).digests()
    roles = [role for role in read if role.partition(": ")[0] == "rules"]
    actual = {read[role]: Path(role.partition(": ")[2] or rules).name for role in roles}
    for digest, file in claimed.items():
        if digest not in actual:
            yield f"rules: {file} of the certificate (SHA-256 {digest}) is not among the rules given"
    for digest, file in actual.items():
        if digest not in claimed:
            yield f"rules: {file} (SHA-256 {digest}) is not among the certified files"
    phase = certificate["options"]["phase"]
    if phase != result.phase:
        yield f"rules: judged in phase {result.phase}, certified in phase {phase}"


def _documents_said(certificate: Mapping[str, Any]) -> str:
    named = [entry for entry in certificate["inputs"] if entry["role"] == "document"]
    return f"what the rules name is as certified: {counted(len(named), 'document')}" if named else ""


def _documents(
    certificate: Mapping[str, Any], data: Path, rules: Path, result: CheckResult, allow: tuple[Path, ...]
) -> Iterator[str]:
    """Compare the documents that the rules name, as they were read now, or as they are if this judgement needs none.

    The names come from the certificate: what rules may not read is not opened, because its digest would be shown.
    """
    inside = Confinement.around((rules, data), allow)
    for entry in certificate["inputs"]:
        if entry["role"] != "document":
            continue
        name, path = entry["file"], real_path(rules).parent / entry["file"]
        read = result.inputs.get(f"document: {name}")
        if read is None and not inside.contains(path):
            yield f"document: {name} is outside the directories that rules may read: not compared"
            continue
        actual = read or (file_digest(path) if path.is_file() else "not there")
        if actual != entry["sha256"]:
            yield f"document: the SHA-256 of {name} is {actual}, certified {entry['sha256']}"
    roles = {entry["role"]: entry["sha256"] for entry in certificate["inputs"]}
    certified, given = roles.get("original", roles.get("data")), result.inputs.get("original")
    if given is not None and given != certified:
        yield f"original: the SHA-256 of the file given with --original is {given}, certified {certified}"


def _verdicts_said(certificate: Mapping[str, Any]) -> str:
    if not certificate["rules"]:
        return "no verdict to compare: the certificate has none"
    return f"the verdicts on {counted(len(certificate['rules']), 'rule')} are the certified ones"


def _verdicts(certificate: Mapping[str, Any], result: CheckResult) -> Iterator[str]:
    if _is_plain(certificate):
        if certificate["rules"] or certificate["options"]["phase"] is not None:
            yield "rules: verdicts or a phase are certified, but no rules are among the inputs"
        return
    stated, judged = [rule["rule"] for rule in certificate["rules"]], [rule.rule for rule in result.results]
    if stated != judged and (sorted(stated) == sorted(judged) or len(set(stated)) < len(stated)):
        yield "rules: not each once, in the order of the schema"
    severities = {rule["rule"]: rule["severity"] for rule in certificate["rules"]}
    for one in result.results:
        if severities.get(one.rule, one.severity) != one.severity:
            yield f"rule {one.rule}: of severity {one.severity} now, certified {severities[one.rule]}"
    claimed = {rule["rule"]: (rule["failed"], rule["checked"], *_missing(rule)) for rule in certificate["rules"]}
    actual = {r.rule: (r.failed, r.fired, r.held_missing, r.failed_missing) for r in result.results}
    for rule in dict.fromkeys((*claimed, *actual)):
        if rule not in actual:
            yield f"rule {rule}: certified, but not among the rules given"
        elif rule not in claimed:
            yield f"rule {rule}: judged now, but not certified"
        elif claimed[rule] != actual[rule]:
            yield f"rule {rule}: {_counts(actual[rule])} now, certified {_counts(claimed[rule])}"
    for one in result.results:
        if one.status == "error":
            yield f"rule {one.rule}: could not be evaluated now"


def _missing(rule: Mapping[str, Any]) -> tuple[int | None, int | None]:
    return rule["missing"]["held"], rule["missing"]["failed"]


def _counts(counts: tuple[int, int, int | None, int | None]) -> str:
    failed, checked, held_missing, failed_missing = counts
    said = f"{number(failed)} of {counted(checked, 'check')} broken"
    if held_missing == failed_missing == 0:
        return said
    return f"{said}, {or_unknown(held_missing)} held and {or_unknown(failed_missing)} broken with a missing value"


def _blocks_said(certificate: Mapping[str, Any]) -> str:
    blocks = certificate["blocks"]
    if not blocks:
        return "nothing was masked: there is no block to count"
    least = min(block["smallest"] for block in blocks)
    k = certificate["options"]["k"]
    if any("goals" in block for block in blocks):
        return f"the values of {counted(len(blocks), 'variable')} are swapped, and the rarest are as counted"
    if not all(block["shares"] for block in certificate["plan"]["blocks"]):
        return f"the groups are as counted; k = {k} is not promised, and as few as {number(least)} share their values"
    key = _certified_key(certificate)
    said = (
        "" if key is None else f"; at least {number(key['found']['smallest'])} share the key ({', '.join(key['of'])})"
    )
    return (
        f"at least {number(least)} records share the values of each of {counted(len(blocks), 'block')} (k = {k}){said}"
    )


def _blocks(
    certificate: Mapping[str, Any],
    plan: Plan | None,
    data: Path,
    record: str | None,
    result: CheckResult,
    dataset: Dataset | None,
) -> Iterator[str]:
    blocks, k = certificate["blocks"], certificate["options"]["k"]
    planned = [[variable["name"] for variable in block["variables"]] for block in certificate["plan"]["blocks"]]
    if planned != [block["variables"] for block in blocks] or certificate["plan"]["k"] != k:
        yield "blocks: those of the certificate are not those of its own plan"
    key = _certified_key(certificate)
    counting = [*planned, *([] if key is None else [key["of"]])]
    if dataset is None:
        found = _counted(data, record, tuple(map(tuple, counting)))
        _require_judged(data, found.sha256, result)
    else:
        read = frozenset(dataset.table.columns), dataset.layout.record, dataset.sha256, dataset.surroundings
        found = _Counted(group_sizes(dataset.table, counting), *read)
        record = record or dataset.record
    certified, smallest, names = certificate["options"]["record"], found.smallest(), found.names
    if record is None and certified not in (None, found.element):
        raise record_refusal(certified, found.element, SIGNED)
    absent = frozenset(certificate["output"].get("absent", ()))
    yield from fate_differences(plan, names, found.surroundings, absent)
    for name in sorted({name for block in planned for name in block} - names - absent):
        yield f"blocks: {name} is certified as masked, but no record has it"
    shares = [block["shares"] for block in certificate["plan"]["blocks"]]
    for block, actual, is_shared in zip(blocks, smallest, shares, strict=False):
        name = f"block {block['number']} ({', '.join(block['variables'])})"
        if actual < k and is_shared:
            yield f"{name}: values shared by {counted(actual, 'record')}, fewer than k = {k}"
        if actual != block["smallest"]:
            yield f"{name}: the smallest group has {counted(actual, 'record')}, certified {number(block['smallest'])}"
    if key is None and "key" in certificate["plan"].get("protect", {}):
        yield "people: the plan promises a key, and the certificate does not count it"
    if key is not None:
        yield from _key_differences(certificate, key, found.sizes[-1])


def _certified_key(certificate: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return next(iter(certificate["people"].get("key", [])), None)


def _key_differences(certificate: Mapping[str, Any], key: Mapping[str, Any], sizes: Counts) -> Iterator[str]:
    """Compare the key of the certificate with its plan, and what it says with the file."""
    promised = certificate["plan"].get("protect", {}).get("key")
    if promised != {"variables": key["of"], "k": key["asked"]["k"]} or len(certificate["people"]["key"]) > 1:
        yield "people: the key is not that of the certificate's own plan"
    k = key["asked"]["k"]
    smallest = int(sizes.min()) if len(sizes) else 0
    actual = {"smallest": smallest, "classes": len(sizes), "below_k": int(sizes[sizes < k].sum())}
    if actual != key["found"] or key["is_kept"] != (smallest >= k):
        yield f"people: the smallest class of the key has {counted(smallest, 'record')}, certified otherwise"
    if smallest < k:
        yield f"people: the key is shared by {counted(smallest, 'record')}, fewer than k = {k}"


@dataclass(frozen=True, slots=True)
class _Counted:
    """How many records have each combination of a block's values; variables, record element and digest of the file."""

    sizes: tuple[Counts, ...]
    names: frozenset[str]
    element: str
    sha256: str
    surroundings: DocumentSurroundings

    def smallest(self) -> tuple[int, ...]:
        """Return the fewest records that share the values of each block; 0 for a file without records."""
        return tuple(int(sizes.min()) if len(sizes) else 0 for sizes in self.sizes)


def _counted(data: Path, record: str | None, blocks: tuple[tuple[str, ...], ...]) -> _Counted:
    """Count in a file that is not in memory; only the values of the blocks are kept."""
    names, around, wanted = set[str](), Around(), frozenset[str]().union(*blocks)
    with OnePass(data) as source:
        microdata = open_microdata(data, record=record, source=source)
        source.begin()

        def of_blocks() -> Iterator[Chunk]:
            for chunk in microdata.chunks(around, source):
                names.update(chunk.columns)
                columns = {name: column for name, column in chunk.columns.items() if name in wanted}
                yield Chunk.without_xml(chunk.layout, columns, chunk.lines, chunk.first)

        table = read_table(of_blocks(), str(data))
    read = frozenset(names), microdata.layout.record, source.sha256, around.surroundings()
    return _Counted(group_sizes(table, blocks), *read)
