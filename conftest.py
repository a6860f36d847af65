"""What concerns tests and doctests alike: Saxon's processes, and the directory in which a doctest runs."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.census_folder import fill_census_folder


@pytest.fixture(autouse=True, scope="session")
def shared_saxon() -> Iterator[None]:
    """Saxon's worker processes are shared by all tests: starting one costs more than judging a small file.

    A test that looks at the processes themselves takes the fixture `own_saxon`.
    """
    from constraint_sdc.exam.guarantee.judging import pooled_saxon

    with pooled_saxon():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Give a doctest its directory with a small census, its rules and a recipe; a fixture would concern every test."""
    if not isinstance(item, pytest.DoctestItem):
        return (yield)
    with TemporaryDirectory() as folder, chdir(folder):
        fill_census_folder(Path(folder))
        return (yield)
