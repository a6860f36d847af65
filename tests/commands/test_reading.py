"""A command reads its files a fixed number of times, loads its rules once, and starts Saxon once."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.census import generate_file
from constraint_sdc.cli import main
from constraint_sdc.commands.assess import assess_files
from constraint_sdc.commands.certificate import verify
from constraint_sdc.commands.certificate.certificate import certificate_path, read_certificate
from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.measuring import compared_files
from constraint_sdc.errors import ChangedFileError
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.maskers.masked import MaskOptions, MaskResult
from constraint_sdc.measures.assessment import AssessOptions
from tests.in_process import run_in_process
from tests.maskers.extract import columns, extract
from tests.matrix.inputs import prepare
from tests.reading_count import ReadingCount, counting

pytestmark = pytest.mark.usefixtures("own_saxon")  # its processes are counted

TOP = Path(__file__).resolve().parents[2]
RULES = TOP / "rules"
ROW = re.compile(r"^\| `(?P<command>[a-z][^`]*)` \|(?P<figures>(?: \d+ \|){4})$", re.MULTILINE)


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
        "original: opens": 5,  # one only looks whether it can be opened, and one whether its root is that of SDMX
        "original: passes": 3,
        "rules: opens": 1,
        "rules: passes": 1,
        "staged: opens": 3,
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
    # Once for the table, once for the verdict by Saxon, once for candidates in their own XML, and once to be copied.
    assert (figures["original: passes"], figures["staged: passes"], figures["Saxon processes"]) == (4, 2, 1)
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


def documented() -> dict[str, list[int]]:
    """Return the table of the documentation: passes over the original and the masked file, loads, Saxon processes."""
    page = (TOP / "docs" / "architecture.md").read_text("utf-8")
    return {row["command"]: [int(cell) for cell in re.findall(r"\d+", row["figures"])] for row in ROW.finditer(page)}


@pytest.fixture(scope="module")
def masked_census(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("census")
    for name in ("census.sch", "constraints.sch"):
        shutil.copy(RULES / name, folder / name)
    generate_file(folder / "data.xml", 400, seed=5)
    mask_file(folder / "data.xml", folder / "census.sch", folder / "masked.xml", MaskOptions(k=5, partition="mdav"))
    return folder


def test_the_table_of_readings_has_these_commands() -> None:
    words = [command.split()[0] for command in documented()]
    assert sorted(set(words)) == ["assess", "attack", "check", "mask", "partition", "plan", "reproduce", "sweep"]


@pytest.mark.parametrize("command", documented())
def test_a_command_reads_as_often_as_the_documentation_says(masked_census: Path, tmp_path: Path, command: str) -> None:
    shutil.copytree(masked_census, tmp_path, dirs_exist_ok=True)
    files = {"original": tmp_path / "data.xml", "masked": tmp_path / "masked.xml"}
    with counting(files, staged_for=tmp_path / "new.xml") as count:
        code, _, complained = run_in_process(main, ["constraint-sdc", *command.split()], tmp_path)
    assert code == 0, complained
    figures = count.figures()
    masked = figures["masked: passes"] + figures.get("staged: passes", 0)
    found = [figures["original: passes"], masked, figures["load_schema"], figures["Saxon processes"]]
    assert found == documented()[command]


def saxons_rule(folder: Path) -> tuple[Path, Path, Path]:
    """A masked file whose rules only Saxon judges, on the whole file, with the original at hand."""
    rows = columns(A=[n // 4 for n in range(40)], B=range(40, 80))
    tests = {"o": "count((A, B)[number(.) ge 0]) ge 1 and count($original//Record) ge count(//Record)"}
    given = extract(folder, rows, tests)
    assert given.rules is not None
    output = folder / "masked.xml"
    mask_file(folder / "data.xml", given.rules, output, MaskOptions(k=4, partition="mdav"))
    return folder / "data.xml", given.rules, output


def test_saxon_reads_each_file_once_more(tmp_path: Path) -> None:
    data, rules, output = saxons_rule(tmp_path)
    with counting({"original": data, "masked": output, "rules": rules}) as count:
        assess_files(data, output, AssessOptions(rules=rules))
    figures = count.figures()
    assert figures["original: passes"] <= 3
    assert (figures["masked: passes"], figures["rules: passes"], figures["Saxon processes"]) == (2, 1, 1)


@pytest.mark.parametrize("name", ["data.xml", "masked.xml"])
def test_what_is_measured_is_what_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A file that is replaced between its reading and its judgement ends an assessment."""
    data, rules, output = saxons_rule(tmp_path)
    pairing = compared_files.pair_tables

    def replaced(*given: Any) -> Any:
        text = (tmp_path / name).read_text("utf-8")
        (tmp_path / name).write_text(f"{text}<!-- another version -->", "utf-8")
        return pairing(*given)

    assess_files(data, output, AssessOptions(rules=rules))
    monkeypatch.setattr(compared_files, "pair_tables", replaced)
    with pytest.raises(ChangedFileError, match=name):
        assess_files(data, output, AssessOptions(rules=rules))


@pytest.mark.parametrize("example", ["survey", "group-anonymity"])
def test_what_is_counted_is_what_is_judged(tmp_path: Path, example: str) -> None:
    """A file that is replaced between its judgement and the count of its groups, or of its swaps, is refused."""
    prepare(f"example:{example}", tmp_path)
    data, rules = (next(iter(tmp_path.glob(f"*.{ending}"))) for ending in ("csv", "txt"))
    output = tmp_path / "masked.csv"
    recipe = read_recipe(tmp_path / "recipe.yml")
    mask_file(data, rules, output, MaskOptions(recipe=recipe))
    certificate = read_certificate(certificate_path(output))
    judged = check_file(output, rules, CheckOptions(original=data, missing_codes=recipe.missing))
    assert verify.check_certificate(certificate, output, rules, judged).mismatches == ()
    output.write_text(f"{output.read_text('utf-8')}\n", "utf-8")
    with pytest.raises(ChangedFileError, match=r"masked.csv.*since it was judged"):
        verify.check_certificate(certificate, output, rules, judged)
