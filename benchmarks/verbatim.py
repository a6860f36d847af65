"""Count verbatim records: representatives that are actual records, before they are moved off and after.

    .venv/bin/python benchmarks/verbatim.py                          60 cases of every generator
    .venv/bin/python benchmarks/verbatim.py --census census.csv      also a CSV with V1..V16 that satisfies the rules

Every file is masked twice in memory, with actual records allowed and with none allowed. Groups are distinct
combinations of values of a block in the masked records. Prints a Markdown table; ends with 1 if a masking that allows
none has one.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

import numpy as np

from constraint_sdc.commands.masking.carrying_out import carry_out
from constraint_sdc.commands.masking.preparation import prepared_file
from constraint_sdc.data.table import Table
from constraint_sdc.errors import ConstraintSdcError
from constraint_sdc.exam.guarantee.business_questionnaire import make_business
from constraint_sdc.exam.guarantee.generator import make_case, write_case
from constraint_sdc.exam.guarantee.household_survey import make_households
from constraint_sdc.exam.guarantee.judging import pooled_saxon
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.maskers.masked import Masked, MaskOptions
from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.promised import Promised
from constraint_sdc.promises.verbatim import BlockVariable, count_verbatim
from constraint_sdc.settings.words import Scale

GENERATORS = {"business": make_business, "households": make_households, "random": make_case}
ALLOWED = (True, False)


@dataclass
class Sums:
    """What all maskings of one kind add up to."""

    files: int = 0
    refused: int = 0
    groups: int = 0
    verbatim_groups: int = 0
    records: int = 0
    verbatim_records: int = 0
    losses: list[float] = field(default_factory=list)

    def add(self, plan: Plan, masked: Masked, before: Table, missing: dict[str, tuple[str, ...]]) -> None:
        self.files += 1
        shared = [block for block in plan.blocks if block.shares]
        after = replace(before, columns={**before.columns, **masked.columns()})
        blocks = [
            [BlockVariable(one.name, one.scale is Scale.NUMERIC, missing.get(one.name, ())) for one in block.variables]
            for block in shared
        ]
        counts, _ = count_verbatim(before, after, blocks, plan.k)
        self.groups += sum(count.combinations for count in counts)
        self.verbatim_groups += sum(count.verbatim for count in counts)
        flags = [count.is_verbatim for count in counts]
        self.records += before.records if counts else 0
        self.verbatim_records += int(np.any(flags, axis=0).sum()) if counts else 0
        self.losses += [block.price.loss for block in plan.blocks if block.price is not None]

    def row(self, name: str, how: str) -> str:
        groups = 100 * self.verbatim_groups / max(1, self.groups)
        records = 100 * self.verbatim_records / max(1, self.records)
        loss = fmean(self.losses) if self.losses else float("nan")
        return (
            f"| {name} | {how} | {self.files} | {self.refused} | {self.groups:,} | {self.verbatim_groups:,} "
            f"({groups:.2f}%) | {self.verbatim_records:,} ({records:.2f}%) | {loss:.3f} |"
        )


def measure(data: Path, rules: Path | None, options: MaskOptions, sums: dict[bool, Sums]) -> None:
    """Mask one file in both ways; a file that either refuses counts in neither, but as refused."""
    with prepared_file(data, rules, options) as prepared:
        found = {}
        for allowed in ALLOWED:
            said = prepared.plan_inputs.promised.protect
            protect = replace(said, verbatim="allowed") if allowed else replace(said, verbatim=0)
            inputs = replace(prepared.plan_inputs, promised=Promised(protect))
            mask_inputs = replace(prepared.mask_inputs, copies_records=allowed)
            way = replace(prepared, plan_inputs=inputs, mask_inputs=mask_inputs)
            try:
                found[allowed] = carry_out(way)
            except ConstraintSdcError:
                sums[allowed].refused += 1
        if len(found) == len(ALLOWED):
            for allowed, (plan, masked) in found.items():
                missing = dict(prepared.plan_inputs.recipe.missing)
                sums[allowed].add(plan, masked, prepared.plan_inputs.table, missing)


def generated(name: str, cases: int, first: int) -> dict[bool, Sums]:
    sums: dict[bool, Sums] = {allowed: Sums() for allowed in ALLOWED}
    for seed in range(first, first + cases):
        case = GENERATORS[name](seed)
        with tempfile.TemporaryDirectory() as folder:
            files = write_case(case, Path(folder))
            options = MaskOptions(
                allow_idle=("all",),
                undecided="guess",
                k=case.k,
                phase=case.phase,
                on_broken="keep" if case.is_damaged else None,
                recipe=read_recipe(files.recipe),
                recipe_file=files.recipe,
            )
            measure(files.data, files.rules, options, sums)
    return sums


def census(csv: Path) -> Iterator[tuple[str, dict[bool, Sums]]]:
    """Mask a census extract with five and with eight rules, in groups by MDAV."""
    from masking_price import prepare

    with tempfile.TemporaryDirectory() as folder:
        data = prepare(Path(folder) / "census", csv, 0, 0)
        for name in ("census.sch", "eight.sch"):
            for k in (3, 10):
                sums: dict[bool, Sums] = {allowed: Sums() for allowed in ALLOWED}
                measure(data, data.parent / name, MaskOptions(k=k, partition="mdav", undecided="guess"), sums)
                yield f"census, {'five' if name == 'census.sch' else 'eight'} rules, k = {k}", sums


def rows(options: argparse.Namespace) -> Iterator[tuple[str, dict[bool, Sums]]]:
    with pooled_saxon():
        if options.census:
            yield from census(options.census)
        for name in options.generator:
            yield name, generated(name, options.cases, options.first_seed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--generator", choices=GENERATORS, nargs="*", default=list(GENERATORS))
    parser.add_argument("--census", type=Path, help="a CSV with V1..V16")
    options = parser.parse_args()
    print("| files | actual records | masked | refused | groups | verbatim groups | verbatim records | loss |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    left = 0
    for name, sums in rows(options):
        for allowed, how in zip(ALLOWED, ("allowed", "none"), strict=True):
            print(sums[allowed].row(name, how), flush=True)
        left += sums[False].verbatim_records
    return 1 if left else 0


if __name__ == "__main__":
    raise SystemExit(main())
