"""`mask`: publish a masked file on which every rule still holds, or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraint_sdc.cli.key_command import passphrase_option, signing_key
from constraint_sdc.cli.machine.engine import engine_options
from constraint_sdc.cli.masking import gather, masking_options, terminal
from constraint_sdc.cli.options import FILE, LOCAL, OUT, deliver, end_progress, judge_ahead, no_overwrite, not_empty
from constraint_sdc.cli.streams import already_published, tell
from constraint_sdc.cli.tables import table_options
from constraint_sdc.errors import ConstraintSdcError, UsageError

if TYPE_CHECKING:
    from constraint_sdc.maskers.masked import MaskResult
    from constraint_sdc.maskers.masker import Masker
    from constraint_sdc.settings.mask_settings import MaskSettings

_EPILOG = """\b
Exit codes: 0 published; 1 masked, but a rule, a group or a promise about people does not hold, and nothing was
published; 2 the rules, the data or an option cannot be processed; 3 the plan refuses, and the message says the way out.

\b
Examples:
  constraint-sdc mask census.xml --rules census.sch -k 5 -o masked.xml
  constraint-sdc mask census.xml --rules census.sch -k 5 -o masked.xml --report masked.html
  constraint-sdc mask census.xml --rules census.sch --plan plan.json -o masked.xml
  constraint-sdc mask census.xml --rules census.sch -k 5 -o masked.xml --sign office.key
  constraint-sdc check masked.xml --rules census.sch --original census.xml --certificate masked.xml.certificate.json
"""


@click.command("mask", epilog=_EPILOG)
@click.argument("data", type=FILE)
@click.option("--rules", "-r", type=FILE, help="File with the edit rules; without it, no rules are checked.")
@click.option("--output", "-o", type=OUT, required=True, help="Masked file; its certificate is written beside it.")
@click.option("--plan", "plan", type=LOCAL, help="Saved plan (see `plan --out`); refuses if the inputs changed.")
@masking_options
@engine_options
@click.option(
    "--judge",
    type=click.Choice(("every-record", "every-case")),
    help="What Saxon judges of the masked file: all records, or every different combination of the values that rules "
    "read. [default: every-record below 10,000 records]",
)
@click.option("--record", callback=not_empty, help="Name of the record element (found from the data by default).")
@click.option("--pairs", type=OUT, help="group-anonymity: also write which records exchanged values, as CSV; secret.")
@click.option("--charts", type=OUT, help="group-anonymity: directory for a chart of every goal, before and after.")
@click.option("--report", type=OUT, help="Also measure utility and risk, and write one HTML page, as assess --report.")
@click.option("--sign", type=LOCAL, help="Private key (see `key new`) that signs the certificate.")
@passphrase_option
@click.option("--overwrite", is_flag=True, help="Replace the output, certificate, signature, page, pairs and charts.")
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/mask.schema.json.")
@table_options
def command(
    data: Path,
    rules: Path | None,
    output: Path,
    plan: Path | None,
    record: str | None,
    pairs: Path | None,
    charts: Path | None,
    report: Path | None,
    sign: Path | None,
    passphrase_file: str | None,
    overwrite: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Mask DATA so that at least K records share the values of each block and every rule that held still holds.

    Before the written file takes its name, it is judged by the rules, and the promises about people are counted on it;
    if one does not hold, nothing is published.
    """
    if rules is not None:
        judge_ahead()
    from constraint_sdc.commands.certificate.certificate import certificate_path, envelope_path
    from constraint_sdc.files.publication.recovery import settle_publication

    settle_publication(output)
    if output.is_dir():
        raise UsageError("a directory cannot be the masked file", file=str(output), hint="name a file in it")
    if passphrase_file is not None and sign is None:
        raise UsageError("--passphrase-file has no meaning here", hint="it belongs to --sign")
    certificate = certificate_path(output)
    inputs = (data, rules, plan, given["recipe"], given["original"], sign)
    for target in (output, certificate, *([envelope_path(certificate)] if sign else [])):
        no_overwrite(inputs, target)
        if target.exists() and not overwrite:
            raise UsageError("the file exists already", file=str(target), hint="give another name, or --overwrite")
    from constraint_sdc.commands.mask import mask_file
    from constraint_sdc.commands.masking.carrying_out import read_plan
    from constraint_sdc.commands.masking.goal_files import GoalFiles
    from constraint_sdc.commands.masking.settings import settle
    from constraint_sdc.reports.masking.mask_result import mask_text, render_mask_json

    key = None if sign is None else signing_key(sign, passphrase_file)
    saved = None if plan is None else read_plan(plan)
    options = gather(given, rules, saved, record=record)
    beside = GoalFiles(charts, pairs)
    if report is not None:
        from constraint_sdc.commands.masking.report_page import require_page

        require_page(report, output, (*inputs, charts, pairs), settle(options), overwrite)
    try:
        result = mask_file(
            data,
            rules,
            output,
            options,
            overwrite=overwrite,
            expected=saved,
            beside=beside,
            sign=key,
        )
    finally:
        end_progress()
    with already_published(output):
        deliver(render_mask_json(result) if as_json else mask_text(result, **terminal()), None)
    if report is not None:
        _write_report(result, settle(options), report, overwrite)


def _write_report(result: MaskResult, settings: MaskSettings[Masker], report: Path, overwrite: bool) -> None:
    from constraint_sdc.commands.masking.report_page import write_page

    try:
        write_page(result, settings, report, overwrite)
    except ConstraintSdcError:
        tell(f"constraint-sdc: {result.output} is published; its report is not written:")
        raise
    finally:
        end_progress()
    tell(f"report: {report}")
