"""`partition` as a user tries it: what is printed and written, how mistakes end, and what is said while one waits."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import numpy as np
import pytest

from constraint_sdc.arrays import Labels
from constraint_sdc.commands import demo
from constraint_sdc.commands import partition as pipeline
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.partition.compiled import announce
from constraint_sdc.partition.methods.mdav import Mdav
from tests.cli.conftest import Run

# Seven records on a line, an identifier and a text.
DATA = "Id,A,Town\n1,0,x\n2,1,y\n3,3,x\n4,10,x\n5,11,y\n6,13,x\n7,12,y\n"
SCHEMA = json.loads(shipped_file("schemas", "partition.schema.json").read_text("utf-8"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(DATA, encoding="utf-8")
    return tmp_path


def test_the_groups_and_their_price_are_printed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((10.0, 11.25))
    monkeypatch.setattr(pipeline, "perf_counter", lambda: next(clock))
    ran = run("partition", "d.csv", "-k", "3")
    # By hand: the mean of 0, 1, 3 is 4/3, that of 10, 11, 12, 13 is 11.5; squares 14/3 and 5 of 1308/7 in all.
    assert f"{100 * (14 / 3 + 5) / (1308 / 7):.4f}" == "5.1733"
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "PARTITION: 7 records in 2 groups, at least 3 records to a group\n"
        "  variables    1: A\n"
        "  left out     Id (identifier), Town (untouched)\n"
        "  partition    auto at default effort: optimal-univariate (only one variable varies: the least loss\n"
        "               can be computed), seed 0\n"
        "  distances    in z-scores\n"
        "  groups       2, the smallest of 3 records, the largest of 4: 1 of 3, 1 of 4\n"
        "  loss         information loss 5.1733 (100 * SSE / SST); MDAV 5.1733\n"
        "  time         1.25 s\n"
    )


def test_what_was_asked_for_is_said(run: Run) -> None:
    recipe = "variables: {Town: {type: nominal, weight: 2}, A: {weight: '0.5'}}\nweights: Id\n"
    Path("r.yml").write_text(recipe, encoding="utf-8")
    options = "-k 2 --variables A,Town --partition mdav+refine --effort fast --standardise robust --seed 7"
    ran = run("partition", "d.csv", *options.split(), "--recipe", "r.yml")
    assert ran.code == 0
    assert "  variables    2: A (weight 0.5), Town (nominal, weight 2)\n" in ran.out
    assert "  partition    mdav+refine at fast effort, seed 7\n" in ran.out
    assert "  distances    in robust units" in ran.out
    assert "  weights      records count by Id\n" in ran.out
    assert "left out" not in ran.out


def test_mdav_is_not_compared_with_itself(run: Run) -> None:
    assert "(100 * SSE / SST)\n" in run("partition", "d.csv", "-k", "3", "--partition", "mdav").out


def test_many_sizes_are_not_listed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = range(2, 11)
    labels = [label for label, size in enumerate(sizes) for _ in range(size)]
    Path("many.csv").write_text("A\n" + "".join(f"{label}\n" for label in labels), encoding="utf-8")
    monkeypatch.setattr(Mdav, "partition", lambda *_, **__: np.array(labels))
    ran = run("partition", "many.csv", "-k", "2", "--partition", "mdav")
    assert "  groups       9, the smallest of 2 records, the largest of 10\n" in ran.out


def test_a_large_file_is_not_compared(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_DIVIDED_TWICE", 6)
    assert "; MDAV not computed for a file of this size\n" in run("partition", "d.csv", "-k", "3").out


def test_every_record_is_written_with_its_group(run: Run) -> None:
    ran = run("partition", "d.csv", "-k", "3", "-o", "groups.csv")
    assert (ran.code, ran.err) == (0, "groups saved: groups.csv\n")
    with Path("groups.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["record", "group"]
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5", "6", "7"]
    assert sorted(Counter(row[1] for row in rows)) == ["1", "2"]
    group = dict(rows)
    assert group["1"] == group["2"] == group["3"] != group["4"] == group["5"] == group["6"] == group["7"]


@pytest.mark.parametrize("more", ["", "--partition mdav", "--weights A --variables Town --effort fast"])
def test_json_follows_its_schema(run: Run, more: str) -> None:
    Path("w.csv").write_text(DATA.replace(",0,", ",2,"), encoding="utf-8")
    ran = run("partition", "w.csv", "-k", "3", "--json", *more.split())
    assert ran.code == 0
    content = json.loads(ran.out)
    jsonschema.validate(content, SCHEMA)
    assert (content["data"], content["records"], content["k"]) == ("w.csv", 7, 3)
    assert sum(size["groups"] for size in content["sizes"]) == content["groups"]
    assert sum(size["groups"] * size["records"] for size in content["sizes"]) == 7
    assert (content["chosen"] is None) == (more == "--partition mdav")


def test_an_existing_file_is_kept_unless_told(run: Run) -> None:
    Path("groups.csv").write_text("precious", encoding="utf-8")
    ran = run("partition", "d.csv", "-k", "3", "-o", "groups.csv")
    assert ran.code == 2
    assert "groups.csv: the file exists already" in ran.err
    assert Path("groups.csv").read_text("utf-8") == "precious"
    assert run("partition", "d.csv", "-k", "3", "-o", "groups.csv", "--overwrite").code == 0
    assert Path("groups.csv").read_text("utf-8").startswith("record,group\n1,")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("", "k is not given"),
        ("-k 1", "k must be at least 2, not 1"),
        ("-k 8", "d.csv: 7 records cannot form a group of 8 (choose a smaller k)"),
        ("-k 3 --variables ,", "--variables names nothing"),
        ("-k 3 --variables Age", "no record has a variable 'Age' (the file has: Id, A, Town)"),
        ("-k 3 --partition best", "unknown partition method 'best'"),
        ("-k 3 --effort long", "unknown effort 'long'"),
        ("-k 3 --standardise ranks", "--standardise"),
        ("-k 3 --seed -1", "--seed"),
        ("-k 3 --record R", "--record has no meaning here"),
        ("-k 3 --overwrite", "--overwrite has no meaning here"),
        ("-k 3 -o d.csv --overwrite", "the output would overwrite an input"),
        ("-k 3 -o .", "a directory cannot hold the groups"),
        ("-k 3 -o nowhere/g.csv", "the directory does not exist"),
        ("-k 3 --recipe none.yml", "none.yml: cannot read the recipe"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_written(run: Run, folder: Path, options: str, says: str) -> None:
    ran = run("partition", "d.csv", *options.split())
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert [path.name for path in folder.iterdir()] == ["d.csv"]
    assert Path("d.csv").read_text("utf-8") == DATA


def test_the_record_element_is_found_or_named(run: Run) -> None:
    rows = "".join(f"<P><A>{value}</A></P>" for value in (0, 1, 2, 9, 8, 7))
    Path("d.xml").write_text(f"<D>{rows}</D>", encoding="utf-8")
    ran = run("partition", "d.xml", "-k", "3")
    assert "6 records in 2 groups" in ran.out
    assert "  groups       2, each of 3 records\n" in ran.out
    assert "6 records in 2 groups" in run("partition", "d.xml", "-k", "3", "--record", "P").out
    assert run("partition", "d.xml", "-k", "3", "--record", "Q").code == 2


# What is said while one waits.

COMPILING = "compiling the search: takes a few seconds, once per machine\n"
WAITING: Any = SimpleNamespace(signatures=[], stats=SimpleNamespace(cache_path=None))
"""A kernel that no process has compiled yet."""


@pytest.fixture
def compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """MDAV says that its kernel must be compiled, every time it runs."""
    textbook: Callable[..., Labels] = Mdav.partition

    def partition(self: Mdav, cloud: Cloud, k: int, seed: int) -> Labels:
        announce("search", [WAITING])
        return textbook(self, cloud, k, seed)

    monkeypatch.setattr(Mdav, "partition", partition)


def small_xml() -> None:
    rows = "".join(f"<Record><A>{i}</A><B>{i * i % 7}</B></Record>" for i in range(9))
    Path("d.xml").write_text(f"<Microdata>{rows}</Microdata>", encoding="utf-8")


@pytest.mark.usefixtures("compiling")
@pytest.mark.parametrize(
    "arguments",
    [
        "partition d.xml -k 3 --partition mdav+refine --effort fast",
        "partition d.csv -k 3 --json",
        "plan d.xml -k 3 --partition mdav",
        "mask d.xml -k 3 --partition mdav -o masked.xml",
        "explain d.xml --record 2 -k 3 --partition mdav",
    ],
)
def test_compiling_is_said_once_on_stderr(run: Run, arguments: str) -> None:
    small_xml()
    ran = run(*arguments.split())
    assert ran.code == 0
    assert ran.err == COMPILING
    assert "compiling" not in ran.out
    assert run(*arguments.replace("masked", "again").split()).err == COMPILING


def test_the_demo_says_it_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(*_: object) -> None:
        announce("search", [WAITING])
        raise UsageError("enough")

    monkeypatch.setattr(demo, "prepare_demo", prepare)
    assert run("demo").err == COMPILING + "constraint-sdc: enough\n"


def test_the_library_prints_nothing(capsys: pytest.CaptureFixture[str], run: Run) -> None:
    run("partition", "d.csv", "-k", "3")
    announce("search", [WAITING])
    assert capsys.readouterr().err == ""
