"""Where the nodes of a rule's context lie, and whether matching them looks only at each record."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from constraint_sdc.rules.contexts import MatchPattern, PatternStep, take_apart
from constraint_sdc.rules.functions import answers_truth_or_text, words
from constraint_sdc.rules.locality import Region, Regions, Surroundings, regions_of
from constraint_sdc.rules.syntax import Binary, Filter, FunctionCall, NotUnderstood, Path, Step, Syntax

_TRUTHS = words("and or = != < <= > >= eq ne lt le gt ge is")


@dataclass(frozen=True, slots=True)
class RecordShape:
    """What is known of the data: the record's element name, and every element name outside records.

    `outside` is None when the data has not been looked at. `is_guess` when the record's name was guessed from the
    rules: then nothing is judged yet, and a context of another name is taken for a variable.
    """

    record: str | None
    outside: Collection[str] | None = None
    is_guess: bool = False


def context_regions(tree: Syntax | NotUnderstood, shape: RecordShape, around: Surroundings) -> Regions | NotUnderstood:
    """Return where the context's nodes lie; `around` holds the variables that the context may use."""
    if isinstance(tree, Binary) and tree.op in ("|", "union"):
        left, right = (context_regions(part, shape, around) for part in (tree.left, tree.right))
        if isinstance(left, NotUnderstood):
            return left
        return right if isinstance(right, NotUnderstood) else left | right
    pattern = take_apart(tree)
    if isinstance(pattern, NotUnderstood):
        return pattern
    return _pattern_regions(pattern, shape, around)


def _pattern_regions(pattern: MatchPattern, shape: RecordShape, around: Surroundings) -> Regions | NotUnderstood:
    names = [step.name for step in pattern.steps]
    first = names.index(shape.record) if shape.record in names else None
    if first is None:
        if not _is_surely_variable(names, shape):
            return NotUnderstood("the context may match something outside the records", "/".join(names))
        first = len(names) - 1 if len(names) == 1 else len(names) - 2
        inside = len(names) - 1
    else:
        inside = first + 1
    for place, step in enumerate(pattern.steps):
        region = Region.INSIDE if place >= inside else Region.RECORD
        refusal = _predicates(step, region, around) if place >= first else _none(step)
        if refusal is not None:
            return refusal
    return frozenset({Region.INSIDE if len(names) > inside else Region.RECORD})


def _is_surely_variable(names: list[str], shape: RecordShape) -> bool:
    """Tell whether a context that does not name the record can match only inside one."""
    last = names[-1]
    if last in ("*", "?", "@*", "@?"):
        return False
    if shape.outside is None or last in shape.outside:
        return False
    return shape.is_guess or (len(names) == 1 and not last.startswith("@"))


def _none(step: PatternStep) -> NotUnderstood | None:
    if step.predicates:
        return NotUnderstood("the context asks about what encloses the record", step.predicates[0].text)
    return None


def _predicates(step: PatternStep, region: Region, around: Surroundings) -> NotUnderstood | None:
    place = frozenset({region})
    inner = replace(around, focus=place, current=place, in_predicate=region is Region.INSIDE)
    for predicate in step.predicates:
        if region is Region.RECORD and not asks_truth(predicate):
            return NotUnderstood("a number in brackets is a position among the records", predicate.text)
        found = regions_of(predicate, inner)
        if isinstance(found, NotUnderstood):
            return found
    return None


def asks_truth(tree: Syntax) -> bool:
    """Tell whether a predicate surely asks for a truth and not for a position."""
    match tree:
        case Binary(op):
            return op in _TRUTHS
        case FunctionCall(name):
            return answers_truth_or_text(name)
        case Step():
            return True
        case Path(_, right):
            return asks_truth(right)
        case Filter(base):
            return asks_truth(base)
        case _:
            return False
