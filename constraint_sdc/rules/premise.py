"""When a rule fires: its own context holds, and no earlier rule of the pattern takes the node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constraint_sdc.model.constraint import AllOf, Context, Formula, OpaqueAtom, PresentAtom
from constraint_sdc.rules.locality import Regions
from constraint_sdc.rules.negate import negate
from constraint_sdc.rules.normalise import normalise
from constraint_sdc.rules.simplify import simplify
from constraint_sdc.rules.syntax import NotUnderstood


@dataclass(frozen=True, slots=True)
class Earlier:
    """A rule's context as later rules see it.

    `node` is the name of the nodes it matches, None when not fixed; `names` are the record's variables it reads.
    """

    node: str | None
    context: Context | NotUnderstood
    place: Regions | NotUnderstood
    text: str
    names: tuple[str, ...]
    xpath1: bool

    def may_take_from(self, later: Earlier) -> bool:
        """Tell whether this context can match a node that the later one matches too."""
        return self.node is None or later.node is None or self.node == later.node

    def formula(self) -> Formula:
        """Return the condition on the record under which the context matches its node."""
        if isinstance(self.context, NotUnderstood):
            return OpaqueAtom(self.text, self.names, str(self.context))
        parts: list[Formula] = []
        if self.context.variable is not None:
            parts.append(PresentAtom(self.context.variable))
        if self.context.condition is not None:
            parts.append(normalise(self.context.condition, xpath1=self.xpath1))
        return simplify(AllOf(tuple(parts)))


def premise_of(mine: Earlier, before: Sequence[Earlier]) -> Formula | None:
    """Return the condition under which a rule fires, or None when it always does."""
    formula = simplify(AllOf((mine.formula(), *(negate(other.formula()) for other in before))))
    return None if formula == AllOf(()) else formula
