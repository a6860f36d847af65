"""Ways out of a refusal: tried on the data, masked and judged like any masking, before one is offered."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from constraint_sdc.commands.masking.carrying_out import carry_out
from constraint_sdc.commands.masking.judging import judge_masking
from constraint_sdc.commands.masking.preparation import Original, Prepared, prepare
from constraint_sdc.commands.masking.settings import LEAST_K
from constraint_sdc.errors import (
    CannotShareError,
    Conflict,
    ConstraintSdcError,
    NotPublishedError,
    PlanRefusedError,
    PromiseChange,
    UsageError,
    WayOut,
)
from constraint_sdc.limits import LARGE_RECORDS, TRIALS, TRIALS_OF_LARGE
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.plan.plan import Plan
from constraint_sdc.reports.refusal import ways_lines
from constraint_sdc.settings.mask_settings import MaskSettings
from constraint_sdc.settings.protect import with_change
from constraint_sdc.settings.words import Role, VariableWish

_MOST_CHANGES = 3  # rules left out, or variables left as they are, in one way out

Refusal = PlanRefusedError | NotPublishedError


def advised(refusal: Refusal, original: Original, settings: MaskSettings[Masker]) -> Refusal:
    """Return the refusal with the ways out that work; as it is, if it is not about rules."""
    if refusal.conflict is None:
        return refusal
    search = _TriedWays(original, settings, refusal.conflict)
    search.run()
    conflict, ways = refusal.conflict, tuple(search.working)
    advice = ways_lines(search.working, search.failing, settings.recipe.protect)
    if isinstance(refusal, CannotShareError):
        return CannotShareError(refusal.what, others=refusal.others, conflict=conflict, advice=advice, ways=ways)
    if isinstance(refusal, PlanRefusedError):
        return PlanRefusedError(refusal.what, conflict=conflict, advice=advice, ways=ways)
    return NotPublishedError(
        refusal.what, details=refusal.details, file=refusal.file, conflict=conflict, advice=advice, ways=ways
    )


@dataclass(slots=True)
class _TriedWays:
    """The ways that were tried, with those that work; kinds of ways take turns until each has one that works.

    A way that leaves out every rule gives up the promise about rules: it waits in `last` until no other has worked.
    """

    original: Original
    settings: MaskSettings[Masker]
    conflict: Conflict
    working: list[WayOut] = field(default_factory=list)
    failing: list[WayOut] = field(default_factory=list)
    last: list[WayOut] = field(default_factory=list)

    def run(self) -> None:
        """Try ways; an error that has nothing to do with a way ends the search."""
        records = self.original.dataset.table.records
        left = TRIALS if records <= LARGE_RECORDS else TRIALS_OF_LARGE
        kinds = deque(_WaysOfOneKind(list(first), following) for first, following in self._kinds())
        try:
            while left and kinds:
                kind = kinds.popleft()
                self._hold_back(kind)
                if kind.waiting:
                    self._try(kind)
                    left -= 1
                    kinds.append(kind)
            if left and self.last and not self.working:
                self._try(_WaysOfOneKind(self.last[:1], lambda _way, _conflict: None))
        except ConstraintSdcError:
            return

    def _hold_back(self, kind: _WaysOfOneKind) -> None:
        """Take the ways that leave out every rule from those that wait."""
        if not self.original.has_rules:
            return
        rules = {assertion.id for assertion in self.original.rule_set.schema.assertions()}
        every = [way for way in kind.waiting if way.without and rules <= set(way.without)]
        self.last += [replace(way, is_without_rules=True) for way in every]
        kind.waiting = [way for way in kind.waiting if way not in every]

    def _try(self, kind: _WaysOfOneKind) -> None:
        way = kind.waiting.pop(0)
        try:
            loss = self._mask(way)
        except (PlanRefusedError, NotPublishedError, UsageError) as refusal:
            self.failing.append(way)
            conflict = None if isinstance(refusal, UsageError) else refusal.conflict
            following = None if conflict is None else kind.following(way, conflict)
            if following is not None and following not in (*self.failing, *kind.waiting):
                kind.waiting.append(following)
        else:
            self.working.append(replace(way, loss=loss) if way.promises else way)
            kind.waiting.clear()

    def _kinds(self) -> Iterator[tuple[Iterator[WayOut], _Following]]:
        if self.conflict.weaker:
            yield self._larger_ks(), lambda _way, _conflict: None
            if all(change.entry for change in self.conflict.weaker):
                yield iter((WayOut(promises=self.conflict.weaker),)), _weaker_promise
            yield iter((WayOut(promises=tuple(dict.fromkeys(map(_left_out, self.conflict.weaker)))),)), _no_promise
            return
        if self.conflict.is_torn:
            yield iter((WayOut(is_one_block=True),)), lambda _way, _conflict: None
        if self.conflict.verbatim:
            yield iter((WayOut(verbatim=self.conflict.verbatim),)), _more_verbatim
            yield self._slightly_larger_ks(), lambda _way, _conflict: None
            yield self._rules_left_out(), _another_rule
            return
        yield self._smaller_ks(self.conflict), self._smaller_k
        yield self._pins_masked(), lambda _way, _conflict: None
        yield self._rules_left_out(), _another_rule
        yield (WayOut(roles=((name, "untouched"),)) for name in self.conflict.variables[:2]), _another_variable

    def _larger_ks(self) -> Iterator[WayOut]:
        """Yield larger groups where too many records are linked: that they hide more is known, not how much."""
        k, records = self.settings.k, self.original.dataset.table.records
        if self.conflict.weaker[0].promise == "linkage" and self.settings.masker.takes_k:
            yield from (WayOut(k=times * k) for times in (2, 4, 8) if times * k <= records // 2)

    def _smaller_ks(self, conflict: Conflict) -> Iterator[WayOut]:
        k, least = self.settings.k, self.settings.masker.least_k
        wished = (k - 1, k // 2, LEAST_K) if conflict.fewest is None else (conflict.fewest,)
        for smaller in dict.fromkeys(wished):
            if max(least, LEAST_K) <= smaller < k:
                yield WayOut(k=smaller)

    def _slightly_larger_ks(self) -> Iterator[WayOut]:
        """Yield larger groups: their means are less often somebody's record."""
        k, records = self.settings.k, self.original.dataset.table.records
        if self.settings.masker.takes_k:
            yield from (WayOut(k=larger) for larger in (k + 1, 2 * k, 3 * k) if larger <= records)

    def _smaller_k(self, way: WayOut, conflict: Conflict) -> WayOut | None:
        """Return the way by the k that the next conflict allows."""
        return next((one for one in self._smaller_ks(conflict) if one.k is not None and one.k < (way.k or 0)), None)

    def _pins_masked(self) -> Iterator[WayOut]:
        """Yield the masking of variables that the recipe leaves as they are: of each, and of all together."""
        wishes = self.settings.recipe.variables
        pins = [pin for pin in self.conflict.pins if pin in wishes and wishes[pin].role is Role.UNTOUCHED]
        masked = [(pin, Role.CONFIDENTIAL.value) for pin in pins]
        yield from (WayOut(roles=(one,)) for one in masked)
        if len(masked) > 1:
            yield WayOut(roles=tuple(masked))

    def _rules_left_out(self) -> Iterator[WayOut]:
        """Yield one rule after the other; of a file that was masked and judged, all rules that it breaks.

        Of records that cannot be moved off actual ones, few rules are tried one by one first: one is often to blame.
        """
        rules = self.conflict.rules
        together = not self.conflict.records and len(rules) > 1
        if not together or (self.conflict.verbatim and len(rules) <= _MOST_CHANGES):
            yield from (WayOut(without=(rule,)) for rule in rules)
        if together:
            yield WayOut(without=rules)

    def _mask(self, way: WayOut) -> float:
        """Mask and judge by a way out, in a folder that is then removed; the errors of a masking if it fails.

        Return the information loss.
        """
        settings = _changed(self.settings, way)
        original = self.original.without_rules() if way.is_without_rules else self.original
        plan, masked = carry_out(_without_rules(prepare(original, settings), way.without))
        with TemporaryDirectory(prefix="constraint-sdc-") as folder:
            staged = (Path(folder) / "masked").with_suffix(original.dataset.path.suffix)
            judge_masking(original, plan, masked, staged, staged, settings.recipe, frozenset(way.without))
        return _mean_loss(plan)


