"""`check`: the gate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from constraint_sdc.cli.machine.engine import EngineName, work_ahead, worker_options
from constraint_sdc.cli.options import (
    FILE,
    LOCAL,
    OUT,
    ExampleCount,
    allow,
    allow_idle,
    deliver,
    end_progress,
    judge_ahead,
    no_overwrite,
    not_empty,
    variable,
)
from constraint_sdc.cli.streams import tell
from constraint_sdc.cli.tables import table_options
from constraint_sdc.errors import UsageError
from constraint_sdc.settings.recipe import Recipe

if TYPE_CHECKING:
    from constraint_sdc.commands.certificate.claim import Claim
    from constraint_sdc.commands.certificate.keys import PublicKey
    from constraint_sdc.commands.check import CheckOptions
    from constraint_sdc.maskers.masked import CertificateCheck
    from constraint_sdc.plugins import Registry
    from constraint_sdc.reports.check.check_format import CheckFormat


class FormatName(click.ParamType[str]):
    """The name of a report format, one of ours or an installed one."""

    name = "format"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002  (click's signature)
        """Show every name."""
        return f"[{'|'.join(_formats().names)}]"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  (click's signature)
        """Complete a name."""
        return [CompletionItem(name) for name in _formats().names if name.startswith(incomplete)]

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Accept a registered name."""
        if value not in _formats():
            self.fail(f"{value!r} is not one of {', '.join(map(repr, _formats().names))}.", param, ctx)
        return value


def _formats() -> Registry[CheckFormat]:
    from constraint_sdc.reports.check.render import FORMATS

    return FORMATS


_EPILOG = """\b
Exit codes: 0 clean; 1 violations at or above --fail-on, or the certificate does not agree or is not trusted; 2 the
rules, the data, the certificate or an option cannot be processed, a rule could not be evaluated on some record, or a
rule checks nothing.

\b
Examples:
  constraint-sdc check census.xml --rules census.sch --original edited.xml
  constraint-sdc check published.xml --rules census.sch --domain domain.xml --format junit --output check.xml
  constraint-sdc check masked.xml --rules census.sch --original edited.xml --certificate masked.xml.certificate.json
  constraint-sdc check masked.xml --rules census.sch --certificate masked.xml.certificate.json --trust office.key.pub
  constraint-sdc check masked.xml --certificate masked.xml.certificate.json
"""


@click.command("check", epilog=_EPILOG)
@click.argument("data", type=FILE, nargs=-1, required=True)
@click.option(
    "--rules",
    "-r",
    "rules",
    type=FILE,
    help="File with the edit rules; a certificate of a file masked without rules needs none.",
)
@click.option("--phase", help="Phase of the schema to run (an id, #ALL or #DEFAULT).")
@click.option("--original", type=FILE, help="Original microdata: what a rule's variable $original stands for.")
@click.option("--domain", type=FILE, help="Exported value lists (see `domain`) in place of the original microdata.")
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "information")),
    default="error",
    show_default=True,
    help="Least severity of a violation that fails the check.",
)
@click.option(
    "--format",
    "format_",
    type=FormatName(),
    default="text",
    show_default=True,
    help="Form of the report.",
)
@click.option("--output", "-o", type=OUT, help="Write the report to a file instead of the terminal.")
@click.option(
    "--max-examples", type=ExampleCount(), help="Violations listed per rule. [default: 10; svrl, csv, parquet: all]"
)
@click.option("--show-values", is_flag=True, help="Show microdata values in messages (hidden by default).")
@click.option("--key", callback=variable, help="Variable that names a record in the report.")
@click.option("--record", callback=not_empty, help="Name of the record element (found from the data by default).")
@click.option(
    "--engine",
    type=EngineName(("auto", "saxon")),
    default="auto",
    show_default=True,
    help="auto: vectorised where certain, Saxon elsewhere, a large file in processes; saxon: Saxon on everything, and "
    "SVRL is complete; any other: as auto, with the work there.",
)
@worker_options
@table_options
@allow
@allow_idle
@click.option("--recipe", type=FILE, help="YAML file: record element, key, missing codes and idle rules of this data.")
@click.option(
    "--certificate",
    type=LOCAL,
    help="Certificate of DATA (see `mask`): verify it; --original masks again, --recipe compares the recipe.",
)
@click.option(
    "--trust",
    type=LOCAL,
    multiple=True,
    help="Public key that must have signed the certificate (repeatable: one of them).",
)
def command(
    data: tuple[Path, ...],
    rules: Path | None,
    format_: str,
    output: Path | None,
    certificate: Path | None,
    trust: tuple[Path, ...],
    **given: Any,
) -> None:
    """Judge DATA by edit rules: XML rows, a table or any XML document; several files in the formats text and github.

    Rows (one element per record, one child element or attribute per variable) get record numbers; other documents get
    locations. A Schematron rule's severity comes from its severity, role or flag.
    """
    if given["original"] and given["domain"]:
        raise UsageError("--original and --domain both stand for $original", hint="give one of them")
    if len(data) > 1 and not _formats()[format_].holds_several:
        raise UsageError(f"{format_} reports hold one file, {len(data)} were given", hint="run check once per file")
    if _formats()[format_].is_binary and output is None:
        raise UsageError(f"a {format_} report is binary, and no terminal shows it", hint="give --output FILE")
    if len(data) > 1 and certificate is not None:
        raise UsageError(f"a certificate is for one file, {len(data)} were given", hint="run check once per file")
    if trust and certificate is None:
        raise UsageError("--trust has no meaning here", hint="it belongs to --certificate")
    if rules is None:
        _check_certificate_alone(data[0], certificate, trust, format_, output, given)
    no_overwrite((*data, rules, given["original"], given["domain"], given["recipe"], certificate), output)
    judge_ahead()
    work_ahead("constraint_sdc.judge.judged_rows", data)
    from constraint_sdc.commands.check import check_file, full_svrl
    from constraint_sdc.reports.check.json_format import json_with_certificate
    from constraint_sdc.reports.check.render import render, report_bytes
    from constraint_sdc.reports.check.svrl import with_unevaluated
    from constraint_sdc.reports.check.wording import verdict
    from constraint_sdc.reports.terminal import wants_colour

    claim = None if certificate is None else _claim(certificate, data[0], trust, given)
    options = _options(format_, given) if claim is None else claim.adopted(_options(format_, given))
    colour = output is None and wants_colour(sys.stdout)
    texts: list[str] = []
    content: bytes | None = None
    verdicts: list[str] = []
    worst, found = 0, None
    for path in data:
        try:
            result = check_file(path, rules, options)
        finally:
            end_progress()
        found = None if claim is None else claim.verify(path, rules, result, options)
        if format_ == "svrl" and options.is_whole_story:
            texts.append(with_unevaluated(full_svrl(path, rules, options, result), result))
        elif format_ == "json" and found is not None:
            texts.append(json_with_certificate(result, found))
        elif _formats()[format_].is_binary:
            content = report_bytes(result, format_)
        else:
            texts.append(render(result, format_, colour=colour))
        worst = max(worst, result.exit_code)
        verdicts.append(f"{path}: {verdict(result)}; report in {output}")
    deliver("\n\n".join(text.rstrip("\n") for text in texts) if content is None else content, output)
    if output is not None:
        tell(*verdicts)
    if found is not None:
        _show(found, on_stderr=format_ != "text" or output is not None)
        worst = max(worst, found.exit_code)
    raise click.exceptions.Exit(worst)


