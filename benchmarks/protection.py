"""Attack the promises about people: random files and recipes, masked, and recounted on the written bytes.

    .venv/bin/python benchmarks/protection.py [--cases 1000] [--first-seed 0] [--jobs 2] [--keep DIR]
    .venv/bin/python benchmarks/protection.py --case 123 --keep DIR      one case, with its files
    .venv/bin/python benchmarks/protection.py --price [census.csv]       what each promise costs, as Markdown tables
    .venv/bin/python benchmarks/protection.py --price census.csv --docs  rewrites the section of docs/protect.md

A case has persons or firms with identifiers, codes, quasi-identifiers, hierarchies, weights, missing codes and
outliers, up to five edit rules, and a recipe with random promises. Code that shares nothing with the engine recounts
every promise on the published bytes, looks for removed values, compares what is kept, and Saxon judges the rules. Ends
with 1 if a promise or a rule is broken, a masking ends in an error that is no refusal, or more than one case in twenty
is refused. A run that is stopped (Ctrl-C, SIGTERM) prints the summary of the cases so far and ends with 130.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from time import perf_counter

from promise_price import write_prices

from constraint_sdc.exam.guarantee.generator import write_case
from constraint_sdc.exam.long_run import STOPPED, run_cases, stoppable, tell_progress
from constraint_sdc.exam.protection.exam import ProtectedOutcome, run_protected
from constraint_sdc.exam.protection.generator import make_protected

MOST_REFUSED = 0.05


def run_seed(seed: int) -> ProtectedOutcome:
    with tempfile.TemporaryDirectory() as folder:
        return run_protected(make_protected(seed), Path(folder))


def reason(refusal: str) -> str:
    """Return a refusal without its hint, names of variables and numbers, so that equal reasons are counted together."""
    bare = refusal.rpartition(".sch: ")[2].rpartition(".xml: ")[2].partition(" (")[0]
    return re.sub(r"\b[A-Z][A-Za-z]+\b|'[^']*'|\d+([.]\d+)?", "…", bare)


def summary(found: list[ProtectedOutcome]) -> str:
    broken = Counter(promise for outcome in found for promise in dict(outcome.broken))
    refused = Counter(reason(outcome.refusal) for outcome in found if outcome.refusal is not None)
    promised = Counter(word for outcome in found for word in outcome.promises)
    counted = [outcome.found for outcome in found if outcome.found is not None]
    groups = sum(one.groups for one in counted)
    own = sum(one.verbatim_groups for one in counted)
    times = sorted(outcome.seconds for outcome in found)
    middle, high = times[len(times) // 2], times[min(len(times) - 1, len(times) * 19 // 20)]
    return "\n".join(
        [
            f"cases                {len(found)}, published {len(counted)}",
            f"promises stated      {', '.join(f'{word} {count}' for word, count in promised.most_common())}",
            f"with a fault         {sum(bool(outcome.broken) for outcome in found)}",
            *(f"  {count:>5}  {promise}" for promise, count in broken.most_common()),
            f"refused              {refused.total()} ({100 * refused.total() / len(found):.1f} %)",
            *(f"  {count:>5}  {why}" for why, count in refused.most_common()),
            f"verbatim groups      {own:,} of {groups:,} ({100 * own / max(1, groups):.2f} %), allowed ones included",
            f"seconds per masking  median {middle:.2f}, 19 in 20 below {high:.2f}",
        ]
    )


def keep(outcome: ProtectedOutcome, folder: Path) -> None:
    """Write the files of a case, and what is wrong with it, so that it can be replayed."""
    place = folder / f"case-{outcome.case.seed}"
    write_case(outcome.case, place)
    note = {"k": outcome.case.k, "broken": outcome.broken, "refusal": outcome.refusal}
    (place / "failure.json").write_text(json.dumps(note, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def attack(options: argparse.Namespace) -> int:
    """Run the cases and print what came of them; return the exit code."""
    one = options.case is not None
    seeds = [options.case] if one else range(options.first_seed, options.first_seed + options.cases)
    start, found, is_stopped = perf_counter(), list[ProtectedOutcome](), False
    with stoppable(), closing(run_cases(run_seed, seeds, 1 if one else options.jobs)) as outcomes:
        try:
            for outcome in outcomes:
                found.append(outcome)
                if outcome.broken:
                    print(f"\n{outcome.story()}", flush=True)
                if options.keep and (outcome.broken or one):
                    keep(outcome, options.keep)
                tell_progress(len(found), f"{len(found)} cases, {sum(bool(one.broken) for one in found)} with a fault")
        except KeyboardInterrupt:
            is_stopped = True
    print(file=sys.stderr)
    if found:
        print(summary(found))
    print(f"{perf_counter() - start:.0f} s in all{', STOPPED before the end' if is_stopped else ''}", flush=True)
    if is_stopped:
        return STOPPED
    refused = sum(outcome.refusal is not None for outcome in found)
    is_faulty = any(outcome.broken for outcome in found)
    return 1 if is_faulty or (refused > MOST_REFUSED * len(found) and not one) else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="directory for the files of failing cases")
    parser.add_argument("--case", type=int, help="run the case of this seed alone, and keep it in any event")
    parser.add_argument("--price", action="store_true", help="measure what each promise costs instead")
    parser.add_argument(
        "csv", nargs="?", type=Path, help="for --price: rows with V1..V16 that satisfy the census rules"
    )
    parser.add_argument("--docs", action="store_true", help="rewrite the section of docs/protect.md; needs the CSV")
    options = parser.parse_args()
    if (options.docs or options.csv) and not options.price:
        parser.error("a CSV and --docs belong to --price")
    if options.docs and options.csv is None:
        parser.error("--docs needs the reference file: name a CSV")
    if options.price:
        return write_prices(options.csv, is_docs=options.docs)
    return attack(options)


if __name__ == "__main__":
    raise SystemExit(main())
