"""Every text pair in fixtures/: this XPath means this constraint."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from constraint_sdc.constraints.constraint import Kind
from tests.constraints.pairs import Pair, answer, read_pairs

PAIRS = [pair for path in sorted(Path(__file__).parent.glob("fixtures/*.txt")) for pair in read_pairs(path)]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.where)
def test_an_xpath_means_the_constraint_beside_it(pair: Pair) -> None:
    assert answer(pair) == pair.expected


def test_the_pairs_show_every_kind_many_times() -> None:
    seen = Counter(pair.expected.partition(":")[0] for pair in PAIRS)
    assert set(seen) == {kind.value for kind in Kind}
    assert len(PAIRS) >= 180
    assert min(seen.values()) >= 10


def test_no_pair_is_written_twice() -> None:
    seen = Counter((pair.binding, pair.kind, pair.context, pair.xpath) for pair in PAIRS)
    assert [pair for pair, times in seen.items() if times > 1] == []


def test_the_examples_in_the_documentation_are_pairs_that_hold() -> None:
    pages = sorted((Path(__file__).parents[2] / "docs" / "constraints").glob("*.md"))
    known = {f"{pair.xpath} => {pair.expected}" for pair in PAIRS}
    examples = [line for page in pages for line in examples_in(page)]
    assert len(pages) == len(Kind)
    assert len(examples) >= 30
    assert [line for line in examples if line not in known] == []


def examples_in(page: Path) -> list[str]:
    blocks = page.read_text(encoding="utf-8").split("```pairs\n")[1:]
    return [line for block in blocks for line in block.partition("```")[0].splitlines() if line]
