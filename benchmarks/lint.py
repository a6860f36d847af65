"""Plant 200 faults in 500 rules, check the rule set, and count what is found, missed and invented.

    .venv/bin/python benchmarks/lint.py                          200 faults in 500 rules, five rule sets
    .venv/bin/python benchmarks/lint.py --faults 400 --rules 1000

The rule sets are those of tests/lint/planted.py. CPU time includes that of Saxon's process, which compiles the rules.
The exit code is 1 if a fault is missed, a finding is invented, or a question is left open.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from constraint_sdc.commands.lint import lint_rules  # noqa: E402
from tests.lint.planted import compare_with_planted, planted_rules  # noqa: E402


def cpu_seconds() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def run(faults: int, rules: int, seed: int) -> bool:
    """Check one rule set, print a line, and tell whether all is as planted."""
    made = planted_rules(faults, rules, seed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "planted.sch"
        file.write_text(made.schema(), encoding="utf-8")
        before = cpu_seconds()
        result = lint_rules(file)
        spent = cpu_seconds() - before
    compared = compare_with_planted(made, result)
    found = len(made.faults) - len(compared.missed)
    print(
        f"seed {seed}: {made.count} rules, {len(made.faults)} faults: {found} found, {len(compared.missed)} missed, "
        f"{len(compared.invented)} invented, {len(result.undecided)} undecided, {spent:.1f} s CPU"
    )
    for fault in compared.missed:
        print(f"  missed: {fault.code} at {', '.join(sorted(fault.rules))}")
    for finding in compared.invented:
        print(f"  invented: {finding.code} at {finding.rule.id}: {finding.reason}")
    return not compared.missed and not compared.invented and not result.undecided


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--rules", type=int, default=500)
    parser.add_argument("--sets", type=int, default=5)
    given = parser.parse_args()
    as_planted = [run(given.faults, given.rules, seed) for seed in range(1, given.sets + 1)]
    return 0 if all(as_planted) else 1


if __name__ == "__main__":
    sys.exit(main())
