"""Reproduce: mask again what a certificate describes, and compare the bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from constraint_sdc.commands.certificate.again import Repetition, certificate_differences, recipe_differences
from constraint_sdc.commands.certificate.basis import names_recipe
from constraint_sdc.commands.certificate.certificate import file_digest, read_certificate
from constraint_sdc.commands.certificate.inputs import certified_input, found_beside
from constraint_sdc.commands.certificate.versions import differing_versions
from constraint_sdc.errors import ChangedFileError, NotPublishedError, PlanRefusedError, UsageError
from constraint_sdc.files.atomic import atomic_file, require_place
from constraint_sdc.maskers.masked import Reproduction

_PIECE = 1 << 20


def reproduce_file(
    certificate: Path,
    original: Path,
    rules: Path | None = None,
    *,
    recipe: Path | None = None,
    output: Path | None = None,
    allow: tuple[Path, ...] = (),
    time_limit: float | None = None,
) -> Reproduction:
    """Mask `original` again as the certificate says; UsageError if an input is missing or not the certified one.

    The recipe in the certificate is used; a `recipe` file must be the one it came from. With `output` the new file is
    kept, also if it differs.
    """
    if output is not None:
        require_place(output, overwrite=False)
    content = read_certificate(certificate)
    data = certified_input(content, "data", original, certificate)
    if data is None:
        raise UsageError("the certificate names no data", file=str(certificate))
    schematron = certified_input(content, "rules", rules, certificate)
    _require_recipe(content, recipe)
    repetition = Repetition(data, schematron, certificate, allow=allow, time_limit=time_limit)
    try:
        with repetition.masked_again(content) as (file, found):
            _require_same_inputs(content, found, certificate)
            result = _compared(content, certificate, file, found)
            if output is not None:
                _keep(file, output)
            return replace(result, permitted=tuple(content["options"]["allow_idle"]))
    except (PlanRefusedError, NotPublishedError) as refusal:
        why = f"it is not masked now: {refusal.what}"
        return Reproduction(certificate, content["output"]["sha256"], None, why, (), tuple(differing_versions(content)))


def _require_recipe(content: Mapping[str, Any], recipe: Path | None) -> None:
    if recipe is None:
        return
    if not names_recipe(content):
        raise UsageError(f"the certificate names no recipe, so {recipe} had no part in the masking")
    for line in recipe_differences(content, recipe):
        raise UsageError(f"this is not the recipe that the certificate names: {line}", file=str(recipe))


def _require_same_inputs(content: Mapping[str, Any], found: Mapping[str, Any], certificate: Path) -> None:
    """Refuse other files of rules than the certified ones: the rules include them, and so they are not named here.

    Data and rules had the certified digest when they were looked for, so another one shows that they were replaced.
    """
    stated, used = content["plan"]["inputs"], found["plan"]["inputs"]
    others = [role for role in dict.fromkeys((*stated, *used)) if stated.get(role) != used.get(role)]
    replaced = [role for role in others if role in ("data", "rules")]
    if replaced:
        what = f"replaced while the file was masked again: {', '.join(replaced)}"
        raise ChangedFileError(what, file=str(certificate), hint="run again")
    if others:
        what = f"these inputs are not those of the certificate: {', '.join(others)}"
        raise UsageError(what, file=str(certificate), hint="restore them as they were when the file was masked")


def _compared(content: Mapping[str, Any], certificate: Path, file: Path, found: Mapping[str, Any]) -> Reproduction:
    stated, actual = content["output"]["sha256"], file_digest(file)
    differing = () if actual == stated else (*_fields(certificate_differences(content, found)),)
    return Reproduction(
        certificate=certificate,
        stated_sha256=stated,
        sha256=actual,
        first_difference=None if actual == stated else _first_difference(content, certificate, file),
        fields=differing,
        versions=tuple(differing_versions(content)),
    )


_MOST_FIELDS = 10


def _fields(lines: Iterable[str]) -> list[str]:
    told = list(lines)
    more = len(told) - _MOST_FIELDS
    return told if more <= 0 else [*told[:_MOST_FIELDS], f"{more} more fields differ"]


def _first_difference(content: Mapping[str, Any], certificate: Path, file: Path) -> str:
    """Say where the new file and the certified one part; the certified one is looked for beside its certificate.

    It is compared and hashed in one pass: a place counts only in the certified bytes.
    """
    name = content["output"]["file"]
    published = found_beside(Path(name), certificate)
    if not published.is_file():
        return f"unknown: {name} is not beside the certificate"
    digest, place = sha256(), None
    offset, line = 0, 1
    with published.open("rb") as one, file.open("rb") as other:
        while before := one.read(_PIECE):
            after = other.read(_PIECE) if place is None else b""
            digest.update(before)
            if place is None and before != after:
                at = _parting(before, after)
                place = offset + at + 1, line + before[:at].count(b"\n")
            offset, line = offset + len(before), line + before.count(b"\n")
    if digest.hexdigest() != content["output"]["sha256"]:
        return f"unknown: {name} beside the certificate is not as it was certified"
    byte, row = place or (offset + 1, line)
    return f"byte {byte:,} of {published.name}, in line {row:,}"


def _parting(before: bytes, after: bytes) -> int:
    """Return the first place at which two pieces differ: the end of the shorter one if it begins the other."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (x, y) in pairs if x != y), min(len(before), len(after)))


def _keep(file: Path, output: Path) -> None:
    with atomic_file(output) as target, file.open("rb") as source:
        while piece := source.read(_PIECE):
            target.write(piece)
