"""Demo: all steps on generated data, and what masking without the rules would have broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from constraint_sdc.commands.assess import assess_files
from constraint_sdc.commands.certificate.certificate import read_certificate
from constraint_sdc.commands.certificate.verify import check_certificate
from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.demo_files import prepare_demo
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.plan import plan_file
from constraint_sdc.commands.rules import list_rules
from constraint_sdc.commands.sweep import sweep_file
from constraint_sdc.errors import UsageError
from constraint_sdc.files.atomic import atomic_file
from constraint_sdc.files.json_file import json_text
from constraint_sdc.files.recipe import load_recipe, read_recipe
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.maskers.masked import CertificateCheck, MaskOptions, MaskResult
from constraint_sdc.measures.assessment import Assessment, AssessOptions
from constraint_sdc.measures.sweep_points import Sweep, SweepOptions
from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.plan_json import plan_to_json
from constraint_sdc.reports.assessment.html import render_assessment_html
from constraint_sdc.reports.assessment.text import assessment_text
from constraint_sdc.reports.check.render import render
from constraint_sdc.reports.check.wording import verdict
from constraint_sdc.reports.demo import (
    DemoResult,
    blocks_in_short,
    breaks_compared,
    certificate_confirmed,
    file_table,
    rules_with_breaks,
)
from constraint_sdc.reports.masking.mask_result import mask_text
from constraint_sdc.reports.masking.plan_text import plan_text
from constraint_sdc.reports.sweep import sweep_text, write_sweep_files
from constraint_sdc.settings.recipe import Recipe

_KS = (1, 2, 3, 5, 10, 20, 50, 100)
_LEAST_RECORDS, _K = 100, range(2, 51)


@dataclass(frozen=True, slots=True)
class DemoStep:
    """A step of the demo: its title, the command that does the same, and its work, which returns what it prints."""

    title: str
    command: str | None
    run: Callable[[], str]


def run_demo(directory: Path, records: int = 3000, seed: int = 2009, k: int = 5) -> DemoResult:
    """Run every step of the demo and return the results."""
    demo = Demo(directory, records, seed, k)
    for step in demo.steps():
        step.run()
    return demo.result()


class Demo:
    """The steps of the demo in order; each uses the results of those before it."""

    before: CheckResult
    plan: Plan
    masking: MaskResult
    after: CheckResult
    certificate: CertificateCheck
    sweep: Sweep
    assessment: Assessment
    plain: CheckResult
    plain_in_blocks: CheckResult
    damaged: CheckResult

    def __init__(self, directory: Path, records: int, seed: int, k: int) -> None:
        if records < _LEAST_RECORDS:
            raise UsageError(f"{records} records are too few for the demo", hint=f"use at least {_LEAST_RECORDS}")
        if k not in _K:
            raise UsageError(f"k is {k}", hint=f"use {_K[0]} to {_K[-1]} in the demo")
        self._records, self._k = records, k
        self.files = prepare_demo(directory, records, seed)
        self._check = CheckOptions(domain=self.files.domain, max_examples=3)

    def steps(self) -> Iterator[DemoStep]:
        """Yield the steps; a step is to be run before the next is asked for."""
        files, k = self.files, self._k
        rules = f"--rules {files.rules}"
        gate = f"{rules} --domain {files.domain}"
        first = f"1. An edited extract of {self._records:,} records, and its five rules"
        yield DemoStep(first, f"check {files.original} {gate}", self._check_extract)
        told = f"{rules} --recipe {files.recipe}"
        planned = f"plan {files.original} {told} -k {k} --out {files.plan}"
        yield DemoStep("2. What masking will do", planned, self._make_plan)
        masked = f"mask {files.original} {told} --plan {files.plan} -o {files.masked}"
        yield DemoStep("3. Masked, judged, published", masked, self._mask)
        checked = f"check {files.masked} {gate} --certificate {self.masking.certificate}"
        yield DemoStep("4. The masked file at the gate, with its certificate", checked, self._check_masked)
        ks = ",".join(map(str, _KS))
        asked = f"{rules} --recipe {files.recipe} --k {ks} --partitions mdav --compare-unconstrained -o {files.sweep}"
        which = "5. Which k? Loss against risk, with the rules and without"
        yield DemoStep(which, f"sweep {files.original} {asked}", self._sweep_ks)
        asked = f"{rules} --recipe {files.recipe} --sweep {files.sweep} --report {files.assessment}"
        cost = f"assess {files.original} {files.masked} {asked}"
        yield DemoStep("6. What it cost, and what is at risk", cost, self._assess)
        plain = f"mask {files.original} --recipe {files.recipe} -k {k} --partition mdav -o {files.plain}"
        yield DemoStep("7. The same engine without the rules", plain, self._mask_without_rules)
        damaged = f"check {files.damaged} {gate}"
        yield DemoStep("8. A copy of the extract that somebody damaged", damaged, self._check_damaged)
        yield DemoStep("The files", None, lambda: file_table(self._files()))

    def result(self) -> DemoResult:
        """Return the results, after the last step."""
        return DemoResult(
            self.files.directory,
            self._files(),
            self.before,
            self.plan,
            self.masking,
            self.after,
            self.certificate,
            self.sweep,
            self.assessment,
            self.plain,
            self.plain_in_blocks,
            self.damaged,
        )

    def _check_extract(self) -> str:
        self.before = check_file(self.files.original, self.files.rules, self._check)
        rules = list_rules(self.files.rules, data=self.files.original)
        return f"{verdict(self.before)}\n\n{rules_with_breaks(rules, self.before)}"

    def _make_plan(self) -> str:
        self.plan = plan_file(self.files.original, self.files.rules, self._options())
        _write(json_text(plan_to_json(self.plan)), self.files.plan)
        _write(plan_text(self.plan), self.files.plan_text)
        return f"{blocks_in_short(self.plan)}\nthe whole plan, with reasons and prices: {self.files.plan_text}"

    def _mask(self) -> str:
        files = self.files
        told = self._options()
        self.masking = mask_file(files.original, files.rules, files.masked, told, overwrite=True, expected=self.plan)
        return mask_text(self.masking)

    def _options(self) -> MaskOptions:
        recipe, digest = load_recipe(self.files.recipe)
        return MaskOptions(k=self._k, recipe=recipe, recipe_file=self.files.recipe, recipe_sha256=digest)

    def _check_masked(self) -> str:
        files = self.files
        self.after = check_file(files.masked, files.rules, self._check)
        certificate = read_certificate(self.masking.certificate)
        self.certificate = check_certificate(certificate, files.masked, files.rules, self.after)
        _write(render(self.after, "html"), files.report)
        return f"{render(self.after, 'text').rstrip()}\n\n{certificate_confirmed(self.certificate)}"

    def _sweep_ks(self) -> str:
        files = self.files
        files.sweep.mkdir(exist_ok=True)
        masking = MaskOptions(recipe=read_recipe(files.recipe))
        options = SweepOptions(_KS, partitions=("mdav",), compare_unconstrained=True, masking=masking)
        self.sweep = sweep_file(files.original, files.rules, options)
        write_sweep_files(self.sweep, files.sweep)
        return sweep_text(self.sweep)

    def _assess(self) -> str:
        files = self.files
        options = AssessOptions(rules=files.rules, recipe=read_recipe(files.recipe))
        self.assessment = assess_files(files.original, files.masked, options)
        _write(render_assessment_html(self.assessment, sweep=self.sweep.points), files.assessment)
        return f"{assessment_text(self.assessment).rstrip()}\nreport: {files.assessment}"

    def _mask_without_rules(self) -> str:
        """Mask by plain MDAV without rules and let the rules judge it.

        First as plain microaggregation comes, three variables to a block; then, a stronger opponent, in the blocks of
        the plan.
        """
        files = self.files
        recipe = read_recipe(files.recipe)
        blocks = replace(recipe, groups=tuple(block.names for block in self.plan.blocks))
        self.plain = self._plain(recipe, files.plain)
        self.plain_in_blocks = self._plain(blocks, files.plain_in_blocks)
        _write(render(self.plain, "html"), files.plain_report)
        return breaks_compared(self.before, self.after, self.plain, self.plain_in_blocks)

    def _plain(self, recipe: Recipe, output: Path) -> CheckResult:
        options = MaskOptions(k=self.plan.k, partition="mdav", recipe=recipe)
        mask_file(self.files.original, None, output, options, overwrite=True)
        return check_file(output, self.files.rules, self._check)

    def _check_damaged(self) -> str:
        self.damaged = check_file(self.files.damaged, self.files.rules, self._check)
        return f"{verdict(self.damaged)}\nexit code {self.damaged.exit_code}"

    def _files(self) -> tuple[tuple[str, Path], ...]:
        """Return the files that are worth a look, each with what it is."""
        files = self.files
        return (
            ("masked extract", files.masked),
            ("its certificate", self.masking.certificate),
            ("report for a review board", files.assessment),
            ("other choices of k", files.sweep),
            ("report of its check", files.report),
            ("plan in words", files.plan_text),
            ("masked without rules", files.plain),
            ("report of its check", files.plain_report),
        )


def _write(text: str, output: Path) -> None:
    with atomic_file(output, overwrite=True) as stream:
        stream.write((text.rstrip("\n") + "\n").encode("utf-8"))
