"""Microhybrid with alpha through files: what stays of the original, rules that hold, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.reports.sentences import sentences
from tests.maskers.extract import Extract, columns, extract
from tests.maskers.test_microhybrid import FREE, N, differences, incomes, numbers

SUM = {"sum": "number(A) + number(B) = number(C)"}
NAMES = ("A", "B", "C")


def told(alpha: str) -> str:
    return f"{FREE}mask: {{masker: microhybrid, partition: mdav, alpha: {alpha}}}\n"


def kept(given: Extract, *names: str) -> np.ndarray:
    """The coefficients of the original values in the masked ones."""
    before, after = (numbers(given, *names, masked=m) for m in (False, True))
    known = np.column_stack([np.ones(len(before)), before])
    return np.linalg.lstsq(known, after, rcond=None)[0][1:]


@pytest.mark.parametrize("alpha", ["0.4", "0.9"])
def test_one_alpha_keeps_moments_and_sums_and_its_share_of_the_original(tmp_path: Path, alpha: str) -> None:
    given = extract(tmp_path, columns(**incomes()), SUM, told(alpha))
    result = given.mask(N)
    given.requires_all_rules()
    assert differences(given, np.arange(N), NAMES) < 1e-9
    assert kept(given, "A", "B") == pytest.approx(float(alpha) * np.eye(2), abs=1e-6)
    assert any(f"alpha leaves up to {alpha} of" in text for text in sentences(result.plan.warnings))


def test_each_variable_has_its_own_alpha(tmp_path: Path) -> None:
    given = extract(tmp_path, columns(**incomes()), {"sign": "number(B) > 0"}, told("{A: 0.5, B: 0.2, C: 0.35}"))
    with pytest.raises(PlanRefusedError, match="leave the noise of a cluster no covariance"):
        given.mask(N)
    assert not given.output.exists()
    (tmp_path / "two").mkdir()
    two = {name: cells for name, cells in incomes().items() if name != "C"}
    text = told("{A: 0.3, B: 0.2}").replace(", C: {grid: free}", "")
    given = extract(tmp_path / "two", columns(**two), {"slack": "number(B) > -1000000"}, text)
    given.mask(N)
    given.requires_all_rules()
    assert differences(given, np.arange(N), ("A", "B")) < 1e-9
    assert kept(given, "A", "B") == pytest.approx(np.diag([0.3, 0.2]), abs=1e-6)


@pytest.mark.parametrize(
    ("alpha", "k", "words"),
    [
        ("{A: 0.3, B: 0.1, D: 0.2}", 20, "alpha names D, which gets no synthetic values"),
        ("{A: 0.3}", 5, "different alphas need k of at least 2|X| + |Y| + 1 = 7"),
        ("1", 20, "alpha must be below 1"),
        ("{A: 1.5}", 20, "alpha must be below 1"),
    ],
)
def test_an_alpha_that_cannot_act_is_refused(tmp_path: Path, alpha: str, k: int, words: str) -> None:
    with pytest.raises((UsageError, PlanRefusedError)) as error:
        extract(tmp_path, columns(**incomes()), None, told(alpha)).mask(k)
    assert words in str(error.value)


def test_without_alpha_nothing_changes(tmp_path: Path) -> None:
    texts = []
    for place, text in enumerate((FREE + "mask: {masker: microhybrid, partition: mdav}\n", told("0"))):
        (tmp_path / str(place)).mkdir()
        given = extract(tmp_path / str(place), columns(**incomes()), SUM, text)
        given.mask(9)
        texts.append(given.output.read_bytes())
    assert texts[0] == texts[1]
