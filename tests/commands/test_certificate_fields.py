"""Every field of a certificate is refuted when it is changed, or named as stated; a new field must be in the table."""

from __future__ import annotations

import functools
import json
import marshal
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from constraint_sdc.commands.certificate import again, computed, mirror, verify
from constraint_sdc.commands.certificate.again import Repetition, certificate_differences
from constraint_sdc.commands.certificate.basis import row_of, unknown_fields
from constraint_sdc.commands.certificate.certificate import certificate_path, read_certificate
from constraint_sdc.commands.certificate.leaves import LeafPath, leaves, pattern_of, shown_path
from constraint_sdc.commands.certificate.mirror import require_readable
from constraint_sdc.commands.certificate.verify import check_certificate
from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.data.table import Table
from constraint_sdc.errors import ConstraintSdcError
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.files.recipe import load_recipe, recipe_from_json
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.maskers.group_anonymity import swap_task
from constraint_sdc.maskers.group_anonymity.swap_task import SwapTask
from constraint_sdc.maskers.masked import CertificateCheck, MaskOptions
from constraint_sdc.maskers.registry import MASKERS
from constraint_sdc.plan.plan import Plan
from constraint_sdc.settings.recipe import Recipe
from tests.matrix.inputs import prepare
from tests.matrix.running import quick_judge

ALWAYS_STATED = {"versions", "inputs[].file", "output.file", "options.record", "options.original", "options.allow_idle"}
"""Names, what was allowed to be idle, and versions: all that the original and the recipe do not confirm."""

CASES = {
    "rules broken before": ("broken firms", "firms.xml", "firms.sch", None, {"k": 4, "on_broken": "keep"}),
    "no rules": ("firms", "firms.xml", None, None, {"k": 4, "partition": "mdav"}),
    "totals": ("firms", "firms.xml", "firms.sch", None, {"k": 3, "partition": "mdav", "totals": "auto"}),
    "a removed identifier": ("example:survey", "persons.csv", "persons.txt", "recipe.yml", {}),
    "categories": ("example:categorical", "people.csv", "people.yml", "recipe.yml", {}),
    "microhybrid": ("example:microhybrid", "enterprises.parquet", "enterprises.R", "recipe.yml", {}),
    "fuzzy-c-means": ("example:fuzzy-c-means", "households.csv", "households.txt", "recipe.yml", {}),
    "group-anonymity": ("example:group-anonymity", "people.csv", "people.txt", "recipe.yml", {}),
}


@dataclass(frozen=True)
class Published:
    """A masked file, its verdict, its certificate, and the certificate of the same masking done again."""

    masked: Path
    data: Path
    rules: Path
    recipe: Path | None
    content: dict[str, Any]
    again: dict[str, Any]
    result: CheckResult

    def verify(self, content: dict[str, Any], has_original: bool) -> CertificateCheck:
        return check_certificate(
            content,
            self.masked,
            self.rules,
            self.result,
            recipe=self.recipe if has_original else None,
            again=(lambda stated: list(certificate_differences(stated, self.again))) if has_original else None,
        )


def kept(resolve: Callable[..., SwapTask]) -> Callable[..., SwapTask]:
    """Return the function with its answers kept, for the same table and equal goals, influential variables, recipes."""
    known: dict[tuple[int, bytes], tuple[Table, SwapTask]] = {}

    def resolved(goals: Any, influential: Any, table: Table, recipe: Recipe) -> SwapTask:
        key = id(table), pickle.dumps((goals, influential, recipe))
        if key not in known:
            known[key] = table, resolve(goals, influential, table, recipe)  # the table is kept, so its id is its own
        return known[key][1]

    return resolved


