"""Attack the guarantee in a long run: random rules and data, masked, and judged by Saxon on the written bytes.

    .venv/bin/python benchmarks/guarantee.py [--cases 2000] [--first-seed 0] [--jobs 2] [--keep DIR] [--masker NAME]
    .venv/bin/python benchmarks/guarantee.py --generator business          one generator instead of all
    .venv/bin/python benchmarks/guarantee.py --masker each --cases 100     by every masker, one after the other
    .venv/bin/python benchmarks/guarantee.py --case 1234 --keep DIR        one case, with its files

Of four cases two have random rules, one is a business questionnaire with 45 rules, one a household survey with 35.
Every way out that a refusal offers is followed, and every case is masked once more as a table of a drawn format with
rules in a drawn language (not with `--without-tables`), unless a masker is named. Ends with 1 if a rule that held is
broken, a group is too small, a record or an unmasked value is lost, a masking ends in any error but a documented
refusal, a translated rule has other verdicts than its original, a refusal has no way out or one that fails, or more
than one case in fifty is refused (one in five with --masker: some cases are too small for a cluster of more records
than there are variables).

A run that is stopped (Ctrl-C, SIGTERM) prints the summary of the cases so far and ends with 130. Where nobody watches,
every twentieth case writes a line: `nice make guarantee > guarantee.log 2>&1 &`.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

from constraint_sdc.exam.guarantee.business_questionnaire import make_business
from constraint_sdc.exam.guarantee.exam import CaseOutcome, keep_case, run_case
from constraint_sdc.exam.guarantee.following import Followed, follow
from constraint_sdc.exam.guarantee.generator import make_case
from constraint_sdc.exam.guarantee.household_survey import make_households
from constraint_sdc.exam.guarantee.maskers import MASKERS, with_masker
from constraint_sdc.exam.guarantee.table_case import run_as_table
from constraint_sdc.exam.long_run import STOPPED, run_cases, stoppable, tell_progress
from constraint_sdc.plan.plan import ExactStep

MOST_REFUSED = 0.02
MOST_REFUSED_BY_MASKERS = 0.2
EACH = "each"
GENERATORS = {"random": make_case, "business": make_business, "households": make_households}
ALL = ("random", "business", "random", "households")


def generator_of(seed: int, generator: str | None) -> str:
    return generator or ALL[seed % len(ALL)]


@dataclass(frozen=True)
class Tried:
    """What became of a case, and of the same case as a table."""

    followed: Followed
    table: CaseOutcome | None


def run_seed(seed: int, generator: str | None, masker: str | None = None, *, as_table: bool = True) -> Tried:
    case = GENERATORS[generator_of(seed, generator)](seed)
    with tempfile.TemporaryDirectory() as folder:
        if masker is not None:
            return Tried(Followed(run_case(with_masker(case, masker), Path(folder), advise=False), ()), None)
        return Tried(follow(case), run_as_table(case, Path(folder) / "case") if as_table else None)


def reason(refusal: str) -> str:
    """Return a refusal's first words, without paths, names and numbers, so that equal reasons are counted together."""
    bare = refusal.rpartition(".sch: ")[2].rpartition(".xml: ")[2].partition(" (")[0]
    return re.sub(r"'[^']*'|[@\w{}:]*V\d+|\d+", "…", bare)


