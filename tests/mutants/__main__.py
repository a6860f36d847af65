"""Plant random faults in the package, one at a time, and count how many of them the tests notice.

python -m tests.mutants lines                      note which test executes which line: the whole suite, once
python -m tests.mutants lines --newer              the same for tests that were written since
python -m tests.mutants coverage                   the share of statements of every room that the tests execute
python -m tests.mutants run                        20 faults of every room: `make mutants`
python -m tests.mutants run --room plan --seed 7   other faults, of one room
python -m tests.mutants run --again --patient      those that no test noticed last time, with more tests
python -m tests.mutants table                      the scores and the coverage of every room, for docs/tests.md

The findings are kept in build/mutants; a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import queue
import random
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.mutants.faults import Fault
from tests.mutants.lines import BUILD, Witnesses, measure_lines, shares_by_room
from tests.mutants.sampling import all_faults, sample
from tests.mutants.trial import Plot, copy_project


def main() -> int:
    """Measure lines, try faults, or print the table; return 1 if a room is below the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("lines", "coverage", "run", "table"))
    parser.add_argument("--room", action="append", help="only faults of this room (repeat for several)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=20, help="faults of every room")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--patient", action="store_true", help="let a fault face ten times as many tests")
    parser.add_argument("--again", action="store_true", help="try only the faults that nothing noticed")
    parser.add_argument("--newer", action="store_true", help="lines: only of tests whose lines are not measured yet")
    options = parser.parse_args()
    if options.what == "lines":
        return measure_lines(options.newer)
    if options.what == "coverage":
        return _print_coverage()
    chosen = sample(all_faults(), options.faults, options.seed, options.room)
    kept = BUILD / f"findings-{options.seed}.jsonl"
    if options.what == "run":
        try_faults(chosen, kept, options.processes, again=options.again, is_patient=options.patient)
    return _print_table(chosen, _read(kept))


def _read(kept: Path) -> dict[str, dict[str, Any]]:
    if not kept.exists():
        return {}
    return {found["name"]: found for found in map(json.loads, kept.read_text(encoding="utf-8").splitlines())}


def try_faults(chosen: list[Fault], kept: Path, processes: int, *, again: bool, is_patient: bool) -> None:
    """Try the faults that have no finding yet, in several copies of the project at once."""
    known = {name for name, found in _read(kept).items() if found["noticed_by"] or not again}
    waiting = [fault for fault in chosen if fault.name not in known]
    random.Random(0).shuffle(waiting)  # the first findings already tell something about every room
    witnesses = Witnesses()
    plots: queue.Queue[Plot] = queue.Queue()
    for number in range(min(processes, len(waiting))):
        plots.put(Plot(copy_project(BUILD / f"tree-{number}"), patience=10 if is_patient else 1))

    def work(fault: Fault) -> None:
        plot = plots.get()
        try:
            found = plot.try_fault(fault, witnesses.of(fault.path, fault.line), witnesses.seconds)
        finally:
            plots.put(plot)
        with kept.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(found.as_json()) + "\n")
        what = found.noticed_by or "** NOT NOTICED **"
        print(f"{what:<60.120} {fault.path}:{fault.line} {fault.before} -> {fault.after}", flush=True)

    with ThreadPoolExecutor(processes) as pool:
        list(pool.map(work, waiting))


def _print_table(chosen: list[Fault], findings: dict[str, dict[str, Any]]) -> int:
    """Print the score of every room, and what nothing noticed; return 1 if a room is below 90 %."""
    rooms: dict[str, list[bool]] = defaultdict(list)
    for fault in chosen:
        if fault.name in findings:
            rooms[fault.room].append(findings[fault.name]["noticed_by"] is not None)
            if not rooms[fault.room][-1]:
                print(f"{fault.path}:{fault.line}: {fault.name}")
    lines = shares_by_room()
    print("| room | statements | executed | faults | noticed | share |\n|---|---:|---:|---:|---:|---:|")
    for room, noticed in sorted(rooms.items()):
        print(_row(room, lines[room], noticed))
    statements, executed = (sum(pair) for pair in zip(*lines.values(), strict=True))
    print(_row("all", (statements, executed), [one for noticed in rooms.values() for one in noticed]))
    return int(any(sum(noticed) < 0.9 * len(noticed) for noticed in rooms.values()))


def _print_coverage() -> int:
    rooms = shares_by_room()
    rooms["all"] = tuple(map(sum, zip(*rooms.values(), strict=True)))  # type: ignore[assignment]
    print("| room | statements | executed |\n|---|---:|---:|")
    for room, (statements, executed) in rooms.items():
        print(f"| {room} | {statements:,} | {executed / statements:.1%} |")
    return 0


def _row(name: str, lines: tuple[int, int], noticed: list[bool]) -> str:
    statements, executed = lines
    shares = f"{executed / statements:.1%}", f"{sum(noticed) / len(noticed):.0%}"
    return f"| {name} | {statements:,} | {shares[0]} | {len(noticed)} | {sum(noticed)} | {shares[1]} |"


if __name__ == "__main__":
    raise SystemExit(main())
