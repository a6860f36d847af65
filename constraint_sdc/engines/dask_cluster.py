"""The engine of a Dask scheduler: an existing one by its address, or that of a cluster of this machine's own.

A task is the name of a function and a packed piece; the scheduler sees neither files nor code of a user. Dask runs any
pickle that it receives, so a scheduler elsewhere is to be reached by TLS.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from constraint_sdc import __version__
from constraint_sdc.engines.engine import (
    ATTEMPTS,
    IN_FLIGHT,
    Engine,
    Piece,
    Result,
    Tls,
    mark_worker,
)
from constraint_sdc.engines.parcel import packed_bytes, unpacked
from constraint_sdc.engines.scratch import read_stored
from constraint_sdc.engines.task import lost, name_of, outcome, result_of
from constraint_sdc.errors import EngineError

_CONNECTING = "10s"


def run_task(version: str, name: str, parcel: bytes | Path) -> bytes:
    """Return the packed outcome of one task; a worker of another version could give another result, and refuses."""
    if version != __version__:
        raise EngineError(
            f"a worker of the cluster has constraint_sdc {__version__}, this is {version}",
            hint="install the same version on all workers",
        )
    mark_worker()
    try:
        piece = unpacked(parcel) if isinstance(parcel, bytes) else unpacked(read_stored(parcel))
    except FileNotFoundError as problem:
        what = f"a worker of the cluster cannot read {problem.filename}"
        raise EngineError(what, hint="give --scratch a directory that all workers see under the same path") from None
    return b"".join(outcome(name, piece))


class DaskEngine:
    """Submits pieces to a scheduler and takes their results in order; closing leaves the scheduler."""

    name = "dask"

    def __init__(self, client: Any, where: str) -> None:
        self._client = client
        self._where = where
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
        waiting: deque[tuple[Any, Any, bytes | Path]] = deque()
        try:
            for piece in pieces:
                parcel = self._parcel(piece)
                waiting.append((self._submit(name, parcel), piece, parcel))
                while len(waiting) >= IN_FLIGHT * self.workers:
                    yield self._taken(name, waiting[0][0])
                    _remove(waiting.popleft()[2])
            while waiting:
                yield self._taken(name, waiting[0][0])
                _remove(waiting.popleft()[2])
        finally:
            for future, _, parcel in waiting:
                future.release()
                _remove(parcel)

    def _parcel(self, piece: Any) -> bytes | Path:
        """Return a piece as it is sent; workers elsewhere may not see our files."""
        return packed_bytes(piece)

    def _submit(self, name: str, parcel: bytes | Path) -> Any:
        if self._client.status != "running":
            self._gone()
        # Not pure: equal pieces would otherwise share one result for as long as it is known.
        return self._client.submit(run_task, __version__, name, parcel, pure=False)

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
        """Leave the scheduler."""
        self._client.close(timeout=1)


def _distributed() -> Any:
    """Return the library, half of whose functions have no types."""
    import distributed

    return distributed


def _remove(parcel: bytes | Path) -> None:
    if isinstance(parcel, Path):
        parcel.unlink(missing_ok=True)


def existing_scheduler(address: str, tls: Tls | None) -> Engine:
    """Return the engine of a scheduler that runs already."""
    distributed = _distributed()
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
