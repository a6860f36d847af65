"""A Dask cluster of this machine's own, for one command: nobody outside can reach it, and it costs little.

It starts with the first work that is worth it. Dask's own clocks, pages and profiles are off: they take CPU time as
long as the cluster lives. Parcels go by scratch files, which the scheduler need not read, and results come from the
workers straight.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from constraint_sdc.engines.dask_cluster import DaskEngine, existing_scheduler
from constraint_sdc.engines.engine import ATTEMPTS, Engine, EngineSettings, Piece, Result, cores
from constraint_sdc.engines.parcel import packed_bytes
from constraint_sdc.engines.running import scratch
from constraint_sdc.engines.serial import SerialEngine
from constraint_sdc.engines.worker import KEPT_MEMORY, ONE_THREAD
from constraint_sdc.errors import EngineError, UsageError

WORTH_CLUSTER = 3.0
"""CPU seconds of work below which pieces run in the calling process: a cluster of two workers takes that to start."""
_BEGINNING = 30  # seconds in which a worker that was killed begins again, on any machine
_SENT_UP_TO = 1 << 16  # bytes of a parcel that the scheduler passes on itself
_OTHERWISE = "use --engine processes, or --scheduler with the address of a running one"
_LEAN = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "1h",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.host-cpu": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.client.scheduler-info-interval": "1h",
    "distributed.deploy.cluster-repr-interval": "1h",
}


class OwnCluster:
    """Divides work among workers on this machine if it is worth a cluster; closing ends what was started."""

    name = "dask"

    def __init__(self, settings: EngineSettings) -> None:
        self.workers = settings.workers or cores()
        self._settings = settings
        self._engine: DaskEngine | None = None
        self._own = contextlib.ExitStack()

    def map(self, function: Callable[[Piece], Result], pieces: Iterable[Piece], *, work: float) -> Iterator[Result]:
        """Yield `function(piece)` for every piece, in the order of the pieces."""
        engine = self._started() if self.takes(work) else SerialEngine()
        return engine.map(function, pieces, work=work)

    def prepare(self, module: str, *, work: float) -> None:
        """Do nothing: the cluster starts with the first work."""

    def takes(self, work: float) -> bool:
        """Tell whether the work takes longer than starting the cluster."""
        return work >= WORTH_CLUSTER

    def rest(self) -> None:
        """Do nothing: workers stay."""

    def close(self) -> None:
        """End the cluster, if it was started."""
        if self._engine is not None:
            self._engine.close()
        self._own.close()

    def _started(self) -> Engine:
        if self._engine is None:
            self._engine = _start(self.workers, self._settings.scratch, self._own)
        return self._engine


class _OwnDaskEngine(DaskEngine):
    """The engine of workers that see our scratch files."""

    def _parcel(self, piece: Any) -> bytes | Path:
        parcel = packed_bytes(piece)
        return parcel if len(parcel) <= _SENT_UP_TO else scratch().stored(parcel)

    def close(self) -> None:
        """Leave the cluster when a worker that was killed has begun again: Dask cannot end one that just starts."""
        with contextlib.suppress(Exception):  # whatever keeps us from waiting: the cluster is ended all the same
            self._client.wait_for_workers(self.workers, timeout=_BEGINNING)
        super().close()


def _start(workers: int, inside: Path | None, own: contextlib.ExitStack) -> DaskEngine:
    dask, distributed = _libraries()
    near = {**ONE_THREAD, **KEPT_MEMORY}
    asked = {
        **_LEAN,
        "distributed.scheduler.allowed-failures": ATTEMPTS,
        "distributed.nanny.environ": ONE_THREAD,
        "distributed.nanny.pre-spawn-environ": near,
    }
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory(prefix="constraint-sdc-dask-", dir=inside))
        with dask.config.set(asked), _own_environment():
            try:
                cluster = distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",  # any free port: without an address it is always the same one
                    silence_logs=50,
                    local_directory=place,
                    memory_limit=0,  # Dask counts mapped scratch files as memory, and would end workers for them
                )
            except (RuntimeError, OSError) as problem:
                raise EngineError(f"no Dask cluster starts on this machine: {problem}", hint=_OTHERWISE) from None
        stack.callback(_end, cluster)
        client = distributed.Client(cluster, set_as_default=False, direct_to_workers=True)
        own.push(stack.pop_all())
        return _OwnDaskEngine(client, cluster.scheduler_address)


def _end(cluster: Any) -> None:
    """End a cluster. A worker that just starts ends with this process at the latest, because it watches its parent."""
    with contextlib.suppress(AssertionError):  # Dask's, of a worker whose process does not exist yet
        cluster.close(timeout=10)


def _libraries() -> tuple[Any, Any]:
    """Return the libraries, half of whose functions have no types."""
    import dask
    import distributed

    return dask, distributed


@contextlib.contextmanager
def _own_environment() -> Iterator[None]:
    """Keep the environment of this process: Dask sets in it what is meant for workers."""
    before = dict(os.environ)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


class _Dask:
    name = "dask"

    def start(self, settings: EngineSettings) -> Engine:
        if importlib.util.find_spec("distributed") is None:
            hint = "install it: pip install 'constraint-sdc[dask]'"
            raise UsageError("the engine dask is not installed", hint=hint)
        if settings.scheduler is None:
            return OwnCluster(settings)
        return existing_scheduler(settings.scheduler, settings.tls)


REGISTERED = {"dask": _Dask()}
