"""`completion`: print the script that teaches a shell our options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_HOW = {
    "bash": 'eval "$(constraint-sdc completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(constraint-sdc completion zsh)"    # in ~/.zshrc',
    "fish": "constraint-sdc completion fish | source   # in ~/.config/fish/config.fish",
}


@click.command("completion", epilog="\b\n" + "\n".join(_HOW.values()))
@click.argument("shell", type=click.Choice(tuple(_HOW)))
def command(shell: str) -> None:
    """Print the completion script for SHELL."""
    from constraint_sdc.cli import program

    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(completion(program, {}, "constraint-sdc", "_CONSTRAINT_SDC_COMPLETE").source())
