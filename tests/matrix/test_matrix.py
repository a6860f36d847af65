"""Today's code publishes, answers and reports what is recorded of the code before it, wording aside.

The long cases are left to `make matrix`. What to do when a case differs: README.md beside this file.
"""

from __future__ import annotations

import json
import platform

import pytest
from numpy._core import _multiarray_umath

from tests.matrix.case import MatrixCase, load_cases
from tests.matrix.normal import differences
from tests.matrix.recording import recorded, recorded_names
from tests.matrix.running import Runner, recorded_form

CASES = load_cases()
QUICK = [case for case in CASES if not case.is_long]


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(tmp_path_factory.mktemp("matrix"))


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.name)
def test_a_run_ends_as_recorded(case: MatrixCase, runner: Runner) -> None:
    result = json.loads(json.dumps(recorded_form(runner.run(case))))
    assert list(differences(recorded(case), result)) == [], "\n".join(case.run)


def test_every_case_is_recorded_and_nothing_else() -> None:
    assert recorded_names() == {case.name for case in CASES}


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the vector units of another family")
def test_digits_are_those_of_the_vector_units_that_recorded_them() -> None:
    """NumPy reads the choice of tests/__init__.py at its first import: too late a choice would have no effect."""
    assert not _multiarray_umath.__cpu_features__["X86_V4"]
