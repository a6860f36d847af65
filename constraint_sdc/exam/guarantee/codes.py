"""Rules about codes: parts of a code, remainders and quotients, and conditions on the first characters."""

from __future__ import annotations

from collections.abc import Callable

from constraint_sdc.exam.guarantee.drafting import Draft
from constraint_sdc.exam.guarantee.layouts import INTEGER

_LETTERS = "ABC"


def _classes(draft: Draft) -> str:
    """Add a text of one letter and two digits, such as an activity of a classification."""
    cells = [f"{draft.rng.choice(_LETTERS)}{draft.rng.randrange(10, 40)}" for _ in range(draft.size)]
    name = f"Class{len(draft.text) + 1}"
    return draft.add_text(name, cells)


def add_division(draft: Draft) -> None:
    """A number that stands in the first digits of a longer code."""
    code = draft.base(INTEGER, lambda r: r.randrange(1000, 6000))
    division = draft.add([cell[:2] if cell else cell for cell in draft.columns[code]])
    path, part = draft.layout.path(code), draft.layout.path(division)
    forms = [f"number(substring({path}, 1, 2)) = number({part})", f"floor(number({path}) div 100) = number({part})"]
    if not draft.is_old:
        forms += [f"number({path}) idiv 100 = number({part})", f"starts-with({path}, {part})"]
    draft.add_rule("division", draft.rng.choice(forms))


def add_last_digit(draft: Draft) -> None:
    """A last digit that may not be just any, by remainder or by text."""
    code = draft.base(INTEGER, lambda r: r.randrange(10, 900))
    path, most = draft.layout.path(code), draft.rng.choice((1, 4, 7))
    last = f"number(substring({path}, string-length({path})))"
    draft.add_rule("last digit", draft.rng.choice((f"number({path}) mod 10 <= {most}", f"{last} <= {most}")))


def add_letter(draft: Draft) -> None:
    """A bound for the codes that begin with one letter."""
    code, other = _classes(draft), draft.some()
    path, voice = draft.layout.path(code), draft.voice(other)
    condition = f"substring({path}, 1, 1) = '{draft.rng.choice(_LETTERS)}'"
    limit = draft.quantile(other, draft.rng.choice((0.5, 0.8, 0.97)))
    draft.add_rule("letter", f"not({condition}) or {voice.term(other)} <= {limit}")


def add_composed(draft: Draft) -> None:
    """A code that is composed of two others."""
    code = _classes(draft)
    letter = draft.add_text(f"Letter{len(draft.text)}", [(cell or "")[:1] for cell in draft.columns[code]])
    number = draft.add([(cell or "")[1:] for cell in draft.columns[code]])
    whole, first, rest = (draft.layout.path(name) for name in (code, letter, number))
    forms = (f"concat({first}, {rest}) = {whole}", f"substring({whole}, 1, 1) = {first}")
    draft.add_rule("composed", draft.rng.choice(forms))


CODES: tuple[tuple[Callable[[Draft], None], int], ...] = (
    (add_division, 2),
    (add_last_digit, 2),
    (add_letter, 2),
    (add_composed, 1),
)
