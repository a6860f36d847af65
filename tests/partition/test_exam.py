"""Every method sits the exam; methods that lie do not pass it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.exam import partition as exam
from constraint_sdc.exam.partition import QUESTIONS, Candidate, Question, candidate_of, passes
from constraint_sdc.partition.methods.auto import Auto
from constraint_sdc.partition.methods.individual_ranking import IndividualRanking, consecutive
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.random_groups import RandomGroups
from constraint_sdc.partition.methods.v_mdav import VMdav
from constraint_sdc.partition.partitioner import Partitioner, Takes, below_2k, refuse_weights, require_possible
from constraint_sdc.partition.registry import METHODS, PARTITIONS, Refined
from constraint_sdc.partition.search.refine import Effort

SHORT = Effort("short", 0.005)

CANDIDATES = (
    *(candidate_of(method) for method in PARTITIONS.all() if method.name != Auto.name),
    candidate_of(VMdav(gamma=1.1)),
    replace(candidate_of(Auto(SHORT)), takes=Takes.NUMBERS),
    candidate_of(Auto(SHORT)),
    candidate_of(Refined(RandomGroups(), SHORT)),
    candidate_of(Refined(VMdav(), SHORT)),
)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.__name__)
@pytest.mark.parametrize("candidate", CANDIDATES, ids=str)
def test_every_method_passes(candidate: Candidate, question: Question) -> None:
    question(candidate)


def test_no_method_stays_away() -> None:
    assert set(METHODS) - {candidate.method.name for candidate in CANDIDATES} == set()


HONEST = Mdav()


@dataclass(frozen=True)
class Lie:
    """What a liar starts from: the truth."""

    cloud: Cloud
    k: int
    labels: Labels


@dataclass(frozen=True)
class Lying:
    """A method like MDAV but for one thing."""

    name: str
    change: Callable[[Lie], Labels]
    honest: Partitioner = HONEST

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        return self.change(Lie(cloud, k, self.honest.partition(cloud, k, seed)))


class Careless:
    """Sorts by the first column and never looks at what it is given."""

    name = "careless"

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        del seed
        groups = max(1, len(cloud) // max(k, 1))
        labels = np.empty(len(cloud), np.int64)
        labels[np.argsort(cloud.points[:, 0], kind="stable")] = np.arange(len(cloud)) * groups // max(1, len(cloud))
        return labels


class DeafToWeights:
    """Accepts weights and does as if there were none."""

    name = "deaf"

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        return Mdav().partition(Cloud(cloud.points, cloud.axes), k, seed)


class OnlyFirstColumn:
    """Takes any number of variables and uses the first."""

    name = "first"

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        return IndividualRanking().partition(Cloud(cloud.points[:, :1], (), cloud.weights), k, seed)


class ByMemory:
    """Reads the points as they lie in memory, rather than by record."""

    name = "by-memory"

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        flat = cloud.points.ravel(order="K").reshape(cloud.points.shape)
        return Mdav().partition(Cloud(np.ascontiguousarray(flat)), k, seed)


class Moody:
    """Has another result every time."""

    name = "moody"

    def __init__(self) -> None:
        self.calls = 0

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        self.calls += 1
        return RandomGroups().partition(cloud, k, seed + self.calls)


def one_record_alone(lie: Lie) -> Labels:
    return np.append(lie.labels[:-1], lie.labels.max() + 1)


def one_record_forgotten(lie: Lie) -> Labels:
    return lie.labels[:-1] if len(lie.labels) > 30 else lie.labels


def even_numbers(lie: Lie) -> Labels:
    return 2 * lie.labels


def all_in_one_group(lie: Lie) -> Labels:
    return np.zeros_like(lie.labels)


def pairs_at_least(lie: Lie) -> Labels:
    return lie.labels // 2


def two_groups_below_2k(lie: Lie) -> Labels:
    n = len(lie.labels)
    return np.arange(n) % 2 if lie.k > 1 and n < 2 * lie.k else lie.labels


def after_sorting_the_points(lie: Lie) -> Labels:
    lie.cloud.points.sort(axis=0)
    return lie.labels


def after_scaling_its_columns(lie: Lie) -> Labels:
    columns = np.ascontiguousarray(lie.cloud.points.T)  # a copy, unless variables lie one after the other already
    columns *= 2.0
    return lie.labels


def in_file_order(lie: Lie) -> Labels:
    return consecutive(np.arange(len(lie.labels)), lie.k)


LIARS = (
    (Lying("one record alone", one_record_alone), exam.groups_are_of_k_or_more),
    (Lying("one record forgotten", one_record_forgotten), exam.every_record_has_one_group),
    (Lying("even numbers", even_numbers), exam.labels_have_no_gap),
    (Lying("one group of all", all_in_one_group), exam.no_group_is_larger_than_promised),
    (Lying("pairs at least", pairs_at_least), exam.k_of_one_leaves_every_record_alone),
    (Lying("two groups", two_groups_below_2k), exam.fewer_than_2k_records_are_one_group),
    (Moody(), exam.the_same_seed_gives_the_same_groups),
    (Lying("sorts the points", after_sorting_the_points), exam.the_points_are_left_as_they_were),
    (Lying("scales its columns", after_scaling_its_columns), exam.the_points_are_left_as_they_were),
    (ByMemory(), exam.the_layout_in_memory_does_not_matter),
    (Lying("in file order", in_file_order), exam.without_ties_the_order_of_the_file_does_not_matter),
    (RandomGroups(), exam.without_ties_the_order_of_the_file_does_not_matter),
    (Careless(), exam.what_cannot_be_divided_is_refused),
    (DeafToWeights(), exam.weights_act_or_are_refused),
    (OnlyFirstColumn(), exam.a_cloud_that_it_is_not_made_for_is_refused),
)


@pytest.mark.parametrize(("liar", "question"), LIARS, ids=lambda x: getattr(x, "name", ""))
def test_a_method_that_lies_is_caught(liar: Partitioner, question: Question) -> None:
    takes = Takes.ONE_VARIABLE if isinstance(liar, OnlyFirstColumn) else Takes.NUMBERS
    assert not passes(Candidate(liar, takes, largest=below_2k), question)


def test_every_question_catches_some_lie() -> None:
    assert {question for _, question in LIARS} == set(QUESTIONS)


class Heavy:
    """A method on which weights act: MDAV of the points, each multiplied by its weight."""

    name = "heavy"

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        require_possible(cloud, k)
        weights = np.ones(len(cloud)) if cloud.weights is None else cloud.weights
        return Mdav().partition(Cloud(cloud.points * weights[:, None]), k, seed)


def test_weights_that_act_pass_as_well_as_weights_that_are_refused() -> None:
    exam.weights_act_or_are_refused(Candidate(Heavy()))
    with pytest.raises(UsageError, match="mdav takes no weights of records"):
        Mdav().partition(Cloud(np.zeros((4, 1)), weights=np.ones(4)), 2, 0)


class Categories:
    """Any method will do to try the clouds of categories: MDAV on their columns."""

    name = "categories"

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        return Mdav().partition(Cloud(cloud.points, (), cloud.weights), k, seed)


@pytest.mark.parametrize("takes", [Takes.ORDINAL, Takes.NOMINAL, Takes.MIXED], ids=lambda takes: takes.value)
def test_methods_for_categories_can_sit_it_too(takes: Takes) -> None:
    candidate = Candidate(Categories(), takes, below_2k, file_order_matters="categories are full of ties")
    assert [question.__name__ for question in QUESTIONS if not passes(candidate, question)] == []
    liar = Candidate(Lying("one record alone", one_record_alone, Categories()), takes)
    assert not passes(liar, exam.groups_are_of_k_or_more)
    cloud = exam.draw_cloud(takes, "scattered", 20)
    assert cloud.axes[-1].stop == cloud.points.shape[1]
