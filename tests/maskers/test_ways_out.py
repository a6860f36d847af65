"""Ways out of a refusal: only those that were masked and judged are offered, and the search for them is bounded."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.commands.check import check_written
from constraint_sdc.commands.masking import judging, ways_out
from constraint_sdc.errors import JudgeError, LimitError, NotPublishedError, PlanRefusedError, WayOut
from constraint_sdc.exam.guarantee.judging import pooled_saxon
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.limits import TRIALS, TRIALS_OF_LARGE
from tests.maskers.extract import Extract, columns, extract

K = 4
CULPRITS = {"leave": "not(Sex = 'F') or number(Leave) > 0", "none": "not(Sex = 'M') or number(Leave) = 0"}
BYSTANDERS = {f"bound-{i}": f"number(Leave) <= {100 + i}" for i in range(12)}
MASKED_TOO = WayOut(roles=(("Sex", "confidential"),))
AS_IT_IS = WayOut(roles=(("Leave", "untouched"),))


@pytest.fixture(autouse=True, scope="module")
def saxon() -> Iterator[None]:
    with pooled_saxon():
        yield


def few_women(folder: Path, women: int = 3, **rules: str) -> Extract:
    """Fewer than k records have a leave, and all others must have none."""
    leave, age = [20 + i for i in range(women)] + [0] * 12, [*range(women), *(30 + 5 * i % 12 for i in range(12))]
    rows = columns(Sex=["F"] * women + ["M"] * 12, Leave=leave, Age=age)
    return extract(folder, rows, {**BYSTANDERS, **CULPRITS, **rules}, "variables: {Sex: {role: untouched}}")


def refused(given: Extract, k: int = K) -> PlanRefusedError:
    with pytest.raises(PlanRefusedError) as refusal:
        given.mask(k)
    assert not given.output.exists()
    return refusal.value


def test_the_culprits_are_named_and_no_bystander(tmp_path: Path) -> None:
    refusal = refused(few_women(tmp_path))
    assert refusal.conflict is not None
    assert refusal.conflict.rules == ("leave", "none")
    assert refusal.conflict.variables == ("Leave",)
    assert (refusal.conflict.pins, refusal.conflict.records, refusal.conflict.fewest) == (("Sex",), K, 3)
    assert refusal.ways == (WayOut(k=3), MASKED_TOO, WayOut(without=("leave",)), AS_IT_IS)
    assert str(refusal).splitlines()[1] == "  tried, and it works: -k 3"


def test_a_smaller_k_is_not_offered_where_a_single_record_is_bound(tmp_path: Path) -> None:
    assert all(way.k is None for way in refused(few_women(tmp_path, women=1)).ways)


def test_a_second_conflict_takes_a_second_rule(tmp_path: Path) -> None:
    """Age is in a block of its own, which no record of a leave can share either."""
    old = {"old": "not(Sex = 'F') or number(Age) < 3", "young": "not(Sex = 'M') or number(Age) >= 3"}
    ways = refused(few_women(tmp_path, **old)).ways
    assert WayOut(k=3) in ways
    assert any(len(way.without) == 2 for way in ways)
    assert WayOut(roles=(("Leave", "untouched"), ("Age", "untouched"))) not in ways, "nothing would be masked"


def test_a_way_is_offered_only_if_the_judge_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The values of every way satisfy the rules; plant a judge that passes a record over in what was written."""

    def faulty(*arguments: Any) -> CheckResult:
        result = check_written(*arguments)
        return replace(result, results=tuple(replace(rule, fired=rule.fired - 1) for rule in result.results))

    monkeypatch.setattr(judging, "check_written", faulty)
    refusal = refused(few_women(tmp_path))
    assert refusal.ways == ()
    (line,) = refusal.advice
    assert line.startswith("none of the ways out that were tried works: -k 3; mask Sex too, by")
    assert "leave out the rule leave" in line
    assert "leave out the rule none" in line


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], list[WayOut]]:
    """Let every way end in an error, and note which were tried."""

    def let(error: Exception) -> list[WayOut]:
        ways: list[WayOut] = []

        def fails(_: object, way: WayOut) -> None:
            ways.append(way)
            raise error

        monkeypatch.setattr(ways_out._TriedWays, "_mask", fails)
        return ways

    return let


def again(given: Extract) -> PlanRefusedError:
    """Return a refusal that names the same conflict in every trial."""
    return PlanRefusedError("no", conflict=refused(given).conflict)


