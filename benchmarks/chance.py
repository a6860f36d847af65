"""When is a published record that equals an actual one chance? What moving it costs, and what leaving it tells.

    .venv/bin/python benchmarks/chance.py                         generated files
    .venv/bin/python benchmarks/chance.py --census census.csv     also blocks of a CSV with V1..V16
    .venv/bin/python benchmarks/chance.py --census census.csv --docs    rewrites the section of docs/exact.md

Each file has twice the persons: one half is masked as one block, the others are not in the file. *Equal* are published
records whose values at least one person, but fewer than k, has: of the file, and of the others. If both shares are the
same, an equal record does not tell whether a person is in the file. *Linked* are records that the nearest published one
identifies, ties shared, for an intruder who knows the block exactly. All by MDAV, twice: equal records are left as they
are, and all are moved off. The second table says what follows from every share of possible combinations from which
equal records are chance: which blocks are left, what all lose, and the largest surplus of equal records of the file
over those of others.

The third table is about all blocks together: files of few values, in blocks of one and of two variables, in which whole
records may not change at all. *Unchanged* is the share of the records that stood alone and are published alone and as
they were; *equal* are published records that stand alone and equal a person who stands alone, of the file and of the
others. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np
from sections import write_section

from constraint_sdc.commands.masking.carrying_out import carry_out
from constraint_sdc.commands.masking.preparation import prepared_file
from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.settings.chance import Chance

TOP = Path(__file__).resolve().parents[1]
PAGE, HEADING = TOP / "docs" / "exact.md", "When an equal record is chance"
SHARES = (0.02, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5)
SIZES = (3, 10)
NOTHING = 2.0  # a share that no file reaches: unchanged records never count
LEFT, MOVED = Chance(0.0, NOTHING), Chance(math.inf, NOTHING)
RECORDS = (150, 400, 1200)
REPEATS = 8

Person = tuple[str, ...]

STORY = """
Written by `benchmarks/chance.py --census census.csv --docs` (without the CSV it prints the generated files alone). Each
block is drawn eight times in each size, with as many persons who are not in the file; the census is divided into halves
eight times. *Occurring* is the share of possible combinations that occur. *Equal* are published records whose values at
least one person, but fewer than k, has, if equal records are left as they are: persons of the file, and persons who are
not in it. *Linked* are persons whose nearest published record is their own. Groups by MDAV.

- Where more than a fifth of what is possible occurs, published records equal persons outside the file about as often
  as persons in it (within 7 points, often more often): an equal record does not tell whether somebody is in the file.
  Below, persons of the file are equal up to 2.6 times as often: there an equal record is a sign, and it is moved.
- Moving costs nothing below a fifth and up to 26 times the loss above. There it also tells something: if no published
  record may be anybody's, every combination that is published is known not to occur.
- Linkage hardly differs. What bounds it is that k records share each combination.

So equal records are chance from a share of 0.2 on. The share was 0.1 before this was measured; from 0.1 to 0.2 the
largest surplus of equal records halves and the loss stays. A recipe can count every one:
`verbatim: {at most: 0, count: every}`.
"""
BETWEEN = """
Over all blocks together, in files of five variables with few values, equal records that stand alone (fewer than k
share all their values) are a sign almost from the first one on: with a third unchanged, they equal persons of the file
three times as often as others. So unchanged records count from a tenth of those that stood alone on. It was a half
before this was measured.
"""


def draw_age(rng: random.Random) -> int:
    return min(95, max(16, round(rng.gauss(46, 17))))


def region_age(rng: random.Random) -> Person:
    return rng.choice("NNNSSEW"), str(draw_age(rng))


def age_schooling(rng: random.Random) -> Person:
    age = draw_age(rng)
    return str(age), str(min(20, max(0, round(rng.gauss(13 - age / 25, 3)))))


def household(rng: random.Random) -> Person:
    girls, boys = (min(4, int(rng.expovariate(1.1))) for _ in range(2))
    return str(girls), str(boys), str(max(1, min(9, round(rng.gauss(3 + (girls + boys) / 2, 1.2)))))


def age_rooms_hours(rng: random.Random) -> Person:
    return str(draw_age(rng)), str(rng.randint(1, 6)), str(min(60, max(0, round(rng.gauss(36, 9) / 5) * 5)))


def region_age_hours(rng: random.Random) -> Person:
    return *region_age(rng), str(min(70, max(0, round(rng.gauss(37, 8)))))


def age_wage(rng: random.Random) -> Person:
    age = draw_age(rng)
    return str(age), str(round(rng.lognormvariate(7.4 + age / 150, 0.5) / 10) * 10)


GENERATED: dict[str, tuple[tuple[str, ...], Callable[[random.Random], Person]]] = {
    "region, age": (("Region", "Age"), region_age),
    "girls, boys, rooms": (("Girls", "Boys", "Rooms"), household),
    "age, schooling": (("Age", "Schooling"), age_schooling),
    "age, rooms, hours by 5": (("Age", "Rooms", "Hours"), age_rooms_hours),
    "region, age, hours": (("Region", "Age", "Hours"), region_age_hours),
    "age, wage by 10": (("Age", "Wage"), age_wage),
}


FEW_VALUES = ("Sex", "Region", "Rooms", "Hours", "Children")


def few_values(rng: random.Random) -> Person:
    """Draw values of which k records share each, but hardly two all of them."""
    hours = min(60, max(0, round(rng.gauss(36, 9) / 5) * 5))
    return rng.choice("fm"), rng.choice("NNNSSEW"), str(rng.randint(1, 6)), str(hours), str(min(4, rng.randint(0, 6)))


@dataclass(frozen=True)
class Half:
    """A block of a file, and the same of as many persons who are not in it."""

    title: str
    names: tuple[str, ...]
    inside: list[Person]
    outside: list[Person]


def generated() -> Iterator[list[Half]]:
    """Yield every block in every size, each drawn several times."""
    for title, (names, draw) in GENERATED.items():
        for records in RECORDS:
            rng = random.Random(f"{title} {records}")
            persons = [[draw(rng) for _ in range(records)] for _ in range(2 * REPEATS)]
            drawn = zip(persons[::2], persons[1::2], strict=True)
            yield [Half(f"{title}, {records:,}", names, inside, outside) for inside, outside in drawn]


def census(path: Path) -> Iterator[list[Half]]:
    """Yield a block of the census, its amounts in thousands and as they are, divided into halves several times."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    names, middle = ("V2", "V4"), len(rows) // 2
    for step in (10_000, 5_000, 1_000, 1):
        title, halves = f"census V2, V4{f' in {step:,}' if step > 1 else ''}, {middle}", []
        for repeat in range(REPEATS):
            random.Random(repeat).shuffle(rows)
            persons = [tuple(str(round(float(row[name]) / step)) for name in names) for row in rows]
            halves.append(Half(title, names, persons[:middle], persons[middle : 2 * middle]))
        yield halves


