"""Scratch files: private, removed, shared by handles, and refused where the disk is too small."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import stat
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.engines import scratch as scratch_module
from constraint_sdc.engines.growing import GrowingArray
from constraint_sdc.engines.scratch import ArrayHandle, Scratch, handle_of, opened
from constraint_sdc.errors import LimitError


@pytest.fixture(autouse=True)
def _small_arrays_are_mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch_module, "MAPPED_ABOVE", 1000)


def test_a_large_array_lives_in_a_private_file_and_a_small_one_in_memory(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    small = scratch.empty((10, 10), np.uint8)
    assert handle_of(small) is None
    assert list(tmp_path.iterdir()) == []
    large = scratch.empty((10, 100), np.int64)
    handle = handle_of(large)
    assert handle is not None
    assert handle.path.parent.parent == tmp_path
    assert stat.S_IMODE(handle.path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(handle.path.stat().st_mode) == 0o600
    scratch.close()
    assert list(tmp_path.iterdir()) == []
    large[:] = 7  # what is mapped stays usable
    assert large.sum() == 7000


def test_a_handle_finds_any_run_of_a_mapped_array(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    values = scratch.kept(np.arange(1000).reshape(100, 10))
    for part in (values, values[3:], values[5:7], values[4], values[2:2], values.view(np.uint64)[1:]):
        handle = handle_of(part)
        assert handle is not None
        assert np.array_equal(handle.open(), part)
        assert handle.open().dtype == part.dtype
    assert handle_of(values[:, 2]) is None
    shared = scratch.share(values[::-1])
    assert isinstance(shared, ArrayHandle)
    assert np.array_equal(opened(shared), values[::-1])
    scratch.close()


def test_the_space_of_an_array_can_be_given_back(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    values = scratch.kept(np.arange(1000))
    handle = handle_of(values)
    assert handle is not None
    scratch.release(values)
    assert not handle.path.exists()
    scratch.close()


def test_the_next_run_removes_what_a_dead_one_left_and_leaves_the_living(tmp_path: Path) -> None:
    alive = Scratch(tmp_path)
    alive.empty(1000, np.int64)
    (living,) = tmp_path.iterdir()
    dead = tmp_path / "constraint-sdc-scratch-dead"
    dead.mkdir()
    (dead / "owner").touch()
    (dead / "1.array").touch()
    foreign = tmp_path / "constraint-sdc-scratch-foreign"  # nothing says that it is ours
    foreign.mkdir()
    following = Scratch(tmp_path)
    following.empty(1000, np.int64)
    assert not dead.exists()
    assert living.exists()
    assert foreign.exists()
    following.close()
    alive.close()
    assert list(tmp_path.iterdir()) == [foreign]


def test_a_lock_is_held_as_long_as_the_directory_is(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    scratch.empty(1000, np.int64)
    (folder,) = tmp_path.iterdir()
    with (folder / "owner").open() as owner, pytest.raises(BlockingIOError):
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
    scratch.close()


def test_a_disk_that_is_too_small_is_told_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match=r"the scratch files need about .* MB are free .*--scratch"):
        Scratch(tmp_path).require(1 << 60)
    Scratch(tmp_path).require(1)


def test_a_full_disk_is_an_error_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    scratch = Scratch(tmp_path)
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(LimitError, match="no room for more scratch files: No space left on device"):
        scratch.empty(1000, np.int64)
    scratch.close()
    assert list(tmp_path.iterdir()) == []


def test_an_array_grows_in_memory_then_in_a_file(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    parts = [np.arange(n, dtype=np.int64) for n in (3, 0, 200, 50, 1)]
    for some in (parts[:2], parts, []):
        growing = GrowingArray(scratch, np.int64)
        for part in some:
            growing.append(part)
        found = growing.finished()
        assert np.array_equal(found, np.concatenate([np.zeros(0, np.int64), *some]))
        assert (handle_of(found) is not None) == (some is parts)
    scratch.close()


def test_a_disk_that_fills_up_while_an_array_grows_is_an_error(tmp_path: Path) -> None:
    """The limit of a file's size stands for a full disk."""
    scratch = Scratch(tmp_path)
    growing = GrowingArray(scratch, np.uint8)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    heard = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))
        with pytest.raises(LimitError, match=r"no room for more scratch files: .*--scratch"):
            growing.append(np.zeros(600_000, np.uint8))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, heard)
    scratch.close()
    assert list(tmp_path.iterdir()) == []
