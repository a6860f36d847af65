"""Blocks as pieces of work: the same values as in one process, and Saxon is asked where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.commands.masking.preparation import prepared_file
from constraint_sdc.engines.parcel import packed_bytes, unpacked
from constraint_sdc.maskers.masked import MaskedBlock, MaskOptions
from constraint_sdc.maskers.microaggregation import settle_block as room
from constraint_sdc.maskers.microaggregation.mask_block import mask_block
from constraint_sdc.maskers.microaggregation.settle_block import mask_together, settle_block
from tests.maskers.extract import Extract, columns, extract

N, K = 60, 3
SUM = "number(A) + number(B) = number(C)"
ENDS_IN_5 = "substring(string-join(A, ''), string-length(string-join(A, '')), 1) = ('0', '5')"


def survey(folder: Path, rule: str) -> Extract:
    a = [5 * (i * 37 % 101) for i in range(N)]
    b = [i * i % 83 for i in range(N)]
    other = [i * 13 % 29 for i in range(N)]
    return extract(folder, columns(A=a, B=b, C=[x + y for x, y in zip(a, b, strict=True)], D=other), {"rule": rule})


def told(block: MaskedBlock) -> tuple[object, ...]:
    values = {name: column.texts() for name, column in block.columns.items()}
    return values, block.groups.label.tolist(), block.stratum, block.step, block.price


@pytest.mark.parametrize(("rule", "is_asked"), [(SUM, False), (ENDS_IN_5, True)])
def test_a_block_that_was_sent_has_the_same_values(
    tmp_path: Path, rule: str, is_asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[bool] = []

    def sent(piece: object) -> object:
        found = settle_block(unpacked(packed_bytes(piece)))
        answers.append(found is None)
        return unpacked(packed_bytes(found))

    given = survey(tmp_path, rule)
    with prepared_file(given.data, given.rules, MaskOptions(k=K, undecided="guess", partition="mdav")) as prepared:
        inputs = prepared.mask_inputs
        design = inputs.masker.plan(prepared.plan_inputs)
        expected = [told(mask_block(block, inputs)) for block in design.blocks]
        monkeypatch.setattr(room, "map_pieces", lambda _, pieces, **_work: map(sent, pieces))
        assert [told(block) for block in mask_together(design.blocks, inputs)] == expected
    assert any(answers) == is_asked
