"""A masked variable that no written record has: the certificate names it, and only then it is confirmed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import constraint_sdc as cs
from tests.maskers.extract import Extract, columns, extract

RECIPE = "groups: all\nvariables: {C: {role: confidential, type: nominal}}\n"


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Extract:
    """Two of 20 records have C, so that the mode of every group is its absence."""
    rows = columns(A=[7 * i % 20 + 3 for i in range(20)], B=[11 * i % 20 + 9 for i in range(20)])
    some = [{**row, "C": "x"} if i in (3, 12) else row for i, row in enumerate(rows)]
    given = extract(tmp_path_factory.mktemp("absent"), some, None, RECIPE)
    given.mask(5)
    return given


def verified(given: Extract, change: Callable[[dict[str, Any]], object] = lambda _: None) -> cs.CertificateCheck:
    content = json.loads((given.folder / "masked.xml.certificate.json").read_bytes())
    change(content["output"])
    stated = given.folder / "stated.json"
    stated.write_text(json.dumps(content), encoding="utf-8")
    return cs.verify_certificate(given.output, None, stated)


def test_the_certificate_names_it_and_is_confirmed(given: Extract) -> None:
    assert b"<C>" in given.data.read_bytes()
    assert b"<C" not in given.output.read_bytes()
    assert verified(given).mismatches == ()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda output: output.pop("absent"), "C is not in the file, certified as masked"),
        (lambda output: output.update(absent=["A", "C"]), "A is in the file, certified as absent"),
        (lambda output: output.update(absent=["C", "Z"]), "Z is certified as absent from every record, but not in"),
    ],
)
def test_a_certificate_that_says_otherwise_is_refuted(
    given: Extract, change: Callable[[dict[str, Any]], object], says: str
) -> None:
    assert any(says in one for one in verified(given, change).mismatches)
