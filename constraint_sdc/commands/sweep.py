"""Sweep: mask a file for many k, maskers and partitions, with and without its rules, and measure every masking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from constraint_sdc import __version__
from constraint_sdc.commands.certificate.certificate import file_digest
from constraint_sdc.commands.masking.division import wished_masker
from constraint_sdc.commands.masking.preparation import Original
from constraint_sdc.commands.masking.settings import LEAST_K, settle, settled_seed
from constraint_sdc.commands.measuring.sweep_bench import SweepBench, masking_by, open_for_sweep
from constraint_sdc.commands.measuring.sweep_journal import Journal
from constraint_sdc.commands.measuring.sweep_workers import compute_points
from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import recipe_to_json
from constraint_sdc.files.tables.registry import reading_statement
from constraint_sdc.measures.risk.subset_linkage import SubsetLinkage, require_known_at_most
from constraint_sdc.measures.sweep_points import Sweep, SweepOptions, SweepPoint
from constraint_sdc.partition.partitioner import cores
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import totals_by

Heard = Callable[[int, int], None]


def sweep_file(
    data: Path,
    rules: Path | None,
    options: SweepOptions,
    *,
    journal: Path | None = None,
    overwrite: bool = False,
    heard: Heard = lambda _done, _all: None,
) -> Sweep:
    """Return every point; `heard` hears how many of how many are done.

    With a `journal` every point is kept there as soon as it is computed; a sweep of the same inputs goes on from it,
    and one of other inputs is refused unless `overwrite` is set. Nothing is written before all options are good.
    """
    started = perf_counter()
    _refuse_mistakes(rules, options)
    tasks = options.tasks(rules is not None)
    with open_for_sweep(data, rules, options.masking) as original:
        book = None if journal is None else Journal(journal, _inputs(original, options))
        known = {} if book is None or overwrite else book.read()
        # Before any process starts: what is wrong with the files is said once, and here.
        bench = SweepBench(original, options.masking, options.known_at_most)
        unjudged = bench.unjudged(options.tried[0])
        bench.require_decided(options.tried[0])
        if book is not None:
            book.start(known)
        todo = [task for task in tasks if task not in known]
        heard(len(tasks) - len(todo), len(tasks))
        jobs = options.jobs or cores()
        for done, point in enumerate(compute_points(data, rules, options, todo, jobs, bench), 1):
            known[point.task] = point
            if book is not None:
                book.add(point)
            heard(len(tasks) - len(todo) + done, len(tasks))
        digest = original.dataset.sha256
    points = tuple(known[task] for task in tasks)
    seconds = perf_counter() - started
    notes = (*_averaging(options), *_notes(unjudged, points))
    return Sweep(data, digest, rules, points, len(tasks) - len(todo), seconds, notes, options.known_at_most)


def _refuse_mistakes(rules: Path | None, options: SweepOptions) -> None:
    if not options.ks or min(options.ks) < 1:
        raise UsageError("k starts at 1, the original itself", hint="such as --k 1..99")
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"{options.jobs} jobs compute nothing", hint="one job or more")
    if options.known_at_most is not None:
        require_known_at_most(options.known_at_most)
    if options.compare_unconstrained and rules is None:
        raise UsageError("without rules there is nothing to compare with", hint="give --rules")
    for totals in options.totals:
        totals_by(totals)
    if options.totals and rules is None:
        raise UsageError("without rules there are no totals to compare", hint="give --rules")
    for by in options.tried:
        wished = masking_by(options.masking, by)
        masker = wished_masker(wished)
        if not masker.takes_k:
            raise UsageError(f"{masker.name} has no k to sweep over", hint="leave it out of --maskers and the recipe")
        settle(replace(wished, k=LEAST_K))


def _averaging(options: SweepOptions) -> Iterator[Reason]:
    """Say how the averaged linkage draws, if it was asked for."""
    if options.known_at_most is not None:
        subsets = SubsetLinkage(options.known_at_most, seed=settled_seed(options.masking))
        yield because(
            "linkage-averaged",
            most=subsets.known_at_most,
            per_size=subsets.per_size,
            records=subsets.records,
            seed=subsets.seed,
        )


def _inputs(original: Original, options: SweepOptions) -> dict[str, object]:
    """Return what a point depends on besides its task."""
    masking = options.masking
    digests = original.digests()
    if masking.original is not None:
        digests["original"] = file_digest(masking.original)
    return {
        "version": __version__,
        "digests": digests,
        "recipe": recipe_to_json(masking.recipe),
        **({} if options.known_at_most is None else {"known_at_most": options.known_at_most}),
        **({} if masking.partition is None else {"partition": masking.partition}),
        "effort": masking.effort,
        "standardise": None if masking.standardise is None else masking.standardise.value,
        "weights": masking.weights,
        "seed": masking.seed,
        "on_broken": masking.on_broken,
        **({} if masking.undecided is None else {"undecided": masking.undecided}),
        "phase": masking.phase,
        "record": masking.record,
        **reading_statement(original.dataset.path),
    }


def _notes(unjudged: tuple[str, ...], points: tuple[SweepPoint, ...]) -> tuple[Reason, ...]:
    notes = [because("only-saxon-counts", rules=unjudged)] if unjudged else []
    refusals: dict[object, list[SweepPoint]] = {}
    for point in points:
        if point.refused is not None:
            # What a refusal quotes tells it from others of its code.
            refusals.setdefault((point.refused, point.refused.quoted), []).append(point)
    for refused in refusals.values():
        notes.append(because("refused-at", ks=tuple(point.k for point in refused), why=refused[0].refused))
    return tuple(notes)
