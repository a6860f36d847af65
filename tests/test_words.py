"""One word, one thing: no class and no type alias of the package has two meanings."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "constraint_sdc"


def defined_types(text: str) -> Iterator[str]:
    """Return the names of all classes and module-level type aliases, without leading underscores."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name.lstrip("_")
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            yield ast.unparse(node.target).lstrip("_")
        elif isinstance(node, ast.Assign) and "NDArray" in ast.unparse(node.value):
            yield from (ast.unparse(target).lstrip("_") for target in node.targets)


def homes_of_types() -> dict[str, list[str]]:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in defined_types(path.read_text("utf-8")):
            homes[name].append(str(path.relative_to(PACKAGE)))
    return homes


def test_no_class_or_alias_is_defined_twice() -> None:
    assert {name: homes for name, homes in homes_of_types().items() if len(homes) > 1} == {}


def test_array_types_have_one_home() -> None:
    outside = [
        f"{path.relative_to(PACKAGE)}: {line}"
        for path in PACKAGE.rglob("*.py")
        if path.name != "arrays.py"
        for line in path.read_text("utf-8").splitlines()
        if not line.startswith((" ", "#")) and "= npt.NDArray[" in line
    ]
    assert outside == []


def test_a_second_meaning_would_be_noticed() -> None:
    text = "class _Place: ...\nMask = npt.NDArray[bool]\nKind: TypeAlias = int\ndef f():\n    class Inner: ...\n"
    assert sorted(defined_types(text)) == ["Inner", "Kind", "Mask", "Place"]
