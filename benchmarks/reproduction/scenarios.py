"""The paper's two scenarios as our engine masks them: S1 keeps the edit rules, S2 masks groups of three without any."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import constraint_sdc as cs
from constraint_sdc.arrays import Points
from constraint_sdc.commands.masking.carrying_out import carry_out
from constraint_sdc.commands.masking.preparation import Prepared, prepared_file
from constraint_sdc.data.table import Table
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Standardise

VARIABLES = tuple(f"V{i}" for i in range(1, 17))
Groups = tuple[tuple[str, ...], ...]


def in_threes(names: tuple[str, ...]) -> Groups:
    """Return the variables in groups of three, in their order; the last one may be smaller.

    >>> in_threes(("V1", "V2", "V3", "V4"))
    (('V1', 'V2', 'V3'), ('V4',))
    """
    return tuple(names[i : i + 3] for i in range(0, len(names), 3))


@dataclass(frozen=True)
class Scenario:
    """How to mask: with all five rules, with the four kinds that the paper's conclusion names, or with none.

    `groups` are the variables masked together that no rule ties; without any, the planner's own. Rules tie V9, V10
    and V14, then V5, V15 and V16, then V8, V12 and V13.
    """

    title: str
    rules: int
    groups: Groups = ()
    standardise: Standardise = Standardise.Z_SCORE


S1 = Scenario("S1, five rules", 5, (("V3",), *in_threes(("V1", "V2", "V4", "V6", "V7", "V11"))))
S1_FOUR = Scenario("S1, four rules", 4, S1.groups)
S2 = Scenario("S2, no rules", 0, in_threes(VARIABLES))


@dataclass(frozen=True)
class Folder:
    """The file as XML beside its rules, whose value-domain rule reads it under the paper's name microdata.xml."""

    data: Path
    five: Path
    four: Path

    def rules(self, count: int) -> Path | None:
        """Return the rules of a scenario."""
        return {0: None, 4: self.four, 5: self.five}[count]


def set_up(folder: Path, source: Path) -> Folder:
    """Write the file and both sets of rules into an empty folder."""
    data, five, four = folder / "microdata.xml", folder / "census-paper.sch", folder / "four.sch"
    cs.convert_file(source, data)
    shutil.copyfile(shipped_file("rules", "census-paper.sch"), five)
    domain_rule = re.compile(r'\s*<pattern name="EC-VD.*?</pattern>', re.DOTALL)
    text, taken = domain_rule.subn("", five.read_text("utf-8"))
    assert taken == 1
    four.write_text(text, encoding="utf-8")
    return Folder(data, five, four)


@dataclass(frozen=True)
class Masking:
    """A masked file, n x 16, how many times a record breaks a rule, and the smallest group.

    `blocks` are the places of the variables masked together.
    """

    masked: Points
    broken: int
    smallest: int
    blocks: tuple[tuple[int, ...], ...]


class Bench:
    """A file ready to be masked in one scenario for many k.

    Every masking is judged by the rules that the scenario keeps; one without any, by those of `judge`.
    """

    def __init__(self, folder: Folder, scenario: Scenario, judge: Bench | None = None) -> None:
        recipe = Recipe(groups=scenario.groups, standardise=scenario.standardise)
        options = cs.MaskOptions(k=2, partition="mdav", recipe=recipe, undecided="guess")
        with prepared_file(folder.data, folder.rules(scenario.rules), options) as prepared:
            self._prepared = prepared  # no rule of a scenario asks Saxon, as is asserted below
        self._judge: Prepared = judge._prepared if judge and not scenario.rules else self._prepared
        inputs = self._judge.plan_inputs
        assert len(inputs.rules) >= 4
        assert all(rule.id in inputs.evaluable for rule in inputs.rules)
        self.original = numbers(self._prepared.plan_inputs.table)

    def mask(self, k: int) -> Masking:
        """Mask with MDAV; k = 1 is the original itself."""
        table = self._prepared.plan_inputs.table
        if k == 1:
            return replace(self.mask(2), masked=self.original, broken=self._broken(table), smallest=1)
        inputs = replace(self._prepared.plan_inputs, k=k)
        prepared = replace(self._prepared, plan_inputs=inputs, mask_inputs=replace(self._prepared.mask_inputs, k=k))
        _, masked = carry_out(prepared)
        after = Table({**table.columns, **masked.columns()}, table.records)
        smallest = min(int(block.groups.sizes.min()) for block in masked.blocks)
        blocks = tuple(tuple(VARIABLES.index(name) for name in block.plan.names) for block in masked.blocks)
        return Masking(numbers(after), self._broken(after), smallest, blocks)

    def _broken(self, table: Table) -> int:
        verdicts = self._judge.original.understood.holds(table.columns, table.records)
        return sum(int(np.count_nonzero(~holds)) for holds in verdicts.values())


def numbers(table: Table) -> Points:
    """Return V1..V16 as numbers."""
    return np.column_stack([np.array(table.columns[name].texts(), np.float64) for name in VARIABLES])
