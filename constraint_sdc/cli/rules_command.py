"""`rules`: what can be done with a rule set itself. `rules RULES` lists the rules, as `rules list RULES` does."""

from __future__ import annotations

import importlib

import click

from constraint_sdc.cli.machine.addresses import with_addresses
from constraint_sdc.cli.machine.limits import with_limits

_COMMANDS = {
    "list": "list how each rule is understood, and why",
    "convert": "write rules in another language: Schematron, R validate, plain text, SQL, VTL",
    "lint": "check the rule set itself",
    "discover": "propose rules that data satisfy",
    "graph": "draw variables and rules",
}

_EPILOG = """\b
Examples:
  constraint-sdc rules census.sch
  constraint-sdc rules list census.sch --data census.xml --json --output rules.json
"""


class _RulesGroup(click.Group):
    """A group that imports a command only to run it, and lists the rules if no command is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click's signature)
        if cmd_name not in _COMMANDS:
            return None
        command = importlib.import_module(f"constraint_sdc.cli.rules.{cmd_name}_command").command
        assert isinstance(command, click.Command)
        return with_addresses(with_limits(command))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_named = not args or args[0] in (*_COMMANDS, *ctx.help_option_names)
        return super().parse_args(ctx, args if is_named else ["list", *args])


@click.group("rules", cls=_RulesGroup, epilog=_EPILOG)
def command() -> None:
    """Look at a rule set itself. `constraint-sdc rules RULES` is short for `rules list RULES`."""
