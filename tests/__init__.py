"""The tests, and the digits that they compare.

NumPy and OpenBLAS choose their routines by the vector units of the processor, and the last digit of a sum, a logarithm
or a regression follows the choice. Recorded figures (tests/matrix, sessions in the documentation) would differ from one
machine to the next. So every test, and every program that a test starts, takes the routines of AVX2 on any processor of
the x86 family. Set the variables to look at other routines; tests/partition/test_machines.py does.

OpenBLAS takes one thread. Its other threads wait for the next product of matrices by counting, not by sleeping, and
take the time of other tests: 40 runs of the matrix take 31 seconds of CPU with two threads and 17 with one. No digit
follows from their number, which tests/partition/test_machines.py examines too.
"""

from __future__ import annotations

import os
import platform

# Before the first import of NumPy, which reads them once.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if platform.machine() in ("x86_64", "AMD64"):
    os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_ICL AVX512_SPR")
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
