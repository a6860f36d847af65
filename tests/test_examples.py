"""The examples run and print what they promise."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]


def test_the_library_example_finds_every_broken_rule(tmp_path: Path) -> None:
    command = [sys.executable, str(TOP / "examples" / "check_from_python.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "original.xml: exit code 0" in done.stdout
    assert "damaged.xml: exit code 1" in done.stdout
    assert done.stdout.count("10 of 1000") == 5


def test_the_quickstart_masks_by_its_recipe(tmp_path: Path) -> None:
    command = [sys.executable, str(TOP / "examples" / "quickstart.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.count(" 1000 checked, 0 newly broken") == 5
    assert "published: masked.xml, masked.xml.certificate.json" in done.stdout
    assert "exit code 3: 1000 records cannot form a group of 2000" in done.stdout
    before, after = ((tmp_path / name).read_text("utf-8") for name in ("extract.xml", "masked.xml"))
    assert re.findall("<V7>.*?</V7>", after) == re.findall("<V7>.*?</V7>", before)
    assert len(re.findall(r"<V15>0[.][0-9]{1,6}</V15>", after)) == 1000
    assert (tmp_path / "masked.xml.certificate.json").is_file()
