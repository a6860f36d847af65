"""`explain`: why one rule survives, or how one record was masked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraint_sdc.cli.masking import gather, masking_options, refuse_given, terminal
from constraint_sdc.cli.options import FILE, LOCAL, WORD, deliver, end_progress, not_empty
from constraint_sdc.cli.tables import table_options
from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from constraint_sdc.maskers.masked import RecordExplanation
    from constraint_sdc.plan.plan import Plan

_EPILOG = """\b
Exit codes: 0 explained; 2 the rules, the data or an option cannot be processed; 3 the plan refuses.

\b
Examples:
  constraint-sdc explain EC-LC census.xml --rules census.sch -k 5
  constraint-sdc explain EC-LC --plan plan.json
  constraint-sdc explain --record 17 --certificate masked.xml.certificate.json
  constraint-sdc explain census.xml --record 17 --certificate masked.xml.certificate.json --rules census.sch
"""


@click.command("explain", epilog=_EPILOG)
@click.argument("words", metavar="[RULE] [DATA]", type=WORD, nargs=-1)
@click.option("--rules", "-r", type=FILE, help="File with the edit rules.")
@click.option("--plan", "plan", type=LOCAL, help="Saved plan to look into, in place of DATA and rules.")
@click.option("--record", "number", type=click.IntRange(min=1), help="Number of a record, the first is 1.")
@click.option("--certificate", type=LOCAL, help="Certificate of the masked file: names inputs and options.")
@click.option("--show-values", is_flag=True, help="Show the record's original values too (hidden by default).")
@masking_options
@click.option("--record-element", callback=not_empty, help="Name of the record element (found by default).")
@table_options
def command(
    words: tuple[str, ...],
    rules: Path | None,
    plan: Path | None,
    number: int | None,
    certificate: Path | None,
    show_values: bool,
    record_element: str | None,
    **given: Any,
) -> None:
    """Explain why RULE survives the masking of DATA, or how record N was masked.

    With --record no RULE is given, and DATA only if it is not where the certificate says. A record is explained by
    repeating the masking on the confidential inputs; nothing is written.
    """
    if number is None:
        _refuse_for_rule(words, plan, certificate, show_values)
        chosen = _plan(words, rules, plan, record_element, given)
        from constraint_sdc.commands.masking.carrying_out import planned_rule
        from constraint_sdc.reports.masking.explain_text import rule_text

        deliver(rule_text(chosen, planned_rule(chosen, words[0]), **terminal()), None)
        return
    if plan is not None or len(words) > 1:
        raise UsageError("--record explains a record, not a rule", hint="leave RULE and --plan out")
    data = Path(words[0]) if words else None
    if certificate is None:
        explanation = _rehearsed(data, rules, number, record_element, given)
    else:
        explanation = _certified(certificate, data, rules, number, record_element, given)
    from constraint_sdc.reports.masking.explain_text import record_text

    deliver(record_text(explanation, show_values=show_values, **terminal()), None)


def _refuse_for_rule(words: tuple[str, ...], plan: Path | None, certificate: Path | None, show_values: bool) -> None:
    if not words:
        raise UsageError("nothing to explain", hint="give the id of a rule, or --record N")
    if len(words) > 2:
        raise UsageError(f"{len(words)} arguments given", hint="expected RULE and DATA")
    if certificate is not None or show_values:
        option = "--show-values" if certificate is None else "--certificate"
        raise UsageError(f"{option} belongs to --record N", hint="a rule is explained from DATA or --plan")
    if plan is None and len(words) == 1:
        raise UsageError("no data to plan for", hint="RULE DATA --rules RULES -k K, or RULE --plan FILE")


def _plan(
    words: tuple[str, ...], rules: Path | None, plan: Path | None, record_element: str | None, given: dict[str, Any]
) -> Plan:
    if plan is None:
        options = gather(given, rules, record=record_element)
        from constraint_sdc.commands.plan import plan_file

        try:
            return plan_file(Path(words[1]), rules, options)
        finally:
            end_progress()
    if len(words) > 1 or rules is not None or record_element is not None:
        raise UsageError("a saved plan needs neither DATA nor rules", hint="leave them out, or leave --plan out")
    refuse_given(given, given, "a saved plan has decided all that; leave the option out")
    from constraint_sdc.commands.masking.carrying_out import read_plan

    return read_plan(plan)


def _rehearsed(
    data: Path | None, rules: Path | None, number: int, record_element: str | None, given: dict[str, Any]
) -> RecordExplanation:
    if data is None:
        hint = "give --certificate, or DATA with --rules and -k"
        raise UsageError(f"nothing says where record {number} is", hint=hint)
    options = gather(given, rules, record=record_element)
    from constraint_sdc.commands.explain import explain_record

    return explain_record(data, rules, options, number)


def _certified(
    certificate: Path,
    data: Path | None,
    rules: Path | None,
    number: int,
    record_element: str | None,
    given: dict[str, Any],
) -> RecordExplanation:
    """Repeat the certified masking on the very same inputs."""
    if record_element is not None:
        raise UsageError("the certificate says what a record is", hint="leave --record-element out")
    decided = [name for name in given if name not in ("original", "allow")]
    refuse_given(given, decided, "the certificate says it; leave the option out")
    from constraint_sdc.commands.certificate.certificate import read_certificate
    from constraint_sdc.commands.certificate.inputs import certified_input, certified_options, certified_plan
    from constraint_sdc.commands.explain import explain_record
    from constraint_sdc.commands.masking.carrying_out import require_same_plan

    content = read_certificate(certificate)
    source = certified_input(content, "data", data, certificate)
    if source is None:
        raise UsageError("the certificate names no data", file=str(certificate))
    schematron = certified_input(content, "rules", rules, certificate)
    options = certified_options(content, given["original"], certificate, tuple(given["allow"]))
    explanation = explain_record(source, schematron, options, number)
    require_same_plan(certified_plan(content), explanation.plan, "explaining needs the files and the program of then")
    return explanation
