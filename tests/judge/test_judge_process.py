"""The life of the worker: it ends with its parent, however the parent ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from constraint_sdc.errors import JudgeError
from constraint_sdc.judge.worker.process import (
    HEAD_SIZE,
    Worker,
    _ahead,
    packed,
    read_message,
    sizes,
    started_ahead,
    take_started,
)
from tests.waiting import awaited

RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt3"><pattern><rule context="a">
<assert id="a" test="fold-left(1 to 2000000000, 0, function($a, $b) { ($a + $b) mod 7 }) = 8">x</assert>
</rule></pattern></schema>"""
INSIDE = 20  # ticks: more than Saxon needs to compile the rule, so it is evaluating
# A job in the background of a shell is born deaf to SIGINT.
SLOW = """
import signal
import sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
from constraint_sdc.schematron.load import load_schema
from constraint_sdc.judge.judge import Judge
with Judge(load_schema(Path(sys.argv[1]))) as judge:
    print(judge._own._bench._worker._process.pid, flush=True)
    judge.judge_bytes(b"<a/>", Path("a.xml"))
"""


def is_running(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def ticks(pid: int) -> int:
    """Return the processor time that a process has used, in ticks of 10 ms: no wall clock says whether it works."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_worker_in_the_middle_of_its_work_ends_with_its_parent(tmp_path: Path, how: signal.Signals) -> None:
    rules = tmp_path / "rules.sch"
    rules.write_text(RULES)
    parent = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(rules)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    with parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        begun = ticks(worker)
        awaited(lambda: ticks(worker) > begun + INSIDE, "the worker never began its work")
        parent.send_signal(how)
    try:
        awaited(lambda: not is_running(worker), "the worker outlived its parent")
    finally:
        if is_running(worker):
            os.kill(worker, signal.SIGKILL)


def test_a_worker_that_dies_is_a_judge_error() -> None:
    worker = Worker()
    worker._process.kill()
    with pytest.raises(JudgeError, match="signal 9"):
        worker.ask({"do": "forget"})
    assert not worker.is_alive
    with pytest.raises(JudgeError):
        worker.ask({"do": "forget"})


def test_a_worker_that_leaves_says_its_exit_code() -> None:
    worker = Worker()
    assert worker._process.stdin is not None
    worker._process.stdin.close()
    with pytest.raises(JudgeError, match="exit code 0"):
        worker.ask({"do": "forget"})


def test_a_worker_started_ahead_is_taken_once_and_belongs_to_who_took_it() -> None:
    with started_ahead():
        worker = take_started()
        assert take_started() is None
    assert worker is not None
    assert worker.ask({"do": "forget"}) == {}
    worker.kill()


def test_a_worker_started_ahead_ends_with_the_command_if_nobody_takes_it() -> None:
    with started_ahead():
        worker = _ahead[0]
        assert worker.is_alive
    assert not worker.is_alive
    assert take_started() is None


def test_a_worker_that_died_ahead_is_not_taken() -> None:
    with started_ahead():
        _ahead[0].kill()
        assert take_started() is None


COUNTED = """
import subprocess, sys
started = []
popen = subprocess.Popen.__init__
def counted(self, *words, **named):
    started.append("constraint_sdc.commands.mask" in sys.modules)
    popen(self, *words, **named)
subprocess.Popen.__init__ = counted
from constraint_sdc.cli import main
try:
    main()
finally:
    print(started)
"""


def test_a_command_starts_one_worker_before_it_loads_its_stages(tmp_path: Path) -> None:
    (tmp_path / "a.sch").write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt3"><pattern><rule context="Record">'
        '<assert id="a" test="number(V1) ge 0">x</assert></rule></pattern></schema>'
    )
    rows = "".join(f"<Record><V1>{number * 13.5}</V1></Record>" for number in range(100))
    (tmp_path / "a.xml").write_text(f"<Microdata>{rows}</Microdata>")
    command = [sys.executable, "-c", COUNTED, "mask", "a.xml", "--rules", "a.sch", "-k", "3"]
    command += ["-o", "b.xml", "--undecided", "guess"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "[False]"


def test_bytes_that_arrive_during_the_work_do_not_end_the_process() -> None:
    worker = Worker()
    message = packed({"do": "forget"}, 0)
    worker._send(message * 50)
    for _ in range(50):
        length, _ = sizes(worker._receive(HEAD_SIZE, None))
        assert worker._receive(length, None) == b"{}"
    worker.kill()


def test_an_unknown_message_is_answered_as_a_problem() -> None:
    worker = Worker()
    assert worker.ask({"do": "dance"})["problem"] == "protocol"
    worker.kill()


def test_a_message_comes_back_as_it_was_sent() -> None:
    import io

    head, attachment = packed({"do": "é", "n": [1, None]}, 2), b"\x00\xff"
    stream = io.BytesIO(head + attachment)
    assert read_message(stream) == ({"do": "é", "n": [1, None]}, b"\x00\xff")
    assert read_message(stream) is None
    assert read_message(io.BytesIO((head + attachment)[:-1])) is None
