"""Turn expressions into formulas in negation normal form over atoms.

The formula says on exact numbers what the expression says on complete records; any other part is an `OpaqueAtom`.
"""

from __future__ import annotations

from itertools import islice

from constraint_sdc.constraints.arithmetic import Case, alternatives, arithmetic_form, literal_number
from constraint_sdc.constraints.compare_forms import FLIPPED, NUMBER_TEXT, compare_forms
from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    ConditionAtom,
    DomainAtom,
    Formula,
    OpaqueAtom,
    PatternAtom,
    PresentAtom,
    SetAtom,
    atoms,
)
from constraint_sdc.constraints.date_questions import as_date, year_question
from constraint_sdc.constraints.forms import NotArithmeticError
from constraint_sdc.constraints.show_atom import show_expression
from constraint_sdc.constraints.simplify import negate, simplify
from constraint_sdc.constraints.texts import (
    castable,
    compare_text,
    count_present,
    text_length,
    text_question,
    text_source,
)
from constraint_sdc.evaluate.expression import (
    And,
    Arithmetic,
    Call,
    Castable,
    Compare,
    CompareOp,
    Expression,
    If,
    Literal,
    Negate,
    Not,
    Or,
    Outside,
    Sequence,
    Variable,
    variables_of,
    walk,
)
from constraint_sdc.evaluate.truth import refuses
from constraint_sdc.xpath.functions import INTEGER_TYPES, answers_truth_or_text, is_truth

_TRUE, _FALSE = AllOf(()), AnyOf(())
_MOST_ATOMS = 2000
_AT_LEAST_ONE = ((">", 0), (">=", 1), ("!=", 0))
_NONE = (("=", 0), ("<", 1), ("<=", 0))
_COMPUTES_TEXTS = "computes with texts"
_TEXT_ORDER = "compares texts character by character; write number(...) on both sides to compare numbers"


class _TooBigError(Exception):
    """The formula exceeds the limit: it doubles at every level of nesting, and no plan could use it."""


def normalise(expression: Expression, *, xpath1: bool) -> Formula:
    """Return the expression's truth as a simplified formula."""
    try:
        return simplify(_formula(expression, xpath1))
    except _TooBigError:
        return opaque(expression, "has too many cases")


def opaque(expression: Expression, reason: str) -> OpaqueAtom:
    """Return an atom for a part that is not understood."""
    return OpaqueAtom(show_expression(expression), variables_of(expression), reason)


def _formula(expression: Expression, xpath1: bool) -> Formula:
    match expression:
        case And(items):
            return AllOf(tuple(_formula(item, xpath1) for item in items))
        case Or(items):
            return AnyOf(tuple(_formula(item, xpath1) for item in items))
        case Not(item):
            return negate(_formula(item, xpath1))
        case If(test, then, otherwise):
            return _choice(_formula(test, xpath1), _formula(then, xpath1), _formula(otherwise, xpath1))
        case Literal(value):
            return _TRUE if value and value == value else _FALSE
        case Variable(name):
            return PresentAtom(name)
        case Sequence(()):
            return _FALSE
        case Compare():
            return _of_one_variable(expression, _compare(expression, xpath1), xpath1)
        case Castable():
            return _of_one_variable(expression, _castable(expression), xpath1)
        case Call():
            return _of_one_variable(expression, _call(expression, xpath1), xpath1)
        case Arithmetic() | Negate():
            leaf = _compare_leaf(Compare("!=", expression, Literal(0)), xpath1, is_truth_of_number=True)
            return _of_one_variable(expression, leaf, xpath1)
        case Sequence() | Outside():
            return opaque(expression, "asks whether a list is empty or not")


def _of_one_variable(expression: Expression, formula: Formula, xpath1: bool) -> Formula:
    """Return the formula; where a part of it is not understood, a condition on one variable stands for the whole.

    What the evaluator refuses stays opaque: nobody but Saxon can tell which values satisfy it.
    """
    names = variables_of(expression)
    if len(names) != 1 or not any(isinstance(atom, OpaqueAtom) for atom in atoms(formula)):
        return formula
    if any(isinstance(part, Outside) for part in walk(expression)) or refuses(expression, xpath1=xpath1) is not None:
        return formula
    return ConditionAtom(names[0], show_expression(expression), expression, xpath1)


