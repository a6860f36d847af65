"""Write out what `:=` defines, and groups of variables, as validate does before it evaluates a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from constraint_sdc.errors import RulesError
from constraint_sdc.languages.r_validate.rule_file import WrittenRule
from constraint_sdc.languages.r_validate.syntax import RCall, RExpression, RName, r_call
from constraint_sdc.languages.rule_book import UntranslatedPartError, fault_of
from constraint_sdc.limits import TRANSLATED_RULES

Definitions = dict[str, RExpression]


def expanded(rules: list[tuple[str, WrittenRule]], faults: list[RulesError]) -> Iterator[tuple[str, WrittenRule]]:
    """Yield the rules with their names, definitions put in their place; a group makes one rule for each variable.

    A definition holds from where it stands on, and may be replaced by a later one.
    """
    known: Definitions = {}
    count = 0
    for name, rule in rules:
        try:
            expression = rule.statement.expression
            if isinstance(expression, RCall) and expression.function == ":=":
                _define(expression, known)
                continue
            variants = _without_groups(_substituted(expression, known))
            count += len(variants)
            if count > TRANSLATED_RULES:
                what = f"groups of variables make more than {TRANSLATED_RULES} rules"
                raise UntranslatedPartError(what, rule.statement.place, "divide the file")
        except UntranslatedPartError as error:
            faults.append(fault_of(error, rule.file))
            continue
        for number, variant in enumerate(variants, 1):
            own = replace(rule, statement=replace(rule.statement, expression=variant))
            yield (name if len(variants) == 1 else f"{name}.{number}"), own


def _define(assignment: RCall, known: Definitions) -> None:
    target, value = assignment.arguments
    if not isinstance(target, RName):
        raise UntranslatedPartError("':=' defines something that is not a name", assignment.place, "write name := ...")
    known[target.name] = _substituted(value, known)


def _substituted(expression: RExpression, known: Mapping[str, RExpression]) -> RExpression:
    match expression:
        case RName(name) if name in known:
            found = known[name]
            return r_call("(", (found,), expression.place) if isinstance(found, RCall) else found
        case RCall(function, arguments, names, place):
            inner = tuple(_substituted(one, known) for one in arguments)
            return expression if inner == arguments else r_call(function, inner, place, names)
        case _:
            return expression


def _without_groups(expression: RExpression) -> list[RExpression]:
    """Return the expression once for each variable of its first group, again and again until no group is left."""
    group = _first_group(expression)
    if group is None:
        return [expression]
    if not group.arguments or not all(isinstance(one, RName) for one in group.arguments):
        raise UntranslatedPartError("var_group() lists something that is not a variable", group.place, "name variables")
    found: list[RExpression] = []
    for variable in group.arguments:
        found += _without_groups(_replaced(expression, group, variable))
        if len(found) > TRANSLATED_RULES:
            break
    return found


def _first_group(expression: RExpression) -> RCall | None:
    if not isinstance(expression, RCall):
        return None
    if expression.function == "var_group":
        return expression
    return next((found for one in expression.arguments if (found := _first_group(one)) is not None), None)


def _replaced(expression: RExpression, group: RCall, variable: RExpression) -> RExpression:
    """Put a variable in the place of a group, everywhere the same group stands."""
    if not isinstance(expression, RCall):
        return expression
    if expression.function == "var_group" and expression.arguments == group.arguments:
        return variable
    inner = tuple(_replaced(one, group, variable) for one in expression.arguments)
    return r_call(expression.function, inner, expression.place, expression.names)
