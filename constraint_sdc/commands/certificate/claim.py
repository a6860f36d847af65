"""A certificate that is to be verified, together with what was given to verify it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from constraint_sdc.commands.certificate.again import Repetition
from constraint_sdc.commands.certificate.believed import adopted, refuse_unbelieved, refuse_unbelieved_table
from constraint_sdc.commands.certificate.certificate import (
    certificate_bytes,
    envelope_path,
    file_digest,
    read_certificate,
)
from constraint_sdc.commands.certificate.inputs import certified_input
from constraint_sdc.commands.certificate.verify import check_certificate
from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.errors import UsageError
from constraint_sdc.files.tables.registry import reading_tables
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.maskers.masked import CertificateCheck
from constraint_sdc.settings.table_reading import table_reading_from_json

if TYPE_CHECKING:
    from constraint_sdc.commands.certificate.keys import PublicKey

_NO_RULES = '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"/>'


@dataclass(frozen=True, slots=True)
class Claim:
    """The content of a certificate; the original, if the masking is to be repeated; the recipe, if it was given.

    `judged_with` replaces `$original` when the rules judge the masked file; None if the rules say what it was, as they
    did when `data` was masked. `signed_by` is the key that the
    signature names, None if there is none; it counts only if `is_trusted`.
    """

    path: Path
    content: dict[str, Any]
    data: Path | None = None
    recipe: Path | None = None
    judged_with: Path | None = None
    signed_by: str | None = None
    is_trusted: bool = False

    def adopted(self, options: CheckOptions) -> CheckOptions:
        """Return the options of a check by this certificate."""
        options = replace(options, masked_from=self.data if self.judged_with is None else None)
        return adopted(self.content, options, is_trusted=self.is_trusted)

    def reading(self) -> AbstractContextManager[None]:
        """Read tables in a block as a trusted certificate says; the checker's own options go first."""
        said = self.content["options"].get("table", {}) if self.is_trusted else {}
        return reading_tables(table_reading_from_json(said))

    def verify(self, masked: Path, rules: Path, result: CheckResult, options: CheckOptions) -> CertificateCheck:
        """Compare the certificate with the masked file, whose judgement `result` is, and with a new masking."""
        refuse_unbelieved(self.content, result, options)
        refuse_unbelieved_table(self.content, masked)
        again = None
        if self.data is not None:
            is_plain = not any(entry["role"] == "rules" for entry in self.content["inputs"])
            again = Repetition(
                data=self.data,
                rules=None if is_plain else rules,
                certificate=self.path,
                allow=options.allow,
                time_limit=options.time_limit,
            )
        found = check_certificate(
            self.content,
            masked,
            rules,
            result,
            record=options.record,
            allow=options.allow,
            recipe=self.recipe,
            again=again,
        )
        if self.is_trusted:
            return replace(found, confirmed=(f"signed by key {self.signed_by}, which is trusted", *found.confirmed))
        note = "not signed" if self.signed_by is None else f"signed by key {self.signed_by}, not checked: give --trust"
        return replace(found, notes=(note, *found.notes))

    def verify_without_rules(self, masked: Path, options: CheckOptions) -> CertificateCheck:
        """Compare the certificate of a file that was masked without rules; UsageError if it names rules."""
        named = [entry["file"] for entry in self.content["inputs"] if entry["role"] == "rules"]
        if named:
            what = f"the certificate names rules ({', '.join(named)}), and none are given"
            raise UsageError(what, file=str(self.path), hint="give --rules")
        with TemporaryDirectory(prefix="constraint-sdc-") as folder:
            rules = Path(folder) / "none.sch"
            rules.write_text(_NO_RULES, "utf-8")
            return self.verify(masked, rules, check_file(masked, rules, options), options)


def read_trusted(
    certificate: Path, masked: Path, trusted: Sequence[PublicKey]
) -> tuple[dict[str, Any], str | None, bool]:
    """Return a certificate, the key that its signature names, and whether that is trusted.

    With trusted keys everything else is refused before the certificate or the masked file is looked at: a missing or
    wrong signature, another key, another masked file. Without any, a signature is only named.
    """
    written, envelope = certificate_bytes(certificate), envelope_path(certificate)
    key = None
    if trusted:
        from constraint_sdc.commands.certificate.envelope import require_signed

        key = require_signed(certificate, written, masked, trusted)
    elif envelope.is_file():
        from constraint_sdc.commands.certificate.envelope import signing_key_id

        key = signing_key_id(envelope)
    return read_certificate(certificate, written), key, bool(trusted)


def read_claim(
    certificate: Path,
    masked: Path,
    original: Path | None = None,
    recipe: Path | None = None,
    trusted: Sequence[PublicKey] = (),
) -> Claim:
    """Read the certificate of a masked file.

    `original` is the file that was masked, or what `$original` stood for if that was another. `trusted` are the keys of
    which one must have signed.
    """
    content, key, is_trusted = read_trusted(certificate, masked, trusted)
    claim = Claim(certificate, content, original, recipe, None, key, is_trusted)
    separate = content["options"]["original"]
    if original is None or separate is None:
        return claim
    if not original.is_file():
        raise UsageError("no such file", file=str(original), hint="--original is the file that was masked")
    masked_from = [entry["sha256"] for entry in content["inputs"] if entry["role"] == "data"]
    if file_digest(original) not in masked_from:
        return replace(claim, data=None, judged_with=original)
    return replace(claim, judged_with=certified_input(content, "original", None, certificate) or original)
