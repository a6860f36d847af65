"""Reference that is generated from the program, so that it cannot be out of date.

A page asks for a part of it by a line of its own: `<!-- generated: NAME -->`, with a name from `PARTS`.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import constraint_sdc
from constraint_sdc.cli import program
from constraint_sdc.errors import ConstraintSdcError

TOP = Path(__file__).resolve().parents[2]
MARKER = re.compile(r"^<!-- generated: ([a-z-]+) -->$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put the generated parts in the place of their markers."""
    return MARKER.sub(lambda found: PARTS[found[1]](), markdown)


# The command line, from click.


def command_line() -> str:
    """Return every command with its arguments, options and epilog."""
    return "\n\n".join(command_page(command, context) for command, context in commands(program, "constraint-sdc"))


def commands(
    command: click.Command, name: str, parent: click.Context | None = None
) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield a command and everything below it, in the order of `--help`."""
    context = click.Context(command, info_name=name, parent=parent)
    yield command, context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from commands(found, below, context)


def command_page(command: click.Command, context: click.Context) -> str:
    """Return the section of one command."""
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    options = [found for found in command.params if isinstance(found, click.Option) and not found.hidden]
    parts = [f"## {context.command_path}", f"```text\n{usage}\n```", *paragraphs(command.help)]
    if options:
        rows = [option_row(option, context) for option in options]
        parts.append(table("option", "value", "default", "what it does", rows))
    return "\n\n".join([*parts, *paragraphs(command.epilog)])


def paragraphs(text: str | None) -> Iterator[str]:
    """Yield the paragraphs of a help text; those that click keeps as they are become blocks of code."""
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        kept = paragraph.startswith("\b\n")
        yield f"```text\n{paragraph[2:]}\n```" if kept else paragraph


def option_row(option: click.Option, context: click.Context) -> tuple[str, ...]:
    """Return the row of one option: names, value, default, help."""
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    stated = re.search(r"\s*\[default: (.*)\]$", option.help or "")
    default = stated[1] if stated else ""
    if option.show_default and option.default not in (None, False, ()):
        default = str(option.default)
    choices = option.make_metavar(context).strip("[]<>").split("|")
    value = "" if option.is_flag else ", ".join(f"`{choice}`" for choice in choices)
    needed = " **Required.**" if option.required else ""
    said = (option.help or "")[: stated.start()] if stated else option.help or ""
    return names, value, default, said + needed


# The recipe, from its schema.


def recipe() -> str:
    """Return every entry of a recipe, a table for each mapping."""
    schema = json.loads((TOP / "schemas" / "recipe.schema.json").read_text("utf-8"))
    return "\n\n".join(mapping(schema, "recipe"))


def mapping(schema: dict[str, Any], name: str) -> Iterator[str]:
    """Yield the table of a mapping, then the tables of the mappings inside it."""
    entries: dict[str, dict[str, Any]] = schema["properties"]
    required = schema.get("required", ())
    rows = [
        (f"`{entry}`" + (" (required)" if entry in required else ""), shape(known), known.get("description", ""))
        for entry, known in entries.items()
    ]
    yield f"## {name}\n\n{schema.get('description', '')}\n\n{table('entry', 'value', 'what it says', rows)}"
    for entry, known in entries.items():
        path = entry if name == "recipe" else f"{name}.{entry}"
        for inner, place in (
            (known, path),
            (known.get("items"), f"{path}[]"),
            (known.get("additionalProperties"), f"{path}.NAME"),
        ):
            if isinstance(inner, dict) and "properties" in inner:
                yield from mapping(inner, place)


def shape(schema: dict[str, Any]) -> str:
    """Return in a few words what a value may be.

    >>> shape({"type": "array", "items": {"type": "string"}})
    'list of text'
    """
    if "if" in schema:
        return f"{shape(schema['then'])}, or {shape(schema['else'])}"
    if "const" in schema or "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema.get("enum", [schema.get("const")]))
    if isinstance(schema.get("type"), list):
        return "number" if "pattern" in schema else "text or integer"
    match schema.get("type"):
        case "array":
            return f"list of {shape(schema['items'])}"
        case "object":
            inner = schema.get("additionalProperties")
            return f"per variable: {shape(inner)}" if isinstance(inner, dict) else "mapping"
        case "integer":
            return f"integer from {schema['minimum']}" if "minimum" in schema else "integer"
        case "boolean":
            return "`true` or `false`"
    return "text"


# Exit codes, from the exception tree.


def exit_codes() -> str:
    """Return every exception with its exit code and first sentence, children below their parents."""
    rows = [
        ("&nbsp;" * 4 * depth + f"`{kind.__name__}`", str(kind.exit_code), first_sentence(kind))
        for kind, depth in exceptions(ConstraintSdcError)
    ]
    return table("exception", "exit code", "raised when", rows)


def exceptions(kind: type[ConstraintSdcError], depth: int = 0) -> Iterator[tuple[type[ConstraintSdcError], int]]:
    """Yield an exception and those below it, as the program defines them."""
    yield kind, depth
    for below in kind.__subclasses__():
        if below.__module__.startswith("constraint_sdc."):
            yield from exceptions(below, depth + 1)


def first_sentence(thing: object) -> str:
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


# The library, from the names of its door; mkdocstrings fills in signatures and docstrings.


def library() -> str:
    """Return a section for each kind of public name, with an entry for each name."""
    public = {name: getattr(constraint_sdc, name) for name in dir(constraint_sdc) if not name.startswith("_")}
    ours = {
        name: found for name, found in public.items() if getattr(found, "__module__", "").startswith("constraint_sdc")
    }
    kinds = {
        "Functions": [name for name, found in ours.items() if inspect.isfunction(found)],
        "Options": [name for name in ours if name.endswith("Options")],
        "Results": [name for name, found in ours.items() if is_result(name, found)],
        "Errors": [name for name, found in ours.items() if is_error(found)],
    }
    sections = (
        (title, "\n\n".join(f"::: constraint_sdc.{name}" for name in names)) for title, names in kinds.items() if names
    )
    return "\n\n".join(f"## {title}\n\n{entries}" for title, entries in sections)


def is_error(found: object) -> bool:
    return inspect.isclass(found) and issubclass(found, Exception)


def is_result(name: str, found: object) -> bool:
    return inspect.isclass(found) and not is_error(found) and not name.endswith("Options")


def table(*words: Any) -> str:
    """Return a Markdown table: titles, then the rows as the last argument."""
    *titles, rows = words
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines
    )


PARTS = {
    "command-line": command_line,
    "recipe": recipe,
    "exit-codes": exit_codes,
    "library": library,
}
