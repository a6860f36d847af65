"""Groups and means do not depend on the machine: other vector units, another linear algebra, one core or several."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = str(Path(__file__).resolve().parents[2])

PROGRAM = """
import sys
import numpy as np
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.search.refine import Effort
from constraint_sdc.partition.methods.auto import Auto

random = np.random.default_rng(1)
parts = np.round(random.gamma(2, 300, size=(400, 2)))
sums = np.column_stack((parts, parts.sum(axis=1)))
ties = random.poisson(3, size=(300, 4)).astype(float)
categories = np.hstack((np.eye(6)[random.integers(0, 6, 200)], random.normal(size=(200, 1))))
large = np.exp(random.normal(size=(5_200, 3)))
# The small files are recombined from two runs; that of a large file would take a minute and tell nothing more.
for points, seconds, chains in ((sums, 0.1, 2), (ties, 0.1, 2), (categories, 0.1, 2), (large, 0.01, 1)):
    print(Auto(Effort("some", seconds, chains=chains)).partition(Cloud(points / points.std(axis=0)), 3, 0).tolist())
"""

CHOSEN = ("NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE")
"""What tests/__init__.py sets; without them NumPy takes the widest vector units that there are."""

THREADS = "OPENBLAS_NUM_THREADS"
"""Set there too; without it OpenBLAS takes as many threads as there are cores."""

AVX512 = {"NPY_DISABLE_CPU_FEATURES": "", "OPENBLAS_CORETYPE": ""}
MACHINES = {
    "AVX2": {name: os.environ[name] for name in CHOSEN if name in os.environ},
    "no AVX": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Nehalem"},
    "one thread": {THREADS: "1", "CONSTRAINT_SDC_TEST_CORES": "1"},
}


def output_of(program: str, settings: dict[str, str]) -> str:
    one_core = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    limit = one_core if "CONSTRAINT_SDC_TEST_CORES" in settings and hasattr(os, "sched_setaffinity") else ""
    kept = {name: value for name, value in os.environ.items() if name not in (*CHOSEN, THREADS)}
    environment = {**kept, "PYTHONPATH": TOP, **settings}
    command = [sys.executable, "-c", limit + program]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


GEOMETRIC = """
import hashlib
from constraint_sdc.data.groups import Groups
from constraint_sdc.operators.geometric_mean import GeometricMean

values = random.integers(1, 10**9, size=(30_000, 2)) / 1000
groups, weights = Groups(np.arange(30_000) // 5), random.integers(1, 9, 30_000).astype(float)
for some in (None, weights):
    print(hashlib.sha256(GeometricMean().representatives(values, groups, some).tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_groups_and_geometric_means_are_the_same_on_every_machine() -> None:
    """NumPy's exp and log differ in the last digit between vector units; those of the C library do not."""
    here = output_of(PROGRAM + GEOMETRIC, AVX512)
    *groups, plain, weighted = here.splitlines()
    assert len(groups) == 4
    assert plain != weighted
    for name, settings in MACHINES.items():
        assert output_of(PROGRAM + GEOMETRIC, settings) == here, name
