"""Reasons and their sentences: every code has one, every reason fits its code, and no wording decides anything."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from string import Formatter
from typing import Any, get_type_hints

import pytest

import constraint_sdc
import constraint_sdc as cs
from constraint_sdc.commands.certificate.certificate import read_certificate
from constraint_sdc.commands.certificate.verify import check_certificate
from constraint_sdc.commands.check import check_file
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.masking.carrying_out import read_plan, require_same_plan
from constraint_sdc.errors import UsageError
from constraint_sdc.files.json_file import json_text
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.measures.assessment import Assessment, Measured
from constraint_sdc.measures.sweep_points import Sweep
from constraint_sdc.operators.medoid import Medoid
from constraint_sdc.operators.operator import OperatorVerdict, Preserved
from constraint_sdc.operators.registry import OPERATORS
from constraint_sdc.plan.plan_json import plan_digest, plan_from_json, plan_to_json
from constraint_sdc.reports import sentences as table
from constraint_sdc.reports.sentences import SENTENCES, sentence, with_sentences
from constraint_sdc.settings.reason import Reason, because, reason_from_json, reason_to_json
from constraint_sdc.settings.reason_codes import CODES
from tests.maskers.extract import columns, extract
from tests.reports.plans import FULL

PACKAGE = Path(constraint_sdc.__file__).parent


def reasons_given() -> Iterator[tuple[str, ast.Call]]:
    """Yield every call of `because` in the package, and where it is."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "because":
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node


def code_of(call: ast.Call) -> str:
    (only,) = call.args
    assert isinstance(only, ast.Constant)
    assert isinstance(only.value, str)
    return only.value


def takes_of(call: ast.Call) -> tuple[set[str | None], set[str | None]]:
    """Return the names of a call's parameters and quotations."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    quotes = given.pop("quotes", None)
    assert quotes is None or isinstance(quotes, ast.Dict)
    named = [] if quotes is None else [key.value for key in quotes.keys if isinstance(key, ast.Constant)]
    return set(given), {str(name) for name in named}


def test_every_reason_that_is_given_has_a_code_and_all_its_parameters() -> None:
    wrong = [
        (where, code)
        for where, call in reasons_given()
        if (code := code_of(call)) not in CODES or takes_of(call) != (set(CODES[code].params), set(CODES[code].quotes))
    ]
    assert not wrong


def test_every_code_is_given_somewhere() -> None:
    assert {code_of(call) for _, call in reasons_given()} == set(CODES)


def test_every_code_has_a_sentence_and_every_sentence_a_code() -> None:
    assert set(SENTENCES) == set(CODES)


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_sentence_tells_all_that_its_code_takes(code: str) -> None:
    form = SENTENCES[code]
    if callable(form):
        named = set(inspect.signature(form).parameters)
    else:
        named = {name for _, name, _, _ in Formatter().parse(form) if name is not None}
    assert named == {*CODES[code].params, *CODES[code].quotes}


@pytest.mark.parametrize(
    ("give", "says"),
    [
        (lambda: because("no-such-code"), "'no-such-code' is not a reason code"),
        (lambda: because("missing"), "missing takes variable, not nothing"),
        (lambda: because("missing", variable="A", rule="R"), "missing takes variable, not variable, rule"),
        (lambda: because("plan-refused"), "plan-refused takes what, not nothing"),
        (lambda: because("parameter-of-goals", goals=[1]), "goals is of type list"),
    ],
)
def test_a_reason_that_does_not_fit_its_code_is_a_mistake(give: Callable[[], Reason], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        give()


def test_a_reason_survives_as_json_and_is_the_same_in_any_order() -> None:
    inner = because("of-variables", variables=("A", "B"), reason=because("product-of-means"))
    reason = because("not-covered", operator="mode", reason=inner, derived=())
    content = json.loads(json.dumps(reason_to_json(reason)))
    content["params"] = dict(reversed(content["params"].items()))
    assert reason_from_json(content) == reason
    assert len({reason_from_json(content), reason}) == 1


def test_what_a_reason_quotes_is_shown_and_no_part_of_the_plan() -> None:
    one, other = (because("plan-refused", quotes={"what": text}) for text in ("one", "other"))
    assert (sentence(one), sentence(other)) == ("one", "other")
    assert one == other
    plans = [replace(FULL, assumptions=(reason,)) for reason in (one, other)]
    assert plan_digest(plans[0]) == plan_digest(plans[1])
    require_same_plan(*plans)
    assert plan_from_json(plan_to_json(plans[1])).assumptions[0].quoted == (("what", "other"),)


def test_json_for_readers_has_the_sentence_before_its_reason_and_reads_as_the_saved_plan() -> None:
    content = with_sentences(plan_to_json(FULL))
    block = content["blocks"][0]
    assert list(block)[2:4] == ["because", "reason"]
    assert (block["because"], block["reason"]) == ("rules tie them", {"code": "tied-by-rules", "params": {}})
    assert block["strata"][0]["derivations"] == ["V14 computed by EC-LC"]
    assert plan_to_json(plan_from_json(content)) == plan_to_json(FULL)


def test_a_rule_that_is_called_reason_is_no_reason() -> None:
    broken = {"reason": 3, "note_reasons": 1}
    assert with_sentences(plan_to_json(replace(FULL, broken=broken)))["broken"] == dict(sorted(broken.items()))


ROWS = columns(
    A=[3 * i % 11 + 1 for i in range(30)],
    B=[5 * i % 13 + 2 for i in range(30)],
    C=[3 * i % 11 + 5 * i % 13 + 3 for i in range(30)],
    Sex=["F", "M"] * 15,
)
RULES = {
    "sum": "number(A) + number(B) = number(C)",
    "fork": "if (number(A) < 6) then number(C) <= 19 else number(C) >= 8",
    "opaque": "string-length(string-join(for $x in (A, Sex) return $x, '-')) > 2",
}


def word_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put every sentence otherwise."""
    monkeypatch.setattr(table, "SENTENCES", {code: f"[{code}, put otherwise]" for code in CODES})


