"""Patterns: what we rewrite for Python matches as Saxon matches, and the rest is refused."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from constraint_sdc.evaluate.expression import Call, Expression, Literal, Variable
from constraint_sdc.evaluate.regex import translated
from constraint_sdc.evaluate.truth import refuses
from constraint_sdc.evaluate.value import NotMine

if TYPE_CHECKING:
    from conftest import Oracle

SINGLES = (*'ab15-,:;_ %&#@!~/"=<>', r"\d", r"\w", r"\s", ".", r"\.", r"\-", r"\$", r"\n", r"\t")
SINGLES += (r"\p{L}", r"\p{Lu}", r"\p{N}")
INVERSE = (r"\D", r"\W", r"\S", r"\P{L}", "[^a]", "[^0-9x]", r"[^\s]")
MEMBERS = ("a-c", "0-9", "A-Z", "-", ".", r"\d", r"\w", r"\s", "_", "x", r"\-", r"\]", "+", "*", "$", "(", "|", ",")
QUANTIFIERS = ("", "", "", "", "?", "*", "+", "{2}", "{1,2}", "{1,}", "{0,1}")


def _pattern(random: Random, depth: int) -> str:
    if random.random() < 0.5:
        return random.choice(["", "^"]) + _branch(random, depth, SINGLES + INVERSE) + random.choice(["", "$"])
    # Saxon 13.1 ends the whole process on some alternatives with inverse classes, such as `(5?\S|a)b`.
    branches = [_branch(random, depth, SINGLES) for _ in range(random.choice([1, 2]))]
    return "|".join(random.choice(["", "^"]) + branch + random.choice(["", "$"]) for branch in branches)


def _branch(random: Random, depth: int, singles: tuple[str, ...]) -> str:
    return "".join(_piece(random, depth, singles) for _ in range(random.randint(1, 4)))


def _piece(random: Random, depth: int, singles: tuple[str, ...]) -> str:
    kind = random.random()
    if kind < 0.5:
        atom = random.choice(singles)
    elif kind < 0.75 or depth == 0:
        atom = f"[{''.join(random.choices(MEMBERS, k=random.randint(1, 3)))}]"
    else:
        inner = "|".join(_branch(random, depth - 1, SINGLES) for _ in range(random.choice([1, 1, 2])))
        atom = f"({random.choice(['', '?:'])}{inner})"
    return atom + random.choice(QUANTIFIERS)


@pytest.mark.parametrize("seed", range(6))
def test_patterns_match_as_saxon_matches(oracle: Oracle, seed: int) -> None:
    random = Random(seed)
    tests: list[Expression] = []
    while len(tests) < 60:
        test = Call("matches", (Variable("V1"), Literal(_pattern(random, 2))))
        if refuses(test, xpath1=False) is None:
            tests.append(test)
    letters = "aabbcABx115 .-_+*$,:;\t\n~<=^`|'\"(][\\{}/\xe9"
    records = [{"V1": "".join(random.choices(letters, k=random.randint(0, 8)))} for _ in range(60)]
    assert oracle.compare(tests, records, xpath1=False).cases == 3600


@pytest.mark.parametrize(
    "pattern",
    [
        r"a?^",  # Saxon says no
        r"(^a)b",
        r"(a+)+",  # exponential
        r"(a|ab)*c",  # exponential
        r"(a?)*",
        r"(a*)?",  # Saxon does not end on some repeats of what may be empty
        r"(a)\1",
        r"a*?",
        r"[a-z-[aeiou]]",
        r"[a-c-x]",  # a hyphen is first or last
        r"[\d-x]",
        r"[--]",
        r"\i\c*",
        r"(?=a)",
        r"[é]",
        r"a{3,1}",
        r"[z-a]",
        r"a**",
        r"(a",
        r"a)",
        r"[]",
        r"\p{IsGreek}",
    ],
)
def test_patterns_beyond_the_plain_are_refused(pattern: str) -> None:
    with pytest.raises(NotMine, match="not plain"):
        translated(pattern)


def test_flags_and_computed_patterns_are_refused() -> None:
    variable = Variable("V1")
    assert "flags" in str(refuses(Call("matches", (variable, Literal("a"), Literal("i"))), xpath1=False))
    assert "literal" in str(refuses(Call("matches", (variable, variable)), xpath1=False))


@pytest.mark.parametrize(
    "pattern", [r"^[A-Z]{2}\d+$", r"^-?\d+(\.\d+)?$", r"^(M|F)$", r"^\d{4}-\d{2}-\d{2}$", r"^(\d\d)*$", r"^[-+xyz]$"]
)
def test_everyday_patterns_are_taken(pattern: str) -> None:
    assert refuses(Call("matches", (Variable("V1"), Literal(pattern))), xpath1=False) is None
