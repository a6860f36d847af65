"""`demo`: all steps on generated data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from constraint_sdc.cli.options import FILE, deliver

if TYPE_CHECKING:
    from constraint_sdc.commands.demo import DemoFiles
    from constraint_sdc.constraints.rule_list import RuleList
    from constraint_sdc.judge.finding import CheckResult
    from constraint_sdc.measures.assessment import SweepPoint
    from constraint_sdc.plan.plan import Plan
    from constraint_sdc.settings.reason import Reason

_KS = (1, 2, 3, 5, 10, 20, 50, 100)
_PLANNED = ("block", "variables", "operator", "strata", "computed", "rule", "survives by")


@click.command("demo")
@click.option("--directory", type=FILE, default=Path("constraint-sdc-demo"), show_default=True, help="Where to write.")
@click.option("--records", type=click.IntRange(min=100), default=3000, show_default=True, help="Records to generate.")
@click.option("--seed", type=int, default=2009, show_default=True, help="Seed of the generated data.")
@click.option("-k", "k", type=click.IntRange(min=2, max=50), default=5, show_default=True, help="Least group size.")
def command(directory: Path, records: int, seed: int, k: int) -> None:
    """Generate a census-like extract, mask it, judge it by its rules before and after, and assess loss and risk."""
    from constraint_sdc.commands.check import CheckOptions, check_file
    from constraint_sdc.commands.demo import mask_without_rules, prepare_demo
    from constraint_sdc.commands.mask import mask_file
    from constraint_sdc.commands.plan import plan_file
    from constraint_sdc.commands.rules import list_rules
    from constraint_sdc.maskers.masked import MaskOptions
    from constraint_sdc.reports.check.render import render
    from constraint_sdc.reports.check.wording import verdict
    from constraint_sdc.reports.masking.mask_text import mask_text

    files = prepare_demo(directory, records, seed)
    rules = f"--rules {files.rules}"
    gate = f"{rules} --domain {files.domain}"
    check = CheckOptions(domain=files.domain, max_examples=3)

    _say(f"1. An edited extract of {records:,} records, and its five rules", f"check {files.original} {gate}")
    before = check_file(files.original, files.rules, check)
    click.echo(f"{verdict(before)}\n\n{_rule_table(list_rules(files.rules, data=files.original), before)}")

    _say("2. What masking will do", f"plan {files.original} {rules} -k {k} --out {files.plan}")
    options = MaskOptions(k=k)
    plan = plan_file(files.original, files.rules, options)
    _save_plan(plan, files)
    click.echo(f"{_plan_table(plan)}\nthe whole plan, with reasons and prices: {files.plan_text}")

    _say("3. Masked, judged, published", f"mask {files.original} {rules} --plan {files.plan} -o {files.masked}")
    masking = mask_file(files.original, files.rules, files.masked, options, overwrite=True, expected=plan)
    click.echo(mask_text(masking).rstrip("\n"))

    certificate = f"--certificate {masking.certificate}"
    _say("4. The masked file at the gate, with its certificate", f"check {files.masked} {gate} {certificate}")
    after = check_file(files.masked, files.rules, check)
    click.echo(render(after, "text").rstrip("\n"))
    confirmed = _verify(masking.certificate, files, after)
    deliver(render(after, "html"), files.report)

    ks = ",".join(map(str, _KS))
    asked = f"{rules} --recipe {files.recipe} --k {ks} --partitions mdav --compare-unconstrained -o {files.sweep}"
    _say("5. Which k? Loss against risk, with the rules and without", f"sweep {files.original} {asked}")
    points = _sweep(files)

    asked = f"{rules} --recipe {files.recipe} --sweep {files.sweep} --report {files.assessment}"
    _say("6. What it cost, and what is at risk", f"assess {files.original} {files.masked} {asked}")
    _assess(files, points)

    _say("7. The same engine without the rules", f"mask {files.original} -k {k} --partition mdav -o {files.plain}")
    plain, in_blocks = mask_without_rules(files, plan, check)
    click.echo(_comparison(before, after, plain, in_blocks))
    deliver(render(plain, "html"), files.plain_report)

    _say("8. A copy of the extract that somebody damaged", f"check {files.damaged} {gate}")
    damaged = check_file(files.damaged, files.rules, check)
    click.echo(f"{verdict(damaged)}\nexit code {damaged.exit_code}")

    _say("The files")
    click.echo(_file_table(files, masking.certificate))
    if before.exit_code or after.exit_code or not confirmed or damaged.exit_code != 1:
        raise click.ClickException("The demo gave an unexpected result. Please report the output above.")


def _save_plan(plan: Plan, files: DemoFiles) -> None:
    from constraint_sdc.files.json_file import json_text
    from constraint_sdc.plan.plan_json import plan_to_json
    from constraint_sdc.reports.masking.plan_text import plan_text

    deliver(json_text(plan_to_json(plan)), files.plan)
    deliver(plan_text(plan), files.plan_text)


def _rule_table(rules: RuleList, before: CheckResult) -> str:
    from constraint_sdc.reports.check.wording import number

    broken = {result.rule: result.failed for result in before.results}
    head = ("rule", "kind", "says", "broken before")
    return _table([head, *((r.id, r.kind, r.normal_form or "", number(broken[r.id])) for r in rules.rows)], (3,))


def _plan_table(plan: Plan) -> str:
    """Return one line per block."""
    rows = []
    for block in plan.blocks:
        derivations = dict.fromkeys(_computed(one) for stratum in block.strata for one in stratum.derivations)
        rows.append(
            (
                str(block.number),
                ", ".join(block.names),
                ", ".join(dict.fromkeys(variable.operator for variable in block.variables)),
                str(len(block.strata)),
                "; ".join(derivations),
                ", ".join(rule.rule for rule in block.rules),
                ", ".join(dict.fromkeys(rule.why.value for rule in block.rules)),
            )
        )
    return _table([_PLANNED, *rows], (0, 3))


def _computed(derivation: Reason) -> str:
    rules = derivation["rules"]
    assert isinstance(rules, tuple)
    return f"{derivation['variable']} by {' and '.join(map(str, rules))}"


def _comparison(before: CheckResult, after: CheckResult, plain: CheckResult, in_blocks: CheckResult) -> str:
    from constraint_sdc.reports.check.wording import number

    checks = (before, after, plain, in_blocks)
    broken = [{result.rule: number(result.failed) for result in check.results} for check in checks]
    head = ("records that break", "extract", "masked", "plain MDAV", "plain MDAV in our blocks")
    return _table([head, *((result.rule, *(b[result.rule] for b in broken)) for result in before.results)], range(1, 5))


def _verify(certificate: Path, files: DemoFiles, after: CheckResult) -> bool:
    """Print what of the certificate is confirmed; tell whether all of it is."""
    from constraint_sdc.commands.certificate.certificate import read_certificate
    from constraint_sdc.commands.certificate.verify import check_certificate

    found = check_certificate(read_certificate(certificate), files.masked, files.rules, after)
    click.echo(f"\ncertificate {'does not agree' if found.mismatches else 'agrees'}")
    for word, lines in (("MISMATCH", found.mismatches), ("confirmed", found.confirmed)):
        for line in lines:
            click.echo(f"  {word}  {line}")
    return not found.mismatches


def _sweep(files: DemoFiles) -> tuple[SweepPoint, ...]:
    """Print what other choices of k would cost and risk, and write points and pictures."""
    from constraint_sdc.commands.sweep import sweep_file
    from constraint_sdc.files.recipe import read_recipe
    from constraint_sdc.maskers.masked import MaskOptions
    from constraint_sdc.measures.assessment import SweepOptions
    from constraint_sdc.reports.sweep import sweep_text
    from constraint_sdc.reports.sweep_files import write_sweep_files

    files.sweep.mkdir(exist_ok=True)
    masking = MaskOptions(recipe=read_recipe(files.recipe))
    options = SweepOptions(_KS, ("mdav",), compare_unconstrained=True, masking=masking)
    swept = sweep_file(files.original, files.rules, options)
    write_sweep_files(swept, files.sweep)
    click.echo(sweep_text(swept).rstrip("\n"))
    return swept.points


def _assess(files: DemoFiles, points: tuple[SweepPoint, ...]) -> None:
    """Print what was measured, and write the page."""
    from constraint_sdc.commands.assess import assess_files
    from constraint_sdc.files.recipe import read_recipe
    from constraint_sdc.measures.assessment import AssessOptions
    from constraint_sdc.reports.assessment.html import render_assessment_html
    from constraint_sdc.reports.assessment.text import assessment_text

    options = AssessOptions(rules=files.rules, recipe=read_recipe(files.recipe))
    assessment = assess_files(files.original, files.masked, options)
    click.echo(assessment_text(assessment).rstrip("\n"))
    deliver(render_assessment_html(assessment, sweep=points), files.assessment)
    click.echo(f"report: {files.assessment}")


def _file_table(files: DemoFiles, certificate: Path) -> str:
    return _table(
        [
            ("masked extract", str(files.masked)),
            ("its certificate", str(certificate)),
            ("report for a review board", str(files.assessment)),
            ("other choices of k", str(files.sweep)),
            ("report of its check", str(files.report)),
            ("plan in words", str(files.plan_text)),
            ("masked without rules", str(files.plain)),
            ("report of its check", str(files.plain_report)),
        ]
    )


def _table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    from constraint_sdc.reports.terminal import align

    return "\n".join(align(rows, right))


def _say(text: str, words: str | None = None) -> None:
    click.secho(f"\n{text}", bold=True)
    if words:
        click.secho(f"$ constraint-sdc {words}", fg="cyan")
