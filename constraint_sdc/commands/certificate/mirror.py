"""What a certificate says twice must be the same both times: options, inputs, blocks and sentences follow the plan."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from constraint_sdc.commands.certificate.basis import Basis, basis_of, unknown_fields
from constraint_sdc.commands.certificate.leaves import LeafDifference, LeafPath, differences, shown_path
from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import recipe_from_json
from constraint_sdc.maskers.registry import MASKERS
from constraint_sdc.plan.plan import BlockPlan, Plan
from constraint_sdc.plan.plan_json import (
    division_from_json,
    division_to_json,
    plan_digest,
    plan_from_json,
    plan_to_json,
)
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.masking.mask_result import block_to_json
from constraint_sdc.reports.sentences import with_sentences
from constraint_sdc.settings.masker import make_masker
from constraint_sdc.settings.words import Treatment


def require_readable(certificate: Mapping[str, Any]) -> None:
    """Refuse a certificate that has the form of its schema, but whose plan or recipe means nothing.

    A schema cannot say which parameters a reason needs, or what a masker may be told.
    """
    try:
        plan = plan_from_json(certificate["plan"])
        if plan.masker.recounts:
            make_masker(MASKERS[plan.masker.name], plan.masker.told())
        mirrored(certificate, plan, plan_digest(plan))
        recipe_from_json(certificate["recipe"])
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as problem:
        what = f"not a certificate: its plan or recipe cannot be understood ({type(problem).__name__})"
        raise UsageError(what, hint="mask the original again") from None


def inconsistencies(certificate: Mapping[str, Any]) -> tuple[str, ...]:
    """Return where the certificate contradicts itself, one sentence each."""
    return self_comparison(certificate)[0]


def self_comparison(certificate: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return where the certificate contradicts itself, one sentence each, and which sentences it words otherwise.

    What this version words otherwise was improved since, or is forged; no number depends on it.
    """
    plan = plan_from_json(certificate["plan"])
    digest = plan_digest(plan)
    said = [
        *_in_words(certificate, plan, digest),
        *(f"{name}: not a field of a certificate" for name in unknown_fields(certificate)),
    ]
    found = [(one, _is_worded(one.path, certificate)) for one in _differing(certificate, plan, digest)]
    # A sentence above tells the most usual contradictions; what it does not cover is told field by field.
    contradictions = said or [one.line for one, is_worded in found if not is_worded]
    return tuple(contradictions), tuple(shown_path(one.path) for one, is_worded in found if is_worded)


def _in_words(certificate: Mapping[str, Any], plan: Plan, digest: str) -> Iterator[str]:
    if digest != certificate["plan_sha256"]:
        yield "plan: its SHA-256 is not the one that the certificate gives"
    if plan.records != certificate["output"]["records"]:
        yield f"plan: made for {counted(plan.records, 'record')}, the output has {certificate['output']['records']}"
    options = certificate["options"]
    asked = None if plan.totals is None else plan.totals.asked
    said = (
        *(options[name] for name in ("k", "masker", "seed", "on_broken", "undecided")),
        division_from_json(options),
        options.get("totals"),
    )
    decided = plan.k, plan.masker.name, plan.seed, plan.on_broken, plan.undecided, plan.division, asked
    if decided != said:
        yield "options: not those of the plan"
    # A document that rules name may be read first when the masked file is judged, after the plan was made.
    claimed = Counter((entry["role"], entry["sha256"]) for entry in certificate["inputs"])
    known = Counter((role.partition(": ")[0], digest) for role, digest in plan.inputs.items())
    if known - claimed or any(role != "document" for role, _ in (claimed - known)):
        yield "inputs: their SHA-256 are not those in the plan"
    if [list(block.names) for block in plan.blocks] != [block["variables"] for block in certificate["blocks"]]:
        yield "blocks: not those of the plan"
    for block, planned in zip(certificate["blocks"], plan.blocks, strict=False):
        if sum(block["steps"].values()) not in _rows_of_values(planned, block["groups"], plan.records):
            yield f"block {block['number']}: the exact steps do not add up to its {block['groups']} groups"
    yield from _judgement(certificate)
    for rule in certificate["rules"]:
        if rule["still_broken"] + rule["repaired"] != rule["broken_before"]:
            yield f"rule {rule['rule']}: still broken and repaired do not add up to broken before"


