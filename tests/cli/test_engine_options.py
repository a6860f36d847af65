"""Where work runs is an option of the commands that have work; an option without effect is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.cli import main
from tests.census_folder import fill_census_folder
from tests.in_process import run_in_process


@pytest.fixture
def census(tmp_path: Path) -> Path:
    fill_census_folder(tmp_path)
    return tmp_path


def run(folder: Path, *words: str) -> tuple[int, str]:
    code, _, told = run_in_process(main, ["constraint-sdc", *words], folder)
    return code, told


MASK = ("mask", "census.xml", "--rules", "census.sch", "-k", "5", "--partition", "mdav", "-o", "masked.xml")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*MASK, "--engine", "spark"), "'spark' is not one of 'auto', 'serial', 'processes', 'dask'"),
        ((*MASK, "--engine", "serial", "--workers", "2"), "--workers has no meaning here (the engine serial works in"),
        (
            (*MASK, "--scheduler", "tcp://127.0.0.1:8786"),
            "--scheduler has no meaning here (it belongs to --engine",
        ),
        (
            (*MASK, "--engine", "dask", "--tls-ca", "census.sch"),
            "--tls-cert is missing (TLS needs --tls-ca",
        ),
        ((*MASK, "--scratch", "nowhere"), "'nowhere' is not a directory (name a directory for --scratch)"),
        (("partition", "census.xml", "-k", "3", "--workers", "0"), "'--workers': 0 is not in the range x>=1"),
        (
            ("check", "census.xml", "--rules", "census.sch", "--engine", "saxon", "--workers", "2"),
            "--workers has no meaning here (with --engine saxon, one process of Saxon judges everything)",
        ),
        (
            (
                *("plan", "census.xml", "--rules", "census.sch", "-k", "5", "--engine", "dask"),
                *("--scheduler", "tls://127.0.0.1:1", "--tls-ca", "a", "--tls-cert", "b", "--tls-key", "c"),
            ),
            "a: --tls-ca: no such file (name a PEM file)",
        ),
    ],
)
def test_an_engine_that_cannot_be_used_is_refused(census: Path, words: tuple[str, ...], told: str) -> None:
    code, said = run(census, *words)
    assert code == 2
    assert told in " ".join(said.split())
    assert not (census / "masked.xml").exists()


def test_each_limit_can_be_given_alone(census: Path) -> None:
    assert run(census, "rules", "census.sch", "--memory-limit", "4G") == (0, "")
    assert run(census, "rules", "census.sch", "--time-limit", "600") == (0, "")
