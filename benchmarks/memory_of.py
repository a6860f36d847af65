"""Run a command and print the most memory that it and its child processes held together.

    .venv/bin/python benchmarks/memory_of.py -- .venv/bin/constraint-sdc mask data.xml --rules rules.sch -k 5 -o out.xml

Anonymous memory is what the system cannot take back. Resident memory also counts mapped files, scratch files among them,
once for every process that maps them; the system takes that memory back when it needs it. Linux only.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from time import perf_counter


def processes(parent: int) -> list[int]:
    """Return a process and everything that it started."""
    found = [parent]
    for task in Path(f"/proc/{parent}/task").glob("*"):
        for child in (task / "children").read_text().split():
            found += processes(int(child))
    return found


def held(process: int) -> tuple[int, int]:
    """Return the anonymous and the resident bytes of a process; none if it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
    except (OSError, ProcessLookupError):
        return 0, 0
    sizes = {line.split(":")[0]: int(line.split()[1]) << 10 for line in lines}
    return sizes.get("Anonymous", 0), sizes.get("Rss", 0)


def watched(command: list[str], every: float = 0.1) -> tuple[int, int, int, float]:
    """Return the exit code, the most anonymous and resident bytes of all processes together, and the seconds."""
    started = perf_counter()
    process = subprocess.Popen(command)
    most = [0, 0]
    is_over = threading.Event()

    def look() -> None:
        while not is_over.wait(every):
            try:
                sizes = [held(one) for one in processes(process.pid)]
            except OSError:
                continue
            for place in (0, 1):
                most[place] = max(most[place], sum(size[place] for size in sizes))

    watcher = threading.Thread(target=look)
    watcher.start()
    code = process.wait()
    is_over.set()
    watcher.join()
    return code, most[0], most[1], perf_counter() - started


def main() -> None:
    words = sys.argv[1:]
    if words[:1] != ["--"] or len(words) < 2:
        raise SystemExit(__doc__)
    code, anonymous, resident, seconds = watched(words[1:])
    told = f"anonymous {anonymous >> 20:,} MB, resident {resident >> 20:,} MB, wall {seconds:.1f} s"
    print(told, file=sys.stderr)
    raise SystemExit(code)


if __name__ == "__main__":
    main()
