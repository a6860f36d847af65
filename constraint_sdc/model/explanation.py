"""What `explain` needs to answer for one record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from constraint_sdc.model.masked import Masked
from constraint_sdc.model.plan import Plan


@dataclass(frozen=True, slots=True)
class RecordExplanation:
    """One record (numbered from 1) of a masking. `original` are its own values, None where a variable is absent."""

    record: int
    plan: Plan
    masked: Masked
    original: Mapping[str, str | None]
