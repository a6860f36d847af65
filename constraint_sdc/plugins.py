"""Find everything that can be added by name: our own in one folder per kind, other people's by entry point.

A module of the folder offers its objects in a tuple `REGISTERED`. Another distribution offers one under an entry point:

    [project.entry-points."constraint_sdc.operators"]
    trimmed-mean = "my_package.trimmed_mean:TrimmedMean"

An entry point names an object, or a class that is made without arguments. It is loaded when it is asked for.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.abc import InspectLoader
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

OURS = "constraint-sdc"
"""The distribution of what stands in this package."""


class PluginError(UsageError):
    """An installed distribution offers something that cannot be used; the message names the distribution."""


@dataclass(frozen=True)
class Registry(Generic[T]):
    """All objects of one kind by name.

    `kind` is the word in messages, `folders` are the packages whose modules hold our own, `group` is the group of entry
    points. `protocol` has the members that an object needs, and `fault` says what else is wrong with it. Names are
    listed in the order of `first`, then our other ones, then those of other distributions, each by name.
    """

    kind: str
    folders: tuple[str, ...]
    group: str
    protocol: type[Any]
    first: tuple[str, ...] = ()
    fault: Callable[[T], str | None] = lambda _: None

    def __contains__(self, name: object) -> bool:
        return name in self._ours or name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return every name; no entry point is loaded for this."""
        return (*self.own_names, *sorted(self._entries))

    @cached_property
    def own_names(self) -> tuple[str, ...]:
        """Return the names of our own, without a look at what is installed."""
        rest = sorted(name for name in self._ours if name not in self.first)
        return (*(name for name in self.first if name in self._ours), *rest)

    def __getitem__(self, name: str) -> T:
        if name in self._ours:
            return self._ours[name]
        if name not in self._entries:
            raise UsageError(f"unknown {self.kind} {name!r}", hint=f"use one of: {', '.join(self.names)}")
        if name not in self._loaded:
            self._loaded[name] = self._load(self._entries[name])
        return self._loaded[name]

    def all(self) -> tuple[T, ...]:
        """Return every object in the order of `names`."""
        return tuple(self[name] for name in self.names)

    def distribution(self, name: str) -> str:
        """Return who offers the object: our own name, or that of another distribution with its version."""
        return OURS if name in self._ours else _who(self._entries[name])

    @cached_property
    def _ours(self) -> dict[str, T]:
        found: dict[str, T] = {}
        for module in _modules(self.folders):
            for entry in getattr(importlib.import_module(module), "REGISTERED", ()):
                if entry.name in found:
                    raise RuntimeError(f"{module}: a second {self.kind} is called {entry.name!r}")
                found[entry.name] = entry
        return found

    @cached_property
    def _entries(self) -> dict[str, EntryPoint]:
        """Return other people's entry points by name; a name that is taken is refused with both owners."""
        from importlib.metadata import entry_points  # slow to load; only for names that are not ours

        found: dict[str, EntryPoint] = {}
        for entry in sorted(entry_points(group=self.group), key=_who):
            if entry.name in self._ours or (entry.name in found and found[entry.name] != entry):
                owner = OURS if entry.name in self._ours else _who(found[entry.name])
                raise PluginError(
                    f"{_who(entry)} offers a {self.kind} {entry.name!r}, and {owner} has one of that name",
                    hint=f"rename the entry point in {_who(entry)}, or uninstall it",
                )
            found[entry.name] = entry
        return found

    @cached_property
    def _loaded(self) -> dict[str, T]:
        return {}

    def _load(self, entry: EntryPoint) -> T:
        try:
            value = entry.load()
            value = value() if isinstance(value, type) else value
        except Exception as problem:
            raise self._broken(entry, f"cannot be loaded: {type(problem).__name__}: {problem}") from problem
        missing = [member for member in _members(self.protocol) if not hasattr(value, member)]
        if missing:
            raise self._broken(entry, f"lacks {', '.join(missing)}")
        if value.name != entry.name:
            raise self._broken(entry, f"calls itself {value.name!r}")
        if fault := self.fault(value):
            raise self._broken(entry, fault)
        return cast(T, value)

    def _broken(self, entry: EntryPoint, what: str) -> PluginError:
        return PluginError(
            f"the {self.kind} {entry.name!r} of {_who(entry)} ({entry.value}) {what}",
            hint=f"repair {_who(entry)}, or uninstall it",
        )


def _modules(folders: tuple[str, ...]) -> Iterator[str]:
    """Yield the modules in the folders and their subfolders that register something, by full name.

    Others are not imported: modules with kernels load a compiler, which small files must not wait for.
    """
    for folder in folders:
        package = importlib.import_module(folder)
        for module in sorted(pkgutil.walk_packages(package.__path__, f"{folder}."), key=lambda found: found.name):
            if _registers(module.name):
                yield module.name


def _registers(module: str) -> bool:
    spec = importlib.util.find_spec(module)
    source = spec.loader.get_source(module) if spec and isinstance(spec.loader, InspectLoader) else None
    return source is not None and "\nREGISTERED" in source


def _members(protocol: type[Any]) -> list[str]:
    """Return the public names that a protocol declares, its methods and its attributes.

    >>> class Named:
    ...     name: str
    ...     def verdict(self) -> None: ...
    >>> _members(Named)
    ['name', 'verdict']
    """
    declared = {*inspect.get_annotations(protocol), *vars(protocol)}
    return sorted(name for name in declared if not name.startswith("_"))


def _who(entry: EntryPoint) -> str:
    """Return the distribution of an entry point with its version."""
    return "an unknown distribution" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