_Following = Callable[[WayOut, Conflict], WayOut | None]


@dataclass(slots=True)
class _WaysOfOneKind:
    """Ways of one kind that wait to be tried; `following` gives one more after a way that failed by a new conflict."""

    waiting: list[WayOut]
    following: _Following


def _another_rule(way: WayOut, conflict: Conflict) -> WayOut | None:
    """Return the way that also leaves out a rule of the next conflict."""
    more = [rule for rule in conflict.rules if rule not in way.without]
    return replace(way, without=(*way.without, more[0])) if more and len(way.without) < _MOST_CHANGES else None


def _more_verbatim(way: WayOut, conflict: Conflict) -> WayOut | None:
    """Return the way that allows as many verbatim records as the next conflict has."""
    return replace(way, verbatim=conflict.verbatim) if conflict.verbatim > (way.verbatim or 0) else None


def _another_variable(way: WayOut, conflict: Conflict) -> WayOut | None:
    """Return the way that also leaves a variable of the next conflict as it is."""
    names = [name for name, _ in way.roles]
    more = [name for name in conflict.variables if name not in names]
    return replace(way, roles=(*way.roles, (more[0], "untouched"))) if more and len(names) < _MOST_CHANGES else None


def _weaker_promise(way: WayOut, conflict: Conflict) -> WayOut | None:
    """Return the way that also weakens the promise of the next conflict."""
    entries = {(change.promise, change.of, change.entry): change for change in (*way.promises, *conflict.weaker)}
    return replace(way, promises=tuple(entries.values())) if conflict.weaker else None


