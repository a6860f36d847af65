"""Judge a masked file from its bytes alone, with Saxon processes that serve one case after another."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml
from lxml import etree

from constraint_sdc.exam.protection.recount import is_crowded
from constraint_sdc.exam.protection.written import Value
from constraint_sdc.judge.judge import Judge
from constraint_sdc.judge.judge_report import JudgeReport
from constraint_sdc.judge.worker import bench
from constraint_sdc.judge.worker.process import Message, Worker
from constraint_sdc.schematron.load import load_schema

# Saxon without its start-up: worker processes that serve one case after another.
#
# Starting Saxon costs more than judging a hundred records. Everything that reaches a worker is as usual (a stylesheet,
# a document, a run); only its process survives the judge that used it, without its stylesheets and documents.

# Saxon leaks a little at every call.
SERVICES = 150


class _Pool:
    def __init__(self) -> None:
        self._idle: list[tuple[Worker, int]] = []
        self._lock = threading.Lock()

    def borrow(self) -> tuple[Worker, int]:
        with self._lock:
            while self._idle:
                worker, services = self._idle.pop()
                if worker.is_alive and services < SERVICES:
                    worker.ask({"do": "renew"})
                    return worker, services + 1
                worker.kill()
        return Worker(), 0

    def give_back(self, worker: Worker, services: int) -> None:
        with self._lock:
            self._idle.append((worker, services))

    def close(self) -> None:
        with self._lock:
            for worker, _ in self._idle:
                worker.kill()
            self._idle.clear()


_POOL = _Pool()


class BorrowedWorker:
    """Looks like a worker to the bench; when the bench ends it, the process goes back to the pool."""

    def __init__(self) -> None:
        self._worker: Worker | None
        self._worker, self._services = _POOL.borrow()

    @property
    def is_alive(self) -> bool:
        """Tell whether there is a process that answers."""
        return self._worker is not None and self._worker.is_alive

    def ask(self, message: Message, attachment: bytes = b"", deadline: float | None = None) -> Message:
        """Send a message and return the answer."""
        if self._worker is None:
            raise RuntimeError("the worker was given back")
        return self._worker.ask(message, attachment, deadline)

    def kill(self) -> None:
        """Give the process back to the pool."""
        if self._worker is not None and self._worker.is_alive:
            _POOL.give_back(self._worker, self._services)
        self._worker = None


@contextmanager
def pooled_saxon() -> Iterator[None]:
    """Let every judge within take its worker from the pool; its processes end with the outermost such block."""
    names = vars(bench)
    started = names["Worker"]
    if started is BorrowedWorker:
        yield
        return
    names["Worker"] = BorrowedWorker
    try:
        yield
    finally:
        names["Worker"] = started
        _POOL.close()


def judge(data: Path, rules: Path, record: str, phase: str | None = None) -> JudgeReport:
    """Return Saxon's verdict on a file with every finding; `record` is the record element's Clark name."""
    with Judge(load_schema(rules, phase=phase), record=record, max_findings=None) as saxon:
        return saxon.judge_file(data)


# Judge a masked file from its bytes alone: by Saxon, by counting, and by comparing leaf with leaf.
#
# Nothing that the masking says of itself is believed, except which variables stand together in a block, and for which
# blocks it promises that k records share their values.

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
CODE = re.compile(r"-?0[0-9]+")
NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"
COMMENTS = (etree._Comment, etree._ProcessingInstruction)
FREE = 7
"""A column with so many decimals is taken for free doubles; one whose steps a double cannot count, too."""


@dataclass(frozen=True)
class Maskable:
    """What is to be compared: the original, the masked file, the rules, the recipe, and the blocks' variables.

    The original satisfies every rule unless it `is_damaged`; then no record may break a rule that it did not break.
    `sharing` are the blocks whose values k records share: all of them, unless a masker says otherwise. With
    `is_swapped` values change places and nothing else: each variable has the same values after as before. `computed`
    are variables that are computed from others for every record, so that no block has them. `recoded` are categories of
    the key that are made coarser or emptied. `numbers` are the numeric variables of every sharing
    block, and `verbatim` is how many records may have the values of an actual record.
    """

    original: Path
    masked: Path
    rules: Path | None
    recipe: Path | None
    k: int
    record: str
    blocks: Sequence[Sequence[str]]
    phase: str | None = None
    is_damaged: bool = False
    sharing: Sequence[Sequence[str]] | None = None
    is_swapped: bool = False
    computed: Sequence[str] = ()
    recoded: Sequence[str] = ()
    numbers: Sequence[Sequence[str]] = ()
    verbatim: int | None = None


def faults(given: Maskable) -> list[str]:
    """Return everything that is wrong with a masked file, one sentence each."""
    before, after = (_records(path, given.record) for path in (given.original, given.masked))
    found = list(_broken_rules(given))
    if len(before) != len(after):
        return [*found, f"{len(before)} records became {len(after)}"]
    wishes = wishes_of(given.recipe)
    outside = (given.computed, given.recoded)
    masked = {name for block in (*given.blocks, *outside) for name in block}
    removed = {name for name, wish in wishes.items() if wish.get("remove")}
    found += _changed_outside(given, masked, removed)
    found += _changed_leaves(before, after, masked | removed)
    found += [f"{name} should be gone" for name in removed if any(name in cells(row) for row in after)]
    old, new = [cells(row) for row in before], [cells(row) for row in after]
    found += _small_groups(new, given.blocks if given.sharing is None else given.sharing, given.k)
    found += _copied_records(old, new, given)
    if given.is_swapped:
        return [*found, *_lost_values(old, new, masked)]
    found += _forgotten(old, (*given.blocks, *outside), wishes)
    for name in sorted(masked - set(given.recoded)):
        found += _bad_figures(name, _column(old, name), _column(new, name))
    return found


def is_unmasked(given: Maskable) -> bool | None:
    """Tell whether every masked value is unchanged; None if k records are equal in all blocks anyway."""
    old, new = ([cells(row) for row in _records(path, given.record)] for path in (given.original, given.masked))
    if len(old) != len(new) or given.k == 1 or not any(_small_groups(old, given.blocks, given.k)):
        return None
    names = [name for block in given.blocks for name in block]
    return all(a.get(name) == b.get(name) for a, b in zip(old, new, strict=True) for name in names)


def cells(record: etree._Element) -> dict[str, str]:
    """Return the values of a record by name; an empty element with xsi:nil has a value of its own."""
    values = {f"@{name!s}": str(value) for name, value in record.items()}
    for leaf in record.iterchildren(etree.Element):
        text = "".join(map(str, leaf.itertext(etree.Element)))
        values[str(leaf.tag)] = "xsi:nil" if not text and leaf.get(NIL) in ("true", "1") else text
    return values


def _root(path: Path) -> etree._Element:
    return etree.fromstring(path.read_bytes())


def _records(path: Path, record: str) -> list[etree._Element]:
    return list(_root(path).iter(record))


def _column(rows: Iterable[Mapping[str, str]], name: str) -> list[str]:
    """Return the values of a variable, without the missing ones."""
    return [row[name] for row in rows if row.get(name, "") not in ("", "xsi:nil")]


def wishes_of(recipe: Path | None) -> dict[str, dict[str, Any]]:
    """Return what a recipe says of its variables; what weighs the records is to stay as it is."""
    content = (yaml.safe_load(recipe.read_text(encoding="utf-8")) if recipe else None) or {}
    wishes = dict(content.get("variables", {}))
    if "weights" in content:
        wishes[content["weights"]] = {"role": "untouched", **wishes.get(content["weights"], {})}
    return wishes


def _broken_rules(given: Maskable) -> Iterable[str]:
    """Ask Saxon; the original stands beside the rules, where value-domain rules look for it."""
    if given.rules is None:
        return
    before = _breakers(given, given.original) if given.is_damaged else {}
    report = judge(given.masked, given.rules, given.record, given.phase)
    after = _breakers(given, given.masked) if given.is_damaged else {}
    for count in report.counts:
        broken = len(after[count.assertion] - before[count.assertion]) if given.is_damaged else count.failed
        if broken or count.errors:
            yield f"rule {count.assertion}: {broken} records broken, {count.errors} stopped, of {count.fired}"


def _breakers(given: Maskable, path: Path) -> dict[str, set[int | None]]:
    """Return the records that break each rule."""
    assert given.rules is not None
    report = judge(path, given.rules, given.record, given.phase)
    found: dict[str, set[int | None]] = {count.assertion: set() for count in report.counts}
    for finding in report.findings:
        found[finding.assertion].add(finding.record)
    return found


def _changed_outside(given: Maskable, masked: set[str], removed: set[str]) -> Iterable[str]:
    """Compare all that is not a value of a record: wrappers, comments, processing instructions, white space."""
    frames = [_frame(path, given.record, masked | removed) for path in (given.original, given.masked)]
    if frames[0] != frames[1]:
        place = next((i for i, (a, b) in enumerate(zip(*frames, strict=False)) if a != b), min(map(len, frames)))
        yield f"the document around the values changed at node {place}: {frames[0][place:][:1]} {frames[1][place:][:1]}"
    tags, spaces = zip(*(_spaces(path) for path in (given.original, given.masked)), strict=True)
    if tags[0] == tags[1] and spaces[0] != spaces[1]:
        yield "white space between elements changed"


def _spaces(path: Path) -> tuple[list[str], list[str | None]]:
    """Return the names of all nodes, and the text behind each."""
    nodes = list(_root(path).iter())
    return [str(node.tag) for node in nodes], [node.tail for node in nodes]


def _frame(path: Path, record: str, without: set[str]) -> list[tuple[object, ...]]:
    """Return every node in order, except the leaves of these variables."""
    root = _root(path)
    before = list(root.itersiblings(preceding=True))
    nodes: list[tuple[object, ...]] = [(str(node.tag), node.text) for node in [*before, *root.itersiblings()]]
    for node in root.iter():
        parent = node.getparent()
        is_leaf = parent is not None and parent.tag == record and isinstance(node.tag, str)
        if is_leaf and node.tag in without:
            continue
        kept = sorted(
            (name, value) for name, value in node.items() if f"@{name!s}" not in without or node.tag != record
        )
        said = node.text if isinstance(node, COMMENTS) else None
        nodes.append((str(node.tag), kept, said, tuple(sorted(node.nsmap.items(), key=str))))
    return nodes


def _changed_leaves(before: Sequence[Any], after: Sequence[Any], free: set[str]) -> Iterable[str]:
    for number, (old, new) in enumerate(zip(before, after, strict=True), start=1):
        kept, left = ({n: v for n, v in cells(row).items() if n not in free} for row in (old, new))
        if kept != left or list(kept) != list(left):
            yield f"record {number}: unmasked values changed, {kept} became {left}"
            return


def _small_groups(rows: Sequence[Mapping[str, str]], blocks: Sequence[Sequence[str]], k: int) -> Iterable[str]:
    for block in blocks:
        shared = Counter(tuple(row.get(name) for name in block) for row in rows)
        values, size = min(shared.items(), key=lambda item: item[1])
        if size < k:
            yield f"only {size} records share {dict(zip(block, values, strict=True))}"


def _copied_records(
    old: Sequence[Mapping[str, str]], new: Sequence[Mapping[str, str]], given: Maskable
) -> Iterable[str]:
    """Look every combination of a block's values up among the original records: fewer than k of them are somebody's."""
    if given.verbatim is None or given.sharing is None:
        return
    codes = missing_of(given.recipe)
    found: set[int] = set()
    for block, numbers in zip(given.sharing, given.numbers, strict=True):
        before, after = ([_record(row, block, numbers, codes) for row in rows] for rows in (old, new))
        varying = [place for place in range(len(block)) if len({row[place] for row in before}) > 1]
        counts = Counter(before)
        columns = [({_exact(row[place]) for row in before}, name in numbers) for place, name in enumerate(block)]
        if is_crowded(columns, len(counts)):
            continue
        for number, row in enumerate(after):
            known = [place for place in varying if row[place] is not None]
            is_record = len(known) > 1 and any(block[place] in numbers for place in known)
            if is_record and 0 < counts[row] < max(given.k, 2):
                found.add(number)
    if len(found) > given.verbatim:
        yield f"{len(found)} records have the values of an actual record, {given.verbatim} may"


def _exact(value: object) -> Value:
    return Fraction(repr(value)) if isinstance(value, float) else None if value is None else str(value)


def _record(
    row: Mapping[str, str], names: Sequence[str], numbers: Sequence[str], codes: Mapping[str, Sequence[str]]
) -> tuple[object, ...]:
    """Return the values of a block: numbers as numbers, None where a value is missing."""
    blank = ("", "xsi:nil")
    texts = [None if row.get(name, "").strip() in (*blank, *codes.get(name, ())) else row[name] for name in names]
    return tuple(
        float(text) if text is not None and name in numbers and NUMBER.fullmatch(text) else text
        for name, text in zip(names, texts, strict=True)
    )


def missing_of(recipe: Path | None) -> dict[str, list[str]]:
    """Return the missing codes of a recipe."""
    content = (yaml.safe_load(recipe.read_text(encoding="utf-8")) if recipe else None) or {}
    return {name: [str(code) for code in codes] for name, codes in content.get("missing", {}).items()}


def _lost_values(
    old: Sequence[Mapping[str, str]], new: Sequence[Mapping[str, str]], swapped: set[str]
) -> Iterable[str]:
    """Swapped values come from other records, and a record without a value still has none."""
    for name in sorted(swapped):
        before, after = ([row.get(name) for row in rows] for rows in (old, new))
        if Counter(before) != Counter(after):
            yield f"{name}: values came or went: {Counter(before) - Counter(after)}, {Counter(after) - Counter(before)}"
        if any(
            (a in (None, "", "xsi:nil")) != (b in (None, "", "xsi:nil")) for a, b in zip(before, after, strict=True)
        ):
            yield f"{name}: a blank was swapped"


def _forgotten(
    rows: Sequence[Mapping[str, str]], blocks: Sequence[Sequence[str]], wishes: dict[str, Any]
) -> Iterable[str]:
    """Every numeric variable is masked once, unless the recipe keeps it; a pinned one never is. 007 is not a number."""
    times = Counter(name for block in blocks for name in block)
    for name in sorted({name for row in rows for name in row}):
        column = _column(rows, name)
        role = wishes.get(name, {}).get("role")
        is_kept = role in ("untouched", "identifier")
        if is_kept and times[name]:
            yield f"{name} is {role} in the recipe, yet it was masked"
        if times[name] > 1:
            yield f"{name} stands in {times[name]} blocks"
        is_numeric = len(set(column)) > 1 and all(NUMBER.fullmatch(value) for value in column)
        wish = wishes.get(name, {})
        is_category = wish.get("type") == "nominal" and wish.get("role") == "quasi-identifier"  # groups may share it
        is_code = is_category or any(CODE.match(value) for value in column)
        if is_numeric and not (is_code or is_kept or times[name]):
            yield f"{name} is numeric, yet it was not masked"


def _bad_figures(name: str, before: Sequence[str], after: Sequence[str]) -> Iterable[str]:
    """Numbers stay numbers, with no more decimals than before, and padded as before."""
    if not before or not all(NUMBER.fullmatch(value) for value in before):
        return
    no_numbers = [value for value in after if not NUMBER.fullmatch(value)]
    if no_numbers:
        yield f"{name}: {no_numbers[0]!r} is not a number"
        return
    old, new = ([len(value.partition(".")[2]) for value in values] for values in (before, after))
    largest = max(abs(float(value)) for value in before)
    is_grid = max(old) < FREE and largest * 10 ** max(old) < 2**53
    if is_grid and after and max(new) > max(old):
        longest = max(after, key=lambda value: len(value.partition(".")[2]))
        yield f"{name}: at most {max(old)} decimals became {longest}"
    is_padded = set(old) == {max(old)} and max(old) > 0 and is_grid and any(value.endswith("0") for value in before)
    if is_padded and new and set(new) != set(old):
        yield f"{name}: all values had {max(old)} decimals, now some have {sorted(set(new))}"
