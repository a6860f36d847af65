"""The user's own knowledge of a file: what a record is called, how it is named, which codes mean "missing"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe file's content. `missing` maps a variable to the texts that stand for a missing value."""

    record: str | None = None
    key: str | None = None
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
