"""The command line: one file per command, imported only when that command runs."""

from __future__ import annotations

import atexit
import gc
import importlib
import sys
import traceback

import click

from constraint_sdc import __version__
from constraint_sdc.cli.machine.addresses import with_addresses
from constraint_sdc.cli.machine.limits import with_limits
from constraint_sdc.cli.machine.progress import shown_stages
from constraint_sdc.cli.machine.stopping import Stopped, orderly_stop
from constraint_sdc.cli.options import notices
from constraint_sdc.cli.streams import open_missing_streams, silence_stdout, tell
from constraint_sdc.engines.freeing import collect_rarely
from constraint_sdc.errors import ConstraintSdcError

_COMMANDS = {
    "check": "judge a file by edit rules",
    "init": "propose a recipe from what the variables of a file look like",
    "plan": "show how a file would be masked, why every rule survives, and the information loss",
    "mask": "mask a file; publish it only if every rule still holds and every promise about people is kept",
    "reproduce": "mask again what a certificate describes, and compare the bytes",
    "key": "make the keys that sign certificates",
    "explain": "explain why a rule survives, or how a record was masked",
    "assess": "measure information loss and disclosure risk of a masked file, and check its rules",
    "attack": "run a re-identification attack and report how often it succeeds",
    "sweep": "mask for many k, maskers and partitions, and draw the risk-utility map",
    "partition": "divide records into groups without masking, to compare methods and their loss",
    "rules": "list, check, discover, draw and convert rules",
    "describe": "describe the variables of a microdata file",
    "convert": "convert CSV, Parquet, SPSS and Stata files to XML and back",
    "domain": "export the values of variables for the value-domain rule",
    "demo": "run all steps on generated census-like data",
    "exam": "run the exam of the built-in objects on a masker, operator, partition, measure, report format or engine",
    "completion": "print the shell completion script",
}

# What shells report for a program whose reader went away.
_SIGPIPE = 13

_HELP = """Check microdata by edit rules, and mask them: every rule still holds, and every promise about people is kept.

\b
Examples:
  constraint-sdc check census.xml --rules census.sch
  constraint-sdc check published.xml --rules census.sch --domain domain.xml --format sarif --output out.sarif
  constraint-sdc init census.xml --rules census.sch -o recipe.yml
  constraint-sdc plan census.xml --rules census.sch -k 5
  constraint-sdc mask census.xml --rules census.sch -k 5 -o masked.xml
  constraint-sdc explain EC-LC census.xml --rules census.sch -k 5
  constraint-sdc assess census.xml masked.xml --rules census.sch --report report.html
  constraint-sdc sweep census.xml --rules census.sch --k 2..30 -o sweep
  constraint-sdc partition census.csv -k 3 --partition mdav
  constraint-sdc rules census.sch
  constraint-sdc convert census.csv census.xml
  constraint-sdc domain census.xml --variables V1 -o domain.xml

\b
Exit codes:
  0  clean
  1  violations; from mask: a rule or a promise did not hold in the masked file, and nothing was published
  2  the rules, the data or the options cannot be processed; the message names file, line and rule
  3  the plan refuses to mask; the message names the rule or variable, and the way out
"""


class _LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it: `--help` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click's signature)
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"constraint_sdc.cli.{cmd_name}_command")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(f"constraint_sdc.cli.{cmd_name}_command.command is not a click command")
        return with_addresses(with_limits(command))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_LazyGroup, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="constraint-sdc")
@click.pass_context
def program(ctx: click.Context) -> None:
    """Hold the commands together, and tell what the library says and does while they run."""
    ctx.with_resource(notices())
    ctx.with_resource(shown_stages())


def main() -> None:
    """Run the command line; a user's mistake ends in one message and exit code 2, never in a traceback."""
    _collect_rarely()
    open_missing_streams()
    try:
        with orderly_stop():
            code = program.main(standalone_mode=False, prog_name="constraint-sdc")
            sys.stdout.flush()
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as problem:
        problem.show()
        code = 2
    except ConstraintSdcError as problem:
        tell(*f"constraint-sdc: {problem}".split("\n"))  # line breaks of inputs are escaped already
        code = problem.exit_code
    except Stopped as stop:
        tell("constraint-sdc: stopped")
        code = stop.exit_code
    except (KeyboardInterrupt, click.Abort):
        tell("constraint-sdc: stopped")
        code = 130
    except (SystemExit, BrokenPipeError):
        # The reader stopped early (`constraint-sdc rules x | head`), which click would make exit code 1: "violations".
        silence_stdout()
        code = 128 + _SIGPIPE
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        tell(f"constraint-sdc: {where}{problem.strerror or problem}")
        code = 2
    except MemoryError as problem:
        tell(f"constraint-sdc: not enough memory{f': {problem}' if str(problem) else ''}")
        code = 2
    except Exception:
        # Python's own exit code for a crash is 1, which would read as "violations" to a gate.
        tell(*traceback.format_exc().rstrip().split("\n"))
        tell("constraint-sdc: this is a fault of the program, not of your files; please report it")
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _collect_rarely() -> None:
    """Look for cycles of objects less often; the last look, when the process ends, takes a sixth of a second."""
    collect_rarely()
    atexit.register(gc.freeze)
