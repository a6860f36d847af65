"""Idle rules: those that check nothing in a file of rows, or that look for a name that it does not have.

A rule that checks nothing holds trivially and proves nothing. A rule is idle if it fires on no node, or if its context,
its test or a variable that the test uses looks for an element or attribute that the file does not have there.

A name whose absence the rule asks about (`not(V17) or V17 > 0`) is expected to be missing from some files. It makes the
rule idle only if the file has a name that differs by one slip of the pen, or has no records at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from constraint_sdc.constraints.contexts import MatchPattern, take_apart
from constraint_sdc.constraints.rule_names import RuleNames, rule_names
from constraint_sdc.data.nearest_name import is_near, nearest_name
from constraint_sdc.errors import UsageError
from constraint_sdc.files.dataset import Dataset
from constraint_sdc.judge.finding import CheckResult, RuleResult
from constraint_sdc.schematron.schema import Pattern, Rule, Schema
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.xpath.names import FileNames, NameLooked
from constraint_sdc.xpath.xpath import parse_xpath

ALL_RULES = "all"
"""Stands for every rule where rules that may be idle are named."""

_MOST_NAMES = 8  # listed where none is near
_MOST_SEARCHED = 50  # names for which the nearest one is sought


def require_rules(schema: Schema, allowed: Iterable[str]) -> None:
    """Refuse ids of rules that the schema does not have in this phase."""
    known = [assertion.id for assertion in schema.assertions()]
    for name in allowed:
        if name != ALL_RULES and name not in known:
            near = nearest_name(name, known)
            hint = f"did you mean {near!r}?" if near else f"the rules are: {', '.join(known)}"
            raise UsageError(f"a rule that may be idle is named {name!r}, and no rule has that id", hint=hint)


def with_idle(
    result: CheckResult,
    schema: Schema,
    file: FileNames | None,
    *,
    allowed: Iterable[str] = (),
    given: frozenset[str] = frozenset(),
) -> CheckResult:
    """Return the verdict with the reasons why rules are idle; `file` is None for a document without rows.

    In such a document many rules have nothing to judge: it decides itself which of its optional parts it has. There a
    rule that fires on no node is not applicable, and not idle.
    """
    free = frozenset(allowed)
    fired = {one.rule: one.fired for one in result.results}
    found = {} if file is None else idle_reasons(schema, file, fired, given)
    marked = {assertion.id for assertion in schema.assertions() if assertion.may_be_idle}

    def noted(one: RuleResult) -> RuleResult:
        is_free = one.rule in marked or one.rule in free or ALL_RULES in free
        return replace(one, idle=found.get(one.rule, ()), may_be_idle=is_free)

    return replace(result, results=tuple(map(noted, result.results)))


def idle_reasons(
    schema: Schema, file: FileNames, fired: Mapping[str, int], given: frozenset[str] = frozenset()
) -> dict[str, tuple[Reason, ...]]:
    """Return why each idle rule is idle; `fired` counts the nodes that each rule tested."""
    names = rule_names(schema, file, given)
    search = _NameSearch(file)
    found: dict[str, tuple[Reason, ...]] = {}
    for pattern in schema.patterns:
        for place, rule in enumerate(pattern.rules):
            for assertion in rule.assertions:
                own = names[assertion.id]
                reasons = list(search.missing(own, is_silent=not fired.get(assertion.id, 0)))
                if not reasons and not fired.get(assertion.id, 0):
                    reasons.append(_why_silent(schema, pattern, place))
                if reasons:
                    found[assertion.id] = tuple(dict.fromkeys(reasons))
    return found


@dataclass(slots=True)
class _NameSearch:
    """Finds the nearest names; the number of searches is bounded, because rules and files may be hostile."""

    file: FileNames
    searched: int = 0

    def missing(self, names: RuleNames, *, is_silent: bool) -> Iterator[Reason]:
        """Yield the names that are not there; `is_silent` if the rule fires on no node."""
        for looked in names.context:
            is_doubtful = is_silent and not looked.is_known and looked.name not in self.file.inside
            if not looked.is_found or is_doubtful:
                yield self._reason(looked)
        asked = {looked.name for looked in names.test if looked.is_asked and self.file.inside}
        for looked in names.test:
            if not looked.is_found and not (looked.name in asked and self._is_unlike_all(looked.name)):
                yield self._reason(looked)

    def _known(self) -> frozenset[str]:
        return self.file.elements | self.file.inside

    def _is_unlike_all(self, name: str) -> bool:
        return not any(is_near(name, other) for other in self._known())

    def _reason(self, looked: NameLooked) -> Reason:
        known = self._known()
        self.searched += 1
        nearest = None if self.searched > _MOST_SEARCHED else nearest_name(looked.name, known)
        listed = () if nearest else tuple(sorted(self.file.inside))[:_MOST_NAMES]
        return because(
            "idle-name",
            name=looked.name,
            where=looked.where,
            nearest=nearest,
            elsewhere=looked.name in known,
            known=listed,
        )


def _why_silent(schema: Schema, pattern: Pattern, place: int) -> Reason:
    """Return why a rule whose names all occur fires on no node."""
    if pattern.documents is not None:
        return because("idle-documents")
    namespaces = dict(schema.namespaces)
    apart = [_apart(rule, namespaces) for rule in pattern.rules[: place + 1]]
    mine = apart[place]
    before = [] if pattern.is_group else list(zip(pattern.rules[:place], apart[:place], strict=True))
    for rule, other in before:
        if mine is not None and other is not None and _takes_all(other, mine):
            return because("idle-shadowed", line=rule.origin.line, context=rule.context)
    if before and mine is not None and len(mine.steps) == 1 and not mine.is_absolute and not mine.steps[0].predicates:
        return because("idle-taken")
    if mine is not None and not any(step.predicates for step in mine.steps):
        return because("idle-path", may_be_taken=bool(before))
    return because("idle-condition", may_be_taken=bool(before))


def never_fires(schema: Schema, file: FileNames) -> frozenset[str]:
    """Return the rules that no node of such a file can match: a step of their context names an element it lacks.

    Masking adds no names, so they match nothing in the masked file either.
    """
    namespaces = dict(schema.namespaces)
    rules = [rule for pattern in schema.patterns if pattern.documents is None for rule in pattern.rules]
    lost = [rule for rule in rules if _names_unknown(_apart(rule, namespaces), file)]
    return frozenset(assertion.id for rule in lost for assertion in rule.assertions)


def _names_unknown(apart: MatchPattern | None, file: FileNames) -> bool:
    names = () if apart is None else (step.name for step in apart.steps)
    return any(name not in file.elements for name in names if not name.startswith("@") and name not in ("*", "?"))


def names_of(dataset: Dataset, removed: frozenset[str] = frozenset()) -> FileNames:
    """Return the names of a file that was read, without those of removed variables."""
    return FileNames(dataset.layout.record, frozenset(dataset.table.columns) - removed, dataset.outside)


def _apart(rule: Rule, namespaces: Mapping[str, str]) -> MatchPattern | None:
    apart = take_apart(parse_xpath(rule.context, namespaces))
    return apart if isinstance(apart, MatchPattern) else None


def _takes_all(earlier: MatchPattern, later: MatchPattern) -> bool:
    """Tell whether every node of the later context, as far as names tell, is one of the earlier context."""
    names, others = ([step.name for step in pattern.steps] for pattern in (earlier, later))
    is_plain = not any(step.predicates or step.after_any_depth for step in earlier.steps)
    return is_plain and not earlier.is_absolute and names == others[-len(names) :]
