"""Refusals in words: what cannot be reconciled, and the ways out that were tried."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from constraint_sdc.errors import Conflict, PromiseChange, WayOut
from constraint_sdc.reports.note_sentences import named
from constraint_sdc.settings.protect import Protect

_PLAIN = re.compile(r"[A-Za-z_][\w.-]*")


def conflict_sentence(conflict: Conflict) -> str:
    """Return what a group of records lacks, and why.

    >>> conflict_sentence(Conflict(("low", "high"), ("A",), ("Size",), 5))
    'no values of A that satisfy low and high were found for 5 records that must share them: they differ in Size, \
which is not masked'
    """
    several = conflict.records > 1
    whom = f"{conflict.records} records that must share them" if several else "one record, except its own values"
    values = f"no values of {named(conflict.variables)} that satisfy {named(conflict.rules)} were found for {whom}"
    if not conflict.pins:
        return values
    return f"{values}: they differ in {named(conflict.pins)}, which {_is(conflict.pins)} not masked"


def verbatim_sentence(conflict: Conflict, combinations: int, allowed: int, *, copies: bool) -> str:
    """Return how many records would have the values of an actual record, and why these are not moved off it.

    >>> verbatim_sentence(Conflict(("sum",), ("A", "B"), verbatim=9), 3, 0, copies=False)
    '9 records would have the values of an actual record, 0 may: no others that satisfy sum were found for 3 \
combinations of A and B'
    """
    start = f"{conflict.verbatim:,} records would have the values of an actual record, {allowed:,} may"
    if copies:
        return f"{start}: {named(conflict.variables)} are copied together from one record (medoid)"
    rules = f" that satisfy {named(conflict.rules)}" if conflict.rules else " within their ranges"
    several = "one combination" if combinations == 1 else f"{combinations:,} combinations"
    return f"{start}: no others{rules} were found for {several} of {named(conflict.variables)}"


def torn_sentence(conflict: Conflict, allowed: int) -> str:
    """Return how many records would have all masked values of an actual record, although no block copies one.

    >>> torn_sentence(Conflict((), ("A", "B", "C"), verbatim=90, is_torn=True), 0)
    '90 records would have the values of an actual record, 0 may: no block of its own is a record, but A, B and C \
together are'
    """
    start = f"{conflict.verbatim:,} records would have the values of an actual record, {allowed:,} may"
    return f"{start}: no block of its own is a record, but {named(conflict.variables)} together are"


def ways_lines(working: Sequence[WayOut], failing: Sequence[WayOut], protect: Protect) -> tuple[str, ...]:
    """Return a line for each way out that works; if none does, which were tried. `protect` is what the recipe says."""
    if working:
        return tuple(f"tried, and it works: {way_sentence(way, protect)}" for way in working)
    if failing:
        tried = "; ".join(way_sentence(way, protect) for way in failing)
        return (f"none of the ways out that were tried works: {tried}",)
    return ()


def way_sentence(way: WayOut, protect: Protect | None = None) -> str:
    """Return what to do; of a promise the whole entry, as the recipe would have it.

    >>> way_sentence(WayOut(k=3)), way_sentence(WayOut(without=("low", "high")))
    ('-k 3', 'leave out the rules low and high')
    >>> way_sentence(WayOut(without=("low", "high"), is_without_rules=True))
    'mask without rules, by leaving out `--rules` and the options about rules; no rule is promised then'
    >>> way_sentence(WayOut(roles=(("A", "untouched"),)))
    'leave A as it is, by `variables: {A: {role: untouched}}` in the recipe'
    """
    parts = [] if way.k is None else [f"-k {way.k}"]
    if way.verbatim is not None:
        is_strict = protect is not None and protect.counts_every
        entry = f"{{at most: {way.verbatim}, count: every}}" if is_strict else f"{way.verbatim}"
        parts.append(f"allow {way.verbatim:,} such records, by `protect: {{verbatim: {entry}}}` in the recipe")
    if way.is_one_block:
        parts.append("mask all variables in one block, by `groups: all` in the recipe, without `group_size`")
    if way.is_without_rules:
        parts.append(
            "mask without rules, by leaving out `--rules` and the options about rules; no rule is promised then"
        )
    elif way.without:
        parts.append(f"leave out the rule{'' if len(way.without) == 1 else 's'} {_listed(way.without)}")
    for role in dict.fromkeys(role for _, role in way.roles):
        names = [name for name, given in way.roles if given == role]
        entries = ", ".join(f"{_yaml(name)}: {{role: {role}}}" for name in names)
        what = f"leave {_listed(names)} as {_it(names)}" if role == "untouched" else f"mask {_listed(names)} too"
        parts.append(f"{what}, by `variables: {{{entries}}}` in the recipe")
    parts += _promises(way.promises, protect or Protect())
    return ", and ".join(parts) + ("" if way.loss is None else f" (information loss {way.loss:.2f})")


def _promises(changes: Sequence[PromiseChange], protect: Protect) -> list[str]:
    """Return what to promise instead, one text for each promise.

    >>> _promises([PromiseChange("dominance", entry="p", value=2.5), PromiseChange("diversity", "Town")], Protect())
    ['`dominance: {p: 2.5}` in `protect` of the recipe', 'leave the diversity of Town out of `protect`']
    >>> from constraint_sdc.settings.protect import LinkagePromise
    >>> said = Protect(linkage=LinkagePromise(5.0, ("Age", "Sex")))
    >>> _promises([PromiseChange("linkage", entry="at most", value=30)], said)
    ['`linkage: {at most: 30%, known: [Age, Sex]}` in `protect` of the recipe']
    """
    told: list[str] = []
    for promise, of in dict.fromkeys((change.promise, change.of) for change in changes):
        mine = [change for change in changes if (change.promise, change.of) == (promise, of)]
        if any(not change.entry for change in mine):
            told.append(f"leave the {promise}{f' of {of}' if of else ''} out of `protect`")
            continue
        entries = {**_stated(protect, promise, of), **{change.entry: _entry(change) for change in mine}}
        shown = ", ".join(f"{name}: {entry}" for name, entry in entries.items())
        told.append(f"`{promise}: {{{shown}}}` in `protect` of the recipe")
    return told


def _entry(change: PromiseChange) -> str:
    return f"{change.value:g}%" if change.entry == "at most" else f"{change.value:g}"


def _stated(protect: Protect, promise: str, of: str) -> dict[str, str]:
    """Return what the recipe says in an entry of `protect`, so that the rest of it stays as it is."""
    about = {"of": _yaml(of)} if of else {}
    for one in protect.diversity if promise == "diversity" else ():
        if one.of == of:
            kind = {} if one.kind == "distinct" else {"kind": one.kind}
            return {**about, "l": f"{one.l:g}", **kind, **({"c": f"{one.c:g}"} if one.kind == "recursive" else {})}
    if promise == "dominance" and protect.dominance is not None:
        said = protect.dominance
        numbers = {"p": said.p, "n": said.n, "share": said.share}
        return {name: f"{number:g}" for name, number in numbers.items() if number is not None}
    if promise == "linkage" and protect.linkage is not None:
        known = protect.linkage.known
        return {"at most": "", **({"known": f"[{', '.join(map(_yaml, known))}]"} if known else {})}
    return about


def _listed(names: Sequence[str]) -> str:
    """Return all names: a way out that leaves some away could not be followed."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _it(names: Sequence[str]) -> str:
    return "it is" if len(names) == 1 else "they are"


def _yaml(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
