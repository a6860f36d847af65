"""What is read a second time must have the bytes of the first time: otherwise the command ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.commands import reproduce
from constraint_sdc.commands.certificate import again, verify
from constraint_sdc.commands.certificate.certificate import certificate_path, read_certificate
from constraint_sdc.commands.certificate.claim import read_claim
from constraint_sdc.commands.certificate.verify import check_certificate
from constraint_sdc.commands.check import CheckOptions, check_file, full_svrl
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.reproduce import reproduce_file
from constraint_sdc.errors import ChangedFileError
from constraint_sdc.maskers.masked import MaskOptions

ROWS = "".join(f"<Record><A>{n * 7 % 40}</A><B>{n * 7 % 40 + 100}</B></Record>\n" for n in range(24))
RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="Record">
<assert id="order" test="number(A) &lt; number(B)">x</assert></rule></pattern></schema>"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.xml").write_text(f"<Microdata>\n{ROWS}</Microdata>", encoding="utf-8")
    (tmp_path / "rules.sch").write_text(RULES, encoding="utf-8")
    mask_file(Path("data.xml"), Path("rules.sch"), Path("masked.xml"), MaskOptions(k=3, partition="mdav"))
    return tmp_path


def other(path: str) -> None:
    """Change a file in a way that no count and no verdict shows."""
    Path(path).write_text(Path(path).read_text("utf-8").replace("</Record>", "</Record> ", 1), encoding="utf-8")


def replaced(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, path: str) -> None:
    """Replace a file just before a function is called for the first time."""
    real: Callable[..., Any] = getattr(module, name)
    turns = [0]

    def hooked(*given: Any, **named: Any) -> Any:
        turns[0] += 1
        if turns[0] == 1:
            other(path)
        return real(*given, **named)

    monkeypatch.setattr(module, name, hooked)


@pytest.mark.usefixtures("folder")
def test_groups_are_counted_in_the_bytes_that_were_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    masked, rules = Path("masked.xml"), Path("rules.sch")
    result = check_file(masked, rules)
    content = read_certificate(certificate_path(masked))
    assert check_certificate(content, masked, rules, result).mismatches == ()
    replaced(monkeypatch, verify, "_counted", "masked.xml")
    with pytest.raises(ChangedFileError):
        check_certificate(content, masked, rules, result)


@pytest.mark.usefixtures("folder")
def test_what_is_masked_again_is_what_was_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    masked, rules, data = Path("masked.xml"), Path("rules.sch"), Path("data.xml")
    made = read_claim(certificate_path(masked), masked, data)
    options = made.adopted(CheckOptions(original=made.judged_with))
    result = check_file(masked, rules, options)
    replaced(monkeypatch, again, "mask_file", "data.xml")
    with pytest.raises(ChangedFileError):
        made.verify(masked, rules, result, options)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["data.xml", "rules.sch"])
def test_what_is_reproduced_is_what_was_certified(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    if name == "rules.sch":
        monkeypatch.setitem(globals(), "other", lambda path: Path(path).write_text(RULES + " ", encoding="utf-8"))
    replaced(monkeypatch, again, "mask_file", name)
    with pytest.raises(ChangedFileError):
        reproduce_file(certificate_path(Path("masked.xml")), Path("data.xml"))


@pytest.mark.usefixtures("folder")
def test_a_difference_is_looked_for_in_the_certified_bytes() -> None:
    """The masked file is replaced by what masking again gives: there is no place at which they part."""
    certificate = certificate_path(Path("masked.xml"))
    stated = read_certificate(certificate)
    same = Path("same.xml")
    same.write_bytes(Path("masked.xml").read_bytes())
    stated["output"]["sha256"] = "0" * 64
    assert reproduce._first_difference(stated, certificate, same).startswith("unknown: ")
    stated = read_certificate(certificate)
    same.write_bytes(same.read_bytes().replace(b"</Record>", b"</Record> ", 1))
    assert reproduce._first_difference(stated, certificate, same).startswith("byte ")
    same.write_bytes(Path("masked.xml").read_bytes() + b"\n")
    size = Path("masked.xml").stat().st_size
    assert reproduce._first_difference(stated, certificate, same).startswith(f"byte {size + 1:,} of masked.xml")
    same.write_bytes(Path("masked.xml").read_bytes()[:-1])
    assert reproduce._first_difference(stated, certificate, same).startswith(f"byte {size:,} of masked.xml")


@pytest.mark.usefixtures("folder")
def test_the_complete_svrl_is_of_the_bytes_that_were_judged() -> None:
    masked, rules = Path("masked.xml"), Path("rules.sch")
    options = CheckOptions(engine="saxon", show_values=True, max_examples=None)
    result = check_file(masked, rules, options)
    assert "fired-rule" in full_svrl(masked, rules, options, result)
    for name in ("masked.xml", "rules.sch"):
        kept = Path(name).read_bytes()
        Path(name).write_bytes(kept + b"\n")
        with pytest.raises(ChangedFileError):
            full_svrl(masked, rules, options, result)
        Path(name).write_bytes(kept)


@pytest.mark.usefixtures("folder")
def test_the_complete_svrl_may_read_a_file_that_the_verdict_did_not_need() -> None:
    """No rule looks at `$original`: the evaluator leaves the file closed, Saxon is given it all the same."""
    options = CheckOptions(original=Path("data.xml"), show_values=True, max_examples=None)
    result = check_file(Path("masked.xml"), Path("rules.sch"), options)
    assert "original" not in result.inputs
    assert "fired-rule" in full_svrl(Path("masked.xml"), Path("rules.sch"), options, result)
