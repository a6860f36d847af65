"""Count refusals of business-survey files, and follow every way out that they offer.

    .venv/bin/python benchmarks/refusals.py [--cases 300] [--first-seed 0] [--jobs 2]
    .venv/bin/python benchmarks/refusals.py --guarantee          the cases of benchmarks/guarantee.py instead

Ends with 1 if a way out that is offered does not end in a published file, a refusal offers none, or a masking has a
fault.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
from contextlib import ExitStack
from functools import partial

from constraint_sdc.exam.guarantee.business_survey import make_survey
from constraint_sdc.exam.guarantee.following import Followed, follow
from constraint_sdc.exam.guarantee.generator import make_case
from constraint_sdc.exam.guarantee.judging import pooled_saxon

_OPEN = ExitStack()


def enter_pool() -> None:
    """Keep Saxon's processes of this worker for all its cases."""
    _OPEN.enter_context(pooled_saxon())


def run_seed(seed: int, *, is_guarantee: bool) -> Followed:
    return follow(make_case(seed) if is_guarantee else make_survey(seed))


def summary(found: list[Followed]) -> str:
    outcomes = [one.outcome for one in found]
    refused = [one for one in outcomes if one.refusal]
    withheld = [one for one in outcomes if one.withheld]
    published = [one for one in outcomes if not one.refusal and not one.withheld and not one.faults]
    lines = [
        f"{len(found)} cases: {len(published)} published, {len(refused)} refused, {len(withheld)} withheld, "
        f"{sum(bool(one.faults) for one in outcomes)} with faults",
        f"ways out: {sum(len(one.ways) for one in outcomes)} offered and followed, "
        f"{sum(len(one.failing) for one in found)} fail; {sum(one.is_stuck for one in found)} cases offer none",
    ]
    if refused and published:
        times = [statistics.median(one.seconds for one in some) for some in (refused, published)]
        lines.append(f"a refusal takes {times[0] / times[1]:.1f} times as long as a masking (medians)")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--guarantee", action="store_true")
    given = parser.parse_args()
    run = partial(run_seed, is_guarantee=given.guarantee)
    seeds = range(given.first_seed, given.first_seed + given.cases)
    with multiprocessing.get_context("spawn").Pool(given.jobs, enter_pool) as pool:
        found = list(pool.imap(run, seeds))
    for one in found:
        for line in (*one.outcome.faults, *one.failing):
            print(line)
        if one.is_stuck:
            print(f"case {one.outcome.seed} offers no way out: {one.outcome.refusal or one.outcome.withheld}")
    print(summary(found))
    return 1 if any(one.outcome.faults or one.failing or one.is_stuck for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
