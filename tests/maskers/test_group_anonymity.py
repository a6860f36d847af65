"""Group anonymity through files: the wished signal, the same values as before, and rules that survive, says Saxon."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.masking.carrying_out import read_plan
from constraint_sdc.errors import UsageError
from constraint_sdc.files.json_file import json_text
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.plan.plan import GoalReport, Plan, Why
from constraint_sdc.plan.plan_json import plan_digest, plan_from_json, plan_to_json
from constraint_sdc.reports.masking.plan_text import plan_text
from constraint_sdc.reports.sentences import sentence, sentences
from constraint_sdc.settings.reason import because
from tests.maskers.extract import Extract, Row, columns, extract, schema, the_rule

N = 240
REGIONS = ("East", "North", "South", "West")
SCIENTISTS = "Occupation = 'scientist'"
MOVE = [{"move": {"from": "North", "to": "South"}}]


def people(seed: int = 1, records: int = N) -> list[dict[str, str]]:
    """Scientists live in the north; Zone repeats the region in a code, and Pension is only for the old."""
    rng = np.random.default_rng(seed)
    region = rng.choice(REGIONS, records)
    is_scientist = rng.random(records) < np.where(region == "North", 0.5, 0.1)
    age = rng.integers(18, 90, records)
    return columns(
        Region=region.tolist(),
        Occupation=np.where(is_scientist, "scientist", "other").tolist(),
        Age=age.tolist(),
        Sex=rng.choice(["F", "M"], records).tolist(),
        Hours=rng.integers(0, 60, records).tolist(),
    )


def recipe(*goals: Mapping[str, Any], influential: Sequence[str] = ("Age", "Sex"), **more: Any) -> str:
    mask: dict[str, Any] = {"masker": "group-anonymity", "goals": [dict(goal) for goal in goals]}
    if influential:
        mask["influential"] = [{"variable": name} for name in influential]
    return str(yaml.safe_dump({"mask": mask, **more}, allow_unicode=True))


def goal(parameter: str = "Region", vital: str = SCIENTISTS, **more: Any) -> dict[str, Any]:
    return {"parameter": parameter, "vital": vital, "change": MOVE, **more}


def counts(rows: Sequence[Row], parameter: str, keep: Callable[[Row], bool] = lambda _: True) -> Counter[str]:
    """Count the values of a variable among some records: the examiner of every signal."""
    return Counter(row[parameter] for row in rows if keep(row) and row.get(parameter))


def is_scientist(row: Row) -> bool:
    return row["Occupation"] == "scientist"


def masked(given: Extract, **more: Any) -> Plan:
    """Mask, and require what every masking of this kind promises."""
    plan = given.mask(1, **more).plan
    swapped = {name for block in plan.blocks for name in block.names}
    before, after = given.original(), given.masked()
    for old, new in zip(before, after, strict=True):
        assert {n: v for n, v in old.items() if n not in swapped} == {n: v for n, v in new.items() if n not in swapped}
        assert old.keys() == new.keys()
    for name in swapped:
        assert counts(before, name) == counts(after, name)
    for one in plan.all_goals():
        require_report(one, before, after, is_scientist if one.vital == SCIENTISTS else None)
    return plan


def require_report(one: GoalReport, before: Sequence[Row], after: Sequence[Row], keep: Any) -> None:
    """Require that what the plan says of a goal is what the two files show."""
    if keep is None:
        return
    old, new = counts(before, one.parameter, keep), counts(after, one.parameter, keep)
    assert {value.value: value.before for value in one.values if value.before} == dict(old)
    assert {value.value: value.after for value in one.values if value.after} == dict(new)
    if one.is_reached:
        assert [value.whole for value in one.values] == [value.after for value in one.values]
        assert all(abs(value.after - value.wished) < 1 for value in one.values)


def test_a_moved_peak_changes_places_and_nothing_else_changes(tmp_path: Path) -> None:
    given = extract(tmp_path, people(), {"age": "number(Age) >= 18"}, recipe(goal()))
    plan = masked(given)
    given.requires_all_rules()
    before, after = (counts(rows, "Region", is_scientist) for rows in (given.original(), given.masked()))
    assert before["North"] > before["South"]
    assert (after["North"], after["South"]) == (before["South"], before["North"])
    assert (after["East"], after["West"]) == (before["East"], before["West"])
    (one,) = plan.all_goals()
    assert one.is_reached
    assert one.swaps == before["North"] - before["South"]


def test_a_concentration_is_as_wished_up_to_whole_records(tmp_path: Path) -> None:
    told = goal(signal="concentration", base="Age >= 30", vital=SCIENTISTS, order=["North", "East", "South", "West"])
    given = extract(tmp_path, people(), None, recipe(told))
    given.mask(1)
    (one,) = given.plan(1).all_goals()
    assert [value.value for value in one.values] == ["North", "East", "South", "West"]
    base = counts(given.masked(), "Region", lambda row: int(row["Age"]) >= 30)
    vital = counts(given.masked(), "Region", lambda row: int(row["Age"]) >= 30 and is_scientist(row))
    old = counts(given.original(), "Region", lambda row: int(row["Age"]) >= 30 and is_scientist(row))
    assert base == counts(given.original(), "Region", lambda row: int(row["Age"]) >= 30)
    for value in one.values:
        assert value.signal_after == vital[value.value] / base[value.value]
        assert abs(value.signal_after - value.signal_wished) < 1 / base[value.value]
        assert value.before == old[value.value]
    assert one.values[0].signal_before == pytest.approx(one.values[2].signal_wished, abs=0.02)
    outside = [
        (a["Region"], b["Region"]) for a, b in zip(given.original(), given.masked(), strict=True) if int(a["Age"]) < 30
    ]
    assert all(old == new for old, new in outside)


def test_a_difference_is_changed_and_the_other_group_stays(tmp_path: Path) -> None:
    told = goal(
        signal="concentration difference", vital="Occupation = 'scientist' and Sex = 'F'",
        against={"vital": "Occupation = 'scientist' and Sex = 'M'"},
    )  # fmt: skip
    given = extract(tmp_path, people(), None, recipe(told))
    (one,) = masked(given).all_goals()
    assert one.is_reached
    assert one.swaps > 0

    def of_men(row: Row) -> bool:
        return is_scientist(row) and row["Sex"] == "M"

    assert counts(given.original(), "Region", of_men) == counts(given.masked(), "Region", of_men)


def test_an_infeasible_difference_comes_as_near_as_any_counts_can_in_the_signal(tmp_path: Path) -> None:
    told = goal(
        signal="concentration difference", vital="Occupation = 'scientist' and Sex = 'F'",
        against={"vital": "Occupation = 'scientist' and Sex = 'M'"}, change=[{"signal": [-0.4, 0.1, 0.2, -0.3]}],
    )  # fmt: skip
    (one,) = extract(tmp_path, people(), None, recipe(told)).plan(1).all_goals()
    base, wish, whole = (
        np.array([getattr(value, name) for value in one.values]) for name in ("base", "wished", "whole")
    )
    assert wish.min() < -1
    total = int(whole.sum())
    assert total == sum(value.before for value in one.values)
    tried = np.array([[*x, total - sum(x)] for x in product(*(range(most + 1) for most in base[:-1]))])
    tried = tried[(tried[:, -1] >= 0) & (tried[:, -1] <= base[-1])]
    nearest = (((tried - wish) / base) ** 2).sum(axis=1).min()
    assert (((whole - wish) / base) ** 2).sum() == pytest.approx(nearest)
    assert {reason.code for reason in one.missed} == {"wish-out-of-range"}


@pytest.mark.parametrize("approximation", ["reverse", "flat"])
def test_a_wavelet_keeps_mean_and_deviation_if_normalised(tmp_path: Path, approximation: str) -> None:
    change = [{"wavelet": {"wavelet": "haar", "level": 1, "approximation": approximation}}]
    given = extract(tmp_path, people(), None, recipe(goal(change=change, normalise=True)))
    (one,) = masked(given).all_goals()
    before, wished = ([getattr(v, name) for v in one.values] for name in ("signal_before", "signal_wished"))
    assert np.mean(wished) == pytest.approx(np.mean(before))
    assert np.std(wished) == pytest.approx(np.std(before))


def test_the_signal_may_be_given(tmp_path: Path) -> None:
    given = extract(tmp_path, people(), None, recipe(goal(change=[{"signal": [10, 10, 10, 10]}])))
    masked(given)
    after = counts(given.masked(), "Region", is_scientist)
    assert max(after.values()) - min(after.values()) <= 1


RULES = {
    "if-then on the parameter": "not(Region = 'South') or number(Age) < 60",
    "two regions differ": "if (Region = ('North', 'East')) then number(Hours) < 40 else number(Hours) >= 0",
    "possible values": "Region = ('East', 'North', 'South', 'West')",
    "opaque": "string-join((string(Region), string(Sex)), '-') != 'South-M'",
}


@pytest.mark.parametrize("rule", RULES)
def test_rules_survive(tmp_path: Path, rule: str) -> None:
    every = extract(tmp_path / "all", people(records=900), {"rule": RULES[rule]})
    broken = every.broken(every.data)["rule"]
    rows = [row for number, row in enumerate(every.original(), start=1) if number not in broken]
    given = extract(tmp_path / "clean", rows, {"rule": RULES[rule]}, recipe(goal()))
    plan = masked(given)
    given.requires_all_rules()
    assert plan.all_goals()[0].swaps > 0
    assert the_rule(plan, "rule").why in (Why.CHECKED, Why.MEDOID)


def test_an_opaque_rule_lets_only_records_swap_that_agree_in_what_else_it_reads(tmp_path: Path) -> None:
    given = extract(tmp_path, people(), {"code": "string-join((string(Region), Sex), '-') != 'x'"}, recipe(goal()))
    plan = masked(given)
    rule = the_rule(plan, "code")
    assert rule.why is Why.MEDOID
    assert rule.because["reason"] == because("pairs-agree", variables=("Sex",), reads_any=False)
    assert plan.all_goals()[0].swaps > 0
    women = [counts(rows, "Region", lambda row: row["Sex"] == "F") for rows in (given.original(), given.masked())]
    assert women[0] == women[1]


def test_a_rule_of_uncertain_reach_forbids_all_and_is_named(tmp_path: Path) -> None:
    """Vital records differ from the others in what makes them vital, which the rule may read."""
    given = extract(tmp_path, people(), {"wide": "count(*[string-length(.) > 0]) >= 5"}, recipe(goal()))
    plan = masked(given)
    given.requires_all_rules()
    (one,) = plan.all_goals()
    assert one.swaps == 0
    assert any("swap: wide" in warning for warning in sentences(plan.warnings))


def test_a_sum_with_a_swapped_number_survives_and_the_goal_is_called_missed(tmp_path: Path) -> None:
    """Ages that enter a sum can only be exchanged between records with the same age: no swap changes anything."""
    rows = [{**row, "Total": str(int(row["Age"]) + int(row["Hours"]))} for row in people()]
    told = goal("Age", change=[{"add": {"at": 40}}])
    rules = {"sum": "number(Age) + number(Hours) = number(Total)"}
    given = extract(tmp_path, rows, rules, recipe(told, influential=("Sex",)))
    plan = masked(given)
    given.requires_all_rules()
    (one,) = plan.all_goals()
    assert not one.is_reached
    assert one.swaps == 0
    assert "swaps-missing" in {reason.code for reason in one.missed}
    assert because("goal-missed", goal=1, parameter="Age", missed=one.missed) in plan.warnings
    assert "MISSED" in plan_text(plan)


def test_a_rule_that_reads_nothing_swapped_is_untouched_and_one_across_records_is_judged(tmp_path: Path) -> None:
    rules = {"own": "number(Age) >= 18", "across": "count(//Record[Region = 'North']) > 1"}
    given = extract(tmp_path, people(), rules, recipe(goal()))
    plan = masked(given)
    assert the_rule(plan, "own").why is Why.UNTOUCHED
    assert the_rule(plan, "across").why is Why.JUDGED


def test_an_earlier_context_of_the_pattern_counts_as_read(tmp_path: Path) -> None:
    """Records of the south are taken by the first rule; whoever leaves it comes under the second."""
    text = schema({"south": "true()"}, context="Record[Region = 'South']").replace(
        "</rule></pattern>",
        '</rule><rule context="Record"><assert id="rest" test="number(Age) &lt; 60">too old</assert></rule></pattern>',
    )
    rows = [row for row in people(records=600) if row["Region"] == "South" or int(row["Age"]) < 60]
    given = extract(tmp_path, rows, text, recipe(goal()))
    plan = masked(given)
    given.requires_all_rules()
    assert the_rule(plan, "rest").why is Why.CHECKED
    assert plan.all_goals()[0].swaps > 0


def test_records_that_break_a_rule_may_stay_broken_and_no_clean_one_breaks(tmp_path: Path) -> None:
    rules = {"young": "not(Region = 'South') or number(Age) < 60"}
    given = extract(tmp_path, people(), rules, recipe(goal(), on_broken="keep"))
    before = given.broken(given.data)["young"]
    assert before
    masked(given)
    assert given.broken()["young"] <= before


def test_a_goal_beyond_the_base_is_missed_loudly(tmp_path: Path) -> None:
    told = goal(change=[{"signal": [0, 0, 200, 0]}], vital="Occupation = 'other'")
    given = extract(tmp_path, people(), None, recipe(told))
    plan = given.mask(1).plan
    (one,) = plan.all_goals()
    assert not one.is_reached
    assert sentence(plan.warnings[0]).startswith("goal 1 (Region) is MISSED")
    south = next(value for value in one.values if value.value == "South")
    assert south.after == south.base


def test_a_wish_below_zero_is_missed_only_if_whole_records_show_it(tmp_path: Path) -> None:
    rows = [{"Place": "abcdefgh"[i % 8], "Job": "x" if i % 16 == 0 or i < 6 else "y"} for i in range(160)]
    for height, is_reached in ((11, True), (60, False)):
        told = goal("Place", vital="Job = 'x'", change=[{"add": {"at": "a", "height": height}}])
        given = extract(tmp_path / str(height), rows, None, recipe(told, influential=()))
        (one,) = given.plan(1).all_goals()
        assert min(value.wished for value in one.values) < 0
        assert one.is_reached == is_reached
        assert any("counts below 0" in said for said in sentences(one.notes if is_reached else one.missed))


def test_several_goals_leave_each_other_alone(tmp_path: Path) -> None:
    women = goal(vital="Sex = 'F'", change=[{"move": {"from": "East", "to": "West"}}])
    sexes = goal("Sex", vital="Occupation = 'scientist'", change=[{"move": {"from": "F", "to": "M"}}])
    given = extract(tmp_path, people(), None, recipe(goal(), women, influential=("Age",)))
    plan = masked(given)
    assert [one.number for one in plan.all_goals()] == [1, 2]
    for one, keep in zip(plan.all_goals(), (is_scientist, lambda row: row["Sex"] == "F"), strict=True):
        after = counts(given.masked(), "Region", keep)
        assert {value.value: value.after for value in one.values} == {name: after[name] for name in REGIONS}
        assert one.is_reached
    both = extract(tmp_path / "both", people(), None, recipe(goal(), sexes, influential=("Age",)))
    plan = masked(both)
    assert [block.names for block in plan.blocks] == [("Region",), ("Sex",)]
    assert all(one.is_reached for one in plan.all_goals())


def test_a_rule_between_two_parameters_survives_the_swaps_of_both(tmp_path: Path) -> None:
    rules = {"tie": "not(Region = 'South' and Sex = 'M') or number(Age) < 70"}
    every = people(records=700)
    rows = [r for r in every if not (r["Region"] == "South" and r["Sex"] == "M") or int(r["Age"]) < 70]
    sexes = goal("Sex", change=[{"move": {"from": "F", "to": "M"}}])
    given = extract(tmp_path, rows, rules, recipe(goal(), sexes, influential=("Hours",)))
    plan = masked(given)
    given.requires_all_rules()
    assert all(one.swaps > 0 for one in plan.all_goals() if one.parameter == "Region")
    assert [rule.rule for rule in plan.all_rules()] == ["tie"]


def test_a_group_that_depends_on_a_parameter_is_refused(tmp_path: Path) -> None:
    given = extract(tmp_path, people(), None, recipe(goal(vital="Region = 'North'")))
    with pytest.raises(UsageError, match="depends on 'Region', which is swapped"):
        given.mask(1)


def test_records_without_a_value_take_no_part(tmp_path: Path) -> None:
    rows = people()
    for number in range(0, N, 7):
        rows[number]["Region"] = "''" if number % 2 else "unknown"
    for number in range(1, N, 11):
        rows[number].pop("Region", None)
    given = extract(tmp_path, rows, None, recipe(goal(), missing={"Region": ["unknown"]}))
    plan = given.mask(1).plan
    (one,) = plan.all_goals()
    assert one.is_reached
    assert "records-without-value" in {note.code for note in one.notes}
    for old, new in zip(given.original(), given.masked(), strict=True):
        if old.get("Region") in (None, "", "unknown"):
            assert old == new


def test_equal_numbers_are_one_value_and_texts_move_as_they_are(tmp_path: Path) -> None:
    rows = [{**row, "Zone": ("1", "2", "2.00", "2.0", "3")[i % 5]} for i, row in enumerate(people())]
    given = extract(tmp_path, rows, None, recipe(goal("Zone", change=[{"move": {"from": 1, "to": 2}}])))
    plan = masked_by_number(given)
    assert [value.value for value in plan.all_goals()[0].values] == ["1", "2", "3"]


def masked_by_number(given: Extract) -> Plan:
    plan = given.mask(1).plan
    assert counts(given.original(), "Zone") == counts(given.masked(), "Zone")
    after = Counter(float(row["Zone"]) for row in given.masked() if is_scientist(row))
    assert [value.after for value in plan.all_goals()[0].values] == [after[1.0], after[2.0], after[3.0]]
    return plan


def test_values_in_any_script(tmp_path: Path) -> None:
    names = {"North": "Łódź", "South": "São Paulo", "East": "東京", "West": "O'Brien & <co>"}
    rows = [{**row, "Region": names[row["Region"]]} for row in people()]
    told = goal(change=[{"move": {"from": "Łódź", "to": "O'Brien & <co>"}}])
    given = extract(tmp_path, rows, {"known": "string-length(Region) > 1"}, recipe(told))
    plan = masked(given)
    given.requires_all_rules()
    assert plan.all_goals()[0].is_reached


DOCUMENTS = {
    "attributes": ("<Data>{}</Data>", '<Row Region="{Region}" Occupation="{Occupation}" Age="{Age}"/>', "Row", "@{}"),
    "a namespace": (
        '<d:Data xmlns:d="urn:d">{}</d:Data>',
        "<d:Row><d:Region>{Region}</d:Region><d:Occupation>{Occupation}</d:Occupation><d:Age>{Age}</d:Age></d:Row>",
        "d:Row",
        "{{urn:d}}{}",
    ),
}


@pytest.mark.parametrize("layout", DOCUMENTS)
def test_other_layouts(tmp_path: Path, layout: str) -> None:
    frame, row, context, name = DOCUMENTS[layout]
    data = tmp_path / "data.xml"
    data.write_text(frame.format("\n".join(row.format(**one) for one in people())), encoding="utf-8")
    region, occupation, age = (name.format(one) for one in ("Region", "Occupation", "Age"))
    path = tmp_path / "recipe.yml"
    told = goal(region, vital=f"`{occupation}` = 'scientist'")
    path.write_text(recipe(told, influential=(age,)), encoding="utf-8")
    options = MaskOptions(recipe=read_recipe(path), recipe_file=path)
    prefix = "@" if layout == "attributes" else "d:"
    text = schema({"r": f"string-length({prefix}Region) > 3"}, context=context, more='  <ns prefix="d" uri="urn:d"/>\n')
    (tmp_path / "r.sch").write_text(text, encoding="utf-8")
    result = mask_file(data, tmp_path / "r.sch", tmp_path / "out.xml", options)
    (one,) = result.plan.all_goals()
    assert one.is_reached
    assert one.swaps > 0
    assert sorted((tmp_path / "out.xml").read_text()) == sorted(data.read_text())


def test_the_same_masking_makes_the_same_bytes_with_ties_everywhere(tmp_path: Path) -> None:
    rows = [{**row, "Age": "40", "Sex": "F"} for row in people()]
    found = []
    for folder in ("one", "two"):
        given = extract(tmp_path / folder, rows, None, recipe(goal()))
        masked(given)
        found.append(given.output.read_bytes())
    assert found[0] == found[1]


def test_without_influential_variables_there_is_a_warning(tmp_path: Path) -> None:
    given = extract(tmp_path, people(), None, recipe(goal(), influential=()))
    assert because("nothing-influential") in masked(given).warnings


def test_pairs_agree_in_influential_variables_where_they_can(tmp_path: Path) -> None:
    """Every scientist of the north has a twin elsewhere: swaps cost nothing, and nobody's sex or age moves."""
    rows = people()
    twins = [{**row, "Occupation": "other", "Region": "South"} for row in rows if is_scientist(row)]
    given = extract(tmp_path, [*rows, *twins], None, recipe(goal()))
    (one,) = masked(given).all_goals()
    assert one.is_reached
    assert one.distortion == 0

    def women(rows: Sequence[Row]) -> Counter[str]:
        return counts(rows, "Region", lambda row: row["Sex"] == "F")

    assert women(given.original()) == women(given.masked())


