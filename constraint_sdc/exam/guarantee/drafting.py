"""A case in the making: columns of candidate records, candidate rules, and the voice in which rules speak."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any

from constraint_sdc.exam.guarantee.layouts import (
    INTEGER,
    WRITINGS,
    Draw,
    DrawnLayout,
    Writing,
    decimal_draws,
    decimal_text,
    double_text,
    integer_draws,
    with_outliers,
)

Cell = str | None
"""A value as text; None is an absent element or attribute. An empty text may be written as xsi:nil."""


@dataclass(frozen=True)
class Voice:
    """How a rule names a variable and in which arithmetic it computes: number, untyped, decimal or integer."""

    layout: DrawnLayout
    arithmetic: str

    def path(self, name: str) -> str:
        """Return the XPath from a record to a variable."""
        return self.layout.path(name)

    def term(self, name: str) -> str:
        """Return the variable inside an arithmetic expression or beside a number."""
        path = self.path(name)
        spelled = {"number": f"number({path})", "untyped": path, "decimal": f"xs:decimal({path})"}
        return spelled.get(self.arithmetic, f"xs:integer({path})")

    def alone(self, name: str) -> str:
        """Return the variable where it is compared with another one: two untyped values would compare as strings."""
        return f"number({self.path(name)})" if self.arithmetic == "untyped" else self.term(name)

    @property
    def is_exact(self) -> bool:
        """Tell whether the arithmetic has no rounding."""
        return self.arithmetic in ("decimal", "integer")


@dataclass(frozen=True)
class RuleText:
    """A candidate rule. `predicate` narrows its context to some records; `lets` are (name, expression) pairs.

    `variable` makes the variable itself the context, and then `test` speaks of `.`.
    """

    idea: str
    test: str
    predicate: str | None = None
    lets: tuple[tuple[str, str], ...] = ()
    variable: str | None = None


@dataclass
class Draft:
    """Candidate records (columns of equal length) and candidate rules, both to be thinned out by Saxon.

    `dates` are columns of codes YYYYMMDD, for the recipe to say so.
    """

    rng: random.Random
    size: int
    layout: DrawnLayout
    binding: str
    writing: Writing
    columns: dict[str, list[Cell]] = field(default_factory=dict)
    numeric: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    rules: list[RuleText] = field(default_factory=list)
    ideas: list[str] = field(default_factory=list)
    dates: tuple[str, ...] = ()

    @property
    def is_old(self) -> bool:
        """Tell whether the rules are XPath 1.0."""
        return self.binding == "xslt"

    def voice(self, *names: str) -> Voice:
        """Choose an arithmetic that these variables and the query binding allow."""
        kinds = ["number", "number", "untyped"]
        if not self.is_old:
            kinds += ["decimal"]
            if names and all(self.is_integer(name) for name in names):
                kinds += ["integer"]
        return Voice(self.layout, self.rng.choice(kinds))

    def is_integer(self, name: str) -> bool:
        """Tell whether no value of a column has a point."""
        return all(cell is None or "." not in cell for cell in self.columns[name])

    def add_rule(self, idea: str, test: str, **more: Any) -> None:
        """Add a candidate rule."""
        self.rules.append(RuleText(idea, test, **more))

    def add_text(self, name: str, cells: Sequence[Cell]) -> str:
        """Add a column of texts and return its name."""
        self.columns[name] = list(cells)
        self.text.append(name)
        return name

    def add(self, cells: Sequence[Cell]) -> str:
        """Add a numeric column and return its name."""
        name = f"V{len(self.numeric) + 1}"
        self.columns[name] = list(cells)
        self.numeric.append(name)
        return name

    def base(self, writing: Writing | None = None, draw: Draw | None = None) -> str:
        """Add a column drawn on its own."""
        if writing is None:
            writing = self.writing if self.rng.random() < 0.85 else self.rng.choice(WRITINGS)
        if draw is None:
            _, draw = integer_draws(self.rng) if writing == INTEGER else decimal_draws(self.rng)
            if self.rng.random() < 0.15:
                draw = with_outliers(draw, self.rng)
        return self.add([writing.text(draw(self.rng)) for _ in range(self.size)])

    def positive(self, high: float = 60, writing: Writing | None = None) -> str:
        """Add a column of numbers above zero."""
        writing = writing or self.writing
        if writing == INTEGER:
            return self.base(writing, lambda r: r.randrange(1, int(high)))
        return self.base(writing, lambda r: r.uniform(0.2, high))

    def some(self) -> str:
        """Return a numeric column: an old one more often than not, so that rules overlap."""
        filled = [name for name in self.numeric if all(cell for cell in self.columns[name])]
        return self.rng.choice(filled) if filled and self.rng.random() < 0.62 else self.base()

    def several(self, count: int) -> list[str]:
        """Return different numeric columns."""
        names: list[str] = []
        while len(names) < count:
            name = self.some()
            if name not in names:
                names.append(name)
        return names

    def derive(self, voice: Voice, compute: Callable[..., Any], *names: str, onto: Writing | None = None) -> str:
        """Add the column that `compute` gives in the voice's arithmetic, in full or rounded to a writing."""
        convert: Callable[[str], Any] = Decimal if voice.is_exact else float
        rows = zip(*(self.columns[name] for name in names), strict=True)
        with localcontext() as context:
            context.prec = 50
            values = [compute(*(convert(cell or "0") for cell in row)) for row in rows]
        if onto is not None:
            return self.add([onto.text(value) for value in values])
        if voice.is_exact:
            return self.add([decimal_text(Decimal(value)) for value in values])
        return self.add([double_text(float(value)) for value in values])

    def column(self, name: str) -> list[float]:
        """Return the numbers of a column, without the missing ones."""
        return [float(cell) for cell in self.columns[name] if cell]

    def quantile(self, name: str, share: float) -> str:
        """Return a value of the column as it is written, at about this share from below."""
        cells = sorted((cell for cell in self.columns[name] if cell), key=float)
        return cells[min(len(cells) - 1, max(0, int(share * len(cells))))] if cells else "0"