def _judgement(certificate: Mapping[str, Any]) -> Iterator[str]:
    """Yield where the account of the judgement does not fit the records and the rules."""
    said, rules = certificate["judgement"], [rule["rule"] for rule in certificate["rules"]]
    if said is None:
        if rules:
            yield "judgement: rules are certified, but not how they were judged"
        return
    records, whole, added = certificate["output"]["records"], said["whole_file"], said["aggregated"]
    if said["records"] != records:
        yield f"judgement: of {counted(said['records'], 'record')}, the output has {records}"
    if any(named != [rule for rule in rules if rule in named] for named in (whole, added)) or set(whole) & set(added):
        yield "judgement: the rules that it names are not among those of the certificate, each once, in their order"
    by_case = len(whole) + len(added) < len(rules)
    if said["cases"] > records or bool(said["cases"]) != (by_case and records > 0):
        many = counted(said["cases"], "case")
        yield f"judgement: {many} cannot be, with {number(len(whole) + len(added))} rules judged otherwise"
    if (by_case or added) and said["judge"] == "every-record":
        yield "judgement: every record is certified, but rules were not judged on the whole file"


def _rows_of_values(block: BlockPlan, groups: int, records: int) -> tuple[int, ...]:
    """Return how many rows of values a block may have: one for each group, or for each record of another treatment."""
    is_aggregated = all(variable.treatment is Treatment.AGGREGATED for variable in block.variables)
    return (groups,) if is_aggregated else (groups, records)


def _differing(certificate: Mapping[str, Any], plan: Plan, digest: str) -> Iterator[LeafDifference]:
    """Yield what differs from the mirrored certificate, and is not merely stated."""
    mirror = mirrored(certificate, plan, digest)
    made = {name: part for name, part in mirror.items() if part is not certificate.get(name)}
    # Through JSON and back, because a certificate has been there: a tuple is a list.
    mirror |= json.loads(json.dumps(made, allow_nan=False))
    for one in differences(mirror, dict(certificate)):
        if not one.is_stated or basis_of(one.path, certificate) is not Basis.STATED:
            yield one


def _is_worded(path: LeafPath, certificate: Mapping[str, Any]) -> bool:
    if path[0] == "inputs":
        return False
    return basis_of(path, certificate) is Basis.WORDS


def mirrored(certificate: Mapping[str, Any], plan: Plan, digest: str) -> dict[str, Any]:
    """Return the certificate as its plan, of this digest, would have it; what no other part says is taken over."""
    return {
        **certificate,
        "inputs": _inputs(certificate, plan),
        "options": {
            **{name: said for name, said in certificate["options"].items() if name != "totals"},
            "k": plan.k,
            "masker": plan.masker.name,
            **division_to_json(plan.division),
            "seed": plan.seed,
            "on_broken": plan.on_broken,
            "undecided": plan.undecided,
            **({} if plan.totals is None else {"totals": plan.totals.asked}),
        },
        "plan_sha256": digest,
        "plan": {**with_sentences(plan_to_json(plan)), "tool": certificate["plan"]["tool"]},
        "blocks": [
            block_to_json(block, block.price, stated["smallest"])
            for block, stated in zip(plan.blocks, certificate["blocks"], strict=False)
            if block.price is not None
        ],
    }


def _inputs(certificate: Mapping[str, Any], plan: Plan) -> list[dict[str, Any]]:
    """Return the inputs of the plan in their order; only the names of further files of the rules stand in the plan.

    A document that was read after the plan was made stands in the certificate alone.
    """
    names = [entry["file"] for entry in certificate["inputs"]]
    later = {f"document: {e['file']}": e["sha256"] for e in certificate["inputs"] if e["role"] == "document"}
    mirrored = []
    for place, (key, digest) in enumerate(sorted({**later, **plan.inputs}.items())):
        role, _, name = key.partition(": ")
        stated = names[place] if place < len(names) else None
        mirrored.append({"role": role, "file": name or stated, "sha256": digest})
    return mirrored
