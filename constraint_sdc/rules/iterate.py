"""Fixed lists unrolled: which items `every`, `some`, `for`, `!` and a slash go through."""

from __future__ import annotations

from dataclasses import dataclass

from constraint_sdc.model.expression import Call, Expression, If, Sequence, Variable
from constraint_sdc.rules.functions import is_at_most_one, is_one
from constraint_sdc.rules.scope import RefusedError
from constraint_sdc.rules.syntax import Binary, Step, Syntax, step_name


@dataclass(frozen=True, slots=True)
class Item:
    """One place in a fixed list; `optional` when nothing may stand there."""

    value: Expression
    optional: bool


def fixed_items(source: Expression, text: str) -> tuple[Item, ...]:
    """Return the items of a list whose length does not depend on the record, except for absent ones."""
    parts = source.items if isinstance(source, Sequence) else (source,)
    for part in parts:
        if not is_at_most_one(part):
            raise RefusedError("goes through a list whose length is not fixed", text)
    return tuple(Item(part, not is_one(part)) for part in parts)


def guarded(item: Item, result: Expression, skipped: Expression) -> Expression:
    """Return the body's result for an item, or what an absent item contributes."""
    return If(Call("exists", (item.value,)), result, skipped) if item.optional else result


def unordered_names(tree: Syntax) -> tuple[Expression, ...]:
    """Return the variables of a union `V1 | V2`, usable where neither order nor repetition counts; else nothing."""
    names: dict[str, None] = {}
    rest: list[Syntax] = [tree] if isinstance(tree, Binary) and tree.op in ("|", "union") else []
    while rest:
        part = rest.pop(0)
        if isinstance(part, Binary) and part.op in ("|", "union"):
            rest[:0] = [part.left, part.right]
        elif isinstance(part, Step) and (name := step_name(part)) is not None:
            names[name] = None
        else:
            return ()
    return tuple(Variable(name) for name in names)
