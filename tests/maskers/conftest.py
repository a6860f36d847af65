"""Saxon's worker processes are shared: starting one costs more than judging a small extract."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from constraint_sdc.exam.guarantee.judging import pooled_saxon


@pytest.fixture(autouse=True, scope="module")
def saxon() -> Iterator[None]:
    with pooled_saxon():
        yield