@dataclass(frozen=True)
class Masking:
    """What came of one masking; `loss` is infinite if it was refused."""

    loss: float
    own: float
    others: float
    linked: float


def mask(half: Half, k: int, chance: Chance) -> Masking:
    """Mask the block in memory and compare it with both halves."""
    try:
        loss, after = publish(half, k, chance, "groups: all")
    except PlanRefusedError:
        return Masking(math.inf, math.nan, math.nan, math.nan)
    return Masking(loss, equal(after, half.inside, k), equal(after, half.outside, k), linked(half.inside, after))


def publish(half: Half, k: int, chance: Chance, blocks: str) -> tuple[float, list[Person]]:
    """Return the loss of the last block, and the masked records."""
    with tempfile.TemporaryDirectory() as folder:
        data, recipe = Path(folder) / "data.xml", Path(folder) / "recipe.yml"
        cells = ["".join(f"<{n}>{v}</{n}>" for n, v in zip(half.names, row, strict=True)) for row in half.inside]
        data.write_text("<D>" + "".join(f"<P>{row}</P>" for row in cells) + "</D>", encoding="utf-8")
        kinds = {name: "nominal" if name in ("Region", "Sex") else "numeric" for name in half.names}
        roles = ", ".join(f"{name}: {{role: confidential, type: {kind}}}" for name, kind in kinds.items())
        recipe.write_text(f"{blocks}\nvariables: {{{roles}}}\n", encoding="utf-8")
        options = MaskOptions(k=k, partition="mdav", recipe=read_recipe(recipe))
        with prepared_file(data, None, options) as prepared:
            way = replace(prepared, mask_inputs=replace(prepared.mask_inputs, chance=chance))
            plan, masked = carry_out(way)
        columns = masked.columns()
        after = [tuple(map(str, row)) for row in zip(*(columns[name].texts() for name in half.names), strict=True)]
    return [block.price.loss for block in plan.blocks if block.price is not None][-1], after


def equal(after: Sequence[Person], persons: Sequence[Person], k: int) -> float:
    """Return the percentage of published records whose values some of these persons, but fewer than k, have."""
    known = Counter(persons)
    return 100 * sum(0 < known[row] < k for row in after) / max(1, len(after))


def unchanged_row(records: int, k: int, size: int) -> tuple[float, str]:
    """Return the share of unchanged records of a file of few values, and its row of the third table."""
    rng = random.Random(f"{records} {k} {size}")
    found = []
    for _ in range(REPEATS):
        inside, outside = ([few_values(rng) for _ in range(records)] for _ in range(2))
        half = Half("", FEW_VALUES, inside, outside)
        _, after = publish(half, k, LEFT, f"group_size: {size}")
        old, new = Counter(inside), Counter(after)
        was_alone = [number for number, row in enumerate(inside) if old[row] < k]
        same = sum(inside[number] == after[number] and new[after[number]] < k for number in was_alone)
        alone = [row for row in after if new[row] < k]
        found.append((100 * same / max(1, len(was_alone)), equal(alone, inside, k), equal(alone, outside, k)))
    unchanged, own, others = (fmean(values) for values in zip(*found, strict=True))
    return unchanged, f"| {records:,} | {size} | {k} | {unchanged:.1f}% | {own:.1f}% / {others:.1f}% |"


