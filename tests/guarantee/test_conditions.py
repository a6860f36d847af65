"""What a drawn condition says is true of the records that are drawn with it."""

from __future__ import annotations

import re
from random import Random

import pytest

from constraint_sdc.exam.guarantee.conditions import add_band
from constraint_sdc.exam.guarantee.drafting import WRITINGS, Draft
from constraint_sdc.exam.guarantee.layouts import random_layout


@pytest.mark.parametrize("seed", range(4))
def test_a_class_code_names_the_interval_of_its_number_ends_included(seed: int) -> None:
    draft = Draft(Random(seed), 30, random_layout(Random(seed)), "xslt2", WRITINGS[0])
    add_band(draft)
    first, second = map(float, re.findall(r">= ([0-9.]+)", draft.rules[-1].test))
    numbers, codes = (draft.column(name) for name in draft.numeric[-2:])
    assert first in numbers
    assert codes == [1 if x < first else 2 if x < second else 3 for x in numbers]
