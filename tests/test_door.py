"""The library's door: what it exports, that it costs nothing, and that users need nothing else."""

from __future__ import annotations

import ast
import inspect
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import constraint_sdc as cs
from constraint_sdc.cli import _COMMANDS
from constraint_sdc.library import keywords
from constraint_sdc.library.settle import CONVERSIONS, settle
from constraint_sdc.measures.registry import MEASURES
from tests.census_folder import fill_census_folder
from tests.documented_programs import INTERNAL, TOP, Program, blocks, documented, examples, running
from tests.in_process import run_in_process

EXPORTED = frozenset(cs.__all__)
DOOR = TOP / "constraint_sdc" / "__init__.py"
KEYWORDS: dict[Any, Any] = {
    cs.CheckOptions: keywords.CheckKeywords,
    cs.LintOptions: keywords.LintKeywords,
    cs.DiscoverOptions: keywords.DiscoverKeywords,
    cs.MaskOptions: keywords.MaskKeywords,
    cs.PartitionOptions: keywords.PartitionKeywords,
    cs.AssessOptions: keywords.AssessKeywords,
    cs.ConvertOptions: keywords.ConvertKeywords,
}


# What is exported.


def test_every_promised_name_is_there() -> None:
    for name in cs.__all__:
        assert getattr(cs, name).__name__ == name
    assert set(dir(cs)) >= EXPORTED


