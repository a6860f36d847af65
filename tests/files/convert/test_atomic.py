"""A written file is there whole or not at all."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from constraint_sdc.errors import UsageError
from constraint_sdc.files.atomic import atomic_file, atomic_path
from constraint_sdc.files.publication import disk


def contents(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def write_and_fail(target: Path, failure: BaseException, overwrite: bool = False) -> None:
    with atomic_file(target, overwrite) as file:
        file.write(b"half")
        raise failure


def write_while_another_does(target: Path) -> None:
    with atomic_file(target) as file:
        file.write(b"mine")
        target.write_bytes(b"theirs")


def test_the_file_appears_only_when_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "out.xml"
    with atomic_file(target) as file:
        file.write(b"abc")
        assert not target.exists()
    assert target.read_bytes() == b"abc"
    assert contents(tmp_path) == ["out.xml"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_nothing_behind(tmp_path: Path, failure: type[BaseException]) -> None:
    with pytest.raises(failure):
        write_and_fail(tmp_path / "out.xml", failure())
    assert contents(tmp_path) == []


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "out.xml"
    target.write_bytes(b"old")
    with pytest.raises(RuntimeError):
        write_and_fail(target, RuntimeError(), overwrite=True)
    assert target.read_bytes() == b"old"
    assert contents(tmp_path) == ["out.xml"]


def test_an_existing_file_is_refused_before_any_work(tmp_path: Path) -> None:
    target = tmp_path / "out.xml"
    target.write_bytes(b"old")
    with pytest.raises(UsageError, match=r"exists already.*--overwrite"), atomic_file(target):
        pytest.fail("the block must not start")
    assert target.read_bytes() == b"old"


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "out.xml"
    with pytest.raises(UsageError, match="exists already"):
        write_while_another_does(target)
    assert target.read_bytes() == b"theirs"
    assert contents(tmp_path) == ["out.xml"]


def test_overwriting_keeps_the_rights_of_the_file(tmp_path: Path) -> None:
    target = tmp_path / "out.xml"
    target.write_bytes(b"old")
    target.chmod(0o640)
    with atomic_file(target, overwrite=True) as file:
        file.write(b"new")
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.xml").write_bytes(b"old")
    (tmp_path / "link.xml").symlink_to(tmp_path / "real.xml")
    with atomic_file(tmp_path / "link.xml", overwrite=True) as file:
        file.write(b"new")
    assert (tmp_path / "link.xml").is_symlink()
    assert (tmp_path / "real.xml").read_bytes() == b"new"


def test_without_hard_links_the_file_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(_path: Path, _target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    with atomic_file(tmp_path / "out.xml") as file:
        file.write(b"abc")
    assert (tmp_path / "out.xml").read_bytes() == b"abc"
    assert contents(tmp_path) == ["out.xml"]


@pytest.mark.parametrize("name", ["missing/out.xml", "."])
def test_an_impossible_target_is_a_usage_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError), atomic_file(tmp_path / name, overwrite=True):
        pytest.fail("the block must not start")


def test_a_full_disk_is_a_message_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No space left"):
        write_and_fail(tmp_path / "out.xml", OSError(28, "No space left on device"))
    assert contents(tmp_path) == []


def test_the_file_and_its_directory_are_flushed_before_and_after_the_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[tuple[bool, bool]] = []
    target = tmp_path / "out.xml"
    monkeypatch.setattr(
        disk.Disk, "fsync", lambda _, opened: flushed.append((stat.S_ISDIR(os.fstat(opened).st_mode), target.exists()))
    )
    with atomic_path(target) as staged:
        staged.write_bytes(b"abc")
    assert flushed == [(False, False), (True, True)]


def test_what_a_killed_process_leaves_is_private_and_swept_by_the_next(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    target = tmp_path / "out.xml"
    target.write_bytes(b"old")
    script = (
        "import sys; from pathlib import Path; from constraint_sdc.files.atomic import atomic_file\n"
        "with atomic_file(Path(sys.argv[1]), overwrite=True) as file:\n"
        "    file.write(b'half'); file.flush(); print('written', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        assert process.stdin is not None
        with atomic_file(target, overwrite=True) as file:
            file.write(b"mine")
        assert len(contents(tmp_path)) == 2, "what a living process writes is left alone"
        process.kill()
        process.wait()
    assert target.read_bytes() == b"mine"
    (left,) = set(contents(tmp_path)) - {"out.xml"}
    assert (tmp_path / left).stat().st_mode & 0o777 == 0o600
    with caplog.at_level(logging.INFO), atomic_file(target, overwrite=True) as file:
        file.write(b"new")
    assert contents(tmp_path) == ["out.xml"]
    assert caplog.messages == [f"removed what an interrupted run left behind: {left}"]


def test_the_staged_file_is_private(tmp_path: Path) -> None:
    target = tmp_path / "out.xml"
    target.write_bytes(b"old")
    target.chmod(0o644)
    with atomic_path(target, overwrite=True) as staged:
        assert staged.stat().st_mode & 0o777 == 0o600
    assert target.stat().st_mode & 0o777 == 0o644


def test_a_file_that_only_looks_like_ours_is_left_alone(tmp_path: Path) -> None:
    names = [
        ".constraint-sdc.0123456789ab.staged.other.xml",
        ".constraint-sdc.0123456789.staged.out.xml",
        ".constraint-sdc.0123456789ab.kept.out.xml",
        "constraint-sdc.0123456789ab.staged.out.xml",
    ]
    for name in names:
        (tmp_path / name).write_bytes(b"theirs")
    (tmp_path / ".constraint-sdc.0123456789ab.staged.out.xml").mkdir()
    with atomic_file(tmp_path / "out.xml") as file:
        file.write(b"mine")
    assert set(contents(tmp_path)) == {"out.xml", ".constraint-sdc.0123456789ab.staged.out.xml", *names}
