"""Rules that only Saxon can evaluate: candidates are judged by it in batches, and few groups need an actual record."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.masking.preparation import prepared_file
from constraint_sdc.data.table import column_of
from constraint_sdc.errors import JudgeError, PlanRefusedError
from constraint_sdc.judge import records
from constraint_sdc.judge.records import SaxonOnRecords
from constraint_sdc.maskers.masked import MaskOptions, MaskResult
from constraint_sdc.plan.plan import ExactStep, Plan, Why
from constraint_sdc.reports.sentences import sentence
from tests.maskers.extract import Extract, columns, extract, schema, the_block, the_rule

N, K = 90, 3
CODES = "".join(f'<c a="N{a}" b="S{b}" most="{30 * (a + 1)}"/>' for a in range(5) for b in range(3))
LOOK_UP = "exists(document('codes.xml')//c[@a = current()/Nace and @b = current()/Size])"
WITH_MASKED = "exists(document('codes.xml')//c[@a = current()/Nace and number(@most) >= number(current()/V1)])"
ENDS_IN_5 = "substring(string-join(V1, ''), string-length(string-join(V1, '')), 1) = ('0', '5')"


def survey(**more: object) -> list[dict[str, str]]:
    rng = np.random.default_rng(8)
    nace = rng.integers(0, 5, N)
    cells: dict[str, object] = {"Nace": [f"N{a}" for a in nace], "Size": [f"S{b}" for b in rng.integers(0, 3, N)]}
    cells["V1"] = [int(rng.integers(1, 30 * (a + 1))) for a in nace]
    cells |= {f"V{j}": rng.integers(0, 1000, N).tolist() for j in range(2, 7)}
    return columns(**{**cells, **more})  # type: ignore[arg-type]


def looked_up(
    folder: Path, rules: Mapping[str, str] | str | None, recipe: str | None = None, **more: object
) -> Extract:
    folder.mkdir(exist_ok=True)
    (folder / "codes.xml").write_text(f"<codes>{CODES}</codes>", encoding="utf-8")
    return extract(folder, survey(**more), rules, recipe)


def asked(plan: Plan) -> tuple[int, int]:
    """Return how many candidate records Saxon judged, and in how many calls."""
    notes = [note for block in plan.blocks if block.price for note in block.price.notes if note.code == "saxon-asked"]
    counts = [(note["records"], note["calls"]) for note in notes]
    return sum(int(str(records)) for records, _ in counts), sum(int(str(calls)) for _, calls in counts)


def actual_records(result: MaskResult) -> int:
    return sum(step is ExactStep.MEDOID for block in result.masked.blocks for step in block.step)


def test_a_look_up_of_unmasked_variables_changes_nothing_and_asks_nothing(tmp_path: Path) -> None:
    plain = looked_up(tmp_path / "plain", None).mask(K)
    given = looked_up(tmp_path / "ruled", {"code": LOOK_UP})
    result = given.mask(K)
    given.requires_all_rules()
    assert the_rule(result.plan, "code").why is Why.UNTOUCHED
    assert the_rule(result.plan, "code").variables == ("Nace", "Size")
    assert actual_records(result) == 0
    assert [b.price and b.price.loss for b in result.plan.blocks] == [
        b.price and b.price.loss for b in plain.plan.blocks
    ]
    assert asked(result.plan) == (0, 0)


def test_a_look_up_of_a_masked_variable_is_checked_on_every_record_of_a_group(tmp_path: Path) -> None:
    given = looked_up(tmp_path, {"most": WITH_MASKED})
    result = given.mask(K)
    given.requires_all_rules()
    rule = the_rule(result.plan, "most")
    assert (rule.why, rule.variables) == (Why.CHECKED, ("Nace", "V1"))
    assert "checked by Saxon" in sentence(rule.because)
    steps = the_block(result.plan, "V1").price.steps  # type: ignore[union-attr]
    assert steps[ExactStep.ROUNDED] > 20, "most means satisfy the rule"
    assert steps.get(ExactStep.MEDOID, 0) < 5
    assert given.column("Nace") == [record["Nace"] for record in given.original()]
    records, calls = asked(result.plan)
    assert records >= N
    assert calls < 25


def test_all_groups_and_strata_are_asked_together(tmp_path: Path) -> None:
    """Two strata, thirty groups, most of which need a neighbour on the grid: there are few rounds all the same."""
    rng = np.random.default_rng(2)
    fives, low, is_low = 5 * rng.integers(1, 200, N), rng.integers(0, 400, N), np.arange(N) % 3 == 0
    cells = {"V1": fives, "V2": np.where(is_low, 0, 500), "V3": np.where(is_low, low, low + 500)}
    rules = {"five": ENDS_IN_5, "fork": "if (number(V2) < 500) then number(V3) < 400 else number(V3) >= 500"}
    recipe = "groups: [[V1, V2, V3]]\n"
    given = looked_up(tmp_path, rules, recipe, **{name: values.tolist() for name, values in cells.items()})
    result = given.mask(K)
    given.requires_all_rules()
    block = the_block(result.plan, "V1")
    assert len(block.strata) > 1
    assert block.price is not None
    assert block.price.steps[ExactStep.NUDGED] > 10
    assert actual_records(result) == 0
    assert asked(result.plan)[1] <= 4


def test_groups_share_unmasked_values_if_they_find_no_others(tmp_path: Path) -> None:
    """Each code has a range of its own, so that no value suits two of them: groups are formed inside a code."""
    ranges = "".join(f'<c a="N{a}" low="{100 * a}" high="{100 * a + 50}"/>' for a in range(5))
    rng = np.random.default_rng(3)
    nace = rng.integers(0, 5, N)
    bounds = "[@low <= number(current()/V1)][@high >= number(current()/V1)]"
    inside = f"exists(document('codes.xml')//c[@a = current()/Nace]{bounds})"
    cells = {"Nace": [f"N{a}" for a in nace], "V1": [int(100 * a + rng.integers(0, 51)) for a in nace]}
    given = looked_up(tmp_path, {"range": inside}, **cells)
    (tmp_path / "codes.xml").write_text(f"<codes>{ranges}</codes>", encoding="utf-8")
    result = given.mask(K)
    given.requires_all_rules()
    assert given.column("Nace") == cells["Nace"]
    strata = the_block(result.plan, "V1").strata
    assert {reason["variable"] for stratum in strata for reason in stratum.conditions} == {"Nace"}
    assert len(strata) == 5
    assert actual_records(result) == 0


def test_a_rule_that_may_read_anything_is_checked_and_says_why(tmp_path: Path) -> None:
    given = looked_up(tmp_path, {"short": "string-length(string(.)) < 60"})
    result = given.mask(K)
    given.requires_all_rules()
    rule = the_rule(result.plan, "short")
    assert rule.why is Why.CHECKED
    assert "it may read any variable, because of ." in sentence(rule.because)
    assert len(result.plan.blocks) == 1, "every masked variable may matter to it"
    assert actual_records(result) == 0


def test_a_context_that_is_not_understood_and_a_message_that_looks_around_are_no_hindrance(tmp_path: Path) -> None:
    """The verdict looks at its own record alone; Saxon judges it on the whole file, and candidates one by one."""
    text = schema({"whole": "number(V1) ge 0", "told": "string-length(string-join(V2, '')) le 3"})
    context = f'context="Record[{LOOK_UP}]"'
    text = text.replace("told does not hold", '<value-of select="count(//Record)"/>').replace(
        'context="Record"', context
    )
    given = looked_up(tmp_path, text)
    result = given.mask(K)
    assert [the_rule(result.plan, rule).why for rule in ("whole", "told")] == [Why.CHECKED] * 2
    assert actual_records(result) == 0
    assert asked(result.plan)[1] == 2, "one call for each block"


@pytest.mark.parametrize(
    "recipe",
    [
        "mask: {masker: microhybrid, partition: mdav}\n",
        "mask: {masker: fuzzy-c-means}\n",
        "mask: {partition: individual-ranking}\n",
    ],
)
def test_every_masker_with_an_exact_step_asks_saxon(tmp_path: Path, recipe: str) -> None:
    rules = {"most": WITH_MASKED, "order": "number(V2) <= number(V3) + 1000"}
    given = looked_up(tmp_path, rules, recipe + "groups: [[V1, V2, V3]]\n" if "ranking" not in recipe else recipe)
    result = given.mask(5, seed=1)
    given.requires_all_rules()
    assert the_rule(result.plan, "most").why is Why.CHECKED
    assert 1 <= asked(result.plan)[1] < 40
    assert actual_records(result) < 0.3 * len(result.masked.blocks[0].step)


def test_an_error_on_a_candidate_counts_as_a_rule_that_does_not_hold(tmp_path: Path) -> None:
    """The grid has a decimal, the rule reads whole numbers: XPath stops on most means."""
    rules = {"whole": "xs:integer(string-join(V1, '')) ge 0"}
    given = looked_up(tmp_path, rules, "variables: {V1: {grid: 1}}\n", V1=[10 * i for i in range(N)])
    result = given.mask(4)
    given.requires_all_rules()
    assert "." not in "".join(given.column("V1"))
    assert asked(result.plan)[0] > N


NAMESPACED = """<s:survey xmlns:s="urn:s" xmlns="urn:v">
  <!-- rows -->
  {rows}
