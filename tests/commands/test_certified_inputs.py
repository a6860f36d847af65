"""The inputs that a certificate names are found, and nothing else is taken for one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.commands.certificate.inputs import certified_input
from constraint_sdc.errors import UsageError


def test_a_file_that_the_certificate_does_not_name_is_neither_needed_nor_accepted(tmp_path: Path) -> None:
    without_rules = {"inputs": [{"role": "data", "file": "data.xml", "sha256": "0" * 64}]}
    beside = tmp_path / "masked.xml.certificate.json"
    assert certified_input(without_rules, "rules", None, beside) is None
    with pytest.raises(UsageError, match=r"names no rules, so other\.sch had no part in the masking"):
        certified_input(without_rules, "rules", Path("other.sch"), beside)
