"""The options that `plan`, `mask` and `explain` share, and how they become one value."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraint_sdc.cli.options import FILE, allow, allow_idle, not_empty, variable
from constraint_sdc.cli.streams import tell
from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from constraint_sdc.maskers.masked import MaskOptions
    from constraint_sdc.plan.plan import Plan

# What a saved plan has decided; an option that says something else contradicts it.
DECIDED = ("k", "masker", "partition", "effort", "standardise", "weights", "seed", "on_broken", "totals", "undecided")
ABOUT_RULES = ("on_broken", "totals", "phase", "original", "allow", "allow_idle", "judge")

Command = Callable[..., None]

_ONE_MASKING = (
    click.option("-k", "k", type=int, help="Least number of records that share the values of a block; 2 or more."),
    click.option(
        "--masker", callback=not_empty, help="How values are masked (see docs/maskers). [default: microaggregation]"
    ),
    click.option(
        "--partition",
        callback=not_empty,
        help="How the masker divides records: NAME or NAME:PARAMETER=VALUE (see docs/partition). [default: auto]",
    ),
    click.option(
        "--totals",
        type=click.Choice(("together", "computed", "auto")),
        help="Mask totals together with their parts, compute them, or what loses less. [default: together]",
    ),
    click.option("--method", callback=not_empty, hidden=True, help="Old spelling of --masker and --partition."),
)
_ANY_MASKING = (
    click.option("--recipe", type=FILE, help="YAML file with k, roles, grids and promises (see docs/recipe.md)."),
    click.option(
        "--effort",
        callback=not_empty,
        help="How long auto or NAME+refine searches: fast, default, high, best, or e.g. 30s.",
    ),
    click.option(
        "--standardise",
        type=click.Choice(("z-score", "robust", "none")),
        help="The unit in which numbers enter distances. [default: z-score]",
    ),
    click.option("--weights", callback=variable, help="Variable that says how much each record counts."),
    click.option("--seed", type=click.IntRange(min=0), help="Seed of methods that draw at random. [default: 0]"),
    click.option(
        "--on-broken",
        type=click.Choice(("refuse", "keep")),
        help="If the original breaks a rule: refuse, or mask those records too. [default: refuse]",
    ),
    click.option(
        "--undecided",
        type=click.Choice(("refuse", "guess")),
        help="If nobody decided on a variable: refuse, or guess and promise nothing for it. [default: refuse]",
    ),
    click.option("--phase", help="Phase of the schema to obey (an id, #ALL or #DEFAULT)."),
    click.option("--original", type=FILE, help="What a rule's variable $original stands for. [default: DATA]"),
    allow,
    allow_idle,
)


def masking_options(command: Command) -> Command:
    """Give a command the options that say how to mask."""
    return _with(command, (*_ONE_MASKING, *_ANY_MASKING))


def sweeping_options(command: Command) -> Command:
    """Give a command the options that are the same for every masking of a sweep."""
    return _with(command, _ANY_MASKING)


def _with(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def gather(
    given: dict[str, Any], rules: Path | None, saved: Plan | None = None, *, record: str | None = None
) -> MaskOptions:
    """Return what the command line (or a saved plan) says, and the recipe; `settle` puts them together."""
    given = with_new_spelling(given)
    if rules is None:
        known = (name for name in ABOUT_RULES if name in given)
        refuse_given(given, known, "it belongs to rules, and there is no --rules")
    from constraint_sdc.files.recipe import load_recipe
    from constraint_sdc.maskers.masked import MaskOptions
    from constraint_sdc.settings.recipe import Recipe
    from constraint_sdc.settings.words import Standardise

    recipe, digest = (Recipe(), None) if given["recipe"] is None else load_recipe(given["recipe"])
    decided = {name: given[name] for name in DECIDED} if saved is None else _by_plan(given, saved)
    if isinstance(decided["standardise"], str):
        decided["standardise"] = Standardise(decided["standardise"])
    return MaskOptions(
        **decided,
        phase=given["phase"],
        original=given["original"],
        record=record,
        recipe=recipe,
        recipe_file=given["recipe"],
        recipe_sha256=digest,
        allow=tuple(given["allow"]),
        allow_idle=tuple(given["allow_idle"]),
        judge=given.get("judge"),
    )


def with_new_spelling(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the old `--method` as `--masker` or `--partition`, and say so on stderr."""
    name = given.get("method")
    rest = {option: value for option, value in given.items() if option != "method"}
    if name is None:
        return rest
    meant = meaning_of(name)
    for option in ("masker", meant):
        if rest[option] is not None:
            what = f"--method {name} is the old spelling of --{meant} {name}, and --{option} is given too"
            raise UsageError(what, hint="leave --method out")
    tell(f"note: --method {name} is taken for a {meant}; the new spelling is --{meant} {name}")
    from constraint_sdc.maskers.registry import DEFAULT

    # A partition in the place of a masker always stood for microaggregation, whatever the recipe says.
    return {**rest, "masker": DEFAULT, meant: name}


def meaning_of(name: str) -> str:
    """Tell what a name in the old spelling is: masker or partition. Only built-in maskers ever had that spelling."""
    from constraint_sdc.maskers.registry import MASKERS

    return "masker" if name in MASKERS.own_names else "partition"


def _by_plan(given: dict[str, Any], saved: Plan) -> dict[str, Any]:
    """Return what the saved plan decided, and refuse an option that says something else."""
    from constraint_sdc.commands.masking.carrying_out import options_of_plan

    decided = options_of_plan(saved)
    for name, value in decided.items():
        if given[name] is not None and _in_one_spelling(name, given[name]) != value:
            said = "none" if value is None else value
            raise UsageError(
                f"{spelling(name)} {given[name]} contradicts the saved plan, which has {said}",
                hint="leave the option out, or make a new plan",
            )
    return decided


def _in_one_spelling(name: str, value: Any) -> Any:
    """Return the value of an option as a plan records it; a partition's parameters can be written in several ways."""
    if name != "partition" or ":" not in value:
        return value
    from constraint_sdc.partition.registry import spelt

    return spelt(value)


def refuse_given(given: dict[str, Any], names: Iterable[str], hint: str) -> None:
    """Refuse options that would be without effect."""
    for name in names:
        if given[name] not in (None, ()):
            raise UsageError(f"{spelling(name)} has no meaning here", hint=hint)


def spelling(name: str) -> str:
    """Return an option as the user types it."""
    return "-k" if name == "k" else f"--{name.replace('_', '-')}"


def terminal() -> dict[str, Any]:
    """Return how wide to print and whether in colour."""
    from constraint_sdc.reports.terminal import wants_colour

    columns = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 100
    return {"columns": columns, "colour": wants_colour(sys.stdout)}
