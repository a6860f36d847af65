"""The package of docs/extending.md, laid out as an installer does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
_FILE = re.compile(r"^`([\w./-]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files_of_the_page() -> dict[str, str]:
    """Return the files that the page shows, by path."""
    return dict(_FILE.findall(PAGE.read_text("utf-8")))


def install(files: dict[str, str], target: Path) -> dict[str, dict[str, str]]:
    """Write the modules and a dist-info folder; return the entry points by group."""
    project = tomllib.loads(files["pyproject.toml"])["project"]
    for path, text in files.items():
        if path != "pyproject.toml":
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_text(text, encoding="utf-8")
            (target / path).parent.joinpath("__init__.py").touch()
    info = target / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    groups: dict[str, dict[str, str]] = project["entry-points"]
    lines = [line for group, entries in groups.items() for line in (f"[{group}]", *map(" = ".join, entries.items()))]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return groups
