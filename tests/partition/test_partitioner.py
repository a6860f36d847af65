"""Partition methods by name."""

from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.errors import UsageError
from constraint_sdc.model.cloud import Cloud
from constraint_sdc.partition.partitioner import METHODS, partitioner


def test_methods_are_found_by_their_names() -> None:
    assert METHODS == ("mdav",)
    assert [partitioner(name).name for name in METHODS] == list(METHODS)


def test_an_unknown_method_is_refused_with_the_choices() -> None:
    with pytest.raises(UsageError, match=r"unknown partition method 'mdva' \(use one of: mdav\)"):
        partitioner("mdva")


@pytest.mark.parametrize("name", METHODS)
def test_every_method_keeps_the_promises_of_a_partitioner(name: str) -> None:
    points = np.random.default_rng(1).normal(size=(101, 4))
    labels = partitioner(name).partition(Cloud(points), 5, seed=3)
    assert labels.dtype == np.int64
    assert labels.shape == (101,)
    sizes = np.bincount(labels)
    assert sizes.min() >= 5
    assert labels.tolist() == partitioner(name).partition(Cloud(points), 5, seed=3).tolist()