def test_ordinal_values_count_by_their_order(tmp_path: Path) -> None:
    """A low and a middle level differ by 1/3 of their sum, a low and a high one by 1/2."""
    rows = [
        {"Region": region, "Job": job, "Level": level}
        for region, job, level in (("a", "x", "1"), ("b", "y", "3"), ("b", "y", "2"), ("a", "y", "1"))
    ]
    told = goal(vital="Job = 'x'", change=[{"move": {"from": "a", "to": "b"}}])
    text = recipe(told, influential=("Level",)).replace("- variable: Level", "- {variable: Level, type: ordinal}")
    (one,) = extract(tmp_path, rows, None, text).plan(1).all_goals()
    assert one.swaps == 1
    assert one.distortion == pytest.approx((1 / 3) ** 2)


def test_plan_and_certificate_come_back_whole_and_name_no_record(tmp_path: Path) -> None:
    given = extract(tmp_path, people(), {"age": "number(Age) >= 18"}, recipe(goal()))
    plan = given.plan(1)
    assert plan_to_json(plan_from_json(json.loads(json_text(plan_to_json(plan))))) == plan_to_json(plan)
    saved = tmp_path / "plan.json"
    saved.write_text(json_text(plan_to_json(plan)), encoding="utf-8")
    assert plan_digest(read_plan(saved)) == plan_digest(plan)
    result = mask_file(given.data, given.rules, given.output, given.options(1), expected=read_plan(saved))
    certificate = result.certificate.read_text(encoding="utf-8")
    assert plan_from_json(json.loads(certificate)["plan"]).all_goals() == plan.all_goals()
    assert "vital_record" not in certificate
    assert because("goals-tell") in plan.warnings


def test_a_removed_identifier_goes_and_an_opaque_rule_does_not_need_it(tmp_path: Path) -> None:
    rows = [{"Id": f"R{i}", **row} for i, row in enumerate(people())]
    told = recipe(goal(), variables={"Id": {"role": "identifier", "remove": True}})
    given = extract(tmp_path, rows, {"wide": "count(*) >= 5"}, told)
    plan = given.mask(1).plan
    given.requires_all_rules()
    assert all("Id" not in row for row in given.masked())
    assert [kept.name for kept in plan.kept if kept.is_removed] == ["Id"]


def test_k_on_the_command_line_has_no_meaning(tmp_path: Path) -> None:
    given = extract(tmp_path, people(), None, recipe(goal()))
    with pytest.raises(UsageError, match="k has no meaning with group-anonymity"):
        given.mask(5)
    assert given.options(1) == replace(given.options(5), k=1)