def _choice(test: Formula, then: Formula, otherwise: Formula) -> Formula:
    test, then, otherwise = simplify(test), simplify(then), simplify(otherwise)
    if otherwise == _TRUE:
        return AnyOf((negate(test), then))
    if otherwise == _FALSE:
        return AllOf((test, then))
    if then == _TRUE:
        return AnyOf((test, otherwise))
    if then == _FALSE:
        return AllOf((negate(test), otherwise))
    return _readable(AnyOf((AllOf((test, then)), AllOf((negate(test), otherwise)))))


def _readable(formula: Formula) -> Formula:
    if sum(1 for _ in islice(atoms(formula), _MOST_ATOMS + 1)) > _MOST_ATOMS:
        raise _TooBigError
    return formula


def _compare(expression: Compare, xpath1: bool) -> Formula:
    left, right = alternatives(expression.left), alternatives(expression.right)
    if left is None or right is None or len(left) * len(right) > _MOST_ATOMS:
        return opaque(expression, "has too many cases")
    if len(left) == len(right) == 1 and not left[0].tests and not right[0].tests:
        return _compare_leaf(expression, xpath1)
    pairs = [(one, other) for one in left for other in right]
    return AnyOf(tuple(_case(expression, one, other, xpath1) for one, other in pairs))


def _case(expression: Compare, left: Case, right: Case, xpath1: bool) -> Formula:
    tests = [
        _formula(test, xpath1) if wanted else negate(_formula(test, xpath1))
        for test, wanted in left.tests + right.tests
    ]
    return AllOf((*tests, _compare_leaf(Compare(expression.op, left.value, right.value, expression.value), xpath1)))


def _compare_leaf(expression: Compare, xpath1: bool, *, is_truth_of_number: bool = False) -> Formula:
    left, op, right = expression.left, expression.op, expression.right
    if xpath1 and op not in ("=", "!=") and not expression.value:
        left, right = literal_number(left), literal_number(right)
    if not xpath1 and not expression.value:
        left, right = as_date(left, right), as_date(right, left)
    if is_truth(left) and is_truth(right):
        return _compare_truths(_formula(left, xpath1), op, _formula(right, xpath1))
    for one, way, other in ((left, op, right), (right, FLIPPED[op], left)):
        found = _special_question(one, way, other, expression.value, xpath1)
        if found is not None:
            return found
    try:
        formula = compare_forms(arithmetic_form(left, xpath1=xpath1), op, arithmetic_form(right, xpath1=xpath1))
    except NotArithmeticError as why:
        is_text = any(isinstance(side, Call) and answers_truth_or_text(side.name) for side in (left, right))
        return opaque(expression, _COMPUTES_TEXTS if is_text else str(why))
    refusal = None if is_truth_of_number else _not_numeric(left, op, right, expression.value, xpath1)
    if refusal:
        return opaque(expression, refusal)
    if is_truth_of_number and isinstance(formula, SetAtom):
        return SetAtom(formula.variable, formula.values, formula.negated, False)
    return formula


def _compare_truths(left: Formula, op: CompareOp, right: Formula) -> Formula:
    """Compare two truths; false is less than true, so `a <= b` says "if a then b"."""
    no_left, no_right = negate(left), negate(right)
    same = AnyOf((AllOf((left, right)), AllOf((no_left, no_right))))
    table: dict[CompareOp, Formula] = {
        "=": same,
        "!=": AnyOf((AllOf((left, no_right)), AllOf((no_left, right)))),
        "<=": AnyOf((no_left, right)),
        ">=": AnyOf((left, no_right)),
        "<": AllOf((no_left, right)),
        ">": AllOf((left, no_right)),
    }
    return _readable(table[op])


def _not_numeric(left: Expression, op: CompareOp, right: Expression, value: bool, xpath1: bool) -> str | None:
    """Return why XPath does not compare two sides as numbers, although both could be numbers."""
    bare = [side for side in (left, right) if isinstance(side, Variable)]
    if value and bare:
        both = " both sides are" if len(bare) == 2 else f" {bare[0].name} is"
        return f"a value comparison treats untyped values as texts, and{both} untyped; write number(...)"
    if len(bare) == 2:
        names = " and ".join(side.name for side in bare)
        if op in ("=", "!="):
            return f"compares the texts of {names}, so that 1 and 1.0 differ; write number(...) to compare numbers"
        return None if xpath1 else _TEXT_ORDER
    return None


