"""Odd places and moments: what a publication refuses, waits for, recovers from and leaves alone."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.errors import DataError, JudgeError, UsageError
from constraint_sdc.files.publication import disk, recovery
from constraint_sdc.files.publication.disk import Disk
from constraint_sdc.files.publication.journal import Exchange
from constraint_sdc.files.publication.publication import Publication
from constraint_sdc.files.publication.recovery import settle_publication
from tests.files.publication.faulty_disk import FaultyDisk, failing, installed
from tests.files.publication.scenes import CERTIFICATE, MASKED, NEW, OLD, SCENES
from tests.files.publication.test_faults import mix
from tests.waiting import PATIENCE, awaited

PAIR = SCENES["a pair over an old one"]
NEW_PAIR = SCENES["a new pair"]


def refusal(*paths: Path, overwrite: bool = True) -> str:
    with pytest.raises(UsageError) as refused, Publication(*paths, overwrite=overwrite):
        pytest.fail("the block must not start")
    return str(refused.value)


def while_open(folder: Path, meanwhile: Callable[[], object], overwrite: bool = False) -> UsageError:
    """Let something happen after everything is staged; return the refusal."""

    def publish() -> None:
        with Publication(folder / MASKED, folder / CERTIFICATE, overwrite=overwrite) as publication:
            publication.stage(folder / MASKED).write_bytes(NEW[MASKED])
            publication.add(folder / CERTIFICATE, NEW[CERTIFICATE])
            meanwhile()
            publication.publish()

    with pytest.raises(UsageError) as refused:
        publish()
    return refused.value


# Targets.


def test_pipes_and_streams_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null"), Path("/dev/stdout"), Path("/dev/fd/1"), Path("/proc/self/fd/1")):
        assert "not a regular file: it cannot be replaced in one step" in refusal(path)


def test_a_directory_and_a_missing_directory_are_refused(tmp_path: Path) -> None:
    assert "is a directory, not a file (name a file in it)" in refusal(tmp_path)
    assert "the directory does not exist" in refusal(tmp_path / "no" / MASKED)
    assert list(tmp_path.iterdir()) == []


def test_a_link_that_leads_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert "leads to itself" in refusal(tmp_path / "loop")


def test_what_a_link_leads_to_is_replaced(tmp_path: Path) -> None:
    for folder in ("real", "here"):
        (tmp_path / folder).mkdir()
    PAIR.set_up(tmp_path / "real")
    for name in PAIR.files:
        (tmp_path / "here" / name).symlink_to(tmp_path / "real" / name)
    PAIR.publish(tmp_path / "here")
    assert PAIR.state(tmp_path / "real") == "new"
    assert all((tmp_path / "here" / name).is_symlink() for name in PAIR.files)
    assert PAIR.left_over(tmp_path / "real") == PAIR.left_over(tmp_path / "here") == []


def test_the_set_behind_a_link_is_recovered_through_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    PAIR.set_up(tmp_path / "real")
    mix(PAIR, tmp_path / "real")
    (tmp_path / "link.xml").symlink_to(tmp_path / "real" / MASKED)
    settle_publication(tmp_path / "link.xml")
    assert PAIR.state(tmp_path / "real") == "old"


def test_a_link_to_nothing_gets_its_file(tmp_path: Path) -> None:
    (tmp_path / "link.xml").symlink_to(tmp_path / MASKED)
    with Publication(tmp_path / "link.xml") as publication:
        publication.stage(tmp_path / "link.xml").write_bytes(b"new")
        publication.publish()
    assert (tmp_path / MASKED).read_bytes() == b"new"


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_directory_without_write_permission_is_refused_before_any_work(tmp_path: Path, number: int) -> None:
    with installed(FaultyDisk(1, failing(number))):
        assert refusal(tmp_path / MASKED).endswith(f"{MASKED}: cannot write: {os.strerror(number)}")


def test_an_existing_file_needs_overwrite(tmp_path: Path) -> None:
    (tmp_path / CERTIFICATE).write_bytes(b"theirs")
    assert "exists already" in refusal(tmp_path / MASKED, tmp_path / CERTIFICATE, overwrite=False)
    assert [path.name for path in tmp_path.iterdir()] == [CERTIFICATE]


# What happens meanwhile.


@pytest.mark.parametrize("name", PAIR.files)
def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path, name: str) -> None:
    error = while_open(tmp_path, lambda: (tmp_path / name).write_bytes(b"theirs"))
    assert "exists already" in error.what
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes() == b"theirs"


@pytest.mark.parametrize("name", PAIR.files)
@pytest.mark.parametrize("is_old", [False, True])
def test_a_directory_that_appears_meanwhile_stays(tmp_path: Path, name: str, is_old: bool) -> None:
    if is_old:
        PAIR.set_up(tmp_path)
    there = {path.name for path in tmp_path.iterdir()}

    def meanwhile() -> None:
        (tmp_path / name).unlink(missing_ok=True)
        (tmp_path / name).mkdir()

    assert "is a directory" in while_open(tmp_path, meanwhile, overwrite=is_old).what
    assert {path.name for path in tmp_path.iterdir()} == there | {name}
    (other,) = set(PAIR.files) - {name}
    assert not is_old or (tmp_path / other).read_bytes() == OLD[other]


class Meddling(Disk):
    """Somebody else acts right before the masked file takes its name: the last moment at which anything can happen."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._act = act

    def _meddle(self, target: Path) -> None:
        if target.name == MASKED:
            self._act()

    def link(self, source: Path, target: Path) -> None:
        self._meddle(target)
        super().link(source, target)

    def rename(self, source: Path, target: Path) -> None:
        self._meddle(target)
        super().rename(source, target)


