"""Search, test on the part kept aside, compare with a permuted file, leave out what follows from the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Flags, Positions
from constraint_sdc.constraints.constraint import Formula, LinearAtom, PresentAtom, SetAtom, atoms
from constraint_sdc.constraints.normalise import normalise
from constraint_sdc.constraints.simplify import negate
from constraint_sdc.data.table import Column, State
from constraint_sdc.discovery.alone import find_rules_alone
from constraint_sdc.discovery.conditions import find_conditional_rules, find_orders
from constraint_sdc.discovery.dependencies import find_dependencies, find_keys
from constraint_sdc.discovery.domains import distinct_texts, find_domains, with_mixed_characters
from constraint_sdc.discovery.equations import find_equations
from constraint_sdc.discovery.proposal import ALONE, Proposal, RuleCandidate
from constraint_sdc.discovery.sample import SearchSample, most_exceptions, take_sample
from constraint_sdc.evaluate.expression import variables_of
from constraint_sdc.evaluate.truth import evaluate_truth
from constraint_sdc.evaluate.value import Records
from constraint_sdc.lint.solver import Solver

_MOST_CONDITIONAL = 100
_STATING = frozenset({"interval", "set", "code table"})
_DESCRIBING = ALONE - {"not negative"}  # what a variable looks like is told even where it follows from others
_LOGICAL = (LinearAtom, SetAtom, PresentAtom)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The rows of a file in two parts, each in random order: those searched and those kept aside."""

    searched: Positions
    kept: Positions


@dataclass(frozen=True, slots=True)
class FoundRules:
    """Proposals, and how many candidates were left out for which reason."""

    proposals: tuple[Proposal, ...]
    refuted: int
    unsurprising: int
    implied: int


def split(records: int, holdout: float, seed: int) -> HeldOut:
    """Deal the records out at random; the same seed deals the same."""
    order = np.random.default_rng(seed).permutation(records)
    kept = round(records * holdout)
    return HeldOut(order[kept:], order[:kept])


def discover(columns: Mapping[str, Column], parts: HeldOut, seed: int, exceptions: float = 0.0) -> FoundRules:
    """Return the rules that both parts satisfy and that are worth a person's time.

    A rule may have a share of `exceptions` among the records that test it, in either part.
    """
    sample = take_sample(columns, parts.searched, exceptions)
    candidates = list(_candidates(sample, columns))
    tests = _Tests(columns, parts, seed, exceptions)
    proposed: list[Proposal] = []
    left_out: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for candidate in candidates:
        verdict = tests.verdict(candidate)
        if verdict is not None:
            left_out[verdict] += 1
            continue
        proposed.append(tests.proposal(candidate, names))
    kept = _without_implied(proposed)
    return FoundRules(tuple(kept), left_out["refuted"], left_out["unsurprising"], len(proposed) - len(kept))


def _candidates(sample: SearchSample, columns: Mapping[str, Column]) -> Iterator[RuleCandidate]:
    """Yield the candidates, the most surprising first, then those about one variable."""
    conditional = sorted(find_conditional_rules(sample), key=_by_surprise)[:_MOST_CONDITIONAL]
    related = [*find_equations(sample), *find_orders(sample), *find_dependencies(sample), *conditional]
    related += find_domains(sample, columns)
    yield from sorted(related, key=_by_surprise)
    yield from find_keys(sample)
    yield from find_rules_alone(sample)


def _by_surprise(candidate: RuleCandidate) -> tuple[int, float]:
    # An equation says more than any inequality with which it shares its variables.
    return candidate.kind not in ("sum", "ratio", "product"), -(candidate.bits or 0.0)


class _Tests:
    """Tests candidates on all records of either part, by the evaluator that `check` uses, and on a permuted file."""

    def __init__(self, columns: Mapping[str, Column], parts: HeldOut, seed: int, exceptions: float) -> None:
        self._columns, self._exceptions, self._seed = columns, exceptions, seed
        chance = np.random.default_rng([seed, 1])
        searched = {name: column.take(parts.searched) for name, column in columns.items()}
        self._permuted = {name: one.take(chance.permutation(len(one))) for name, one in searched.items()}
        self._kept = {name: column.take(parts.kept) for name, column in columns.items()}
        self._searched = searched

    def verdict(self, candidate: RuleCandidate) -> str | None:
        """Return why a candidate is not proposed, or None."""
        parts = [self._searched, self._kept, *([self._columns] if candidate.across else [])]
        if not all(self._holds(candidate, part, self._exceptions) for part in parts):
            return "refuted"
        # A rule without an exception is compared with a permuted file that has none either.
        share = self._exceptions if self._broken(candidate, self._columns) else 0.0
        if candidate.kind not in ALONE and self._holds(candidate, self._shuffled(candidate), share):
            return "unsurprising"
        return None

    def _shuffled(self, candidate: RuleCandidate) -> Mapping[str, Column]:
        """Return the searched records with permuted values; of a rule with a condition, only that is permuted.

        Of a value domain, the characters of values are: wherever its values stand, they are the same.
        """
        if candidate.kind == "value domain":
            name, chance = candidate.across[0], np.random.default_rng([self._seed, 2])
            return {**self._searched, name: with_mixed_characters(self._searched[name], chance)}
        condition = candidate.parameters.get("condition")
        if condition is None:
            return self._permuted
        return {**self._searched, **{name: self._permuted[name] for name in variables_of(condition)}}

    def proposal(self, candidate: RuleCandidate, names: Counter[str]) -> Proposal:
        """Return a candidate under an id of its own, with the records that tested it."""
        wished = f"{candidate.kind.replace(' ', '-')}-{_id_of(candidate.variables[-1])}"
        names[wished] += 1
        guarded = tuple(name for name in candidate.variables if not self._is_complete(name, candidate))
        return Proposal(
            wished if names[wished] == 1 else f"{wished}-{names[wished]}",
            candidate,
            _cases(candidate, self._searched),
            _cases(candidate, self._kept),
            guarded,
            candidate.kind in _STATING or candidate.kind == "if-then",
            self._broken(candidate, self._columns),
        )

    def _is_complete(self, name: str, candidate: RuleCandidate) -> bool:
        if name not in _read_as_values(candidate):
            return True
        return all(bool((part[name].state == State.VALUE).all()) for part in (self._searched, self._kept))

    def _holds(self, candidate: RuleCandidate, columns: Mapping[str, Column], exceptions: float) -> bool:
        broken = self._broken(candidate, columns)
        return not broken or broken <= most_exceptions(exceptions, _cases(candidate, columns))

    def _broken(self, candidate: RuleCandidate, columns: Mapping[str, Column]) -> int:
        """Count the records that break a rule, or on which the evaluator is not sure of it."""
        applies = _applies(candidate, columns)
        if candidate.expression is None:
            return _broken_across(candidate, columns, applies, self._columns)
        verdict = evaluate_truth(candidate.expression, Records(columns, len(applies)), xpath1=False, domains={})
        return int((applies & ~(verdict.truth & ~verdict.unsure)).sum())