def _special_question(one: Expression, op: CompareOp, other: Expression, value: bool, xpath1: bool) -> Formula | None:
    match one, other:
        case Sequence(()), _:
            return _FALSE
        case (Outside() as source) | Call("distinct-values", (Outside() as source,)), _:
            return _domain(source, op, other)
        case Call("index-of", (source, wanted)), Literal(0 | 1 as limit) if (op, limit) in _AT_LEAST_ONE:
            return _formula(Call("exists", (Call("index-of", (source, wanted)),)), xpath1)
        case Call("count", (counted,)), Literal(int() as limit):
            return _count(counted, op, limit, xpath1)
        case Call("string-length", (source,)), Literal(int() as limit):
            found = text_source(source)
            return text_length(found, op, limit) if found is not None else None
        case Call("year-from-date", (date,)), Literal(int() as year) if not xpath1:
            return year_question(date, op, year)
        case Call("string", (Call("number", (Variable(name),)),)), Literal("NaN") if op in ("=", "!="):
            return PatternAtom(name, NUMBER_TEXT, "", op == "=")
        case _, Literal(str() as text):
            found = text_source(one)
            if found is not None and xpath1 and op not in ("=", "!=") and not value:
                return None
            answer = compare_text(found, op, text) if found is not None else None
            return (
                answer
                if answer is not None
                else opaque(Compare(op, one, other, value), _TEXT_ORDER if found else _COMPUTES_TEXTS)
            )
        case _:
            return None


def _domain(source: Outside, op: CompareOp, other: Expression) -> Formula:
    match other:
        case Variable(name) | Call("string", (Variable(name),)) if op == "=":
            return DomainAtom(name, source)
        case _:
            reason = "reads another document in another form than the value domain V1 = path, which compares texts"
            return opaque(Compare(op, other, source), reason)


def _count(counted: Expression, op: CompareOp, limit: int, xpath1: bool) -> Formula | None:
    if isinstance(counted, Call) and counted.name == "index-of":
        is_some = (op, limit) in _AT_LEAST_ONE
        if is_some or (op, limit) in _NONE:
            return _formula(Call("exists" if is_some else "empty", (counted,)), xpath1)
    items = counted.items if isinstance(counted, Sequence) else (counted,)
    names = tuple(item.name for item in items if isinstance(item, Variable))
    return count_present(names, op, limit) if len(set(names)) == len(items) else None


def _castable(expression: Castable) -> Formula:
    formula = castable(expression)
    return formula if formula is not None else opaque(expression, f"asks for the type {expression.type}")


def _call(call: Call, xpath1: bool) -> Formula:
    match call.name, call.arguments:
        case "boolean", (argument,):
            return _formula(argument, xpath1)
        case "exists", (argument,):
            return _exists(argument, call, xpath1)
        case "empty", (argument,):
            return negate(_exists(argument, call, xpath1))
        case "string", (Variable(name),):
            return PresentAtom(name, filled=True)
        case "normalize-space", (Variable(name),):
            return PatternAtom(name, r"\S")
        case _:
            found = text_question(call)
            if found is not None:
                return found
            if call.name == "number" or call.name in INTEGER_TYPES or call.name in ("xs:decimal", "xs:double"):
                return _compare_leaf(Compare("!=", call, Literal(0)), xpath1, is_truth_of_number=True)
            is_text = answers_truth_or_text(call.name)
            return opaque(call, _COMPUTES_TEXTS if is_text else f"{call.name}() is not supported as a condition")


def _exists(argument: Expression, call: Call, xpath1: bool) -> Formula:
    match argument:
        case Variable(name):
            return PresentAtom(name)
        case Sequence(items):
            return AnyOf(tuple(_exists(item, call, xpath1) for item in items))
        case Call("index-of", (source, wanted)):
            return _compare(Compare("=", source, wanted, True), xpath1)
        case Literal() | Compare(value=False) | Call("number" | "string"):
            return _TRUE
        case If(test, then, otherwise):
            parts = (_exists(then, call, xpath1), _exists(otherwise, call, xpath1))
            return _choice(_formula(test, xpath1), *parts)
        case _:
            return opaque(call, "asks whether a computed list is empty")