@pytest.mark.parametrize(("large", "most"), [(20_000, TRIALS), (5, TRIALS_OF_LARGE)])
def test_the_number_of_trials_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tried: Callable[[Exception], list[WayOut]], large: int, most: int
) -> None:
    given = few_women(tmp_path)
    ways = tried(again(given))
    monkeypatch.setattr(ways_out, "LARGE_RECORDS", large)
    refusal = refused(given)
    assert refusal.ways == ()
    assert 1 < len(ways) <= most
    assert len(set(ways)) == len(ways)


@pytest.mark.parametrize("error", [LimitError("too long"), JudgeError("stopped")])
def test_a_trial_that_is_stopped_ends_the_search_and_the_refusal_stands(
    tmp_path: Path, tried: Callable[[Exception], list[WayOut]], error: Exception
) -> None:
    ways = tried(error)
    refusal = refused(few_women(tmp_path))
    assert len(ways) == 1
    assert refusal.exit_code == 3
    assert (refusal.ways, refusal.advice) == ((), ())


def test_trials_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, elsewhere = few_women(tmp_path / "case"), tmp_path / "temporary"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    before = sorted(given.folder.iterdir())
    assert refused(given).ways
    assert sorted(given.folder.iterdir()) == before
    assert list(elsewhere.iterdir()) == []


def test_a_broken_rule_across_records_offers_ways_out(tmp_path: Path) -> None:
    rules = {"unlike": "count(../Record[A = current()/A]) = 1", "low": "number(A) < 1000"}
    given = extract(tmp_path, columns(A=[7 * i % 40 for i in range(20)], B=[3 * i % 20 for i in range(20)]), rules)
    with pytest.raises(NotPublishedError) as refusal:
        given.mask(K)
    assert refusal.value.exit_code == 1
    assert refusal.value.ways == (WayOut(without=("unlike",)), WayOut(roles=(("A", "untouched"),)))
    assert "unlike: 20 newly broken of 20" in refusal.value.details[0]
    assert "tried, and it works: leave out the rule unlike" in str(refusal.value)


def test_without_advice_nothing_is_tried(tmp_path: Path, tried: Callable[[Exception], list[WayOut]]) -> None:
    from constraint_sdc.commands.mask import mask_file

    given = few_women(tmp_path)
    ways = tried(LimitError("never"))
    with pytest.raises(PlanRefusedError) as refusal:
        mask_file(given.data, given.rules, given.output, given.options(K), advise=False)
    assert ways == []
    assert "`plan` and `mask` try ways out" in str(refusal.value)


def test_a_way_is_tried_with_the_very_entry_that_the_message_shows(tmp_path: Path) -> None:
    """The recipe has more entries for both variables; `{role: untouched}` and `{role: confidential}` replace them."""
    recipe = "variables: {Sex: {role: untouched, type: nominal}, Leave: {role: confidential, operator: lower median}}"
    given = few_women(tmp_path)
    (tmp_path / "recipe.yml").write_text(recipe, encoding="utf-8")
    ways = refused(given).ways
    assert {MASKED_TOO, AS_IT_IS} <= set(ways)
    for entries in (
        "Sex: {role: confidential}, Leave: {operator: lower median}",
        "Sex: {role: untouched}, Leave: {role: untouched}",
    ):
        (tmp_path / "recipe.yml").write_text(f"variables: {{{entries}}}", encoding="utf-8")
        given.mask(K, overwrite=True)
        given.requires_all_rules()


ONE_RULE = {"leave": "number(Leave) = (if (Sex = 'F') then 20 else 0)"}


def one_rule(folder: Path, rules: Mapping[str, str] | None) -> Extract:
    rows = columns(Sex=["F"] + ["M"] * 7, Leave=[20] + [0] * 7, Age=range(8))
    return extract(folder, rows, rules, "variables: {Sex: {role: untouched}}")


def test_leaving_out_every_rule_is_offered_if_nothing_else_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = ways_out._TriedWays._mask

    def only_without_rules(search: ways_out._TriedWays, way: WayOut) -> float:
        if not way.is_without_rules:
            raise PlanRefusedError("no", conflict=search.conflict)
        return really(search, way)

    monkeypatch.setattr(ways_out._TriedWays, "_mask", only_without_rules)
    refusal = refused(one_rule(tmp_path / "ruled", ONE_RULE), 2)
    assert refusal.ways == (WayOut(without=("leave",), is_without_rules=True),)
    assert "tried, and it works: mask without rules, by leaving out `--rules`" in str(refusal)
    assert one_rule(tmp_path / "ruleless", None).mask(2).plan.k == 2


def test_leaving_out_every_rule_is_not_offered_beside_another_way(tmp_path: Path) -> None:
    refusal = refused(one_rule(tmp_path, ONE_RULE), 2)
    assert refusal.ways
    assert not any(way.without for way in refusal.ways)
