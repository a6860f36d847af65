"""The engine that works in the calling process, one piece after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from constraint_sdc.engines.engine import Engine, EngineSettings, Piece, Result
from constraint_sdc.engines.task import name_of


class SerialEngine:
    """Runs every piece here, when its result is asked for."""

    name = "serial"
    workers = 1

    def map(self, function: Callable[[Piece], Result], pieces: Iterable[Piece], *, work: float) -> Iterator[Result]:  # noqa: ARG002  (the protocol's signature)
        """Yield `function(piece)` for every piece."""
        name_of(function)
        return map(function, pieces)

    def prepare(self, module: str, *, work: float) -> None:
        """Do nothing: nothing has to be started."""

    def takes(self, work: float) -> bool:  # noqa: ARG002  (the protocol's signature)
        """Divide nothing."""
        return False

    def rest(self) -> None:
        """End nothing: nothing was started."""

    def close(self) -> None:
        """End nothing: nothing was started."""


class _Serial:
    name = "serial"

    def start(self, settings: EngineSettings) -> Engine:  # noqa: ARG002  (the protocol's signature)
        return SerialEngine()


REGISTERED = {"serial": _Serial()}
