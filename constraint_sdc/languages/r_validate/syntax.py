"""R expressions as a tree: names, constants and calls; an operator is a call, as in R itself."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from constraint_sdc.languages.rule_book import Place, UntranslatedPartError
from constraint_sdc.limits import RULE_NESTING, RULE_PARTS


@dataclass(frozen=True, slots=True)
class RName:
    """A name: of a variable, or of something that `:=` defines."""

    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class RNumber:
    """A number, exact."""

    value: Decimal
    place: Place


@dataclass(frozen=True, slots=True)
class RString:
    """A text."""

    value: str
    place: Place


@dataclass(frozen=True, slots=True)
class RLogical:
    """TRUE, FALSE or NA."""

    value: bool | None
    place: Place


@dataclass(frozen=True, slots=True)
class RCall:
    """A call of a function or operator; `names` are those of its arguments, "" where there is none.

    `depth` and `parts` count nested calls and all parts, so that a limit can be kept where the tree grows.
    """

    function: str
    arguments: tuple[RExpression, ...]
    names: tuple[str, ...]
    place: Place
    depth: int
    parts: int

    def unnamed(self) -> tuple[RExpression, ...]:
        """Return the arguments without a name."""
        return tuple(value for name, value in zip(self.names, self.arguments, strict=True) if not name)

    def named(self, name: str) -> RExpression | None:
        """Return the argument of this name, or None."""
        return dict(zip(self.names, self.arguments, strict=True)).get(name) if name else None


RExpression: TypeAlias = RName | RNumber | RString | RLogical | RCall


def r_call(
    function: str, arguments: tuple[RExpression, ...], place: Place, names: tuple[str, ...] | None = None
) -> RCall:
    """Return a call; one that is nested too deeply, or that `:=` has made too large, is refused."""
    calls = [one for one in arguments if isinstance(one, RCall)]
    depth = 1 + max((one.depth for one in calls), default=0)
    parts = 1 + sum(one.parts if isinstance(one, RCall) else 1 for one in arguments)
    if depth > RULE_NESTING:
        hint = "divide the rule, or put a part of a long sum in brackets"
        raise UntranslatedPartError(f"an expression is nested more than {RULE_NESTING} deep", place, hint)
    if parts > RULE_PARTS:
        raise UntranslatedPartError(f"a rule has more than {RULE_PARTS} parts", place, "divide the rule")
    return RCall(function, arguments, ("",) * len(arguments) if names is None else names, place, depth, parts)


def names_in(expression: RExpression) -> set[str]:
    """Return all names of variables in an expression."""
    if isinstance(expression, RName):
        return {expression.name}
    inner = expression.arguments if isinstance(expression, RCall) else ()
    return set().union(*map(names_in, inner))
