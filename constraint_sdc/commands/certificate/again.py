"""Mask again as a certificate says, and compare: every byte of the masked file, and every field of the certificate."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from constraint_sdc.commands.certificate.basis import Basis, basis_of, names_recipe
from constraint_sdc.commands.certificate.certificate import certificate_of, file_digest
from constraint_sdc.commands.certificate.inputs import certified_options
from constraint_sdc.commands.certificate.leaves import differences
from constraint_sdc.commands.certificate.versions import differing_versions
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.masking.settings import settle
from constraint_sdc.errors import ChangedFileError, NotPublishedError, PlanRefusedError
from constraint_sdc.files.json_file import json_text
from constraint_sdc.files.recipe import load_recipe, recipe_to_json

MASKED_AGAIN = "masked again from the original: the same bytes, and every number of the certificate"

MaskedAgain: TypeAlias = Callable[[Mapping[str, Any]], Sequence[str]]
"""Masks again and returns what differs from a certificate, one sentence each."""

_MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class Repetition:
    """What it takes to repeat a masking: the original, its rules, and where the certificate lies."""

    data: Path
    rules: Path | None
    certificate: Path
    original: Path | None = None
    allow: tuple[Path, ...] = ()
    time_limit: float | None = None

    def __call__(self, certificate: Mapping[str, Any]) -> Sequence[str]:
        """Return what differs, in words: digest of the original, bytes of the masked file, fields; versions last."""
        stated = next(entry["sha256"] for entry in certificate["inputs"] if entry["role"] == "data")
        actual = file_digest(self.data)
        if actual != stated:
            return [f"inputs: the SHA-256 of {self.data} is {actual}, the certificate is for {stated}"]
        try:
            with self.masked_again(certificate) as (_, found):
                self._require_unchanged(actual, found)
                lines = list(certificate_differences(certificate, found))
        except (PlanRefusedError, NotPublishedError) as refusal:
            lines = [f"masked again: {refusal.what}"]
        if len(lines) > _MOST_LINES:
            lines[_MOST_LINES:] = [f"masked again: {len(lines) - _MOST_LINES} more fields differ"]
        return [*lines, *(differing_versions(certificate) if lines else ())]

    def _require_unchanged(self, sha256: str, found: Mapping[str, Any]) -> None:
        if any(entry["sha256"] != sha256 for entry in found["inputs"] if entry["role"] == "data"):
            raise ChangedFileError(
                "the file has changed since it was first read", file=str(self.data), hint="run again"
            )

    @contextmanager
    def masked_again(self, certificate: Mapping[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Give the file and the certificate of a new masking by the certified options; both end with the block."""
        options = certified_options(certificate, self.original, self.certificate, self.allow, self.time_limit)
        digest = next((entry["sha256"] for entry in certificate["inputs"] if entry["role"] == "recipe"), None)
        settings = settle(replace(options, recipe_sha256=digest))
        with TemporaryDirectory(prefix="constraint-sdc-") as folder:
            result = mask_file(self.data, self.rules, _named(folder, certificate), settings, advise=False)
            yield result.output, json.loads(json_text(certificate_of(result, settings)))


def _named(folder: str, certificate: Mapping[str, Any]) -> Path:
    """Return a file whose name has the ending of the certified one, which says its format."""
    return (Path(folder) / "masked").with_suffix(Path(certificate["output"]["file"]).suffix)


def certificate_differences(stated: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    """Yield where a new masking has another certificate; names, versions and sentences may differ.

    The recipe is left out: a new masking takes it from the certificate.
    """
    if found["output"]["sha256"] != stated["output"]["sha256"]:
        yield "masked again: the masked file has other bytes"
    is_exact = not any(differing_versions(stated))
    for one in differences(dict(found), dict(stated), is_exact=is_exact):
        basis = basis_of(one.path, stated if one.is_stated else found)
        if basis not in (Basis.STATED, Basis.RECIPE, Basis.WORDS) and one.path[:2] != ("output", "sha256"):
            yield f"masked again: {one.line}"


def recipe_differences(certificate: Mapping[str, Any], recipe: Path) -> Iterator[str]:
    """Yield where a recipe file is not the one of the certificate, which must name one."""
    assert names_recipe(certificate)
    content, digest = load_recipe(recipe)
    stated = next(entry["sha256"] for entry in certificate["inputs"] if entry["role"] == "recipe")
    if digest != stated:
        yield f"recipe: the SHA-256 of {recipe} is {digest}, the certificate is for {stated}"
    found = json.loads(json.dumps(recipe_to_json(content)))
    for one in differences(found, certificate["recipe"], ("recipe",)):
        yield one.line
