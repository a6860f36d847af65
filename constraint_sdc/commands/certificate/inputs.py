"""Find the inputs that a certificate names, and make sure that they are the ones, to repeat a masking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from constraint_sdc.commands.certificate.certificate import file_digest
from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import recipe_from_json
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.plan_json import plan_from_json
from constraint_sdc.settings.table_reading import table_reading_from_json
from constraint_sdc.settings.words import Standardise


def certified_input(certificate: Mapping[str, Any], role: str, given: Path | None, beside: Path) -> Path | None:
    """Return the file of this role, as given or as the certificate names it; None when it names none.

    A relative name is looked for from here, then beside the certificate. A file with another digest is refused.
    """
    entry = next((entry for entry in certificate["inputs"] if entry["role"] == role), None)
    if entry is None:
        if given is not None:
            raise UsageError(f"the certificate names no {role}, so {given} had no part in the masking")
        return None
    path = given or found_beside(Path(entry["file"] or role), beside)
    if not path.is_file():
        raise UsageError(f"the {role} of the certificate cannot be found", file=str(path), hint=_way_out(role))
    if file_digest(path) != entry["sha256"]:
        what = f"this is not the {role} that the certificate names: the SHA-256 differs"
        raise UsageError(what, file=str(path), hint=_way_out(role))
    return path


def certified_options(
    certificate: Mapping[str, Any],
    original: Path | None,
    beside: Path,
    allow: tuple[Path, ...] = (),
    time_limit: float | None = None,
) -> MaskOptions:
    """Return the options that the certificate records; the recipe is the one inside it."""
    options = certificate["options"]
    plan = plan_from_json(certificate["plan"])
    if original is None and options["original"] is not None:
        original = found_beside(Path(options["original"]), beside)
    return MaskOptions(
        k=options["k"],
        masker=plan.masker.name,
        partition=plan.partition,
        effort=options["effort"],
        standardise=Standardise(options["standardise"]),
        weights=options["weights"],
        seed=options["seed"],
        on_broken=options["on_broken"],
        totals=options.get("totals", "together"),
        undecided=options["undecided"],
        judge=None if certificate["judgement"] is None else certificate["judgement"]["judge"],
        phase=options["phase"],
        original=original,
        record=options["record"],
        recipe=recipe_from_json(certificate["recipe"]),
        allow=allow,
        allow_idle=tuple(options["allow_idle"]),
        time_limit=time_limit,
        table=table_reading_from_json(options.get("table", {})),
    )


def certified_plan(certificate: Mapping[str, Any]) -> Plan:
    """Return the plan in the certificate without the digest of the recipe file, whose content is inside as well."""
    plan = plan_from_json(certificate["plan"])
    return replace(plan, inputs={role: digest for role, digest in plan.inputs.items() if role != "recipe"})


def found_beside(name: Path, beside: Path) -> Path:
    """Return a file that a certificate names: from here, else beside the certificate."""
    return name if name.exists() else beside.parent / name.name


def _way_out(role: str) -> str:
    return "give the file itself as DATA" if role == "data" else f"give the file itself with --{role}"
