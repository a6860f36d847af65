"""`reproduce`: mask again what a certificate describes, and compare."""

from __future__ import annotations

from pathlib import Path

import click

from constraint_sdc.cli.options import FILE, LOCAL, OUT, allow, deliver, no_overwrite

_EPILOG = """\b
Exit codes: 0 the same bytes; 1 other bytes, or the plan refuses now; 2 an input is missing, or is not the certified
one, or an option cannot be processed.

\b
Examples:
  constraint-sdc reproduce masked.xml.certificate.json --original census.xml
  constraint-sdc reproduce masked.xml.certificate.json --original census.xml --rules census.sch -o again.xml
"""


@click.command("reproduce", epilog=_EPILOG)
@click.argument("certificate", type=LOCAL)
@click.option("--original", type=FILE, required=True, help="The microdata that were masked.")
@click.option(
    "--rules", "-r", type=FILE, help="File with the edit rules (found as the certificate names it by default)."
)
@click.option("--recipe", type=FILE, help="Recipe; it must be the certified one, whose content the certificate has.")
@click.option("--output", "-o", type=OUT, help="Keep the file that is masked again, also if it differs.")
@allow
def command(
    certificate: Path,
    original: Path,
    rules: Path | None,
    recipe: Path | None,
    output: Path | None,
    allow: tuple[Path, ...],
) -> None:
    """Mask the original again as CERTIFICATE says, and compare the bytes with the certified ones.

    If they differ, versions and facts of the machine that are not the certified ones are listed.
    """
    no_overwrite((certificate, original, rules, recipe), output)
    from constraint_sdc.commands.reproduce import reproduce_file
    from constraint_sdc.reports.masking.mask_result import reproduction_text

    result = reproduce_file(certificate, original, rules, recipe=recipe, output=output, allow=allow)
    deliver(reproduction_text(result), None)
    raise click.exceptions.Exit(result.exit_code)
