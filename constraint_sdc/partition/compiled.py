"""Kernels compiled by numba for long searches and large files: cached on disk, with a log message before compilation.

Import modules with kernels inside the functions that need them: numba takes a quarter of a second to load. Keep kernels
to scalars and loops: an expression over arrays takes longer to compile than the rest of a kernel. A kernel calls only
kernels of its own file, because the cache does not track changes in other files. Indices are unsigned (`U`) where a
kernel is short of time: for a signed index the compiler adds a test, because Python counts negative ones from the end.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.runtime.nrt import rtsys

from constraint_sdc.partition.partitioner import cores

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])

_log = logging.getLogger("constraint_sdc.partition")

U: Any = np.uint64

_LOADS_ALONE = ("0.68.",)
"""Versions of numba whose machine code is known to run without the compiler; others load both."""


def compiled(function: _Kernel) -> _Kernel:
    """Compile a function for the argument types of its first call; it runs without the GIL.

    Arithmetic is that of IEEE doubles in the order written, as in NumPy: no operation is fused or reordered, and
    division by zero is no error.
    """
    try:
        kernel: Any = numba.njit(nogil=True, cache=True, error_model="numpy")(function)
        kernel._cache.load_overload = _rebuilding(kernel._cache)
        return cast(_Kernel, kernel)
    except RuntimeError:  # no writable cache directory: compile in every process
        return cast(_Kernel, numba.njit(nogil=True, error_model="numpy")(function))


def _rebuilding(cache: Any) -> Callable[..., Any]:
    """Return numba's way to load machine code from disk, except that damaged files are dropped and compiled again."""
    load = _loading(cache)

    def load_or_forget(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except Exception as problem:  # whatever bytes of a damaged file make of unpickling
            _log.info("the cache of compiled code is damaged and is built again (%s)", type(problem).__name__)
            cache.flush()
            return None

    return load_or_forget


def _loading(cache: Any) -> Callable[..., Any]:
    """Return a way to load machine code without the compiler, which numba prepares first: 0.06 instead of 0.33 s.

    Machine code needs numba's memory management alone. A kernel that is compiled later prepares the compiler then.
    """
    if not numba.__version__.startswith(_LOADS_ALONE):
        return cast(Callable[..., Any], cache.load_overload)

    def load(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, context)

    return load


def is_kept(kernel: Callable[..., Any]) -> bool:
    """Tell whether the machine code of a kernel is kept on disk, for other processes to load."""
    return cast(Any, kernel).stats.cache_path is not None


def announce(what: str, kernels: Sequence[Callable[..., Any]]) -> None:
    """Log a message if kernels must be compiled first."""
    waiting = [kernel for kernel in cast(Sequence[Any], kernels) if not kernel.signatures and not _is_cached(kernel)]
    if waiting:
        _log.info("compiling the %s: takes a few seconds, once per machine", what)


def _is_cached(kernel: Any) -> bool:
    """Tell whether the disk cache has machine code for this kernel that is newer than its source."""
    folder = kernel.stats.cache_path
    if folder is None or not Path(folder).is_dir():
        return False
    source = Path(kernel.py_func.__code__.co_filename)
    names = Path(folder).glob(f"{source.stem}.{kernel.py_func.__name__}-*.nbi")
    return any(name.stat().st_mtime >= source.stat().st_mtime for name in names)


def in_threads(work: Callable[[int, int], Any], count: int, chunk: int) -> list[Any]:
    """Call `work(start, stop)` for the chunks of 0..count, on all cores; results are in the order of the chunks.

    The chunks do not depend on the number of cores, so neither do the results.
    """
    bounds = [(start, min(start + chunk, count)) for start in range(0, count, chunk)]
    available = cores()
    if available == 1 or len(bounds) < 2:
        return [work(*each) for each in bounds]
    return list(_pool(available).map(lambda each: work(*each), bounds))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return a pool of threads that is kept: a sweep is too short to start new threads each time."""
    return ThreadPoolExecutor(threads)
