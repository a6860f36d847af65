"""YAML whose values know their place, as JSON does: what one can say the other can."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

import yaml

from constraint_sdc.languages.placed_json import JsonContent, PlacedJson
from constraint_sdc.languages.rule_book import Place, UntranslatedPartError
from constraint_sdc.limits import NUMBER_EXPONENT, RULE_NESTING, RULE_PARTS

_TAG = "tag:yaml.org,2002:"
_TEXTS = ("str", "timestamp")
_MOST_NODES = 10 * RULE_PARTS


def read_yaml(text: str) -> PlacedJson:
    """Return the value that a YAML text is; raises UntranslatedPartError with line and column."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = Place(mark.line + 1, mark.column + 1) if mark else Place(1)
        raise UntranslatedPartError(
            f"not YAML: {error.problem or error}", place, "write entries 'name: value'"
        ) from None
    except (yaml.YAMLError, ValueError) as error:
        raise UntranslatedPartError(f"not YAML: {error}", Place(1), "write entries 'name: value'") from None
    if root is None:
        raise UntranslatedPartError("the file is empty", Place(1), "write entries 'name: value'")
    return _placed(root, "", 0, [0])


def _placed(node: yaml.Node, pointer: str, depth: int, visits: list[int]) -> PlacedJson:
    place = Place(node.start_mark.line + 1, node.start_mark.column + 1)
    visits[0] += 1
    if depth > RULE_NESTING or visits[0] > _MOST_NODES:
        raise UntranslatedPartError(f"{pointer or '/'}: nested too deeply, or too large", place, "divide the file")
    match node:
        case yaml.MappingNode():
            return PlacedJson(_entries(node, pointer, depth, visits), place, pointer)
        case yaml.SequenceNode():
            items = [_placed(one, f"{pointer}/{at}", depth + 1, visits) for at, one in enumerate(node.value)]
            return PlacedJson(items, place, pointer)
        case _:
            return PlacedJson(_scalar(node, place, pointer), place, pointer)


def _entries(node: yaml.MappingNode, pointer: str, depth: int, visits: list[int]) -> dict[str, PlacedJson]:
    found: dict[str, PlacedJson] = {}
    for key, value in node.value:
        place = Place(key.start_mark.line + 1, key.start_mark.column + 1)
        if not isinstance(key, yaml.ScalarNode):
            raise UntranslatedPartError(f"{pointer or '/'}: a name that is no text", place, "write one word")
        name = str(key.value)
        if name in found:
            raise UntranslatedPartError(f"{pointer or '/'}: {name!r} is given twice", place, "remove one of them")
        step = name.replace("~", "~0").replace("/", "~1")
        found[name] = _placed(value, f"{pointer}/{step}", depth + 1, visits)
    return found


def _scalar(node: yaml.Node, place: Place, pointer: str) -> JsonContent:
    text, kind = str(node.value), node.tag.removeprefix(_TAG)
    match kind:
        case "null":
            return None
        case "bool":
            return text.lower() in ("true", "yes", "on")
        case "int" | "float":
            return _number(text, place, pointer)
        case _ if kind in _TEXTS:
            return text
        case _:
            what = f"{pointer or '/'}: a value of the kind {node.tag}"
            raise UntranslatedPartError(what, place, "write a text, a number, true, false or null")


def _number(text: str, place: Place, pointer: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    is_measured = number.is_finite() and len(text) <= NUMBER_EXPONENT and abs(number.adjusted()) <= NUMBER_EXPONENT
    if not is_measured and number != 0:
        what = f"{pointer or '/'}: {text} is no plain number"
        raise UntranslatedPartError(what, place, f"write a decimal number of at most {NUMBER_EXPONENT} digits")
    return number
