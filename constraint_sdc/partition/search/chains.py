"""Independent runs of the search, in parallel processes if there are several cores."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.partitioner import COMPILED_ABOVE, cores
from constraint_sdc.partition.search.annealing import anneal

# Not `-m`: that puts the current directory on the module path, where another file could be imported in place of a
# module.
_START = "import sys; sys.path.append(sys.argv[1]); from constraint_sdc.partition.search.chains import main; main()"
_ROOT = str(Path(__file__).resolve().parents[3])
_WORTH_A_PROCESS = 3_000_000  # records times sweeps: about a second


@dataclass(frozen=True, slots=True)
class Chain:
    """One run of the annealing: where it starts, how long it is, its seed and its heat."""

    start: Labels
    sweeps: int
    seed: int
    heat: float = 1.0


def run_chains(cloud: Cloud, lists: AnyIntegers, k: int, chains: Sequence[Chain]) -> list[Labels]:
    """Return the result of each run; it does not depend on how many run at the same time."""
    available = cores()
    here = partial(_run, cloud, lists, k)
    is_large = len(cloud) > COMPILED_ABOVE  # then each run has threads for all cores
    if len(chains) < 2 or available < 2 or is_large or len(cloud) * chains[0].sweeps < _WORTH_A_PROCESS:
        return [here(chain) for chain in chains]
    children = _Children()
    pool = ThreadPoolExecutor(min(available, len(chains)))
    try:
        found = list(pool.map(lambda chain: children.run(_packed(cloud, lists, k, chain)), chains))
    except BaseException:
        children.end()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    # No process could be started: run the chain here instead.
    return [here(chain) if labels is None else labels for chain, labels in zip(chains, found, strict=True)]


def _run(cloud: Cloud, lists: AnyIntegers, k: int, chain: Chain) -> Labels:
    return anneal(cloud, chain.start, k, lists, chain.sweeps, chain.seed, chain.heat)


class _Children:
    """Child processes: `end` stops them on an interrupt, and they stop themselves when the parent's pipe closes."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_over = False

    def run(self, task: bytes) -> Labels | None:
        """Return the labels computed by a child process, or None if it fails."""
        if self._is_over:
            return None
        command = [sys.executable, "-P", "-c", _START, _ROOT]
        quiet = subprocess.DEVNULL
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet) as process:
            self._running.add(process)
            assert process.stdin is not None
            assert process.stdout is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(len(task).to_bytes(8, "big") + task)
                process.stdin.flush()
            answer = process.stdout.read()  # its input stays open until then, so that it ends with this process
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        self._running.discard(process)
        return None if process.returncode else np.load(io.BytesIO(answer), allow_pickle=False)

    def end(self) -> None:
        """End all processes at once."""
        self._is_over = True
        for process in list(self._running):
            process.kill()


def _packed(cloud: Cloud, lists: AnyIntegers, k: int, chain: Chain) -> bytes:
    task = io.BytesIO()
    numbers = np.array([k, chain.sweeps, chain.seed], np.int64)
    weights = np.zeros(0) if cloud.weights is None else cloud.weights
    for array in (cloud.points, weights, lists, chain.start, numbers, np.array([chain.heat])):
        np.save(task, array, allow_pickle=False)
    return task.getvalue()


def main(source: BinaryIO = sys.stdin.buffer, target: BinaryIO = sys.stdout.buffer) -> None:
    """Run one chain in a process of its own: arrays in, labels out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted too, and ends this process
    task = io.BytesIO(source.read(int.from_bytes(source.read(8), "big")))
    threading.Thread(target=lambda: (source.read(), os._exit(1)), daemon=True).start()
    points, weights, lists, start, numbers, heat = (np.load(task, allow_pickle=False) for _ in range(6))
    k, sweeps, seed = numbers.tolist()
    cloud = Cloud(points, weights=weights if len(weights) else None)
    answer = io.BytesIO()
    np.save(answer, _run(cloud, lists, k, Chain(start, sweeps, seed, float(heat[0]))), allow_pickle=False)
    target.write(answer.getvalue())
    target.flush()
    os._exit(0)  # without waiting for the thread that watches the parent