def _cases(candidate: RuleCandidate, columns: Mapping[str, Column]) -> int:
    """Count the records that test a rule: those with its values, and with its condition if it has one."""
    applies, condition = _applies(candidate, columns), candidate.parameters.get("condition")
    if condition is None:
        return int(applies.sum())
    verdict = evaluate_truth(condition, Records(columns, len(applies)), xpath1=False, domains={})
    return int((applies & verdict.truth).sum())


def _applies(candidate: RuleCandidate, columns: Mapping[str, Column]) -> Flags:
    """Tell which records have all values that a rule reads; a rule about missing values reads every record."""
    count = len(next(iter(columns.values())))
    applies = np.ones(count, np.bool_)
    for name in _read_as_values(candidate):
        applies &= columns[name].state == State.VALUE
    return applies


def _read_as_values(candidate: RuleCandidate) -> tuple[str, ...]:
    """Return the variables that a rule reads; not those of which it asks whether they are there."""
    if candidate.expression is None:
        return candidate.variables[:1] if candidate.kind == "value domain" else candidate.variables
    found = atoms(normalise(candidate.expression, xpath1=False))
    asked = {atom.variable for atom in found if isinstance(atom, PresentAtom)}
    return tuple(name for name in candidate.variables if name not in asked)


def _broken_across(
    candidate: RuleCandidate, columns: Mapping[str, Column], applies: Flags, whole: Mapping[str, Column]
) -> int:
    """Count the records that break a rule across records; the values of a domain are those of the whole file."""
    rows = np.flatnonzero(applies)
    if candidate.kind == "value domain":
        name, other = candidate.across
        domain = distinct_texts(whole[other])
        return sum(text not in domain for text in columns[name].take(rows).texts())
    texts = [columns[name].take(rows).texts() for name in candidate.across]
    if len(texts) == 1:
        return sum(count for count in Counter(texts[0]).values() if count > 1)
    keys, pairs = Counter(texts[0]), Counter(zip(*texts, strict=True))
    # As the rule asks: the record has the value that most records with its key have.
    return sum(count for (key, _), count in pairs.items() if 2 * count <= keys[key])


def _id_of(name: str) -> str:
    return "".join(letter for letter in name.rpartition("}")[2] if letter.isalnum() or letter in "_.-") or "variable"


# What follows from the other proposals is left out, the least surprising first.


def _without_implied(proposals: list[Proposal]) -> list[Proposal]:
    formulas = {one.id: formula for one in proposals if (formula := _formula(one)) is not None}
    solver = Solver(formulas)
    left = dict.fromkeys(formulas)
    is_exact = {one.id: not one.exceptions for one in proposals}
    # Signs come last: an order that follows from a sum and a sign says less than the sign.
    # Rules with exceptions come first: one that follows from others says nothing more, and nothing follows from it.
    backwards = proposals[::-1]
    for one in sorted(backwards, key=lambda one: (is_exact[one.id], one.kind == "not negative")):
        if one.id in left and one.kind not in _DESCRIBING:
            others = [name for name in left if name != one.id and (is_exact[name] or not is_exact[one.id])]
            if solver.solve(others, negate(formulas[one.id])).answer == "no":
                del left[one.id]
    return [one for one in proposals if one.id in left or one.id not in formulas]


def _formula(proposal: Proposal) -> Formula | None:
    """Return a rule as a formula; products are left out, because the solver may take long over them."""
    expression = proposal.candidate.expression
    if expression is None or proposal.guarded:
        return None
    formula = normalise(expression, xpath1=False)
    return formula if all(isinstance(atom, _LOGICAL) for atom in atoms(formula)) else None
