"""Sets of files to publish, small ones: what is there before, what is published, and what a folder looks like after."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constraint_sdc.files.publication import disk
from constraint_sdc.files.publication.disk import open_to_write
from constraint_sdc.files.publication.publication import Publication

MASKED, CERTIFICATE = "masked.xml", "masked.xml.certificate.json"
OLD = {MASKED: b"<old/>", CERTIFICATE: b"old certificate", "pairs.csv": b"old pairs", "charts/goal-1.svg": b"old chart"}
NEW = {MASKED: b"<new/>" * 30_000, CERTIFICATE: b"new certificate", "pairs.csv": b"new", "charts/goal-1.svg": b"new"}
MODE = 0o640  # of the old files; new ones follow the umask


@dataclass(frozen=True)
class Scene:
    """`files` are published; `there` are those that exist before."""

    files: tuple[str, ...]
    there: tuple[str, ...]
    has_links: bool = True

    def set_up(self, folder: Path) -> None:
        for name in self.there:
            path = folder / name
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_bytes(OLD[name])
            path.chmod(MODE)

    def publish(self, folder: Path) -> None:
        with self.on_file_system():
            paths = [folder / name for name in self.files if "/" not in name]
            with Publication(*paths, overwrite=bool(self.there)) as publication:
                with open_to_write(publication.stage(paths[0])) as stream:
                    stream.write(NEW[MASKED])
                for name in self.files[1:]:
                    publication.add(folder / name, NEW[name])
                publication.publish()

    @contextmanager
    def on_file_system(self) -> Iterator[None]:
        """Take hard links away, as some file systems do."""
        real: Callable[..., Any] = disk.Disk.link

        def no_links(*_: object) -> None:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))

        disk.Disk.link = real if self.has_links else no_links  # type: ignore[method-assign]
        try:
            yield
        finally:
            disk.Disk.link = real  # type: ignore[method-assign]

    def state(self, folder: Path) -> str:
        """Return `old` or `new` if all files are, else `mix`."""
        found = {name: content(folder / name) for name in self.files}
        if found == {name: NEW[name] for name in self.files}:
            return "new"
        return "old" if found == {name: OLD[name] if name in self.there else None for name in self.files} else "mix"

    def modes_are_right(self, folder: Path) -> bool:
        """Tell whether every file has the permissions of the one before it, or those that the umask leaves."""
        mask = os.umask(0o077)
        os.umask(mask)
        return all(
            stat.S_IMODE((folder / name).stat().st_mode) == (MODE if name in self.there else 0o666 & ~mask)
            for name in self.files
            if (folder / name).exists()
        )

    def left_over(self, folder: Path) -> list[str]:
        """Return everything that is neither published nor was there before."""
        known = {*self.files, *self.there}
        known |= {str(Path(name).parent) for name in known if (folder / name).exists()}
        return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if str(p.relative_to(folder)) not in known)

    def readable_staged(self, folder: Path) -> list[str]:
        """Return the staged files that others than their owner could read."""
        return [p.name for p in folder.rglob(".constraint-sdc.*.staged.*") if p.stat().st_mode & 0o077]


SCENES = {
    "a new pair": Scene((MASKED, CERTIFICATE), ()),
    "a pair over an old one": Scene((MASKED, CERTIFICATE), (MASKED, CERTIFICATE)),
    "a pair over an old file without certificate": Scene((MASKED, CERTIFICATE), (MASKED,)),
    "four files, one in a new directory": Scene(tuple(NEW), ()),
    "four files over old ones": Scene(tuple(NEW), tuple(NEW)),
    "a new pair without hard links": Scene((MASKED, CERTIFICATE), (), has_links=False),
    "a pair over an old one without hard links": Scene((MASKED, CERTIFICATE), (MASKED, CERTIFICATE), has_links=False),
}


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None
