"""What rules say together: where they contradict each other, and which of them say nothing new.

Rules that share no variable are asked about apart. A rule counts as implied only by rules that are at least as severe:
a warning at 50 does not make an error at 100 needless, because the warning may be ignored. A set of rules that
contradict each other is reported once and left out of all further questions, because everything follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.constraints.constraint import AllOf, AnyOf, Formula
from constraint_sdc.constraints.simplify import negate
from constraint_sdc.lint.ranges import Range, RangeSearch
from constraint_sdc.lint.solver import Solver
from constraint_sdc.lint.stated import StatedRule, all_values, asks_presence, connected

_NEVER, _ALWAYS = AnyOf(()), AllOf(())
Question: TypeAlias = OneOf["conflict", "condition", "implied", "range"]


@dataclass(slots=True)
class Consequences:
    """The answers. Rules are named by id, and beside each stand the rules from which its answer follows.

    `conflicts` are minimal: without any one of its rules, the others can hold together. `conflicts_of_values` are those
    that only a missing value resolves, looked for where rules pass over missing values. `undecided` are questions, with
    the rule or variable in question, that the solver left open.
    """

    conflicts: list[tuple[str, ...]] = field(default_factory=list)
    conflicts_of_values: list[tuple[str, ...]] = field(default_factory=list)
    impossible_conditions: list[str] = field(default_factory=list)
    never_fires: dict[str, tuple[str, ...]] = field(default_factory=dict)
    conditional_conflicts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    always_holds: list[str] = field(default_factory=list)
    duplicates: dict[str, str] = field(default_factory=dict)
    implied: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ranges: list[Range] = field(default_factory=list)
    undecided: list[tuple[Question, str]] = field(default_factory=list)


def find_consequences(
    rules: Sequence[StatedRule], hidden: frozenset[str] = frozenset(), *, pass_over_missing: bool = False
) -> Consequences:
    """Ask every question about every part of the rules; `hidden` rules, which never fire, are asked nothing.

    Rules that `pass_over_missing` values hardly ever contradict each other; of them, records with all values are asked
    about too.
    """
    found = Consequences()
    heard = [rule for rule in rules if rule.id not in hidden]
    found.conflicts += [(rule.id,) for rule in heard if rule.formula == _NEVER]
    found.always_holds += [rule.id for rule in heard if rule.formula == _ALWAYS]
    for part in connected(heard):
        _PartOfRules(part, found, all_values(part) if pass_over_missing else ()).ask()
    return found


class _PartOfRules:
    """Rules that share variables, and one solver for all questions about them."""

    def __init__(self, rules: Sequence[StatedRule], found: Consequences, values: tuple[Formula, ...] = ()) -> None:
        self._rules = {rule.id: rule for rule in rules}
        self._values = values
        self._found = found
        self._solver = Solver({rule.id: rule.formula for rule in rules})

    def ask(self) -> None:
        """Ask the questions in their order: each leaves out the rules that an earlier one has reported."""
        consistent = self._without_conflicts()
        if consistent is None:
            return
        consistent = self._without_conflicts_of_values(consistent)
        heard = self._with_conditions(consistent)
        kept = self._without_implied(consistent, heard)
        search = RangeSearch(self._solver, [self._rules[name] for name in kept])
        self._found.ranges += search.found()
        self._found.undecided += [("range", name) for name in search.undecided]

    def _without_conflicts(self) -> list[str] | None:
        """Return the rules without those of every conflict, the strictest rules first; None if that is not known."""
        kept: list[str] = []
        for strictness in sorted({rule.strictness for rule in self._rules.values()}):
            kept += [rule.id for rule in self._rules.values() if rule.strictness == strictness]
            while (solved := self._solver.solve(kept)).answer != "yes":
                if solved.answer == "unknown":
                    self._found.undecided.append(("conflict", kept[0]))
                    return None
                core = self._solver.minimal(solved.core)
                self._found.conflicts.append(self._in_order(core))
                kept = [name for name in kept if name not in core]
        return list(self._in_order(kept))

    def _without_conflicts_of_values(self, kept: list[str]) -> list[str]:
        """Return the rules without those that no record with all values satisfies together.

        A rule that asks whether a variable is there may mean records without it, and takes no part.
        """
        asked = [name for name in kept if not asks_presence(self._rules[name])]
        while self._values and (solved := self._solver.solve(asked, *self._values)).answer != "yes":
            if solved.answer == "unknown":
                self._found.undecided.append(("conflict", asked[0]))
                break
            core = self._solver.minimal(solved.core, *self._values)
            if not core:
                break
            self._found.conflicts_of_values.append(self._in_order(core))
            asked, kept = ([name for name in names if name not in core] for names in (asked, kept))
        return kept

    def _with_conditions(self, kept: list[str]) -> list[str]:
        """Ask whether each condition can hold; return the rules of which nothing was reported."""
        reported: set[str] = set()
        told: set[frozenset[str]] = set()
        for name in kept:
            condition = self._rules[name].condition
            if condition is None:
                continue
            if self._solver.solve((), condition).answer == "no":
                self._found.impossible_conditions.append(name)
                reported.add(name)
                continue
            core = self._excluding(name, condition, kept)
            if core and name not in core:
                self._found.never_fires[name] = core
                reported.add(name)
            elif len(core) > 1 and frozenset(core) not in told:
                told.add(frozenset(core))
                self._found.conditional_conflicts[name] = tuple(other for other in core if other != name)
        return [name for name in kept if name not in reported]

    def _excluding(self, name: str, condition: Formula, kept: list[str]) -> tuple[str, ...]:
        """Return rules under which a condition cannot hold, without the rule itself if they suffice."""
        own = self._rules[name].strictness
        others = [other for other in kept if other != name and self._rules[other].strictness <= own]
        for asked in (others, [*others, name]):
            solved = self._solver.solve(asked, condition)
            if solved.answer == "unknown":
                self._found.undecided.append(("condition", name))
                return ()
            if solved.answer == "no":
                return self._in_order(self._solver.minimal(solved.core, condition))
        return ()

    def _without_implied(self, kept: list[str], heard: list[str]) -> list[str]:
        """Report rules that follow from the others, the last ones first, and return a set from which all follow."""
        left = list(kept)
        for name in reversed(heard):
            rule = self._rules[name]
            against = negate(rule.formula)
            if self._solver.solve((), against).answer == "no":
                self._found.always_holds.append(name)
                left.remove(name)
                continue
            others = [other for other in left if other != name and self._rules[other].strictness <= rule.strictness]
            core = self._implying(rule, against, others)
            if core:
                left.remove(name)
                self._tell_implied(rule, core)
        return left

    def _implying(self, rule: StatedRule, against: Formula, others: list[str]) -> tuple[str, ...]:
        """Return rules that imply a rule: one about the same variables if there is one, else a minimal set."""
        solved = self._solver.solve(others, against)
        if solved.answer == "unknown":
            self._found.undecided.append(("implied", rule.id))
        if solved.answer != "no":
            return ()
        alike = [other for other in others if set(self._rules[other].variables) == set(rule.variables)]
        for other in sorted(alike, key=lambda other: self._rules[other].formula != rule.formula):
            if self._solver.solve([other], against).answer == "no":
                return (other,)
        return self._in_order(self._solver.minimal(solved.core, against))

    def _tell_implied(self, rule: StatedRule, core: tuple[str, ...]) -> None:
        is_twin = len(core) == 1 and self._solver.solve([rule.id], negate(self._rules[core[0]].formula)).answer == "no"
        if is_twin:
            self._found.duplicates[rule.id] = core[0]
        else:
            self._found.implied[rule.id] = core

    def _in_order(self, names: Iterable[str]) -> tuple[str, ...]:
        wanted = set(names)
        return tuple(name for name in self._rules if name in wanted)
