"""The cases of the matrix, read from cases/*.yml.

A case has a name, the inputs that it stands on (`with`), texts that it writes itself (`files`), and commands (`run`),
one per line. `each` makes one case of every entry: `{each}` is replaced by it in the commands, in the texts and in the
names of inputs. A case that is `long` runs only in `make matrix`; `long` may also list some entries of `each`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).parent / "cases"
ENTRIES = frozenset({"with", "files", "run", "each", "long"})


@dataclass(frozen=True)
class MatrixCase:
    """One recorded run: `topic` is the file that declares it, and that its results are recorded under."""

    name: str
    topic: str
    run: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    is_long: bool = False


def load_cases() -> tuple[MatrixCase, ...]:
    """Return every case in the order of the files; a name that is used twice is an error."""
    found: dict[str, MatrixCase] = {}
    for path in sorted(CASES.glob("*.yml")):
        for case in _cases_of(path):
            if case.name in found:
                raise ValueError(f"{path.name}: two cases are called {case.name}")
            found[case.name] = case
    return tuple(found.values())


def _cases_of(path: Path) -> Iterator[MatrixCase]:
    declared: Mapping[str, Mapping[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, entry in declared.items():
        unknown = set(entry) - ENTRIES
        if unknown:
            raise ValueError(f"{path.name}: {name}: no such entry: {', '.join(sorted(unknown))}")
        if "each" not in entry:
            yield _case(name, path.stem, entry, "")
            continue
        for each in _each(entry["each"]):
            yield _case(f"{name} {each}", path.stem, entry, each)


def _each(said: Any) -> list[str]:
    """Return the entries; {first, last} are whole numbers."""
    if isinstance(said, Mapping):
        return [str(number) for number in range(said["first"], said["last"] + 1)]
    return [str(each) for each in said]


def _case(name: str, topic: str, entry: Mapping[str, Any], each: str) -> MatrixCase:
    def filled(text: str) -> str:
        return text.replace("{each}", each)

    return MatrixCase(
        name=name,
        topic=topic,
        run=tuple(filled(line) for line in entry["run"].splitlines() if line.strip()),
        inputs=tuple(filled(given) for given in entry.get("with", ())),
        files={path: filled(text) for path, text in entry.get("files", {}).items()},
        is_long=_is_long(entry.get("long", False), each),
    )


def _is_long(said: Any, each: str) -> bool:
    return each in _each(said) if isinstance(said, (list, Mapping)) else bool(said)
