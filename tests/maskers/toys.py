"""Maskers of another distribution: one that works, and some that lie about what they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constraint_sdc.data.groups import Groups
from constraint_sdc.data.table import column_of
from constraint_sdc.maskers.inputs import MaskInputs
from constraint_sdc.maskers.masked import Masked, MaskedBlock
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.maskers.microaggregation.mask_block import mask_block
from constraint_sdc.maskers.registry import MASKERS
from constraint_sdc.plan.design import BlockDesign, Design
from constraint_sdc.plugins import Registry
from constraint_sdc.settings.masker import RecipeMistake, flag, number
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe

DISTRIBUTION = "toy-maskers"


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, *entries: str, name: str = DISTRIBUTION) -> None:
    """Put a distribution on the path that registers maskers, each as `name = module:attribute`."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    listed = "".join(f"{entry}\n" for entry in entries)
    (info / "entry_points.txt").write_text(f"[constraint_sdc.maskers]\n{listed}", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    look_again(MASKERS, monkeypatch)


def look_again(registry: Registry[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a registry look at what is installed, now and when the test is over; a program looks once."""
    for kept in ("names", "_others", "_loaded"):
        vars(registry).pop(kept, None)
        monkeypatch.setitem(vars(registry), kept, None)
        del vars(registry)[kept]


@dataclass(frozen=True)
class Toy(Masker):
    """Groups and representatives as microaggregation has them."""

    name = "toy"
    guarantee = "At least k records share the values of a block."
    sentences = {"toy-maskers:loud": "toy in groups of {k} by {partition}"}  # noqa: RUF012  (never changed)

    strength: float = number("how strong; at most 9.", 1.5)
    is_loud: bool = flag("warn.")

    def warnings(self, k: int, partition: str) -> tuple[Reason, ...]:
        return (because("toy-maskers:loud", k=k, partition=partition),) if self.is_loud else ()

    def mistakes(self, recipe: Recipe, written: Mapping[str, Any]) -> Iterator[RecipeMistake]:
        del recipe, written
        if self.strength > 9:
            yield "strength must be at most 9", ["mask", "strength"]

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        return mask_block(design, inputs)


@dataclass(frozen=True)
class RuleBreaker(Toy):
    """Adds 1 to the first variable of every block, whatever the rules say."""

    name = "rule-breaker"

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        block = mask_block(design, inputs)
        first = design.plan.names[0]
        texts = [str(float(text or 0) + 1) for text in block.columns[first].texts()]
        return replace(block, columns={**block.columns, first: column_of(first, texts)})


def _unmasked(design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
    """Return every record with its own values."""
    everyone = np.arange(inputs.table.records)
    block = mask_block(design, inputs)
    columns = {series.name: series.column for series in design.series}
    one = Groups(np.zeros(len(everyone), np.int64))
    return replace(block, groups=one, stratum=(0,), columns=columns, own=everyone)


@dataclass(frozen=True)
class Lonely(Toy):
    """Claims that k records share their values, and publishes the original."""

    name = "lonely"

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        return _unmasked(design, inputs)


@dataclass(frozen=True)
class Rewriter(Toy):
    """Publishes the original, and takes back in the plan what it promised."""

    name = "rewriter"

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        return replace(_unmasked(design, inputs), plan=replace(design.plan, shares=False))


@dataclass(frozen=True)
class Meddler(Toy):
    """Changes a variable that is in no block."""

    name = "meddler"

    def mask(self, design: BlockDesign, inputs: MaskInputs) -> MaskedBlock:
        block = mask_block(design, inputs)
        blank = column_of("Id", ["?"] * len(block.groups))
        return replace(block, columns={**block.columns, "Id": blank})


@dataclass(frozen=True)
class Forgetful(Toy):
    """Leaves out a block."""

    name = "forgetful"

    def mask_all(self, design: Design, inputs: MaskInputs) -> Masked:
        return Masked(tuple(self.mask(block, inputs) for block in design.blocks[1:]))


class NoMasker:
    """Registered as a masker, and none."""

    name = "no-masker"
