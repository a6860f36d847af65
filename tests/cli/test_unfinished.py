"""A publication that was interrupted between two files: every command that reads the target mends it first."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.files.publication.publication import Publication
from tests.cli.conftest import Run
from tests.files.publication.faulty_disk import BrokenAfterRenames, installed
from tests.maskers.extract import columns, extract

MASK = ("mask", "data.xml", "--rules", "rules.sch", "--partition", "mdav", "-o", "masked.xml")
CERTIFICATE = "masked.xml.certificate.json"
READING = {
    "check": ("check", "masked.xml", "--rules", "rules.sch"),
    "check as a document": ("check", "masked.xml", "-r", "rules.sch", "--engine", "saxon", "--format", "svrl"),
    "check --certificate": ("check", "masked.xml", "--rules", "rules.sch", "--certificate", CERTIFICATE),
    "assess": ("assess", "data.xml", "masked.xml", "--rules", "rules.sch"),
    "explain": ("explain", "--record", "3", "--certificate", CERTIFICATE),
    "plan": ("plan", "masked.xml", "-k", "3", "--partition", "mdav"),
}


@pytest.fixture(autouse=True)
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> dict[str, bytes]:
    """Publish a pair."""
    amounts = np.random.default_rng(4).integers(0, 900, (2, 40)).tolist()
    monkeypatch.chdir(tmp_path)
    extract(tmp_path, columns(A=amounts[0], B=amounts[1]), {"small": "number(A) < 1000"})
    assert run(*MASK, "-k", "3").code == 0
    return files()


def files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().iterdir()}


def interrupt(run: Run) -> None:
    with installed(BrokenAfterRenames(2)):
        ran = run(*MASK, "-k", "4", "--overwrite")
    assert ran.code == 2
    what = "cannot write: Input/output error; some files are new already, and others are not"
    hint = "the next command on this file completes or undoes the publication"
    assert f"constraint-sdc: masked.xml: {what} ({hint})\n" in ran.err
    assert json.loads(Path(CERTIFICATE).read_bytes())["options"]["k"] == 4


@pytest.mark.parametrize("name", READING)
def test_a_command_that_reads_it_brings_the_old_pair_back(run: Run, published: dict[str, bytes], name: str) -> None:
    interrupt(run)
    ran = run(*READING[name])
    assert ran.code == 0, ran.err
    assert "masked.xml: a run was interrupted while it published; its publication was undone" in ran.err
    assert files() == published
    assert run(*READING[name]).err == ""


def test_masking_brings_the_old_pair_back_and_asks_as_always(run: Run, published: dict[str, bytes]) -> None:
    interrupt(run)
    ran = run(*MASK, "-k", "5")
    assert (ran.code, "exists already" in ran.err) == (2, True)
    assert files() == published
    assert run(*MASK, "-k", "5", "--overwrite").code == 0
    assert files().keys() == published.keys()


def test_a_journal_that_cannot_be_followed_stops_every_command(run: Run) -> None:
    interrupt(run)
    Path(".constraint-sdc.journal.masked.xml").write_text("{}", encoding="ascii")
    before = files()
    for command in (*READING.values(), (*MASK, "-k", "5", "--overwrite")):
        ran = run(*command)
        assert ran.code == 2
        assert "the publication is unfinished, and its journal cannot be followed: its content is damaged" in ran.err
    assert files() == before


def test_masking_to_a_name_that_another_run_publishes_to(run: Run, published: dict[str, bytes]) -> None:
    with Publication(Path("masked.xml"), overwrite=True):
        ran = run(*MASK, "-k", "5", "--overwrite")
        assert run(*READING["check"]).code == 0
    assert ran.code == 2
    what = "another run publishes to this name at this moment (wait until it has ended, or give another name)"
    assert ran.err == f"constraint-sdc: masked.xml: {what}\n"
    assert files() == published


def test_a_certificate_without_a_name_of_its_own(run: Run) -> None:
    Path(".certificate.json").write_text("{}", encoding="ascii")
    ran = run("explain", "--record", "3", "--certificate", ".certificate.json")
    assert (ran.code, "not a certificate" in ran.err) == (2, True)


def test_streams_pipes_and_loops_are_no_targets(run: Run) -> None:
    os.mkfifo("pipe")
    Path("loop").symlink_to("loop")
    targets = {"pipe": "not a regular file", "/dev/stdout": "not a regular file", "loop": "leads to itself"}
    for target, what in targets.items():
        ran = run(*MASK[:-1], target, "-k", "3", "--overwrite")
        assert ran.code == 2
        assert what in ran.err
