"""Searches are short: the promise holds for any groups of k, and says nothing of how near they come to the best."""

from __future__ import annotations

import pytest

from constraint_sdc.partition.search import refine
from constraint_sdc.partition.search.refine import Effort


@pytest.fixture(autouse=True)
def short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of what the effort `fast` of the cases asks for."""
    monkeypatch.setitem(refine._BY_NAME, "fast", Effort("fast", refine.FAST.seconds / 10))