def test_a_file_that_appears_at_the_last_moment_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "DISK", Meddling(lambda: (tmp_path / MASKED).write_bytes(b"theirs")))
    with pytest.raises(UsageError, match="exists already"):
        NEW_PAIR.publish(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [MASKED]
    assert (tmp_path / MASKED).read_bytes() == b"theirs"


def test_a_directory_that_appears_at_the_last_moment_takes_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    PAIR.set_up(tmp_path)

    def act() -> None:
        if (tmp_path / MASKED).is_file():
            (tmp_path / MASKED).unlink()
            (tmp_path / MASKED).mkdir()

    monkeypatch.setattr(disk, "DISK", Meddling(act))
    with pytest.raises(UsageError, match=r"cannot write: Is a directory"):
        PAIR.publish(tmp_path)
    assert (tmp_path / MASKED).is_dir()
    assert (tmp_path / CERTIFICATE).read_bytes() == OLD[CERTIFICATE]
    assert PAIR.left_over(tmp_path) == []


def test_a_staged_file_that_changes_after_it_was_judged_is_not_published(tmp_path: Path) -> None:
    PAIR.set_up(tmp_path)
    with Publication(tmp_path / MASKED, overwrite=True) as publication:
        publication.stage(tmp_path / MASKED).write_bytes(b"another")
        with pytest.raises(JudgeError, match="changed after it was judged"):
            publication.publish({tmp_path / MASKED: "0" * 64})
    assert PAIR.state(tmp_path) == "old"


def test_a_staged_file_that_is_exchanged_is_not_published(tmp_path: Path) -> None:
    PAIR.set_up(tmp_path)
    with Publication(tmp_path / MASKED, overwrite=True) as publication:
        staged = publication.stage(tmp_path / MASKED)
        staged.rename(tmp_path / "away")
        staged.write_bytes(b"another")
        with pytest.raises(UsageError, match="the staged file was replaced"):
            publication.publish()
    assert (tmp_path / MASKED).read_bytes() == OLD[MASKED]


# Two runs.


def test_two_runs_do_not_publish_to_one_name(tmp_path: Path) -> None:
    with Publication(tmp_path / MASKED):
        assert "another run publishes to this name at this moment" in refusal(tmp_path / MASKED)
    with Publication(tmp_path / MASKED):
        pass
    assert list(tmp_path.iterdir()) == []


def test_two_runs_do_not_publish_the_same_side_file(tmp_path: Path) -> None:
    with Publication(tmp_path / "a.xml") as first, Publication(tmp_path / "b.xml") as second:
        first.add(tmp_path / "pairs.csv", b"a")
        with pytest.raises(UsageError, match=r"pairs\.csv: another run publishes"):
            second.add(tmp_path / "pairs.csv", b"b")
    assert list(tmp_path.iterdir()) == []


def test_many_runs_at_once_publish_whole_sets(tmp_path: Path) -> None:
    """Each thread writes its own number into both files; whatever is there in the end is of one of them."""
    published = []

    def work(number: int) -> None:
        for _ in range(20):
            try:
                with Publication(tmp_path / MASKED, tmp_path / CERTIFICATE, overwrite=True) as publication:
                    for name in PAIR.files:
                        publication.add(tmp_path / name, b"%d" % number)
                    publication.publish()
                    published.append({(tmp_path / name).read_bytes() for name in PAIR.files} == {b"%d" % number})
            except UsageError as error:
                published.append("another run" in error.what)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(published)
    assert len(published) == 80
    assert len({(tmp_path / name).read_bytes() for name in PAIR.files}) == 1
    assert {path.name for path in tmp_path.iterdir()} == set(PAIR.files)


def test_a_file_system_without_locks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setattr(Disk, "lock", no_locks)
    assert "the file system cannot lock files" in refusal(tmp_path / MASKED)
    assert list(tmp_path.iterdir()) == []


def test_a_descriptor_is_flushed_by_the_operating_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", flushed.append)
    monkeypatch.setattr(disk, "_FULL_FSYNC", None)
    with (tmp_path / "file").open("w") as stream:
        Disk().fsync(stream.fileno())
        assert flushed == [stream.fileno()]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP])
