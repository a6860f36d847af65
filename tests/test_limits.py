"""Small inputs that ask for too much: each ends in a clear error, and linear work stays linear."""

from __future__ import annotations

import re
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from constraint_sdc import limits
from constraint_sdc.cli import main
from constraint_sdc.cli.machine.limits import Size
from constraint_sdc.errors import JudgeError, LimitError, RulesError
from constraint_sdc.evaluate.regex import translated
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.tables.arrow.parquet_file import read_parquet
from constraint_sdc.judge.judge import Judge
from constraint_sdc.limits import Allowance, within
from constraint_sdc.schematron.load import load_schema
from tests.in_process import run_in_process

SCHEMA = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt3">
<pattern><rule context="R"><assert id="a" test="{}">told</assert></rule></pattern></schema>"""
ENDLESS = "every $a in 1 to 100000000, $b in 1 to 100000000 satisfies $a * $b gt number(A)"
HUGE = "string-length(string-join((1 to 1000000000) ! string(.))) gt number(A)"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = "".join(f"<R><A>{n}</A><T>{'a' * 60}</T></R>" for n in range(20))
    (tmp_path / "data.xml").write_text(f"<D>{rows}</D>")
    return tmp_path


def rules(folder: Path, test: str) -> Path:
    (folder / "rules.sch").write_text(SCHEMA.format(test))
    return folder / "rules.sch"


def run(folder: Path, *words: str) -> tuple[int, str]:
    code, _, told = run_in_process(main, ["constraint-sdc", *words], folder)
    return code, told


# Time


def test_the_time_of_a_command_ends_a_rule_that_takes_for_ever(files: Path) -> None:
    schema = load_schema(rules(files, ENDLESS))
    expected = pytest.raises(JudgeError, match="Saxon took longer than the time limit")
    with within(Allowance(seconds=1)), expected, Judge(schema) as judge:
        judge.judge_file(files / "data.xml")


def test_the_time_limit_covers_work_in_python(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The alarm of the clock rings while the file is masked, whatever the speed of the machine."""

    def rings(*_: object, **__: object) -> None:
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 600
        signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr("constraint_sdc.commands.mask.carry_out", rings)
    code, told = run(files, "mask", "data.xml", "-k", "3", "-o", "masked.xml", "--time-limit", "600")
    assert code == 2
    assert "constraint-sdc: the command took longer than its time limit of 600 seconds" in told
    assert [path.name for path in files.iterdir()] == ["data.xml"]


def test_a_command_within_its_limits_leaves_no_alarm_behind(files: Path) -> None:
    before = signal.getsignal(signal.SIGALRM)
    assert run(files, "describe", "data.xml", "--time-limit", "600")[0] == 0
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_without_a_time_limit_no_alarm_is_set(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "setitimer", pytest.fail)
    assert run(files, "describe", "data.xml", "--time-limit", "none")[0] == 0


