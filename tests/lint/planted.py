"""Rule sets with planted faults: questionnaires in sections, some of whose rules are wrong in a known way.

A section has amounts with an interval each, a sum in exact arithmetic, an order and a rule with a condition, all of
which some record satisfies and none of which follows from the others. A fault adds rules on variables of its section.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from constraint_sdc.lint.finding import LintFinding, LintResult


@dataclass(frozen=True)
class Planted:
    """A fault: the code of the finding, and the rules at one of which it must be reported."""

    code: str
    rules: frozenset[str]


@dataclass
class PlantedRules:
    """A rule set in the making."""

    tests: list[tuple[str, str]] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    faults: list[Planted] = field(default_factory=list)

    def add(self, name: str, test: str) -> None:
        self.tests.append((name, test))

    def plant(self, code: str, *rules: str) -> None:
        self.faults.append(Planted(code, frozenset(rules)))

    @property
    def count(self) -> int:
        return len(self.tests) + sum(pattern.count("<assert") for pattern in self.patterns)

    def schema(self) -> str:
        """Return the rules as Schematron."""
        asserts = "\n".join(f"    <assert id={quoteattr(n)} test={quoteattr(t)}>{n}</assert>" for n, t in self.tests)
        return (
            '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">\n'
            f'  <pattern id="all"><rule context="Record">\n{asserts}\n  </rule></pattern>\n'
            + "\n".join(self.patterns)
            + "\n</schema>\n"
        )


def sound_section(rules: PlantedRules, number: int, chance: random.Random) -> list[str]:
    """Add the rules of a section: five amounts, a sum, an order, and a condition. Return the amounts."""
    names = [f"S{number}A{place}" for place in range(5)]
    tops = [chance.randint(5, 90) * 100 for _ in names]
    for name, top in zip(names, tops, strict=True):
        rules.add(f"{name}-range", f"number({name}) >= 0 and number({name}) <= {top}")
    first, second, third, fourth, fifth = names
    total = f"S{number}T"
    rules.add(f"S{number}-sum", f"xs:decimal({first}) + xs:decimal({second}) = xs:decimal({total})")
    rules.add(f"S{number}-total", f"number({total}) >= 0 and number({total}) <= {tops[0] + tops[1] - 1}")
    rules.add(f"S{number}-order", f"number({third}) <= number({fourth}) + {tops[2] // 2}")
    rules.add(f"S{number}-if", f"not(number({fourth}) > {tops[3] // 2}) or number({fifth}) >= {tops[4] // 3}")
    return names


Fault = Callable[[PlantedRules, str, list[str]], None]
_FAULTS_OF_SECTION = 8


# One function per fault: it adds rules to a section and says what must be found.


def _conflict(rules: PlantedRules, key: str, _: list[str]) -> None:
    new, other = f"{key}X", f"{key}Y"
    rules.add(f"{key}-a", f"number({new}) >= number({other}) + 10 and number({new}) <= 1000 and number({other}) >= 0")
    rules.add(f"{key}-b", f"number({new}) <= number({other}) + 5")
    rules.plant("conflict", f"{key}-a", f"{key}-b")


def _impossible(rules: PlantedRules, key: str, _: list[str]) -> None:
    rules.add(f"{key}-a", f"number({key}W) >= 0 and number({key}W) < -1")
    rules.plant("conflict", f"{key}-a")


def _implied(rules: PlantedRules, key: str, names: list[str]) -> None:
    rules.add(f"{key}-a", f"number({names[1]}) + number({names[2]}) <= 1000000")
    rules.plant("implied", f"{key}-a")


def _duplicate(rules: PlantedRules, key: str, names: list[str]) -> None:
    rules.add(f"{key}-a", f"number({names[2]}) + number({names[4]}) != 13")
    rules.add(f"{key}-b", f"2 * number({names[4]}) != 26 - 2 * number({names[2]})")
    rules.plant("duplicate", f"{key}-b")


def _never_fires(rules: PlantedRules, key: str, names: list[str]) -> None:
    rules.add(f"{key}-a", f"not(number({names[3]}) > 20000) or number({names[2]}) > 5")
    rules.plant("never-fires", f"{key}-a")


def _contradictory(rules: PlantedRules, key: str, names: list[str]) -> None:
    rules.add(f"{key}-a", f"not(number({names[3]}) > 20 and number({names[3]}) < 10) or number({names[2]}) > 5")
    rules.plant("contradictory-condition", f"{key}-a")


def _conditional(rules: PlantedRules, key: str, names: list[str]) -> None:
    rules.add(f"{key}-a", f"not({key}Z = 'yes') or number({names[4]}) >= 400")
    rules.add(f"{key}-b", f"not({key}Z = 'yes') or number({names[4]}) <= 300")
    rules.plant("conditional-conflict", f"{key}-a", f"{key}-b")


def _always(rules: PlantedRules, key: str, names: list[str]) -> None:
    rules.add(f"{key}-a", f"not(number({names[0]}) > 5) or number({names[0]}) > 4")
    rules.plant("always-holds", f"{key}-a")


def _fixed(rules: PlantedRules, key: str, _: list[str]) -> None:
    rules.add(f"{key}-a", f"xs:decimal({key}P) + xs:decimal({key}Q) = 70")
    rules.add(f"{key}-b", f"xs:decimal({key}P) - xs:decimal({key}Q) = 10")
    rules.plant("fixed-variable", f"{key}-a", f"{key}-b")
    rules.plant("fixed-variable", f"{key}-a", f"{key}-b")


def _bounded(rules: PlantedRules, key: str, names: list[str]) -> None:
    rules.add(f"{key}-a", f"number({key}B) <= number({names[0]})")
    rules.plant("implied-bound", f"{key}-a", f"{names[0]}-range")


def _never_present(rules: PlantedRules, key: str, names: list[str]) -> None:
    rules.add(f"{key}-a", f"not({key}N) or number({key}N) > number({names[0]}) + 9")
    rules.add(f"{key}-b", f"not({key}N) or number({key}N) < number({names[0]}) + 3")
    rules.plant("never-present", f"{key}-a", f"{key}-b")
    rules.plant("conditional-conflict", f"{key}-a", f"{key}-b")


def _text_order(rules: PlantedRules, key: str, names: list[str]) -> None:
    rules.add(f"{key}-a", f"{names[0]} <= {names[3]}")
    rules.plant("text-comparison", f"{key}-a")


def _inexact(rules: PlantedRules, key: str, _: list[str]) -> None:
    rules.add(f"{key}-a", f"number({key}D) + number({key}E) = number({key}F)")
    rules.plant("inexact-equality", f"{key}-a")


def _unguarded(rules: PlantedRules, key: str, _: list[str]) -> None:
    rules.add(f"{key}-a", f"not({key}O) or number({key}O) >= 0")
    rules.add(f"{key}-b", f"number({key}O) <= 5000")
    rules.plant("missing-guard", f"{key}-b")


def _quadratic(rules: PlantedRules, key: str, names: list[str]) -> None:
    rules.add(f"{key}-a", f"count(//Record[{names[0]} = current()/{names[0]}]) = 1")
    rules.plant("quadratic-lookup", f"{key}-a")


def _explosive(rules: PlantedRules, key: str, _: list[str]) -> None:
    rules.add(f"{key}-a", f"matches({key}R, '^([A-Z]+[0-9]*)+$')")
    rules.plant("explosive-regex", f"{key}-a")


def _hidden(rules: PlantedRules, key: str, names: list[str]) -> None:
    rules.patterns.append(
        f'  <pattern id="{key}"><rule context="Record[number({names[0]}) &gt;= 10]">'
        f'<assert id="{key}-a" test="number({names[1]}) != 17">a</assert></rule>'
        f'<rule context="Record[number({names[0]}) &gt; 500]">'
        f'<assert id="{key}-b" test="number({names[1]}) != 18">b</assert></rule></pattern>'
    )
    rules.plant("hidden-rule", f"{key}-b")


FAULTS: tuple[Fault, ...] = (
    _conflict,
    _impossible,
    _implied,
    _duplicate,
    _never_fires,
    _contradictory,
    _conditional,
    _always,
    _fixed,
    _bounded,
    _never_present,
    _text_order,
    _inexact,
    _unguarded,
    _quadratic,
    _explosive,
    _hidden,
)


def planted_rules(faults: int, rules: int, seed: int = 1) -> PlantedRules:
    """Return a set with at least so many faults among at least so many rules."""
    chance = random.Random(seed)
    made = PlantedRules()
    waiting: list[Fault] = []
    number = 0
    while len(made.faults) < faults or made.count < rules:
        names = sound_section(made, number, chance)
        number += 1
        if len(waiting) < _FAULTS_OF_SECTION:
            waiting = chance.sample(FAULTS, len(FAULTS))
        for place, fault in enumerate(waiting[:_FAULTS_OF_SECTION]):
            if len(made.faults) < faults:
                fault(made, f"F{number}K{place}", names)
        del waiting[:_FAULTS_OF_SECTION]
    return made


@dataclass(frozen=True)
class ComparedFindings:
    """Planted faults that were not found, and findings that nobody planted."""

    missed: list[Planted]
    invented: list[LintFinding]


def compare_with_planted(made: PlantedRules, result: LintResult) -> ComparedFindings:
    """Match every finding with one fault of its code at one of its rules."""
    missed, invented = list(made.faults), []
    for finding in result.findings:
        fits = [fault for fault in missed if fault.code == finding.code and finding.rule.id in fault.rules]
        if fits:
            missed.remove(fits[0])
        else:
            invented.append(finding)
    return ComparedFindings(missed, invented)
