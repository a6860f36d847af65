"""The engine of a Dask cluster: an existing scheduler by its address, or a cluster of this machine's own.

A task is the name of a function and a packed piece; the scheduler sees neither files nor code of a user. Dask runs any
pickle that it receives, so a cluster of this machine's own listens on the loopback interface alone, and a scheduler
elsewhere is to be reached by TLS.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from constraint_sdc import __version__
from constraint_sdc.engines.engine import (
    ATTEMPTS,
    IN_FLIGHT,
    Engine,
    EngineSettings,
    Piece,
    Result,
    Tls,
    cores,
    mark_worker,
)
from constraint_sdc.engines.parcel import packed_bytes, unpacked
from constraint_sdc.engines.task import lost, name_of, outcome, result_of
from constraint_sdc.engines.worker import ONE_THREAD
from constraint_sdc.errors import EngineError, UsageError

_CONNECTING = "10s"
_OTHERWISE = "use --engine processes, or --scheduler with the address of a running one"


def run_task(version: str, name: str, parcel: bytes) -> bytes:
    """Return the packed outcome of one task; a worker of another version could give another result, and refuses."""
    if version != __version__:
        raise EngineError(
            f"a worker of the cluster has constraint_sdc {__version__}, this is {version}",
            hint="install the same version on all workers",
        )
    mark_worker()
    try:
        piece = unpacked(parcel)
    except FileNotFoundError as problem:
        what = f"a worker of the cluster cannot read {problem.filename}"
        raise EngineError(what, hint="give --scratch a directory that all workers see under the same path") from None
    return b"".join(outcome(name, piece))


class DaskEngine:
    """Submits pieces to a scheduler and takes their results in order; closing ends a cluster of our own."""

    name = "dask"

    def __init__(self, client: Any, where: str, own: contextlib.ExitStack | None = None) -> None:
        self._client = client
        self._where = where
        self._own = own
        self.workers = max(1, sum(client.nthreads().values()))

    def map(self, function: Callable[[Piece], Result], pieces: Iterable[Piece], *, work: float) -> Iterator[Result]:  # noqa: ARG002  (the protocol's signature)
        """Yield `function(piece)` for every piece, in the order of the pieces."""
        return self._mapped(name_of(function), iter(pieces))

    def prepare(self, module: str, *, work: float) -> None:
        """Do nothing: nothing has to be started."""

    def takes(self, work: float) -> bool:  # noqa: ARG002  (the protocol's signature)
        """Divide everything: whoever names a cluster wants it."""
        return True

    def _mapped(self, name: str, pieces: Iterator[Any]) -> Iterator[Any]:
        # A piece is held until its result is there: the scratch files that it names go with it.
        waiting: deque[tuple[Any, Any]] = deque()
        try:
            for piece in pieces:
                waiting.append((self._submit(name, piece), piece))
                while len(waiting) >= IN_FLIGHT * self.workers:
                    yield self._taken(name, waiting[0][0])
                    waiting.popleft()
            while waiting:
                yield self._taken(name, waiting[0][0])
                waiting.popleft()
        finally:
            for future, _ in waiting:
                future.release()

    def _submit(self, name: str, piece: Any) -> Any:
        if self._client.status != "running":
            self._gone()
        # Not pure: equal pieces would otherwise share one result for as long as it is known.
        return self._client.submit(run_task, __version__, name, packed_bytes(piece), pure=False)

    def _taken(self, name: str, future: Any) -> Any:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker
        from distributed.client import FuturesCancelledError

        try:
            answer = future.result()
        except KilledWorker:
            raise lost(name, "the cluster lost it", ATTEMPTS) from None
        except (CancelledError, FuturesCancelledError, OSError):
            self._gone()
        return result_of(*unpacked(answer))

    def _gone(self) -> NoReturn:
        raise EngineError(
            f"the scheduler at {self._where} went away", hint="start it again, then this command; or use another engine"
        )

    def rest(self) -> None:
        """Do nothing: workers of a cluster stay."""

    def close(self) -> None:
        """Leave the scheduler; end a cluster of our own."""
        self._client.close(timeout=1)
        if self._own is not None:
            self._own.close()


class _Dask:
    name = "dask"

    def start(self, settings: EngineSettings) -> Engine:
        try:
            import distributed
        except ImportError:
            raise UsageError(
                "the engine dask is not installed", hint="install it: pip install 'constraint-sdc[dask]'"
            ) from None
        if settings.scheduler is None:
            return _own_cluster(distributed, settings)
        return _existing(distributed, settings.scheduler, settings.tls)


def _own_cluster(distributed: Any, settings: EngineSettings) -> Engine:
    """Start a scheduler and workers on this machine; nobody outside can reach them."""
    import dask

    asked = {"distributed.scheduler.allowed-failures": ATTEMPTS, "distributed.nanny.environ": ONE_THREAD}
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory(prefix="constraint-sdc-dask-", dir=settings.scratch))
        with dask.config.set(asked):
            try:
                cluster = distributed.LocalCluster(
                    n_workers=settings.workers or cores(),
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",  # any free port: without an address it is always the same one
                    silence_logs=50,
                    local_directory=place,
                )
            except (RuntimeError, OSError) as problem:
                raise EngineError(f"no Dask cluster starts on this machine: {problem}", hint=_OTHERWISE) from None
        stack.callback(cluster.close, timeout=10)
        client = distributed.Client(cluster, set_as_default=False)
        return DaskEngine(client, cluster.scheduler_address, stack.pop_all())


def _existing(distributed: Any, address: str, tls: Tls | None) -> Engine:
    security = None
    if tls is not None:
        security = distributed.Security(
            tls_ca_file=str(tls.ca),
            tls_client_cert=str(tls.cert),
            tls_client_key=str(tls.key),
            require_encryption=True,
        )
    try:
        client = distributed.Client(address, security=security, timeout=_CONNECTING, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise EngineError(
            f"the scheduler at {address} does not answer: {problem}", hint="check the address and the TLS files"
        ) from None
    if not client.nthreads():
        client.close()
        raise EngineError(f"the scheduler at {address} has no workers", hint="start workers, then this command")
    return DaskEngine(client, address)


REGISTERED = {"dask": _Dask()}