def test_another_wording_breaks_neither_a_saved_plan_nor_a_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = extract(tmp_path, ROWS, RULES, "variables: {Sex: {type: nominal, role: quasi-identifier}}")
    assert given.rules is not None
    saved = tmp_path / "plan.json"
    saved.write_text(json_text(plan_to_json(given.plan(3))), encoding="utf-8")
    said = given.mask(3).certificate.read_text("utf-8")
    word_otherwise(monkeypatch)
    result = mask_file(
        given.data, given.rules, given.output, given.options(3), overwrite=True, expected=read_plan(saved)
    )
    now = result.certificate.read_text("utf-8")
    assert "put otherwise" in now
    assert "put otherwise" not in said
    assert json.loads(now)["plan_sha256"] == json.loads(said)["plan_sha256"]
    judged = check_file(given.output, given.rules)
    for text in (said, now):
        result.certificate.write_text(text, encoding="utf-8")
        found = check_certificate(read_certificate(result.certificate), given.output, given.rules, judged)
        assert found.mismatches == ()


def test_another_wording_changes_no_figure_and_no_code_of_checks_measures_and_sweeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every sentence is put otherwise; what programs read stays, and a journal of the old wording goes on."""
    given = extract(tmp_path, ROWS, RULES)
    given.mask(3)
    options = {"rules": given.rules, "known": ["A", "Sex"]}
    journal = tmp_path / "sweep" / "journal.jsonl"
    sweep = {"ks": [3, 31], "partitions": ["mdav"], "jobs": 1, "journal": journal}

    def reports() -> list[dict[str, Any]]:
        check = cs.check_file(given.data, given.rules, domain=given.data)
        assessment = cs.assess_files(given.data, given.output, **options)
        swept = cs.sweep_file(given.data, given.rules, **sweep)
        cs.save_sweep(swept, tmp_path / "sweep")
        assert cs.read_sweep_points(tmp_path / "sweep", given.data) == swept.points
        attack = cs.attack_files(given.data, given.output, "single-ranking", known=["Sex"])
        return [json.loads(cs.render(one, "json")) for one in (check, assessment, swept, attack)]

    before = reports()
    word_otherwise(monkeypatch)
    after = reports()
    for old, new in zip(before, after, strict=True):
        assert "put otherwise" in json.dumps(new)
        assert "put otherwise" not in json.dumps(old)
        assert without_sentences(new) == without_sentences(old)
    check, assessment, swept, attack = after
    assert codes(check["note_reasons"]) == ["parameter-unused"]
    assert "unique-in-file" in codes(reason for one in assessment["risk"] for reason in one["note_reasons"])
    assert swept["points"][1]["refused_reason"]["code"] == "plan-refused"
    assert codes(swept["note_reasons"]) == ["only-saxon-counts", "refused-at"]
    assert swept["reused"] == 2
    assert (attack["says_reason"]["code"], attack["figures"]["re-identified"]["value"]) == (
        "nobody-re-identified",
        None,
    )


def without_sentences(content: Any) -> Any:
    """Return JSON content without the sentences that stand beside their reasons, and without times."""
    if isinstance(content, list):
        return [without_sentences(one) for one in content]
    if not isinstance(content, dict):
        return content
    spoken = {"notes"} | {name.removesuffix("_reason") for name in content if name.endswith("_reason")}
    said = {"says"} if content.get("says_reason") is None else set()
    dropped = (spoken - said) | {"seconds", "reused"}
    return {name: without_sentences(value) for name, value in content.items() if name not in dropped}


def codes(reasons: Iterable[dict[str, Any]]) -> list[str]:
    return [reason["code"] for reason in reasons]


def test_no_note_is_a_sentence_of_its_room() -> None:
    """A note given as text is a string where the types say Reason: mypy and the exam find it."""
    hints = {kind: get_type_hints(kind)["notes"] for kind in (CheckResult, Measured, Assessment, Sweep)}
    assert set(hints.values()) == {tuple[Reason, ...]}


class Nearest(Medoid):
    """An operator of another distribution, which brings a code and its sentence."""

    sentences = {"nearest:kept": "{distance} steps from the {operator}"}  # noqa: RUF012 # as others may

    def verdict(self, formula: object) -> OperatorVerdict:
        del formula
        return Preserved(because("nearest:kept", distance=3, operator="mean"))


def test_an_operator_of_another_distribution_brings_its_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = Nearest().verdict(None).because
    assert sentence(reason) == "nearest:kept(distance=3, operator='mean')", "unknown as long as it is not installed"
    monkeypatch.setitem(vars(OPERATORS), "loadable_others", lambda: (Nearest(),))
    assert sentence(reason) == "3 steps from the mean"
    assert sentence(because("not-covered", operator="nearest", reason=reason, derived=())).startswith(
        "nearest: 3 steps from the mean; every representative"
    )


def test_a_plan_of_an_older_version_is_refused_with_the_way_out(tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    saved.write_text(json_text({**plan_to_json(FULL), "schema_version": 1}), encoding="utf-8")
    with pytest.raises(UsageError, match=r"a saved plan of schema version 1; .* reads version 2") as refusal:
        read_plan(saved)
    assert refusal.value.hint == "make a new plan with `plan --out`"