def test_type_checkers_see_the_same_names_from_the_same_homes() -> None:
    block = next(node for node in ast.parse(DOOR.read_text("utf-8")).body if isinstance(node, ast.If))
    seen = {
        alias.asname: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen == cs._HOMES


def test_the_docstring_of_the_package_lists_every_name() -> None:
    words = set((cs.__doc__ or "").replace("`", " ").split())
    assert words >= EXPORTED


def subclasses(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for below in kind.__subclasses__():
        yield from subclasses(below)


def test_the_whole_exception_tree_is_exported() -> None:
    ours = {kind.__name__ for kind in subclasses(cs.ConstraintSdcError) if kind.__module__.startswith("constraint_sdc")}
    assert ours <= EXPORTED


def test_every_result_and_option_of_a_verb_is_exported() -> None:
    """What a public function takes or returns can be named by its user."""
    verbs = [getattr(cs, name) for name in cs.__all__ if inspect.isfunction(getattr(cs, name))]
    for verb in verbs:
        hints = get_type_hints(verb)
        ours = [kind for hint in hints.values() for kind in named_classes(hint)]
        assert {kind.__name__ for kind in ours} <= EXPORTED, verb.__name__


def named_classes(hint: Any) -> Iterator[type[Any]]:
    """Yield our own classes in an annotation; keywords stand for the fields of options."""
    if isinstance(hint, type) and hint.__module__.startswith("constraint_sdc") and hint.__name__ not in dir(keywords):
        yield hint
    for part in getattr(hint, "__args__", ()):
        yield from named_classes(part)


VERBS: dict[str, tuple[str, ...]] = {
    "check": ("check_file", "check", "verify_certificate"),
    "plan": ("plan_file",),
    "mask": ("mask_file", "mask"),
    "explain": ("explain_rule", "explain_record", "explain_certified_record"),
    "assess": ("assess_files", "assess"),
    "attack": ("attack_files",),
    "sweep": ("sweep_file", "sweep"),
    "partition": ("partition_file",),
    "rules": ("list_rules", "lint_rules", "discover_rules"),
    "init": ("init_recipe", "init"),
    "describe": ("describe_file", "describe"),
    "convert": ("convert_file",),
    "domain": ("export_domain",),
    "demo": ("run_demo",),
    "exam": ("examine_object",),
    "key": ("new_key",),
    "reproduce": ("reproduce",),
}
"""The functions that do what a command does."""
NO_VERB = {"completion": "it prints a script for a shell, which Python does not run"}


def test_every_command_is_also_a_function() -> None:
    assert {*VERBS, *NO_VERB} == set(_COMMANDS)
    assert not set(VERBS) & set(NO_VERB)
    assert {verb for verbs in VERBS.values() for verb in verbs} <= EXPORTED


def test_an_exam_that_is_failed_is_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(MEASURES["unchanged"]), "measure", lambda *_: None)
    result = cs.examine_object("unchanged", "measure", cases=1)
    assert (result.passed, result.exit_code) == (False, 1)
    assert repr(result).startswith("<ExamResult of measure unchanged (constraint-sdc): failed, ")
    assert cs.render(result).splitlines()[-1] == f"failed: {result.answers[-1].question}"


@pytest.mark.parametrize(("options", "says"), [({"cases": 0}, "cases is 0"), ({"seed": -1}, "seed is -1")])
def test_an_exam_that_cannot_be_held_is_refused(options: dict[str, int], says: str) -> None:
    with pytest.raises(cs.UsageError, match=says):
        cs.examine_object("unchanged", **options)


def test_the_demo_returns_what_its_steps_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command prints the same steps; tests/test_readme.py looks at what it prints."""
    monkeypatch.setattr("constraint_sdc.commands.demo._KS", (3,))
    result = cs.run_demo(tmp_path / "demo", records=100, k=3)
    assert result.is_as_expected
    assert [point.k for point in result.sweep.points] == [3, 3]
    assert all(path.exists() for _, path in result.files)
    assert (result.plan.k, result.masking.plan) == (3, result.plan)
    assert not replace(result, damaged=result.before).is_as_expected
    with pytest.raises(cs.UsageError, match="k is 51"):
        cs.run_demo(tmp_path / "other", k=51)
    assert not (tmp_path / "other").exists()


def test_importing_the_package_costs_nothing() -> None:
    code = "import sys, constraint_sdc; print([name for name in sys.modules if name.startswith('constraint_sdc')])"
    names = ("numpy", "pandas", "narwhals", "lxml", "click", "saxonche", "numba")
    heavy = f"print([name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{heavy}"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['constraint_sdc']", "[]"]


@pytest.mark.parametrize("name", sorted(name for name in cs.__all__ if inspect.isfunction(getattr(cs, name))))
def test_every_verb_has_a_doctest(name: str) -> None:
    assert "\n    >>> " in (getattr(cs, name).__doc__ or "")


# Paths and options.


@pytest.mark.parametrize("options", KEYWORDS)
def test_every_option_is_a_keyword(options: Any) -> None:
    assert {field.name for field in fields(options)} == set(get_type_hints(KEYWORDS[options]))


def test_the_keywords_of_a_sweep_are_its_options_and_those_of_a_masking() -> None:
    own = {field.name for field in fields(cs.SweepOptions)} - {"masking"}
    masking = {field.name for field in fields(cs.MaskOptions)} - {"k", "masker", "judge"}
    assert set(get_type_hints(keywords.SweepKeywords)) == own | masking


@pytest.mark.parametrize("options", [*KEYWORDS, cs.SweepOptions])
def test_every_option_that_is_a_path_is_converted(options: Any) -> None:
    paths = {name for name, hint in get_type_hints(options).items() if "Path" in str(hint)}
    assert paths <= set(CONVERSIONS)


def test_a_text_and_a_path_are_the_same(tmp_path: Path) -> None:
    fill_census_folder(tmp_path)
    with chdir(tmp_path):
        by_text = cs.check_file("census.xml", "census.sch", original="census.xml", allow=["."])
        by_path = cs.check_file(Path("census.xml"), Path("census.sch"), original=Path("census.xml"), allow=[Path()])
        by_object = cs.check_file("census.xml", "census.sch", cs.CheckOptions(original=Path("census.xml")))
    assert by_text == by_path == by_object


_RULES = (
    '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">'
    '<pattern><rule context="{context}"><assert id="a" test="A > 0">told</assert></rule></pattern></schema>'
)


@pytest.mark.parametrize(
    ("given", "key"), [({}, "r1"), ({"key": "Name"}, "Ann"), ({"recipe": None, "key": "Name"}, "Ann")]
)
def test_a_check_names_records_by_the_key_that_is_given_or_else_by_that_of_the_recipe(
    tmp_path: Path, given: dict[str, Any], key: str
) -> None:
    (tmp_path / "data.xml").write_text("<D><R><Id>r1</Id><Name>Ann</Name><A>0</A></R></D>")
    (tmp_path / "rules.sch").write_text(_RULES.format(context="R"))
    recipe = cs.Recipe(record="R", key="Id")
    result = cs.check_file(tmp_path / "data.xml", tmp_path / "rules.sch", **{"recipe": recipe, "record": "R", **given})
    assert [violation.key for violation in result.results[0].violations] == [key]


@pytest.mark.parametrize(("given", "records"), [({"recipe": cs.Recipe(record="H")}, 1), ({"record": "H"}, 1), ({}, 2)])
def test_records_are_the_elements_that_the_recipe_or_the_option_names(
    tmp_path: Path, given: dict[str, Any], records: int
) -> None:
    (tmp_path / "data.xml").write_text("<D><H><A>1</A></H><R><A>1</A></R><R><A>2</A></R></D>")
    (tmp_path / "rules.sch").write_text(_RULES.format(context="H"))
    data = tmp_path / "data.xml"
    assert cs.check_file(data, tmp_path / "rules.sch", **given).records == records
    assert cs.assess_files(data, data, attacks=(), **given).records == records


def test_a_certificate_is_verified_in_the_phase_that_the_checker_chooses(tmp_path: Path) -> None:
    phases = "".join(f'<phase id="{one}"><active pattern="{one}"/></phase>' for one in ("release", "other"))
    patterns = "".join(
        f'<pattern id="{name}"><rule context="R"><assert id="{rule}" test="A >= 0">told</assert></rule></pattern>'
        for name, rule in (("release", "a"), ("other", "b"))
    )
    schema = f'<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">{phases}{patterns}</schema>'
    (tmp_path / "rules.sch").write_text(schema)
    (tmp_path / "data.xml").write_text(f"<D>{''.join(f'<R><A>{n}</A></R>' for n in range(9))}</D>")
    with chdir(tmp_path):
        cs.mask_file("data.xml", "rules.sch", "masked.xml", k=3, partition="mdav", phase="release", undecided="guess")
        certified, other = (cs.verify_certificate("masked.xml", "rules.sch", phase=one) for one in ("release", "other"))
        assert (certified.exit_code, other.exit_code) == (0, 1)
        with pytest.raises(cs.UsageError, match="certified in phase release"):
            cs.verify_certificate("masked.xml", "rules.sch")


@pytest.mark.parametrize("kind", [cs.MaskOptions, cs.AssessOptions, cs.PartitionOptions])
def test_no_recipe_is_the_same_as_none_given(kind: Any) -> None:
    assert settle(kind, None, {"recipe": None}) == kind()


def test_options_with_text_for_paths_are_converted_too() -> None:
    options = settle(cs.MaskOptions, cs.MaskOptions(original="census.xml", allow=["rules"]), {})  # type: ignore[arg-type]
    assert (options.original, options.allow) == (Path("census.xml"), (Path("rules"),))


def test_the_file_of_a_recipe_is_noted(tmp_path: Path) -> None:
    fill_census_folder(tmp_path)
    options = settle(cs.MaskOptions, None, {"recipe": str(tmp_path / "recipe.yml")})
    assert options.recipe_file == tmp_path / "recipe.yml"
    assert options.recipe == cs.read_recipe(tmp_path / "recipe.yml")
    told = settle(cs.MaskOptions, cs.MaskOptions(recipe=str(tmp_path / "recipe.yml")), {})  # type: ignore[arg-type]
    assert (told.recipe_file, told.recipe) == (options.recipe_file, options.recipe)
    assert settle(cs.MaskOptions, cs.MaskOptions(recipe=str(tmp_path / "recipe.yml")), {}) == options  # type: ignore[arg-type]


def test_options_and_keywords_together_are_refused() -> None:
    with pytest.raises(cs.UsageError, match="'seed' is given beside an object of options"):
        cs.mask_file("a.xml", None, "b.xml", cs.MaskOptions(k=5), seed=1)


def test_options_of_another_verb_are_refused() -> None:
    with pytest.raises(cs.UsageError, match="the options are CheckOptions"):
        cs.plan_file("a.xml", None, cs.CheckOptions())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        (cs.mask_file, ("a.xml", None, "b.xml")),
        (cs.plan_file, ("a.xml", "a.sch")),
        (cs.sweep_file, ("a.xml", "a.sch")),
        (cs.partition_file, ("a.xml",)),
        (cs.explain_record, ("a.xml", "a.sch", 1)),
    ],
)
def test_an_unknown_option_is_refused_with_the_nearest(verb: Any, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(cs.UsageError, match=r"there is no option 'sed' \(did you mean 'seed'"):
        verb(*arguments, sed=1)


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [(cs.assess_files, ("a.xml", "b.xml")), (cs.attack_files, ("a.xml", "b.xml", "transparency"))],
)
def test_an_unknown_option_of_a_measure_is_refused(verb: Any, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(cs.UsageError, match=r"there is no option 'knwon' \(did you mean 'known'"):
        verb(*arguments, knwon=["V1"])


def test_one_text_for_several_names_is_refused() -> None:
    with pytest.raises(cs.UsageError, match="give a list of names"):
        cs.assess_files("a.xml", "b.xml", known="V1")


def test_a_sweep_without_group_sizes_is_refused() -> None:
    with pytest.raises(cs.UsageError, match="no group sizes"):
        cs.sweep_file("a.xml")


def test_an_output_never_replaces_an_input(tmp_path: Path) -> None:
    fill_census_folder(tmp_path)
    data, rules = tmp_path / "census.xml", tmp_path / "census.sch"
    before = data.read_bytes()
    with pytest.raises(cs.UsageError, match="overwrite an input"):
        cs.mask_file(data, rules, data, k=5, overwrite=True)
    with pytest.raises(cs.UsageError, match="overwrite an input"):
        cs.export_domain(data, ["V1"], data, overwrite=True)
    assert data.read_bytes() == before


def test_a_parameter_of_another_attack_is_refused() -> None:
    with pytest.raises(cs.UsageError, match=r"share has no meaning here \(it belongs to single-ranking"):
        cs.attack_files("a.xml", "b.xml", "transparency", share=0.1)
    with pytest.raises(cs.UsageError, match="no attack is called 'lucky'"):
        cs.attack_files("a.xml", "b.xml", "lucky")


# Users need nothing else: examples and documentation.


@pytest.mark.parametrize("program", [*examples(), *documented()], ids=lambda program: program.place)
def test_no_program_that_users_read_imports_anything_internal(program: Program) -> None:
    if program.place.partition(":")[0] not in INTERNAL:
        assert list(program.faults(EXPORTED)) == []


def test_a_program_that_imports_something_internal_would_be_noticed() -> None:
    text = (
        "import constraint_sdc as cs\nimport constraint_sdc.cli\nfrom constraint_sdc import Judge, check_file\n"
        "from constraint_sdc.judge.judge import Judge\ncs.mask_file\ncs.masks\n"
    )
    assert [fault.partition(": ")[2] for fault in Program("page", text).faults(EXPORTED)] == [
        "import constraint_sdc.cli",
        "from constraint_sdc import Judge",
        "from constraint_sdc.judge.judge import Judge",
        "cs.masks",
    ]


def test_blocks_are_found_with_their_lines() -> None:
    text = "a\n\n```python\nx = 1\n```\n\n- b\n\n    ```python\n    import constraint_sdc\n    ```\n"
    assert blocks("page", text) == [Program("page:3", "x = 1\n"), Program("page:9", "import constraint_sdc\n")]
    assert [block.is_complete for block in blocks("page", text)] == [False, True]


@pytest.mark.parametrize("page", sorted(running()))
def test_the_programs_of_a_page_run(page: str, tmp_path: Path) -> None:
    text = "\n".join(program.text for program in running()[page])
    fill_census_folder(tmp_path)
    cs.convert_file(tmp_path / "census.xml", tmp_path / "census.csv")
    fill_like_a_checkout(tmp_path, text)
    program = compile(text, page, "exec")
    code, _, told = run_in_process(lambda: exec(program, {"__name__": "__main__"}), ["-c"], tmp_path)
    assert code == 0, told


def fill_like_a_checkout(folder: Path, text: str) -> None:
    """Copy examples and rules, and generate the data of the examples that the program reads."""
    for name in ("examples", "rules"):
        shutil.copytree(TOP / name, folder / name)
    for name in sorted(set(re.findall("build/examples/([a-z-]+)/", text))):
        script = f"examples/{name}/generate.py"
        run_in_process(partial(runpy.run_path, script, run_name="__main__"), [script], folder)


# Type checkers: `make types` checks tests/user_program.py.


def test_the_program_of_a_user_is_type_checked_and_its_mistakes_are_marked() -> None:
    settings = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert settings["strict"]  # a mark without a mistake is an error
    assert "tests/user_program.py" in settings["files"]
    mistaken = (TOP / "tests" / "user_program.py").read_text("utf-8").partition("def mistaken")[2].splitlines()[1:]
    assert len(mistaken) == 5
    assert [line for line in mistaken if not re.search(r"\)  # type: ignore\[[a-z-]+\]$", line)] == []
