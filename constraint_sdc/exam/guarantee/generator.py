"""Cases of the guarantee test, each made from a seed."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from constraint_sdc.exam.guarantee.bounds import INEQUALITIES, POSSIBLE_VALUES
from constraint_sdc.exam.guarantee.codes import CODES
from constraint_sdc.exam.guarantee.conditions import CONDITIONS, SURVEYS
from constraint_sdc.exam.guarantee.dates import DATES
from constraint_sdc.exam.guarantee.drafting import Draft
from constraint_sdc.exam.guarantee.equations import PRODUCTS, SUMS
from constraint_sdc.exam.guarantee.judging import judge
from constraint_sdc.exam.guarantee.layouts import WRITINGS, data_xml, random_layout
from constraint_sdc.exam.guarantee.recipes import random_recipe, with_dates, with_division, without
from constraint_sdc.exam.guarantee.roots import ROOTS
from constraint_sdc.exam.guarantee.schematron import Frame, PlacedRule, dress, schema_xml
from constraint_sdc.exam.guarantee.twists import (
    ALL_TWISTS,
    across_records,
    damage,
    frame_of,
    guard_rules,
    make_missing,
    only_saxon,
    several_groups,
    spell_oddly,
    twist_of,
)

# A case of the guarantee test: data, rules, recipe and k, as text that can be replayed.


@dataclass(frozen=True)
class ExamCase:
    """Everything that a masking needs. `data` satisfies every rule of `rules` as Saxon sees it, unless it `is_damaged`.

    `record` is the record element's Clark name. `says` are lines for a reader: the ideas that the
    case combines, its rules, and its recipe. `across` are the ids of rules that look at other records. A case that
    `is_ruleless` is masked as if there were no rules.
    """

    seed: int
    data: str
    rules: str
    recipe: str
    k: int
    records: int
    record: str
    says: tuple[str, ...]
    phase: str | None = None
    is_damaged: bool = False
    across: frozenset[str] = frozenset()
    is_ruleless: bool = False

    def __str__(self) -> str:
        return f"case {self.seed}: {self.records} records, k = {self.k}\n  " + "\n  ".join(self.says)


@dataclass(frozen=True)
class CaseFiles:
    """A case in a directory: rules may ask for `data.xml`, the original, beside them."""

    folder: Path

    @property
    def data(self) -> Path:
        """Return the original."""
        return self.folder / "data.xml"

    @property
    def rules(self) -> Path:
        """Return the Schematron file."""
        return self.folder / "rules.sch"

    @property
    def recipe(self) -> Path:
        """Return the recipe."""
        return self.folder / "recipe.yml"

    @property
    def output(self) -> Path:
        """Return where the masked file is written."""
        return self.folder / "masked.xml"


def write_case(case: ExamCase, folder: Path) -> CaseFiles:
    """Write the files of a case and return where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    files = CaseFiles(folder)
    files.data.write_text(case.data, encoding="utf-8")
    files.rules.write_text(case.rules, encoding="utf-8")
    files.recipe.write_text(case.recipe, encoding="utf-8")
    return files


# Make a case from a seed: a hostile statistician's rules, and data on which Saxon finds every one of them to hold.
#
# Columns are drawn and derived, rules are written about them, and Saxon judges a pool of candidate records under all
# candidate rules. A rule that leaves too few records is dropped; a record that breaks a remaining rule is left out.
# Nothing here knows what a rule means except Saxon.

T = TypeVar("T")
Idea = Callable[[Draft], None]
Family = tuple[tuple[Idea, int], ...]
FAMILIES: tuple[tuple[Family, int], ...] = (
    (SUMS, 4),
    (PRODUCTS, 2),
    (INEQUALITIES, 3),
    (POSSIBLE_VALUES, 3),
    (CONDITIONS, 4),
    (SURVEYS, 3),
)
LATER_FAMILIES: tuple[tuple[Family, int], ...] = ((CODES, 4), (DATES, 5), (ROOTS, 4))
FIRST_LATER = 400
"""Cases from this seed on draw from the later families too; those before it stay as they were."""
MOST_RULES, MOST_VARIABLES = 8, 14
CATEGORIES = (
    ("F", "M"),
    ("yes", "no", "unknown"),
    ("Ävdal", "Öst", "Łódź", "São"),
    ("1", "2", "9"),
    ("A", "B", "C", "D", "E"),
)


