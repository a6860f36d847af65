"""`--engine` and what belongs to it: where a command's work runs, and where its large arrays live."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from constraint_sdc.cli.options import LOCAL
from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from constraint_sdc.engines.engine import EngineSettings, Tls

Command = Callable[..., None]


class EngineName(click.ParamType[str]):
    """The name of an engine, one of ours or an installed one; `before` are words of the command's own."""

    name = "engine"

    def __init__(self, before: Sequence[str] = ("auto",)) -> None:
        self._before = tuple(before)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002  (click's signature)
        """Show every name."""
        return f"[{'|'.join(self._names())}]"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  (click's signature)
        """Complete a name."""
        return [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Accept a registered name."""
        if value not in self._before and value not in self._names():
            self.fail(f"{value!r} is not one of {', '.join(map(repr, self._names()))}.", param, ctx)
        return value

    def _names(self) -> tuple[str, ...]:
        from constraint_sdc.engines.registry import ENGINES

        return (*self._before, *ENGINES.names)


_WORKERS = (
    click.option("--workers", type=click.IntRange(min=1), help="Processes that work at a time. [default: all cores]"),
    click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler, such as tcp://127.0.0.1:8786. [default: own]"),
    click.option("--tls-ca", type=LOCAL, help="Certificate authority of the scheduler (PEM), for a tls:// address."),
    click.option("--tls-cert", type=LOCAL, help="Our certificate for the scheduler (PEM)."),
    click.option("--tls-key", type=LOCAL, help="Private key of our certificate (PEM)."),
)
_ALL = (
    click.option(
        "--engine",
        type=EngineName(),
        default="auto",
        show_default=True,
        help="Where work runs: here, in processes, on Dask; auto: in processes if there is much. Same bytes.",
    ),
    *_WORKERS,
    click.option(
        "--scratch",
        type=LOCAL,
        help="Directory for large temporary arrays, which all workers must see. [default: the system's]",
    ),
    click.option(
        "--resume",
        is_flag=True,
        help="Keep finished pieces of work in --scratch until the command succeeds, and take those of a stopped run.",
    ),
)


def engine_options(command: Command) -> Command:
    """Give a command the options, and let it run on the engine that they choose."""

    @functools.wraps(command)
    def on_engine(*, engine: str, scratch: Path | None, resume: bool, **given: Any) -> None:
        from constraint_sdc.engines.running import engine_of

        with engine_of(_settings(engine, scratch, given, resume)):
            command(**given)

    return _with(on_engine, _ALL)


def worker_options(command: Command) -> Command:
    """Give `check` the options; its `--engine` can also be `saxon`, and it needs no scratch files."""

    @functools.wraps(command)
    def on_engine(*, engine: str, **given: Any) -> None:
        from constraint_sdc.engines.running import engine_of

        if engine != "saxon":
            with engine_of(_settings(engine, None, given)):
                command(engine="auto", **given)
            return
        for name in _NAMES:
            if given.pop(name) is not None:
                hint = "with --engine saxon, one process of Saxon judges everything"
                raise UsageError(f"--{name.replace('_', '-')} has no meaning here", hint=hint)
        command(engine=engine, **given)

    return _with(on_engine, _WORKERS)


def work_ahead(module: str, files: Sequence[Path]) -> None:
    """Start workers while the stages of the command are imported, if a file is so large that they will be needed."""
    from constraint_sdc.engines.engine import SECONDS_PER_BYTE
    from constraint_sdc.engines.running import prepare_workers

    largest = max((path.stat().st_size for path in files if path.is_file()), default=0)
    prepare_workers(module, work=largest * SECONDS_PER_BYTE)


_NAMES = ("workers", "scheduler", "tls_ca", "tls_cert", "tls_key")


def _with(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def _settings(engine: str, scratch: Path | None, given: dict[str, Any], resume: bool = False) -> EngineSettings:
    from constraint_sdc.engines.engine import EngineSettings

    workers, scheduler, *tls = (given.pop(name) for name in _NAMES)
    files = _tls(dict(zip(("ca", "cert", "key"), tls, strict=True)))
    return EngineSettings(engine, workers, scheduler, files, scratch, resume)


def _tls(files: dict[str, Path | None]) -> Tls | None:
    from constraint_sdc.engines.engine import Tls

    known = {name: path for name, path in files.items() if path is not None}
    if not known:
        return None
    missing = [f"--tls-{name}" for name in files if name not in known]
    if missing:
        raise UsageError(f"{missing[0]} is missing", hint="TLS needs --tls-ca, --tls-cert and --tls-key")
    for name, path in known.items():
        if not path.is_file():
            raise UsageError(f"--tls-{name}: no such file", file=str(path), hint="name a PEM file")
    return Tls(**known)