def test_directories_need_no_fsync_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    real: Callable[..., Any] = Disk.fsync

    def files_only(this: Disk, descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))
        real(this, descriptor)

    monkeypatch.setattr(Disk, "fsync", files_only)
    PAIR.set_up(tmp_path)
    PAIR.publish(tmp_path)
    assert (PAIR.state(tmp_path), PAIR.left_over(tmp_path)) == ("new", [])


# Whoever comes later.


def test_a_reader_of_a_mix_gets_the_old_set_and_a_note(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    PAIR.set_up(tmp_path)
    mix(PAIR, tmp_path)
    with caplog.at_level(logging.INFO):
        settle_publication(tmp_path / MASKED)
    assert (PAIR.state(tmp_path), PAIR.left_over(tmp_path)) == ("old", [])
    note = "a run was interrupted while it published; its publication was undone: the files are those from before it"
    assert caplog.messages[0] == f"{MASKED}: {note}"


def test_the_next_publication_recovers_first(tmp_path: Path) -> None:
    PAIR.set_up(tmp_path)
    mix(PAIR, tmp_path)
    with Publication(tmp_path / MASKED, overwrite=True):
        assert PAIR.state(tmp_path) == "old"
    PAIR.publish(tmp_path)
    assert (PAIR.state(tmp_path), PAIR.left_over(tmp_path)) == ("new", [])


def test_a_reader_who_may_not_write_is_told(tmp_path: Path) -> None:
    PAIR.set_up(tmp_path)
    mix(PAIR, tmp_path)
    with (
        installed(FaultyDisk(1, failing(errno.EACCES))),
        pytest.raises(DataError, match="cannot be mended: Permission"),
    ):
        settle_publication(tmp_path / MASKED)
    assert PAIR.state(tmp_path) == "mix"


def test_a_reader_does_not_mind_a_run_that_has_not_begun_to_exchange_files(tmp_path: Path) -> None:
    with Publication(tmp_path / MASKED) as publication:
        staged = publication.stage(tmp_path / MASKED)
        settle_publication(tmp_path / MASKED)
        assert staged.exists()


def test_a_reader_waits_for_a_run_that_exchanges_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    PAIR.set_up(tmp_path)
    seen: list[str] = []
    waits = threading.Event()

    def read() -> None:
        settle_publication(tmp_path / MASKED)
        seen.append(state())

    def pause(seconds: float) -> None:
        waits.set()
        time.sleep(seconds)

    def act() -> None:
        readers.append(threading.Thread(target=read))
        readers[-1].start()
        awaited(lambda: waits.is_set() or not readers[-1].is_alive(), "the reader neither waits nor ends")
        seen.append("waits" if readers[-1].is_alive() else "does not wait")

    def state() -> str:
        return PAIR.state(tmp_path)

    readers: list[threading.Thread] = []
    monkeypatch.setattr(recovery, "_PATIENCE", PATIENCE)
    monkeypatch.setattr(recovery, "_pause", pause)
    monkeypatch.setattr(disk, "DISK", Meddling(act))
    PAIR.publish(tmp_path)
    for reader in readers:
        reader.join()
    assert seen == ["waits", "new"]


def test_a_reader_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    PAIR.set_up(tmp_path)
    monkeypatch.setattr(recovery, "_PATIENCE", 0.05)
    said = []

    def act() -> None:
        with pytest.raises(DataError, match="another run is publishing this file") as refused:
            settle_publication(tmp_path / MASKED)
        said.append(refused.value.hint)

    monkeypatch.setattr(disk, "DISK", Meddling(act))
    PAIR.publish(tmp_path)
    assert said == ["run again when it has ended"]


def test_a_file_that_somebody_put_there_after_the_crash_stays(tmp_path: Path) -> None:
    PAIR.set_up(tmp_path)
    mix(PAIR, tmp_path)
    (tmp_path / MASKED).unlink()
    (tmp_path / MASKED).write_bytes(b"theirs")
    settle_publication(tmp_path / MASKED)
    assert (tmp_path / MASKED).read_bytes() == b"theirs"
    assert (tmp_path / CERTIFICATE).read_bytes() == OLD[CERTIFICATE]
    assert PAIR.left_over(tmp_path) == []


@pytest.mark.parametrize("name", ["/", ".", "..", "a\0b", "x" * 300, "no/such/file"])
def test_a_path_that_no_publication_can_have_is_left_to_the_reader(name: str) -> None:
    settle_publication(Path(name))


# Journals and notes from elsewhere: they name files to remove and rename, so only our own are followed.


def journal(folder: Path) -> Path:
    return folder / f".constraint-sdc.journal.{MASKED}"


def test_a_copied_journal_is_not_followed(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    PAIR.set_up(first)
    mix(PAIR, first)
    shutil.copytree(first, second)
    before = {path.name: path.read_bytes() for path in second.iterdir()}
    with pytest.raises(DataError, match="cannot be followed: it was not written here"):
        settle_publication(second / MASKED)
    assert {path.name: path.read_bytes() for path in second.iterdir()} == before
    assert "cannot be followed" in refusal(second / MASKED)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"target": "masked.xml"', '"target": "../precious.txt"', "damaged"),
        ('"staged": ".constraint-sdc', '"staged": "../.constraint-sdc', "damaged"),
        ('"kept": ".constraint', '"kept": "constraint', "damaged"),
        ("constraint-sdc/publication 1", "constraint-sdc/publication 2", "not written here"),
        ("exchanges", "changes", "damaged"),
        ("}", "", "damaged"),
    ],
)
def test_a_journal_that_was_changed_is_not_followed(tmp_path: Path, old: str, new: str, why: str) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (tmp_path / "precious.txt").write_bytes(b"precious")
    PAIR.set_up(folder)
    mix(PAIR, folder)
    text = journal(folder).read_text("ascii")
    assert old in text
    with journal(folder).open("r+", encoding="ascii") as stream:  # the same inode
        stream.truncate()
        stream.write(text.replace(old, new))
    with pytest.raises(DataError, match=why):
        settle_publication(folder / MASKED)
    assert PAIR.state(folder) == "mix"
    assert (tmp_path / "precious.txt").read_bytes() == b"precious"


