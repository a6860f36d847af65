"""One operation of a publication fails, each in turn: all files are the old ones or all are the new ones."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.errors import ConstraintSdcError, DataError, UsageError
from constraint_sdc.files.publication.recovery import settle_publication
from tests.files.publication.faulty_disk import Act, BrokenAfterRenames, FaultyDisk, failing, installed
from tests.files.publication.scenes import MASKED, SCENES, Scene

ERRORS = {name: getattr(errno, name) for name in ("ENOSPC", "EIO", "EACCES", "EDQUOT", "EROFS")}
LEAST = 35  # operations of the smallest set
OPERATIONS = {"open", "write", "fsync", "lock", "chmod", "rename", "unlink", "truncate"}


def fresh(top: Path, number: int, scene: Scene) -> Path:
    folder = top / str(number)
    folder.mkdir()
    scene.set_up(folder)
    return folder


def operations(scene: Scene, top: Path) -> list[str]:
    """Publish without any fault and return the operations."""
    folder = fresh(top, 0, scene)
    with installed(FaultyDisk()) as disk:
        scene.publish(folder)
    assert (scene.state(folder), scene.left_over(folder)) == ("new", [])
    assert len(disk.names) >= LEAST
    assert set(disk.names) >= OPERATIONS
    return disk.names


def outcome(scene: Scene, folder: Path, faulty: FaultyDisk) -> str:
    """Publish on the faulty disk; return what it said, `published` or `refused`."""
    try:
        with installed(faulty):
            scene.publish(folder)
    except UsageError as error:
        return "refused" if error.what.startswith(("cannot write", "another user")) else str(error)
    return "published"


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("scene", SCENES)
def test_whichever_operation_fails_the_set_is_old_or_new(tmp_path: Path, scene: str, name: str) -> None:
    scenery = SCENES[scene]
    seen = {"published": 0, "refused": 0}
    for at, operation in enumerate(operations(scenery, tmp_path), start=1):
        folder = fresh(tmp_path, at, scenery)
        said = outcome(scenery, folder, FaultyDisk(at, failing(ERRORS[name])))
        seen[said] += 1
        assert scenery.state(folder) == {"published": "new", "refused": "old"}[said], f"{at}: {operation}"
        assert scenery.modes_are_right(folder)
        settle_publication(folder / MASKED)
        assert scenery.state(folder) == {"published": "new", "refused": "old"}[said]
        assert not scenery.left_over(folder), f"{at}: {operation}"
    assert all(seen.values()), "some failures come after the publication"


@pytest.mark.parametrize("scene", SCENES)
def test_a_disk_that_fails_for_good_is_mended_by_the_next_command(tmp_path: Path, scene: str) -> None:
    """The undoing fails as well: the journal stays, and the next command, on a disk that works, follows it."""
    scenery = SCENES[scene]
    mixed = 0
    for at in range(1, len(operations(scenery, tmp_path)) + 1):
        folder = fresh(tmp_path, at, scenery)
        said = outcome(scenery, folder, BrokenDisk(at))
        assert not scenery.readable_staged(folder)
        if scenery.state(folder) == "mix":
            assert any(folder.glob(".constraint-sdc.journal.*")), "whoever looks can tell"
            mixed += 1
        settle_publication(folder / MASKED)
        assert scenery.state(folder) in ({"new"} if said == "published" else {"old", "new"})
        assert scenery.modes_are_right(folder)
        assert not scenery.left_over(folder)
    assert mixed


class BrokenDisk(FaultyDisk):
    """Every operation from the given one on fails."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = super().__getattr__(name)

        def broken(*given: Any) -> Any:
            if len(self.names) + 1 >= self._at:
                self.names.append(name)
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return operation(*given)

        return broken


def interrupted(is_after: bool) -> Act:
    """Let Ctrl-C come before or after the operation."""

    def act(operation: Callable[[], Any], _name: str) -> Any:
        with suppress(OSError):  # such as the removal of a name that is not there
            if is_after:
                operation()
        raise KeyboardInterrupt

    return act


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("scene", SCENES)
def test_an_interrupted_run_leaves_the_old_files_or_the_new_ones(tmp_path: Path, scene: str, is_after: bool) -> None:
    scenery = SCENES[scene]
    seen = set()
    for at in range(1, len(operations(scenery, tmp_path)) + 1):
        folder = fresh(tmp_path, at, scenery)
        with pytest.raises(KeyboardInterrupt), installed(FaultyDisk(at, interrupted(is_after))):
            scenery.publish(folder)
        assert scenery.state(folder) != "mix"
        seen.add(scenery.state(folder))
        settle_publication(folder / MASKED)
        assert scenery.state(folder) != "mix"
        assert scenery.modes_are_right(folder)
        assert not scenery.left_over(folder)
    assert seen == {"old", "new"}


@pytest.mark.parametrize("name", ERRORS)
def test_whichever_operation_of_the_recovery_fails_the_next_one_mends_it(tmp_path: Path, name: str) -> None:
    scenery, at, refused = SCENES["a pair over an old one"], 0, 0
    while True:
        at += 1
        folder = fresh(tmp_path, at, scenery)
        mix(scenery, folder)
        with installed(FaultyDisk(at, failing(ERRORS[name]))) as faulty:
            try:
                settle_publication(folder / MASKED)
            except DataError as error:
                refused += "interrupted while it published" in error.what
            else:
                assert scenery.state(folder) == "old"
        settle_publication(folder / MASKED)
        assert (scenery.state(folder), scenery.left_over(folder)) == ("old", [])
        if len(faulty.names) < at:
            break
    assert refused >= 5, "the recovery has that many operations, and each of them failed"


def mix(scene: Scene, folder: Path) -> None:
    """Leave the certificate new and the masked file old, as a disk does that fails there for good."""
    with pytest.raises(ConstraintSdcError, match="some files are new already"), installed(BrokenAfterRenames(2)):
        scene.publish(folder)
    assert scene.state(folder) == "mix"
