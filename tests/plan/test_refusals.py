"""Every documented refusal as a user meets it: exit code 3, what and why, a way out that works, and no file."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from constraint_sdc.cli import main
from tests.maskers.extract import Extract, columns, extract, schema

Ran = tuple[int, str, str]
Run = Callable[..., Ran]
N = 12
AMOUNTS = [7 * i % 12 for i in range(N)]
PHASES = """  <phase id="rest"><active pattern="others"/></phase>
  <pattern id="ids"><rule context="Record">
    <assert id="bound" test="number(Id) &lt;= 1000">bound</assert>
  </rule></pattern>
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    def call(command: str, given: Extract, *more: object) -> Ran:
        monkeypatch.chdir(tmp_path)
        rules = ("--rules", given.rules) if given.rules else ()
        recipe = ("--recipe", given.folder / "recipe.yml") if given.has_recipe else ()
        output = ("-o", given.output) if command == "mask" else ()
        arguments = map(str, (command, given.data, *rules, *recipe, *output, *more))
        monkeypatch.setattr(sys, "argv", ["constraint-sdc", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return int(stop.value.code or 0), printed.out, " ".join(printed.err.split())

    return call


def too_few(folder: Path) -> Extract:
    return extract(folder, columns(A=AMOUNTS))


def too_few_for_key(folder: Path) -> Extract:
    """All variables of the key may be masked, so that no value is to blame for the refusal."""
    wishes = "variables: {A: {role: quasi-identifier}, B: {role: quasi-identifier}}"
    rows = columns(A=AMOUNTS, B=["x", "y"] * (N // 2))
    return extract(folder, rows, recipe=f"{wishes}\nprotect: {{key: {{variables: [A, B], k: 13}}}}")


def pinned_sum(folder: Path) -> Extract:
    rows = columns(A=AMOUNTS, B=[20] * N, C=[a + 20 for a in AMOUNTS])
    rules = {"total": "number(A) + number(B) = number(C)"}
    return extract(folder, rows, rules, "variables: {C: {role: untouched}}")


def broken(folder: Path) -> Extract:
    rows = columns(A=AMOUNTS, B=[0, *(a + 1 for a in AMOUNTS[1:])])
    return extract(folder, rows, {"below": "number(A) < number(B)"})


def averaged_identifier(folder: Path) -> Extract:
    return extract(folder, columns(Id=range(100, 100 + N), A=AMOUNTS), recipe="groups: [[Id, A]]")


def single(folder: Path) -> Extract:
    return extract(folder, columns(A=[1]))


def removed(folder: Path) -> Extract:
    """A phase `rest` has the rule on A and not the one on the removed variable."""
    rules = schema({"positive": "number(A) >= 0"}, more=PHASES).replace("<pattern><", '<pattern id="others"><')
    rows = columns(Id=range(100, 100 + N), A=AMOUNTS)
    return extract(folder, rows, rules, "variables: {Id: {role: identifier, remove: true}}")


def nobody_fits(folder: Path) -> Extract:
    """Each of the groups' members has a bound of its own, and the lower bounds exceed the upper ones."""
    rows = columns(A=[i * 10 for i in range(N)], Low=[i * 10 for i in range(N)], High=[i * 10 for i in range(N)])
    rules = {"bounds": "number(Low) <= number(A) and number(A) <= number(High)"}
    return extract(folder, rows, rules, "variables: {Low: {role: untouched}, High: {role: untouched}}")


REFUSALS: dict[str, tuple[Callable[[Path], Extract], int, str, str]] = {
    "fewer than k records": (too_few, 13, "12 records cannot form a group of 13", "choose k of at most 12"),
    "fewer than k records for a key": (
        too_few_for_key,
        13,
        "12 records cannot form a group of 13",
        "choose k of at most 12, also under `protect: key`",
    ),
    "a pinned variable in a sum": (
        pinned_sum,
        3,
        "rule total ties A, which is masked, to C, which is not masked; values of C have fewer than 3 records each",
        "tried, and it works: mask C too, by `variables: {C: {role: confidential}}` in the recipe",
    ),
    "an original that breaks a rule": (
        broken,
        3,
        "the original breaks rules already (below: 1 of 12)",
        "edit the file first, or mask with --on-broken keep",
    ),
    "an identifier to be averaged": (
        averaged_identifier,
        3,
        "Id is an identifier and cannot be averaged",
        "remove it from `groups` and its entries `operator`, `grid` and `weight`, "
        "or give it the role quasi-identifier or confidential",
    ),
    "one record": (single, 2, "1 record cannot form a group of 2", "add records: no k below 2 protects anything"),
    "a removed variable that a rule reads": (
        removed,
        3,
        "rule bound reads Id, which the recipe removes",
        "keep Id in the file (without `remove: true`), or leave the rule out by a --phase without it",
    ),
    "records that cannot share values": (
        nobody_fits,
        3,
        "no values of A that satisfy bounds were found for 3 records that must share them: "
        "they differ in Low and High, which are not masked",
        "tried, and it works: mask Low and High too, by "
        "`variables: {Low: {role: confidential}, High: {role: confidential}}` in the recipe",
    ),
}


@pytest.mark.parametrize("command", ["plan", "mask"])
@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_documented_refusal(run: Run, tmp_path: Path, refusal: str, command: str) -> None:
    make, k, what, way_out = REFUSALS[refusal]
    given = make(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, out, err = run(command, given, "-k", k)
    assert (code, out) == (3, "")
    assert what in err
    assert way_out in err
    assert sorted(tmp_path.iterdir()) == before, "nothing is left behind"


def test_the_way_out_of_too_few_records(run: Run, tmp_path: Path) -> None:
    """The k that the hint names is taken from its words."""
    given = too_few(tmp_path)
    told = re.search(r"choose k of at most (\d+)", run("mask", given, "-k", 13)[2])
    assert told is not None
    assert run("mask", given, "-k", told[1])[0] == 0
    assert given.smallest_group("A") == N


def test_the_way_out_of_a_single_record(run: Run, tmp_path: Path) -> None:
    given = single(tmp_path)
    assert "choose k" not in run("mask", given, "-k", 2)[2], "k = 1 would be refused"
    more = extract(tmp_path / "more", [*given.original(), {"A": "4"}])
    assert run("mask", more, "-k", 2)[0] == 0
    assert more.smallest_group("A") == 2


def test_k_of_one_is_no_way_out_where_it_is_allowed(run: Run, tmp_path: Path) -> None:
    """Microhybrid takes k = 1, which publishes the original."""
    code, _, err = run("mask", single(tmp_path), "-k", 2, "--masker", "microhybrid")
    assert code == 3
    assert "add records: no k below 2 protects anything" in err


def test_a_k_that_is_refused_in_turn_is_not_offered_alone(run: Run, tmp_path: Path) -> None:
    """Microhybrid needs three records, and would answer the offered k of 2 with the k that was asked for."""
    given = extract(tmp_path, columns(A=[1, 5]))
    code, _, err = run("mask", given, "-k", 3, "--masker", "microhybrid")
    assert code == 3
    assert "add records, or choose k of at most 2; with -k 2 this remains: microhybrid needs k of at least" in err
    more = extract(tmp_path / "more", columns(A=[1, 5, 8]))
    assert run("mask", more, "-k", 3, "--masker", "microhybrid")[0] == 0
    assert more.output.exists()


@pytest.mark.parametrize(
    ("recipe", "phase"),
    [
        ("variables: {Id: {role: identifier}}", ()),
        ("variables: {Id: {role: identifier, remove: true}}", ("--phase", "rest")),
    ],
    ids=["kept in the file", "a phase without the rule"],
)
def test_the_ways_out_of_a_removed_variable(run: Run, tmp_path: Path, recipe: str, phase: tuple[str, ...]) -> None:
    given = removed(tmp_path)
    (tmp_path / "recipe.yml").write_text(recipe, encoding="utf-8")
    assert run("mask", given, "-k", 3, *phase)[0] == 0
    assert given.smallest_group("A") >= 3
    assert [("Id" in record) for record in given.masked()] == [not phase] * N


def test_the_ways_out_of_a_pinned_variable(run: Run, tmp_path: Path) -> None:
    given = pinned_sum(tmp_path / "pinned")
    masked_too = extract(tmp_path / "masked", given.original(), (given.folder / "rules.sch").read_text("utf-8"))
    assert run("mask", masked_too, "-k", 3)[0] == 0
    all_pinned = extract(
        tmp_path / "untouched",
        [{**record, "D": record["A"]} for record in given.original()],
        {"total": "number(A) + number(B) = number(C)"},
        "variables: {A: {role: untouched}, B: {role: untouched}, C: {role: untouched}}",
    )
    assert run("mask", all_pinned, "-k", 3)[0] == 0
    without_rule = extract(tmp_path / "without", given.original(), None, "variables: {C: {role: untouched}}")
    assert run("mask", without_rule, "-k", 3)[0] == 0


def test_the_way_out_of_a_broken_original(run: Run, tmp_path: Path) -> None:
    given = broken(tmp_path)
    assert run("mask", given, "-k", 3, "--on-broken", "keep")[0] == 0
    assert given.output.exists()


@pytest.mark.parametrize(
    ("recipe", "is_masked"),
    [
        ("groups: [[A]]", False),
        ("groups: [[Id, A]]\nvariables: {Id: {role: confidential}}", True),
        ("groups: [[Id, A]]\nvariables: {Id: {role: quasi-identifier}, A: {role: quasi-identifier}}", True),
    ],
    ids=["removed from groups", "confidential", "quasi-identifier"],
)
def test_the_ways_out_of_an_averaged_identifier(run: Run, tmp_path: Path, recipe: str, is_masked: bool) -> None:
    given = averaged_identifier(tmp_path)
    (tmp_path / "recipe.yml").write_text(recipe, encoding="utf-8")
    assert run("mask", given, "-k", 3)[0] == 0
    assert given.smallest_group("A") >= 3
    assert (given.smallest_group("Id") >= 3) == is_masked


def test_an_identifier_loses_the_entries_that_the_refusal_names(run: Run, tmp_path: Path) -> None:
    given = averaged_identifier(tmp_path)
    for entry in ("operator: mode", "grid: integer", "weight: 2"):
        (tmp_path / "recipe.yml").write_text(f"variables: {{Id: {{role: identifier, {entry}}}}}", encoding="utf-8")
        code, _, err = run("plan", given, "-k", 3)
        assert code == 3
        assert f"`{entry.split(':')[0]}`" in err
    (tmp_path / "recipe.yml").write_text("variables: {Id: {role: identifier}}", encoding="utf-8")
    assert run("mask", given, "-k", 3)[0] == 0


def test_the_way_out_of_values_that_cannot_be_shared(run: Run, tmp_path: Path) -> None:
    given = nobody_fits(tmp_path)
    recipe = "variables: {Low: {role: untouched}}"
    (tmp_path / "recipe.yml").write_text(recipe, encoding="utf-8")
    code, _, err = run("mask", given, "-k", 3)
    assert (code, "3 records would have the values of an actual record, 0 may" in err) == (3, True), "110 is the top"
    assert "tried, and it works: allow 3 such records, by `protect: {verbatim: 3}` in the recipe" in err
    (tmp_path / "recipe.yml").write_text(f"{recipe}\nprotect: {{verbatim: 3}}", encoding="utf-8")
    assert run("mask", given, "-k", 3)[0] == 0, "above all the lower bounds, and the upper ones give way"
    given.requires_all_rules()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "k is not given"),
        (("-k", 1), "k must be at least 2, not 1"),
        (("-k", 3, "--partition", "magic"), "magic"),
        (("-k", 3, "--record", "Person"), "Person"),
    ],
)
def test_options_that_cannot_be_followed(run: Run, tmp_path: Path, options: tuple[object, ...], says: str) -> None:
    code, out, err = run("mask", too_few(tmp_path), *options)
    assert (code, out) == (2, "")
    assert says in err


def test_a_rule_that_stops_on_the_original_is_named(run: Run, tmp_path: Path) -> None:
    rows = [*columns(A=AMOUNTS), {"A": "x"}]
    given = extract(tmp_path, rows, {"cast": "xs:decimal(A) >= 0"}, "missing: {A: [x]}")
    code, _, err = run("mask", given, "-k", 3)
    assert code == 2
    assert "rules.sch:4" in err
    assert "rule cast cannot be evaluated on the original" in err


def test_a_warning_that_the_original_breaks_does_not_stop_a_masking(run: Run, tmp_path: Path) -> None:
    rules = schema({"below": "number(A) < number(B)"}, attributes=' role="warning"')
    given = extract(tmp_path, broken(tmp_path).original(), rules)
    assert run("mask", given, "-k", 3)[0] == 0


def test_the_way_out_of_a_key_that_too_few_records_share_works(run: Run, tmp_path: Path) -> None:
    given = too_few_for_key(tmp_path)
    recipe = tmp_path / "recipe.yml"
    recipe.write_text(recipe.read_text().replace("k: 13", "k: 12"))
    code, _, err = run("plan", given, "-k", 12)
    assert code == 0, err
