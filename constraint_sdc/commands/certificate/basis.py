"""How each field of a certificate is verified: the table that `check --certificate` and its test go by.

A field is known by its pattern: the path without places (`rules[].failed`), with the role of an input in place of its
number (`inputs[data].sha256`). A pattern that ends in `.*` covers everything below it, and the entry itself. A field
that no pattern covers is refused: a new field needs a row here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any

from constraint_sdc.commands.certificate.leaves import LeafPath, pattern_of, patterns_of


class Basis(Enum):
    """What it takes to verify a field."""

    FILE = "the masked file and the rules"
    GROUPS = "the masked file, if the plan promises that k records share values"
    COUNTED = "the masked file, if it has the variables that the goals read"
    CODES = "the masked file, and the recipe if it has missing codes"
    WORDS = "the code beside the sentence, if this version of the program words it so"
    ORIGINAL = "the original"
    RECIPE = "the recipe"
    STATED = "nothing: it is stated"


_BLOCK = "plan.blocks[]"
_PRICE = "plan.blocks[].price"

# Each row: what the fields are called together, how they are verified, and their patterns.
_TABLE: tuple[tuple[str, Basis, str], ...] = (
    ("schema", Basis.FILE, "schema schema_version plan.schema plan.schema_version plan.tool.name"),
    ("versions", Basis.STATED, "versions.* plan.tool.version"),
    ("inputs[].file", Basis.STATED, "inputs[*].file"),
    ("inputs of the rules", Basis.FILE, "inputs[rules].role inputs[rules].sha256 plan.inputs.rules"),
    ("documents of the rules", Basis.FILE, "inputs[document].role inputs[document].sha256 plan.inputs.document"),
    ("inputs[recipe].sha256", Basis.RECIPE, "inputs[recipe].role inputs[recipe].sha256 plan.inputs.recipe"),
    ("inputs[data].sha256", Basis.ORIGINAL, "inputs[*].role inputs[*].sha256 plan.inputs.*"),
    ("output.file", Basis.STATED, "output.file"),
    ("output", Basis.FILE, "output.sha256 output.records output.absent output.absent[] plan.records"),
    ("options.k", Basis.GROUPS, "options.k plan.k"),
    ("options.phase", Basis.FILE, "options.phase"),
    ("options.record", Basis.STATED, "options.record"),
    ("options.table", Basis.ORIGINAL, "options.table options.table.*"),
    ("options.original", Basis.STATED, "options.original"),
    ("options.allow_idle", Basis.STATED, "options.allow_idle options.allow_idle[]"),
    *(
        (f"options.{name}", Basis.ORIGINAL, f"options.{name} plan.{name}")
        for name in ("partition", "effort", "standardise", "weights", "seed", "on_broken", "undecided")
    ),
    ("options.totals", Basis.ORIGINAL, "options.totals plan.totals.asked"),
    ("plan.protect", Basis.ORIGINAL, "plan.protect.* plan.not_promised_reasons.*"),
    ("plan.recoded", Basis.ORIGINAL, "plan.recoded plan.recoded[].*"),
    *((f"people.{name}", Basis.FILE, f"people.{name}[].*") for name in ("key", "diversity", "closeness")),
    *((f"people.{name}", Basis.ORIGINAL, f"people.{name}[].*") for name in ("dominance", "verbatim", "linkage")),
    ("people", Basis.ORIGINAL, "people"),
    ("options.masker", Basis.ORIGINAL, "options.masker plan.masker.*"),
    ("recipe", Basis.RECIPE, "recipe.*"),
    ("judgement", Basis.ORIGINAL, "judgement judgement.* judgement.whole_file[] judgement.aggregated[]"),
    ("plan_sha256", Basis.FILE, "plan_sha256"),
    ("rules", Basis.FILE, "rules rules[].rule rules[].severity rules[].checked rules[].failed"),
    ("rules[].missing", Basis.CODES, "rules[].missing.held rules[].missing.failed"),
    *(
        (f"rules[].{name}", Basis.ORIGINAL, f"rules[].{name}")
        for name in (
            *("broken_before", "still_broken", "repaired", "newly_broken"),
            *("no_longer_applies", "newly_applies"),
        )
    ),
    ("blocks", Basis.FILE, f"blocks plan.blocks blocks[].number {_BLOCK}.number blocks[].smallest"),
    ("blocks[].variables", Basis.FILE, f"blocks[].variables blocks[].variables[] {_BLOCK}.variables[].name"),
    *(
        (f"blocks[].{name}", Basis.ORIGINAL, f"blocks[].{name} {_PRICE}.{name}")
        for name in ("groups", "loss", "plain_loss")
    ),
    ("blocks[].steps", Basis.ORIGINAL, f"blocks[].steps.* {_PRICE}.steps.*"),
    *(
        ("blocks[].promises", Basis.ORIGINAL, f"{home}.promises {home}.promises[].what_reason.*")
        for home in ("blocks[]", _PRICE)
    ),
    *(
        ("blocks[].promises", Basis.ORIGINAL, f"{home}.promises[].difference {home}.promises[].is_exact")
        for home in ("blocks[]", _PRICE)
    ),
    ("blocks[].note_reasons", Basis.ORIGINAL, f"blocks[].note_reasons.* {_PRICE}.note_reasons.*"),
    ("blocks[].operators", Basis.ORIGINAL, f"blocks[].operators.* {_BLOCK}.variables[].operator"),
    ("blocks[].strata", Basis.ORIGINAL, "blocks[].strata"),
    *(
        ("blocks[].goals[].values[].after", Basis.COUNTED, f"{home}.goals[].values[].after {home}.goals[].swaps")
        for home in ("blocks[]", _PRICE)
    ),
    *(
        (
            "blocks[].goals",
            Basis.ORIGINAL,
            " ".join(
                f"{home}.goals[].{name}"
                for name in (
                    *("number", "parameter", "vital", "base", "signal", "against", "distortion", "is_least"),
                    *("is_reached", "missed_reasons.*", "note_reasons.*", "values"),
                    *(f"values[].{of}" for of in ("value", "base", "before", "wished", "whole")),
                    *(f"values[].signal_{when}" for when in ("before", "wished", "after")),
                )
            ),
        )
        for home in ("blocks[]", _PRICE)
    ),
    (f"{_PRICE}.smallest", Basis.ORIGINAL, f"{_PRICE}.smallest {_PRICE}"),
    (
        f"{_BLOCK}.variables",
        Basis.ORIGINAL,
        " ".join(f"{_BLOCK}.variables[].{name}" for name in ("role", "type", "weight", "treatment", "order[]")),
    ),
    (
        f"{_BLOCK}.variables",
        Basis.ORIGINAL,
        " ".join(f"{_BLOCK}.variables[].grid.{name}" for name in ("decimals", "pads", "plain_whole", "notation")),
    ),
    (f"{_BLOCK}.shares", Basis.ORIGINAL, f"{_BLOCK}.shares"),
    (
        f"{_BLOCK}.reasons",
        Basis.ORIGINAL,
        f"{_BLOCK}.reason.* {_BLOCK}.strategy_reason.* {_BLOCK}.partition_reason.*",
    ),
    (
        f"{_BLOCK}.strata",
        Basis.ORIGINAL,
        f"{_BLOCK}.strata {_BLOCK}.strata[].size {_BLOCK}.strata[].formation "
        f"{_BLOCK}.strata[].condition_reasons.* {_BLOCK}.strata[].derivation_reasons.*",
    ),
    *(
        (
            "plan.rules",
            Basis.ORIGINAL,
            f"{home} " + " ".join(f"{home}[].{name}" for name in ("rule", "kind", "says", "why", "reason.*")),
        )
        for home in (f"{_BLOCK}.rules", "plan.rules")
    ),
    ("plan.rules", Basis.ORIGINAL, f"{_BLOCK}.rules[].variables.* plan.rules[].variables.*"),
    (
        "plan.totals.computed",
        Basis.FILE,
        "plan.totals.computed plan.totals.computed[].name plan.totals.computed[].rule "
        "plan.totals.computed[].parts.* plan.totals.computed[].blocks.*",
    ),
    *(
        ("plan.totals", Basis.ORIGINAL, patterns)
        for patterns in (
            "plan.totals.computed[].role plan.totals.computed[].grid.* plan.totals.computed[].loss",
            "plan.totals.undone plan.totals.undone[].name plan.totals.undone[].rule plan.totals.undone[].reason.*",
            "plan.totals.loss plan.totals.together_loss",
        )
    ),
    ("plan.kept", Basis.ORIGINAL, "plan.kept plan.kept[].name plan.kept[].role plan.kept[].reason.*"),
    ("plan.kept", Basis.ORIGINAL, "plan.kept[].is_removed"),
    ("plan.inventory", Basis.FILE, "plan.inventory plan.inventory[].what plan.inventory[].kind plan.inventory[].fate"),
    ("plan.inventory", Basis.ORIGINAL, "plan.inventory[].count plan.inventory[].reason.*"),
    ("plan.assumption_reasons", Basis.ORIGINAL, "plan.assumption_reasons.*"),
    ("plan.warning_reasons", Basis.ORIGINAL, "plan.warning_reasons.*"),
    ("plan.broken", Basis.ORIGINAL, "plan.broken.*"),
    (
        "sentences",
        Basis.WORDS,
        f"plan.assumptions.* plan.warnings.* plan.not_promised.* "
        f"plan.kept[].because plan.rules[].because {_BLOCK}.because "
        f"plan.inventory[].because "
        f"plan.totals.undone[].because "
        f"{_BLOCK}.strategy {_BLOCK}.partition {_BLOCK}.strata[].conditions.* {_BLOCK}.strata[].derivations.* "
        f"{_BLOCK}.rules[].because",
    ),
    *(
        (
            "sentences",
            Basis.WORDS,
            f"{home}.notes.* {home}.promises[].what {home}.goals[].missed.* {home}.goals[].notes.*",
        )
        for home in ("blocks[]", _PRICE)
    ),
)


@cache
def row_of(pattern: str) -> tuple[str, Basis] | None:
    """Return the name and the basis of a field's row; None for a field that the table does not know.

    >>> row_of("rules[].failed")
    ('rules', <Basis.FILE: 'the masked file and the rules'>)
    >>> row_of("rules[].colour") is None
    True
    """
    return next(
        ((name, basis) for name, basis, patterns in _TABLE if any(_covers(one, pattern) for one in patterns.split())),
        None,
    )


def _covers(known: str, pattern: str) -> bool:
    if known.startswith("inputs[*]"):
        return pattern.startswith("inputs[") and pattern.rpartition("]")[2] == known[len("inputs[*]") :]
    if not known.endswith(".*"):
        return known == pattern
    stem = known[:-2]
    return pattern == stem or pattern.startswith((f"{stem}.", f"{stem}[]"))


def unknown_fields(certificate: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields that the table does not cover."""
    return (pattern for pattern in patterns_of(certificate) if row_of(pattern) is None)


