"""A program that dies at every operation of a publication in turn, and at every operation of the recovery from that.

    python -m tests.files.publication.dying SCENE FOLDER [--twice]

Each death is that of a forked process, so nothing is unwound. Prints one JSON object for every death: what was found
after it, and after the next process had settled the publication.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from constraint_sdc.files.publication.recovery import settle_publication
from tests.files.publication.faulty_disk import Act, FaultyDisk, dying_after, dying_before, installed
from tests.files.publication.scenes import MASKED, SCENES, Scene

DEATHS: dict[str, Act] = {"before": dying_before, "after": dying_after}


def main() -> None:
    scene, folder, is_twice = SCENES[sys.argv[1]], Path(sys.argv[2]), "--twice" in sys.argv
    for moment, act in DEATHS.items():
        for at in dying_publications(scene, folder, act):
            seen = {
                "at": at,
                "moment": moment,
                "found": scene.state(folder),
                "readable": scene.readable_staged(folder),
                "has_journal": any(folder.glob(".constraint-sdc.journal.*")),
                "left": scene.left_over(folder),
            }
            settle_publication(folder / MASKED)
            print(json.dumps({**seen, **settled(scene, folder)}))
            if is_twice and act is dying_after:  # before an operation is after the one before it
                die_in_recovery(scene, folder, at)


def dying_publications(scene: Scene, folder: Path, act: Act) -> Iterator[int]:
    """Publish again and again, each time in a process that dies at the next operation, until one does not die."""
    at = 1
    while publish_and_die(scene, folder, at, act):
        yield at
        at += 1
    assert scene.state(folder) == "new"


def publish_and_die(scene: Scene, folder: Path, at: int, act: Act) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    scene.set_up(folder)
    return dies(lambda: scene.publish(folder), FaultyDisk(at, act))


def die_in_recovery(scene: Scene, folder: Path, first: int) -> None:
    """Die in the publication, then at every operation of the recovery; a third process has to cope with the rest."""
    at = 0
    while True:
        at += 1
        publish_and_die(scene, folder, first, dying_after)
        if not dies(lambda: settle_publication(folder / MASKED), FaultyDisk(at, dying_after)):
            return
        readable = scene.readable_staged(folder)
        settle_publication(folder / MASKED)
        print(json.dumps({"at": first, "then": at, "readable": readable, **settled(scene, folder)}))


def settled(scene: Scene, folder: Path) -> dict[str, object]:
    return {
        "settled": scene.state(folder),
        "modes": scene.modes_are_right(folder),
        "still_left": scene.left_over(folder),
    }


def dies(work: Callable[[], None], faulty: FaultyDisk) -> bool:
    """Do the work in a process of its own; tell whether the disk ended it."""
    child = os.fork()
    if not child:
        with installed(faulty):
            work()
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9), f"the process ended with {code}"
    return code == 9


if __name__ == "__main__":
    main()
