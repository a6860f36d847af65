"""Find everything that can be added by name: our own in folders, other people's by entry point.

A module of a folder offers its objects in a dictionary `REGISTERED`, whose names are written out:

    REGISTERED = {"trimmed mean": TrimmedMean()}

Another distribution offers one under an entry point:

    [project.entry-points."constraint_sdc.operators"]
    trimmed-mean = "my_package.trimmed_mean:TrimmedMean"

Either way names are listed without an import, and a module is imported when one of its names is asked for. A run
therefore imports only what it uses.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import suppress
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
class Offer:
    """One name that somebody offers: who, under which reference "module:attribute", and how it is loaded."""

    name: str
    distribution: str
    reference: str
    load: Callable[[], Any]


@dataclass(frozen=True)
class Registry(Generic[T]):
    """All objects of one kind by name.

    `kind` is the word in messages, `folders` are the packages whose modules hold our own, `group` is the group of entry
    points. `protocol` has the members that an object needs, and `fault` says what else is wrong with it. Names are
    listed in the order of `first`, then our other ones, then those of other distributions, each by name.

    An entry point that names a class stands for an object made without arguments. With `holds_classes` the class itself
    is registered, and must derive from `protocol`.
    """

    kind: str
    folders: tuple[str, ...]
    group: str
    protocol: type[Any]
    first: tuple[str, ...] = ()
    fault: Callable[[T], str | None] = lambda _: None
    holds_classes: bool = False

    def __contains__(self, name: object) -> bool:
        return name in self._ours or name in self._others

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return every name; nothing is loaded for this."""
        return (*self.own_names, *sorted(self._others))

    @cached_property
    def own_names(self) -> tuple[str, ...]:
        """Return the names of our own, without a look at what is installed."""
        rest = sorted(name for name in self._ours if name not in self.first)
        return (*(name for name in self.first if name in self._ours), *rest)

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            self._loaded[name] = self._load(self._offer(name))
        return self._loaded[name]

    def all(self) -> tuple[T, ...]:
        """Return every object in the order of `names`."""
        return tuple(self[name] for name in self.names)

    def loadable_others(self) -> tuple[T, ...]:
        """Return the objects of other distributions; one that cannot be used is left out, as if not installed."""
        found: list[T] = []
        for name in self.names:
            if name not in self._ours:
                with suppress(UsageError):
                    found.append(self[name])
        return tuple(found)

    def distribution(self, name: str) -> str:
        """Return who offers the object: our own name, or that of another distribution with its version."""
        return self._offer(name).distribution

    def _offer(self, name: str) -> Offer:
        if name in self._ours:
            return self._ours[name]
        if name not in self._others:
            raise UsageError(f"unknown {self.kind} {name!r}", hint=f"use one of: {', '.join(self.names)}")
        return self._others[name]

    @cached_property
    def _ours(self) -> dict[str, Offer]:
        found: dict[str, Offer] = {}
        for offer in _offers_of_folders(self.folders):
            if offer.name in found:
                raise RuntimeError(f"{offer.reference}: a second {self.kind} is called {offer.name!r}")
            found[offer.name] = offer
        return found

    @cached_property
    def _others(self) -> dict[str, Offer]:
        """Return what other distributions offer, by name; a name that is taken is refused with both owners."""
        from importlib.metadata import entry_points  # slow to load; only for names that are not ours

        found: dict[str, Offer] = {}
        for offer in sorted(map(_offer_of_entry, entry_points(group=self.group)), key=lambda one: one.distribution):
            owner = {**found, **self._ours}.get(offer.name)
            if owner is not None and (owner.distribution, owner.reference) != (offer.distribution, offer.reference):
                raise PluginError(
                    f"{offer.distribution} offers a {self.kind} {offer.name!r}, and {owner.distribution} has one of "
                    "that name",
                    hint=f"rename the entry point in {offer.distribution}, or uninstall it",
                )
            found[offer.name] = offer
        return found

    @cached_property
    def _loaded(self) -> dict[str, T]:
        return {}

    def _load(self, offer: Offer) -> T:
        try:
            value = offer.load()
            value = value() if isinstance(value, type) and not self.holds_classes else value
        except Exception as problem:
            raise self._broken(offer, f"cannot be loaded: {type(problem).__name__}: {problem}") from problem
        if wrong := self._misfit(value):
            raise self._broken(offer, wrong)
        if getattr(value, "name", None) != offer.name:
            raise self._broken(offer, f"calls itself {getattr(value, 'name', None)!r}")
        if fault := self.fault(value):
            raise self._broken(offer, fault)
        return cast(T, value)

    def _misfit(self, value: Any) -> str | None:
        if self.holds_classes:
            is_one = isinstance(value, type) and issubclass(value, self.protocol)
            return None if is_one else f"is not a subclass of {self.protocol.__module__}.{self.protocol.__name__}"
        missing = [member for member in _members(self.protocol) if not hasattr(value, member)]
        return f"lacks {', '.join(missing)}" if missing else None

    def _broken(self, offer: Offer, what: str) -> PluginError:
        return PluginError(
            f"the {self.kind} {offer.name!r} of {offer.distribution} ({offer.reference}) {what}",
            hint=f"repair {offer.distribution}, or uninstall it",
        )


def load(reference: str) -> Any:
    """Return the object that "module:attribute" names; a room finds an object of a higher room by it.

    >>> load("fractions:Fraction")
    <class 'fractions.Fraction'>
    """
    module, _, attribute = reference.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _offers_of_folders(folders: tuple[str, ...]) -> Iterator[Offer]:
    """Yield what the modules in the folders and their subfolders register; only packages are imported."""
    for folder in folders:
        package = importlib.import_module(folder)
        for module in sorted(found.name for found in pkgutil.walk_packages(package.__path__, f"{folder}.")):
            for name in _registered(module):
                yield _offer_of_module(module, name)


def _offer_of_module(module: str, name: str) -> Offer:
    reference = f"{module}:REGISTERED"
    return Offer(name, OURS, reference, lambda: load(reference)[name])


def _offer_of_entry(entry: EntryPoint) -> Offer:
    who = "an unknown distribution" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
    return Offer(entry.name, who, entry.value, entry.load)


def _registered(module: str) -> list[str]:
    """Return the names that a module registers, from its text."""
    spec = importlib.util.find_spec(module)
    source = (spec.loader.get_source(module) if spec and isinstance(spec.loader, InspectLoader) else None) or ""
    start = source.find("\nREGISTERED")
    if start < 0:
        return []
    names = _written_names(ast.parse(source[start + 1 :]).body[0])
    if names is None:
        raise RuntimeError(f"{module}: REGISTERED must be a dictionary whose keys are texts")
    return names


def _written_names(statement: ast.stmt) -> list[str] | None:
    """Return the keys of an assigned dictionary; None for every other statement.

    >>> _written_names(ast.parse("REGISTERED = {'mode': Mode()}").body[0])
    ['mode']
    """
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Dict):
        return None
    keys = [key.value if isinstance(key, ast.Constant) else None for key in statement.value.keys]
    texts = [key for key in keys if isinstance(key, str)]
    return texts if len(texts) == len(keys) else None


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
