"""The record: recorded/TOPIC.json holds the results of the cases of cases/TOPIC.yml by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.matrix.case import MatrixCase

RECORDED = Path(__file__).parent / "recorded"


@cache
def _topic(topic: str) -> Mapping[str, Any]:
    path = RECORDED / f"{topic}.json"
    if not path.exists():
        return {}
    content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def recorded(case: MatrixCase) -> Any:
    """Return what is recorded of a case, None if nothing is."""
    return _topic(case.topic).get(case.name)


def recorded_names() -> set[str]:
    """Return the names of all recorded cases."""
    return {name for path in RECORDED.glob("*.json") for name in _topic(path.stem)}


def write_record(cases: Iterable[MatrixCase], results: Mapping[str, Any]) -> None:
    """Write new results over old ones; results of cases that no longer exist go."""
    declared: dict[str, list[str]] = {}
    for case in cases:
        declared.setdefault(case.topic, []).append(case.name)
    RECORDED.mkdir(exist_ok=True)
    for path in RECORDED.glob("*.json"):
        if path.stem not in declared:
            path.unlink()
    for topic, names in declared.items():
        known = {**_topic(topic), **{name: results[name] for name in names if name in results}}
        lines = [
            f"{json.dumps(name)}: {json.dumps(known[name], ensure_ascii=False)}" for name in names if name in known
        ]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        (RECORDED / f"{topic}.json").write_text(text, encoding="utf-8")
