"""Choose where the work of the other verbs runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from constraint_sdc.engines.engine import EngineSettings, Tls
from constraint_sdc.engines.running import engine_of
from constraint_sdc.library.keywords import File
from constraint_sdc.library.settle import path_or_none


@contextmanager
def use_engine(
    name: str = "auto",
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    tls: Tls | None = None,
    scratch: File | None = None,
    resume: bool = False,
) -> Iterator[None]:
    """Let the verbs inside the block work on an engine: `serial`, `processes`, `dask`, or an installed one.

    `workers` is how many processes work at a time, by default as many as there are cores. `scheduler` is the address of
    a Dask scheduler, `tls` the files by which it is reached. Large arrays live in a private directory inside `scratch`.
    With `resume`, finished pieces of work stay there until the block succeeds, and those of a stopped run are taken.
    No result depends on any of these. The engine ends with the block.

    >>> import constraint_sdc as cs
    >>> with cs.use_engine("processes", workers=2, scratch="."):
    ...     cs.check_file("census.xml", "census.sch", original="census.xml").records
    200
    """
    with engine_of(EngineSettings(name, workers, scheduler, tls, path_or_none(scratch), resume)):
        yield
