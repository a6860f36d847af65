"""A pytest plug-in that notes which test executes which line of the package: `pytest -p tests.mutants.witness`.

Each process of the tests measures its own lines, one context a test. A program that a test starts measures itself: it
finds the settings in COVERAGE_PROCESS_START and the name of the test in CONSTRAINT_SDC_TEST. The tests that passed are
written with their seconds to the file that CONSTRAINT_SDC_SECONDS names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

_running: list[coverage.Coverage] = []
_seconds: dict[str, float] = {}
_failed: set[str] = set()


def pytest_configure(config: pytest.Config) -> None:
    """Start to measure, except in a process that only hands out tests to others."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        return
    measure = coverage.Coverage(config_file=os.environ["COVERAGE_PROCESS_START"], data_suffix=True)
    measure.start()
    _running.append(measure)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Give every line that runs from here on to this test."""
    os.environ["CONSTRAINT_SDC_TEST"] = item.nodeid
    for measure in _running:
        measure.switch_context(item.nodeid)
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the seconds of a test's three phases; a process that hands out tests sees the reports of all others."""
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0.0) + report.duration
    if not report.passed:
        _failed.add(report.nodeid)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Save what this process measured, and the seconds where all reports come together."""
    for measure in _running:
        measure.stop()
        measure.save()
    _running.clear()
    if not hasattr(config, "workerinput"):
        passed = {name: round(seconds, 3) for name, seconds in _seconds.items() if name not in _failed}
        Path(os.environ["CONSTRAINT_SDC_SECONDS"]).write_text(json.dumps(passed, indent=0), encoding="utf-8")
