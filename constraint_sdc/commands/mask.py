"""Mask: plan, mask, write beside the target, judge what was written, and only then give it its name."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from constraint_sdc.commands.certificate.certificate import certificate_path, certificate_text, envelope_path
from constraint_sdc.commands.masking.carrying_out import carry_out, require_same_plan
from constraint_sdc.commands.masking.goal_files import GoalFiles
from constraint_sdc.commands.masking.judging import judge_masking
from constraint_sdc.commands.masking.preparation import Progress, open_original, prepare
from constraint_sdc.commands.masking.settings import settle
from constraint_sdc.errors import NotPublishedError, PlanRefusedError, UsageError
from constraint_sdc.files.publication.publication import Publication
from constraint_sdc.files.tables.registry import format_by_name, reading_statement
from constraint_sdc.maskers.masked import MaskOptions, MaskResult
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.plan.plan import Plan
from constraint_sdc.settings.mask_settings import MaskSettings

if TYPE_CHECKING:
    from constraint_sdc.commands.certificate.keys import SigningKey

_NOTHING = GoalFiles()


def mask_file(
    data: Path,
    rules: Path | None,
    output: Path,
    options: MaskOptions | MaskSettings[Masker],
    *,
    overwrite: bool = False,
    expected: Plan | None = None,
    beside: GoalFiles = _NOTHING,
    sign: SigningKey | None = None,
    progress: Progress = lambda _: None,
    advise: bool = True,
) -> MaskResult:
    """Publish the masked file and its certificate, or nothing.

    `expected` is a saved plan that must still be the plan; `beside` is what else is written; `sign` is the key that
    signs the certificate. NotPublishedError when the judge finds a rule newly broken or fewer than k records sharing a
    block's values on the written file. With `advise`, ways out of a refusal are tried, and those that work are in it.
    """
    _refuse_other_format(data, output)
    settings = settle(options)
    certificate = certificate_path(output)
    inputs = (data, rules, settings.recipe_file, settings.rules.original)
    taken = (*inputs, output, certificate, envelope_path(certificate))
    with ExitStack() as stack:
        publication = stack.enter_context(Publication(output, certificate, overwrite=overwrite))
        _refuse_old_signature(certificate, sign is not None, overwrite)
        beside.require(settings.masker, overwrite, taken)
        original = stack.enter_context(
            open_original(data, rules, settings.record, settings.rules, progress, settings.table)
        )
        try:
            plan, masked = carry_out(prepare(original, settings))
            if expected is not None:
                require_same_plan(expected, plan)
            judged = judge_masking(original, plan, masked, publication.stage(output), output, settings.recipe)
        except (PlanRefusedError, NotPublishedError) as refusal:
            if not advise:
                raise
            from constraint_sdc.commands.masking.ways_out import advised

            raise advised(refusal, original, settings) from None
        result = MaskResult(
            plan=plan,
            masked=masked,
            before=original.before,
            after=judged.after,
            outcomes=judged.outcomes,
            smallest=judged.written.smallest,
            people=judged.people,
            judgement=judged.judgement,
            # A document may be read first by the judgement of the masked file.
            digests={**original.digests(), **plan.inputs, "output": judged.written.sha256},
            data=data,
            rules=rules,
            output=output,
            certificate=certificate,
            signature=None if sign is None else envelope_path(certificate),
            table=reading_statement(data).get("table", {}),
        )
        certified = certificate_text(result, settings).encode("utf-8")
        for path, content in {**beside.contents(plan, masked), **_signed(certificate, certified, sign)}.items():
            publication.add(path, content)
        publication.add(certificate, certified)
        publication.publish({output: judged.written.sha256})
    return result


def _refuse_other_format(data: Path, output: Path) -> None:
    """Refuse a name that says another format than that of the original, whose bytes the masked file has but for cells.

    A message of SDMX-ML is XML by its name.
    """
    found, named = format_by_name(data), format_by_name(output)
    if found == named:
        return
    what = f"the masked file has the format of the original, and {output.name} says another"
    ending = data.suffix if found is not None else ".xml"
    hint = f"name it {output.with_suffix(ending).name}; `constraint-sdc convert` writes the original in another format"
    raise UsageError(what, file=str(output), hint=hint)


def _signed(certificate: Path, content: bytes, key: SigningKey | None) -> dict[Path, bytes]:
    """Return the signature of a certificate by its path; none without a key."""
    if key is None:
        return {}
    from constraint_sdc.commands.certificate.envelope import sign_certificate

    return {envelope_path(certificate): sign_certificate(content, certificate.name, key)}


def _refuse_old_signature(certificate: Path, is_signed: bool, overwrite: bool) -> None:
    """Refuse to leave the signature of an earlier certificate beside a new one."""
    envelope = envelope_path(certificate)
    if envelope.exists() and not (is_signed and overwrite):
        hint = "give another name, or --overwrite" if is_signed else "remove it, or sign the new one with --sign"
        raise UsageError("the signature of an earlier certificate is here", file=str(envelope), hint=hint)
