"""YAML for recipes: names stay as written, and every entry knows its line.

A variable may be called NO or 010. Therefore names of entries are always text, and a value is text unless it is `true`,
`false`, empty or a plain integer. Aliases are refused, because they could make a small file expand enormously; tags,
because they would change what a value is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe_names import name_elements
from constraint_sdc.files.rows_file import header_of

Steps: TypeAlias = Sequence[str | int]


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012  (as its base class declares it)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose a node, or refuse an alias or a tag."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        for what, is_refused in (
            ("aliases", isinstance(event, yaml.AliasEvent)),
            ("tags (!...)", getattr(event, "tag", None) is not None),
        ):
            if is_refused:
                raise yaml.MarkedYAMLError(problem=f"{what} are not allowed in a recipe", problem_mark=event.start_mark)
        return super().compose_node(parent, index)


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?:true|false)\Z"), ["t", "f"])
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"(?:~|null|)\Z"), ["~", "n", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"(?:0|-?[1-9][0-9]*)\Z"), list("-0123456789"))


class RecipeText:
    """A YAML text with its content as plain values (`content`) and the line of every entry."""

    def __init__(self, text: str, path: Path) -> None:
        self.file = str(path)
        try:
            loader = _Loader(text)
            self._root = loader.get_single_node()
            _name_by_text(self._root)
            name_elements(self._root)
            self.content: Any = None if self._root is None else loader.construct_document(self._root)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else None
            raise UsageError(f"not valid YAML: {error.problem or error}", file=self.file, line=line) from None
        except (yaml.YAMLError, ValueError) as error:
            raise UsageError(f"not valid YAML: {error}", file=self.file) from None
        except RecursionError:
            raise UsageError("not a recipe: nested too deeply", file=self.file) from None

    def line(self, path: Steps) -> int | None:
        """Return the line of the entry at this path."""
        return _line_of(self._root, path)

    def mistake(self, what: str, path: Steps = ()) -> UsageError:
        """Return an error that names the line of the entry at this path."""
        hint = f"at {'.'.join(header_of(str(step)) for step in path)}" if path else None
        return UsageError(what, file=self.file, line=_line_of(self._root, path), hint=hint)


def _name_by_text(node: yaml.Node | None) -> None:
    """Make every name of an entry text, and refuse a name that is given twice."""
    for mapping in _mappings(node):
        seen: set[str] = set()
        for key, _ in mapping.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(
                    problem="the name of an entry must be text, not a list or mapping", problem_mark=key.start_mark
                )
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"{key.value!r} is given twice", problem_mark=key.start_mark)
            seen.add(key.value)
            key.tag = "tag:yaml.org,2002:str"


def _mappings(node: yaml.Node | None) -> Iterator[yaml.MappingNode]:
    if isinstance(node, yaml.MappingNode):
        yield node
        for _, value in node.value:
            yield from _mappings(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _mappings(item)


def _line_of(node: yaml.Node | None, path: Steps) -> int | None:
    """Return the line of the entry that the path leads to, as far as it exists."""
    if node is None:
        return None
    if path and isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == path[0]:
                return _line_of(value, path[1:]) if len(path) > 1 else int(key.start_mark.line) + 1
    if path and isinstance(node, yaml.SequenceNode) and isinstance(path[0], int) and path[0] < len(node.value):
        return _line_of(node.value[path[0]], path[1:])
    return int(node.start_mark.line) + 1