def _check_certificate_alone(
    data: Path,
    certificate: Path | None,
    trust: tuple[Path, ...],
    format_: str,
    output: Path | None,
    given: dict[str, Any],
) -> NoReturn:
    """Verify the certificate of a file that was masked without rules, and end the command."""
    if certificate is None:
        raise UsageError("no rules are given", hint="give --rules, or --certificate for a file masked without rules")
    if format_ != "text" or output is not None:
        raise UsageError("without --rules there is no report", hint="leave --format and --output out")
    judge_ahead()
    claim = _claim(certificate, data, trust, given)
    found = claim.verify_without_rules(data, claim.adopted(_options(format_, given)))
    _show(found, on_stderr=False)
    raise click.exceptions.Exit(found.exit_code)


def _claim(certificate: Path, masked: Path, trust: tuple[Path, ...], given: dict[str, Any]) -> Claim:
    """Read the certificate, which says what `$original` stands for when the rules judge the masked file."""
    from constraint_sdc.commands.certificate.claim import read_claim

    claim = read_claim(certificate, masked, given["original"], given["recipe"], _keys(trust))
    given["original"] = claim.judged_with
    click.get_current_context().with_resource(claim.reading())
    return claim


def _keys(trust: tuple[Path, ...]) -> tuple[PublicKey, ...]:
    if not trust:
        return ()
    from constraint_sdc.commands.certificate.keys import read_public_key

    return tuple(map(read_public_key, trust))


def _show(found: CertificateCheck, on_stderr: bool) -> None:
    """Say what of the certificate is confirmed and what is not; on stderr where a report for machines is on stdout."""
    from constraint_sdc.reports.masking.mask_result import certificate_text

    click.echo("\n" + certificate_text(found), nl=False, err=on_stderr)


def _options(format_: str, given: dict[str, Any]) -> CheckOptions:
    """Gather the options; what the command line says goes before the recipe."""
    from constraint_sdc.commands.check import CheckOptions

    recipe = Recipe()
    if given["recipe"] is not None:
        from constraint_sdc.files.recipe import read_recipe

        recipe = read_recipe(given["recipe"])
    examples = given["max_examples"]
    if click.get_current_context().get_parameter_source("max_examples") is ParameterSource.DEFAULT:
        examples = None if format_ == "svrl" or _formats()[format_].lists_every_violation else 10
    return CheckOptions(
        phase=given["phase"],
        original=given["original"],
        domain=given["domain"],
        fail_on=given["fail_on"],
        engine=given["engine"],
        record=given["record"] or recipe.record,
        key=given["key"] or recipe.key,
        max_examples=examples,
        show_values=given["show_values"],
        allow=tuple(given["allow"]),
        allow_idle=(*given["allow_idle"], *recipe.allow_idle),
        missing_codes=recipe.missing,
    )
