"""What a check takes from a certificate, and when.

Phase, record element and permitted idle rules decide what is judged at all. Whoever edits a certificate could use them
to weaken the check, so they count only if the checker gives the same option or trusts the key that signed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from constraint_sdc.commands.check import CheckOptions
from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import recipe_from_json
from constraint_sdc.files.tables.registry import reading_statement
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.judge.idle import ALL_RULES

SIGNED = " or require a signature that you trust (--trust KEY.pub)"


def adopted(content: Mapping[str, Any], options: CheckOptions, *, is_trusted: bool) -> CheckOptions:
    """Return the options of a check by a certificate; what the checker gave goes first.

    Missing codes are taken from every certificate: they are counted apart and change no verdict.
    """
    codes = options.missing_codes or recipe_from_json(content["recipe"]).missing
    if not is_trusted:
        return replace(options, missing_codes=codes)
    said = content["options"]
    return replace(
        options,
        phase=options.phase or said["phase"],
        record=options.record or said["record"],
        allow_idle=(*options.allow_idle, *said["allow_idle"]),
        missing_codes=codes,
    )


def refuse_unbelieved(content: Mapping[str, Any], result: CheckResult, options: CheckOptions) -> None:
    """Refuse a certificate that rests on a phase, record element or idle rule which `options` do not have.

    `result` is the judgement under these options. Nothing is refused that `adopted` took from a trusted certificate.
    Where the reader finds another record element, the count of the groups refuses.
    """
    said = content["options"]
    if options.phase is None and said["phase"] not in (None, result.phase):
        raise phase_refusal(said["phase"], result.phase, SIGNED)
    if options.record is None and said["record"] is not None and result.records is None:
        raise record_refusal(said["record"], None, SIGNED)
    idle = [one.rule for one in result.idle if one.rule in said["allow_idle"] or ALL_RULES in said["allow_idle"]]
    if idle:
        names, many = ", ".join(idle), "rules" if len(idle) > 1 else "rule"
        what = f"the certificate permits {many} {names} to be idle, and nobody you trust says so"
        own = " ".join(f"--allow-idle {rule}" for rule in idle)
        raise UsageError(what, file=result.data, hint=f"permit it yourself ({own}){SIGNED}")


def refuse_unbelieved_table(content: Mapping[str, Any], masked: Path) -> None:
    """Refuse a certificate of a table that was read otherwise than the masked file is read here."""
    said = content["options"].get("table")
    found = reading_statement(masked).get("table")
    source = next((entry["file"] for entry in content["inputs"] if entry["role"] == "data"), "")
    if said is None or found is None or Path(source).suffix.lower() != masked.suffix.lower() or said == found:
        return
    name = next(name for name in said if said[name] != found[name])
    what = f"the certificate says that the {name} of the table is {said[name]!r}, and the reader finds {found[name]!r}"
    raise UsageError(what, file=str(masked), hint=f"say so yourself (--{name} {said[name]!r}){SIGNED}")


def phase_refusal(certified: str, own: str | None, otherwise: str = "") -> UsageError:
    """Return the refusal to judge in the phase of a certificate alone; `own` is the phase that the schema chooses."""
    what = f"certified in phase {certified}, and the rules run in phase {own} unless you choose another"
    return UsageError(what, hint=f"choose the phase yourself (--phase {certified}){otherwise}")


def record_refusal(certified: str, found: str | None, otherwise: str = "") -> UsageError:
    """Return the refusal to take the record element from a certificate alone; `found` is what the reader finds."""
    what = f"the certificate says that records are {certified} elements, and the reader finds {found or 'none'}"
    return UsageError(what, hint=f"name the element yourself (--record {certified}){otherwise}")
