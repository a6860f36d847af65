"""A pytest plug-in that runs tests in the order of a list, whose path is in CONSTRAINT_SDC_TESTS."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that are quick first, as the list has them, whatever else sorts them."""
    listed = Path(os.environ["CONSTRAINT_SDC_TESTS"]).read_text(encoding="utf-8").splitlines()
    place = {name: number for number, name in enumerate(listed)}
    items.sort(key=lambda item: place.get(item.nodeid, len(place)))
