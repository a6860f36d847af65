"""Inputs that are given by an address: every command fetches them first, and works on private copies."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraint_sdc.errors import UsageError
from constraint_sdc.named_copies import is_address, shown_address

if TYPE_CHECKING:
    from constraint_sdc.files.addresses.address import Address

Callback = Callable[..., object]


class InputFile(click.Path):
    """A file that is read: a path, or an address."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Turn the word into a path, or into an address that is still to be fetched."""
        return _address(value) if is_address(value) else super().convert(value, param, ctx)


class InputWord(click.ParamType[Any]):
    """A word that may be the address of a file."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002  (click's signature)
        """Turn an address into one that is still to be fetched; leave any other word."""
        return _address(value) if is_address(value) else value


class LocalFile(click.Path):
    """A file or directory of this machine, and what to do in place of giving its address."""

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(path_type=Path)
        self._why, self._hint = why, hint

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Turn the word into a path; refuse an address."""
        if is_address(value):
            raise UsageError(self._why, file=shown_address(value), hint=self._hint)
        return super().convert(value, param, ctx)


def _address(value: str) -> Address:
    from constraint_sdc.files.addresses.address import address

    return address(value)


def with_addresses(command: click.Command) -> click.Command:
    """Let a command, or the commands of a group, fetch what its arguments name by an address."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            with_addresses(inner)
    elif command.callback is not None and not hasattr(command.callback, "fetches_addresses"):
        command.callback = _fetching(command.callback)
    return command


def _fetching(callback: Callback) -> Callback:
    @functools.wraps(callback)
    def fetching(*context: Any, **given: Any) -> object:
        wanted = list(_addresses(tuple(given.values())))
        if not wanted:
            return callback(*context, **given)
        from constraint_sdc.engines.engine import EngineSettings
        from constraint_sdc.files.addresses.fetch import fetched

        place = EngineSettings(scratch=given.get("scratch")).scratch  # refused now if there is no such directory
        with fetched(wanted, place) as copies:
            return callback(*context, **{name: _replaced(value, copies) for name, value in given.items()})

    fetching.fetches_addresses = True  # type: ignore[attr-defined]  # a mark, so that it is done once
    return fetching


def _addresses(value: Any) -> Iterator[Address]:
    """Yield the addresses among the values of arguments."""
    if isinstance(value, tuple):
        for item in value:
            yield from _addresses(item)
    elif hasattr(value, "shown") and hasattr(value, "url"):
        yield value


def _replaced(value: Any, copies: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_replaced(item, copies) for item in value)
    return copies[value.url] if any(_addresses(value)) else value
