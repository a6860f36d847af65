"""Kinds that may be extended: built-in members by name, and those that other distributions register.

A member is named by "module:attribute", like an entry point, and imported when it is needed. A run therefore imports
only what it uses, and a room can find a member of a higher room without importing that room.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from constraint_sdc.errors import UsageError

T = TypeVar("T")


@dataclass(frozen=True)
class PlugIns(Generic[T]):
    """The members of one kind: subclasses of `base`, each with its own name as the class attribute `name`.

    `kind` is the word for one member, `group` the entry-point group of third parties. Built-in names come first and
    cannot be replaced.
    """

    kind: str
    group: str
    base: type[T]
    built_in: Mapping[str, str]

    def names(self) -> tuple[str, ...]:
        """Return all names, the built-in ones first; nothing is imported."""
        others = sorted({entry.name for entry in entry_points(group=self.group)} - set(self.built_in))
        return (*self.built_in, *others)

    def find(self, name: str) -> type[T]:
        """Return the member of this name; UsageError if there is none, it is broken, or several claim the name."""
        entries = [entry for entry in entry_points(group=self.group) if entry.name == name]
        if name in self.built_in:
            if entries:
                what = f"the {self.kind} {name} is built in, but {_distribution(entries[0])} registers another"
                raise UsageError(what, hint=f"uninstall {_distribution(entries[0])}, or ask its author for a new name")
            return self._checked(name, load(self.built_in[name]), "constraint-sdc")
        if not entries:
            raise UsageError(f"unknown {self.kind} {name!r}", hint=f"use one of: {', '.join(self.names())}")
        if len(entries) > 1:
            owners = " and ".join(sorted(map(_distribution, entries)))
            raise UsageError(f"{owners} both register a {self.kind} {name}", hint="uninstall one of them")
        return self._checked(name, self._loaded(entries[0]), _distribution(entries[0]))

    def distribution(self, name: str) -> str:
        """Return who offers the member of this name, with the version of another distribution."""
        entries = [entry for entry in entry_points(group=self.group) if entry.name == name]
        if name in self.built_in or not entries or entries[0].dist is None:
            return "constraint-sdc"
        return f"{entries[0].dist.name} {entries[0].dist.version}"

    def _loaded(self, entry: EntryPoint) -> Any:
        try:
            return entry.load()
        except Exception as problem:
            what = f"the {self.kind} {entry.name} of {_distribution(entry)} cannot be loaded: {problem}"
            raise UsageError(what, hint=f"its entry point is {entry.value}; reinstall or update it") from problem

    def _checked(self, name: str, member: Any, owner: str) -> type[T]:
        if not isinstance(member, type) or not issubclass(member, self.base):
            what = f"the {self.kind} {name} of {owner} is not a subclass of {self.base.__module__}.{self.base.__name__}"
            raise UsageError(what, hint="update it; see docs/extending.md")
        if getattr(member, "name", None) != name:
            what = f"the {self.kind} {name} of {owner} has the name {getattr(member, 'name', None)!r}"
            raise UsageError(what, hint="the entry point and the attribute `name` of the class must be equal")
        return member


def load(reference: str) -> Any:
    """Return the object that "module:attribute" names.

    >>> load("fractions:Fraction")
    <class 'fractions.Fraction'>
    """
    module, _, attribute = reference.partition(":")
    return getattr(import_module(module), attribute)


def _distribution(entry: EntryPoint) -> str:
    """Return the name of the distribution that registers an entry."""
    return "an unnamed distribution" if entry.dist is None else str(entry.dist.name)