def test_a_journal_that_others_could_write_is_not_followed(tmp_path: Path) -> None:
    PAIR.set_up(tmp_path)
    mix(PAIR, tmp_path)
    journal(tmp_path).chmod(0o666)
    with pytest.raises(DataError, match="not a private file of this user"):
        settle_publication(tmp_path / MASKED)


def test_notes_from_elsewhere_remove_nothing(tmp_path: Path) -> None:
    """A lock file in an archive could name directories and files outside of it."""
    (tmp_path / "here").mkdir()
    (tmp_path / "empty").mkdir()
    staged = tmp_path / ".constraint-sdc.0123456789ab.staged.other.xml"
    staged.write_bytes(b"theirs")
    lock = tmp_path / "here" / f".constraint-sdc.lock.{MASKED}"
    lock.write_text('[1, "0123456789ab"]\n["folder", "../empty"]\n["target", "../other.xml"]\n', encoding="ascii")
    settle_publication(tmp_path / "here" / MASKED)
    assert staged.exists()
    assert (tmp_path / "empty").is_dir()


@pytest.mark.parametrize(
    "text", ["", "\n", "[", "[1]\n", '"x"\n', '[1, "xy"]\n', "null\n", '{"a": 1}\n', "\0\n", "é\n"]
)
def test_damaged_notes_are_no_obstacle(tmp_path: Path, text: str) -> None:
    (tmp_path / f".constraint-sdc.lock.{MASKED}").write_text(text, encoding="utf-8")
    NEW_PAIR.publish(tmp_path)
    assert (NEW_PAIR.state(tmp_path), NEW_PAIR.left_over(tmp_path)) == ("new", [])


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_bytes(b"precious")
    (tmp_path / f".constraint-sdc.lock.{MASKED}").symlink_to("precious.txt")
    assert "cannot write" in refusal(tmp_path / MASKED)
    settle_publication(tmp_path / MASKED)
    assert (tmp_path / "precious.txt").read_bytes() == b"precious"


def test_permissions_are_not_set_through_a_link(tmp_path: Path) -> None:
    """Somebody put a link in the place of a published file: what it leads to keeps its permissions."""
    precious = tmp_path / "precious.txt"
    precious.write_bytes(b"precious")
    precious.chmod(0o600)
    (tmp_path / MASKED).symlink_to(precious)
    with pytest.raises(OSError, match="symbolic link"):
        Exchange(tmp_path / MASKED, tmp_path / "staged", None, "0" * 64, 0o644).finish()
    assert stat.S_IMODE(precious.stat().st_mode) == 0o600


def test_control_characters_of_names_stay_out_of_notes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path
    script = (
        "import os, sys; from pathlib import Path\n"
        "from constraint_sdc.files.publication.publication import Publication\n"
        "with Publication(Path(sys.argv[1])) as p:\n    p.stage(Path(sys.argv[1])); os._exit(0)\n"
    )
    target = folder / "a\n::error\x1b.xml"
    subprocess.run([sys.executable, "-c", script, str(target)], check=True)
    with caplog.at_level(logging.INFO):
        settle_publication(target)
    (note,) = caplog.messages
    assert note.isprintable()
    assert list(folder.iterdir()) == []
