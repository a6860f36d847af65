"""The same inputs and the same versions give the same bytes; what differs is told, and by what."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import constraint_sdc as cs
from tests.cli.conftest import Run
from tests.cli.masking import make_by_hand, write_rows

CERTIFICATE = Path("out.xml.certificate.json")
REPRODUCE = ("reproduce", str(CERTIFICATE), "--original", "data.xml")


@pytest.fixture(autouse=True)
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """A file masked with rules of two files and a recipe, with a masker that draws."""
    monkeypatch.chdir(tmp_path)
    make_by_hand()
    rows = [(f"p{n}", str(n * n % 37 + 1), str(2 * n), str(n * n % 37 + 1 + 2 * n)) for n in range(1, 41)]
    write_rows(Path("data.xml"), rows)
    Path("recipe.yml").write_text("seed: 4\nmask: {masker: fuzzy-c-means}\n", encoding="utf-8")
    words = ("mask", "data.xml", "--rules", "rules.sch", "--recipe", "recipe.yml", "-k", "3", "-o", "out.xml")
    ran = run(*words)
    assert ran.code == 0, ran.err


def forge(change: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads(CERTIFICATE.read_text("utf-8"))
    change(content)
    CERTIFICATE.write_text(json.dumps(content), encoding="utf-8")


def test_the_same_inputs_give_the_same_bytes(run: Run) -> None:
    ran = run(*REPRODUCE, "--rules", "rules.sch", "--recipe", "recipe.yml", "-o", "again.xml")
    assert ran.code == 0, ran.err
    digest = sha256(Path("out.xml").read_bytes()).hexdigest()
    assert ran.out == f"REPRODUCED: masked again, the same bytes (SHA-256 {digest})\n"
    assert Path("again.xml").read_bytes() == Path("out.xml").read_bytes()
    assert cs.reproduce(CERTIFICATE, "data.xml").is_same


def test_rules_are_found_as_the_certificate_names_them(run: Run) -> None:
    assert run(*REPRODUCE).code == 0


def _another_file(content: dict[str, Any]) -> None:
    text = Path("out.xml").read_text("utf-8").replace("<Id>p7</Id>", "<Id>q7</Id>")
    Path("out.xml").write_text(text, encoding="utf-8")
    content["output"]["sha256"] = sha256(Path("out.xml").read_bytes()).hexdigest()


def test_the_first_difference_is_told(run: Run) -> None:
    forge(_another_file)
    ran = run(*REPRODUCE, "-o", "again.xml")
    assert ran.code == 1
    place = Path("out.xml").read_bytes().index(b"q7") + 1
    assert "DIFFERENT: masked again, the file has other bytes" in ran.out
    assert f"first difference: byte {place:,} of out.xml, in line 8" in ran.out
    assert "versions and platform are the certified ones" in ran.out
    assert b"p7" in Path("again.xml").read_bytes()


def test_without_the_masked_file_there_is_no_place_to_tell(run: Run) -> None:
    forge(_another_file)
    Path("out.xml").unlink()
    ran = run(*REPRODUCE)
    assert ran.code == 1
    assert "first difference: unknown: out.xml is not beside the certificate" in ran.out


def test_another_seed_gives_another_file(run: Run) -> None:
    forge(lambda c: (c["options"].update(seed=5), c["plan"].update(seed=5)))
    ran = run(*REPRODUCE)
    assert ran.code == 1
    assert "masked again: " in ran.out


def test_other_versions_are_told(run: Run) -> None:
    forge(lambda c: (c["versions"].update(numpy="1.0"), c["versions"]["platform"].update(machine="abacus")))
    ran = run(*REPRODUCE)
    assert ran.code == 0
    assert "  versions: numpy is " in ran.out
    assert ", certified abacus" in ran.out
    assert len(cs.reproduce(CERTIFICATE, "data.xml").versions) == 2


def test_another_processor_is_told_plainly(run: Run) -> None:
    forge(_another_file)
    assert "the processor or its libraries" not in run(*REPRODUCE).out
    forge(lambda c: c["versions"]["platform"].update(simd="abacus"))
    ran = run(*REPRODUCE)
    assert ran.code == 1
    assert "  the processor or its libraries differ from the certified ones" in ran.out


def test_a_plan_that_refuses_now_reproduces_nothing(run: Run) -> None:
    forge(lambda c: (c["options"].update(k=400), c["plan"].update(k=400)))
    ran = run(*REPRODUCE)
    assert ran.code == 1
    assert "first difference: it is not masked now: " in ran.out
    assert "now none" in ran.out


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("data.xml", "this is not the data that the certificate names"),
        ("rules.sch", "this is not the rules that the certificate names"),
        ("more.sch", "these inputs are not those of the certificate: rules: more.sch"),
        ("recipe.yml", "this is not the recipe that the certificate names"),
    ],
)
def test_another_input_is_refused(run: Run, name: str, says: str) -> None:
    with Path(name).open("a", encoding="utf-8") as file:
        file.write("\n")
    ran = run(*REPRODUCE, "--recipe", "recipe.yml", "-o", "again.xml")
    assert ran.code == 2
    assert says in ran.err
    assert not Path("again.xml").exists()


def test_a_missing_input_is_named(run: Run) -> None:
    Path("rules.sch").unlink()
    ran = run(*REPRODUCE)
    assert ran.code == 2
    assert "the rules of the certificate cannot be found" in ran.err
    assert run("reproduce", "nowhere.json", "--original", "data.xml").code == 2
    assert run("reproduce", str(CERTIFICATE), "--original", "nowhere.xml").code == 2


def test_a_file_is_never_replaced(run: Run) -> None:
    before = Path("data.xml").read_bytes()
    for name in ("data.xml", "out.xml", str(CERTIFICATE)):
        assert run(*REPRODUCE, "-o", name).code == 2
    assert Path("data.xml").read_bytes() == before
