"""Python that users read: the examples, and the ```python blocks of README and documentation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
PACKAGE = "constraint_sdc"
INTERNAL = {
    "docs/extending.md": "a plug-in implements a protocol, which it imports from the room where it lives",
}
"""Pages whose programs may import internal modules, and why."""

_BLOCK = re.compile(r"^( *)```python\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Program:
    """Some Python, and where it stands; the blocks of a page are one program after the other."""

    place: str
    text: str

    @property
    def is_complete(self) -> bool:
        """Tell whether it can be run: it imports the package itself."""
        return re.search(rf"^(import|from) {PACKAGE}\b", self.text, re.MULTILINE) is not None

    def faults(self, exported: frozenset[str]) -> Iterator[str]:
        """Yield every import below the package, and every name that the package does not export."""
        aliases = {"cs", PACKAGE}
        for node in ast.walk(ast.parse(self.text)):
            match node:
                case ast.Import(names):
                    wrong = [f"import {one.name}" for one in names if one.name.startswith(f"{PACKAGE}.")]
                case ast.ImportFrom(module=str(module), names=names) if module.partition(".")[0] == PACKAGE:
                    below = [one.name for one in names if module != PACKAGE or one.name not in exported]
                    wrong = [f"from {module} import {name}" for name in below]
                case ast.Attribute(value=ast.Name(id=alias), attr=name) if alias in aliases and name not in exported:
                    wrong = [f"{alias}.{name}"]
                case _:
                    wrong = []
            yield from (f"{self.place}: {fault}" for fault in wrong)


def examples() -> list[Program]:
    """Return every program in examples/."""
    paths = sorted((TOP / "examples").rglob("*.py"))
    return [Program(str(path.relative_to(TOP)), path.read_text("utf-8")) for path in paths]


def documented() -> list[Program]:
    """Return every ```python block of README.md, the examples' pages and the documentation."""
    pages = [TOP / "README.md", *sorted(TOP.glob("examples/**/*.md")), *sorted(TOP.glob("docs/**/*.md"))]
    return [program for page in pages for program in blocks(str(page.relative_to(TOP)), page.read_text("utf-8"))]


def blocks(page: str, text: str) -> list[Program]:
    """Return the blocks of one page; indentation of a list or an admonition is taken off."""
    return [
        Program(f"{page}:{text[: found.start()].count(chr(10)) + 1}", _dedented(found[2], found[1]))
        for found in _BLOCK.finditer(text)
    ]


def _dedented(text: str, indent: str) -> str:
    return "\n".join(line.removeprefix(indent) for line in text.splitlines()) + "\n"


def running() -> dict[str, list[Program]]:
    """Return the pages whose first block is a complete program; the blocks of a page go on from one another."""
    pages: dict[str, list[Program]] = {}
    for program in documented():
        pages.setdefault(program.place.partition(":")[0], []).append(program)
    return {page: programs for page, programs in pages.items() if programs[0].is_complete and page not in INTERNAL}
