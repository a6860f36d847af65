"""What swaps must not do, each in its smallest form: delete what is in the way, leave secrets, misname a goal."""

from __future__ import annotations

import json
import os
import stat
import sys
import warnings
from pathlib import Path

import pytest

from constraint_sdc.cli import main
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.masking.goal_files import GoalFiles
from constraint_sdc.errors import ConstraintSdcError, UsageError
from tests.maskers.extract import Extract, columns, extract
from tests.maskers.test_group_anonymity import goal, people, recipe


def publish(given: Extract, files: GoalFiles, *, overwrite: bool) -> None:
    mask_file(given.data, given.rules, given.output, given.options(1), overwrite=overwrite, beside=files)


class TestFilesBesideTheMaskedOne:
    """A refusal leaves everything as it was."""

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_pairs_that_cannot_be_written_to_a_pipe_do_not_delete_it(self, tmp_path: Path) -> None:
        """A device is deleted the same way: for root, `--pairs /dev/null --overwrite` takes /dev/null away."""
        given = extract(tmp_path, people(), None, recipe(goal()))
        pipe = tmp_path / "pairs"
        os.mkfifo(pipe)
        with pytest.raises(UsageError, match="not a regular file"):
            publish(given, GoalFiles(pairs=pipe), overwrite=True)
        assert pipe.exists()
        assert stat.S_ISFIFO(pipe.stat().st_mode)

    @pytest.mark.parametrize("overwrite", [False, True])
    def test_charts_in_the_place_of_the_masked_file_leave_no_certificate(self, tmp_path: Path, overwrite: bool) -> None:
        given = extract(tmp_path, people(), None, recipe(goal()))
        before = set(tmp_path.iterdir())
        with pytest.raises(ConstraintSdcError):
            publish(given, GoalFiles(charts=given.output), overwrite=overwrite)
        assert set(tmp_path.iterdir()) == before


class TestWhatIsSaid:
    """Verdicts and messages agree with the documentation."""

    def test_a_goal_whose_counts_are_all_within_a_record_of_the_wish_is_reached(self, tmp_path: Path) -> None:
        cells = columns(Region=list("ENNEN"), Job=list("yyynn"))
        told = goal(vital="Job = 'y'", change=[{"signal": [1.6, 1.4]}])
        forbids_every_swap = {"opaque": "every $cell in * satisfies $cell != ''"}
        given = extract(tmp_path, cells, forbids_every_swap, recipe(told, influential=()))
        (one,) = given.plan(1).all_goals()
        assert all(abs(value.after - value.wished) < 1 for value in one.values)
        assert one.is_reached, one.missed

    def test_numbers_too_large_to_add_are_refused_without_a_warning_of_numpy(self, tmp_path: Path) -> None:
        given = extract(tmp_path, people(), None, recipe(goal(change=[{"signal": ["1e308", "1e308", "0", "0"]}])))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UsageError):
                given.plan(1)

    def test_a_negative_weight_is_refused_with_its_line(self, tmp_path: Path) -> None:
        text = recipe(goal()).replace("variable: Age", "variable: Age\n    weight: -1")
        given = extract(tmp_path, people(), None, text)
        with pytest.raises(UsageError) as caught:
            given.plan(1)
        assert "recipe.yml:" in str(caught.value)

    def test_codes_with_a_leading_zero_are_named_where_the_recipe_says_numeric(self, tmp_path: Path) -> None:
        cells = columns(Region=["1", "1.0", "2", "02"] * 5, Job=["y", "y", "n", "n"] * 5)
        told = goal(vital="Job = 'y'", change=[{"move": {"from": "1", "to": "2"}}])
        numeric = {"Region": {"type": "numeric"}}
        given = extract(tmp_path, cells, None, recipe(told, influential=(), variables=numeric))
        with pytest.raises(UsageError, match="not numbers, or are codes with a leading zero"):
            given.plan(1)

    def test_a_certificate_whose_signal_is_not_that_of_the_file_does_not_agree(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        given = extract(tmp_path, people(), {"age": "number(Age) >= 18"}, recipe(goal()))
        certificate = given.mask(1).output.with_name("masked.xml.certificate.json")
        told = json.loads(certificate.read_text(encoding="utf-8"))
        for block in (told["blocks"][0], told["plan"]["blocks"][0]["price"]):
            block["goals"][0]["values"][0]["after"] += 1
        certificate.write_text(json.dumps(told), encoding="utf-8")
        asked = ["check", given.output, "--rules", given.rules, "--certificate", certificate]
        monkeypatch.setattr(sys, "argv", ["constraint-sdc", *map(str, asked)])
        with pytest.raises(SystemExit) as stop:
            main()
        assert stop.value.code == 1
