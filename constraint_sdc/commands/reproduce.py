"""Reproduce: mask again what a certificate describes, and compare the bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from constraint_sdc.commands.certificate.again import Repetition, certificate_differences, recipe_differences
from constraint_sdc.commands.certificate.basis import names_recipe
from constraint_sdc.commands.certificate.certificate import file_digest, read_certificate
from constraint_sdc.commands.certificate.inputs import certified_input, found_beside
from constraint_sdc.commands.certificate.versions import differing_versions
from constraint_sdc.errors import NotPublishedError, PlanRefusedError, UsageError
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
            return result
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
    """Refuse other files of rules than the certified ones: the rules include them, and so they are not named here."""
    stated, used = content["plan"]["inputs"], found["plan"]["inputs"]
    others = [role for role in dict.fromkeys((*stated, *used)) if stated.get(role) != used.get(role)]
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
    """Say where the new file and the certified one part; the certified one is looked for beside its certificate."""
    name = content["output"]["file"]
    published = found_beside(Path(name), certificate)
    if not published.is_file() or file_digest(published) != content["output"]["sha256"]:
        return f"unknown: {name} is not beside the certificate, or not as it was certified"
    offset, line = 0, 1
    with published.open("rb") as one, file.open("rb") as other:
        while True:
            before, after = one.read(_PIECE), other.read(_PIECE)
            if before == after:
                assert before, "files of different digests differ somewhere"
                offset, line = offset + len(before), line + before.count(b"\n")
                continue
            pairs = enumerate(zip(before, after, strict=False))
            place = next((at for at, (x, y) in pairs if x != y), min(len(before), len(after)))
            line += before[:place].count(b"\n")
            return f"byte {offset + place + 1:,} of {published.name}, in line {line:,}"


def _keep(file: Path, output: Path) -> None:
    with atomic_file(output) as target, file.open("rb") as source:
        while piece := source.read(_PIECE):
            target.write(piece)