</s:survey>
"""


def test_candidates_have_the_shape_of_the_file(tmp_path: Path) -> None:
    """Namespaces, attributes of records and of values, `$original`, variables of rules, and a rule that comes first."""
    rng = np.random.default_rng(4)
    firm = '<s:firm s:size="{}"><Code unit="k">c{}</Code><V1 unit="{}">{}<!-- {} --></V1></s:firm>'
    amounts = rng.integers(100, 500, 60).tolist()
    rows = [firm.format("LS"[i % 2], i % 4, "ab"[i % 2], amount, i) for i, amount in enumerate(amounts)]
    (tmp_path / "data.xml").write_text(NAMESPACED.format(rows="\n  ".join(rows)), encoding="utf-8")
    limits = 'string-join((V1/@unit, @s:size, string(number(V1) ge $least)), "-") = ("a-L-true", "b-S-true")'
    text = schema({"unit": limits.replace("V1", "v:V1")}, context="s:firm").replace(
        "<pattern>",
        '<ns prefix="s" uri="urn:s"/><ns prefix="v" uri="urn:v"/><pattern>'
        '<rule context="s:firm[v:V1 = v:Code]"><assert id="never" test="false()"/></rule>',
    )
    lets = '<let name="least" value="min($original//v:V1/number(.))"/>'
    (tmp_path / "rules.sch").write_text(text.replace('context="s:firm">', f'context="s:firm">{lets}'), encoding="utf-8")
    options = MaskOptions(k=3, partition="mdav", allow_idle=("never",))
    result = mask_file(tmp_path / "data.xml", tmp_path / "rules.sch", tmp_path / "masked.xml", options)
    assert the_rule(result.plan, "unit").why is Why.CHECKED
    assert actual_records(result) == 0
    assert asked(result.plan) == (240, 2), "all means, and the neighbours of those that are somebody's record"


def test_a_copy_of_a_record_is_no_proof_if_the_rule_reads_an_attribute_of_the_value(tmp_path: Path) -> None:
    """Values in thousands are small. A copied 5 in a record without the attribute breaks its rule, a copied 700 not."""
    unit = ' unit="k"'
    rows = [f"<Record><V1{unit * (i % 3 == 0)}>{5 if i % 3 == 0 else 700 + 7 * i}</V1></Record>" for i in range(36)]
    (tmp_path / "data.xml").write_text(f"<Data>{''.join(rows)}</Data>", encoding="utf-8")
    large = "number(V1) * (if (V1/@unit = 'k') then 1000 else 1) ge 600 and ends-with(string-join(V1, ''), '5')"
    rules = schema({"large": large.replace("'5')", "'5') or number(V1) gt 600 and number(V1) mod 7 = 0")})
    (tmp_path / "rules.sch").write_text(rules, encoding="utf-8")
    result = mask_file(
        tmp_path / "data.xml", tmp_path / "rules.sch", tmp_path / "m.xml", MaskOptions(k=7, partition="random")
    )
    assert the_rule(result.plan, "large").why is Why.CHECKED


def test_variables_that_the_recipe_removes_are_not_shown_to_saxon(tmp_path: Path) -> None:
    """The rule counts the children of a record: without one of them no candidate satisfies it."""
    rules = {"count": "count(*) ge 8 and string-length(string-join(V1, '')) ge 1"}
    recipe = "variables: {{Size: {{role: identifier, remove: {}}}}}\n"
    given = looked_up(tmp_path / "kept", rules, recipe.format("false"))
    assert actual_records(given.mask(K)) == 0
    given = looked_up(tmp_path / "removed", rules, recipe.format("true"))
    with pytest.raises(PlanRefusedError, match="that satisfy count were found"):
        given.mask(K)


def test_a_slow_rule_meets_the_time_limit_and_is_named(tmp_path: Path) -> None:
    """On the records of the file the rule is quick; on a candidate it would count for hours."""
    slow = "if (V1 = $original//V1) then true() else count((1 to 2000000000)[. mod 7 = number(current()/V1)]) = 1"
    given = looked_up(tmp_path, {"slow": slow})
    with prepared_file(given.data, given.rules, given.options(K)) as prepared:
        xml = prepared.mask_inputs.xml
        assert xml is not None
        judge = SaxonOnRecords(xml, ["slow"], ["V1"])
        own = [record["V1"] for record in given.original()[:2]]
        assert judge.holds(np.arange(2), {"V1": column_of("V1", own)})["slow"].all()
        xml.judges.of_records(frozenset({"slow"}), "Record")._time_limit = 0.3
        with pytest.raises(JudgeError, match=r"longer than the time limit, while it checked candidates .* by slow"):
            judge.holds(np.arange(2), {"V1": column_of("V1", ["0.5", "0.25"])})


ROWS = (
    "<D><X><R A='1'><T>a</T></R><R A='2'><T>b</T></R></X><Y><R A='3'/><R A='4'><T>d</T></R></Y></D>",
    "<D><R A='1'><T>a</T></R>\n<R A='2'><T>b</T></R><!-- R --><R A='3'/><R A='4'><T>d</T></R></D>",
)


@pytest.mark.parametrize("data", ROWS)
@pytest.mark.parametrize("most", [1, 3, 100])
def test_every_answer_is_that_of_its_own_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: str, most: int
) -> None:
    """Documents of any size, records in any order, under other elements, with values that are not in the question."""
    monkeypatch.setattr(records, "_MOST_RECORDS", most)
    (tmp_path / "data.xml").write_text(data, encoding="utf-8")
    rules = schema({"odd": "string-join((@A, T), '') = ('9a', '2b', '9', '8d')"}, context="R")
    (tmp_path / "rules.sch").write_text(rules, encoding="utf-8")
    options = MaskOptions(k=2, partition="mdav", on_broken="keep")
    with prepared_file(tmp_path / "data.xml", tmp_path / "rules.sch", options) as prepared:
        xml = prepared.mask_inputs.xml
        assert xml is not None
        judge = SaxonOnRecords(xml, ["odd"], ["@A", "T"])
        asked_of = np.array([3, 0, 2, 1, 3, 0])
        found = judge.holds(asked_of, {"@A": column_of("@A", ["8", "9", "9", "9", "9", None])})
    assert found["odd"].tolist() == [True, True, True, False, False, False]
    assert judge.asked == 6
    assert judge.calls >= 6 / most


def test_no_question_is_asked_twice(tmp_path: Path) -> None:
    given = looked_up(tmp_path, {"most": WITH_MASKED})
    with prepared_file(given.data, given.rules, given.options(K)) as prepared:
        xml = prepared.mask_inputs.xml
        assert xml is not None
        judge = SaxonOnRecords(xml, ["most"], ["Nace", "V1"])
        question = np.array([0, 1, 0]), {"V1": column_of("V1", ["1", "100000", "1"]), "V2": column_of("V2", [*"123"])}
        for _ in range(3):
            assert judge.holds(*question)["most"].tolist() == [True, False, True]
        assert (judge.calls, judge.asked) == (1, 2)
