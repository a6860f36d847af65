"""The exam that every partition method sits: the same questions on clouds full of ties, constants and surprises.

A method sits it as a `Candidate`: with what its traits promise. A question is a function that raises
`ExamFailedError`. The tests hold the liars: methods that break one promise each, and that the exam must reject.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import isclose

import numpy as np

from constraint_sdc.arrays import Labels, Points
from constraint_sdc.data.cloud import Axis, Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.exam.guarantee.exam import guarantee_question
from constraint_sdc.exam.guarantee.maskers import with_partition
from constraint_sdc.exam.question import (
    PARAMETERS_ASKED,
    AskedQuestion,
    ExamFailedError,
    ExamOptions,
    require,
    takes_parameters,
)
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.partitioner import Partitioner, Takes
from constraint_sdc.settings.parameters import parameters_of
from constraint_sdc.settings.words import Scale


@dataclass(frozen=True)
class Candidate:
    """A method, and what it promises beyond what all do.

    `largest` is the size, by k, that no group exceeds. A method whose groups depend on the order of the file, even
    where no ties are, says why in `file_order_matters`; it is then not asked that question.
    """

    method: Partitioner
    takes: Takes = Takes.NUMBERS
    largest: Callable[[int], int] | None = None
    file_order_matters: str = ""

    def __str__(self) -> str:
        return self.method.name

    def labels(self, cloud: Cloud, k: int, seed: int = 7) -> Labels:
        """Return the groups that the method forms."""
        return self.method.partition(cloud, k, seed)


def candidate_of(method: Partitioner) -> Candidate:
    """Return a method as a candidate with what its traits promise."""
    traits = method.traits
    return Candidate(method, traits.takes, traits.largest, traits.file_order_matters)


Question = Callable[[Candidate], None]

KINDS = ("scattered", "ties", "duplicates", "constant column", "all alike", "collinear", "heavy tails", "far away")

SIZES = ((1, 1), (5, 1), (2, 2), (3, 2), (12, 2), (13, 2), (7, 3), (26, 3), (45, 3), (9, 5), (37, 5), (31, 10), (8, 8))
"""Records and k: k = 1, k = n, n < 2k, and numbers of records that k divides or does not."""


def draw_cloud(takes: Takes, kind: str, n: int, seed: int = 0) -> Cloud:
    """Return a cloud of the kind a method takes; "scattered" numbers have no ties."""
    random = np.random.default_rng([seed, n, KINDS.index(kind)])
    match takes:
        case Takes.NUMBERS:
            return Cloud(_numbers(random, kind, n, 3))
        case Takes.ONE_VARIABLE:
            values = _numbers(random, "scattered" if kind in ("constant column", "collinear") else kind, n, 1)
            return Cloud(np.hstack((np.full((n, 1), 0.7), values)) if kind == "constant column" else values)
        case Takes.ORDINAL:
            return _with_axes([(Scale.ORDINAL, column[:, None]) for column in _codes(random, kind, n, 2).T])
        case Takes.NOMINAL:
            return _with_axes([(Scale.NOMINAL, _indicators(column)) for column in _codes(random, kind, n, 2).T])
        case Takes.MIXED:
            codes = _codes(random, kind, n, 2)
            columns = [(Scale.NUMERIC, column[:, None]) for column in _numbers(random, kind, n, 2).T]
            return _with_axes([*columns, (Scale.ORDINAL, codes[:, :1]), (Scale.NOMINAL, _indicators(codes[:, 1]))])


def _numbers(random: np.random.Generator, kind: str, n: int, d: int) -> Points:
    points: Points = random.normal(size=(n, d))
    match kind:
        case "ties":
            return random.integers(-1, 2, size=(n, d)).astype(np.float64)
        case "duplicates":
            return points[random.integers(0, min(3, n), n)]
        case "constant column":
            points[:, 0] = 0.1
        case "all alike":
            points[:] = 0.3
        case "collinear":
            points[:] = points[:, :1] * np.arange(1, d + 1)
        case "heavy tails":
            return random.standard_cauchy(size=(n, d))
        case "far away":
            return 1e8 + random.integers(0, 5, size=(n, d)).astype(np.float64)
    return points


def _codes(random: np.random.Generator, kind: str, n: int, d: int) -> Points:
    """Return codes of categories; the kinds of numbers are kinds of frequencies here."""
    codes: Points = random.integers(0, 6, size=(n, d)).astype(np.float64)
    match kind:
        case "ties":
            return np.floor(codes / 3)
        case "duplicates":
            return codes[random.integers(0, min(3, n), n)]
        case "constant column":
            codes[:, 0] = 2.0
        case "all alike":
            codes[:] = 1.0
        case "collinear":
            codes[:] = codes[:, :1]
        case "heavy tails":
            return np.minimum(random.geometric(0.4, size=(n, d)), 9).astype(np.float64)
    return codes


def _indicators(codes: Points) -> Points:
    categories = np.unique(codes)
    return np.equal(codes[:, None], categories[None, :]).astype(np.float64)


def _with_axes(columns: list[tuple[Scale, Points]]) -> Cloud:
    axes, start = [], 0
    for number, (scale, points) in enumerate(columns, 1):
        axes.append(Axis(f"V{number}", scale, start, start + points.shape[1]))
        start += points.shape[1]
    return Cloud(np.hstack([points for _, points in columns]), tuple(axes))


def _clouds(candidate: Candidate) -> Iterator[tuple[Cloud, int]]:
    for kind in KINDS:
        for n, k in SIZES:
            yield draw_cloud(candidate.takes, kind, n), k


def _size(cloud: Cloud, k: int) -> str:
    return f"{len(cloud)} records, k = {k}"


@contextmanager
def _refused(error: type[Exception], text: str, what: str) -> Iterator[None]:
    """Fail unless the block raises this error with this text."""
    try:
        yield
    except error as refusal:
        require(text in str(refusal), f"{what}: refused without the word {text!r}: {refusal}")
    else:
        require(False, f"{what}: not refused")


def groups_are_of_k_or_more(candidate: Candidate) -> None:
    """Groups are of k records or more."""
    for cloud, k in _clouds(candidate):
        sizes = np.unique(candidate.labels(cloud, k), return_counts=True)[1]
        require(int(sizes.min()) >= k, f"{_size(cloud, k)}: a group of {sizes.min()}")


def every_record_has_one_group(candidate: Candidate) -> None:
    """Every record has one group."""
    for cloud, k in _clouds(candidate):
        labels = candidate.labels(cloud, k)
        require(labels.shape == (len(cloud),), f"{_size(cloud, k)}: labels of shape {labels.shape}")
        require(labels.dtype == np.int64, f"{_size(cloud, k)}: labels of type {labels.dtype}")


def labels_have_no_gap(candidate: Candidate) -> None:
    """Labels are 0, 1, ... without a gap."""
    for cloud, k in _clouds(candidate):
        labels = np.unique(candidate.labels(cloud, k))
        require(labels.tolist() == list(range(len(labels))), f"{_size(cloud, k)}: labels {labels.tolist()}")


def no_group_is_larger_than_promised(candidate: Candidate) -> None:
    """No group is larger than the method promises."""
    for cloud, k in _clouds(candidate):
        largest = int(np.unique(candidate.labels(cloud, k), return_counts=True)[1].max())
        most = None if candidate.largest is None or k == 1 else candidate.largest(k)
        require(most is None or largest <= most, f"{_size(cloud, k)}: a group of {largest}, at most {most} promised")


def k_of_one_leaves_every_record_alone(candidate: Candidate) -> None:
    """With k = 1 every record is alone."""
    for kind in KINDS:
        labels = candidate.labels(draw_cloud(candidate.takes, kind, 11), 1)
        require(sorted(labels.tolist()) == list(range(11)), f"11 records ({kind}), k = 1: {labels.tolist()}")


def fewer_than_2k_records_are_one_group(candidate: Candidate) -> None:
    """Fewer than 2k records are one group."""
    for kind in KINDS:
        for n in (5, 7, 9):
            labels = candidate.labels(draw_cloud(candidate.takes, kind, n), 5).tolist()
            require(labels == [0] * n, f"{n} records ({kind}), k = 5: {labels}")


def the_same_seed_gives_the_same_groups(candidate: Candidate) -> None:
    """The same seed gives the same groups, whatever was divided in between."""
    for kind in KINDS:
        cloud = draw_cloud(candidate.takes, kind, 40)
        for seed in (0, 12345):
            first = candidate.labels(cloud, 3, seed).tolist()
            candidate.labels(draw_cloud(candidate.takes, kind, 23), 4, seed + 1)
            again = candidate.labels(replace(cloud, points=cloud.points.copy()), 3, seed).tolist()
            require(again == first, f"40 records ({kind}), k = 3, seed {seed}: other groups the second time")


def the_points_are_left_as_they_were(candidate: Candidate) -> None:
    """The points are left as they were."""
    for kind in KINDS:
        cloud = draw_cloud(candidate.takes, kind, 30)
        before = cloud.points.copy()
        for layout in (cloud, replace(cloud, points=np.asfortranarray(cloud.points))):
            candidate.labels(layout, 3)
            require(bool((layout.points == before).all()), f"30 records ({kind}), k = 3: the points were changed")


def the_layout_in_memory_does_not_matter(candidate: Candidate) -> None:
    """Groups do not depend on how points lie in memory."""
    for kind in KINDS:
        cloud = draw_cloud(candidate.takes, kind, 40)
        wide = np.zeros((80, 2 * cloud.points.shape[1]))
        wide[::2, ::2] = cloud.points
        expected = candidate.labels(cloud, 3).tolist()
        for points in (np.asfortranarray(cloud.points), wide[::2, ::2]):
            found = candidate.labels(replace(cloud, points=points), 3).tolist()
            require(found == expected, f"40 records ({kind}), k = 3: other groups for another layout in memory")


def without_ties_the_order_of_the_file_does_not_matter(candidate: Candidate) -> None:
    """Same groups of the same records; where there is more than one best partition, the same loss will do."""
    if candidate.file_order_matters:
        return
    for n, k in ((40, 3), (53, 5)):
        cloud = draw_cloud(candidate.takes, "scattered", n)
        labels = candidate.labels(cloud, k)
        for seed in (1, 2):
            order = np.random.default_rng(seed).permutation(n)
            shuffled = np.empty(n, np.int64)
            shuffled[order] = candidate.labels(cloud.of(order), k)
            is_same = _as_sets(shuffled) == _as_sets(labels)
            is_as_good = isclose(sse(cloud, shuffled), sse(cloud, labels), rel_tol=1e-9, abs_tol=1e-12)
            require(is_same or is_as_good, f"{n} records, k = {k}: another order of the file gives other groups")


def _as_sets(labels: Labels) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == group).tolist()) for group in np.unique(labels)}


def what_cannot_be_divided_is_refused(candidate: Candidate) -> None:
    """What cannot be divided is refused with a reason."""
    cloud = draw_cloud(candidate.takes, "scattered", 12)
    for value, message in ((np.nan, "finite"), (np.inf, "finite"), (-np.inf, "finite"), (1e200, "standardise")):
        points = cloud.points.copy()
        points[4, -1] = value
        with _refused(ValueError, message, f"a point of {value}"):
            candidate.labels(replace(cloud, points=points), 3)
    for n, k, message in ((2, 3, "2 records cannot form a group of 3"), (0, 1, "0 records"), (5, 0, "at least 1")):
        with _refused(ValueError, message, f"{n} records, k = {k}"):
            candidate.labels(cloud.of(np.arange(n)), k)


def weights_act_or_are_refused(candidate: Candidate) -> None:
    """Acting means: equal weights change nothing, unequal ones do, and invalid weights are refused."""
    cloud = draw_cloud(candidate.takes, "scattered", 60)
    unequal = np.where(np.arange(60) % 3 == 0, 1000.0, 1.0)
    try:
        weighted = candidate.labels(replace(cloud, weights=unequal), 3)
    except UsageError:
        return
    plain = candidate.labels(cloud, 3).tolist()
    equal = candidate.labels(replace(cloud, weights=np.ones(60)), 3).tolist()
    require(equal == plain, "60 records, k = 3: equal weights change the groups")
    require(weighted.tolist() != plain, "60 records, k = 3: weights were ignored")
    for wrong in (0.0, -1.0, np.nan):
        with _refused(ValueError, "weights", f"a weight of {wrong}"):
            candidate.labels(replace(cloud, weights=np.where(np.arange(60) == 5, wrong, 1.0)), 3)


def a_cloud_that_it_is_not_made_for_is_refused(candidate: Candidate) -> None:
    """A method for one variable refuses several; what else a method refuses is for its own tests."""
    if candidate.takes is not Takes.ONE_VARIABLE:
        return
    for kind in ("scattered", "ties", "far away"):
        with _refused(UsageError, "vary", f"three variables ({kind})"):
            candidate.labels(draw_cloud(Takes.NUMBERS, kind, 20), 3)


QUESTIONS: tuple[Question, ...] = (
    groups_are_of_k_or_more,
    every_record_has_one_group,
    labels_have_no_gap,
    no_group_is_larger_than_promised,
    k_of_one_leaves_every_record_alone,
    fewer_than_2k_records_are_one_group,
    the_same_seed_gives_the_same_groups,
    the_points_are_left_as_they_were,
    the_layout_in_memory_does_not_matter,
    without_ties_the_order_of_the_file_does_not_matter,
    what_cannot_be_divided_is_refused,
    weights_act_or_are_refused,
    a_cloud_that_it_is_not_made_for_is_refused,
)


def passes(candidate: Candidate, question: Question) -> bool:
    """Tell whether a method answers a question, for those that are expected not to."""
    try:
        question(candidate)
    except ExamFailedError:
        return False
    return True


# The questions to a partition method: those about groups, then the guarantee with groups of this method.


def partition_questions(method: Partitioner, options: ExamOptions) -> Iterator[AskedQuestion]:
    """Yield every question about groups; then random files are masked with them, where the method takes numbers."""
    candidate = candidate_of(method)
    for question in QUESTIONS:
        yield AskedQuestion(question.__name__.replace("_", " "), partial(_ask, question, candidate))
    if parameters_of(method):
        yield AskedQuestion(PARAMETERS_ASKED, lambda: takes_parameters(method, method.name))
    if method.traits.takes not in (Takes.ORDINAL, Takes.NOMINAL):
        yield guarantee_question(lambda case: with_partition(case, method), options)


def _ask(question: Question, candidate: Candidate) -> str:
    question(candidate)
    return f"on clouds of {candidate.takes.value}"
