"""The package of docs/extending.md is installed and used: exams, mask, assess, attack and check with its objects."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.exam.toy_package import PAGE, files_of_the_page, install
from tests.forks import Forks, forks

GROUPS = {
    "operator": "constraint_sdc.operators",
    "partition method": "constraint_sdc.partitions",
    "measure": "constraint_sdc.measures",
    "attack": "constraint_sdc.measures",
    "report format": "constraint_sdc.reports",
    "masker": "constraint_sdc.maskers",
}
RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="Record">
<assert id="total" test="number(A) + number(B) = number(C)">broken</assert>
<assert id="adult" test="number(Age) >= 16">broken</assert></rule></pattern></schema>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    install(files_of_the_page(), folder)
    return folder


@pytest.fixture(scope="module")
def installed(site: Path) -> Iterator[Forks]:
    """The command line, which finds the package of the page."""
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    with forks({**os.environ, "PYTHONPATH": path}) as program:
        yield program


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [(7 * i % 23, 5 * i % 17, 16 + 11 * i % 60) for i in range(24)]
    records = "".join(f"<Record><A>{a}</A><B>{b}</B><C>{a + b}</C><Age>{age}</Age></Record>" for a, b, age in rows)
    (tmp_path / "data.xml").write_text(f"<Data>{records}</Data>", encoding="utf-8")
    (tmp_path / "rules.sch").write_text(RULES, encoding="utf-8")
    return tmp_path


def test_one_module_and_one_line_for_every_kind() -> None:
    """The table of the page is true: counted in its files."""
    files = files_of_the_page()
    table = dict(re.findall(r"^\| ([a-z ]+) \| (1 \| 1) \|$", PAGE.read_text("utf-8"), re.MULTILINE))
    assert set(table) == set(GROUPS)
    modules = [path for path in files if path.endswith(".py")]
    lines = re.findall(r"^[\w-]+ = \"toy_plugins\.(\w+):\w+\"$", files["pyproject.toml"], re.MULTILINE)
    assert len(modules) == len(lines) == len(GROUPS)
    assert {Path(path).stem for path in modules} == set(lines)
    assert all(ast.get_docstring(node) for path in modules for node in ast.parse(files[path]).body if is_class(node))


def is_class(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef)


@pytest.mark.parametrize(
    "name", ["toy-trimmed-mean", "toy-file-order", "toy-median-shift", "toy-exact-match", "toy-groups", "toy-lines"]
)
def test_every_toy_passes_its_exam(installed: Forks, tmp_path: Path, name: str) -> None:
    done = installed.run(tmp_path, "exam", name, "--cases", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "(toy-plugins 1.0)" in done.stdout.splitlines()[0]
    assert done.stdout.splitlines()[-1].startswith("passed: ")


@pytest.mark.parametrize(
    ("recipe", "options"),
    [
        ("variables: {Age: {operator: toy-trimmed-mean}, A: {operator: toy-trimmed-mean}}", []),
        ("seed: 1", ["--partition", "toy-file-order"]),
        ("seed: 1", ["--masker", "toy-groups"]),
        ("mask: {masker: toy-groups, partition: toy-file-order}", []),
    ],
)
def test_a_file_is_masked_with_it(installed: Forks, data: Path, recipe: str, options: list[str]) -> None:
    (data / "recipe.yml").write_text(recipe + "\n", encoding="utf-8")
    words = [
        "mask",
        "data.xml",
        "--rules",
        "rules.sch",
        "-k",
        "3",
        "--recipe",
        "recipe.yml",
        "-o",
        "masked.xml",
        "--undecided",
        "guess",
    ]
    done = installed.run(data, *words, *options)
    assert done.returncode == 0, done.stderr
    certificate = (data / "masked.xml.certificate.json").read_text("utf-8")
    asked = [
        name for name in ("toy-trimmed-mean", "toy-file-order", "toy-groups") if name in recipe + " ".join(options)
    ]
    assert all(name in certificate for name in asked)
    checked = installed.run(data, "check", "masked.xml", "--rules", "rules.sch", "--format", "toy-lines")
    assert (checked.returncode, checked.stdout) == (0, "total\t24\t0\t0\nadult\t24\t0\t0\n")


def test_measure_and_attack_take_part(installed: Forks, data: Path) -> None:
    masked = installed.run(
        data, "mask", "data.xml", "--rules", "rules.sch", "-k", "3", "-o", "masked.xml", "--undecided", "guess"
    )
    assert masked.returncode == 0, masked.stderr
    assessed = json.loads(installed.run(data, "assess", "data.xml", "masked.xml", "--json").stdout)
    assert "toy-median-shift" in [found["measure"] for found in assessed["utility"]]
    assert "toy-exact-match" in [found["measure"] for found in assessed["attacks"]]
    attacked = json.loads(installed.run(data, "attack", "toy-exact-match", "data.xml", "masked.xml", "--json").stdout)
    assert attacked["measure"] == "toy-exact-match"
    assert "toy-exact-match" in installed.run(data, "attack", "--help").stdout


def test_a_declared_parameter_is_an_option(installed: Forks, data: Path) -> None:
    """Every pair of records is equal: no original is found alone, and each among two."""
    rows = "".join(f"<Record><A>{n // 2}</A></Record>" for n in range(24))
    for name in ("twins.xml", "same.xml"):
        (data / name).write_text(f"<Data>{rows}</Data>", encoding="utf-8")
    files = ("twins.xml", "same.xml")

    def matched(*words: str) -> tuple[float, list[str]]:
        done = installed.run(data, *words, "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        (attack,) = [one for one in found.get("attacks", [found]) if one["measure"] == "toy-exact-match"]
        return attack["figures"]["matched"]["value"], attack["notes"]

    assert matched("attack", "toy-exact-match", *files)[0] == 0.0
    assert matched("attack", "toy-exact-match", *files, "--most", "2") == (100.0, ["measured with most = 2"])
    assert matched("assess", *files)[0] == 0.0
    assert matched("assess", *files, "--set", "toy-exact-match.most=2") == (100.0, ["measured with most = 2"])
    told = " ".join(installed.run(data, "attack", "toy-exact-match", "--help").stdout.split())
    assert "--most VALUE Originals among which a record counts as found, at most. [" in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "attack toy-exact-match data.xml data.xml --most 0",
            "toy-exact-match: most cannot be '0' (use a whole number from 1)",
        ),
        ("attack toy-exact-match data.xml data.xml --most two", "most cannot be 'two'"),
        ("assess data.xml data.xml --set toy-exact-match.most=1.5", "most cannot be '1.5'"),
        (
            "assess data.xml data.xml --set toy-exact-match.least=1",
            "toy-exact-match has no parameter 'least' (its parameters: most)",
        ),
        (
            "assess data.xml data.xml --attacks none --set toy-exact-match.most=2",
            "parameters of toy-exact-match have no meaning",
        ),
    ],
)
def test_a_parameter_that_cannot_be_is_refused(installed: Forks, data: Path, words: str, said: str) -> None:
    done = installed.run(data, *words.split())
    assert done.returncode == 2
    assert said in done.stderr


def test_without_the_package_its_names_are_unknown(data: Path) -> None:
    (data / "recipe.yml").write_text("variables:\n  Age: {operator: toy-trimmed-mean}\n", encoding="utf-8")
    words = [
        "mask",
        "data.xml",
        "--rules",
        "rules.sch",
        "--recipe",
        "recipe.yml",
        "-o",
        "masked.xml",
        "--undecided",
        "guess",
    ]
    with forks(os.environ) as plain:
        refused = plain.run(data, *words)
        assert refused.returncode == 2
        assert "recipe.yml:2: unknown operator 'toy-trimmed-mean'; use one of: arithmetic mean, " in refused.stderr
        assert plain.run(data, "exam", "toy-groups").returncode == 2
        checked = plain.run(data, "check", "data.xml", "--rules", "rules.sch", "--format", "toy-lines")
        assert checked.returncode == 2
