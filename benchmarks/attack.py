"""Hostile inputs and moments of every class, by the command line: how many there were, and what they achieved.

    python benchmarks/attack.py                                 all classes on this checkout, two at a time
    python benchmarks/attack.py rules plans --seed 3            some of them
    python benchmarks/attack.py --before CHECKOUT               the same classes on another checkout, beside this one

An attempt succeeds for the attacker, and counts as a fault, when the program prints a traceback, ends with an exit code
that it does not document, says of rules that must fail that they hold, shows or changes a file that it may not read,
leaves another file than its output, writes control characters or commands to a log, or does not end; when the two
engines differ on a file; when a masked file and its certificate do not belong together after a kill or a failed file
operation and one more command; when a changed field or bit of a certificate passes and is not listed as stated.
Attempts are drawn from a seed. `make gap` and `make crash` run more files and more kills.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hostile.attempt import Attempt, Tally
from hostile.documents import (
    hostile_certificates,
    hostile_plans,
    hostile_recipes,
    hostile_tables,
)
from hostile.fields import run_bits, run_fields
from hostile.gap import run_gap
from hostile.microdata import hostile_data
from hostile.moments import run_injected, run_kills
from hostile.running import SECRET, fault
from hostile.schemas import hostile_rules

TOP = Path(__file__).resolve().parents[1]

Run = Callable[[random.Random, Path], Tally]


def each(attempts: Callable[[random.Random], Iterator[Attempt]]) -> Run:
    """Return a class whose attempts are files and the words of one command."""

    def run(draw: random.Random, ground: Path) -> Tally:
        tally = Tally()
        for attempt in attempts(draw):
            achieved, is_refused = fault(attempt, ground)
            tally.attempts += 1
            tally.refused += is_refused
            if achieved:
                tally.faults.append(f"{attempt.what}: {achieved}")
        return tally

    return run


CLASSES: dict[str, Run] = {
    "data": each(hostile_data),
    "rules": each(hostile_rules),
    "recipes": each(hostile_recipes),
    "plans": each(hostile_plans),
    "certificates": each(hostile_certificates),
    "tables": each(hostile_tables),
    "parser-gap": run_gap,
    "kills": run_kills,
    "injected-faults": run_injected,
    "tampered-fields": run_fields,
    "single-bits": run_bits,
}


def run_class(name: str, seed: int) -> Tally:
    """Run one class in this process."""
    os.environ["CANARY"] = SECRET
    with tempfile.TemporaryDirectory() as folder:
        ground = Path(os.path.realpath(folder)) / "ground"
        ground.mkdir()
        return CLASSES[name](random.Random(f"{seed} {name}"), ground)


def of_checkout(checkout: Path, name: str, seed: int) -> Tally:
    """Run one class on the code of a checkout, in a process of its own."""
    words = [sys.executable, str(Path(__file__).resolve()), name, "--seed", str(seed), "--json"]
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} on {checkout} could not be run: {done.stderr[-2000:]}")
    return Tally(**json.loads(done.stdout.splitlines()[-1]))


def table(found: dict[str, Tally], before: dict[str, Tally]) -> str:
    """Return the table: this checkout, and the one before."""
    head = ["class", "attempts", "refused", "stated", "faults"]
    head += ["before: attempts", "refused", "faults"] if before else []
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    for name, tally in found.items():
        row = [tally.attempts, tally.refused, tally.stated, len(tally.faults)]
        if before:
            row += [before[name].attempts, before[name].refused, len(before[name].faults)]
        lines.append(f"| {name.replace('-', ' ')} | {' | '.join(f'{count:,}' for count in row)} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*", help=f"which classes, all by default: {', '.join(CLASSES)}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="classes at a time")
    parser.add_argument("--before", type=Path, help="another checkout to compare with")
    parser.add_argument("--json", action="store_true", help="one class, in this process, its counts as JSON")
    given = parser.parse_args()
    names = given.classes or list(CLASSES)
    if unknown := [name for name in names if name not in CLASSES]:
        parser.error(f"no such class: {', '.join(unknown)}")
    if given.json:
        print(json.dumps(vars(run_class(names[0], given.seed))))
        return 0
    checkouts = [TOP, *([given.before.resolve()] if given.before else [])]
    with ThreadPoolExecutor(given.jobs) as pool:
        tasks = {(checkout, name): pool.submit(of_checkout, checkout, name, given.seed)
                 for checkout in checkouts for name in names}  # fmt: skip
        done = {key: task.result() for key, task in tasks.items()}
    found, before = ({name: done[checkout, name] for name in names} for checkout in (TOP, checkouts[-1]))
    print(table(found, before if given.before else {}))
    for title, tallies in (("faults", found), ("faults before", before if given.before else {})):
        for name, tally in tallies.items():
            for text in tally.faults:
                print(f"{title}, {name}: {text}")
    return 1 if any(tally.faults for tally in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