def summary(followed: list[Followed]) -> str:
    found = [one.outcome for one in followed]
    faulty = [outcome for outcome in found if outcome.faults]
    refused = Counter(reason(outcome.refusal) for outcome in found if outcome.refusal and not outcome.faults)
    withheld = sum(outcome.withheld is not None and not outcome.faults for outcome in found)
    steps: Counter[ExactStep] = Counter()
    for outcome in found:
        steps.update(outcome.steps)
    actual = steps[ExactStep.ANCHORED] + steps[ExactStep.MEDOID]
    ratios = sorted(ratio for outcome in found for ratio in outcome.ratios)
    times = sorted(outcome.seconds for outcome in found)
    ways = sum(len(outcome.ways) for outcome in found)
    failing, stuck = sum(len(one.failing) for one in followed), sum(one.is_stuck for one in followed)
    lines = [
        f"cases                {len(found)}",
        f"with a fault         {len(faulty)}",
        f"refused              {refused.total()} ({100 * refused.total() / len(found):.1f} %)",
        *(f"  {count:>5}  {why}" for why, count in refused.most_common()),
        f"withheld             {withheld} ({100 * withheld / len(found):.1f} %)",
        f"ways out             {ways} offered and followed, {failing} fail; {stuck} offer none",
        f"groups by exact step {', '.join(f'{step.value} {steps[step]:,}' for step in ExactStep)}",
        f"anchored or medoid   {100 * actual / max(1, steps.total()):.2f} % of groups",
    ]
    if ratios:
        tenths = statistics.quantiles(ratios, n=10) if len(ratios) > 1 else [ratios[0]] * 9
        lines.append(f"loss over plain MDAV median {statistics.median(ratios):.2f}, nine in ten below {tenths[-1]:.2f}")
    middle, high = times[len(times) // 2], times[min(len(times) - 1, len(times) * 19 // 20)]
    lines.append(f"seconds per masking  median {middle:.2f}, 19 in 20 below {high:.2f}")
    return "\n".join(lines)


def table_summary(tables: list[CaseOutcome]) -> str:
    """Return how many cases were tables of which format, with rules in which language."""
    drawn = [str(one.case.says[-1]) for one in tables if one.case is not None]
    formats = Counter(text.removeprefix("table: ").partition(",")[0].partition(";")[0] for text in drawn)
    languages = Counter(text.partition("rules: ")[2].partition(",")[0] for text in drawn)
    refused = sum(one.refusal is not None for one in tables)
    withheld = sum(one.withheld is not None for one in tables)
    lines = [
        f"as tables            {len(tables)}, {sum(bool(one.faults) for one in tables)} with a fault, "
        f"{refused} refused, {withheld} withheld",
        f"  formats            {', '.join(f'{name} {count}' for name, count in formats.most_common())}",
        f"  rule languages     {', '.join(f'{name} {count}' for name, count in languages.most_common())}",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="directory for the files of failing cases")
    parser.add_argument("--case", type=int, help="run the case of this seed alone, and keep it in any event")
    parser.add_argument("--generator", choices=GENERATORS, help="draw all cases by this generator")
    parser.add_argument("--masker", choices=[*MASKERS, EACH], help="mask every case by this masker, or by each")
    parser.add_argument("--without-tables", action="store_true", help="do not mask cases as tables too")
    options = parser.parse_args()
    maskers = list(MASKERS) if options.masker == EACH else [options.masker]
    worst = 0
    for masker in maskers:
        worst = max(worst, attack(options, masker))
        if worst == STOPPED:
            break
    return worst


def attack(options: argparse.Namespace, masker: str | None) -> int:
    """Run the cases and print what came of them; return the exit code."""
    one = options.case is not None
    seeds = [options.case] if one else range(options.first_seed, options.first_seed + options.cases)
    run = partial(run_seed, generator=options.generator, masker=masker, as_table=not options.without_tables)
    tables: list[CaseOutcome] = []
    start, number, faulty, refused, is_stopped = perf_counter(), 0, 0, 0, False
    found: dict[str, list[Followed]] = {name: [] for name in GENERATORS}
    with stoppable(), closing(run_cases(run, seeds, 1 if one else options.jobs)) as outcomes:
        try:
            for number, tried in enumerate(outcomes, 1):
                followed, outcome = tried.followed, tried.followed.outcome
                found[generator_of(outcome.seed, options.generator)].append(followed)
                wrong = faults_of(followed, masker)
                if tried.table is not None:
                    tables.append(tried.table)
                    told = tried.table.case.says[-1:] if tried.table.case else ()
                    wrong += [f"as a table: {fault} ({', '.join(told)})" for fault in tried.table.faults]
                faulty += bool(wrong)
                refused += outcome.refusal is not None
                if wrong:
                    print(f"\n{outcome.case}\n  FAULT: " + "\n  FAULT: ".join(wrong), flush=True)
                if options.keep and (wrong or one):
                    keep_case(outcome, options.keep)
                tell_progress(number, f"{number} cases, {faulty} with a fault, {refused} refused")
        except KeyboardInterrupt:
            is_stopped = True
    print(file=sys.stderr)
    print(f"masker               {masker or 'as the recipe says'}")
    for name, some in found.items():
        if some:
            print(f"generator            {name}\n{summary(some)}\n")
    if tables:
        print(f"{table_summary(tables)}\n")
    print(f"{number} of {len(seeds)} cases, {faulty} with a fault, {refused} refused")
    print(f"{perf_counter() - start:.0f} s in all{', STOPPED before the end' if is_stopped else ''}", flush=True)
    if is_stopped:
        return STOPPED
    most = MOST_REFUSED if masker is None else MOST_REFUSED_BY_MASKERS
    return 1 if faulty or (refused > most * len(seeds) and not one) else 0


def faults_of(followed: Followed, masker: str | None) -> list[str]:
    """Return everything that is wrong with what became of a case."""
    outcome = followed.outcome
    stuck = masker is None and followed.is_stuck
    missing = [f"no way out is offered: {outcome.refusal or outcome.withheld}"] if stuck else []
    return [*outcome.faults, *followed.failing, *missing]


if __name__ == "__main__":
    raise SystemExit(main())
