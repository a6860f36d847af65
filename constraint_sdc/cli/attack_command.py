"""`attack`: what an intruder would try, carried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from constraint_sdc.cli.comparing import (
    comparing_options,
    gather_comparison,
    intruder_options,
    release_option,
    seed_option,
)
from constraint_sdc.cli.machine.limits import with_limits
from constraint_sdc.cli.masking import terminal
from constraint_sdc.cli.options import FILE, deliver, end_progress
from constraint_sdc.cli.streams import tell
from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from constraint_sdc.measures.assessment import Measure

_EPILOG = """\b
Exit codes: 0 carried out, whatever it found; 2 the data, the rules or an option cannot be processed.
How they work, and what they assume: docs/attacks/README.md

\b
Examples:
  constraint-sdc attack single-ranking census.xml ranked.xml --setting full
  constraint-sdc attack single-ranking census.xml ranked.xml --setting corresponding --share 0.01
  constraint-sdc attack transparency census.xml masked.xml
  constraint-sdc attack rule-inference census.xml masked.xml --rules census.sch
  constraint-sdc attack intruder-linkage census.xml masked.xml --intruder register.csv --truth-key Id
  constraint-sdc attack differencing census.xml masked.xml --release masked-again.xml
"""


_LIMITS = ("--time-limit", "--memory-limit")


class _AttackGroup(click.Group):
    """A group of all registered attacks; one without a command of its own gets a plain one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        from constraint_sdc.measures.registry import attacks

        return sorted(attacks())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        if cmd_name not in self.list_commands(ctx):
            return None
        from constraint_sdc.measures.registry import MEASURES

        return with_limits(_plain_attack(MEASURES[cmd_name]))


@click.group("attack", cls=_AttackGroup, epilog=_EPILOG)
def command() -> None:
    """Run a re-identification attack and report how often it succeeds."""


@command.command("single-ranking")
@click.argument("original", type=FILE)
@click.argument("masked", type=FILE)
@click.option(
    "--setting",
    type=click.Choice(("full", "sample", "corresponding")),
    help="All records; a sample; or a sample against a file with errors. [default: all three]",
)
@click.option(
    "--metric",
    type=click.Choice(("half-distance", "neighbours", "nearest", "within")),
    help="How values are compared. [default: all that fit the setting]",
)
@click.option("--share", type=float, help="Share of the records in the sample. [default: 0.01]")
@click.option("--off", type=int, help="Variables of each record that are far off in the intruder's file. [default: 3]")
@click.option("--deviation", type=float, help="How far off, relative to the value. [default: 0.3]")
@click.option("--against", type=FILE, help="The intruder's own file, with the original's records in their order.")
@comparing_options
@seed_option
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/attack.schema.json.")
def single_ranking(original: Path, masked: Path, as_json: bool, **given: Any) -> None:
    """Winkler's attack: link MASKED to ORIGINAL variable by variable; devastating where each was masked alone."""
    names = ("setting", "metric", "share", "off", "deviation", "against")
    _report("single-ranking", original, masked, as_json, given, {name: given[name] for name in names})


def _plain_attack(attack: Measure) -> click.Command:
    """Return the command of an attack, with an option for every parameter that it declares."""
    from constraint_sdc.settings.parameters import parameters_of

    declared = parameters_of(attack)

    def run(original: Path, masked: Path, as_json: bool, **given: Any) -> None:
        _report(attack.name, original, masked, as_json, given, {one.name: given[one.name] for one in declared})

    run.__doc__ = (type(attack).__doc__ or attack.title).split("\n\n")[0]
    as_json = click.option("--json", "as_json", is_flag=True, help="JSON under schemas/attack.schema.json.")
    options = comparing_options(as_json(run))
    options = intruder_options(options) if attack.traits.needs_intruder else options
    options = release_option(options) if attack.traits.needs_release else options
    options = seed_option(options) if attack.traits.draws else options
    files = click.argument("original", type=FILE)(click.argument("masked", type=FILE)(options))
    found = click.command(attack.name)(files)
    taken = {name for option in found.params for name in (option.name, *option.opts)} | {"--help", *_LIMITS}
    for one in reversed(declared):
        if one.name in taken or one.option in taken:
            what = f"the attack {attack.name} declares {one.name}, which every attack has as an option"
            raise UsageError(what, hint="its distribution must call the parameter otherwise")
        words = f"{one.description} [{one.range()}; default: {one.default}]"
        found.params.insert(2, click.Option([one.option, one.name], metavar="VALUE", help=words))
    return found


def _report(
    attack: str,
    original: Path,
    masked: Path,
    as_json: bool,
    given: dict[str, Any],
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Carry the attack out and print what it found."""
    options, show_values = gather_comparison(given), given["show_values"]
    from constraint_sdc.commands.attack import attack_files
    from constraint_sdc.reports.assessment.json_format import render_attack_json
    from constraint_sdc.reports.assessment.text import measured_text
    from constraint_sdc.reports.sentences import sentences

    try:
        measured, around = attack_files(original, masked, attack, options, parameters)
    finally:
        end_progress()
    if as_json:
        deliver(render_attack_json(replace(measured, notes=(*around, *measured.notes)), show_values=show_values), None)
        return
    for note in sentences(around):
        tell(f"note: {note}")
    look = terminal()
    deliver("\n".join(measured_text(measured, details=True, show_values=show_values, **look)), None)
