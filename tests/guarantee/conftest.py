"""Saxon's worker processes are shared by the cases of a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from constraint_sdc.exam.guarantee.judging import pooled_saxon


@pytest.fixture(autouse=True)
def saxon() -> Iterator[None]:
    with pooled_saxon():
        yield
