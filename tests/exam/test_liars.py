"""Objects that promise what they do not keep fail the exam, each at the question that is about its lie."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from constraint_sdc.arrays import Labels, Points, Rows, Weights
from constraint_sdc.cli import program
from constraint_sdc.constraints.constraint import Formula
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.pair import Pair
from constraint_sdc.errors import UsageError
from constraint_sdc.exam.guarantee.exam import examine_guarantee
from constraint_sdc.exam.guarantee.generator import ExamCase
from constraint_sdc.exam.guarantee.maskers import with_masker
from constraint_sdc.exam.measures import measure_questions
from constraint_sdc.exam.operators import operator_questions
from constraint_sdc.exam.partition import partition_questions
from constraint_sdc.exam.question import AskedQuestion, ExamFailedError, ExamOptions
from constraint_sdc.exam.reports import format_questions
from constraint_sdc.exam.sit import KINDS, ExamAnswer, examine_object, find_kind, sit_questions
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.maskers.inputs import MaskInputs
from constraint_sdc.maskers.masked import MaskedBlock
from constraint_sdc.measures.assessment import Figure, Measure, Measured, MeasureTraits, Unit
from constraint_sdc.measures.parameters import measure_parameter
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.lower_median import LowerMedian
from constraint_sdc.operators.operator import Operator, OperatorVerdict, Preserved
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.partitioner import Partitioner
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.reports.check.check_format import CheckFormat
from constraint_sdc.reports.check.html import render_html
from constraint_sdc.reports.check.json_format import render_json
from constraint_sdc.reports.check.render import FORMATS
from constraint_sdc.reports.check.text import render_text
from constraint_sdc.reports.terminal import clean, legible
from constraint_sdc.settings.parameters import declared
from constraint_sdc.settings.reason import because
from tests.maskers.toys import Toy, _unmasked, install

SHORT = ExamOptions(cases=2)


def failed(questions: Iterable[AskedQuestion]) -> ExamAnswer:
    *_, last = sit_questions(questions)
    assert not last.passed
    return last


class Counter:
    """Another number every time."""

    count = 0

    def __call__(self, result: CheckResult) -> str:
        self.count += 1
        return render_text(result) + f"report {self.count}\n"


def _reads_the_file(result: CheckResult) -> str:
    data = Path(result.data)
    return render_text(result) + (data.read_text("utf-8") if data.is_file() else "")


def _empties(result: CheckResult) -> str:
    object.__setattr__(result, "notes", ("seen",))
    return render_text(result)


def _without_counts(result: CheckResult) -> str:
    return "".join(f"{clean(rule.rule)} {rule.status}\n" for rule in result.results) or "nothing\n"


def _without_broken(result: CheckResult) -> str:
    return render_text(replace(result, results=tuple(r for r in result.results if r.status != "error")))


def _only_broken(result: CheckResult) -> str:
    return render_text(replace(result, results=tuple(r for r in result.results if r.failed or r.errors)))


def _silent(result: CheckResult) -> str:
    return render_text(result) if result.results else ""


def _raw(result: CheckResult) -> str:
    return render_text(result) + "".join(f"of {rule.rule!s}\n" for rule in result.results)


def _raw_lines(result: CheckResult) -> str:
    return render_text(result) + "".join(f"of {legible(rule.rule)}\n" for rule in result.results)


def _raw_page(result: CheckResult) -> str:
    page = render_html(result)
    return page.replace("</main>", "".join(f"<p>{legible(rule.rule)}</p>" for rule in result.results) + "</main>")


def _raw_xml(result: CheckResult) -> str:
    counts = "".join(f"<r n='{rule.failed or rule.errors}'>{legible(rule.rule)}</r>" for rule in result.results)
    return f"<all>{counts}</all>\n"


def _nan(result: CheckResult) -> str:
    return (
        json.dumps({"rules": [[rule.rule, rule.failed, rule.errors] for rule in result.results], "x": math.nan}) + "\n"
    )


@pytest.mark.parametrize(
    ("liar", "question"),
    [
        (CheckFormat("liar", Counter()), "the same result has the same report, and is left as it was"),
        (CheckFormat("liar", _empties), "the same result has the same report, and is left as it was"),
        (CheckFormat("liar", _reads_the_file), "values stay hidden unless they are asked for"),
        (CheckFormat("liar", _without_counts), "every broken and unevaluated rule is named with its count"),
        (CheckFormat("liar", _without_broken), "every broken and unevaluated rule is named with its count"),
        (CheckFormat("liar", _only_broken), "every rule is named"),
        (CheckFormat("liar", _silent), "a check without rules has a report"),
        (CheckFormat("liar", render_text, syntax="json"), "a check without rules has a report"),
        (CheckFormat("liar", _nan, syntax="json"), "a check without rules has a report"),
        (CheckFormat("liar", _raw), "control characters of the data do not reach the report"),
        (CheckFormat("liar", _raw_lines), "texts of the data add neither elements nor lines"),
        (CheckFormat("liar", _raw_page, syntax="html"), "texts of the data add neither elements nor lines"),
        (CheckFormat("liar", _raw_xml, syntax="xml"), "texts of the data add neither elements nor lines"),
        (CheckFormat("liar", render_json, True, "json"), "reports can follow one another"),
    ],
)
def test_lying_report_formats(liar: CheckFormat, question: str) -> None:
    assert failed(format_questions(liar, ExamOptions(cases=20))).question == question


def test_a_format_that_names_no_rule_that_holds_may_say_so() -> None:
    honest = CheckFormat("honest", _only_broken, names_every_rule=False)
    assert all(answer.passed for answer in sit_questions(format_questions(honest, ExamOptions(cases=20))))


@pytest.mark.parametrize("name", FORMATS.own_names)
def test_our_report_formats_pass(name: str) -> None:
    answers = list(sit_questions(format_questions(FORMATS[name], ExamOptions(cases=40))))
    assert [answer for answer in answers if not answer.passed] == []
    assert len(answers) >= 7


class ClaimsEverything(ArithmeticMean):
    """Claims what an actual record keeps."""

    def verdict(self, formula: Formula) -> OperatorVerdict:
        del formula
        return Preserved(because("toy:trust-me"))


class CopiesStrangers(LowerMedian):
    """Copies the values of a record of another group."""

    def choose(self, values: Points, groups: Groups, weights: Weights | None = None) -> Rows:
        return np.zeros(len(groups), np.int64) + super().choose(values, groups, weights)[0]


class Outside(ArithmeticMean):
    """Leaves the range of the members."""

    def representatives(self, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
        found = super().representatives(values, groups, weights)
        return found * np.where(groups.sizes > 1, 1.5, 1.0)[:, None] if len(groups) > 1 else found


class Neighbourly(ArithmeticMean):
    """Rounds by what other groups have."""

    def representatives(self, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
        found = super().representatives(values, groups, weights)
        return np.clip(np.sort(found, axis=0), *self._ends(values, groups)) if len(groups) > 1 else found

    def _ends(self, values: Points, groups: Groups) -> tuple[Points, Points]:
        ordered = values[groups.order]
        return np.minimum.reduceat(ordered, groups.starts), np.maximum.reduceat(ordered, groups.starts)


@pytest.mark.parametrize(
    ("liar", "question"),
    [
        (ClaimsEverything(), "every claim is true"),
        (CopiesStrangers(), "values lie between those of the members"),
        (Outside(), "values lie between those of the members"),
        (Neighbourly(), "groups do not influence each other"),
    ],
    ids=lambda one: type(one).__name__ if not isinstance(one, str) else "",
)
def test_an_operator_that_lies_is_caught(liar: Operator, question: str) -> None:
    assert failed(operator_questions(liar, SHORT)).question == question


class OneAlone(Mdav):
    """Puts the last record into a group of its own."""

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        labels = super().partition(cloud, k, seed)
        return np.append(labels[:-1], labels.max() + 1)


@dataclass(frozen=True)
class OutOfReach(Mdav):
    """Declares a default that its own bounds forbid."""

    reach: float = declared("A reach.", 0.0, least=0.01)


def test_a_partition_that_refuses_its_own_default_is_caught() -> None:
    assert failed(partition_questions(OutOfReach(), SHORT)).question == "every parameter can be given, as text too"


def test_a_partition_with_a_group_below_k_is_caught() -> None:
    answer = failed(partition_questions(OneAlone(), SHORT))
    assert answer.question == "groups are of k or more"
    assert "a group of 1" in answer.says


@dataclass(frozen=True)
class Honest:
    """The mean absolute difference of the first variable."""

    name: ClassVar[str] = "honest"
    title: ClassVar[str] = "Difference"
    traits: ClassVar[MeasureTraits] = MeasureTraits("utility", unmasked=0.0)

    def measure(self, pair: Pair) -> Measured:
        both = np.isfinite(pair["V1"].original) & np.isfinite(pair["V1"].masked)
        gaps = np.abs(pair["V1"].original - pair["V1"].masked)[both]
        return self.answer(self.of(gaps) if len(gaps) else None)

    def of(self, gaps: Points) -> float:
        return float(gaps.mean())

    def answer(self, value: float | None) -> Measured:
        return Measured(self.name, self.title, (Figure("difference", "difference", value, Unit.PLAIN),), "It differs.")


class FirstRecord(Honest):
    """Looks at the first record alone."""

    def of(self, gaps: Points) -> float:
        return float(gaps[0])


class Moody(Honest):
    """Has other figures every time."""

    calls: ClassVar[list[int]] = []

    def of(self, gaps: Points) -> float:
        self.calls.append(1)
        return float(gaps.mean()) + len(self.calls)


class Infinite(Honest):
    """Divides by zero."""

    def of(self, gaps: Points) -> float:
        return float("inf") if gaps.min() == 0 else float(gaps.mean())


class AlwaysSome(Honest):
    """Claims no loss for an original, and reports some."""

    def of(self, gaps: Points) -> float:
        return float(gaps.mean()) + 0.1


class Scribbler(Honest):
    """Writes into the values that it is given."""

    def measure(self, pair: Pair) -> Measured:
        found = super().measure(pair)
        pair["V1"].masked[:] = pair["V1"].original
        return found


@dataclass(frozen=True)
class OutOfRange(Honest):
    """Declares a default that its own bounds forbid."""

    share: float = measure_parameter("A share.", 0.0, least=0.01, most=1)


@dataclass(frozen=True)
class Rounding(Honest):
    """Takes another value than the one that it is given."""

    share: float = measure_parameter("A share.", 0.5, least=0, most=1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", round(self.share))


@dataclass(frozen=True)
class Told(Honest):
    """Has parameters of every type."""

    share: float = measure_parameter("A share.", 0.5, least=0, most=1)
    most: int = measure_parameter("A number.", 0, least=0)
    way: str = measure_parameter("A way.", "near", choices=("near", "far"))
    is_strict: bool = measure_parameter("Strictly.", True)


@pytest.mark.parametrize(
    ("liar", "question"),
    [
        (OutOfRange(), "every parameter can be given, as text too"),
        (Rounding(), "every parameter can be given, as text too"),
        (FirstRecord(), "the order of the records does not matter"),
        (Moody(), "the same files have the same figures"),
        (Infinite(), "the answer has the form that reports show"),
        (AlwaysSome(), "files that were not masked have the figure that is claimed"),
        (Scribbler(), "the same files have the same figures"),
    ],
    ids=lambda one: type(one).__name__ if not isinstance(one, str) else "",
)
def test_a_measure_that_lies_is_caught(liar: Measure, question: str) -> None:
    assert failed(measure_questions(liar, SHORT)).question == question
    for honest in (Honest(), Told()):
        assert all(answer.passed for answer in sit_questions(measure_questions(honest, SHORT)))


@dataclass(frozen=True)
class Silent(Toy):
    """Promises no k, and publishes the original as if it had masked it."""

    name = "silent"
    shares_values = False

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        return _unmasked(design, inputs)


@pytest.fixture
def liars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [f"{name} = tests.maskers.toys:{one}" for name, one in (("toy", "Toy"), ("rule-breaker", "RuleBreaker"))]
    entries += ["lonely = tests.maskers.toys:Lonely", "silent = tests.exam.test_liars:Silent"]
    install(tmp_path / "site", monkeypatch, *entries)


@pytest.mark.usefixtures("liars")
@pytest.mark.parametrize("name", ["rule-breaker", "lonely"])
def test_a_masker_whose_file_may_not_be_published_is_caught(name: str, tmp_path: Path) -> None:
    result = examine_object(name, "masker", ExamOptions(cases=2, keep=tmp_path / "kept"))
    assert (result.exit_code, result.distribution) == (1, "toy-maskers 1.0")
    answer = result.answers[-1]
    assert answer.says.startswith("seed 0: ")
    assert answer.kept == tmp_path / "kept" / "case-0"
    assert {path.name for path in answer.kept.iterdir()} >= {"data.xml", "rules.sch", "recipe.yml", "failure.json"}


@pytest.mark.usefixtures("liars")
def test_a_masker_that_masks_nothing_is_caught() -> None:
    result = examine_object("silent", options=ExamOptions(cases=2))
    assert result.exit_code == 1
    assert "nothing was published, all 2 cases were refused: " in result.answers[-1].says
    assert "would have the values of an actual record" in result.answers[-1].says


@pytest.mark.usefixtures("liars")
def test_a_masker_that_masks_nothing_is_caught_where_actual_records_may_be_published() -> None:
    def allowing(case: ExamCase) -> ExamCase:
        recipe = yaml.safe_load(case.recipe) or {}
        return with_masker(
            replace(case, recipe=yaml.safe_dump({**recipe, "protect": {"verbatim": "allowed"}})), "silent"
        )

    with pytest.raises(ExamFailedError, match="published as it was, although records differ"):
        examine_guarantee(allowing, ExamOptions(cases=2))


@pytest.mark.usefixtures("liars")
def test_the_command_names_the_counterexample_and_ends_with_1(tmp_path: Path) -> None:
    done = CliRunner().invoke(program, ["exam", "rule-breaker", "--cases", "1", "--keep", str(tmp_path / "kept")])
    assert done.exit_code == 1
    lines = done.output.splitlines()
    assert lines[0] == "masker rule-breaker (toy-maskers 1.0)"
    assert lines[1].startswith("  FAILED  every rule that held holds in the masked file: seed 0: ")
    assert f"files of the counterexample: {tmp_path / 'kept' / 'case-0'}" in lines
    assert lines[-1] == "failed: every rule that held holds in the masked file"


@pytest.mark.usefixtures("liars")
def test_an_honest_masker_passes() -> None:
    assert examine_object("toy", options=ExamOptions(cases=2)).exit_code == 0


def test_a_name_that_nobody_has_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"nothing registered is called 'mdva' .*partition: auto, mdav, "):
        find_kind("mdva", None)
    with pytest.raises(UsageError, match=r"nothing registered is called 'mdav' \(operator: arithmetic mean"):
        find_kind("mdav", "operator")
    assert find_kind("mode", None) == "operator"
    assert set(KINDS) == {"masker", "operator", "partition", "measure", "report", "engine"}


@pytest.mark.parametrize("method", [OneAlone()])
def test_what_raises_is_reported_with_its_place(method: Partitioner) -> None:
    def crash() -> str:
        raise ZeroDivisionError(f"in {method.name}")

    answer = failed([AskedQuestion("does it run", crash)])
    assert answer.says.startswith("crash in test_liars.py:")
    assert "ZeroDivisionError: in mdav" in answer.says
