"""The gate as a library: generate an extract, damage it, check both, and print what a release engineer needs.

python examples/check_from_python.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import constraint_sdc as cs
from constraint_sdc.census.generate import generate_file
from constraint_sdc.files.json_file import shipped_file


def main(folder: Path) -> None:
    """Check a clean and a damaged extract against the shipped census rules."""
    original, damaged = folder / "original.xml", folder / "damaged.xml"
    generate_file(original, 1000, seed=1)
    generate_file(damaged, 1000, seed=1, break_share=0.01)
    rules = shipped_file("rules", "census.sch")

    for rule in cs.list_rules(rules).rows:
        print(f"{rule.id:7} {rule.kind:16} {rule.normal_form}")
    for data in (original, damaged):
        result = cs.check_file(data, rules, cs.CheckOptions(original=original, max_examples=1))
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