def kept_plans(read: Callable[[Mapping[str, Any]], Plan]) -> Callable[[Mapping[str, Any]], Plan]:
    """Return the function with its answers kept: half of the changes leave the plan as it is.

    The bytes tell numbers apart that are equal, as 1, 1.0 and true are; without references, which version 3 brings,
    they depend on the content alone.
    """
    known: dict[bytes, Plan] = {}

    def of(content: Mapping[str, Any]) -> Plan:
        key = marshal.dumps(content, 2)
        if key not in known:
            known[key] = read(marshal.loads(key))  # of its own: the certificate goes on changing
        return known[key]

    return of


def kept_by_object(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the function with its answers kept for the same object: a plan, which is frozen, or what is kept of it."""
    known: dict[int, tuple[Any, Any]] = {}

    def of(given: Any) -> Any:
        if id(given) not in known:
            known[id(given)] = given, function(given)  # the object is kept, so its id is its own
        return known[id(given)][1]

    return of


@pytest.fixture(scope="module", params=CASES, ids=list(CASES))
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Published]:
    given, data, rules, recipe, options = CASES[request.param]
    folder = tmp_path_factory.mktemp("published")
    prepare(given, folder)
    if recipe is not None:
        content, digest = load_recipe(folder / recipe)
        options = {**options, "recipe": content, "recipe_file": folder / recipe, "recipe_sha256": digest}
    with quick_judge(), pytest.MonkeyPatch.context() as patch:
        # The file and the rules stay the same all the time: what is read of them is kept.
        for module, name in (
            *((verify, name) for name in ("_counted", "file_digest", "load_rules", "read_dataset")),
            (again, "load_recipe"),
            (computed, "_understood"),
        ):
            patch.setattr(module, name, functools.cache(getattr(module, name)))
        patch.setattr(swap_task, "resolve_goals", kept(swap_task.resolve_goals))
        plans = kept_plans(mirror.plan_from_json)
        for module in (mirror, verify):
            patch.setattr(module, "plan_from_json", plans)
        for name in ("plan_digest", "plan_to_json", "with_sentences"):
            patch.setattr(mirror, name, kept_by_object(getattr(mirror, name)))
        masked = (folder / "masked").with_suffix((folder / data).suffix)
        mask_file(folder / data, None if rules is None else folder / rules, masked, MaskOptions(**options))
        judge = folder / (rules or "firms.sch")
        stated = read_certificate(certificate_path(masked))
        repetition = Repetition(folder / data, None if rules is None else judge, certificate_path(masked))
        with repetition.masked_again(stated) as (file, found), pytest.MonkeyPatch.context() as once:
            assert file.read_bytes() == masked.read_bytes()
            # The comparison takes this masking instead of a third one.
            once.setattr(Repetition, "masked_again", lambda *_: nullcontext((file, found)))
            assert list(repetition(stated)) == []
        missing = recipe_from_json(stated["recipe"]).missing
        check = CheckOptions(original=folder / data, phase=stated["options"]["phase"], missing_codes=missing)
        result = check_file(masked, judge, check)
        yield Published(
            masked, folder / data, judge, None if recipe is None else folder / recipe, stated, found, result
        )


def test_the_schema_says_nothing_of_two_parts_together() -> None:
    """`has_shape` asks for each part alone."""
    silent, said = {"$schema", "$id", "title", "description", "$defs"}, {"type", "required", "properties"}
    assert SCHEMA.keys() - silent - said == {"additionalProperties"}
    assert (SCHEMA["type"], SCHEMA["additionalProperties"]) == ("object", False)


def test_every_masker_has_a_case() -> None:
    named = {case[4].get("masker", "microaggregation") for case in CASES.values()} | set(CASES)
    assert set(MASKERS.names) <= named


def test_every_field_is_in_the_table(published: Published) -> None:
    assert list(unknown_fields(published.content)) == []


def test_every_count_of_a_rule_is_in_the_table() -> None:
    """No case has all of them: records leave a context or come into it only if it reads masked values."""
    schema = json.loads(shipped_file("schemas", "certificate.schema.json").read_text("utf-8"))
    counts = schema["$defs"]["rule"]["properties"].keys() - {"missing"}
    assert "no_longer_applies" in counts
    assert [name for name in sorted(counts) if row_of(f"rules[].{name}") is None] == []


def test_a_new_field_would_be_missed(published: Published) -> None:
    content = deepcopy(published.content)
    content["output"]["colour"] = "red"
    assert list(unknown_fields(content)) == ["output.colour"]
    assert published.verify(content, has_original=False).mismatches


def test_a_true_certificate_is_confirmed(published: Published) -> None:
    found = published.verify(published.content, has_original=False)
    assert found.mismatches == ()
    assert {"options.seed", "blocks[].loss", "inputs[data].sha256"} <= set(found.stated)
    found = published.verify(published.content, has_original=True)
    assert found.mismatches == ()
    assert set(found.stated) == ALWAYS_STATED


# Changes of one value.

Change = Callable[[Any], Any]


def _another_digit(text: str) -> str:
    return ("1" if text[:1] == "0" else "0") + text[1:]


OTHER_WORDS = {"error": ("warning",), "warning": ("error",)}
"""What the schema takes in place of a severity; it refuses the other changes of one."""


def changes(value: object) -> Iterator[Any]:
    """Yield other values, likely ones and unlikely ones."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, 0 if value else 7, value + 0.5, str(value))
        case float():
            yield from (value * 1.01 + 0.01, value + 1e-7, -value - 1, None)
        case str():
            yield from (value + "x", _another_digit(value), "", value.upper() + "!")
            yield from OTHER_WORDS.get(value, ())
        case None:
            yield from ("mdav", 0)
        case list() | dict():
            yield from (["x"], {"x": 1}, None)


def _parent(content: Any, path: LeafPath) -> Any:
    for step in path[:-1]:
        content = content[step]
    return content


PLACES = 4
"""In how many places of a kind a value is changed: the first, the last, and two between."""


def chosen(places: list[LeafPath]) -> list[LeafPath]:
    """Return which of the fields of a kind are changed, each once."""
    last = len(places) - 1
    return list(dict.fromkeys(places[step * last // (PLACES - 1)] for step in range(PLACES)))


def shared_out(places: list[LeafPath], values: Mapping[LeafPath, Any], turn: int) -> Iterator[tuple[LeafPath, Any]]:
    """Yield places with other values, so that every place is changed, and every way of a type is tried at one of them.

    What looks at fields knows their kind, not their place.
    """
    by_type: dict[type, list[LeafPath]] = {}
    for path in places:
        by_type.setdefault(type(values[path]), []).append(path)
    for alike in by_type.values():
        ways = max(len(list(changes(values[path]))) for path in alike)
        for number in range(max(len(alike), ways)):
            path = alike[number % len(alike)]
            others = list(changes(values[path]))
            yield path, others[(turn + number) % len(others)]


def tampered(content: dict[str, Any]) -> Iterator[tuple[LeafPath, str, dict[str, Any]]]:
    """Yield the certificate with one change each: every kind of field in every way, at some of its places."""
    kinds: dict[str, list[LeafPath]] = {}
    values = dict(leaves(content))
    for path in values:
        kinds.setdefault(pattern_of(path, content), []).append(path)
    for turn, places in enumerate(kinds.values()):
        for path, other in shared_out(chosen(places), values, turn):
            parent = _parent(content, path)
            parent[path[-1]] = other
            yield path, f"{values[path]!r} became {other!r}", content
            parent[path[-1]] = values[path]
        yield from _without(content, places[0])
    yield from _with_more(content)


def _without(content: dict[str, Any], path: LeafPath) -> Iterator[tuple[LeafPath, str, dict[str, Any]]]:
    parent = _parent(content, path)
    kept = parent.copy()
    del parent[path[-1]]
    yield path, "was removed", content
    parent.clear()  # and every entry back in its place
    parent.extend(kept) if isinstance(parent, list) else parent.update(kept)


def _with_more(content: dict[str, Any]) -> Iterator[tuple[LeafPath, str, dict[str, Any]]]:
    """Yield the certificate with a further key in every mapping and a further item in every list, one of a kind."""
    seen: set[str] = set()
    for path, _ in list(leaves(content)):
        for length in range(len(path)):
            kind = shown_path(tuple("*" if isinstance(step, int) else step for step in path[:length]))
            if kind in seen:
                continue
            seen.add(kind)
            inner = _parent(content, (*path[:length], ""))
            if isinstance(inner, dict):
                inner["colour"] = 1
                yield (*path[:length], "colour"), "was added", content
                del inner["colour"]
            else:
                inner.append(deepcopy(inner[-1]))
                yield (*path[:length], len(inner) - 1), "was doubled", content
                inner.pop()


def _schemas() -> tuple[dict[str, Any], dict[str, jsonschema.Draft202012Validator]]:
    """Return the schema of a certificate, and a validator of each part."""
    from referencing import Registry, Resource

    schemas = [
        json.loads(shipped_file("schemas", f"{part}.schema.json").read_text("utf-8"))
        for part in ("certificate", "plan", "recipe")
    ]
    registry: Registry[Any] = Registry().with_resources((one["$id"], Resource.from_contents(one)) for one in schemas)
    whole = schemas[0]
    parts = {
        name: jsonschema.Draft202012Validator({"$ref": f"{whole['$id']}#/properties/{name}"}, registry=registry)
        for name in whole["properties"]
    }
    return whole, parts


SCHEMA, PARTS = _schemas()


@functools.lru_cache(64)
def _part_has_shape(name: str, pickled: bytes) -> bool:
    """Tell whether a part follows its schema; a change leaves most parts as they are."""
    return PARTS[name].is_valid(pickle.loads(pickled))


def is_unreadable(content: dict[str, Any]) -> bool:
    """Tell whether reading a certificate refuses it, though it follows its schema."""
    try:
        require_readable(content)
    except ConstraintSdcError:
        return True
    return False


def has_shape(content: dict[str, Any]) -> bool:
    """Tell whether a certificate follows its schema, which says nothing of two parts together."""
    has_all_parts = set(SCHEMA["required"]) <= content.keys() <= PARTS.keys()
    return has_all_parts and all(_part_has_shape(name, pickle.dumps(part)) for name, part in content.items())


def found_in(published: Published, content: dict[str, Any], has_original: bool) -> tuple[bool, frozenset[str]]:
    """Tell whether a certificate is refuted or refused, its schema apart, and what of it is named as stated."""
    try:
        found = published.verify(content, has_original)
    except ConstraintSdcError:
        return True, frozenset()
    except Exception:
        # What has not the shape of a certificate, or means nothing, is refused before anything looks at it.
        assert is_unreadable(content) or not has_shape(content)
        return True, frozenset()
    return bool(found.mismatches), frozenset(found.stated)


@pytest.mark.slow
def test_every_changed_field_is_refuted_or_named_as_stated(published: Published) -> None:
    """What is refuted without the original is refuted with it too: the original adds statements and takes none away.

    A certificate that does not follow its schema is refused before it is compared. The schema is asked last, only where
    nothing else refuses, because it takes longest.
    """
    passed: list[str] = []
    count = 0
    has_totals = "totals" in published.content["plan"]
    changed = deepcopy(published.content)
    for path, what, content in tampered(changed):
        count += 1
        if has_totals and "totals" not in path:
            continue  # the other cases have changed all other fields
        refused, stated = found_in(published, content, has_original=False)
        if refused:
            continue
        name, _ = row_of(pattern_of(path, content)) or ("unknown", None)
        if name not in stated and has_shape(content):
            passed.append(f"{shown_path(path)}: {what}, without the original")
        refused, stated = found_in(published, content, has_original=True)
        if not refused and name not in ({*ALWAYS_STATED, "sentences"} & stated) and has_shape(content):
            passed.append(f"{shown_path(path)}: {what}, with the original")
    assert json.dumps(changed) == json.dumps(published.content), "every change must be taken back"
    assert count > 300
    assert passed == []
