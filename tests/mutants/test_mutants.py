"""The tool that plants faults: which faults it finds, what it changes, and which of them it reports as noticed."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from tests.mutants.faults import find_faults
from tests.mutants.lines import Witnesses
from tests.mutants.sampling import all_faults, equivalents, sample
from tests.mutants.trial import Plot, choose_rounds
from tests.waiting import PATIENCE


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test that ends be taken for one that does not, however busy the machine is."""
    monkeypatch.setattr("tests.mutants.trial.PATIENCE", PATIENCE)


def _planted(text: str) -> list[str]:
    source = text.encode()
    return [fault.planted(source).decode() for fault in find_faults("a/b.py", source)]


@pytest.mark.parametrize(
    ("text", "faulty"),
    [
        ("x = a < b", ["x = a <= b", "x = a > b"]),
        ("x = a is not b", ["x = a is b"]),
        ("x = a not  in b", ["x = a in b"]),
        ("x = a and b and c", ["x = a or b and c", "x = a and b or c"]),
        ("x = not a", ["x =  a"]),
        ("x += 1", ["x -= 1"]),
        ("x = a[-1]", ["x = a[1]"]),
        ("def f(a):\n    return a | b", ["def f(a):\n    return a & b"]),
        ("x = (a  # < is no operator here\n  + b)", ["x = (a  # < is no operator here\n  - b)"]),
        ("x = 'ä' + b", ["x = 'ä' - b"]),
        ("x = a < b == c", ["x = a <= b == c", "x = a > b == c", "x = a < b != c"]),
    ],
)
def test_an_operator_is_exchanged_and_nothing_else(text: str, faulty: list[str]) -> None:
    assert _planted(text) == faulty


@pytest.mark.parametrize(
    "text",
    [
        "def f(a: int | None) -> int | None: ...",
        "Number = int | float",
        "x = isinstance(a, int | float)",
        "x = f'{a + b}'",
        "if TYPE_CHECKING:\n    x = a + b",
        "x: int | None = None",
    ],
)
def test_what_computes_nothing_gets_no_fault(text: str) -> None:
    assert _planted(text) == []


def test_a_removed_minus_that_changes_nothing_is_no_fault() -> None:
    source = b"x = a if - - b else c"
    assert all(fault.is_other_program(source) for fault in find_faults("a/b.py", source))


def test_every_fault_that_is_called_harmless_can_still_be_planted_and_has_a_reason() -> None:
    known = {fault.name for fault in all_faults()}
    stale = [name for name in equivalents() if name not in known]
    assert not stale, "these lines have changed; judge the fault anew or remove the entry"
    assert all(len(reason.split()) > 3 for reason in equivalents().values())


def test_a_sample_holds_faults_of_every_room_and_none_that_is_harmless() -> None:
    faults = all_faults()
    chosen = sample(faults, 3, seed=5)
    assert {fault.room for fault in chosen} == {fault.room for fault in faults}
    assert not {fault.name for fault in chosen} & set(equivalents())
    assert chosen == sample(faults, 3, seed=5)
    assert chosen != sample(faults, 3, seed=6)


def test_a_fault_in_what_runs_at_import_faces_every_test_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first test that imports a module is seen to execute its constants; the others use them all the same."""
    by_line = {1: {"t.py::first"}, 3: {"t.py::first", "t.py::second"}}

    class Measured:
        seconds: ClassVar = {"t.py::first": 0.1, "t.py::second": 0.2}
        by_line = staticmethod(lambda _path: by_line)
        at = staticmethod(lambda _path, line: by_line[line])

    monkeypatch.setattr("tests.mutants.lines.measurements", lambda: [Path()])
    monkeypatch.setattr("tests.mutants.lines.Measurement", lambda _folder: Measured())
    monkeypatch.setattr("tests.mutants.lines.collected_tests", lambda: list(Measured.seconds))
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "LIMIT = 3\ndef f(x):\n    return x < LIMIT\n")
    witnesses = Witnesses()
    assert witnesses.of("constraint_sdc/toy.py", 1) == ["t.py::first", "t.py::second"]
    by_line[3] = {"t.py::second"}
    assert witnesses.of("constraint_sdc/toy.py", 3) == ["t.py::second"]


def test_the_first_round_takes_one_test_of_each_function() -> None:
    seconds = {"t.py::a[1]": 0.1, "t.py::a[2]": 0.2, "t.py::b": 0.3, "t.py::slow": 20.0, "t.py::endless": 1000.0}
    assert choose_rounds(list(seconds), seconds) == (["t.py::a[1]", "t.py::b"], ["t.py::slow", "t.py::a[2]"], 1)


def test_more_cases_of_the_own_room_come_before_the_tests_of_other_rooms() -> None:
    seconds = {"tests/a/t.py::f[1]": 0.1, "tests/a/t.py::f[2]": 0.2, "tests/a/t.py::g": 9.0, "tests/b/t.py::h": 9.0}
    first, rest, left_out = choose_rounds(list(seconds), seconds, own="tests/a/")
    assert (first, left_out) == (["tests/a/t.py::f[1]"], 0)
    assert rest == ["tests/a/t.py::g", "tests/a/t.py::f[2]", "tests/b/t.py::h"]


def test_a_fault_that_a_test_notices_is_told_from_one_that_none_notices(tmp_path: Path) -> None:
    source = b"def is_positive(x):\n    return x > 0\n"
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "toy.py").write_bytes(source)
    (tmp_path / "test_toy.py").write_text(
        "from pkg.toy import is_positive\ndef test_sign():\n    assert is_positive(1) and not is_positive(-1)\n"
    )
    boundary, direction = find_faults("pkg/toy.py", source)
    plot = Plot(tmp_path)
    seconds = {"test_toy.py::test_sign": 0.1}
    found = [plot.try_fault(fault, list(seconds), seconds).noticed_by for fault in (boundary, direction)]
    assert found == [None, "test_toy.py::test_sign"]
    assert (tmp_path / "pkg" / "toy.py").read_bytes() == source


def test_a_test_that_fails_anyway_notices_nothing(tmp_path: Path) -> None:
    source = b"def is_positive(x):\n    return x > 0\n"
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "toy.py").write_bytes(source)
    (tmp_path / "test_toy.py").write_text("def test_broken():\n    assert False\ndef test_idle():\n    pass\n")
    seconds = {"test_toy.py::test_broken": 0.1, "test_toy.py::test_idle": 0.2}
    found = Plot(tmp_path).try_fault(find_faults("pkg/toy.py", source)[0], list(seconds), seconds)
    assert (found.noticed_by, found.tests) == (None, 1)


def test_tests_run_in_the_order_given_the_quickest_first(tmp_path: Path) -> None:
    (tmp_path / "test_toy.py").write_text("def test_slow():\n    assert False\ndef test_quick():\n    assert False\n")
    tests = ["test_toy.py::test_quick", "test_toy.py::test_slow"]
    assert Plot(tmp_path).first_failure(tests, 0.0) == "test_toy.py::test_quick"


def test_a_fault_that_keeps_a_test_from_ending_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.mutants.trial.PATIENCE", 3.0)
    (tmp_path / "test_toy.py").write_text("def test_it():\n    while True:\n        pass\n")
    assert Plot(tmp_path).first_failure(["test_toy.py::test_it"], 0.0) == "did not end"
