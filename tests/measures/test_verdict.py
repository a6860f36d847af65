"""The verdict: bounds are met, missed, warned about or not run, and green is never beside a class of one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from constraint_sdc.errors import UsageError
from constraint_sdc.measures.assessment import Figure, NotRun, Unit
from constraint_sdc.measures.codebook import codebook_of
from constraint_sdc.measures.verdict import DEFAULTS, Standing, VerdictWord, require_bounds
from constraint_sdc.settings.accept import AcceptBound, accept_from_json, accept_to_json
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Role, Scale
from tests.measures.pairs import compared
from tests.reports.assessments import ACCEPTED_ASSESSMENT, ACHIEVED, BARE_ASSESSMENT, BROKEN_ASSESSMENT, FULL_ASSESSMENT


def test_a_file_that_meets_everything_is_accepted() -> None:
    verdict = ACCEPTED_ASSESSMENT.verdict
    assert (verdict.word, verdict.tone) == (VerdictWord.ACCEPTED, "pass")
    assert {one.standing for one in verdict.criteria} == {Standing.MET}


def test_a_class_of_one_is_never_green_whatever_the_recipe_says() -> None:
    alone = replace(ACHIEVED, figures=(Figure("k", "smallest class", 1, Unit.COUNT), *ACHIEVED.figures[1:]))
    assessment = replace(ACCEPTED_ASSESSMENT, risk=(ACCEPTED_ASSESSMENT.risk[0], alone))
    assert assessment.verdict.word is VerdictWord.NOT_ACCEPTED
    for bound in (AcceptBound("achieved-k.k", at_least=1), AcceptBound("achieved-k.k", at_most=100)):
        with pytest.raises(UsageError, match="alone in its class"):
            require_bounds((bound,))


def test_what_was_not_run_is_not_met() -> None:
    without = replace(
        ACCEPTED_ASSESSMENT, attacks=(), not_run=(NotRun("dominance", "Dominance", because("attack-left-out")),)
    )
    verdict = without.verdict
    assert (verdict.word, verdict.tone) == (VerdictWord.INCOMPLETE, "warn")
    found = {one.bound.name: one for one in verdict.of(Standing.NOT_RUN)}
    assert set(found) == {"transparency.certain-records-published", "dominance.exposed"}
    assert found["dominance.exposed"].why == because("attack-left-out")
    assert all(one.value is None for one in found.values())
    assert without.exit_code == 0
    asked = replace(without, accept=(AcceptBound("dominance.exposed", at_most=50),))
    assert asked.exit_code == 1, "the recipe asks for a figure that nobody measured"


def test_a_default_only_warns_of_dominance_and_the_recipe_forbids_it() -> None:
    exposed = replace(ACCEPTED_ASSESSMENT.attacks[1], figures=(Figure("exposed", "groups exposed", 4.0),))
    warned = replace(ACCEPTED_ASSESSMENT, attacks=(ACCEPTED_ASSESSMENT.attacks[0], exposed))
    assert (warned.verdict.word, warned.exit_code) == (VerdictWord.WARNED, 0)
    refused = replace(warned, accept=(AcceptBound("dominance.exposed", at_most=3),))
    assert (refused.verdict.word, refused.exit_code) == (VerdictWord.NOT_ACCEPTED, 1)
    allowed = replace(warned, accept=(AcceptBound("dominance.exposed", at_most=5),))
    assert (allowed.verdict.word, allowed.exit_code) == (VerdictWord.ACCEPTED, 0)


def test_rules_come_before_people_and_their_absence_is_not_green() -> None:
    assert BROKEN_ASSESSMENT.verdict.word is VerdictWord.OBJECTION
    assert FULL_ASSESSMENT.verdict.word is VerdictWord.NOT_ACCEPTED
    assert BARE_ASSESSMENT.verdict.word is VerdictWord.INCOMPLETE
    without = replace(ACCEPTED_ASSESSMENT, outcomes=None)
    assert [one.bound.name for one in without.verdict.of(Standing.NOT_RUN)] == ["rules.newly-broken"]


def test_a_published_identifier_is_not_accepted_unless_it_is_harmless() -> None:
    number = compared("Id", [1.0, 2.0], [1.0, 2.0], is_masked=False, role=Role.IDENTIFIER)
    pair = replace(ACCEPTED_ASSESSMENT.pair, variables=(number,))
    published = replace(ACCEPTED_ASSESSMENT, pair=pair)
    assert [one.bound.name for one in published.verdict.of(Standing.MISSED)] == ["identifiers.published"]
    assert replace(published, harmless=frozenset({"Id"})).verdict.word is VerdictWord.ACCEPTED


def test_a_bound_takes_the_worst_of_several_figures() -> None:
    certain = AcceptBound("transparency.certain-records", at_most=0)
    found = replace(FULL_ASSESSMENT, accept=(certain,)).verdict
    (one,) = (criterion for criterion in found.criteria if criterion.bound == certain)
    assert (one.value, one.standing, one.is_default) == (27, Standing.MISSED, False)


def test_every_default_names_a_figure_and_says_what_it_does_not_cover() -> None:
    require_bounds(DEFAULTS)
    for one in FULL_ASSESSMENT.verdict.criteria:
        if one.bound in DEFAULTS:
            assert one.misses is not None


def test_bounds_survive_as_json() -> None:
    bounds = (AcceptBound("achieved-k.k", at_least=5.0), AcceptBound("uniqueness.after", at_most=0.25))
    assert accept_from_json(accept_to_json(bounds)) == bounds
    assert accept_from_json({"uniqueness.after": {"at most": "0.25%"}}) == bounds[1:]


def test_the_codebook_tells_the_fate_of_every_variable() -> None:
    pair = replace(
        ACCEPTED_ASSESSMENT.pair,
        variables=(
            compared("Income", [1.0, 2.0, float("nan")], [1.5, 1.5, float("nan")]),
            compared("Total", [3.0, 4.0, 5.0], [3.0, 4.0, 6.0]),
            compared("Town", [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], is_masked=False, scale=Scale.NOMINAL),
        ),
        computed=("Total",),
    )
    found = {entry.name: entry for entry in codebook_of(pair, ("Name",))}
    assert {name: entry.fate for name, entry in found.items()} == {
        "Income": "masked",
        "Total": "computed",
        "Town": "kept",
        "Name": "removed",
    }
    income = found["Income"]
    assert (income.distinct_before, income.distinct, income.blank, income.low, income.high) == (2, 1, 1, 1.5, 1.5)
    assert found["Town"].low is None
