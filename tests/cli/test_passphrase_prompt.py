"""A passphrase that is typed on a terminal: asked for, not shown, asked for twice when it is new."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from pathlib import Path

import pytest

from constraint_sdc.commands.certificate.keys import read_signing_key
from tests.cli.masking import ORIGINAL, write_rows
from tests.waiting import PATIENCE, hear_signals

RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="Record">
<assert id="positive" test="number(A) &gt; 0">x</assert></rule></pattern></schema>"""
PHRASE = "correct horse"


def typed(words: tuple[str, ...], *lines: str) -> tuple[int, str]:
    """Run a command on a terminal and type a line at each prompt; return the exit code and all that was shown."""
    process, terminal = pty.fork()
    if not process:
        hear_signals()
        os.execv(sys.executable, [sys.executable, "-c", "from constraint_sdc.cli import main; main()", *words])
    shown, waiting, deadline = b"", list(lines), time.monotonic() + PATIENCE
    prompts = 0
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
        asked = shown.count(b"Passphrase: ") + shown.count(b"Repeat for confirmation: ")
        while prompts < asked and waiting:
            prompts += 1
            os.write(terminal, waiting.pop(0).encode())
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert not waiting, shown
    return code, shown.decode("utf-8", "replace")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


NEW = ("key", "new", "office.key", "--passphrase-file", "-")


def test_a_new_passphrase_is_asked_for_twice_and_never_shown() -> None:
    code, shown = typed(NEW, f"{PHRASE}\n", f"{PHRASE}\n")
    assert code == 0
    assert PHRASE not in shown
    assert shown.count("Passphrase: ") == 1
    assert shown.count("Repeat for confirmation: ") == 1
    key = read_signing_key(Path("office.key"), lambda: PHRASE.encode())
    assert key.public.key_id in shown


def test_two_different_passphrases_are_asked_for_again() -> None:
    code, shown = typed(NEW, "one\n", "two\n", f"{PHRASE}\n", f"{PHRASE}\n")
    assert code == 0
    assert "do not match" in shown
    assert read_signing_key(Path("office.key"), lambda: PHRASE.encode())


@pytest.mark.parametrize("pressed", ["\x03", "\x04"])
def test_nobody_has_to_answer(pressed: str) -> None:
    """Ctrl-C or Ctrl-D ends the command, and no key is left."""
    code, shown = typed(NEW, pressed)
    assert code not in (0, 1)
    assert "Traceback" not in shown
    assert list(Path().iterdir()) == []


def test_a_key_with_a_passphrase_is_shown_and_signs() -> None:
    assert typed(NEW, f"{PHRASE}\n", f"{PHRASE}\n")[0] == 0
    code, shown = typed(("key", "show", "office.key"), f"{PHRASE}\n")
    assert code == 0
    assert PHRASE not in shown
    code, shown = typed(("key", "show", "office.key"), "wrong\n")
    assert code == 2
    assert "the passphrase is wrong" in shown
    write_rows(Path("data.xml"), ORIGINAL)
    Path("rules.sch").write_text(RULES, encoding="utf-8")
    mask = (
        "mask",
        "data.xml",
        "--rules",
        "rules.sch",
        "-k",
        "2",
        "-o",
        "masked.xml",
        "--sign",
        "office.key",
        "--undecided",
        "guess",
    )
    code, shown = typed(mask, "wrong\n")
    assert code == 2
    assert not Path("masked.xml").exists()
    code, shown = typed(mask, f"{PHRASE}\n")
    assert code == 0, shown
    assert PHRASE not in shown
    check = ("check", "masked.xml", "--rules", "rules.sch", "--certificate", "masked.xml.certificate.json")
    code, shown = typed((*check, "--trust", "office.key.pub"))
    assert code == 0
    assert "which is trusted" in shown