def _no_promise(way: WayOut, conflict: Conflict) -> WayOut | None:
    """Return the way that also leaves out the promise of the next conflict."""
    more = tuple(out for out in map(_left_out, conflict.weaker) if out not in way.promises)
    return replace(way, promises=(*way.promises, *more[:1])) if more else None


def _left_out(change: PromiseChange) -> PromiseChange:
    return PromiseChange(change.promise, change.of)


def _mean_loss(plan: Plan) -> float:
    """Return the information loss of the blocks, each counted by the number of its variables."""
    prices = [(len(block.names), block.price.loss) for block in plan.blocks if block.price is not None]
    return sum(count * loss for count, loss in prices) / max(1, sum(count for count, _ in prices))


def _changed(settings: MaskSettings[Masker], way: WayOut) -> MaskSettings[Masker]:
    """Return the settings by a way out; the entry of a variable is replaced by exactly what the message says."""
    roles = {name: VariableWish(role=Role(role)) for name, role in way.roles}
    protect = settings.recipe.protect
    for change in way.promises:
        protect = with_change(protect, change)
    recipe = replace(settings.recipe, variables={**settings.recipe.variables, **roles}, protect=protect)
    if way.verbatim is not None:
        recipe = replace(recipe, protect=replace(recipe.protect, verbatim=way.verbatim))
    if way.is_one_block:
        recipe = replace(recipe, groups="all", group_size=None)
    return replace(settings, recipe=recipe, k=settings.k if way.k is None else way.k)


def _without_rules(prepared: Prepared, left_out: Sequence[str]) -> Prepared:
    inputs = prepared.plan_inputs
    rules = tuple(rule for rule in inputs.rules if rule.id not in left_out)
    broken = {rule: rows for rule, rows in inputs.broken.items() if rule not in left_out}
    return replace(prepared, plan_inputs=replace(inputs, rules=rules, broken=broken))