def basis_of(path: LeafPath, certificate: Mapping[str, Any]) -> Basis:
    """Return what it takes to verify a field of this certificate; of an unknown field, that it is stated."""
    row = row_of(pattern_of(path, certificate))
    return _in(certificate, Basis.STATED if row is None else row[1])


def _in(certificate: Mapping[str, Any], basis: Basis) -> Basis:
    """Return the basis of a field in this certificate, where it depends on what the certificate is about."""
    blocks = certificate["plan"]["blocks"]
    if basis is Basis.GROUPS:
        return Basis.FILE if blocks and all(block["shares"] for block in blocks) else Basis.ORIGINAL
    if basis is Basis.CODES:
        return _in(certificate, Basis.RECIPE) if certificate["recipe"].get("missing") else Basis.FILE
    if basis is Basis.RECIPE and not names_recipe(certificate):
        return Basis.STATED if certificate["recipe"] else Basis.FILE
    return basis


def names_recipe(certificate: Mapping[str, Any]) -> bool:
    """Tell whether the file was masked with a recipe file."""
    return any(entry["role"] == "recipe" for entry in certificate["inputs"])


def stated_fields(certificate: Mapping[str, Any], verified: frozenset[Basis]) -> tuple[str, ...]:
    """Return the names of the fields that nothing among `verified` can confirm, in the order of the certificate."""
    return _stated(certificate, _rows(certificate), verified)


def _stated(
    certificate: Mapping[str, Any], rows: Iterable[tuple[str, Basis]], verified: frozenset[Basis]
) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name, basis in rows if _in(certificate, basis) not in verified))


def _rows(certificate: Mapping[str, Any]) -> list[tuple[str, Basis]]:
    """Return the rows of all fields; those of unknown fields are missing, and `unknown_fields` tells of them."""
    return [row for pattern in patterns_of(certificate) if (row := row_of(pattern)) is not None]


def way_to_check(certificate: Mapping[str, Any], verified: frozenset[Basis]) -> tuple[str, ...]:
    """Return which options would check more of what is stated."""
    ways = {Basis.ORIGINAL: "--original DATA", Basis.RECIPE: "--recipe FILE"}
    rows = _rows(certificate)
    missing = {_in(certificate, basis) for _, basis in rows} - verified
    words = [way for basis, way in ways.items() if basis in missing]
    if not words:
        return ()
    left = _stated(certificate, rows, frozenset(Basis) - {Basis.STATED})
    return (f"{' and '.join(words)} would check all of these but {', '.join(left)}",)
