"""Names of variables in a recipe: the header of a column, as a table has it, becomes the name of its element.

Names are exchanged in the YAML text itself, before anything reads it, so that every entry keeps its line.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from constraint_sdc.evaluate.condition import cut
from constraint_sdc.files.rows_file import element_name

_KEYS = ("variables.", "missing.", "mask.alpha.")
"""Entries whose own entries are called like variables."""
_NAMES = (
    "key",
    "weights",
    "groups.[].[]",
    "mask.given.[]",
    "mask.goals.[].parameter",
    "mask.influential.[].variable",
    "assess.known.[]",
    "assess.weights",
    "protect.key.variables.[]",
    "protect.diversity.of",
    "protect.diversity.[].of",
    "protect.closeness.of",
    "protect.closeness.[].of",
    "protect.linkage.known.[]",
)
"""Values that name a variable."""
_CONDITIONS = (
    "assess.subdomains.[]",
    "assess.regressions.[]",
    "mask.goals.[].vital",
    "mask.goals.[].base",
    "mask.goals.[].against.vital",
    "mask.goals.[].against.base",
)
"""Values that are conditions or regressions, in which a name may stand in backquotes."""


def name_elements(root: yaml.Node | None) -> None:
    """Exchange every header of a column by the name of its element; two entries about one variable are refused."""
    if root is None:
        return
    for place in _KEYS:
        for mapping in _found(root, place.removesuffix(".")):
            if isinstance(mapping, yaml.MappingNode):
                _name_entries(mapping)
    for place in _NAMES:
        for value in _found(root, place):
            if _is_text(value) and value.value:
                value.value = element_name(value.value)
    for place in _CONDITIONS:
        for value in _found(root, place):
            if _is_text(value):
                value.value = _with_elements(value.value)


def _is_text(node: yaml.Node) -> bool:
    """Tell whether a value is text: a number, such as 2024 without quotes, is for the schema to refuse."""
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:str"


def _found(node: yaml.Node, place: str) -> Iterator[yaml.Node]:
    """Yield every node at a place such as `groups.[].[]`."""
    step, _, rest = place.partition(".")
    inner: list[yaml.Node] = []
    if step == "[]" and isinstance(node, yaml.SequenceNode):
        inner = node.value
    elif isinstance(node, yaml.MappingNode):
        inner = [value for key, value in node.value if isinstance(key, yaml.ScalarNode) and key.value == step]
    for one in inner:
        if rest:
            yield from _found(one, rest)
        else:
            yield one


def _name_entries(mapping: yaml.MappingNode) -> None:
    written: dict[str, str] = {}
    for key, _ in mapping.value:
        if not key.value:
            continue
        name = element_name(key.value)
        if name in written:
            problem = f"{written[name]!r} and {key.value!r} are the same variable"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
        written[name] = key.value
        key.value = name


def _with_elements(condition: str) -> str:
    """Return a condition with the names of elements in its backquotes; one that is no condition as it is.

    >>> _with_elements("`Total income` >= 5")
    '`Total_x0020_income` >= 5'
    """
    try:
        words = cut(condition)
    except ValueError:
        return condition
    for word in reversed(words):
        if word.is_quoted:
            start = word.column - 1
            stop = start + len(word.text.replace("`", "``")) + 2
            condition = f"{condition[:start]}`{element_name(word.text)}`{condition[stop:]}"
    return condition
