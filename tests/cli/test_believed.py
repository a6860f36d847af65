"""Options of a certificate that would weaken a check count only if the checker gives them too, or trusts the signer."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import constraint_sdc
from constraint_sdc.commands.certificate.envelope import sign_certificate
from constraint_sdc.commands.certificate.keys import new_key, read_signing_key
from constraint_sdc.errors import ConstraintSdcError
from tests.cli.conftest import Run
from tests.cli.test_idle import HELD, MISSPELT, ROWS

HEAD = '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">'
PHASES = (
    f'{HEAD}<phase id="quick"><active pattern="one"/></phase><pattern id="one">{HELD}</pattern>'
    '<pattern id="two"><rule context="Record"><assert id="never" test="Income &lt; 0">x</assert></rule></pattern>'
    "</schema>"
)
CERTIFICATE = Path("masked.xml.certificate.json")
CHECK = ("check", "masked.xml", "--rules", "rules.sch", "--certificate", str(CERTIFICATE))
MASK = ("mask", "data.xml", "--rules", "rules.sch", "-k", 3, "-o", "masked.xml")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("data.xml").write_text(f"<Microdata>{ROWS}</Microdata>", encoding="utf-8")
    return tmp_path


def rules(text: str) -> None:
    Path("rules.sch").write_text(text, encoding="utf-8")


def edited(change: Any) -> None:
    content = json.loads(CERTIFICATE.read_text("utf-8"))
    change(content)
    CERTIFICATE.write_text(json.dumps(content), encoding="utf-8")


def sign() -> tuple[str, str]:
    """Sign the certificate and return the option that trusts it."""
    if not Path("office.key").exists():
        new_key(Path("office.key"))
    envelope = sign_certificate(CERTIFICATE.read_bytes(), CERTIFICATE.name, read_signing_key(Path("office.key")))
    Path("masked.xml.certificate.dsse.json").write_bytes(envelope)
    return "--trust", "office.key.pub"


@pytest.mark.parametrize("certified", [["lost"], ["all"]])
def test_an_unsigned_certificate_permits_no_idle_rule(run: Run, certified: list[str]) -> None:
    rules(f"{HEAD}<pattern>{HELD}</pattern><pattern>{MISSPELT}</pattern></schema>")
    assert run(*MASK, "--allow-idle", "lost").code == 0
    edited(lambda content: content["options"].update(allow_idle=certified))
    for more in ((), ("--format", "json"), ("--engine", "saxon"), ("--original", "data.xml")):
        ran = run(*CHECK, *more)
        assert ran.code == 2
        assert ran.out == ""
        assert "permits rule lost to be idle" in ran.err
        assert "--allow-idle lost" in ran.err
        assert "--trust" in ran.err
    assert run(*CHECK, "--allow-idle", "lost").code == 0
    assert run(*CHECK, "--allow-idle", "all").code == 0
    assert run(*CHECK, *sign()).code == 0
    assert run(*CHECK).code == 2, "a signature that nobody trusts permits nothing"


def test_the_checkers_own_recipe_permits_an_idle_rule(run: Run) -> None:
    rules(f"{HEAD}<pattern>{HELD}</pattern><pattern>{MISSPELT}</pattern></schema>")
    Path("recipe.yml").write_text("allow_idle: [lost]\n", encoding="utf-8")
    assert run(*MASK, "--recipe", "recipe.yml").code == 0
    assert run(*CHECK).code == 2
    assert run(*CHECK, "--recipe", "recipe.yml").code == 0


def test_a_permission_that_nothing_needs_is_no_obstacle(run: Run) -> None:
    rules(f"{HEAD}<pattern>{HELD}</pattern></schema>")
    assert run(*MASK).code == 0
    edited(lambda content: content["options"].update(allow_idle=["all"]))
    assert run(*CHECK).code == 0


def test_python_believes_as_little(run: Run) -> None:
    rules(f"{HEAD}<pattern>{HELD}</pattern><pattern>{MISSPELT}</pattern></schema>")
    assert run(*MASK, "--allow-idle", "lost").code == 0
    with pytest.raises(ConstraintSdcError, match="--allow-idle lost"):
        constraint_sdc.verify_certificate("masked.xml", "rules.sch")
    assert constraint_sdc.verify_certificate("masked.xml", "rules.sch", allow_idle=["lost"]).exit_code == 0
    key = sign()[1]
    assert constraint_sdc.verify_certificate("masked.xml", "rules.sch", trust=[key]).exit_code == 0


def test_an_unsigned_certificate_chooses_no_phase(run: Run) -> None:
    """In the phase quick, the rule that every record breaks is not judged."""
    rules(PHASES)
    assert run(*MASK, "--phase", "quick").code == 0
    ran = run(*CHECK)
    assert ran.code == 2
    assert "certified in phase quick" in ran.err
    assert "--phase quick" in ran.err
    assert "--trust" in ran.err
    assert run(*CHECK, "--phase", "quick").code == 0
    assert run(*CHECK, *sign()).code == 0
    assert "judged in phase #ALL, certified in phase quick" in run(*CHECK, "--phase", "#ALL").out


def test_the_phase_that_the_schema_has_by_itself_needs_no_option(run: Run) -> None:
    rules(PHASES.replace('queryBinding="xslt2"', 'queryBinding="xslt2" defaultPhase="quick"'))
    assert run(*MASK).code == 0
    assert run(*CHECK).code == 0


DECOY = "".join("<Old><Age>1</Age><Income>5</Income><Taxes>1</Taxes></Old>" for _ in range(6))


def test_an_unsigned_certificate_chooses_no_record_element(run: Run) -> None:
    """A forger counts groups among rows of a decoy."""
    rules(f"{HEAD}<pattern>{HELD}</pattern></schema>")
    Path("data.xml").write_text(f"<Microdata>{DECOY}{ROWS}</Microdata>", encoding="utf-8")
    assert run(*MASK, "--record", "Old", "--allow-idle", "all").code == 0
    words = (*CHECK, "--allow-idle", "all")
    ran = run(*words)
    assert ran.code in (1, 2)
    assert "--record Old" in ran.out + ran.err
    assert "--trust" in ran.out + ran.err
    assert run(*words, "--record", "Old").code == 0
    assert run(*words, *sign()).code == 0


def test_a_certificate_reads_no_file_that_rules_may_not_read(run: Run, tmp_path: Path) -> None:
    """The digest of a file whose content can be guessed tells its content."""
    rules(f"{HEAD}<pattern>{HELD}</pattern></schema>")
    assert run(*MASK).code == 0
    secret = tmp_path.parent / "secret.txt"
    secret.write_text("4711", encoding="utf-8")
    for name in (str(secret), "../secret.txt"):
        entry = {"role": "document", "file": name, "sha256": "0" * 64}
        edited(lambda content, entry=entry: content["inputs"].append(entry))
        ran = run(*CHECK)
        assert ran.code == 1
        assert sha256(b"4711").hexdigest() not in ran.out + ran.err
        assert "outside the directories" in ran.out


def test_the_name_of_the_original_in_a_certificate_shows_no_digest(run: Run, tmp_path: Path) -> None:
    rules(f"{HEAD}<pattern>{HELD}</pattern></schema>")
    assert run(*MASK, "--original", "data.xml").code == 0
    secret = tmp_path.parent / "secret.xml"
    secret.write_text("<Microdata><Record><Age>1</Age></Record></Microdata>", encoding="utf-8")

    def forged(content: dict[str, Any]) -> None:
        content["options"]["original"] = str(secret)
        next(entry for entry in content["inputs"] if entry["role"] == "original")["file"] = str(secret)

    assert run(*CHECK, "--original", "data.xml").code == 0
    edited(forged)
    ran = run(*CHECK, "--original", "data.xml")
    assert ran.code == 2
    assert sha256(secret.read_bytes()).hexdigest() not in ran.out + ran.err
    assert "this is not the original that the certificate names" in ran.err


def test_missing_codes_of_a_certificate_are_stated(run: Run) -> None:
    """Without the code, a forger has fewer records count as missing."""
    rules(f"{HEAD}<pattern>{HELD}</pattern></schema>")
    Path("recipe.yml").write_text("missing: {Age: ['-9']}\n", encoding="utf-8")
    assert run(*MASK, "--recipe", "recipe.yml").code == 0
    ran = run(*CHECK)
    assert ran.code == 0
    assert "rules[].missing" in ran.out.partition("stated, not checked here:")[2]
    assert "rules[].missing" not in run(*CHECK, "--recipe", "recipe.yml").out


def test_other_versions_make_numbers_agree_in_fewer_digits_and_it_is_said(run: Run) -> None:
    rules(f"{HEAD}<pattern>{HELD}</pattern></schema>")
    assert run(*MASK).code == 0
    assert "1e-09" not in run(*CHECK, "--original", "data.xml").out
    edited(lambda content: content["versions"].update(numpy="0.1"))
    ran = run(*CHECK, "--original", "data.xml")
    assert ran.code == 0
    assert "numbers are compared up to a relative difference of 1e-09" in ran.out
    assert "versions: numpy is" in ran.out


def test_assess_believes_as_little(run: Run) -> None:
    rules(f"{HEAD}<pattern>{HELD}</pattern><pattern>{MISSPELT}</pattern></schema>")
    assert run(*MASK, "--allow-idle", "lost").code == 0
    ran = run("assess", "data.xml", "masked.xml", "--rules", "rules.sch", "--attacks", "none")
    assert ran.code == 2
    assert "rule lost is idle" in ran.err
    words = ("assess", "data.xml", "masked.xml", "--rules", "rules.sch", "--attacks", "none")
    assert run(*words, "--allow-idle", "lost").code == 0
    rules(PHASES)
    assert run(*MASK, "--phase", "quick", "--overwrite").code == 0
    ran = run(*words)
    assert ran.code == 2
    assert "--phase quick" in ran.err
    assert run(*words, "--phase", "quick").code == 0


def test_assess_chooses_no_record_element_by_a_certificate(run: Run) -> None:
    rules(f"{HEAD}<pattern>{HELD}</pattern></schema>")
    Path("data.xml").write_text(f"<Microdata>{DECOY}{ROWS}</Microdata>", encoding="utf-8")
    assert run(*MASK, "--record", "Old", "--allow-idle", "all").code == 0
    ran = run("assess", "data.xml", "masked.xml", "--attacks", "none")
    assert ran.code == 2
    assert "--record Old" in ran.err
    assert run("assess", "data.xml", "masked.xml", "--attacks", "none", "--record", "Old").code == 0
