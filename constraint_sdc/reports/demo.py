"""The results of the demo, and the tables that it prints beside the reports of its steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.constraints.show import RuleList
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.maskers.masked import CertificateCheck, MaskResult
from constraint_sdc.measures.assessment import Assessment
from constraint_sdc.measures.sweep_points import Sweep
from constraint_sdc.plan.plan import Plan
from constraint_sdc.reports.check.wording import number
from constraint_sdc.reports.terminal import align
from constraint_sdc.settings.reason import Reason
from constraint_sdc.shown import Tabled

_PLANNED = ("block", "variables", "operator", "strata", "computed", "rule", "survives by")


@dataclass(frozen=True, slots=True, repr=False)
class DemoResult(Tabled):
    """The results of the demo's steps; `files` are those worth a look, each with what it is.

    `before`, `after` and `damaged` are checks of the extract, of the masked file and of a damaged copy. `plain` and
    `plain_in_blocks` are checks of files that were masked without the rules, the second in the blocks of the plan.
    """

    directory: Path
    files: tuple[tuple[str, Path], ...]
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

    @property
    def is_as_expected(self) -> bool:
        """Tell whether extract and masked file pass, the certificate agrees, and the damaged copy fails."""
        passed = self.before.exit_code == 0 == self.after.exit_code
        return passed and not self.certificate.mismatches and self.damaged.exit_code == 1


def demo_text(result: DemoResult) -> str:
    """Return what breaks which rule, and the files."""
    breaks = breaks_compared(result.before, result.after, result.plain, result.plain_in_blocks)
    return f"{breaks}\n\n{file_table(result.files)}\n"


def rules_with_breaks(rules: RuleList, before: CheckResult) -> str:
    """Return every rule, and how many records of the extract break it."""
    broken = {result.rule: result.failed for result in before.results}
    head = ("rule", "kind", "says", "broken before")
    return _table([head, *((r.id, r.kind, r.normal_form or "", number(broken[r.id])) for r in rules.rows)], (3,))


def blocks_in_short(plan: Plan) -> str:
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


def breaks_compared(before: CheckResult, after: CheckResult, plain: CheckResult, in_blocks: CheckResult) -> str:
    """Return how many records break each rule: in the extract, masked, and masked without the rules."""
    checks = (before, after, plain, in_blocks)
    broken = [{result.rule: number(result.failed) for result in check.results} for check in checks]
    head = ("records that break", "extract", "masked", "plain MDAV", "plain MDAV in our blocks")
    return _table([head, *((result.rule, *(b[result.rule] for b in broken)) for result in before.results)], range(1, 5))


def certificate_confirmed(found: CertificateCheck) -> str:
    """Return what of the certificate is confirmed, and what is not."""
    lines = [f"certificate {'does not agree' if found.mismatches else 'agrees'}"]
    for word, statements in (("MISMATCH", found.mismatches), ("confirmed", found.confirmed)):
        lines.extend(f"  {word}  {statement}" for statement in statements)
    return "\n".join(lines)


def file_table(files: Iterable[tuple[str, Path]]) -> str:
    """Return the files, each with what it is."""
    return _table([(what, str(path)) for what, path in files])


def _table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    return "\n".join(align(rows, right))