def unchanged_table() -> str:
    rows = [unchanged_row(n, k, size) for n in RECORDS for k in SIZES for size in (1, 2)]
    head = (
        "| records | variables in a block | k | unchanged | equal: of the file / of others |",
        "|---:|---:|---:|---:|---:|",
    )
    return "\n".join([*head, *(row for _, row in sorted(rows, reverse=True))])


def linked(before: Sequence[Person], after: Sequence[Person]) -> float:
    """Return the percentage of persons whose nearest published record is their own, m equally near ones share it."""
    gaps = np.zeros((len(before), len(after)))
    for old, new in zip(zip(*before, strict=True), zip(*after, strict=True), strict=True):
        if old[0].lstrip("-").isdigit():
            one, other = (np.array(values, dtype=np.float64) for values in (old, new))
            gaps += ((one[:, None] - other[None, :]) / (one.std() or 1.0)) ** 2
        else:
            gaps += np.array(old)[:, None] != np.array(new)[None, :]
    nearest = gaps <= gaps.min(axis=1, keepdims=True) + 1e-12
    return float(100 * np.mean(np.diagonal(nearest) / nearest.sum(axis=1)))


def mean(maskings: Sequence[Masking]) -> Masking:
    """Return the means of those that were not refused; refused if all were."""
    done = [one for one in maskings if math.isfinite(one.loss)]
    if not done:
        return maskings[0]
    return Masking(*(fmean(values) for values in zip(*map(astuple, done), strict=True)))


def occupied(half: Half) -> float:
    """Return the share of the possible combinations that occur, as `data/coincidence.py` defines it."""
    possible = 1
    for values in zip(*half.inside, strict=True):
        is_number = values[0].lstrip("-").isdigit()
        numbers = [int(value) for value in values] if is_number else []
        possible *= max(numbers) - min(numbers) + 1 if numbers else len(set(values))
    return len(set(half.inside)) / possible


@dataclass(frozen=True)
class Compared:
    """One block at one k, with equal records left and moved off."""

    title: str
    occupied: float
    k: int
    left: Masking
    moved: Masking

    @classmethod
    def of(cls, halves: Sequence[Half], k: int) -> Compared:
        left, moved = ([mask(half, k, chance) for half in halves] for chance in (LEFT, MOVED))
        return cls(halves[0].title, fmean(map(occupied, halves)), k, mean(left), mean(moved))

    def row(self) -> str:
        loss = "refused" if math.isinf(self.moved.loss) else f"{self.moved.loss:.1f}"
        link = "" if math.isinf(self.moved.loss) else f"{self.moved.linked:.1f}"
        return (
            f"| {self.title} | {100 * self.occupied:.2g}% | {self.k} | {self.left.own:.1f}% / "
            f"{self.left.others:.1f}% | {self.left.loss:.1f} / {loss} | {self.left.linked:.1f} / {link} |"
        )


def share_row(compared: Sequence[Compared], share: float) -> str:
    """Return what follows if blocks with so large a share of their possible combinations are left."""
    left = [one for one in compared if one.occupied >= share]
    lost = [one.left.loss if one in left else one.moved.loss for one in compared]
    surplus = max((one.left.own - one.left.others for one in left), default=0.0)
    refused = sum(map(math.isinf, lost))
    average = sum(loss for loss in lost if math.isfinite(loss)) / max(1, len(lost) - refused)
    name = "never" if math.isinf(share) else f"{share:g}"
    titles = len({one.title for one in left})
    return f"| {name} | {titles} | {average:.2f} | {refused} | {surplus:.1f} |"


def tables(compared: Sequence[Compared]) -> str:
    lines = [
        "| block | occurring | k | equal: of the file / of others | loss: left / moved | linked %: left / moved |",
        "|---|---:|---:|---:|---:|---:|",
        *(one.row() for one in compared),
        "",
        "| equal records are chance from | blocks left | mean loss | refused | largest surplus, points |",
        "|---|---:|---:|---:|---:|",
        *(share_row(compared, share) for share in (*SHARES, math.inf)),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--census", type=Path, help="a CSV with V1..V16")
    parser.add_argument("--docs", action="store_true", help="rewrite the section of docs/exact.md; needs the census")
    options = parser.parse_args()
    if options.docs and options.census is None:
        parser.error("--docs needs the reference file: name it by --census")
    halves = [*generated(), *([] if options.census is None else census(options.census))]
    compared = [Compared.of(some, k) for some in halves for k in SIZES]
    compared.sort(key=lambda one: (-one.occupied, one.title, one.k))
    text = f"{STORY.strip()}\n\n{tables(compared)}\n\n{BETWEEN.strip()}\n\n{unchanged_table()}"
    print(text)
    if options.docs:
        write_section(PAGE, HEADING, text)


if __name__ == "__main__":
    main()
