"""The matrix leaves out no command, option or choice of the command line, and no exit code."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping

import click
import pytest

from constraint_sdc.cli import program
from tests.matrix.case import load_cases
from tests.matrix.recording import recorded
from tests.matrix.running import EDITS

Commands = Mapping[str, click.Command]

CLUSTER = frozenset(("--scheduler", "--tls-ca", "--tls-cert", "--tls-key"))
"""Options that need a running scheduler, which no case has; tests/engines/test_cluster.py uses each of them."""


def commands_of(group: click.Group, prefix: str = "") -> dict[str, click.Command]:
    """Return the commands by the words that call them; those of a subgroup have two."""
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found |= commands_of(command, f"{prefix}{name} ")
        else:
            found[f"{prefix}{name}"] = command
    return found


def called(commands: Commands, words: list[str]) -> str | None:
    """Return the command that a line calls, if there is one."""
    names = (" ".join(words[:2]), words[0], f"{words[0]} list")  # `rules RULES` is short for `rules list RULES`
    return next((name for name in names if name in commands), None)


def wanted(name: str, command: click.Command) -> Iterator[str]:
    """Yield the command, its options, and every choice of an option or argument."""
    yield name
    for parameter in command.params:
        spelled = max(parameter.opts, key=len)
        if isinstance(parameter, click.Option) and spelled not in CLUSTER:
            yield f"{name} {spelled}"
        if isinstance(parameter.type, click.Choice):
            yield from (f"{name} {spelled} {choice}" for choice in parameter.type.choices)


def seen(name: str, command: click.Command, words: list[str]) -> Iterator[str]:
    """Yield what of a command a line uses, in the words of `wanted`."""
    yield name
    for parameter in command.params:
        spelled = max(parameter.opts, key=len)
        choices = parameter.type.choices if isinstance(parameter.type, click.Choice) else ()
        if isinstance(parameter, click.Argument):
            yield from (f"{name} {spelled} {word}" for word in words if word in choices)
            continue
        for place, word in enumerate(words):
            if word in parameter.opts:
                yield f"{name} {spelled}"
                if choices:
                    yield f"{name} {spelled} {words[place + 1]}"


def lines() -> Iterator[tuple[list[str], int]]:
    """Yield every command line of the matrix, with the exit code that is recorded of it."""
    for case in load_cases():
        run = [words for words in map(shlex.split, case.run) if words[0] not in EDITS]
        yield from zip(run, (step["exit"] for step in recorded(case)["steps"]), strict=True)


def missing(group: click.Group) -> list[str]:
    """Return what of a command line no case uses in a run that is carried out, whatever it finds."""
    commands = commands_of(group)
    used: set[str] = set()
    for words, code in lines():
        name = called(commands, words)
        if name is not None and code in (0, 1):
            used.update(seen(name, commands[name], words[len(name.split()) :]))
    return [item for name, command in commands.items() for item in wanted(name, command) if item not in used]


def test_every_command_option_and_choice_has_a_case() -> None:
    assert missing(program) == []


def test_a_new_command_option_or_choice_would_be_missed() -> None:
    """A group with one unknown option, choice and command; the rest of it is known."""

    @click.command("mask")
    @click.option("--output", "-o")
    @click.option("--colour")
    @click.option("--standardise", type=click.Choice(("none", "furlongs")))
    def mask() -> None: ...

    @click.command("unmask")
    def unmask() -> None: ...

    group = click.Group("program", {"mask": mask, "unmask": unmask})
    assert missing(group) == ["mask --colour", "mask --standardise furlongs", "unmask"]


@pytest.mark.parametrize(("code", "times"), [(0, 300), (1, 20), (2, 100), (3, 10)])
def test_every_exit_code_is_there_many_times(code: int, times: int) -> None:
    assert Counter(code for _, code in lines())[code] >= times