def make_case(seed: int) -> ExamCase:
    """Return the case of a seed: always the same one."""
    rng, k, records = _opening(seed)
    kept_rules: list[PlacedRule] = []
    while not kept_rules:
        draft = _draft(rng, records, _families(seed))
        kept_rules, rows = _thin_out(draft, dress(draft.rules, rng), records)
    twist = twist_of(seed)
    chosen = damage(twist, draft, [_row(draft, row) for row in _chosen(rows, records, rng)])
    data = data_xml(draft.layout, chosen, rng)
    says = (
        f"ideas: {', '.join(draft.ideas)}; {draft.binding}, {draft.layout.style}"
        + (", namespace" if draft.layout.prefix else "")
        + f"; figures with {'free' if draft.writing.decimals is None else draft.writing.decimals} decimals",
        *map(str, kept_rules),
        *(f"twist: {name}" for name in sorted(twist.names)),
    )
    recipe = several_groups(twist, draft, with_dates(draft, random_recipe(draft, kept_rules, rng)))
    nowhere = {draft.layout.variable(n) for n in draft.columns if all(record.get(n) is None for record in chosen)}
    recipe = with_division(without(recipe, nowhere), draft, kept_rules, chosen, seed)
    frame, framed = frame_of(twist, kept_rules)
    frame = replace(
        frame,
        across=_holding(across_records(twist, draft, chosen), data, draft),
        opaque=_holding(only_saxon(twist, draft, chosen), data, draft),
    )
    return ExamCase(
        seed=seed,
        data=data,
        rules=schema_xml(framed, draft.layout, draft.binding, rng, frame),
        recipe=recipe,
        k=k,
        records=len(chosen),
        record=draft.layout.clark_record,
        says=(*says, *(f"{name}: {test}" for name, test in (*frame.across, *frame.opaque)), *recipe.splitlines()),
        phase=frame.phase,
        is_damaged="damage" in twist,
        across=frozenset(name for name, _ in frame.across),
    )


def _holding(across: Mapping[str, str], data: str, draft: Draft) -> tuple[tuple[str, str], ...]:
    """Keep the rules across records, or that only Saxon evaluates, that the file satisfies."""
    if not across:
        return ()
    frame = Frame(across=tuple(across.items()))
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder, "data.xml"), Path(folder, "rules.sch")
        paths[0].write_text(data, encoding="utf-8")
        paths[1].write_text(schema_xml([], draft.layout, draft.binding, None, frame), encoding="utf-8")
        report = judge(*paths, draft.layout.clark_record)
    fine = {count.assertion for count in report.counts if not count.failed and not count.errors}
    return tuple((name, test) for name, test in across.items() if name in fine)


def ideas_of(seed: int) -> tuple[str, ...]:
    """Return the ideas that are first drawn for a case, and its twists; Saxon has not been asked about them yet."""
    rng, _, records = _opening(seed)
    return (*_draft(rng, records, _families(seed)).ideas, *twist_of(seed).names)


def all_ideas() -> set[str]:
    """Return every idea and twist that the generator has."""
    families = {_name(idea) for family, _ in (*FAMILIES, *LATER_FAMILIES) for idea, _ in family}
    return families | {"missing values", "odd spelling"} | set(ALL_TWISTS)


def _opening(seed: int) -> tuple[random.Random, int, int]:
    rng = random.Random(seed)
    k = rng.choice((2, 3, 3, 3, 4, 5, 5, 7, 10, 12))
    return rng, k, _records(rng, k)


def _families(seed: int) -> tuple[tuple[Family, int], ...]:
    return FAMILIES if seed < FIRST_LATER else FAMILIES + LATER_FAMILIES


def _name(idea: Idea) -> str:
    return idea.__name__.removeprefix("add_").removeprefix("_only_").replace("_", " ")


def _records(rng: random.Random, k: int) -> int:
    """Mostly 30 to 120 records; sometimes just enough for one group or two."""
    kind = rng.random()
    if kind < 0.06:
        return k + rng.randrange(0, 2)
    if kind < 0.14:
        return 2 * k + rng.randrange(-1, 2)
    return rng.randrange(max(30, k), 121) if kind < 0.95 else rng.randrange(120, 151)


