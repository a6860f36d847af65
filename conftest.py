"""Doctests run in a directory of their own that holds a small census, its rules and a recipe."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.census_folder import fill_census_folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Give a doctest its directory; no fixture, because a fixture would concern every test."""
    if not isinstance(item, pytest.DoctestItem):
        return (yield)
    with TemporaryDirectory() as folder, chdir(folder):
        fill_census_folder(Path(folder))
        return (yield)
