"""The page about a masking, as `assess --report` writes it, made by `mask` in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraint_sdc.commands.assess import assess_files
from constraint_sdc.commands.certificate.certificate import certificate_path, envelope_path
from constraint_sdc.commands.masking.goal_files import refuse_taken
from constraint_sdc.errors import UsageError
from constraint_sdc.files.atomic import atomic_file, require_place
from constraint_sdc.maskers.masked import MaskResult
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.measures.assessment import Assessment, AssessOptions
from constraint_sdc.reports.assessment.html import render_assessment_html
from constraint_sdc.settings.mask_settings import MaskSettings


def require_page(
    page: Path, output: Path, inputs: Sequence[Path | None], settings: MaskSettings[Masker], overwrite: bool
) -> None:
    """Refuse, before anything is masked, a page that could not be written or would replace a file of the masking."""
    certificate = certificate_path(output)
    refuse_taken(page, (*inputs, output, certificate, envelope_path(certificate)))
    require_place(page, overwrite)
    if settings.rules.original is not None:
        what = "--report judges rules about $original by DATA itself, and --original names another file"
        raise UsageError(what, hint="leave --report out, and run assess afterwards")


def write_page(result: MaskResult, settings: MaskSettings[Masker], page: Path, overwrite: bool) -> Assessment:
    """Measure the published file beside its original and write the page; return what was measured."""
    assessment = measure_masking(result, settings)
    write_assessment(assessment, page, overwrite)
    return assessment


def write_assessment(assessment: Assessment, page: Path, overwrite: bool) -> None:
    """Write the page of an assessment."""
    with atomic_file(page, overwrite) as stream:
        stream.write(render_assessment_html(assessment).encode("utf-8"))


def measure_masking(result: MaskResult, settings: MaskSettings[Masker]) -> Assessment:
    """Measure the published file beside its original."""
    options = AssessOptions(
        rules=result.rules,
        certificate=result.certificate,
        record=settings.record,
        phase=settings.rules.phase,
        allow=settings.rules.allow,
        allow_idle=settings.rules.allow_idle,
        time_limit=settings.rules.time_limit,
        recipe=settings.recipe,
    )
    return assess_files(result.data, result.output, options)
