"""Which faults are tried: so many of every room, drawn with a seed, without those that break no promise."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from hashlib import sha256
from pathlib import Path

import yaml

from tests.mutants.faults import Fault, find_faults
from tests.mutants.lines import TOP

EQUIVALENT = Path(__file__).with_name("equivalent.yml")


@cache
def all_faults() -> list[Fault]:
    """Every fault that can be planted in the package."""
    paths = sorted((TOP / "constraint_sdc").rglob("*.py"))
    return [fault for path in paths for fault in find_faults(path.relative_to(TOP).as_posix(), path.read_bytes())]


def equivalents() -> dict[str, str]:
    """Faults that break no promise, each with the reason."""
    return {entry["fault"]: entry["reason"] for entry in yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8"))}


def sample(faults: list[Fault], count: int, seed: int, rooms: list[str] | None = None) -> list[Fault]:
    """Draw so many faults of every room; a room that has fewer gives all."""
    by_room: dict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        by_room[fault.room].append(fault)
    chosen: list[Fault] = []
    harmless = equivalents()
    for room in sorted(by_room):
        # By a hash of the name: a change of other lines leaves most of a draw as it is.
        drawn = sorted(by_room[room], key=lambda fault: sha256(f"{seed} {fault.name}".encode()).digest())
        real = (f for f in drawn if f.name not in harmless and f.is_other_program((TOP / f.path).read_bytes()))
        if not rooms or room in rooms:
            chosen += [fault for fault, _ in zip(real, range(count), strict=False)]
    return chosen