def test_a_command_in_a_thread_has_its_limits_without_an_alarm(files: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(run, files, "describe", "data.xml", "--time-limit", "600").result()[0] == 0


@pytest.mark.parametrize("word", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_that_no_clock_waits_for_is_refused(files: Path, word: str) -> None:
    assert run(files, "describe", "data.xml", "--time-limit", word)[0] == 2


@pytest.mark.parametrize("word", ["0", "-1G", "1.5G", "lots", "9T", ""])
def test_a_size_that_is_none_is_refused(files: Path, word: str) -> None:
    code, told = run(files, "describe", "data.xml", "--memory-limit", word)
    assert code == 2
    assert "is not a size such as 512M or 4G" in told


@pytest.mark.parametrize(
    ("word", "size"), [("512", 512), ("3K", 3 << 10), ("512M", 512 << 20), ("4G", 4 << 30), ("4gb", 4 << 30)]
)
def test_a_size_is_a_number_of_bytes(word: str, size: int) -> None:
    assert repr(Size().convert(word, None, None)) == repr(size)


PATTERN = "a*a*a*a*a*a*a*a*a*a*b"


def test_a_regular_expression_cannot_hang_the_evaluator(files: Path) -> None:
    """Python's own engine needs longer than anybody waits for 60 letters; RE2 does not backtrack."""
    rules(files, f"not(matches(T, '{PATTERN}'))")
    assert translated(PATTERN)
    assert run(files, "check", "data.xml", "--rules", "rules.sch")[0] == 0


# Memory


@pytest.mark.usefixtures("own_saxon")
def test_a_rule_that_builds_a_huge_text_is_ended_by_the_memory_limit(files: Path) -> None:
    harmless, huge = (load_schema(rules(files, test)) for test in ("true()", HUGE))
    with within(Allowance(None, 300 << 20)):
        with Judge(harmless) as judge:
            assert judge.judge_file(files / "data.xml").findings == ()
        expected = pytest.raises(JudgeError, match="took more memory than its limit of 300 MB")
        with Judge(huge) as judge, expected:
            judge.judge_file(files / "data.xml")


def test_the_memory_of_saxon_grows_with_what_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "machine_memory", lambda: 64 << 30)
    assert limits.saxon_memory(0) == 2 << 30
    assert limits.saxon_memory(100 << 20) == (2 << 30) + 32 * (100 << 20)
    assert limits.saxon_memory(1 << 40) == 48 << 30


def test_a_file_that_cannot_fit_is_refused_with_what_it_needs(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "machine_memory", lambda: 1 << 10)
    with pytest.raises(LimitError, match=r"20 records of 2 variables need about .* MB of memory"):
        read_dataset(files / "data.xml")


def test_a_text_in_every_row_of_a_parquet_file_is_in_memory_once(tmp_path: Path) -> None:
    table = pa.table({"A": pa.array(["x" * 1000] * 5000 + [None])})
    pq.write_table(table, tmp_path / "rows.parquet")
    (batch,) = read_parquet(tmp_path / "rows.parquet").batches()
    assert len({id(text) for text in batch["A"]}) == 2
    assert [len(text) if text else 0 for text in batch["A"][-2:]] == [1000, 0]


def test_a_parquet_file_that_claims_too_many_cells_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"A": pa.nulls(2000), "B": pa.nulls(2000)}), tmp_path / "rows.parquet")
    monkeypatch.setattr(limits, "TABLE_CELLS", 3999)
    with pytest.raises(LimitError, match="more than 3,999 cells"):
        read_parquet(tmp_path / "rows.parquet")


# Sizes


def test_a_rule_file_beyond_its_limit_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraint_sdc.schematron.element.RULE_FILE_BYTES", 1 << 20)
    (tmp_path / "big.sch").write_bytes(b"<pattern/>" + b" " * (1 << 20))
    (tmp_path / "rules.sch").write_text(
        SCHEMA.format("true()").replace("<pattern>", "<include href='big.sch'/><pattern>")
    )
    with pytest.raises(RulesError, match=r"big\.sch: larger than 1 MB, the limit of a file of rules"):
        load_schema(tmp_path / "rules.sch")


def test_many_namespaces_in_one_tag_are_refused_by_the_judge(files: Path) -> None:
    many = " ".join(f'xmlns:p{n}="urn:{n}"' for n in range(limits.NAMESPACES + 1))
    (files / "many.xml").write_text(f"<D>\n<R {many}><A>1</A></R><R><A>2</A></R></D>")
    rules(files, "number(A) ge 0")
    code, told = run(files, "check", "many.xml", "--rules", "rules.sch", "--engine", "saxon")
    assert code == 2
    assert "many.xml:2: " in told
    assert "more than 1,000 namespace declarations in one start tag" in told


def test_many_kinds_of_elements_are_no_rows(files: Path) -> None:
    rows = "".join(f"<r{n}><A>1</A></r{n}>" for n in range(limits.ELEMENT_KINDS // 2 + 1))
    (files / "many.xml").write_text(f"<D>{rows}</D>")
    code, told = run(files, "describe", "many.xml")
    assert code == 2
    assert "more than 10,000 kinds of elements" in told


def test_the_documented_limits_are_the_limits_in_force() -> None:
    """docs/security.md has a row for every number in `limits`, with the name of the number."""
    page = (Path(__file__).parents[1] / "docs" / "security.md").read_text()
    told = dict(re.findall(r"^\| `([A-Z_]+)` \| ([0-9.,]+)", page, re.MULTILINE))
    numbers = {name: value for name, value in vars(limits).items() if name.isupper() and not name.startswith("_")}
    assert {name: float(text.replace(",", "")) for name, text in told.items()} == {
        name: float(value) for name, value in numbers.items()
    }
