"""Every command reads data, rules and recipes by their addresses, with the results of local files.

Nothing that is printed or written names the private copy, or what an address says after a question mark.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

import constraint_sdc as cs
from constraint_sdc.census import generate_xml
from constraint_sdc.errors import UsageError
from tests.cli.conftest import Run
from tests.web_server import web_server, whole

RULES = "V9 + V10 = V14\n0 <= V3 <= 7500\n"
INCLUDING = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<include href="more.sch"/></schema>"""
READING = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<pattern><rule context="Record"><assert id="a" test="V1 = doc('more.xml')//V1">no</assert></rule></pattern></schema>"""
BROKEN = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<pattern><rule context="Record"><assert id="a" test="number(V1) &lt; 0">{V1}</assert></rule></pattern></schema>"""
LEVELS = "variables:\n  V1:\n    role: quasi-identifier\n    hierarchy: {{levels: '{}'}}\n"
SCRATCH = "constraint-sdc-scratch"
FILES = {
    "census.xml": b"".join(generate_xml(200, 1)),
    "damaged.xml": b"".join(generate_xml(200, 1, 0.01)),
    "rules.txt": RULES.encode(),
    "recipe.yml": b"k: 5\nrecord: Record\n",
    "levels.yml": LEVELS.format("levels.csv").encode(),
    "fetching.yml": LEVELS.format("memory://office/levels.csv?sig=SECRET").encode(),
    "broken.sch": BROKEN.encode(),
    "including.sch": INCLUDING.encode(),
    "reading.sch": READING.encode(),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a working directory with all files, which a store has too; private copies are made beside it."""
    memory: Any = fsspec.filesystem("memory")
    memory.store.clear()
    folder = tmp_path / "here"
    (tmp_path / "private").mkdir()
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
        memory.pipe(f"/office/{name}?sig=SECRET", content)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "private"))
    yield folder
    memory.store.clear()
    assert [path for path in (tmp_path / "private").iterdir() if path.is_dir()] == []


def there(word: str) -> str:
    """Return a word of a command, with the address in place of an input."""
    return f"memory://office/{word[1:]}?sig=SECRET" if word.startswith("@") else word


def here(word: str) -> str:
    return word[1:] if word.startswith("@") else word


COMMANDS = [
    *(f"check @census.xml -r @rules.txt --format {name} -o out.{name}" for name in ("json", "sarif", "github")),
    "check @damaged.xml -r @broken.sch --format svrl -o out.svrl --engine saxon --show-values",
    "check @damaged.xml -r @broken.sch --format junit -o out.junit",
    "check @damaged.xml @census.xml -r @rules.txt --original @census.xml --recipe @recipe.yml",
    "init @census.xml -r @rules.txt -o new.yml",
    "describe @census.xml --recipe @recipe.yml",
    "domain @census.xml --variables V1 -o domain.xml",
    "convert @census.xml census.csv",
    "plan @census.xml -r @rules.txt -k 5 --partition mdav --out plan.json",
    "partition @census.xml -k 5 --partition mdav -o groups.csv",
    "explain rule-1 @census.xml -r @rules.txt -k 5 --partition mdav",
    "explain @census.xml --record 7 -r @rules.txt -k 5 --partition mdav",
    "rules list @rules.txt --data @census.xml",
    "rules list @rules.txt --json",
    "rules lint @rules.txt --data @census.xml",
    "rules lint @broken.sch --data @census.xml --format sarif -o out.sarif",
    "rules graph @rules.txt --data @census.xml -o out.svg",
    "rules discover @census.xml -o found.sch",
    "rules convert @rules.txt -o out.sch --data @census.xml --recipe @recipe.yml",
    "sweep @census.xml -r @rules.txt --k 5 --partitions mdav --jobs 1",
    "assess @census.xml @damaged.xml -r @rules.txt --report out.html",
    "attack single-ranking @census.xml @damaged.xml",
    "mask @census.xml -r @rules.txt --recipe @recipe.yml --partition mdav -o masked.xml --report out.html",
]


def test_every_command_that_reads_a_file_is_here() -> None:
    from constraint_sdc.cli import _COMMANDS

    tried = {line.split()[0] for line in COMMANDS}
    assert tried | {"reproduce", "key", "demo", "exam", "completion"} == set(_COMMANDS)


@pytest.mark.parametrize("line", COMMANDS)
def test_an_address_is_a_file(run: Run, place: Path, line: str) -> None:
    expected = run(*map(here, line.split()))
    wanted = written(place)
    for name in wanted:
        (place / name).unlink()
    found = run(*map(there, line.split()))
    assert (found.code, bool(found.out)) == (expected.code, bool(expected.out)), found
    contents = written(place)
    for text in (found.out, found.err, *(content.decode("utf-8", "replace") for content in contents.values())):
        assert SCRATCH not in text
        assert "SECRET" not in text
    assert contents.keys() == wanted.keys()
    if "masked.xml" in contents:
        assert contents["masked.xml"] == wanted["masked.xml"]
        certified = cs.read_certificate("masked.xml.certificate.json")["inputs"]
        assert {one["file"] for one in certified} == {
            f"memory://office/{name}" for name in ("census.xml", "rules.txt", "recipe.yml")
        }


def written(place: Path) -> dict[str, bytes]:
    """Return what a command has written."""
    found = {path.relative_to(place).as_posix(): path for path in place.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if name not in FILES}


def test_a_certificate_by_addresses_is_verified_with_them(run: Run, place: Path) -> None:
    data, rules = there("@census.xml"), there("@rules.txt")
    assert run("mask", data, "-r", rules, "-k", "5", "--partition", "mdav", "-o", "masked.xml").code == 0
    certificate = "masked.xml.certificate.json"
    checked = run("check", "masked.xml", "-r", rules, "--original", data, "--certificate", certificate)
    assert checked.code == 0, checked
    again = run("reproduce", certificate, "--original", data, "-r", rules)
    assert again.code == 0, again
    assert "the same bytes" in again.out
    (place / "census.xml").unlink()
    alone = run("explain", "--record", "7", "--certificate", certificate)
    assert alone.code == 2  # nothing is fetched because a file names it
    assert "the data of the certificate cannot be found" in alone.err
    assert run("explain", data, "--record", "7", "--certificate", certificate, "-r", rules).code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("check @none.xml -r rules.txt", "memory://office/none.xml: cannot be fetched: there is no such file"),
        ("check census.xml -r @including.sch", "include asks for a file beside memory://office/including.sch"),
        ("check census.xml -r @reading.sch", "only what is named is fetched"),
        ("mask census.xml -r rules.txt -k 5 -o @masked.xml", "results are written to a path only"),
        ("mask census.xml -r rules.txt -k 5 -o m.xml --plan @plan.json", "this is read from a path only"),
        ("mask census.xml -r rules.txt -k 5 -o m.xml --sign @office.key", "this is read from a path only"),
        ("check census.xml -r rules.txt --allow @folder", "this is read from a path only"),
        ("check census.xml -r @census.xml", "memory://office/census.xml"),
        ("check @rules.txt -r rules.txt", "memory://office/rules.txt"),
        ("mask @census.xml -k 5 -o m.xml --scratch nowhere", "'nowhere' is not a directory"),
        ("describe @census.xml --recipe @levels.yml", "levels.csv is not fetched because a recipe names it"),
        ("describe @census.xml --recipe fetching.yml", "memory://office/levels.csv is not fetched because"),
        ("plan @census.xml -r rules.txt -k 5000 --recipe @rules.txt", "memory://office/rules.txt"),
    ],
)
def test_a_mistake_is_one_line_with_the_address(run: Run, place: Path, line: str, said: str) -> None:
    ran = run(*map(there, line.split()))
    assert ran.code == 2
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1
    assert SCRATCH not in ran.err
    assert "SECRET" not in ran.err
    assert written(place) == {}


def test_a_file_of_a_web_server_is_masked(run: Run, place: Path) -> None:
    with web_server({f"/{name}": whole(content) for name, content in FILES.items()}) as (server, heard):
        ran = run("mask", f"{server}/census.xml", "-r", f"{server}/rules.txt", "-k", "5", "-o", "masked.xml")
    assert ran.code == 0, ran
    assert sorted(path for path, _ in heard) == ["/census.xml", "/rules.txt"]  # each is read once
    assert f'"file": "{server}/census.xml"' in (place / "masked.xml.certificate.json").read_text(encoding="utf-8")


def test_a_server_that_dies_publishes_nothing(run: Run, place: Path) -> None:
    half = whole(FILES["census.xml"][:5000], Content_Length=str(len(FILES["census.xml"])))
    with web_server({"/census.xml": half}) as (server, _):
        ran = run("mask", f"{server}/census.xml", "-r", "rules.txt", "-k", "5", "-o", "masked.xml")
    assert ran.code == 2
    assert "bytes were announced, 5,000 came" in ran.err
    assert written(place) == {}


@pytest.mark.usefixtures("place")
def test_verbs_of_the_library_take_addresses() -> None:
    data, rules, recipe = map(there, ("@census.xml", "@rules.txt", "@recipe.yml"))
    masked = cs.mask_file(data, rules, "masked.xml", recipe=recipe, partition="mdav")
    assert {one["file"] for one in cs.read_certificate(masked.certificate)["inputs"]} == {
        f"memory://office/{name}" for name in ("census.xml", "rules.txt", "recipe.yml")
    }
    result = cs.check_file(data, rules, original=data)
    assert "memory://office/census.xml" in cs.render(result)
    assert cs.check_file(data, rules, cs.CheckOptions(original=data)).exit_code == 0  # type: ignore[arg-type]
    assert cs.read_recipe(recipe).k == 5
    assert cs.check(data, rules).result.exit_code == 0
    assert cs.assess_files(data, "masked.xml", rules=rules, attacks=[]).exit_code == 0
    assert cs.reproduce(masked.certificate, data, rules, recipe=recipe).exit_code == 0
    assert cs.list_rules(rules, data=data).rows
    assert cs.describe_file(data).records == 200
    with pytest.raises(UsageError, match="'output' is written to a path only"):
        cs.mask_file(data, rules, "memory://office/masked.xml", k=5)
    with pytest.raises(UsageError, match="'certificate' is read from a path only"):
        cs.verify_certificate(data, rules, certificate="memory://office/masked.xml.certificate.json")
    with pytest.raises(cs.ConstraintSdcError) as refused:
        cs.mask_file(rules, rules, "other.xml", k=5)
    assert str(refused.value).startswith("memory://office/rules.txt")
