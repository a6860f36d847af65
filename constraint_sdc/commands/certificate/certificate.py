"""The certificate of a masked file: what went in, what came out, and what was verified. No record-level data.

The same masking makes the same bytes, so there is no date in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from constraint_sdc.commands.certificate.mirror import require_readable
from constraint_sdc.commands.certificate.versions import versions
from constraint_sdc.files.json_file import json_text, read_bounded, read_json
from constraint_sdc.files.publication.recovery import settle_publication
from constraint_sdc.files.recipe import recipe_to_json
from constraint_sdc.maskers.masked import MaskResult
from constraint_sdc.named_copies import address_of
from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.plan_json import division_to_json, plan_digest, plan_to_json
from constraint_sdc.plan.promised import people_to_json
from constraint_sdc.reports.masking.mask_result import blocks_to_json, judgement_to_json, rules_to_json
from constraint_sdc.reports.sentences import with_sentences
from constraint_sdc.settings.mask_settings import MaskSettings

SCHEMA = "constraint-sdc/certificate"
SCHEMA_VERSION = 2
_ENDING = ".certificate.json"


def certificate_path(output: Path) -> Path:
    """Return where the certificate of a masked file is written: beside it.

    >>> certificate_path(Path("out/masked.xml")).as_posix()
    'out/masked.xml.certificate.json'
    """
    return output.with_name(output.name + _ENDING)


def envelope_path(certificate: Path) -> Path:
    """Return where the signature of a certificate is: beside it.

    >>> envelope_path(Path("out/masked.xml.certificate.json")).name
    'masked.xml.certificate.dsse.json'
    """
    return certificate.with_suffix(".dsse.json")


def certificate_of(result: MaskResult, settings: MaskSettings[Any]) -> dict[str, object]:
    """Return the certificate as JSON values; `settings` are those that the file was masked with."""
    plan = result.plan
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "versions": versions(),
        "inputs": _inputs(result, settings),
        "output": {
            "file": shown_name(result.output),
            "sha256": result.digests["output"],
            "records": plan.records,
            **_absent(result),
        },
        "options": {
            "k": plan.k,
            "masker": plan.masker.name,
            **division_to_json(plan.division),
            "seed": plan.seed,
            "on_broken": plan.on_broken,
            "undecided": plan.undecided,
            **totals_option(plan),
            "phase": None if result.after is None else result.after.phase,
            "allow_idle": list(settings.rules.allow_idle),
            "record": settings.record,
            "original": None if settings.rules.original is None else shown_name(settings.rules.original),
            **({"table": dict(result.table)} if result.table else {}),
        },
        "recipe": recipe_to_json(settings.recipe),
        "plan_sha256": plan_digest(plan),
        "plan": with_sentences(plan_to_json(plan)),
        "rules": rules_to_json(result),
        "blocks": blocks_to_json(result),
        "people": people_to_json(result.people),
        "judgement": judgement_to_json(result.judgement),
    }


def _absent(result: MaskResult) -> dict[str, object]:
    """Return the masked or computed variables that no written record has; nothing if there are none.

    The mode of a category that most records lack is its absence. Nobody can tell such a variable from one that was
    never there, so the certificate names it.
    """
    absent = [name for name, column in result.masked.columns().items() if not column.present().any()]
    return {"absent": sorted(absent)} if absent and result.plan.records else {}


def totals_option(plan: Plan) -> dict[str, object]:
    """Return what was asked for totals; nothing if they are masked with their parts."""
    return {} if plan.totals is None else {"totals": plan.totals.asked}


def certificate_text(result: MaskResult, settings: MaskSettings[Any]) -> str:
    """Return the certificate as JSON text under schemas/certificate.schema.json."""
    return json_text(certificate_of(result, settings))


def certificate_bytes(path: Path) -> bytes:
    """Return the bytes of a certificate; if a run was interrupted in publishing it, that is mended first."""
    masked, ending, rest = path.name.rpartition(_ENDING)
    if masked and ending and not rest:
        settle_publication(path.with_name(masked))
    return read_bounded(path, "a certificate")


def read_certificate(path: Path, data: bytes | None = None) -> dict[str, Any]:
    """Return a certificate that follows its schema and whose plan can be understood; `data` are its bytes, if read."""
    renew, data = "mask the original again", certificate_bytes(path) if data is None else data
    content = read_json(path, "certificate.schema.json", "a certificate", renew=renew, data=data)
    require_readable(content)
    return content


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def shown_name(path: Path) -> str:
    """Return the path as given; of an absolute path, only the last part, because the rest describes the machine."""
    return address_of(path) or (path.name if path.is_absolute() else path.as_posix())


def _inputs(result: MaskResult, settings: MaskSettings[Any]) -> list[dict[str, object]]:
    given: Mapping[str, Path | None] = {
        "data": result.data,
        "rules": result.rules,
        "recipe": settings.recipe_file,
        "original": settings.rules.original,
    }
    inputs: list[dict[str, object]] = []
    for key, digest in sorted(result.digests.items()):
        if key == "output":
            continue
        role, _, name = key.partition(": ")
        path = given.get(key)
        inputs.append({"role": role, "file": name or (shown_name(path) if path else None), "sha256": digest})
    return inputs
