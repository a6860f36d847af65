"""A masking reads its files a fixed number of times, loads its rules once, and starts Saxon once."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from constraint_sdc.census import generate_file
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.maskers.masked import MaskOptions, MaskResult
from tests.maskers.extract import columns, extract
from tests.reading_count import ReadingCount, counting

pytestmark = pytest.mark.usefixtures("own_saxon")  # its processes are counted

RULES = Path(__file__).resolve().parents[2] / "rules"


@pytest.fixture
def census(tmp_path: Path) -> Path:
    for name in ("census.sch", "constraints.sch"):
        shutil.copy(RULES / name, tmp_path / name)
    generate_file(tmp_path / "data.xml", 400, seed=5)
    return tmp_path


def counted(folder: Path, rules: Path) -> tuple[ReadingCount, MaskResult]:
    files = {"original": folder / "data.xml", "rules": rules}
    output = folder / "masked.xml"
    with counting(files, staged_for=output) as count:
        result = mask_file(files["original"], rules, output, MaskOptions(k=5, partition="mdav"))
    return count, result


def test_a_masking_reads_what_it_must_and_no_more(census: Path) -> None:
    """The rules look values up in the original: it is read for masking, copied, and read by Saxon."""
    count, _ = counted(census, census / "census.sch")
    assert count.figures() == {
        "original: opens": 4,  # one of them only looks whether it can be opened
        "original: passes": 3,
        "rules: opens": 1,
        "rules: passes": 1,
        "staged: opens": 2,
        "staged: passes": 2,
        "compile": 1,
        "load_schema": 1,
        "understand": 1,
        "Saxon processes": 1,
    }


def test_rules_that_only_saxon_judges_need_no_second_process(tmp_path: Path) -> None:
    rows = columns(A=range(40), B=range(40, 80))
    given = extract(tmp_path, rows, {"o": "count((A, B)[number(.) ge 0]) ge 1"})
    assert given.rules is not None
    count, _ = counted(tmp_path, given.rules)
    figures = count.figures()
    assert (figures["original: passes"], figures["staged: passes"], figures["Saxon processes"]) == (3, 2, 1)
    assert (figures["load_schema"], figures["understand"]) == (1, 1)


def test_digests_are_of_the_bytes_that_were_read(census: Path) -> None:
    _, result = counted(census, census / "census.sch")
    names = {
        "data": "data.xml",
        "rules": "census.sch",
        "rules: constraints.sch": "constraints.sch",
        "output": "masked.xml",
    }
    digests = {role: hashlib.sha256((census / name).read_bytes()).hexdigest() for role, name in names.items()}
    assert result.digests == digests
