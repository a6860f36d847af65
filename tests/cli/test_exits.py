"""However a command is called and whatever its inputs are called: one message, the right exit code, no traceback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

DATA = "<D>" + "".join(f"<R><A>{n}</A><B>{n * n}</B></R>\n" for n in range(12)) + "</D>"
RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<pattern><rule context="R"><assert id="a" test="number(A) ge 0">told</assert></rule></pattern></schema>"""
HOSTILE = "x\n::error file=y::told\x1b[31m\u202e.xml"
PROGRAM = "from constraint_sdc.cli import main; main()"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "data.xml").write_text(DATA)
    (tmp_path / "rules.sch").write_text(RULES)
    return tmp_path


def in_shell(folder: Path, words: str) -> tuple[int, str]:
    """Run our program with words that a shell reads, redirections among them: exit code and standard error."""
    done = subprocess.run(
        ["sh", "-c", f'"$0" -c "{PROGRAM}" {words}', sys.executable],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


# Standard streams that are closed or full


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_do_not_hinder_a_masking(files: Path, closed: str) -> None:
    code, told = in_shell(files, f"mask data.xml --rules rules.sch -k 3 -o masked.xml --undecided guess {closed}")
    assert (code, told) == (0, "")
    assert (files / "masked.xml").read_text().startswith("<D><R>")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_published_is_published_though_the_report_cannot_be_written(files: Path) -> None:
    code, told = in_shell(files, "mask data.xml -k 3 -o masked.xml --undecided guess > /dev/full")
    assert (files / "masked.xml").exists()
    assert code == 0
    assert told == (
        "constraint-sdc: masked.xml is published, but its report cannot be written: No space left on device\n"
    )


def test_published_is_published_though_the_reader_of_the_report_went_away(files: Path) -> None:
    code, told = in_shell(files, "mask data.xml -k 3 -o masked.xml --undecided guess | true; exit 0")
    assert (files / "masked.xml").exists()
    assert code == 0
    assert "Traceback" not in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_messages_that_nobody_can_read_change_no_exit_code(files: Path) -> None:
    assert in_shell(files, "mask data.xml -k 1 -o masked.xml 2> /dev/full")[0] == 2


# Names and texts that would write lines of their own into a log


def lines_that_were_smuggled(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.lstrip().startswith(("::", "##")) or not line.isprintable()]


@pytest.mark.parametrize(
    "words",
    [
        ("check", HOSTILE, "--rules", "rules.sch"),
        ("check", "data.xml", "--rules", HOSTILE),
        ("check", "data.xml", "--rules", "rules.sch", "--recipe", HOSTILE),
        ("check", "data.xml", "--rules", "rules.sch", "--phase", HOSTILE),
        ("check", "data.xml", "--rules", "rules.sch", "--key", HOSTILE),
        ("check", "data.xml", "--rules", "rules.sch", "--format", HOSTILE),
        ("check", "data.xml", "--rules", "rules.sch", "--" + HOSTILE),
        ("check", "data.xml", "--rules", "rules.sch", "--output", f"nowhere{HOSTILE}/report"),
        ("check", "data.xml", "--rules", "rules.sch", "--output", HOSTILE),
        ("mask", "data.xml", "-k", "3", "-o", f"nowhere{HOSTILE}/masked.xml"),
        ("mask", "data.xml", "-k", "3", "--plan", HOSTILE, "-o", "masked.xml"),
        ("mask", "data.xml", "-k", "3", "--weights", HOSTILE, "-o", "masked.xml"),
        ("plan", "data.xml", "-k", "3", "--out", HOSTILE),
        ("domain", "data.xml", "--variables", HOSTILE, "-o", "domain.xml"),
        ("convert", HOSTILE, "other.csv"),
        ("exam", HOSTILE),
        (HOSTILE,),
    ],
)
def test_a_name_cannot_add_a_line_to_a_log(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(files)
    ran = run(*words)
    assert lines_that_were_smuggled(ran.err) == []
    assert lines_that_were_smuggled(ran.out) == []


@pytest.mark.parametrize(
    "schema",
    [
        RULES.replace("<pattern>", "<include href='&#10;::error::x.sch'/><pattern>"),
        RULES.replace("<pattern>", "<pattern is-a='&#10;::error::x'>"),
        RULES.replace("number(A) ge 0", "'&#10;::error::' = doc('&#10;::error::x.xml')"),
        RULES.replace("number(A) ge 0", "'&#10;::error::x"),
        RULES.replace("number(A) ge 0", "$&#10;::error::x"),
        RULES.replace('context="R"', "context='R[&#10;::error::x'"),
        RULES.replace('queryBinding="xslt2"', "queryBinding='&#10;::error::'"),
        RULES.replace('id="a"', "id='&#10;::error::'"),
    ],
)
def test_rules_cannot_add_a_line_to_a_log(run: Run, files: Path, monkeypatch: pytest.MonkeyPatch, schema: str) -> None:
    monkeypatch.chdir(files)
    (files / "rules.sch").write_text(schema)
    for words in (("check", "data.xml", "--rules", "rules.sch"), ("rules", "rules.sch")):
        ran = run(*words)
        assert lines_that_were_smuggled(ran.err + ran.out) == []


# Inputs that are not what they should be


@pytest.mark.parametrize("role", ["data.xml", "rules.sch", "recipe.yml", "plan.json"])
def test_a_loop_of_links_is_named(run: Run, files: Path, monkeypatch: pytest.MonkeyPatch, role: str) -> None:
    monkeypatch.chdir(files)
    (files / "recipe.yml").write_text("k: 3\n")
    run("plan", "data.xml", "--rules", "rules.sch", "-k", "3", "--out", "plan.json")
    (files / role).unlink()
    (files / role).symlink_to("other")
    (files / "other").symlink_to(role)
    wish = ("--plan", "plan.json") if role == "plan.json" else ("--recipe", "recipe.yml")
    ran = run("mask", "data.xml", "--rules", "rules.sch", *wish, "-o", "masked.xml")
    assert ran.code == 2
    assert role in ran.err
    assert "symbolic links" in ran.err


TAGS = "!!bool maybe", "!!timestamp x", "!!int x", "!!float x", "!!binary '%'", "!!set {a: b}", "!!python/tuple [1]"


@pytest.mark.parametrize("value", [*TAGS, "!x 3", "!!str 3", "! 3"])
def test_a_tag_in_a_recipe_is_refused_with_its_line(run: Run, files: Path, value: str) -> None:
    (files / "recipe.yml").write_text(f"# two lines\nk: {value}\n")
    ran = run("mask", files / "data.xml", "--recipe", files / "recipe.yml", "-o", files / "masked.xml")
    assert ran.code == 2
    assert "recipe.yml:2: not valid YAML: tags (!...) are not allowed in a recipe" in ran.err


@pytest.mark.parametrize("codec", ["rot13", "hex", "zip", "unicode_escape", "undefined", "idna", "utf-7", "no\0name"])
def test_a_codec_that_is_no_encoding_of_text_is_refused(run: Run, files: Path, codec: str) -> None:
    (files / "rows.csv").write_text("A,B\n1,2\n")
    ran = run("convert", files / "rows.csv", files / "rows.xml", "--encoding", codec)
    assert ran.code == 2
    assert "is not an encoding of text" in ran.err
    assert not (files / "rows.xml").exists()


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from leaves(inner, (*path, key))


def changed(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(value[path[0]], path[1:], new)
    return copy


def test_a_plan_with_any_entry_changed_is_refused_or_the_same_plan(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    assert run("plan", "data.xml", "--rules", "rules.sch", "-k", "3", "--out", "plan.json").code == 0
    saved = json.loads((files / "plan.json").read_text())
    odd = [-1, 10**30, "x", None, [], {}, 0.5]
    for number, path in enumerate(leaves(saved)):
        for new in (odd[number % len(odd)], odd[(number + 3) % len(odd)]):
            (files / "plan.json").write_text(json.dumps(changed(saved, path, new)))
            ran = run("mask", "data.xml", "--rules", "rules.sch", "--plan", "plan.json", "-o", "m.xml", "--overwrite")
            assert ran.code in (0, 2, 3), (path, new, ran.err)
            is_told = re.match(r"constraint-sdc: |Usage: ", ran.err.split("\n")[-2] if ran.err else "Usage: ")
            assert is_told or ran.code == 0, (path, new, ran.err)


# A damaged cache of compiled code


DAMAGES = """
import json, logging, os
from pathlib import Path
from constraint_sdc.partition.compiled import compiled  # once, for all processes


def ran():
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(writing, "w") as told:
            logging.basicConfig(level=logging.INFO, stream=told)
            from kernel import twice
            print(twice(21), len(twice.stats.cache_hits), file=told)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        said = told.read()
    assert os.waitpid(child, 0)[1] == 0
    return said


said = [ran(), ran()]
for kind in ("nbi", "nbc"):
    for file in Path(os.environ["NUMBA_CACHE_DIR"]).rglob(f"*.{kind}"):
        file.write_bytes(file.read_bytes()[:-20])
    said += [ran(), ran()]
print(json.dumps(said))
"""


def test_a_damaged_cache_of_compiled_code_is_built_again(tmp_path: Path) -> None:
    """A kernel as the package declares them: compiled, damaged on disk, used again, each time by another process."""
    (tmp_path / "kernel.py").write_text(
        "from constraint_sdc.partition.compiled import compiled\n@compiled\ndef twice(x):\n    return 2 * x\n"
    )
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": paths}
    command = [sys.executable, "-c", DAMAGES]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    first, kept, *after = json.loads(done.stdout)
    assert (first, kept) == ("42 0\n", "42 1\n")
    assert len(after) == 4
    for again, kept in zip(after[::2], after[1::2], strict=True):
        assert "damaged and is built again" in again
        assert again.endswith("\n42 0\n")
        assert kept == "42 1\n"
