"""Record the matrix, or compare today's code with the record.

python -m tests.matrix compare [NAME...]     the quick cases, or those whose name contains one of these texts
python -m tests.matrix compare --all         with the long cases: `make matrix`
python -m tests.matrix record [NAME...]      write the record anew, after a change on purpose
... --keep DIR                               also write every result in full, to compare two versions of the code
... --times                                  also print the slowest cases
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

from tests.matrix.case import MatrixCase, load_cases
from tests.matrix.normal import differences
from tests.matrix.recording import recorded, write_record
from tests.matrix.running import Runner, quick_judge, recorded_form


def main() -> int:
    """Run the chosen cases; return 1 if one of them differs from the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true", help="compare the long cases too")
    parser.add_argument("--keep", type=Path, help="directory for the results in full")
    parser.add_argument("--times", action="store_true", help="print the slowest cases")
    options = parser.parse_args()
    cases = load_cases()
    everything = options.all or options.what == "record"
    chosen = [case for case in cases if _is_chosen(case, options.names, everything)]
    results, times = _run(chosen, options.keep)
    if options.times:
        for seconds, name in sorted(((seconds, name) for name, seconds in times.items()), reverse=True):
            print(f"{seconds:6.2f} s  {name}")
        print(f"{sum(times.values()):6.1f} s in all, judges apart")
    if options.what == "record":
        impossible = [name for name, result in results.items() if "cannot run" in result]
        if impossible:
            print("\n".join(f"{name}: {results[name]['cannot run']}" for name in impossible))
            return 1
        write_record(cases, results)
        print(f"{len(results)} cases recorded")
        return 0
    return _compare(chosen, results)


def _is_chosen(case: MatrixCase, names: list[str], everything: bool) -> bool:
    if names:
        return any(name in case.name or name == case.topic for name in names)
    return everything or not case.is_long


def _run(cases: list[MatrixCase], keep: Path | None) -> tuple[dict[str, Any], dict[str, float]]:
    results: dict[str, Any] = {}
    times: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="matrix-inputs-") as cache, quick_judge():
        runner = Runner(Path(cache))
        for number, case in enumerate(cases, start=1):
            start = process_time()
            try:
                full = runner.run(case)
            except Exception as problem:  # the other cases still count
                results[case.name] = {"cannot run": f"{type(problem).__name__}: {problem}"}
                continue
            times[case.name] = process_time() - start
            # What is recorded is JSON: compare with what a reader of the file gets.
            results[case.name] = json.loads(json.dumps(recorded_form(full)))
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                text = json.dumps(full, indent=1, ensure_ascii=False)
                (keep / f"{re.sub(r'[^a-z0-9+]', '-', case.name.lower())}.json").write_text(text, encoding="utf-8")
            if sys.stderr.isatty():
                print(f"\r{number} of {len(cases)} cases", end="", file=sys.stderr, flush=True)
    return results, times


def _compare(cases: list[MatrixCase], results: dict[str, Any]) -> int:
    different = 0
    for case in cases:
        before = recorded(case)
        found = ["not recorded"] if before is None else list(differences(before, results[case.name]))
        if found:
            different += 1
            print(f"{case.name} ({case.topic}.yml)")
            print("\n".join(f"    $ {line}" for line in case.run))
            print("\n".join(f"  {line}" for line in found[:20]))
            if len(found) > 20:
                print(f"  and {len(found) - 20} more")
    print(f"{len(cases)} cases compared, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
