"""What a recipe promises about people: the key, diversity, closeness, dominance, verbatim records, linkage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar, get_args
from typing import Literal as OneOf

from constraint_sdc.errors import PromiseChange
from constraint_sdc.settings.chance import NEVER, USUAL, Chance

DiversityKind: TypeAlias = OneOf["distinct", "entropy", "recursive"]
DIVERSITY_KINDS: tuple[DiversityKind, ...] = get_args(DiversityKind)


@dataclass(frozen=True, slots=True)
class KeyPromise:
    """At least `k` records share the values of all `variables` together, masked and unmasked ones alike.

    Without `k` it is the k of the run. Without `variables` it is every quasi-identifier.
    """

    variables: tuple[str, ...] | None = None
    k: int | None = None


@dataclass(frozen=True, slots=True)
class DiversityPromise:
    """The values of the variable `of` are diverse among the records that share the key.

    "distinct": at least `l` values; "entropy": the entropy is at least log(l); "recursive": the most frequent value
    occurs less than `c` times as often as all values from the l-th on together.
    """

    of: str
    l: float  # noqa: E741 - the name in the literature
    kind: DiversityKind = "distinct"
    c: float = 2.0


@dataclass(frozen=True, slots=True)
class ClosenessPromise:
    """Among the records that share the key, the values of `of` are distributed as in the file, up to a distance `t`."""

    of: str
    t: float


@dataclass(frozen=True, slots=True)
class DominancePromise:
    """No member of a group can be estimated within `p` percent by another; the `n` largest have at most `share` %."""

    p: float | None = None
    n: int | None = None
    share: float | None = None


MEASURED_DOMINANCE = DominancePromise(p=10.0)
"""What is measured, and warned about, where a recipe promises nothing about dominance."""


@dataclass(frozen=True, slots=True)
class LinkagePromise:
    """At most `at_most` percent of the records are linked by an intruder who knows the variables `known`.

    Without `known` these are the variables of the key.
    """

    at_most: float
    known: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Protect:
    """What is promised about people; None and () mean "not said": a default decides.

    `verbatim` is how many records may have the masked values of an actual record. With `counts_every` also those count
    that do by chance, where much of what is possible occurs.
    """

    key: KeyPromise | None = None
    diversity: tuple[DiversityPromise, ...] = ()
    closeness: tuple[ClosenessPromise, ...] = ()
    dominance: DominancePromise | None = None
    verbatim: int | OneOf["allowed"] | None = None
    linkage: LinkagePromise | None = None
    counts_every: bool = False

    @property
    def chance(self) -> Chance:
        """Return which records with the values of an actual record do not count."""
        return NEVER if self.counts_every else USUAL

    def names(self) -> tuple[str, ...]:
        """Return every variable that a promise names."""
        key = () if self.key is None else self.key.variables or ()
        known = () if self.linkage is None else self.linkage.known or ()
        return (*key, *(one.of for one in self.diversity), *(one.of for one in self.closeness), *known)


def with_change(protect: Protect, change: PromiseChange) -> Protect:
    """Return the promises with one entry of a promise changed, or one promise left out."""
    if change.promise == "linkage":
        weaker = None if protect.linkage is None else replace(protect.linkage, at_most=change.value)
        return replace(protect, linkage=weaker if change.entry else None)
    if change.promise == "dominance":
        if protect.dominance is None or not change.entry:
            return replace(protect, dominance=None)
        entries: dict[str, Any] = {change.entry: change.value}
        return replace(protect, dominance=replace(protect.dominance, **entries))
    diversity = tuple(_with_change(one, change, "diversity") for one in protect.diversity)
    closeness = tuple(_with_change(one, change, "closeness") for one in protect.closeness)
    return replace(
        protect,
        diversity=tuple(one for one in diversity if one is not None),
        closeness=tuple(one for one in closeness if one is not None),
    )


_About = TypeVar("_About", DiversityPromise, ClosenessPromise)


def _with_change(one: _About, change: PromiseChange, promise: str) -> _About | None:
    if change.promise != promise or change.of != one.of:
        return one
    entries: dict[str, Any] = {change.entry: change.value}
    return replace(one, **entries) if change.entry else None


# The section `protect` of a recipe, as JSON values that follow the schema; decimals are texts there.


def protect_from_json(content: Mapping[str, Any]) -> Protect:
    """Return what a recipe says in `protect`."""
    key, dominance, linkage = (content.get(name) for name in ("key", "dominance", "linkage"))
    return Protect(
        key=None if key is None else KeyPromise(_names(key, "variables"), key.get("k")),
        diversity=tuple(_diversity(entry) for entry in _listed(content.get("diversity", []))),
        closeness=tuple(
            ClosenessPromise(entry["of"], float(entry["t"])) for entry in _listed(content.get("closeness", []))
        ),
        dominance=None
        if dominance is None
        else DominancePromise(_number(dominance, "p"), dominance.get("n"), _number(dominance, "share")),
        **_verbatim(content.get("verbatim")),
        linkage=None if linkage is None else LinkagePromise(_percent(linkage["at most"]), _names(linkage, "known")),
    )


def protect_to_json(protect: Protect) -> dict[str, object]:
    """Return the section `protect`; entries without a value are left out."""
    key, dominance, linkage = protect.key, protect.dominance, protect.linkage
    content: dict[str, object] = {
        "key": None if key is None else _said(variables=_list(key.variables), k=key.k),
        "diversity": [_diversity_to_json(one) for one in protect.diversity] or None,
        "closeness": [{"of": one.of, "t": repr(one.t)} for one in protect.closeness] or None,
        "dominance": None
        if dominance is None
        else _said(p=_text(dominance.p), n=dominance.n, share=_text(dominance.share)),
        "verbatim": {"at most": protect.verbatim, "count": "every"} if protect.counts_every else protect.verbatim,
        "linkage": None
        if linkage is None
        else _said(**{"at most": f"{linkage.at_most!r}%", "known": _list(linkage.known)}),
    }
    return _said(**content)


def _verbatim(entry: int | OneOf["allowed"] | Mapping[str, Any] | None) -> dict[str, Any]:
    if isinstance(entry, Mapping):
        return {"verbatim": entry["at most"], "counts_every": entry.get("count") == "every"}
    return {"verbatim": entry}


def _diversity(entry: Mapping[str, Any]) -> DiversityPromise:
    return DiversityPromise(entry["of"], float(entry["l"]), entry.get("kind", "distinct"), float(entry.get("c", 2)))


def _diversity_to_json(one: DiversityPromise) -> dict[str, object]:
    said = {"of": one.of, "l": repr(one.l), "kind": one.kind}
    return {**said, "c": repr(one.c)} if one.kind == "recursive" else {**said}


def _listed(entry: Mapping[str, Any] | list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the entries; one may stand without a list."""
    return entry if isinstance(entry, list) else [entry]


def _names(entry: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    return tuple(entry[name]) if name in entry else None


def _number(entry: Mapping[str, Any], name: str) -> float | None:
    return float(entry[name]) if name in entry else None


def _percent(said: str | int) -> float:
    return float(str(said).removesuffix("%"))


def _list(names: tuple[str, ...] | None) -> list[str] | None:
    return None if names is None else list(names)


def _text(number: float | None) -> str | None:
    return None if number is None else repr(number)


def _said(**entries: object) -> dict[str, object]:
    return {name: entry for name, entry in entries.items() if entry is not None}