def _draft(rng: random.Random, records: int, families: tuple[tuple[Family, int], ...]) -> Draft:
    draft = Draft(
        rng=rng,
        size=min(480, 3 * records + 60),
        layout=random_layout(rng),
        binding=rng.choice(("xslt", "xslt2", "xslt2", "xslt3")),
        writing=rng.choice(WRITINGS),
    )
    _add_texts(draft)
    wanted = rng.randrange(1, MOST_RULES + 1)
    family = _drawn(FAMILIES[:2], rng) if rng.random() < 0.6 else _drawn(families, rng)
    while len(draft.rules) < wanted and len(draft.numeric) < MOST_VARIABLES:
        idea = _drawn(family, rng)
        idea(draft)
        draft.ideas.append(_name(idea))
        family = _drawn(families, rng)
    _add_bystanders(draft)
    make_missing(draft)
    spell_oddly(draft)
    guard_rules(draft)
    return draft


def _drawn(weighted: Sequence[tuple[T, int]], rng: random.Random) -> T:
    return rng.choices([item for item, _ in weighted], [weight for _, weight in weighted])[0]


def _add_texts(draft: Draft) -> None:
    rng = draft.rng
    for name in ("Sex", "Region")[: rng.choice((0, 1, 1, 2))]:
        values = rng.choice(CATEGORIES)
        # The last category is rare: often fewer than k records have it.
        weights = [1.0] * (len(values) - 1) + [rng.choice((1.0, 0.05))]
        draft.add_text(name, rng.choices(values, weights, k=draft.size))


def _add_bystanders(draft: Draft) -> None:
    """Variables that no rule mentions: free ones, a constant column, an identifier, a remark."""
    rng = draft.rng
    for _ in range(rng.choice((0, 0, 1, 3)) if draft.numeric else 2):
        draft.base()
    if rng.random() < 0.1:
        draft.add(["7"] * draft.size)
    if rng.random() < 0.3:
        draft.columns["@id"] = [f"R{row:04d}" for row in range(draft.size)]
    if rng.random() < 0.15:
        draft.columns["Remark"] = [rng.choice(("", "a < b & c", "naïve", "ok")) for _ in range(draft.size)]


def _row(draft: Draft, row: int) -> dict[str, str | None]:
    return {name: cells[row] for name, cells in draft.columns.items()}


def _thin_out(draft: Draft, placed: Sequence[PlacedRule], records: int) -> tuple[list[PlacedRule], list[int]]:
    """Keep rules as long as enough candidate records satisfy all of them; return both."""
    broken = _broken_records(draft, placed)
    kept: list[PlacedRule] = []
    rows = set(range(draft.size))
    for item in placed:
        left = rows - broken[item.id] if item.id in broken else set()
        if len(left) >= records and len(kept) < MOST_RULES:
            kept.append(item)
            rows = left
    return kept, sorted(rows)


def _broken_records(draft: Draft, placed: Sequence[PlacedRule]) -> dict[str, set[int]]:
    """Return, per rule, the candidate records that break it; a rule on which XPath stops is left out."""
    with tempfile.TemporaryDirectory() as folder:
        data, rules = Path(folder, "data.xml"), Path(folder, "rules.sch")
        pool = [_row(draft, row) for row in range(draft.size)]
        data.write_text(data_xml(draft.layout, pool, random.Random(0)), encoding="utf-8")
        rules.write_text(schema_xml(placed, draft.layout, draft.binding), encoding="utf-8")
        report = judge(data, rules, draft.layout.clark_record)
    broken: dict[str, set[int]] = {count.assertion: set() for count in report.counts if not count.errors}
    for finding in report.findings:
        if finding.assertion in broken:
            assert finding.record is not None
            broken[finding.assertion].add(finding.record - 1)
    return broken


def _chosen(rows: Sequence[int], records: int, rng: random.Random) -> list[int]:
    """Draw the records of the file; sometimes some of them stand in it several times."""
    chosen = rng.sample(list(rows), records)
    if rng.random() < 0.1:
        few = chosen[: max(1, records // 3)]
        chosen = [rng.choice(few) for _ in range(records)]
    return chosen
