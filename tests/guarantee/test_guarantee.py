"""The promise: every rule that held before holds after, in groups of at least k, on the bytes that were written.

The long run over thousands of cases is `python benchmarks/guarantee.py`; a case that fails there can be replayed here
by its seed.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml
from lxml import etree

from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.exam.guarantee.exam import run_case
from constraint_sdc.exam.guarantee.generator import (
    FIRST_LATER,
    LATER_FAMILIES,
    all_ideas,
    ideas_of,
    make_case,
    write_case,
)
from constraint_sdc.exam.guarantee.recipes import FIRST_TOTALS, PARTITIONS, UNITS, division_of, totals_of
from tests.draws import IS_EXPLORING

DEAR = frozenset((26, 30, 48, 55, 57, 68, 71, 92, 110, 113, 120, 122, 125))
"""Seeds that together cost as much time as 120 others; the long run has them."""

REPEATED = frozenset(
    {
        *(2, 5, 8, 10, 12, 14, 15, 21, 25, 31, 32, 33, 37, 40, 42, 44, 47, 51, 54, 60),
        *(62, 77, 78, 81, 82, 83, 85, 89, 90, 91, 95, 96, 97, 98, 102, 109, 111, 119, 121, 126),
    }
)
"""Seeds that execute no line of the package that others do not; `make explore` and the long run have them."""

SEEDS = [seed for seed in range(133) if seed not in DEAR and (IS_EXPLORING or seed not in REPEATED)]
LATER = range(FIRST_LATER, FIRST_LATER + 40)
"""Seeds that draw from the later families too."""

SIZE = 20
BATCHES = len(SEEDS) // SIZE
MOST_REFUSED = 0.05


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_rules_survive_masking(batch: int, tmp_path: Path) -> None:
    seeds = SEEDS[batch * SIZE : (batch + 1) * SIZE]
    outcomes = [run_case(make_case(seed), tmp_path / str(seed), advise=False) for seed in seeds]
    assert [outcome.story() for outcome in outcomes if outcome.faults] == []
    refused = [outcome.refusal for outcome in outcomes if outcome.refusal]
    # Of a batch this small one more than the share may be refused by chance; the long run holds the share itself.
    assert len(refused) <= MOST_REFUSED * SIZE + 1, refused


WITHOUT_SOLUTION = 403


def test_rules_of_later_families_survive_masking(tmp_path: Path) -> None:
    ideas = {name.__name__.removeprefix("add_").replace("_", " ") for family, _ in LATER_FAMILIES for name, _ in family}
    seeds = [seed for seed in LATER if ideas.intersection(ideas_of(seed))][:8]
    outcomes = [run_case(make_case(seed), tmp_path / str(seed), advise=False) for seed in seeds]
    assert [outcome.story() for outcome in outcomes if outcome.faults] == []
    assert [outcome.seed for outcome in outcomes if outcome.refusal] == [WITHOUT_SOLUTION]


def test_the_refused_case_of_later_families_has_no_solution() -> None:
    """Its rule is concat(Letter3, V5) = Class3, and a masked class is one that occurs: the others follow from it.

    So every combination that the rule allows is a record's, and none is shared by k records. By brute force: every
    letter that occurs with every number up to the largest.
    """
    case = make_case(WITHOUT_SOLUTION)
    assert "concat(Letter3, V5) = Class3" in case.rules
    records = [
        (row.findtext("Letter3"), row.findtext("V5"), row.findtext("Class3"))
        for row in etree.fromstring(case.data.encode("utf-8"))
    ]
    letters, classes, largest = {r[0] for r in records}, {r[2] for r in records}, max(int(str(r[1])) for r in records)
    allowed = {
        (letter, str(number), f"{letter}{number}")
        for letter in letters
        for number in range(10 * largest)
        if f"{letter}{number}" in classes
    }
    assert allowed == set(records)
    assert max(Counter(records).values()) < case.k


def test_computed_totals_survive_masking(tmp_path: Path) -> None:
    """These cases compute some total, leave others with their parts, and have rules of every family beside them."""
    seeds = [seed for seed in range(FIRST_TOTALS, FIRST_TOTALS + 20) if totals_of(seed) is not None][:6]
    outcomes = [run_case(make_case(seed), tmp_path / str(seed), advise=False) for seed in seeds]
    assert [outcome.story() for outcome in outcomes if outcome.faults or outcome.refusal] == []
    assert {totals_of(seed) for seed in seeds} == {"computed", "auto"}
    assert {totals_of(seed) for seed in range(FIRST_TOTALS)} == {None}


def test_every_idea_of_the_generator_is_among_the_cases() -> None:
    assert len(SEEDS) == BATCHES * SIZE == (120 if IS_EXPLORING else 80)
    found = Counter(idea for seed in (*SEEDS, *LATER) for idea in ideas_of(seed))
    assert all_ideas() - set(found) == set()
    assert found.keys() <= all_ideas()


def test_every_division_is_among_the_cases() -> None:
    drawn = [division_of(seed) for seed in SEEDS]
    assert Counter(division.partition for division in drawn).most_common(1)[0][0] == "mdav"
    assert {division.partition for division in drawn} == set(PARTITIONS)
    assert {division.unit for division in drawn} == {None, *UNITS}
    assert sum(division.weighs_variables for division in drawn) > len(SEEDS) / 10


@pytest.mark.parametrize("seed", [18, 29, 86])
def test_some_cases_weigh_their_records(seed: int) -> None:
    """Of those that could, few have a variable to weigh by: these seeds do."""
    recipe = yaml.safe_load(make_case(seed).recipe)
    assert recipe["weights"]
    assert recipe["mask"]["partition"] in ("auto", "v-mdav+refine")


@pytest.mark.parametrize("seed", [0, 7, 23])
def test_the_generated_data_satisfy_their_rules(seed: int, tmp_path: Path) -> None:
    case = make_case(seed)
    assert not case.is_damaged
    assert make_case(seed) == case
    files = write_case(case, tmp_path)
    verdict = check_file(files.data, files.rules, CheckOptions(engine="saxon", phase=case.phase))
    assert (verdict.exit_code, verdict.records) == (0, case.records)
