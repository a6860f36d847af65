"""The workflows, the CI examples, the hook and the documentation use commands and options that exist."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from constraint_sdc.cli import program
from constraint_sdc.reports.check.render import FORMATS

TOP = Path(__file__).parents[2]
WORKFLOW = TOP / "examples/ci/github-actions.yml"
HOOKS = TOP / ".pre-commit-hooks.yaml"
HOOK_CONFIG = TOP / "examples/ci/pre-commit-config.yaml"
DOCS = TOP / "docs/reports.md"
OURS = sorted((TOP / ".github/workflows").glob("*.yml"))


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = load(WORKFLOW)["jobs"]["check"]["steps"]
    return found


def parsed(command_line: str) -> dict[str, Any]:
    """Parse a command line as the program would, without running it."""
    name, verb, *arguments = shlex.split(command_line)
    assert name == "constraint-sdc"
    command = program.get_command(click.Context(program), verb)
    assert command is not None, f"no such command: {verb}"
    return dict(command.make_context(verb, arguments).params)


def documented() -> list[str]:
    found = re.findall(r"(?:^|script: |run: )(constraint-sdc .*)$", DOCS.read_text("utf-8"), flags=re.MULTILINE)
    return [line.split("|")[0].strip() for line in found]


def test_a_wrong_option_would_be_noticed() -> None:
    with pytest.raises(click.UsageError):
        parsed("constraint-sdc check a.xml --rules a.sch --no-such-option")


def test_the_workflow_gates_with_a_command_that_exists() -> None:
    (gate,) = [step["run"] for step in steps() if step.get("run", "").startswith("constraint-sdc")]
    params = parsed(gate)
    assert params["format_"] == "sarif"
    assert (str(params["data"][0]), str(params["rules"]), str(params["domain"])) == (
        "published.xml", "rules.sch", "domain.xml",
    )  # fmt: skip


def test_the_workflow_installs_from_the_checkout_that_it_makes() -> None:
    checkout = next(step["with"] for step in steps() if "constraint-sdc" in step.get("with", {}).get("repository", ""))
    install = next(step["run"] for step in steps() if "pip install" in step.get("run", ""))
    assert f"./{checkout['path']}" in shlex.split(install)
    assert (TOP / "constraints.txt").is_file()


def test_the_workflow_uploads_the_report_it_wrote_even_after_a_failed_gate() -> None:
    upload = steps()[-1]
    (gate,) = [step for step in steps() if step.get("run", "").startswith("constraint-sdc")]
    assert str(parsed(gate["run"])["output"]) == upload["with"]["sarif_file"]
    assert "!cancelled()" in upload["if"]
    assert "continue-on-error" not in gate
    assert load(WORKFLOW)["permissions"]["security-events"] == "write"


def test_the_hook_is_what_pre_commit_expects() -> None:
    (hook,) = load(HOOKS)
    assert hook["id"] == "constraint-sdc-check"
    assert (hook["language"], hook["entry"]) == ("python", "constraint-sdc check")
    assert hook["types"] == ["xml"]
    assert hook["pass_filenames"] is True


def test_the_hook_as_configured_makes_a_command_that_exists() -> None:
    (hook,) = load(HOOKS)
    (repository,) = load(HOOK_CONFIG)["repos"]
    (used,) = repository["hooks"]
    assert used["id"] == hook["id"]
    assert re.search(used["files"], "published.xml")
    params = parsed(shlex.join([*shlex.split(hook["entry"]), *used["args"], "published.xml"]))
    assert ([str(path) for path in params["data"]], str(params["rules"])) == (["published.xml"], "rules.sch")


def test_the_examples_name_the_newest_version() -> None:
    changelog = (TOP / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (\d+\.\d+\.\d+)", changelog, flags=re.MULTILINE)
    assert newest is not None
    (repository,) = load(HOOK_CONFIG)["repos"]
    checkout = next(step["with"] for step in steps() if "constraint-sdc" in step.get("with", {}).get("repository", ""))
    assert repository["rev"] == checkout["ref"] == f"v{newest[1]}"


def jobs(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = load(path)["jobs"]
    return found


def commands_of(path: Path) -> list[str]:
    """Return every command line that a workflow of ours runs."""
    runs = [step["run"] for job in jobs(path).values() for step in job.get("steps", ()) if "run" in step]
    return [line.strip() for run in runs for line in run.splitlines()]


def test_our_workflows_are_there() -> None:
    assert [path.name for path in OURS] == ["release.yml", "test.yml"]


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_a_workflow_of_ours_is_complete(path: Path) -> None:
    said = load(path)
    assert said["permissions"] == {"contents": "read"}, "nothing may write unless a job says so"
    assert True in said, "YAML 1.1 reads the key `on` as true"
    for name, job in jobs(path).items():
        assert ("uses" in job) != ("steps" in job), name
        assert set(job.get("needs", "").split()) <= set(jobs(path)), name
        for step in job.get("steps", ()):
            assert ("uses" in step) != ("run" in step), step


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_a_workflow_of_ours_runs_commands_that_exist(path: Path) -> None:
    targets = re.findall(r"^([a-z]+):", (TOP / "Makefile").read_text("utf-8"), flags=re.MULTILINE)
    said = commands_of(path)
    assert [line for line in said if line.startswith("make ") and line.split()[1] not in targets] == []
    for line in said:
        if line.startswith("constraint-sdc ") and "--version" not in line:
            parsed(line)


def test_the_matrix_has_every_python_that_the_package_names() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    named = [text.rpartition(" ")[2] for text in project["classifiers"] if ":: Python :: 3." in text]
    matrix = jobs(TOP / ".github/workflows/test.yml")["test"]["strategy"]["matrix"]
    assert matrix["python"] == named
    assert {system.partition("-")[0] for system in matrix["os"]} == {"ubuntu", "macos"}


def test_a_release_is_tried_before_it_is_published() -> None:
    release = jobs(TOP / ".github/workflows/release.yml")
    assert [release[name]["needs"] for name in ("build", "try", "publish")] == ["test", "build", "try"]
    assert "checkout" not in str(release["try"]), "the wheel must bring everything it needs"
    assert release["publish"]["permissions"] == {"id-token": "write"}


@pytest.mark.parametrize("line", documented())
def test_documented_commands_exist(line: str) -> None:
    parsed(line)


def test_the_documentation_shows_commands_in_every_kind_of_place() -> None:
    assert len(documented()) >= 4


def test_every_format_is_documented() -> None:
    for name in FORMATS.own_names:
        assert f"`{name}`" in DOCS.read_text("utf-8")
        assert f"\n## {name}\n" in DOCS.read_text("utf-8")
