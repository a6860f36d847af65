"""The second verifier in examples/verify finds what is wrong, and stands on its own."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import constraint_sdc as cs

TOP = Path(__file__).resolve().parents[1]
VERIFIER = TOP / "examples" / "verify" / "verify.py"
ALONE = """import runpy, sys
sys.modules["constraint_sdc"] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a signed masking of a small census, its rules, and another key."""
    folder = tmp_path_factory.mktemp("verified")
    for name in ("census.sch", "constraints.sch"):
        shutil.copy(TOP / "rules" / name, folder)
    cs.generate_census(folder / "original.xml", 120, 1)
    for name in ("office.key", "other.key"):
        cs.new_key(folder / name)
    cs.mask_file(
        folder / "original.xml",
        folder / "census.sch",
        folder / "masked.xml",
        k=4,
        partition="mdav",
        sign=folder / "office.key",
    )
    return folder


@pytest.fixture
def files(published: Path, tmp_path: Path) -> Path:
    return shutil.copytree(published, tmp_path / "files")


def verify(
    folder: Path, *more: str, masked: str = "masked.xml", trust: str | None = "office.key.pub"
) -> tuple[int, str]:
    """Run the verifier in a Python in which constraint_sdc cannot be imported."""
    words = [masked, "--certificate", "masked.xml.certificate.json", "--rules", "census.sch", *more]
    words += [] if trust is None else ["--trust", trust]
    command = [sys.executable, "-c", ALONE, str(VERIFIER), *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def test_it_is_short_and_imports_nothing_of_the_package() -> None:
    text = VERIFIER.read_text("utf-8")
    assert len(text.splitlines()) <= 300
    tree = ast.parse(text)
    names = {one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    tops = {name.partition(".")[0] for name in names}
    assert tops - set(sys.stdlib_module_names) == {"lxml", "saxonche", "cryptography"}


def test_a_true_file_is_confirmed(files: Path) -> None:
    code, said = verify(files)
    assert code == 0, said
    assert "REFUTED" not in said
    assert said.count("ok           rule EC-") == 5
    assert said.count("not checked") == 1
    assert "ok           signature by the trusted key" in said


def test_without_a_key_the_signature_is_not_checked(files: Path) -> None:
    code, said = verify(files, trust=None)
    assert code == 0
    assert "not checked  signature: no --trust" in said


def edit(folder: Path, name: str, change: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads((folder / name).read_text("utf-8"))
    change(content)
    (folder / name).write_text(json.dumps(content), encoding="utf-8")


def replace(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text("utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")


CERTIFICATE, ENVELOPE = "masked.xml.certificate.json", "masked.xml.certificate.dsse.json"

FORGERIES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a count": (
        lambda f: edit(f, CERTIFICATE, lambda c: c["rules"][0].update(checked=7)),
        "rule EC-LC: checked, broken",
    ),
    "a failure": (
        lambda f: edit(f, CERTIFICATE, lambda c: c["rules"][3].update(failed=1)),
        "rule EC-GV: checked, broken",
    ),
    "a rule left out": (
        lambda f: edit(f, CERTIFICATE, lambda c: c["rules"].pop()),
        "rule EC-VD: in the rules, but not",
    ),
    "a rule made up": (
        lambda f: edit(f, CERTIFICATE, lambda c: c["rules"].append({**c["rules"][0], "rule": "EC-X"})),
        "rule EC-X: checked, broken",
    ),
    "the records": (lambda f: edit(f, CERTIFICATE, lambda c: c["output"].update(records=9)), "number of records"),
    "the digest": (
        lambda f: edit(f, CERTIFICATE, lambda c: c["output"].update(sha256="0" * 64)),
        "digest of the masked",
    ),
    "a group": (lambda f: edit(f, CERTIFICATE, lambda c: c["blocks"][0].update(smallest=9)), "smallest group"),
    "k": (lambda f: edit(f, CERTIFICATE, lambda c: c["options"].update(k=60)), "share values, k is 60"),
    "the rules": (lambda f: replace(f, "census.sch", "7500", "7600"), "digests of 2 files of rules"),
    "the included rules": (
        lambda f: replace(f, "constraints.sch", "parts give", "parts gave"),
        "digests of 2 files of",
    ),
    "the masked file": (lambda f: replace(f, "masked.xml", "</V14>", "1</V14>"), "rule EC-LC: checked, broken"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_is_refuted_also_without_a_signature(files: Path, forgery: str) -> None:
    change, says = FORGERIES[forgery]
    change(files)
    code, said = verify(files, trust=None)
    assert code == 1, said
    assert any(line.startswith("REFUTED") and says in line for line in said.splitlines()), said
    if forgery not in ("the rules", "the included rules"):
        assert "REFUTED      signed digest of the " in verify(files)[1]


@pytest.mark.parametrize(
    "change",
    [
        lambda f: (f / ENVELOPE).unlink(),
        lambda f: edit(f, ENVELOPE, lambda e: e["signatures"].append(e["signatures"][0])),
        lambda f: edit(f, ENVELOPE, lambda e: e["signatures"].clear()),
        lambda f: edit(f, ENVELOPE, lambda e: e.update(payloadType="text/plain")),
        lambda f: edit(f, ENVELOPE, lambda e: e.update(payload=e["payload"].replace("A", "B", 1))),
        lambda f: edit(f, ENVELOPE, lambda e: e["signatures"][0].update(keyid="0")),
        lambda f: shutil.copy(f / "other.key.pub", f / "office.key.pub"),
    ],
)
def test_a_wrong_signature_is_refuted(files: Path, change: Callable[[Path], object]) -> None:
    change(files)
    code, said = verify(files)
    assert code == 1, said
    assert "REFUTED      signature" in said


def test_what_cannot_be_read_is_no_verdict(files: Path) -> None:
    assert verify(files, masked="nowhere.xml")[0] == 2
    assert verify(files, trust="office.key")[0] == 2
    replace(files, CERTIFICATE, '"records"', '"records": 120, "records"')
    code, said = verify(files, trust=None)
    assert code == 2
    assert "a key is given twice" in said


def test_broken_rules_are_counted_as_the_program_counts_them(files: Path) -> None:
    cs.generate_census(files / "original.xml", 120, 1, break_share=0.05)
    for name in ("masked.xml", CERTIFICATE, ENVELOPE):
        (files / name).unlink()
    result = cs.mask_file(
        files / "original.xml", files / "census.sch", files / "masked.xml", k=4, partition="mdav", on_broken="keep"
    )
    assert sum(outcome.still_broken for outcome in result.outcomes) > 0
    code, said = verify(files, trust=None)
    assert code == 0, said


def test_a_phase_leaves_its_other_rules_out(files: Path) -> None:
    for name in ("masked.xml", CERTIFICATE, ENVELOPE):
        (files / name).unlink()
    cs.mask_file(
        files / "original.xml", files / "census.sch", files / "masked.xml", k=4, partition="mdav", phase="edits"
    )
    code, said = verify(files, trust=None)
    assert code == 0, said
    assert said.count("ok           rule EC-") == 4
    assert "not checked  rules outside phase edits, which the certificate names" in said


def test_rules_that_it_does_not_understand_are_not_checked(files: Path) -> None:
    rules = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern>
      <rule abstract="true" id="a"><assert id="R" test="number(V3) >= 0">V3</assert></rule>
      <rule context="Record"><extends rule="a"/></rule></pattern></schema>"""
    (files / "census.sch").write_text(rules, encoding="utf-8")
    for name in ("masked.xml", CERTIFICATE, ENVELOPE):
        (files / name).unlink()
    cs.mask_file(files / "original.xml", files / "census.sch", files / "masked.xml", k=4, partition="mdav")
    code, said = verify(files, trust=None)
    assert code == 0, said
    assert "not checked  rules: " in said
