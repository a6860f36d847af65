"""Totals: computed for every record from masked parts, and put together with them again where a rule fails."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.commands.certificate.certificate import certificate_path, read_certificate
from constraint_sdc.commands.certificate.verify import check_certificate
from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.masking.carrying_out import options_of_plan, require_same_plan
from constraint_sdc.commands.measuring.pairing import pair_tables
from constraint_sdc.commands.plan import plan_file
from constraint_sdc.commands.reproduce import reproduce_file
from constraint_sdc.errors import PlanRefusedError, UsageError
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.maskers.masked import MaskResult
from constraint_sdc.measures.attacks.transparency_reach import uses_of
from constraint_sdc.measures.risk.achieved_k import AchievedKRisk
from constraint_sdc.plan.plan import Plan, Why
from constraint_sdc.plan.plan_json import plan_differences, plan_from_json, plan_to_json
from constraint_sdc.reports.assessment.sections import plan_section
from constraint_sdc.reports.masking.plan_text import plan_text
from constraint_sdc.reports.result_tables import plan_variables
from constraint_sdc.settings.recipe import Recipe
from tests.maskers.extract import Extract, columns, extract, schema, the_block, the_rule

N, K = 36, 3
SUM = {"sum": "number(T) = number(A) + number(B)"}


def numbers(seed: int, *names: str, low: int = 1, high: int = 500) -> dict[str, list[int]]:
    """Return independent columns: A goes with C, B with D, so that the parts of a total are in different blocks."""
    rng = np.random.default_rng(seed)
    found = {name: rng.integers(low, high, N) for name in names}
    for near, far in (("C", "A"), ("D", "B"), ("E", "A"), ("F", "B")):
        if near in found and far in found:
            found[near] = found[far] + rng.integers(0, 9, N)
    return {name: column.tolist() for name, column in found.items()}


def with_total(seed: int = 1) -> dict[str, list[int]]:
    parts = numbers(seed, "A", "B", "C", "D", "E", "F")
    return {**parts, "T": [a + b for a, b in zip(parts["A"], parts["B"], strict=True)]}


def computed(plan: Plan) -> list[str]:
    return [total.name for total in plan.computed]


def undone(plan: Plan) -> dict[str, str]:
    assert plan.totals is not None
    return {one.name: one.because.code for one in plan.totals.undone}


def verified(extracted: Extract, result: MaskResult) -> list[str]:
    """Return what does not agree in the certificate, without a new masking."""
    assert extracted.rules is not None
    verdict = check_file(extracted.output, extracted.rules, CheckOptions())
    found = check_certificate(read_certificate(result.certificate), extracted.output, extracted.rules, verdict)
    return list(found.mismatches)


def test_a_total_is_computed_for_every_record_from_parts_in_blocks_of_their_own(tmp_path: Path) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM)
    result = extracted.mask(K, totals="computed")
    plan = result.plan
    assert the_block(plan, "A") is not the_block(plan, "B")
    assert computed(plan) == ["T"]
    assert plan.computed[0].blocks == tuple(sorted({the_block(plan, n).number for n in "AB"}))
    assert all(int(r["T"]) == int(r["A"]) + int(r["B"]) for r in extracted.masked())
    assert all("T" not in block.names and extracted.smallest_group(*block.names) >= K for block in plan.blocks)
    # Together, every value of T is shared by k records; computed, that is not promised and does not hold here.
    assert extracted.smallest_group("T") < K
    assert the_rule(plan, "sum").why is Why.COMPUTED
    extracted.requires_all_rules()
    assert verified(extracted, result) == []


def test_by_default_totals_are_masked_together_with_their_parts(tmp_path: Path) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM)
    result = extracted.mask(K)
    assert result.plan.totals is None
    assert the_block(result.plan, "A") is the_block(result.plan, "T")
    assert "totals" not in json.loads(result.certificate.read_text("utf-8"))["options"]


@pytest.mark.parametrize(
    ("test", "total"),
    [
        ("number(T) = number(A) - number(B)", lambda a, b: a - b),
        ("number(A) * number(B) = number(T)", lambda a, b: a * b),
        ("number(A) + number(B) - number(T) = 0", lambda a, b: a + b),
        ("xs:decimal(T) = xs:decimal(A) + 2 * xs:decimal(B)", lambda a, b: a + 2 * b),
    ],
)
def test_differences_products_and_solved_forms_are_computed(tmp_path: Path, test: str, total: object) -> None:
    assert callable(total)
    parts = numbers(2, "A", "B", "C", "D", "E", "F")
    parts["T"] = [total(a, b) for a, b in zip(parts["A"], parts["B"], strict=True)]
    extracted = extract(tmp_path, columns(**parts), {"rule": test})
    result = extracted.mask(K, totals="computed")
    assert computed(result.plan) == ["T"]
    assert all(int(r["T"]) == total(int(r["A"]), int(r["B"])) for r in extracted.masked())
    extracted.requires_all_rules()
    assert verified(extracted, result) == []


def test_decimals_are_added_in_the_arithmetic_of_the_rule(tmp_path: Path) -> None:
    parts = numbers(3, "A", "B", "C", "D", "E", "F", high=9000)
    cents = {name: [f"{value / 100:.2f}" for value in column] for name, column in parts.items()}
    cents["T"] = [f"{(a + b) / 100:.2f}" for a, b in zip(parts["A"], parts["B"], strict=True)]
    extracted = extract(tmp_path, columns(**cents), {"sum": "xs:decimal(T) = xs:decimal(A) + xs:decimal(B)"})
    result = extracted.mask(K, totals="computed")
    assert computed(result.plan) == ["T"]
    assert all(len(r["T"].partition(".")[2]) == 2 for r in extracted.masked())
    extracted.requires_all_rules()


def test_a_sum_of_cents_in_doubles_is_put_together_again(tmp_path: Path) -> None:
    """The rule asks doubles for equality, which the nearest number of two decimals has in some records only."""
    rng = np.random.default_rng(4)
    rows = []
    while len(rows) < N:
        a, b = (int(x) for x in rng.integers(1, 9000, 2))
        if a / 100 + b / 100 == (a + b) / 100:
            rows.append((a, b, a + b))
    cents = {name: [f"{row[j] / 100:.2f}" for row in rows] for j, name in enumerate("ABT")}
    cents |= {"C": cents["A"], "D": cents["B"], "E": cents["A"], "F": cents["B"]}
    extracted = extract(tmp_path, columns(**cents), SUM)
    plan = extracted.mask(K, totals="computed").plan
    assert computed(plan) == []
    assert undone(plan) == {"T": "total-breaks"}
    assert the_block(plan, "A") is the_block(plan, "T")
    extracted.requires_all_rules()


def chain() -> dict[str, list[int]]:
    parts = numbers(5, "A", "B", "C", "D", "E", "F")
    parts["Staff"] = [a + b for a, b in zip(parts["A"], parts["B"], strict=True)]
    parts["Costs"] = [s + c for s, c in zip(parts["Staff"], parts["C"], strict=True)]
    parts["Result"] = [2000 - c + d for c, d in zip(parts["Costs"], parts["D"], strict=True)]
    return parts


CHAIN = {
    "result": "number(Result) = 2000 - number(Costs) + number(D)",
    "costs": "number(Staff) + number(C) = number(Costs)",
    "staff": "number(A) + number(B) = number(Staff)",
}


def test_a_total_may_be_part_of_another(tmp_path: Path) -> None:
    extracted = extract(tmp_path, columns(**chain()), CHAIN)
    result = extracted.mask(K, totals="computed")
    assert computed(result.plan) == ["Staff", "Costs", "Result"]
    blocks = {total.name: set(total.blocks) for total in result.plan.computed}
    assert blocks["Staff"] <= blocks["Costs"] <= blocks["Result"]
    extracted.requires_all_rules()
    assert verified(extracted, result) == []


def test_a_bound_on_the_last_total_of_a_chain_puts_the_whole_chain_together(tmp_path: Path) -> None:
    parts = chain()
    values = " or ".join(f"number(Result) = {value}" for value in sorted(set(parts["Result"])))
    extracted = extract(tmp_path, columns(**parts), {**CHAIN, "listed": values})
    plan = extracted.mask(K, totals="computed").plan
    assert undone(plan) == {"Result": "total-breaks", "Costs": "total-tied", "Staff": "total-tied"}
    extracted.requires_all_rules()


def test_equalities_that_go_round_are_not_all_cut(tmp_path: Path) -> None:
    parts = numbers(6, "A", "B", "C", "D")
    parts["T"] = [a + b for a, b in zip(parts["A"], parts["B"], strict=True)]
    rules = {**SUM, "back": "number(A) = number(T) - number(B)"}
    extracted = extract(tmp_path, columns(**parts), rules)
    plan = extracted.mask(K, totals="computed").plan
    assert (computed(plan), undone(plan)) == ([], {"A": "total-in-cycle", "T": "total-tied"})
    extracted.requires_all_rules()


def test_a_bound_on_the_total_undoes_the_cut_where_it_fails(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    rows = {name: [*map(int, rng.integers(1, 500, N))] for name in ("D", "F")}
    rows |= {"A": [*range(1, N + 1)], "B": [100 - a - a % 5 for a in range(1, N + 1)]}
    rows["T"] = [a + b for a, b in zip(rows["A"], rows["B"], strict=True)]
    extracted = extract(tmp_path, columns(**rows), {**SUM, "bound": "number(T) <= 100"}, "groups: [[A, D], [B, F]]")
    plan = extracted.mask(K, totals="computed").plan
    assert computed(plan) == []
    assert undone(plan) == {"T": "total-breaks"}
    assert plan.totals is not None
    assert plan.totals.undone[0].because["rule"] == "bound"
    extracted.requires_all_rules()


def test_an_if_then_on_the_total_is_evaluated_on_every_record(tmp_path: Path) -> None:
    rows = with_total()
    rows["Aid"] = [500 if t > 500 else 0 for t in rows["T"]]
    rows["X"] = [*map(int, np.random.default_rng(8).integers(1, 900, N))]
    holds = {**SUM, "range": "number(T) >= 0"}
    breaks = {**SUM, "aid": "not(number(T) > 500) or number(Aid) >= 500"}
    kept = extract(tmp_path / "holds", columns(**rows), holds)
    plan = kept.mask(K, totals="computed").plan
    assert computed(plan) == ["T"]
    assert the_rule(plan, "range").why is Why.COMPUTED
    kept.requires_all_rules()
    back = extract(tmp_path / "breaks", columns(**rows), breaks, "{groups: [[Aid, X]], variables: {X: {weight: 100}}}")
    plan = back.mask(K, totals="computed").plan
    assert undone(plan) == {"T": "total-breaks"}
    back.requires_all_rules()


def test_a_part_that_is_missing_leaves_the_total_missing(tmp_path: Path) -> None:
    rows = columns(**with_total())
    for row in rows[:6]:
        del row["A"], row["T"]
    rule = {"sum": "not(A) or number(T) = number(A) + number(B)"}
    extracted = extract(tmp_path, rows, rule)
    result = extracted.mask(K, totals="computed")
    assert computed(result.plan) == ["T"]
    masked = extracted.masked()
    assert all(("T" in record) == ("A" in record) for record in masked)
    assert sum("T" not in record for record in masked) == 6
    assert all(int(r["T"]) == int(r["A"]) + int(r["B"]) for r in masked if "T" in r)
    extracted.requires_all_rules()
    assert verified(extracted, result) == []


def test_a_total_that_is_missing_in_other_records_than_its_parts_is_not_computed(tmp_path: Path) -> None:
    rows = columns(**with_total())
    del rows[4]["T"]
    extracted = extract(tmp_path, rows, {"sum": "not(T) or number(T) = number(A) + number(B)"})
    plan = extracted.mask(K, totals="computed").plan
    assert undone(plan) == {"T": "total-missing-otherwise"}
    extracted.requires_all_rules()


def test_an_equality_under_a_condition_is_not_computed_where_it_does_not_hold(tmp_path: Path) -> None:
    rows = with_total()
    rows["T"] = [t if i % 2 else 7 for i, t in enumerate(rows["T"])]
    rows["Kind"] = [i % 2 for i in range(N)]
    rule = {"sum": "not(number(Kind) = 1) or number(T) = number(A) + number(B)"}
    extracted = extract(tmp_path, columns(**rows), rule)
    plan = extracted.mask(K, totals="computed").plan
    assert undone(plan) == {"T": "total-not-everywhere"}
    extracted.requires_all_rules()


@pytest.mark.parametrize("role", [None, "warning"])
def test_records_that_broke_the_rule_are_repaired(tmp_path: Path, role: str | None) -> None:
    rows = columns(**with_total())
    for row in rows[:2]:
        row["T"] = "9999"
    text = schema(SUM, attributes="" if role is None else f' role="{role}"')
    extracted = extract(tmp_path, rows, text)
    result = extracted.mask(K, totals="computed", on_broken="keep" if role is None else None)
    assert computed(result.plan) == ["T"]
    (outcome,) = result.outcomes
    assert (outcome.broken_before, outcome.repaired, outcome.newly_broken) == (2, 2, 0)
    assert "9999" not in extracted.column("T")


def test_an_unmasked_part_keeps_its_own_value(tmp_path: Path) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM, "variables: {B: {role: untouched}}")
    result = extracted.mask(K, totals="computed")
    assert computed(result.plan) == ["T"]
    pairs = zip(extracted.original(), extracted.masked(), strict=True)
    assert all(o["B"] == m["B"] and int(m["T"]) == int(m["A"]) + int(o["B"]) for o, m in pairs)


def test_a_total_whose_parts_are_all_unmasked_is_not_computed(tmp_path: Path) -> None:
    wishes = "variables: {A: {role: untouched}, B: {role: untouched}}"
    extracted = extract(tmp_path, columns(**{**with_total(), "A": [7] * N, "B": [8] * N, "T": [15] * N}), SUM, wishes)
    plan = extracted.plan(K, totals="computed")
    assert undone(plan) == {"T": "total-of-unmasked"}


@pytest.mark.parametrize("wish", ["groups: [[T, C]]", "variables: {T: {operator: lower median}}", "groups: all"])
def test_what_the_recipe_asks_of_a_total_is_obeyed(tmp_path: Path, wish: str) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM, wish)
    plan = extracted.plan(K, totals="computed")
    assert undone(plan) == {"T": "total-wished"}
    assert "T" in the_block(plan, "T").names


def test_a_rule_that_only_saxon_evaluates_keeps_its_total_with_its_parts(tmp_path: Path) -> None:
    rules = {**SUM, "odd": "deep-equal((T, 1), (T, 1)) and number(T) >= 0"}
    extracted = extract(tmp_path, columns(**with_total()), rules)
    plan = extracted.plan(K, totals="computed")
    assert undone(plan) == {"T": "total-not-evaluated"}


def test_auto_loses_no_more_than_either_way(tmp_path: Path) -> None:
    extracted = extract(tmp_path, columns(**chain()), CHAIN)
    plans = {way: extracted.plan(K, totals=way) for way in ("computed", "auto")}
    found, all_computed = plans["auto"].totals, plans["computed"].totals
    assert found is not None
    assert all_computed is not None
    assert found.loss is not None
    assert found.together_loss is not None
    assert found.loss <= min(found.together_loss, all_computed.loss or 0.0)
    assert found.asked == "auto"


def test_auto_without_totals_is_the_masking_together(tmp_path: Path) -> None:
    extracted = extract(tmp_path, columns(**with_total()), {"order": "number(A) <= number(A) + number(B)"})
    plan = extracted.plan(K, totals="auto")
    assert plan.totals is not None
    assert (plan.computed, plan.totals.loss) == ((), plan.totals.together_loss)


def test_the_plan_prints_both_prices_and_where_totals_come_from(tmp_path: Path) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM)
    plan = plan_file(extracted.data, extracted.rules, extracted.options(K, totals="computed"))
    text = plan_text(plan, columns=200)
    assert "compute 1 variable from them" in text
    assert "computed from" in text
    assert f"blocks {plan.computed[0].blocks[0]} and {plan.computed[0].blocks[1]}" in text
    assert plan.totals is not None
    assert plan.totals.together_loss is not None
    assert f"{plan.totals.loss:.2f}, with totals together {plan.totals.together_loss:.2f}" in text


def test_a_saved_plan_decides_about_totals(tmp_path: Path) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM)
    plan = extracted.plan(K, totals="computed")
    again = plan_from_json(json.loads(json.dumps(plan_to_json(plan))))
    assert again.totals == plan.totals
    assert plan_differences(again, plan) == ()
    assert options_of_plan(again)["totals"] == "computed"
    with pytest.raises(PlanRefusedError, match="totals"):
        require_same_plan(again, extracted.plan(K))


def test_a_masking_with_totals_is_reproduced(tmp_path: Path) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM, "totals: computed\n")
    result = extracted.mask(K)
    assert computed(result.plan) == ["T"]
    assert reproduce_file(result.certificate, extracted.data, extracted.rules).is_same


def changed(result: MaskResult, name: str, value: object) -> dict[str, object]:
    content = json.loads(certificate_path(result.output).read_text("utf-8"))
    content["plan"]["totals"]["computed"][0][name] = value
    return dict(content)


def test_a_total_that_is_not_its_expression_does_not_pass_for_computed(tmp_path: Path) -> None:
    """Nothing but the comparison with the expression sees this: the rule is a warning that the record broke before."""
    rows = columns(**with_total())
    rows[0]["T"] = "9999"
    extracted = extract(tmp_path, rows, schema(SUM, attributes=' role="warning"'))
    result = extracted.mask(K, totals="computed")
    assert extracted.rules is not None
    assert verified(extracted, result) == []
    record = extracted.masked()[0]
    text = extracted.output.read_text("utf-8")
    extracted.output.write_text(text.replace(f"<T>{record['T']}</T>", "<T>9999</T>", 1), encoding="utf-8")
    assert "computed T: not what the expression of rule sum gives in 1 record" in verified(extracted, result)


@pytest.mark.parametrize(("name", "value"), [("rule", "other"), ("parts", ["A", "C"]), ("blocks", [9]), ("name", "C")])
def test_a_certificate_that_lies_about_a_total_is_noticed(tmp_path: Path, name: str, value: object) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM)
    result = extracted.mask(K, totals="computed")
    assert extracted.rules is not None
    verdict = check_file(extracted.output, extracted.rules, CheckOptions())
    found = check_certificate(changed(result, name, value), extracted.output, extracted.rules, verdict)
    assert found.mismatches


def test_achieved_k_and_attacks_know_that_a_total_is_computed(tmp_path: Path) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM)
    result = extracted.mask(K, totals="computed")
    tables = [read_dataset(path).table for path in (extracted.data, extracted.output)]
    pair = pair_tables(*tables, Recipe(), result.plan).pair
    assert pair.k == K
    assert pair.computed == ("T",)
    assert "T" in pair.numeric
    measured = AchievedKRisk().measure(pair)
    figures = {figure.name: figure.value for figure in measured.figures}
    assert figures["blocks-held"] == figures["blocks"] == len(result.plan.blocks)
    assert "totals-computed" in [note.code for note in measured.notes]
    uses = {use.name: use for knowledge in ("published", "rerun") for use in uses_of(pair, knowledge)}
    assert uses["T"].reach is None


@pytest.mark.parametrize("masker", ["microhybrid"])
def test_a_masker_without_totals_says_so(tmp_path: Path, masker: str) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM)
    with pytest.raises(UsageError, match="computes no totals"):
        extracted.plan(K, totals="computed", masker=masker)


@pytest.mark.parametrize("way", [{"masker": "fuzzy-c-means"}, {"partition": "individual-ranking"}])
def test_other_ways_to_mask_the_parts_have_totals_too(tmp_path: Path, way: dict[str, str]) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM)
    result = extracted.mask(K, totals="computed", **way)
    assert computed(result.plan) == ["T"]
    extracted.requires_all_rules()
    assert verified(extracted, result) == []


def test_tables_and_pages_tell_of_computed_variables(tmp_path: Path) -> None:
    extracted = extract(tmp_path, columns(**with_total()), SUM)
    plan = extracted.plan(K, totals="computed")
    rows = [dict(zip(plan_variables(plan).head, row, strict=True)) for row in plan_variables(plan).rows]
    assert [row["treatment"] for row in rows if row["variable"] == "T"] == ["computed"]
    section = plan_section(plan)
    assert section is not None
    assert "in 2 blocks, 1 computed" in repr(plan)
    assert "1 variable computed from them" in str(section["says"])
