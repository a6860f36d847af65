"""Conditions on one variable that have no other normal form: they divide records, and a copied value keeps them."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.constraints.constraint import ConditionAtom
from constraint_sdc.constraints.normalise import normalise
from constraint_sdc.evaluate.expression import Call, Compare, Literal, Variable
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.operators.lower_median import LowerMedian
from constraint_sdc.plan.plan import Why
from constraint_sdc.plan.rule_facts import AtomTruth
from tests.maskers.extract import columns, extract, the_block, the_rule

N = 24


def test_a_condition_on_part_of_a_code_divides_the_records(tmp_path: Path) -> None:
    letters = ["A" if i % 3 else "B" for i in range(N)]
    amounts = [i if letter == "A" else 1000 + i for i, letter in enumerate(letters)]
    records = columns(Code=[f"{letter}{i % 5}" for i, letter in enumerate(letters)], Amount=amounts)
    given = extract(tmp_path, records, {"low": "not(substring(Code, 1, 1) = 'A') or number(Amount) <= 100"})
    design = given.design(3)
    (block,) = design.blocks
    found = sorted(sorted(stratum.rows.tolist()) for stratum in block.strata)
    assert found == sorted([[i for i in range(N) if letters[i] == letter] for letter in "AB"])
    assert the_rule(design.plan, "low").kind == "governs"


def test_a_number_that_must_satisfy_a_condition_gets_the_lower_median(tmp_path: Path) -> None:
    records = columns(A=[10 * i + i % 4 for i in range(N)], B=range(N))
    plan = extract(tmp_path, records, {"digit": "number(A) mod 10 <= 3"}).design(3).plan
    assert {v.name: v.operator for v in the_block(plan, "A").variables}["A"] == LowerMedian.name
    assert the_rule(plan, "digit").why is Why.PRESERVED


def test_true_and_one_are_different_conditions(tmp_path: Path) -> None:
    """Python calls True and 1 equal, and so two expressions; XPath does not."""
    flags = ["1" if i % 2 else "true" for i in range(N)]
    given = extract(tmp_path, columns(Flag=flags, A=range(N)))
    truth = AtomTruth(read_dataset(given.data).table, {})
    for word in (1, True):
        test = Compare("=", Call("concat", (Variable("Flag"), Literal(""))), Call("string", (Literal(word),)))
        atom = normalise(test, xpath1=False)
        assert isinstance(atom, ConditionAtom)
        found = truth.of(atom)
        assert found is not None
        assert found.tolist() == [flag == str(word).lower() for flag in flags]
