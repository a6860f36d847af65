"""The gate as a library: generate an extract, damage it, check both, and print what a release engineer needs.

The data are XML, because one of the shipped Schematron rules looks values up in another document; `check_file` takes
tables and rules in other languages as well.

python examples/check_from_python.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import constraint_sdc as cs


def main(folder: Path) -> None:
    """Check a clean and a damaged extract against the shipped census rules."""
    original = cs.generate_census(folder / "original.xml", 1000, seed=1)
    damaged = cs.generate_census(folder / "damaged.xml", 1000, seed=1, break_share=0.01)
    rules = cs.shipped_rules("census.sch")

    for rule in cs.list_rules(rules).rows:
        print(f"{rule.id:7} {rule.kind:16} {rule.normal_form}")
    for data in (original, damaged):
        result = cs.check_file(data, rules, original=original, max_examples=1)
        print(f"{data.name}: exit code {result.exit_code}")
        for outcome in result.failing:
            print(
                f"  {outcome.rule}: {outcome.failed} of {outcome.fired}, first in record {outcome.violations[0].record}"
            )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
